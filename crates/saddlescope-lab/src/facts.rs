//! All that is small about a run: one shape for terminal, folder, page and Python.
//!
//! [`RunFacts`] says what a run came to, [`ProblemFacts`] what its system says before it runs. Both are stored with
//! the run, so that it is drawn and compared without its system, whose data may be gone.

use std::collections::BTreeSet;

use saddlescope::analysis::stages::Settings;
use saddlescope::event::Condition;
use saddlescope::flow::{Termination, Work};
use saddlescope::json::{real, reals};
use saddlescope::symmetry::Symmetry;

use crate::compose;
use crate::prelude::*;
use crate::saddles::Place;
use crate::stages;
use crate::store::Origin;

/// What became of a run, but for its rows and parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    pub version: String,
    pub simd: String,
    #[serde(default)]
    pub seconds: f64,
    pub system: String,
    pub name: Option<String>,
    pub seed: u64,
    /// The hash of all that fixes its numbers.
    pub hash: Hash,
    pub parameters: usize,
    pub theory: Theory,
    #[serde(flatten)]
    pub end: RunEnd,
    pub stages: Option<Stages>,
    pub no_stages: Option<String>,
    #[serde(with = "outcomes")]
    pub outcomes: Vec<Outcome>,
    pub predictions: Vec<Prediction>,
}

/// What theory knows of a loss.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Theory {
    /// The losses of the plateaus that it predicts, highest first.
    #[serde(with = "reals")]
    pub plateaus: Vec<f64>,
}

/// What the dynamics of a run came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunEnd {
    pub error: Option<String>,
    /// How the phases of the dynamics ended, in their order; none when the run failed.
    pub phases: Vec<PhaseFacts>,
    /// The loss levels that were watched for; none when the run failed.
    pub crossings: Vec<LevelCrossing>,
    /// Conserved quantities at both ends; none when the run failed.
    pub invariants: Vec<Drift>,
    /// Settings that are read as others, and parameters that start so small that the flow's absolute tolerance does not see
    /// them, in words.
    pub note: Option<String>,
}

/// How a phase of the dynamics ended, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseFacts {
    /// How it moved: `flow`, `adam`.
    #[serde(default)]
    pub kind: String,
    pub ended: Ending,
    #[serde(with = "real")]
    pub time: f64,
    /// Whether times are flow times; otherwise one unit per step.
    pub flow_time: bool,
    /// Steps taken so far: of the solver, or of the rule.
    pub step: u64,
    #[serde(with = "real")]
    pub loss: f64,
    /// When an automatic flow went over to the stiff method, if it did.
    pub stiff_from: Option<f64>,
    /// Work of the solver; none for descents.
    pub work: Option<Work>,
    /// The least value of what `stop_on` names; the parameters there are among the run's snapshots.
    #[serde(default)]
    pub best: Option<BestFacts>,
}

/// The least value of an observable that a phase has read, and where it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestFacts {
    pub column: String,
    #[serde(with = "real")]
    pub value: f64,
    #[serde(with = "real")]
    pub time: f64,
    pub step: u64,
}

/// A loss level and when it was first crossed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LevelCrossing {
    #[serde(with = "real")]
    pub level: f64,
    /// Time of the first crossing, if there was one.
    pub time: Option<f64>,
}

/// A conserved quantity at both ends of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    pub name: String,
    #[serde(with = "real")]
    pub start: f64,
    #[serde(with = "real")]
    pub end: f64,
}

impl Drift {
    pub(crate) fn size(&self) -> f64 {
        (self.end - self.start).abs()
    }
}

/// What a system says about a problem before it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemFacts {
    /// Names, shapes and rates of the parameters.
    pub blocks: Blocks,
    pub observables: Vec<Column>,
    /// How figures call columns, patterns of columns and outcomes.
    pub labels: BTreeMap<String, String>,
    /// Whether the loss is the same function at every step.
    pub has_flow: bool,
    /// Whether each step sees another random part of the data.
    pub draws_batches: bool,
    /// The losses of the plateaus that theory predicts, highest first.
    #[serde(with = "reals")]
    pub levels: Vec<f64>,
    pub theories: Vec<String>,
    /// Names of all that theory may say about a run.
    pub predictions: Vec<String>,
    /// What theory says about how numbers of runs depend on settings.
    pub scalings: Vec<Scaling>,
    /// What can be exchanged in the parameters.
    pub symmetry: Symmetry,
    /// The system's own figure, which follows from the settings.
    #[serde(skip, default = "plain_figure")]
    pub figure: FigureSpec,
    /// The task as rows of tokens, which follow from the settings.
    #[serde(skip)]
    pub sketch: Sketch,
}

