//! Sparse attention on Markov chains behind the interface of all systems.

use std::collections::BTreeMap;

use saddlescope::claim::Claim;
use saddlescope::reference::{CaseError, CaseKind, Inputs};
use saddlescope::settings::{Settings, SettingsError, SystemSchema};
use saddlescope::system::{System, World};

use super::declaration::SCHEMA;
use super::minimal_world::Training;
use super::regression_world::Regression;
use super::transformer_world::Transforming;
use super::{cost, reference};

/// The system `sparse-markov`.
#[derive(Debug, Clone, Copy)]
pub struct SparseMarkov;

impl System for SparseMarkov {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        cost::bytes(system) as u64
    }

    fn prepare(
        &self,
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Box<dyn World>, SettingsError> {
        match system.word("model") {
            "minimal" => Ok(Box::new(Training::new(system, start, seed)?)),
            "transformer" => Ok(Box::new(Transforming::new(system, start, seed)?)),
            _ => Ok(Box::new(Regression::new(system, start, seed)?)),
        }
    }

    fn claims(&self) -> &'static [Claim] {
        super::claims::CLAIMS
    }

    fn case_kinds(&self) -> &'static [CaseKind] {
        reference::KINDS
    }

    fn recompute(
        &self,
        kind: &str,
        inputs: Inputs<'_>,
        wanted: &[&str],
    ) -> Result<BTreeMap<String, serde_json::Value>, CaseError> {
        reference::recompute(kind, inputs, wanted)
    }
}
