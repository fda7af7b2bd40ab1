//! The system: from settings to a problem, of the regression variant or of a model on sequences.

mod cost;
mod init;
mod regression;
mod training;

use std::collections::BTreeMap;

use saddlescope_spec::figure::FigureSpec;
use saddlescope_spec::problem::Problem;
use saddlescope_spec::reference::{CaseError, CaseKind, Inputs};
use saddlescope_spec::settings::{Located, Settings, SettingsError, SystemSchema};
use saddlescope_spec::shipped::Shipped;
use saddlescope_spec::sketch::Sketch;
use saddlescope_spec::system::System;
use saddlescope_spec::view::View;

use crate::cases;
use crate::readings::{self, labels, sketch};
use crate::settings::{Model, SCHEMA, Task};

/// The system `sparse-markov`.
#[derive(Debug, Clone, Copy)]
pub struct SparseMarkov;

impl System for SparseMarkov {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        cost::bytes(&system.read(), &system.read()) as u64
    }

    fn problem(
        &self,
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Problem, SettingsError> {
        let (task, start): (Located<Task>, _) = (system.read(), start.read());
        match task.model {
            Model::Regression => regression::problem(&task, &start, seed),
            Model::Minimal => training::minimal(&task, &start, seed),
            Model::Transformer => training::full(&task, &start, seed),
        }
    }

    fn label(&self, _system: &Settings, column: &str) -> Option<String> {
        labels::label(column)
    }

    fn figure(&self, system: &Settings) -> FigureSpec {
        let task: Task = system.read();
        if task.model == Model::Regression {
            readings::regression::figure(init::features(&task))
        } else {
            readings::sequences::figure()
        }
    }

    fn sketch(&self, system: &Settings, seed: u64) -> Sketch {
        let task: Located<Task> = system.read();
        let sketch = if task.model == Model::Regression {
            init::factorisation(&task, seed).map(|model| sketch::positions(&model.target))
        } else {
            init::chain(&task, seed).map(|chain| sketch::chain(&chain))
        };
        sketch.unwrap_or_default()
    }

    fn view(&self) -> View {
        View { set: &[("dynamics.until", "2000.0")], lr: 0.02, ..View::default() }
    }

    fn experiments(&self) -> &'static [Shipped] {
        crate::experiments::EXPERIMENTS
    }

    fn case_kinds(&self) -> &'static [CaseKind] {
        cases::KINDS
    }

    fn recompute(
        &self,
        kind: &str,
        inputs: Inputs<'_>,
        wanted: &[&str],
    ) -> Result<BTreeMap<String, serde_json::Value>, CaseError> {
        cases::recompute(kind, inputs, wanted)
    }
}
