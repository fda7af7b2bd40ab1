//! A problem: a loss with its initial parameters, and what is known about both, as values.

use std::sync::{Arc, LazyLock};

use saddlescope::dynamics::{
    self, Checkpoint, Course, Outcome as End, Phase, PhaseError, SegmentEnd,
};
use saddlescope::record::{Observables, Recorder};
use saddlescope::symmetry::Symmetry;
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Loss, Surface};

use crate::measure::subsets;
use crate::outcome::Outcome;
use crate::prediction::{Prediction, RunData, Scaling};

/// A value that is computed when it is first asked for.
pub type Lazy<T> = Arc<LazyLock<T, Box<dyn FnOnce() -> T + Send>>>;

fn lazy<T>(compute: impl FnOnce() -> T + Send + 'static) -> Lazy<T> {
    Arc::new(LazyLock::new(Box::new(compute)))
}

type Predict = dyn Fn(RunData<'_>) -> Vec<Prediction> + Send + Sync;
type Read = dyn Fn(RunData<'_>) -> Vec<Outcome> + Send + Sync;
type Directions = dyn Fn(&[f64]) -> Vec<Vec<f64>> + Send + Sync;
type Nearest = dyn Fn(&[f64]) -> Option<(usize, f64)> + Send + Sync;
type Check = dyn Fn(&[Phase]) -> Result<(), PhaseError> + Send + Sync;

/// A system with all its settings, ready to run. Copies share everything.
///
/// Only the loss and the initial parameters are needed. Each further value switches on what builds on it: levels and the
/// least loss time transitions and end runs, theories run in the model's place, saddles make a graph.
#[derive(Clone)]
pub struct Problem {
    pub loss: Loss,
    pub init: Arc<[f64]>,
    pub observables: Observables,
    /// Data that it was built from besides its settings, such as files: a run goes on only with the same.
    pub inputs: Vec<Input>,
    /// The losses of the plateaus that theory predicts, highest first; empty where it predicts none.
    pub levels: Vec<f64>,
    /// The smallest possible loss, where it is known.
    pub least_loss: Option<f64>,
    /// How many steps a segment of a run has: a constant of the model, which no size and no estimate changes.
    pub segment_steps: u64,
    /// Names of all predictions that it may make; which it does make depends on the run.
    pub prediction_names: &'static [&'static str],
    /// Names of all outcomes that it may read off a run.
    pub outcome_names: Vec<String>,
    /// How theory says that numbers of runs depend on settings, near the settings of this problem.
    pub scalings: Lazy<Vec<Scaling>>,
    /// Quantities that gradient flow conserves.
    pub invariants: Lazy<Vec<Invariant>>,
    /// Its reduced theories, which phases may run in its place.
    pub theories: Lazy<Theories<'static>>,
    /// What can be exchanged or turned round without changing the function.
    pub symmetry: Lazy<Symmetry>,
    /// Where it rests on each of its levels, as far as it does so at finite parameters; empty where nobody knows.
    pub rests: Lazy<Vec<Vec<f64>>>,
    /// The stationary points that theory knows, from the start of learning to its end.
    pub saddles: Lazy<Vec<KnownSaddle>>,
    predictions: Option<Arc<Predict>>,
    outcomes: Option<Arc<Read>>,
    symmetry_directions: Option<Arc<Directions>>,
    nearest_saddle: Option<Arc<Nearest>>,
    chart: Lazy<Option<Chart>>,
    check: Option<Arc<Check>>,
}

impl Problem {
    /// A loss and its initial parameters, of which nothing more is known.
    pub fn new(loss: Loss, init: Vec<f64>) -> Self {
        Self {
            observables: Observables::built_in(loss.blocks()),
            segment_steps: dynamics::SEGMENT_STEPS,
            loss,
            init: init.into(),
            inputs: Vec::new(),
            levels: Vec::new(),
            least_loss: None,
            prediction_names: &["levels"],
            outcome_names: Vec::new(),
            predictions: None,
            outcomes: None,
            scalings: lazy(Vec::new),
            invariants: lazy(Vec::new),
            theories: lazy(Theories::none),
            symmetry: lazy(Symmetry::none),
            symmetry_directions: None,
            rests: lazy(Vec::new),
            saddles: lazy(Vec::new),
            nearest_saddle: None,
            chart: lazy(|| None),
            check: None,
        }
    }

    /// Goes on to say what is known, as functions of a `model`.
    pub fn of<M: Send + Sync + 'static>(self, model: M) -> ProblemBuilder<M> {
        ProblemBuilder { problem: self, model: Arc::new(model) }
    }

    pub fn blocks(&self) -> &Blocks {
        self.loss.blocks()
    }

    /// Its exact loss at any state, where there is one.
    pub fn surface(&self) -> Option<&dyn Surface> {
        self.loss.surface()
    }

    /// The same problem with the exact mean of what its batches are drawn from; `None` where there is no noise.
    pub fn without_noise(&self) -> Option<Self> {
        Some(Self { loss: self.loss.without_noise()?, ..self.clone() })
    }

    /// The same problem with the expectation over all data in place of its data set, if it has one.
    pub fn without_data(&self) -> Option<Self> {
        Some(Self { loss: self.loss.without_data()?, ..self.clone() })
    }

    /// What theory predicts for the run that was `seen`: by default, its levels.
    pub fn predictions(&self, seen: RunData<'_>) -> Vec<Prediction> {
        if let Some(predictions) = &self.predictions {
            return predictions(seen);
        }
        if self.levels.is_empty() {
            return Vec::new();
        }
        vec![Prediction::levels("theory", self.levels.clone())]
    }

    /// Words and numbers that summarise the run that was `seen`: columns of the table of runs. Of a run that failed,
    /// `seen` has no crossings and no state, and its trajectory ends early.
    pub fn outcomes(&self, seen: RunData<'_>) -> Vec<Outcome> {
        self.outcomes.as_ref().map_or_else(Vec::new, |outcomes| outcomes(seen))
    }

    /// Directions along which continuous symmetries of the model move `state` without changing what it
    /// computes; they may depend on each other.
    pub fn symmetry_directions(&self, state: &[f64]) -> Vec<Vec<f64>> {
        self.symmetry_directions.as_ref().map_or_else(Vec::new, |directions| directions(state))
    }

    /// Which of [`Problem::saddles`] computes what is nearest to what `state` computes, and how far apart
    /// they are, in units in which two known saddles are about 1 apart.
    pub fn nearest_saddle(&self, state: &[f64]) -> Option<(usize, f64)> {
        self.nearest_saddle.as_ref().and_then(|nearest| nearest(state))
    }

    /// Other coordinates in which stationary points are classified, where those of the flow have them at infinity.
    pub fn chart(&self) -> Option<&Chart> {
        self.chart.as_ref().as_ref()
    }

    /// Runs the phases, at most `steps` steps on `from`. A run begins at the checkpoint of [`Problem::init`].
    pub fn run_segment(
        &self,
        phases: &[Phase],
        from: Checkpoint,
        steps: u64,
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<SegmentEnd, PhaseError> {
        if let Some(check) = &self.check {
            check(phases)?;
        }
        // Theories are computed only where a phase may ask for one.
        let none = Theories::none();
        let reduced = |phase: &Phase| matches!(phase.motion, dynamics::Motion::Reduced { .. });
        let theories = if phases.iter().any(reduced) { &**self.theories } else { &none };
        self.loss.run_segment(Course { phases, theories, seed }, from, steps, recorder)
    }

    /// Runs the phases from the start to the end, in segments of [`Problem::segment_steps`].
    pub fn run(
        &self,
        phases: &[Phase],
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<End, PhaseError> {
        self.run_from(&self.init, phases, seed, recorder)
    }

    /// Runs the phases from other parameters than the initial ones.
    pub fn run_from(
        &self,
        init: &[f64],
        phases: &[Phase],
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<End, PhaseError> {
        dynamics::run_to_end(Checkpoint::start(init), |from| {
            self.run_segment(phases, from, self.segment_steps, seed, recorder)
        })
    }
}

impl std::fmt::Debug for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Problem").finish_non_exhaustive()
    }
}

/// A problem in the making, with the model that its values are functions of.
#[must_use]
pub struct ProblemBuilder<M> {
    problem: Problem,
    model: Arc<M>,
}

/// Setters of fields: by their values, and by functions of the model that are called when the field is first asked for.
macro_rules! setters {
    (
        values { $($(#[$doc:meta])* $name:ident: $type:ty,)+ }
        lazy { $($(#[$about:meta])* $field:ident: $value:ty,)+ }
    ) => {
        impl<M: Send + Sync + 'static> ProblemBuilder<M> {
            $($(#[$doc])*
            pub fn $name(mut self, $name: $type) -> Self {
                self.problem.$name = $name;
                self
            })+

            $($(#[$about])*
            pub fn $field(mut self, $field: impl FnOnce(&M) -> $value + Send + 'static) -> Self {
                self.problem.$field = self.lazy($field);
                self
            })+
        }
    };
}

setters! {
    values {
        inputs: Vec<Input>,
        levels: Vec<f64>,
        least_loss: Option<f64>,
        segment_steps: u64,
    }
    lazy {
        scalings: Vec<Scaling>,
        invariants: Vec<Invariant>,
        theories: Theories<'static>,
        symmetry: Symmetry,
        rests: Vec<Vec<f64>>,
    }
}

impl<M: Send + Sync + 'static> ProblemBuilder<M> {
    /// Binds `compute` to the model, to be called when its value is first asked for.
    fn lazy<T: 'static>(&self, compute: impl FnOnce(&M) -> T + Send + 'static) -> Lazy<T> {
        let model = Arc::clone(&self.model);
        lazy(move || compute(&model))
    }

    /// Adds observables to the built-in ones.
    pub fn observables(mut self, add: impl FnOnce(&M, Observables) -> Observables) -> Self {
        self.problem.observables = add(&self.model, self.problem.observables);
        self
    }

    /// What theory predicts for a run, and the names of all that it may predict.
    pub fn predictions(
        mut self,
        names: &'static [&'static str],
        predict: impl Fn(&M, RunData<'_>) -> Vec<Prediction> + Send + Sync + 'static,
    ) -> Self {
        let model = Arc::clone(&self.model);
        self.problem.prediction_names = names;
        self.problem.predictions = Some(Arc::new(move |seen: RunData<'_>| predict(&model, seen)));
        self
    }

    /// What summarises a run, and the names of all that may.
    pub fn outcomes(
        mut self,
        names: impl IntoIterator<Item = impl Into<String>>,
        read: impl Fn(&M, RunData<'_>) -> Vec<Outcome> + Send + Sync + 'static,
    ) -> Self {
        let model = Arc::clone(&self.model);
        self.problem.outcome_names = names.into_iter().map(Into::into).collect();
        self.problem.outcomes = Some(Arc::new(move |seen: RunData<'_>| read(&model, seen)));
        self
    }

    /// Directions of continuous symmetries at a state.
    pub fn symmetry_directions(
        mut self,
        directions: impl Fn(&M, &[f64]) -> Vec<Vec<f64>> + Send + Sync + 'static,
    ) -> Self {
        let model = Arc::clone(&self.model);
        let directions = move |state: &[f64]| directions(&model, state);
        self.problem.symmetry_directions = Some(Arc::new(directions));
        self
    }

    /// The stationary points that theory knows, and which of them is nearest to a state.
    pub fn saddles(
        mut self,
        saddles: impl FnOnce(&M) -> Vec<KnownSaddle> + Send + 'static,
        nearest: impl Fn(&M, &[f64]) -> Option<(usize, f64)> + Send + Sync + 'static,
    ) -> Self {
        self.problem.saddles = self.lazy(saddles);
        let model = Arc::clone(&self.model);
        self.problem.nearest_saddle = Some(Arc::new(move |state: &[f64]| nearest(&model, state)));
        self
    }

    pub fn chart(mut self, chart: impl FnOnce(&M) -> Chart + Send + 'static) -> Self {
        self.problem.chart = self.lazy(|model| Some(chart(model)));
        self
    }

    /// Refuses phases that do not fit the model.
    pub fn check(
        mut self,
        check: impl Fn(&M, &[Phase]) -> Result<(), PhaseError> + Send + Sync + 'static,
    ) -> Self {
        let model = Arc::clone(&self.model);
        self.problem.check = Some(Arc::new(move |phases: &[Phase]| check(&model, phases)));
        self
    }

    pub fn build(self) -> Problem {
        self.problem
    }
}

/// Data from outside that a problem was built from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// What it is, by the setting that names it: `system.train`.
    pub name: String,
    /// SHA-256 of its bytes.
    pub digest: [u8; 32],
}

/// From states to where they are in other coordinates.
type Place = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;

/// Coordinates in which saddles are classified: the same loss as a function of something other than the parameters.
pub struct Chart {
    /// What the coordinates are: `(V, s)`.
    pub name: &'static str,
    /// What a reader must know: how the flow moves in them.
    pub note: &'static str,
    pub surface: Box<dyn Surface + Send>,
    /// Where a state of the problem is in them.
    pub place: Box<Place>,
    /// A length that counts as one step in them, in units of the search's own scale.
    pub scale: f64,
    /// Directions in them that change nothing.
    pub symmetry_directions: Vec<Vec<f64>>,
}

/// A stationary point that theory knows.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownSaddle {
    /// What it is called: `{1,2}`.
    pub label: String,
    pub state: Vec<f64>,
    /// How far learning has come there, counted in steps: which row of a drawing it belongs to.
    pub rank: usize,
}

impl KnownSaddle {
    /// Where some things are learned, counted from 0 and in its label from 1: `{1,2}`.
    pub fn of_learned(learned: &[usize], state: Vec<f64>) -> Self {
        let names: Vec<String> = learned.iter().map(|i| (i + 1).to_string()).collect();
        Self { label: format!("{{{}}}", names.join(",")), state, rank: learned.len() }
    }

    /// What can be learned of `count` things, at most so many at once: smaller sets first, then in the order of their members.
    pub fn learnable(count: usize, most: usize) -> Vec<Vec<usize>> {
        let mut sets: Vec<_> = subsets(count).filter(|set| set.len() <= most).collect();
        sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        sets
    }
}

/// A quantity that gradient flow conserves. Copies share what computes it.
#[derive(Clone)]
pub struct Invariant {
    /// What it is called: `head.0.key_minus_value`.
    pub name: String,
    value: Arc<StateFunction>,
}

/// A number for every state.
type StateFunction = dyn Fn(&[f64]) -> f64 + Send + Sync;

impl Invariant {
    pub fn new(
        name: impl Into<String>,
        value: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), value: Arc::new(value) }
    }

    pub fn at(&self, state: &[f64]) -> f64 {
        (self.value)(state)
    }
}