/// Something that is or can be recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    /// Its shape; empty for a single number.
    pub shape: Vec<usize>,
    /// How figures call it.
    pub label: Option<String>,
}

/// A run with all that is known about it, carried out or read from its folder.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// What was recorded; of a run that failed, until it did.
    pub trajectory: Trajectory,
    /// Parameters at the start; none before the first segment is over.
    pub start: Vec<f64>,
    /// Parameters at the end; none when the run failed.
    pub state: Option<Vec<f64>>,
    pub facts: RunFacts,
    pub problem: Arc<ProblemFacts>,
    /// How much of it was done before, where it is kept.
    pub origin: Option<Origin>,
    pub graph: Option<SaddleGraph>,
}

/// A run among those of its experiment, as programs read it.
#[derive(Debug, Serialize)]
pub struct MemberFacts<'a> {
    pub label: &'a str,
    /// The variant that it belongs to, where there are several.
    pub variant: Option<&'a str>,
    /// The settings that vary among them, with the values that they have here, as TOML.
    #[serde(serialize_with = "rendered")]
    pub varied: &'a [(String, Value)],
    #[serde(flatten)]
    pub facts: &'a RunFacts,
    /// How figures call columns, patterns of columns and outcomes.
    pub labels: &'a BTreeMap<String, String>,
}

/// Why a phase ended. The words that a program reads are names of settings where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Its time or its steps were over.
    End,
    /// The loss came to its known minimum.
    Converged,
    StopBelowLoss,
    StopBelowGradient,
    StopParameter,
    StopOn,
    /// The caller said stop.
    Interrupted,
}

impl Ending {
    pub(crate) fn of(stage: &Phase, ended: Termination) -> Self {
        let event = match ended {
            Termination::AtTime => return Self::End,
            Termination::ByRecorder => return Self::Interrupted,
            Termination::Early => return Self::StopOn,
            Termination::ByEvent(index) => &stage.events[index],
        };
        match event.condition {
            Condition::Converged { .. } => Self::Converged,
            Condition::LossBelow(_) => Self::StopBelowLoss,
            Condition::GradientBelow(_) => Self::StopBelowGradient,
            Condition::ParameterCrosses { .. } => Self::StopParameter,
        }
    }

    /// One word for programs: the name of the setting that stopped it, where one did.
    pub fn word(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Converged => "converged",
            Self::StopBelowLoss => "stop_below_loss",
            Self::StopBelowGradient => "stop_below_gradient",
            Self::StopParameter => "stop_parameter",
            Self::StopOn => "stop_on",
            Self::Interrupted => "interrupted",
        }
    }
}

impl RunEnd {
    /// Why the last phase ended, if one did.
    pub fn ended(&self) -> Option<Ending> {
        self.phases.last().map(|phase| phase.ended)
    }

    /// First crossing of each watched loss level.
    pub(crate) fn crossing_times(&self) -> Vec<Option<f64>> {
        self.crossings.iter().map(|crossing| crossing.time).collect()
    }

    /// Whether the watched levels are those half way between these plateaus.
    pub(crate) fn watches(&self, plateaus: &[f64]) -> bool {
        let levels: Vec<f64> = self.crossings.iter().map(|crossing| crossing.level).collect();
        are_half_way(&levels, plateaus)
    }
}

/// The levels half way from each plateau to the next.
pub(crate) fn half_way(plateaus: &[f64]) -> impl Iterator<Item = f64> {
    plateaus.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]))
}

/// Whether levels are those half way between plateaus.
pub(crate) fn are_half_way(levels: &[f64], plateaus: &[f64]) -> bool {
    let near = |(level, half): (&f64, f64)| (level - half).abs() <= 1e-12 * half.abs();
    plateaus.len() == levels.len() + 1 && levels.iter().zip(half_way(plateaus)).all(near)
}

