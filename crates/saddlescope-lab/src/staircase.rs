//! The stages that a run went through, as they are found in what it recorded.
//!
//! Times of jumps come in two kinds. *Sampled* times are read off the recorded rows, with an error.
//! *Exact* times are crossings that the dynamics itself has noted: a watched level that lies half way
//! between the two heights. They count where no batches are drawn: the first crossing of a batch loss is
//! mostly noise.

use saddlescope::analysis::stages::align::{CommonStages, Spread, StagedRun, align};
use saddlescope::analysis::stages::moved::{Movement, moved};
use saddlescope::analysis::stages::{Jump, Plateau, Settings, Stages, Uncertain, detect};
use saddlescope::json::real;
use saddlescope_spec::figure::TimeAxis;

use crate::campaign::columns;
use crate::outcomes::Path;
use crate::prelude::*;

/// How far a watched level may lie from half way, as a part of the jump.
const HALF_WAY: f64 = 0.05;

/// Movers that a table names: those with at least this share.
const WORTH_NAMING: f64 = 0.2;

/// The stages of a run, and what is known about its jumps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "StageFacts", into = "StageFacts")]
pub struct Staircase {
    pub settings: Settings,
    pub stages: Stages,
    pub moved: Vec<Vec<Movement>>,
    /// When each jump was half done by the dynamics itself, where it noted that.
    pub exact: Vec<Option<f64>>,
}

impl Staircase {
    /// The stages of a column of a run that came to `end`, or why there are none to look for. `exact`
    /// says whether the crossings of its loss are more than noise.
    pub fn of_run(
        column: &str,
        trajectory: &Trajectory,
        end: &RunEnd,
        blocks: &Blocks,
        exact: bool,
        settings: &Settings,
    ) -> Result<Self, String> {
        if let Some(error) = &end.error {
            return Err(format!("the run failed: {error}"));
        }
        let Some(path) = Path::of(trajectory, column, TimeAxis::Time) else {
            let known = columns(trajectory);
            return Err(format!(
                "`{column}` was not recorded{}; recorded are {}",
                hint(column, &known),
                families(&known).join(", ")
            ));
        };
        let stages = detect(&path.x, &path.y, settings);
        let stages = stages.map_err(|error| error.to_string())?;
        let crossings = if exact && column == "loss" { end.crossings.as_slice() } else { &[] };
        let exact = |m| exact_time(&stages.jumps[m], between(&stages, m), crossings);
        Ok(Self {
            settings: *settings,
            exact: (0..stages.jumps.len()).map(exact).collect(),
            moved: moved(&stages, trajectory, blocks),
            stages,
        })
    }

    /// The stages of a series of which nothing else is known.
    pub fn of_series(stages: Stages, settings: Settings) -> Self {
        let jumps = stages.jumps.len();
        Self { settings, stages, moved: vec![Vec::new(); jumps], exact: vec![None; jumps] }
    }

    /// When a jump was half done: exactly where that is known.
    pub fn time(&self, jump: usize) -> f64 {
        self.exact[jump].unwrap_or(self.stages.jumps[jump].time.value)
    }

    pub fn seen(&self) -> StagedRun<'_> {
        StagedRun { stages: &self.stages, moved: &self.moved }
    }

    /// A table for people, and a word about the ends.
    pub fn text(&self) -> String {
        let stages = &self.stages;
        if stages.plateaus.is_empty() {
            return "no stages were found: no stretch is flat beside the rest\n".to_owned();
        }
        let mut headings =
            vec!["plateau", "height", "from time", "to time", "then jumps at", "takes"];
        let movers = self.moved.iter().any(|all| !all.is_empty());
        if movers {
            headings.push("moves most");
        }
        let mut table = Table::new(&headings);
        for (m, plateau) in stages.plateaus.iter().enumerate() {
            let mut row = vec![
                (m + 1).to_string(),
                with_error(plateau.height),
                number(plateau.from),
                number(plateau.to),
            ];
            let jump = stages.jumps.get(m);
            row.push(jump.map_or_else(String::new, |jump| match self.exact[m] {
                Some(time) => format!("{} (exact)", number(time)),
                None => with_error(jump.time),
            }));
            row.push(jump.map_or_else(String::new, |jump| short(jump.duration.value)));
            if movers {
                row.push(self.moved.get(m).map_or_else(String::new, |all| named(all)));
            }
            table.row(row);
        }
        format!("{table}{}", self.ends())
    }

    fn ends(&self) -> String {
        let mut text = String::new();
        if !self.stages.begins_flat {
            text += "(what comes before the first plateau is no jump: nothing flat precedes it)\n";
        }
        if !self.stages.ends_flat {
            text += "(the last plateau is left, but no flat stretch follows)\n";
        }
        text
    }
}

