//! The transformer with matrices as a world: trained on sequences, near the six parameters or away from them.

use std::sync::Arc;

use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Stage, StageError};
use saddlescope::figure::{FigureSpec, PanelSpec};
use saddlescope::landscape::erased::Erased;
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Prediction, Seen};
use saddlescope::record::{Observable, Observables, Recorder};
use saddlescope::settings::{Settings, SettingsError};
use saddlescope::system::World;
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Draw, Landscape, Surface};

use super::theory::Plateau;
use super::transformer::{Corpus, Sequences};
use super::world::{EVALUATION, blame, count};
use super::{Error, First, Matrices, Parts, Population, Shape};
use super::{cost, figures, outcomes, predictions};

/// N-gram to induction head with all entries of all matrices.
pub(super) struct WithMatrices {
    matrices: Matrices,
    /// The six-parameter model inside.
    shape: Shape,
    landscape: Sequences,
    fresh: bool,
    start: Vec<f64>,
    scale: Option<f64>,
    operations: f64,
    plateau: Option<Plateau>,
    /// What partial losses are measured on.
    evaluation: Arc<Sequences>,
    /// Where each of the six parameters stands.
    places: Arc<Vec<Vec<usize>>>,
}

impl WithMatrices {
    /// The transformer around the six-parameter state `six` of `shape`.
    pub(super) fn new(
        system: &Settings,
        (shape, six): (Shape, &[f64]),
        start: &Settings,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let wrong = |error: Error| blame(system, &error);
        let matrices = Matrices::new(*shape.task()).map_err(wrong)?;
        for (name, wanted) in [("first", "trained"), ("coupling", "untied"), ("parts", "both")] {
            if system.word(name) != wanted {
                let message = format!(
                    "is \"{}\", but the transformer with matrices has no other than \"{wanted}\"",
                    system.word(name)
                );
                return Err(system.wrong(name, message));
            }
        }
        let landscape = match system.word("loss") {
            "online" => Corpus::fresh(matrices, count(system, "batch")),
            "empirical" => Corpus::stored(matrices, (count(system, "sequences"), seed)),
            _ => {
                let message = "is \"population\", but the transformer with matrices has no exact loss: take \
                               \"online\" or \"empirical\"";
                return Err(system.wrong("loss", message));
            }
        }
        .map_err(wrong)?;
        let noise = (start.number("noise"), seed);
        let places = matrices.places(&shape).map_err(wrong)?;
        let after = Population::new(shape.first(First::Previous).parts(Parts::Both)).ok();
        Ok(Self {
            start: matrices.noisy_start(&shape, six, noise).map_err(wrong)?,
            fresh: system.word("loss") == "online",
            scale: start.find("scale").and_then(|scale| scale.as_number()),
            operations: cost::operations(system),
            plateau: after.and_then(|exact| Plateau::new(&exact, None).ok()),
            evaluation: Arc::new(Corpus::stored(matrices, EVALUATION).map_err(wrong)?),
            places: Arc::new(places),
            matrices,
            shape,
            landscape,
        })
    }

    /// One of the six parameters, as the mean over the entries where it stands.
    fn parameter(&self, name: &str, index: usize) -> Observable {
        let places = Arc::clone(&self.places);
        Observable::scalar(name, move |moment| {
            let entries = places[index].iter().map(|&place| moment.state[place]);
            entries.sum::<f64>() / places[index].len() as f64
        })
    }
}

impl World for WithMatrices {
    fn blocks(&self) -> &Blocks {
        self.landscape.blocks()
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones; the six parameters by their names, read where they stand (`w_q`, `w_k` of the first
    /// coordinate); `strength`; `off_surface`, the norm of all that the six-parameter model keeps fixed, away from
    /// what it keeps it at; and the partial losses on a data set.
    fn observables(&self) -> Observables {
        let shape = self.shape;
        let mut all = Observables::built_in(self.blocks());
        let six = [
            ("p_tilde", 0),
            ("p", shape.gram()),
            ("g", shape.gram() + 1),
            ("w_q", shape.query()),
            ("w_k", shape.key()),
            ("h", shape.h()),
        ];
        for (name, index) in six {
            all = all.with(self.parameter(name, index));
        }
        let places = Arc::clone(&self.places);
        let d = shape.task().dimension();
        all = all.with(Observable::scalar("strength", move |moment| {
            let at = |first: usize, i: usize| moment.state[places[first + i][0]];
            let product = |i: usize| at(shape.query(), i) * at(shape.key(), i);
            ((0..d).map(product).sum::<f64>() / d as f64).max(0.0).sqrt()
        }));
        let (matrices, places) = (self.matrices, Arc::clone(&self.places));
        all = all.with(Observable::scalar("off_surface", move |moment| {
            let six: Vec<f64> = places
                .iter()
                .map(|places| {
                    places.iter().map(|&i| moment.state[i]).sum::<f64>() / places.len() as f64
                })
                .collect();
            let Ok(nearest) = matrices.embed(&shape, &six) else { return f64::NAN };
            let squares = moment.state.iter().zip(&nearest).map(|(a, b)| (a - b).powi(2));
            squares.sum::<f64>().sqrt()
        }));
        let (one, two) = (Arc::clone(&self.evaluation), Arc::clone(&self.evaluation));
        let draw = Draw::default();
        all.with(Observable::scalar("loss.g4", move |moment| {
            one.0.partial(moment.state, draw).gram
        }))
        .with(Observable::scalar("loss.ih", move |moment| {
            two.0.partial(moment.state, draw).induction
        }))
    }

    fn levels(&self) -> Vec<f64> {
        let first = self.evaluation.0.partial(&self.start, Draw::default());
        vec![first.gram + first.induction, 0.0]
    }

    fn predictions(&self, seen: Seen<'_>) -> Vec<Prediction> {
        let mut all = vec![predictions::loss_levels(self.levels())];
        all.extend(predictions::targets(&self.shape));
        all.extend(self.plateau.iter().flat_map(predictions::plateau));
        all.extend(predictions::decay(&self.shape, seen));
        all
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        predictions::NAMES
    }

    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        outcomes::outcomes(&self.shape, self.plateau.as_ref(), (self.scale, false), seen)
    }

    fn outcome_names(&self) -> Vec<String> {
        outcomes::NAMES.iter().map(|name| (*name).to_owned()).collect()
    }

    fn label(&self, observable: &str) -> Option<String> {
        figures::label(observable)
    }

    fn figure(&self) -> FigureSpec {
        let losses = PanelSpec::over_time(&["loss", "loss.g4", "loss.ih"])
            .log_within((1e-6, 1.0))
            .beside(&["plateau", "gram-decay"]);
        let parameters = PanelSpec::over_time(&["p", "g", "strength", "h", "off_surface"]);
        FigureSpec::new(2, vec![losses.titled("(a) losses"), parameters.titled("(b) parameters")])
    }

    fn surface(&self) -> Option<&dyn Surface> {
        (!self.fresh).then_some(&self.landscape)
    }

    fn has_flow(&self) -> bool {
        !self.fresh
    }

    fn draws_batches(&self) -> bool {
        self.fresh
    }

    fn operations_per_step(&self) -> f64 {
        self.operations
    }

    fn run_leg(
        &self,
        stages: &[Stage],
        from: Checkpoint,
        steps: u64,
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<LegEnd, StageError> {
        let course = Course { stages, theories: &Theories::none(), seed };
        dynamics::run_leg(&Erased(&self.landscape), course, from, steps, recorder)
    }
}