impl RunFacts {
    /// What became of the run of `run` that came to `finished`.
    pub(crate) fn new(run: &Run, finished: &RunEnding, hash: Hash) -> Self {
        let theory = Theory { plateaus: run.problem.levels.clone() };
        let mut predictions = run.predictions(finished);
        // What theory says about crossings, it says of its own levels.
        if !finished.end.watches(&theory.plateaus) {
            predictions.retain(|prediction| !matches!(prediction.says, Says::Number(_)));
        }
        let mut facts = Self {
            parameters: run.problem.blocks().len(),
            theory,
            outcomes: run.outcomes(finished),
            predictions,
            ..Self::bare(&run.experiment, finished, hash)
        };
        facts.set_stages(run.stages(finished, &Settings::default()));
        facts
    }

    /// The stages of its loss, or why there are none to look for.
    pub fn stages(&self) -> Result<&Stages, &str> {
        self.stages.as_ref().ok_or(self.no_stages.as_deref().unwrap_or_default())
    }

    pub(crate) fn set_stages(&mut self, found: Result<Stages, String>) {
        (self.stages, self.no_stages) = match found {
            Ok(stages) => (Some(stages), None),
            Err(why) => (None, Some(why)),
        };
    }

    /// What a run of `experiment` tells by itself.
    pub(crate) fn bare(experiment: &Experiment, finished: &RunEnding, hash: Hash) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            simd: finished.simd.to_string(),
            seconds: finished.seconds,
            system: experiment.system.name().to_owned(),
            name: experiment.name().map(str::to_owned),
            seed: experiment.seed(),
            hash,
            parameters: 0,
            theory: Theory::default(),
            end: finished.end.clone(),
            stages: None,
            no_stages: None,
            outcomes: Vec::new(),
            predictions: Vec::new(),
        }
    }
}

impl ProblemFacts {
    pub fn new(run: &Run) -> Self {
        let (problem, experiment) = (&run.problem, &run.experiment);
        let observables = problem.observables.iter().map(|one| Column {
            name: one.name.clone(),
            shape: one.shape.clone(),
            label: experiment.label(&one.name),
        });
        let mut names: BTreeSet<String> = run.columns().into_iter().collect();
        names.extend(problem.observables.iter().map(|one| one.name.clone()));
        names.extend(problem.outcome_names.iter().cloned());
        names.extend(names.iter().flat_map(|name| patterns(name)).collect::<Vec<_>>());
        let labels = names.into_iter().filter_map(|name| Some((experiment.label(&name)?, name)));
        let facts = Self {
            blocks: problem.blocks().clone(),
            observables: observables.collect(),
            labels: labels.map(|(label, name)| (name, label)).collect(),
            has_flow: problem.loss.has_flow(),
            draws_batches: problem.loss.draws_batches(),
            levels: problem.levels.clone(),
            theories: problem.theories.names().into_iter().map(str::to_owned).collect(),
            predictions: problem.prediction_names.iter().map(ToString::to_string).collect(),
            scalings: problem.scalings.to_vec(),
            symmetry: Symmetry::clone(&problem.symmetry),
            figure: plain_figure(),
            sketch: Sketch::default(),
        };
        facts.declared(experiment)
    }

    /// What a run tells by itself, where its system cannot say more.
    pub(crate) fn bare(blocks: Blocks, trajectory: &Trajectory, levels: Vec<f64>) -> Self {
        let column = |series: &saddlescope::trajectory::Series| Column {
            name: series.name().to_owned(),
            shape: series.shape().to_vec(),
            label: None,
        };
        Self {
            blocks,
            observables: trajectory.series().iter().map(column).collect(),
            labels: BTreeMap::new(),
            has_flow: false,
            draws_batches: false,
            levels,
            theories: Vec::new(),
            predictions: vec!["levels".to_owned()],
            scalings: Vec::new(),
            symmetry: Symmetry::none(),
            figure: plain_figure(),
            sketch: Sketch::default(),
        }
    }

    /// The same with what the system declares about `experiment` without being built: figure, sketch, missing labels.
    pub(crate) fn declared(mut self, experiment: &Experiment) -> Self {
        self.figure = experiment.figure();
        self.sketch = experiment.sketch();
        let names = self.observables.iter().map(|one| one.name.clone());
        let drawn = self.figure.panels.iter().flat_map(compose::recorded_columns).cloned();
        for name in names.chain(drawn).collect::<BTreeSet<_>>() {
            if let Some(label) = experiment.label(&name) {
                self.labels.entry(name).or_insert(label);
            }
        }
        self
    }
}

