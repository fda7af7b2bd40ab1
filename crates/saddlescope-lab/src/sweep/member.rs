//! One member of a sweep: run, and read into a row of the table.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use saddlescope::analysis::stages::Settings as Search;
use saddlescope::numeric::simd;
use saddlescope_spec::claim::{Agreement, Claim, Evidence, Trial};
use saddlescope_spec::outcome::Outcome;
use saddlescope_spec::prediction::{Prediction, Says};
use saddlescope_spec::settings::sweep::Sweep;

use crate::check::ClaimCheck;
use crate::compose::fits;
use crate::error::Error;
use crate::facts::RunResult;
use crate::plan::{Column, Member, Plan, RunRow, RunTable, Watch, lock};
use crate::registry::Registry;
use crate::run::{Ending, Run, RunEnding};
use crate::store;

/// How much further off a number of theory may be and still hold approximately.
const LOOSER: f64 = 3.0;

pub(super) struct Request {
    pub(super) settings: Sweep,
    claims: Vec<&'static Claim>,
    /// Verdicts hang on the seed alone.
    verdicts: Mutex<HashMap<(&'static str, u64), String>>,
}

pub(super) enum NoRow {
    /// It cannot run, for a reason that its row tells.
    Failed(String),
    Stopped,
    /// Its run cannot be kept, which another try may change.
    Unkept(String),
}

impl Request {
    pub(super) fn new(settings: Sweep, claims: Vec<&'static Claim>) -> Self {
        Self { settings, claims, verdicts: Mutex::default() }
    }

    /// Whether what is asked for is recorded at all, found out before anything runs.
    pub(super) fn check(&self, run: &Run) -> Result<(), String> {
        let columns = run.columns();
        for pattern in &self.settings.observables {
            if !columns.iter().any(|column| fits(pattern, column)) {
                return Err(format!(
                    "sweep.observables names `{pattern}`, which is not recorded; record.observables \
                     gives {}",
                    crate::nearest::families(&columns).join(", ")
                ));
            }
        }
        Ok(())
    }

    /// Runs a member; in a folder where it is to be kept.
    pub(super) fn run(
        &self,
        member: &Member,
        watch: &Watch<'_>,
        keep: Option<(&Path, &Arc<AtomicBool>, &Registry)>,
    ) -> Result<RunRow, NoRow> {
        let experiment = &member.experiment;
        let run = Run::new(experiment).map_err(|error| NoRow::Failed(reason(&error)))?;
        self.check(&run).map_err(NoRow::Failed)?;
        let tell = |glimpse, steps| watch.control(&run, glimpse, steps);
        let finished = match keep {
            None => run.execute(tell),
            Some((place, stop, registry)) => {
                let kept = store::execute(&run, place, false, stop, registry, tell);
                let kept = kept.map_err(|error| NoRow::Unkept(error.to_string()))?;
                let RunResult { trajectory, state, facts, .. } = kept;
                let (seconds, simd) = (facts.seconds, simd::level());
                RunEnding { trajectory, state, end: facts.end, seconds, simd }
            }
        };
        if finished.end.ended() == Some(Ending::Interrupted) {
            return Err(NoRow::Stopped);
        }
        Ok(self.row(&run, &finished, member.seed))
    }

    fn row(&self, run: &Run, finished: &RunEnding, seed: u64) -> RunRow {
        let stages = match self.settings.stages {
            true => run.staircase(finished, &Search::default()).ok(),
            false => None,
        };
        let (end, outcomes) = (&finished.end, run.outcomes(finished));
        let mut row = RunRow::new(end, finished.seconds, stages.as_ref(), &outcomes);
        let plateaus = stages.iter().flat_map(|found| &found.stages.plateaus).enumerate();
        for (m, plateau) in plateaus {
            row.put(Outcome::new(format!("plateau.{}", m + 1), plateau.height.value));
        }
        // What is asked for of the end is that of the last row that was recorded.
        self.last_values(finished).into_iter().for_each(|cell| row.put(cell));
        // Theory speaks of the flow's time, which not every rule has.
        let on_clock = end.phases.last().is_some_and(|phase| phase.flow_time);
        if self.settings.theory && on_clock {
            for prediction in run.predictions(finished) {
                self.against(&prediction, &row).into_iter().for_each(|cell| row.put(cell));
            }
        }
        for claim in &self.claims {
            row.put(Outcome::new(format!("claim.{}", claim.id), self.verdict(claim, seed)));
        }
        row
    }

    fn last_values(&self, finished: &RunEnding) -> Vec<Outcome> {
        let trajectory = &finished.trajectory;
        let Some(last) = trajectory.rows().checked_sub(1) else { return Vec::new() };
        let mut cells = Vec::new();
        for series in trajectory.series() {
            for (name, &value) in series.column_names().iter().zip(series.row(last)) {
                if self.settings.observables.iter().any(|pattern| fits(pattern, name)) {
                    cells.push(Outcome::new(format!("end.{name}"), value));
                }
            }
        }
        cells
    }

    /// A number of theory beside what was measured.
    fn against(&self, prediction: &Prediction, row: &RunRow) -> Vec<Outcome> {
        let Says::Number(predicted) = prediction.says else { return Vec::new() };
        let name = format!("{}.{}", prediction.name, prediction.of);
        let verdict = match row.measured(&prediction.of) {
            None => "not reached",
            Some(found) => {
                let (mut evidence, tolerance) = (Evidence::default(), self.settings.tolerance);
                let compared = evidence.of(&name).rel(predicted, found, tolerance);
                match compared.loosely(LOOSER * tolerance).agreement() {
                    Agreement::Within => "holds",
                    Agreement::Loosely => "holds approximately",
                    Agreement::Unclear | Agreement::Outside => "does not hold",
                }
            }
        };
        vec![
            Outcome::new(format!("theory.{name}"), predicted),
            Outcome::new(format!("claim.{name}"), verdict),
        ]
    }

    /// The verdict on a claim of the paper, gathered with this seed.
    fn verdict(&self, claim: &'static Claim, seed: u64) -> String {
        if let Some(verdict) = lock(&self.verdicts).get(&(&*claim.id, seed)) {
            return verdict.clone();
        }
        let verdict = ClaimCheck::new(claim, Trial { seed }).verdict.words().to_owned();
        lock(&self.verdicts).insert((&*claim.id, seed), verdict.clone());
        verdict
    }
}

/// The columns of members in the order of their numbers, `first` and so on.
pub(super) fn table(plan: &Plan, members: Vec<(usize, Member, RunRow)>) -> Vec<Column> {
    let numbers = members.iter().map(|(number, ..)| i64::try_from(*number).ok());
    let mut columns = vec![Column::integers("member", numbers)];
    let (members, rows): (Vec<_>, Vec<_>) =
        members.into_iter().map(|(_, member, row)| (member, Some(row))).unzip();
    let mut batch = plan.clone();
    batch.members = members;
    columns.extend(RunTable::new(&batch, &rows).into_columns());
    columns
}

/// Why a run cannot be, without the place where that was written: the table must not depend on who made it.
fn reason(error: &Error) -> String {
    let wrong = error.settings().first();
    wrong.map_or_else(|| error.to_string(), |wrong| wrong.problem.to_string())
}
