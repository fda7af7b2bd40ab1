//! Small trainings on the shipped text, for claims about transformers.

use saddlescope::dynamics::{Motion, Optimiser, Phase, ScheduleKind, Steps};
use saddlescope::record::{Recording, Sampling};
use saddlescope::trajectory::Trajectory;
use saddlescope_spec::claim::{ClaimError, Outcome};
use saddlescope_spec::settings::{Input, Section, Settings, read_literal};
use saddlescope_spec::system::System;

use saddlescope_transformer::OnText;
use saddlescope_transformer::settings::SCHEMA;

/// A model, where it starts, both as tables of a file, and how it is trained: by gradient descent on batches.
#[derive(Debug, Clone)]
pub(crate) struct TextTraining {
    pub(crate) system: String,
    pub(crate) start: String,
    pub(crate) rate: f64,
    pub(crate) clip: Option<f64>,
    pub(crate) steps: u64,
}

impl TextTraining {
    /// What was seen of `columns` after every `stride` steps.
    pub(crate) fn train(&self, columns: &[&str], stride: u64, seed: u64) -> Outcome<Trajectory> {
        let system = settings(&SCHEMA.system, &self.system)?;
        let start = settings(&SCHEMA.start, &self.start)?;
        let problem = OnText.problem(&system, &start, seed)?;
        let observables = problem.observables.clone().select(columns)?;
        let mut recording = Recording::new(observables, Sampling::Every(stride));
        let steps = Steps {
            rule: Optimiser::Gd,
            rate: self.rate,
            steps: self.steps,
            schedule: ScheduleKind::Constant,
            clip: self.clip,
        };
        let stages = [Phase::new(Motion::Descent(steps))];
        problem.run(&stages, seed, &mut recording)?;
        Ok(recording.finish())
    }
}

fn settings(section: &Section, table: &str) -> Outcome<Settings> {
    let Input::Table(table) = read_literal(table).map_err(ClaimError::new)?.value else {
        return Err(ClaimError::new(format!("{table} is no table")));
    };
    let values: Vec<(&str, Input)> =
        table.iter().map(|(key, given)| (&*key.name, given.value.clone())).collect();
    section.resolve_program(&values).map_err(|errors| {
        let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
        ClaimError::new(words.join("; "))
    })
}

/// The numbers of a column; empty where it was not recorded.
pub(crate) fn column<'a>(trajectory: &'a Trajectory, name: &str) -> &'a [f64] {
    trajectory.get(name).map_or(&[], |series| series.data())
}
