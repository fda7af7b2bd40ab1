//! `stages.json` and `problem.json`: a run and its problem in facts, in numbers that come back bit by bit.

use std::sync::Arc;

use saddlescope::Blocks;
use saddlescope::json::exact;
use saddlescope::trajectory::Trajectory;
use saddlescope_spec::prediction::{Prediction, Says};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Manifest;
use crate::error::{Error, Result};
use crate::facts::{
    Drift, LevelCrossing, PhaseFacts, ProblemFacts, RunEnd, RunFacts, RunResult, Theory,
};
use crate::run::{Run, RunEnding};
use crate::staircase::Staircase;

/// The text of `problem.json`. It may be long, so it is one line.
pub(super) fn encode_problem(problem: &ProblemFacts) -> Result<Vec<u8>> {
    Ok(format!("{}\n", value(problem)?).into())
}

/// The text of `stages.json`. How long the run took is in `run.toml`: here, equal runs have equal bytes.
pub(super) fn encode(facts: &RunFacts) -> Result<Vec<u8>> {
    let mut value = value(facts)?;
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("seconds");
    }
    Ok(format!("{value:#}\n").into())
}

fn value(facts: &impl Serialize) -> Result<serde_json::Value> {
    exact(facts).map_err(|error| Error::folder(error.to_string()))
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes)
        .map_err(|error| Error::folder(format!("it is no JSON of a run: {error}")))
}

/// `stages.json` as format 1 had it: no labels, no outcomes, no predictions, and other words.
#[derive(Deserialize)]
struct Format1 {
    error: Option<String>,
    theory: Theory,
    #[serde(rename = "stages")]
    phases: Vec<PhaseFacts>,
    found: StagesFormat1,
    crossings: Vec<LevelCrossing>,
    invariants: Vec<Drift>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StagesFormat1 {
    None { none: String },
    Stages(Staircase),
}

/// What a run of format 1 came to, by the bytes of its `stages.json`.
pub(super) fn read_format_1(
    bytes: &[u8],
    (trajectory, state): (Trajectory, Option<Vec<f64>>),
    blocks: Blocks,
    manifest: &Manifest,
) -> Result<RunResult> {
    let Format1 { error, theory, mut phases, found, crossings, invariants } = decode(bytes)?;
    for (phase, settings) in phases.iter_mut().zip(&manifest.experiment.dynamics) {
        phase.kind = settings.kind().unwrap_or("flow").to_owned();
    }
    let end = RunEnd { error, phases, crossings, invariants, note: None };
    let problem = ProblemFacts::bare(blocks, &trajectory, theory.plateaus);
    let mut result = asked(finished((trajectory, state), end, manifest), problem, manifest);
    if result.facts.stages.is_none() {
        result.facts.set_stages(match found {
            StagesFormat1::Stages(stages) => Ok(stages),
            StagesFormat1::None { none } => Err(none),
        });
    }
    Ok(result)
}

/// A run of format 1, which did not store what its system says: that is asked again. Where the system cannot be
/// built, because its data is gone, labels and figure come from its declaration.
pub(super) fn asked(finished: RunEnding, bare: ProblemFacts, manifest: &Manifest) -> RunResult {
    let Ok(run) = Run::new(&manifest.experiment) else {
        return untold(finished, bare, manifest);
    };
    let mut result = RunResult::new(&run, finished);
    result.facts.version.clone_from(&manifest.version);
    result.facts.hash = manifest.hash;
    result
}

/// A run of which nothing is known but what it tells itself.
pub(super) fn untold(finished: RunEnding, bare: ProblemFacts, manifest: &Manifest) -> RunResult {
    let levels = Prediction {
        name: "levels".to_owned(),
        label: "theory".to_owned(),
        of: "loss".to_owned(),
        says: Says::Levels(bare.levels.clone()),
    };
    let facts = RunFacts {
        version: manifest.version.clone(),
        parameters: bare.blocks.len(),
        theory: Theory { plateaus: bare.levels.clone() },
        predictions: if bare.levels.is_empty() { Vec::new() } else { vec![levels] },
        ..RunFacts::bare(&manifest.experiment, &finished, manifest.hash)
    };
    let RunEnding { trajectory, state, .. } = finished;
    let (start, problem) = (Vec::new(), Arc::new(bare.declared(&manifest.experiment)));
    RunResult { trajectory, start, state, facts, problem, origin: None, graph: None }
}

/// Rows and parameters from a folder, with how the run ended.
pub(super) fn finished(
    (trajectory, state): (Trajectory, Option<Vec<f64>>),
    end: RunEnd,
    manifest: &Manifest,
) -> RunEnding {
    RunEnding { trajectory, state, end, seconds: manifest.seconds, simd: manifest.simd }
}
