//! A system: one paper's world, declared once and run through one interface.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Blocks;
use crate::claim::Claim;
use crate::dynamics::{self, Checkpoint, LegEnd, Stage, StageError};
use crate::figure::{FigureSpec, PanelSpec};
use crate::outcome::Outcome;
use crate::prediction::{Prediction, Says, Scaling, Seen};
use crate::record::{Observables, Recorder};
use crate::reference::{CaseError, CaseKind, Inputs};
use crate::settings::{Settings, SettingsError, SystemSchema};
use crate::sketch::Sketch;
use crate::surface::Surface;
use crate::symmetry::Symmetry;
use crate::theory::Theories;

/// One paper's world.
pub trait System: Sync {
    /// What it is called, and what can be set.
    fn schema(&self) -> &'static SystemSchema;

    /// The name in files and commands.
    fn name(&self) -> &'static str {
        self.schema().name
    }

    /// Estimates the memory, in bytes, that [`System::prepare`] and the run will need.
    fn bytes(&self, system: &Settings) -> u64;

    /// Builds the world that `system` describes, at the start that `start` describes.
    fn prepare(
        &self,
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Box<dyn World>, SettingsError>;

    /// The kinds of reference cases that it can recompute.
    fn case_kinds(&self) -> &'static [CaseKind];

    /// Recomputes the `wanted` values of a reference case.
    fn recompute(
        &self,
        kind: &str,
        inputs: Inputs<'_>,
        wanted: &[&str],
    ) -> Result<BTreeMap<String, Value>, CaseError>;

    /// What its paper states that can be checked by number, in the order of the paper.
    fn claims(&self) -> &'static [Claim] {
        &[]
    }

    /// Who wrote the paper, `Family, Given` each; empty where the authors are withheld.
    fn authors(&self) -> &'static [&'static str] {
        &[]
    }
}

/// A system with all its settings, ready to run.
pub trait World: Sync {
    /// Names, shapes and rates of the parameters.
    fn blocks(&self) -> &Blocks;

    /// Where the parameters start.
    fn start(&self) -> &[f64];

    /// Data that it was built from besides its settings, such as files: a run goes on only with the same.
    fn inputs(&self) -> Vec<Input> {
        Vec::new()
    }

    /// What can be recorded.
    fn observables(&self) -> Observables {
        Observables::built_in(self.blocks())
    }

    /// The losses of the plateaus that theory predicts, highest first; empty where it predicts none.
    fn levels(&self) -> Vec<f64> {
        Vec::new()
    }

    /// What theory says about a run of this world that came to what was `seen`.
    fn predictions(&self, seen: Seen<'_>) -> Vec<Prediction> {
        let _ = seen;
        let levels = self.levels();
        if levels.is_empty() {
            return Vec::new();
        }
        vec![Prediction {
            name: "levels".to_owned(),
            label: "theory".to_owned(),
            of: "loss".to_owned(),
            says: Says::Levels(levels),
        }]
    }

