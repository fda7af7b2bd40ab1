//! The regression variant, ready to run.

use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Stage, StageError};
use saddlescope::figure::{FigureSpec, PanelSpec};
use saddlescope::landscape::erased::Erased;
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Prediction, Seen};
use saddlescope::record::{Observables, Recorder};
use saddlescope::settings::{Settings, SettingsError};
use saddlescope::sketch::Sketch;
use saddlescope::symmetry::Symmetry;
use saddlescope::system::{Chart, Invariant, KnownSaddle, World};
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Landscape, Surface};

use super::regression::laws::NAMES;
use super::regression::{Cooperative, Coupled, Factorisation, Simplex, TwoScale, saddles};
use super::{labels, predictions, regression_observables as seen_in, sketch, start};

/// The regression variant with all its settings.
pub(super) struct Regression {
    model: Factorisation,
    simplex: Simplex,
    start: Vec<f64>,
}

impl Regression {
    pub(super) fn new(
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let model = start::factorisation(system, seed)?;
        let start = start::regression_start(start, &model, seed)?;
        Ok(Self { simplex: Simplex::new(&model), model, start })
    }

    /// Features that the heads can learn.
    fn reachable(&self) -> usize {
        self.model.target().features().min(self.model.heads())
    }
}

impl World for Regression {
    fn blocks(&self) -> &Blocks {
        self.model.blocks()
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones and those of [`seen_in::with`].
    fn observables(&self) -> Observables {
        seen_in::with(Observables::built_in(self.blocks()), &self.model)
    }

    fn levels(&self) -> Vec<f64> {
        let mut levels = self.model.target().levels();
        levels.truncate(self.reachable() + 1);
        levels
    }

    fn predictions(&self, seen: Seen<'_>) -> Vec<Prediction> {
        predictions::regression(&self.model, &self.start, self.levels(), seen)
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        predictions::NAMES
    }

    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        seen_in::outcomes(&self.model, seen.state)
    }

    fn outcome_names(&self) -> Vec<String> {
        seen_in::outcome_names(self.model.target().features())
    }

    fn label(&self, observable: &str) -> Option<String> {
        labels::label(observable)
    }

    fn figure(&self) -> FigureSpec {
        let loss = PanelSpec::over_time(&["loss"]).beside(&["levels"]);
        let features = self.model.target().features();
        let all = |what: &str| (1..=features).map(|j| format!("head.*.{what}.{j}")).collect();
        let (attention, values): (Vec<String>, Vec<String>) = (all("at"), all("value"));
        let panel = |names: &[String]| {
            PanelSpec::over_time(&names.iter().map(String::as_str).collect::<Vec<_>>())
        };
        FigureSpec::new(
            2,
            vec![
                loss.titled("(a) loss"),
                panel(&attention).titled("(b) attention on the features' positions"),
                panel(&values).titled("(c) values along the features"),
            ],
        )
    }

    fn sketch(&self) -> Sketch {
        sketch::positions(self.model.target())
    }

    /// What the strongest features leave, as many as there are heads.
    fn least_loss(&self) -> Option<f64> {
        let target = self.model.target();
        let known = target.is_orthonormal() && target.is_ordered();
        if known || self.model.heads() >= target.features() {
            self.levels().last().copied()
        } else {
            None
        }
    }

    /// 000, section 3.1: the logits of a head keep their sum.
    fn invariants(&self) -> Vec<Invariant> {
        let (rank, each) = (
            self.model.target().rank(),
            self.model.target().rank() + self.model.target().positions(),
        );
        let sum = |k: usize| {
            Invariant::new(format!("sum.q.{k}"), move |state: &[f64]| {
                state[k * each + rank..(k + 1) * each].iter().sum()
            })
        };
        (0..self.model.heads()).map(sum).collect()
    }

    fn surface(&self) -> Option<&dyn Surface> {
        Some(&self.model)
    }

    /// Shifts of all logits of a head.
    fn symmetry_directions(&self, _state: &[f64]) -> Vec<Vec<f64>> {
        self.simplex.symmetry_directions()
    }

    fn chart(&self) -> Option<Chart<'_>> {
        Some(Chart {
            name: "(V, s)",
            note: "in q the plateaus lie at infinity. The flow is no gradient flow here, since Pi(s)^2 stands before \
                   the slope in s: negative curvatures say what can be learned, and the way out is algebraic",
            surface: &self.simplex,
            place: Box::new(|state| self.simplex.state(&self.model, state)),
            scale: self.model.target().strengths().iter().copied().fold(1.0, f64::max),
            symmetry_directions: self.simplex.symmetry_directions(),
        })
    }

    fn saddles(&self) -> Vec<KnownSaddle> {
        saddles::known(&self.model)
    }

    fn nearest_saddle(&self, state: &[f64]) -> Option<(usize, f64)> {
        saddles::nearest(&self.model, state)
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::none().numbered("head", self.blocks())
    }

    fn has_flow(&self) -> bool {
        true
    }

    fn theories(&self) -> Theories<'_> {
        let [coupled, cooperative, two_scale @ ..] = NAMES;
        let mut theories = Theories::none().with(coupled, Coupled::new(&self.model));
        theories = match Cooperative::new(&self.model) {
            Ok(law) => theories.with(cooperative, law),
            Err(error) => theories.without(cooperative, error.to_string()),
        };
        for (n, name) in two_scale.into_iter().enumerate() {
            theories = match TwoScale::new(&self.model, n + 1) {
                Ok(law) => theories.with(name, law),
                Err(error) => theories.without(name, error.to_string()),
            };
        }
        theories
    }

    fn operations_per_step(&self) -> f64 {
        let target = self.model.target();
        let (t, h) = (target.positions() as f64, self.model.heads() as f64);
        h * t * (6.0 * target.rank() as f64 + 30.0)
    }

    fn run_leg(
        &self,
        stages: &[Stage],
        from: Checkpoint,
        steps: u64,
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<LegEnd, StageError> {
        let course = Course { stages, theories: &self.theories(), seed };
        dynamics::run_leg(&Erased(&self.model), course, from, steps, recorder)
    }
}