/// The loss beside theory's levels.
fn plain_figure() -> FigureSpec {
    FigureSpec::new(1, vec![PanelSpec::over_time(&["loss"]).beside(&["levels"])])
}

/// The patterns that a name fits, with one or more of its numbers open: `head.*.value`.
fn patterns(name: &str) -> Vec<String> {
    let mut open = vec![String::new()];
    for part in name.split('.') {
        let number = part.parse::<usize>().is_ok();
        let grown = |begin: &String, part: &str| match begin.as_str() {
            "" => part.to_owned(),
            begin => format!("{begin}.{part}"),
        };
        let stars: Vec<String> =
            open.iter().filter(|_| number).map(|begin| grown(begin, "*")).collect();
        open = open.iter().map(|begin| grown(begin, part)).chain(stars).collect();
    }
    open.retain(|pattern| pattern != name);
    open
}

impl RunResult {
    /// The run of `run` that came to `finished`.
    pub fn new(run: &Run, finished: RunEnding) -> Self {
        Self::of(run, finished, Arc::new(ProblemFacts::new(run)))
    }

    /// The same where the problem is known already.
    pub fn of(run: &Run, finished: RunEnding, problem: Arc<ProblemFacts>) -> Self {
        let facts = RunFacts::new(run, &finished, run.hash());
        let RunEnding { trajectory, state, .. } = finished;
        let start = run.problem.init.to_vec();
        Self { trajectory, start, state, facts, problem, origin: None, graph: None }
    }

    /// What theory says about how its numbers depend on its settings, where it watches theory's own levels.
    pub fn scalings(&self) -> &[Scaling] {
        let watched = self.facts.end.watches(&self.facts.theory.plateaus);
        if watched { &self.problem.scalings } else { &[] }
    }

    /// The stages of a column, looked for with these thresholds.
    pub fn find_stages(&self, column: &str, settings: &Settings) -> Result<Stages, String> {
        let (problem, end) = (&self.problem, &self.facts.end);
        let exact = !problem.draws_batches;
        stages::of_run(column, &self.trajectory, end, &problem.blocks, exact, settings)
    }

    /// The states that it has kept: start, snapshots and end.
    pub fn states(&self) -> Vec<(Place, Vec<f64>)> {
        let mut states = vec![(Place::Start, self.start.clone())];
        for snapshot in self.trajectory.snapshots() {
            states.push((Place::Snapshot(snapshot.time), snapshot.state.to_vec()));
        }
        if let Some(state) = &self.state {
            let end = self.facts.end.phases.last().map_or(0.0, |phase| phase.time);
            states.push((Place::End(end), state.clone()));
        }
        states
    }

    /// The facts of the run, which is that member of its plan.
    pub fn member_facts<'a>(&'a self, member: &'a Member) -> MemberFacts<'a> {
        MemberFacts {
            label: &member.label,
            variant: member.arm.as_deref(),
            varied: &member.varied,
            facts: &self.facts,
            labels: &self.problem.labels,
        }
    }
}

fn rendered<S: Serializer>(varied: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(varied.iter().map(|(key, value)| (key, render_value(value))))
}

/// Outcomes as an object, in their order.
mod outcomes {
    use saddlescope_spec::outcome::{Outcome, OutcomeValue};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::{Map, Value};

    pub(super) fn serialize<S: Serializer>(
        outcomes: &[Outcome],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(outcomes.iter().map(|one| (&one.name, &one.value)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Outcome>, D::Error> {
        let outcome = |(name, value): (String, Value)| {
            let value: OutcomeValue = serde_json::from_value(value).map_err(D::Error::custom)?;
            Ok(Outcome { name, value })
        };
        Map::deserialize(from)?.into_iter().map(outcome).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The end of a flow that came to rest at this loss, with these crossings of a level.
    pub(crate) fn rested(loss: f64, crossings: &[Option<f64>]) -> RunEnd {
        let phase = PhaseFacts {
            kind: "flow".to_owned(),
            ended: Ending::Converged,
            time: 10.0,
            flow_time: true,
            step: 3,
            loss,
            stiff_from: None,
            work: None,
            best: None,
        };
        let crossing = |&time: &Option<f64>| LevelCrossing { level: 0.5, time };
        let crossings = crossings.iter().map(crossing).collect();
        RunEnd { phases: vec![phase], crossings, ..RunEnd::default() }
    }
}