    /// Names of all predictions that this world may make; which it does make depends on the run.
    fn prediction_names(&self) -> &'static [&'static str] {
        &["levels"]
    }

    /// What the run that was `seen` came to, in words and numbers of this world: columns of the table of
    /// runs. Of a run that failed, `seen` has no crossings and no state, and its trajectory ends early.
    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        let _ = seen;
        Vec::new()
    }

    /// Names of all that [`World::outcomes`] may say, so that figures can be checked before anything runs.
    fn outcome_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// What theory says about how numbers of runs depend on settings, near the settings of this world.
    fn scalings(&self) -> Vec<Scaling> {
        Vec::new()
    }

    /// How figures call an observable or an outcome, in the markup of labels; its name where there is no better.
    fn label(&self, observable: &str) -> Option<String> {
        (observable == "loss").then(|| "loss".to_owned())
    }

    /// The figure of a run whose file says nothing of one.
    fn figure(&self) -> FigureSpec {
        FigureSpec::new(1, vec![PanelSpec::over_time(&["loss"]).beside(&["levels"])])
    }

    /// Its task as rows of tokens, for figures that explain it; empty where there is nothing to show.
    fn sketch(&self) -> Sketch {
        Sketch::default()
    }

    /// The smallest possible loss, where it is known.
    fn least_loss(&self) -> Option<f64> {
        None
    }

    /// Quantities that gradient flow keeps.
    fn invariants(&self) -> Vec<Invariant> {
        Vec::new()
    }

    /// Its exact loss at any state; `None` where the loss is drawn at each step, or in single precision.
    fn surface(&self) -> Option<&dyn Surface> {
        None
    }

    /// Directions along which continuous symmetries of the model move `state` without changing what it
    /// computes; they may depend on each other.
    fn symmetry_directions(&self, state: &[f64]) -> Vec<Vec<f64>> {
        let _ = state;
        Vec::new()
    }

    /// Other coordinates in which stationary points are certified, where those of the flow have them at infinity.
    fn chart(&self) -> Option<Chart<'_>> {
        None
    }

    /// The stationary points that theory knows, from the start of learning to its end.
    fn saddles(&self) -> Vec<KnownSaddle> {
        Vec::new()
    }

    /// Which of [`World::saddles`] computes what is nearest to what `state` computes, and how far apart
    /// they are, in units in which two known saddles are about 1 apart.
    fn nearest_saddle(&self, state: &[f64]) -> Option<(usize, f64)> {
        let _ = state;
        None
    }

    /// What can be exchanged or turned round without changing the function.
    fn symmetry(&self) -> Symmetry {
        Symmetry::none()
    }

    /// Whether the loss is the same function at every step, so that it has a flow.
    fn has_flow(&self) -> bool;

    /// Whether each step sees another random part of the data, so that descent is stochastic.
    fn draws_batches(&self) -> bool {
        false
    }

    /// The same world with the exact mean of what its batches are drawn from: noise taken away.
    /// `None` where there is no noise.
    fn without_noise(&self) -> Option<Box<dyn World + '_>> {
        None
    }

    /// The same world with the expectation over all data in place of its data set, if it has one.
    fn without_data(&self) -> Option<Box<dyn World + '_>> {
        None
    }

    /// Its reduced theories, which stages may run in its place.
    fn theories(&self) -> Theories<'_> {
        Theories::none()
    }

    /// Roughly how many floating-point operations one gradient takes.
    fn operations_per_step(&self) -> f64 {
        1e3 * self.blocks().len() as f64
    }

    /// How many steps a leg of a run has.
    fn leg_steps(&self) -> u64 {
        dynamics::leg_steps(self.operations_per_step())
    }

    /// Runs the stages, at most `steps` steps on `from`. A run begins at [`World::beginning`].
    fn run_leg(
        &self,
        stages: &[Stage],
        from: Checkpoint,
        steps: u64,
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<LegEnd, StageError>;

    /// Where a run begins.
    fn beginning(&self) -> Checkpoint {
        Checkpoint::start(self.start())
    }

    /// Runs the stages from the start to the end, in legs of [`World::leg_steps`].
    fn run(
        &self,
        stages: &[Stage],
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<dynamics::Outcome, StageError> {
        let steps = self.leg_steps();
        dynamics::to_the_end(self.beginning(), |from| {
            self.run_leg(stages, from, steps, seed, recorder)
        })
    }
}

/// Data from outside that a world was built from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// What it is, by the setting that names it: `system.train`.
    pub name: String,
    /// SHA-256 of its bytes.
    pub digest: [u8; 32],
}

/// From states to where they are in other coordinates.
type Place<'a> = dyn Fn(&[f64]) -> Vec<f64> + 'a;

/// Coordinates for certificates: the same loss as a function of something other than the parameters.
pub struct Chart<'a> {
    /// What the coordinates are: `(V, s)`.
    pub name: &'static str,
    /// What a reader must know: how the flow moves in them.
    pub note: &'static str,
    /// The loss in them.
    pub surface: &'a dyn Surface,
    /// Where a state of the world is in them.
    pub place: Box<Place<'a>>,
    /// A length that counts as one step in them, in units of the search's own scale.
    pub scale: f64,
    /// Directions in them that change nothing.
    pub symmetry_directions: Vec<Vec<f64>>,
}

impl std::fmt::Debug for Chart<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chart").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A stationary point that theory knows.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownSaddle {
    /// What it is called: `{1,2}`.
    pub label: String,
    /// A state there.
    pub state: Vec<f64>,
    /// How far learning has come there, counted in steps: which row of a drawing it belongs to.
    pub rank: usize,
}

/// A quantity that gradient flow keeps.
pub struct Invariant {
    /// What it is called: `head.0.key_minus_value`.
    pub name: String,
    value: Box<StateFunction>,
}

/// A number for every state.
type StateFunction = dyn Fn(&[f64]) -> f64 + Send + Sync;

impl Invariant {
    /// The invariant `value` of the parameters.
    pub fn new(
        name: impl Into<String>,
        value: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), value: Box::new(value) }
    }

    /// Its value at `state`.
    pub fn at(&self, state: &[f64]) -> f64 {
        (self.value)(state)
    }
}

impl std::fmt::Debug for Invariant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invariant").field("name", &self.name).finish_non_exhaustive()
    }
}
