//! The system: from settings to a problem that trains on text.

mod cost;
mod init;

use std::collections::BTreeMap;
use std::sync::Arc;

use saddlescope::Loss;
use saddlescope::dynamics::{Motion, Phase, PhaseError};
use saddlescope_spec::error::Error;
use saddlescope_spec::figure::{FigureSpec, PanelSpec};
use saddlescope_spec::problem::{Input, Problem};
use saddlescope_spec::reference::{CaseError, CaseKind, Inputs};
use saddlescope_spec::settings::{Located, Settings, SettingsError, SystemSchema};
use saddlescope_spec::system::System;
use saddlescope_spec::view::View;

use crate::data::text::{Text, TextError, Vocabulary, Windows, spread};
use crate::readings::watch::Watch;
use crate::readings::{labels, observables};
use crate::settings::{Design, Precision, SCHEMA, Task};
use crate::{Form, Training, Transformer, cases};

/// The system `transformer`.
#[derive(Debug, Clone, Copy)]
pub struct OnText;

impl System for OnText {
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
        let (task, design): (Located<Task>, Design) = system.read();
        let texts = Texts::new(&task)?;
        let form = Form { length: task.length, skip: task.skip };
        if form.skip >= form.length {
            let message = format!("is {}, expected below the length {}", form.skip, form.length);
            return Err(task.wrong("skip", message));
        }
        let of = design.architecture(task.heads, texts.vocabulary.len(), form.length);
        let wrong = |error: Error| task.wrong("width", format!("does not fit: {error}"));
        let model = Transformer::new(of).map_err(wrong)?;
        let data = Arc::new(texts.windows(&task)?);
        // Each step sees another batch, and drops out other units.
        let shared = Arc::clone(&model);
        let loss = match task.precision {
            Precision::Double => {
                Loss::drawn(Training::<f64>::new(shared, form, data).map_err(wrong)?)
            }
            Precision::Single => {
                Loss::single(Training::<f32>::new(shared, form, data).map_err(wrong)?, true)
            }
        };
        let valid = texts.valid(&task)?;
        let watch = Watch::new(&model, form, valid, task.maps).map_err(wrong)?;
        let (init, file) = init::start(start, &model, seed)?;
        Ok(Problem::new(loss, init.clone())
            .of(Arc::new(watch))
            .inputs(texts.inputs().into_iter().chain(file).collect())
            .segment_steps(100)
            .observables(|watch, all| observables::with(all, watch, &init))
            .outcomes(observables::OUTCOMES, |watch, seen| observables::outcomes(watch, seen))
            .check(|_, stages| check_no_flow(stages))
            .build())
    }

    fn label(&self, _system: &Settings, column: &str) -> Option<String> {
        labels::label(column)
    }

    fn figure(&self, _system: &Settings) -> FigureSpec {
        FigureSpec::new(1, vec![PanelSpec::over_time(&["loss"])])
    }

    fn view(&self) -> View {
        // A loss that draws batches has no flow, which is the kind where none is given.
        let set = &[("dynamics.kind", "sgd"), ("dynamics.rate", "0.01"), ("dynamics.steps", "400")];
        View { set, ..View::default() }
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

fn check_no_flow(stages: &[Phase]) -> Result<(), PhaseError> {
    if stages.iter().any(|stage| matches!(stage.motion, Motion::Flow(_))) {
        let message =
            "text is read in batches, which have no flow: set dynamics.kind = \"sgd\" or \"adamw\"";
        return Err(PhaseError::Unfit(message.to_owned()));
    }
    Ok(())
}

/// The two texts of a run.
struct Texts {
    train: Text,
    valid: Text,
    vocabulary: Vocabulary,
}

impl Texts {
    fn new(task: &Located<Task>) -> Result<Self, SettingsError> {
        let read = |name: &str, path: &Option<String>| {
            let text = path.as_ref().map(Text::read).transpose();
            text.map_err(|error| task.wrong(name, unfit(&error)))
        };
        let (train, valid) = match (read("train", &task.train)?, read("valid", &task.valid)?) {
            (Some(train), Some(valid)) => (train, valid),
            (None, None) => (Text::shipped_train(), Text::shipped_valid()),
            (Some(_), None) => {
                return Err(task.wrong("train", "needs valid beside it: a text to measure on"));
            }
            (None, Some(_)) => {
                return Err(task.wrong("valid", "needs train beside it: a text to train on"));
            }
        };
        let vocabulary = Vocabulary::new(&train, task.tokens, task.vocabulary);
        Ok(Self { train, valid, vocabulary })
    }

    fn windows(&self, task: &Located<Task>) -> Result<Windows, SettingsError> {
        let tokens = self.vocabulary.encode(&self.train);
        Windows::new(tokens, &self.train.name, task.length, task.batch, task.order)
            .map_err(|error| task.wrong("length", unfit(&error)))
    }

    fn valid(&self, task: &Located<Task>) -> Result<Vec<u32>, SettingsError> {
        let tokens = self.vocabulary.encode(&self.valid);
        spread(&tokens, &self.valid.name, task.length, task.valid_sequences)
            .map_err(|error| task.wrong("length", unfit(&error)))
    }

    /// What the record of a run keeps of them.
    fn inputs(&self) -> Vec<Input> {
        let texts = [("system.train", &self.train), ("system.valid", &self.valid)];
        texts.map(|(name, text)| Input { name: name.to_owned(), digest: text.digest() }).to_vec()
    }
}

fn unfit(error: &TextError) -> String {
    format!("does not fit: {error}")
}

#[cfg(test)]
#[path = "problem_tests.rs"]
mod tests;