fn between(stages: &Stages, m: usize) -> [&Plateau; 2] {
    [&stages.plateaus[m], &stages.plateaus[m + 1]]
}

/// The noted crossing of a level half way between two plateaus, between them in time as well.
fn exact_time(jump: &Jump, [a, b]: [&Plateau; 2], crossings: &[LevelCrossing]) -> Option<f64> {
    let middle = 0.5 * (a.height.value + b.height.value);
    let off = |crossing: &&LevelCrossing| (crossing.level - middle).abs();
    let near = crossings.iter().filter(|crossing| off(crossing) <= HALF_WAY * jump.change.abs());
    let near = near.min_by(|x, y| off(x).total_cmp(&off(y)))?;
    near.time.filter(|time| (a.from..=b.to).contains(time))
}

/// The stages of a run, as programs read them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageFacts {
    plateaus: Vec<PlateauFacts>,
    /// The ways between them.
    #[serde(alias = "jumps")]
    transitions: Vec<TransitionFacts>,
    /// Whether the series begins on the first plateau, and not on the way to it.
    begins_flat: bool,
    ends_flat: bool,
    /// Standard deviation of the noise of single rows.
    #[serde(with = "real")]
    noise: f64,
    settings: Settings,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PlateauFacts {
    #[serde(with = "real")]
    height: f64,
    #[serde(with = "real")]
    height_error: f64,
    #[serde(with = "real")]
    from: f64,
    #[serde(with = "real")]
    to: f64,
    rows: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TransitionFacts {
    /// When it is half done, by the recorded rows.
    #[serde(with = "real")]
    time: f64,
    #[serde(with = "real")]
    time_error: f64,
    /// When it is half done, by the dynamics itself.
    exact: Option<f64>,
    #[serde(with = "real")]
    duration: f64,
    #[serde(with = "real")]
    duration_error: f64,
    #[serde(with = "real")]
    change: f64,
    moved: Vec<Movement>,
}

impl From<Staircase> for StageFacts {
    fn from(Staircase { settings, stages, moved, exact }: Staircase) -> Self {
        let plateau = |Plateau { height, from, to, rows }| {
            let Uncertain { value: height, error: height_error } = height;
            PlateauFacts { height, height_error, from, to, rows }
        };
        let transition = |((Jump { time, duration, change }, moved), exact)| {
            let Uncertain { value: time, error: time_error } = time;
            let Uncertain { value: duration, error: duration_error } = duration;
            TransitionFacts { time, time_error, exact, duration, duration_error, change, moved }
        };
        let Stages { plateaus, jumps, begins_flat, ends_flat, noise } = stages;
        let plateaus = plateaus.into_iter().map(plateau).collect();
        let transitions = jumps.into_iter().zip(moved).zip(exact).map(transition).collect();
        Self { plateaus, transitions, begins_flat, ends_flat, noise, settings }
    }
}

impl From<StageFacts> for Staircase {
    fn from(facts: StageFacts) -> Self {
        let plateau = |PlateauFacts { height, height_error, from, to, rows }| {
            let height = Uncertain { value: height, error: height_error };
            Plateau { height, from, to, rows }
        };
        let StageFacts { plateaus, transitions, begins_flat, ends_flat, noise, settings } = facts;
        let (mut jumps, mut moved, mut exact) = (Vec::new(), Vec::new(), Vec::new());
        for one in transitions {
            let time = Uncertain { value: one.time, error: one.time_error };
            let duration = Uncertain { value: one.duration, error: one.duration_error };
            jumps.push(Jump { time, duration, change: one.change });
            moved.push(one.moved);
            exact.push(one.exact);
        }
        let plateaus = plateaus.into_iter().map(plateau).collect();
        let stages = Stages { plateaus, jumps, begins_flat, ends_flat, noise };
        Self { settings, stages, moved, exact }
    }
}

/// `0.6406 ± 0.0004`: as many digits as the error leaves, of which it has two.
pub fn with_error(Uncertain { value, error }: Uncertain) -> String {
    if !(error > 0.0 && error.is_finite()) || error < 5e-7 * value.abs() {
        return number(value);
    }
    let digits = 1.0 - error.log10().floor();
    if !(0.0..=9.0).contains(&digits) {
        return format!("{} ± {error:.1e}", number(value));
    }
    let digits = digits as usize;
    format!("{value:.digits$} ± {error:.digits$}")
}

/// Of each family the one that moves most, and others worth a word: `learned.0 97 %`.
fn named(all: &[Movement]) -> String {
    let mut families: Vec<&str> = Vec::new();
    let mut words = Vec::new();
    for one in all {
        let first = !families.contains(&one.family.as_str());
        families.push(&one.family);
        if first || one.share >= WORTH_NAMING {
            words.push(format!("{} {:.0} %", one.name, 1e2 * one.share));
        }
    }
    words.join(", ")
}

/// Runs of a plan that differ in their seeds alone, with what their stages have in common.
pub struct Case<'a> {
    pub runs: Vec<(&'a Member, &'a RunResult)>,
    /// Heights, times and owners over seeds, modulo the problem's symmetry.
    pub aligned: CommonStages,
}

/// The cases among the runs of a plan, in its order.
pub fn cases<'a>(runs: impl IntoIterator<Item = (&'a Member, &'a RunResult)>) -> Vec<Case<'a>> {
    let case = |runs: Vec<(&'a Member, &'a RunResult)>| {
        let found = runs.iter().filter_map(|(_, run)| run.facts.stages.as_ref());
        let found: Vec<StagedRun<'_>> = found.map(Staircase::seen).collect();
        let RunResult { facts, problem, .. } = runs[0].1;
        let aligned = align(&found, &facts.theory.plateaus, &problem.symmetry);
        Case { runs, aligned }
    };
    let cases = together(runs, |(one, _), (other, _)| one.is_like(other));
    cases.into_iter().map(case).collect()
}

pub fn aligned_text(aligned: &CommonStages) -> String {
    let mut headings = vec!["jump", "runs", "from height", "to height", "at time", "takes"];
    let owned = aligned.jumps.iter().any(|jump| !jump.owners.is_empty());
    if owned {
        headings.push("moves most (in runs)");
    }
    let mut table = Table::new(&headings);
    for jump in &aligned.jumps {
        let height = |place: usize| spread(aligned.plateaus[place].height);
        let mut row = vec![
            format!("{} to {}", jump.from + 1, jump.to + 1),
            format!("{} of {}", jump.runs, aligned.runs),
            height(jump.from),
            height(jump.to),
            spread(jump.time),
            spread(jump.duration),
        ];
        if owned {
            let owners = jump.owners.iter();
            let owners = owners.map(|owner| format!("{} {:.0} %", owner.name, 1e2 * owner.part));
            row.push(owners.collect::<Vec<_>>().join(", "));
        }
        table.row(row);
    }
    if table.is_empty() {
        return "no jumps were found\n".to_owned();
    }
    table.to_string()
}

/// `292.2 [236.2, 485.0]`; one number where all agree in what is shown.
fn spread(spread: Spread) -> String {
    let [median, low, high] = [spread.median, spread.low, spread.high].map(short);
    if low == high { median } else { format!("{median} [{low}, {high}]") }
}

#[cfg(test)]
#[path = "staircase_tests.rs"]
mod tests;
