//! The system behind its declaration: settings to a world that runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use saddlescope::claim::Claim;
use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Stage, StageError};
use saddlescope::figure::FigureSpec;
use saddlescope::landscape::erased::{AnyLandscape, Erased};
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Prediction, Scaling, Seen};
use saddlescope::record::{Observables, Recorder};
use saddlescope::reference::{CaseError, CaseKind, Inputs};
use saddlescope::settings::{Settings, SettingsError, SystemSchema};
use saddlescope::symmetry::Symmetry;
use saddlescope::system::{Invariant, KnownSaddle, System, World};
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Landscape, Surface};

use super::declaration::SCHEMA;
use super::matrices_world::WithMatrices;
use super::observables::{self, PartialLosses};
use super::reduced::{Balanced, NAMES, Slaved};
use super::sequences::{Empirical, Fresh, Online, Stored};
use super::theory::Plateau;
use super::{Attention, Coupling, Error, First, Parts, Population, Reduction, Shape, Task, Tokens};
use super::{cost, figures, outcomes, predictions, reference, saddles, scalings, start, symmetry};

/// The system `ngram-to-induction`.
#[derive(Debug, Clone, Copy)]
pub struct NgramToInduction;

impl System for NgramToInduction {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        (8.0 * cost::numbers(system)) as u64
    }

    fn prepare(
        &self,
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Box<dyn World>, SettingsError> {
        let shape = shape(system)?;
        let theta = start::start(start, &shape, seed)?;
        let operations = cost::operations(system);
        if system.word("model") == "matrices" {
            let world = WithMatrices::new(system, (shape, &theta), start, seed)?;
            return Ok(Box::new(world));
        }
        start::unless_noise(start)?;
        let loss = Loss::new(system, shape, seed).map_err(|error| blame(system, &error))?;
        let scale = start.find("scale").and_then(|scale| scale.as_number());
        Ok(Box::new(Prepared::new(shape, loss, theta, (scale, operations))))
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

/// The setting that an error is about.
pub(super) fn blame(system: &Settings, error: &Error) -> SettingsError {
    let Error::Value { what, expected, .. } = error else {
        return system.wrong("loss", format!("cannot be built: {error}"));
    };
    let (name, value) = match what.as_str() {
        "w*" => ("w_star", system.number("w_star").to_string()),
        "dimension" => ("dimension", system.count("dimension").to_string()),
        "first layer" | "first" => ("first", format!("\"{}\"", system.word("first"))),
        "attention" => ("attention", format!("\"{}\"", system.word("attention"))),
        _ => return system.wrong("loss", format!("cannot be built: {error}")),
    };
    system.wrong(name, format!("is {value}, expected {expected}"))
}

fn task(system: &Settings) -> Result<Task, Error> {
    let tokens = match system.word("tokens") {
        "boolean" => Tokens::Boolean,
        _ => Tokens::Gaussian,
    };
    let attention = match system.word("attention") {
        "softmax" => Attention::Softmax,
        _ => Attention::Exponential,
    };
    let reduction = match system.word("reduction") {
        "mean" => Reduction::Mean,
        _ => Reduction::Sum,
    };
    Task::general(
        system.count("length"),
        system.count("dimension"),
        (tokens, attention, reduction),
        (system.number("alpha_star"), system.number("w_star")),
    )
}

fn shape(system: &Settings) -> Result<Shape, SettingsError> {
    let task = task(system).map_err(|error| blame(system, &error))?;
    let first = match system.word("first") {
        "trained" => First::Trained,
        _ => First::Previous,
    };
    let coupling = match system.word("coupling") {
        "tied" => Coupling::Tied,
        _ => Coupling::Untied,
    };
    let parts = match system.word("parts") {
        "4-gram" => Parts::Gram,
        "induction" => Parts::Induction,
        _ => Parts::Both,
    };
    Ok(Shape::new(task).first(first).coupling(coupling).parts(parts))
}

/// The landscape that was asked for.
enum Loss {
    Population(Population),
    Empirical(Empirical),
    Online(Online),
}

impl Loss {
    fn new(system: &Settings, shape: Shape, seed: u64) -> Result<Self, Error> {
        match system.word("loss") {
            "online" => Fresh::new(shape, count(system, "batch")).map(Self::Online),
            "empirical" => {
                Stored::new(shape, (count(system, "sequences"), seed)).map(Self::Empirical)
            }
            _ => Population::new(shape).map(Self::Population),
        }
    }
}

/// A count that belongs to the loss that was chosen.
pub(super) fn count(system: &Settings, key: &str) -> usize {
    system.optional_integer(key).unwrap_or(1).unsigned_abs() as usize
}

/// Sequences, and the seed of the data set, on which partial losses are measured where they have no exact form.
pub(super) const EVALUATION: (usize, u64) = (4096, 0);

/// N-gram to induction head with all its settings.
struct Prepared {
    shape: Shape,
    loss: Loss,
    start: Vec<f64>,
    /// The size of the start, where it has one.
    scale: Option<f64>,
    /// Floating-point operations of one gradient.
    operations: f64,
    /// The exact loss, where there is one, whatever the run itself sees.
    exact: Option<Arc<Population>>,
    /// A data set to measure on, where there is none.
    evaluation: Option<Arc<Empirical>>,
    /// Where the induction head waits.
    plateau: Option<Plateau>,
}

impl Prepared {
    fn new(
        shape: Shape,
        loss: Loss,
        start: Vec<f64>,
        (scale, operations): (Option<f64>, f64),
    ) -> Self {
        let exact = match &loss {
            Loss::Population(landscape) => Some(landscape.clone()),
            _ => Population::new(shape).ok(),
        };
        let evaluation = match exact {
            Some(_) => None,
            None => Stored::new(shape, EVALUATION).ok().map(Arc::new),
        };
        // The plateau has the same height whatever the first layer is; its rate is that of the start.
        let plateau = match &exact {
            Some(exact) => Plateau::new(exact, shape.read(&start).p_tilde).ok(),
            None => Population::new(shape.first(First::Previous))
                .ok()
                .and_then(|exact| Plateau::new(&exact, None).ok()),
        };
        let plateau = plateau.filter(|_| shape.has_induction());
        let exact = exact.map(Arc::new);
        Self { shape, loss, start, scale, operations, exact, evaluation, plateau }
    }

    /// The same world with the exact loss in place of its data.
    fn population(&self) -> Option<Box<dyn World + '_>> {
        let exact = self.exact.as_ref()?;
        Some(Box::new(Self {
            shape: self.shape,
            loss: Loss::Population((**exact).clone()),
            start: self.start.clone(),
            scale: self.scale,
            operations: self.operations,
            exact: Some(Arc::clone(exact)),
            evaluation: None,
            plateau: self.plateau,
        }))
    }

    fn is_exact(&self) -> bool {
        matches!(self.loss, Loss::Population(_))
    }

    /// The partial losses at a state: exact ones, or those of a data set.
    fn partial_losses(&self) -> Option<Arc<PartialLosses>> {
        if let Some(exact) = self.exact.clone() {
            return Some(Arc::new(move |state: &[f64]| exact.partial(state)));
        }
        let data = self.evaluation.clone()?;
        // The 4-gram's half has an exact form for every model.
        let shape = self.shape;
        let gram = Population::new(shape.parts(Parts::Gram)).ok().filter(|_| shape.has_gram());
        Some(Arc::new(move |state: &[f64]| {
            let mut partial = data.0.partial(state);
            if let Some(gram) = &gram {
                partial.gram = gram.partial(&state[..shape.query()])?.gram;
            }
            Ok(partial)
        }))
    }

    /// `w, h` of the induction head at the start, where query and key are equal and the same in each coordinate, as the
    /// law of the escape needs.
    fn even_start(&self) -> Option<(f64, f64)> {
        let (query, key, h) = self.shape.read(&self.start).induction?;
        let w = query[0];
        let even = w > 0.0 && query.iter().chain(key).all(|entry| *entry == w);
        (even && !self.shape.is_first_trained()).then_some((w, h))
    }
}

impl World for Prepared {
    fn blocks(&self) -> &Blocks {
        match &self.loss {
            Loss::Population(landscape) => landscape.blocks(),
            Loss::Empirical(landscape) => landscape.blocks(),
            Loss::Online(landscape) => landscape.blocks(),
        }
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones and those of [`observables::with`].
    fn observables(&self) -> Observables {
        let all = Observables::built_in(self.blocks());
        match self.partial_losses() {
            Some(losses) => observables::with(all, self.shape, &losses),
            None => all,
        }
    }

    /// The loss at the start, that of the induction head's plateau, and zero. With both parts the plateau is none of
    /// the whole loss, which the 4-gram's tail `1/(4 t)` covers.
    fn levels(&self) -> Vec<f64> {
        let Some(first) = self.exact.as_ref().and_then(|exact| exact.partial(&self.start).ok())
        else {
            return Vec::new();
        };
        let mut levels = vec![first.gram + first.induction];
        if !self.shape.has_gram() {
            let plateau = self.plateau.map(|plateau| plateau.loss);
            levels.extend(plateau.filter(|level| *level < levels[0]));
        }
        levels.push(0.0);
        levels
    }

    fn predictions(&self, seen: Seen<'_>) -> Vec<Prediction> {
        let mut all = Vec::new();
        let levels = self.levels();
        if !levels.is_empty() {
            all.push(predictions::loss_levels(levels));
        }
        all.extend(predictions::targets(&self.shape));
        all.extend(self.plateau.iter().flat_map(predictions::plateau));
        all.extend(predictions::decay(&self.shape, seen));
        if let (Some(exact), Some((w, h))) = (&self.exact, self.even_start()) {
            all.extend(predictions::escape(exact, w, h, seen));
        }
        all
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        predictions::NAMES
    }

    fn scalings(&self) -> Vec<Scaling> {
        let after = self.plateau.as_ref().filter(|_| !self.shape.is_first_trained());
        after.map_or_else(Vec::new, scalings::scalings)
    }

    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        let exact = self.exact.is_some();
        outcomes::outcomes(&self.shape, self.plateau.as_ref(), (self.scale, exact), seen)
    }

    fn outcome_names(&self) -> Vec<String> {
        outcomes::NAMES.iter().map(|name| (*name).to_owned()).collect()
    }

    fn label(&self, observable: &str) -> Option<String> {
        figures::label(observable)
    }

    fn figure(&self) -> FigureSpec {
        figures::standard(&self.shape)
    }

    fn least_loss(&self) -> Option<f64> {
        self.is_exact().then_some(0.0)
    }

    /// 002, Lemma 3: `w_Q^2 - w_K^2`, for each coordinate.
    fn invariants(&self) -> Vec<Invariant> {
        let shape = self.shape;
        if !shape.has_induction() || shape.is_tied() {
            return Vec::new();
        }
        let d = shape.task().dimension();
        let name = |i: usize| if d == 1 { "balance".to_owned() } else { format!("balance.{i}") };
        let balance = |i: usize| {
            Invariant::new(name(i), move |state| {
                state[shape.query() + i].powi(2) - state[shape.key() + i].powi(2)
            })
        };
        (0..d).map(balance).collect()
    }

    fn surface(&self) -> Option<&dyn Surface> {
        match &self.loss {
            Loss::Population(landscape) => Some(landscape),
            Loss::Empirical(landscape) => Some(landscape),
            Loss::Online(_) => None,
        }
    }

    fn symmetry_directions(&self, state: &[f64]) -> Vec<Vec<f64>> {
        symmetry::directions(&self.shape, state)
    }

    fn symmetry(&self) -> Symmetry {
        symmetry::symmetry(&self.shape)
    }

    /// Those of Stage II.
    fn saddles(&self) -> Vec<KnownSaddle> {
        match (&self.loss, &self.plateau) {
            (Loss::Population(landscape), Some(plateau)) if !self.shape.is_first_trained() => {
                saddles::list(landscape, plateau)
            }
            _ => Vec::new(),
        }
    }

    fn nearest_saddle(&self, state: &[f64]) -> Option<(usize, f64)> {
        let plateau = self.plateau.as_ref().filter(|_| self.is_exact())?;
        (!self.shape.is_first_trained()).then(|| saddles::nearest(&self.shape, plateau, state))?
    }

    fn has_flow(&self) -> bool {
        !self.draws_batches()
    }

    fn draws_batches(&self) -> bool {
        matches!(self.loss, Loss::Online(_))
    }

    fn without_noise(&self) -> Option<Box<dyn World + '_>> {
        if self.draws_batches() { self.population() } else { None }
    }

    fn without_data(&self) -> Option<Box<dyn World + '_>> {
        if matches!(self.loss, Loss::Empirical(_)) { self.population() } else { None }
    }

    /// The paper's variables, and one where `h` follows: for starts with equal query and key.
    fn theories(&self) -> Theories<'_> {
        let mut theories = Theories::none();
        if let Some((query, key, _)) = self.shape.read(&self.start).induction
            && query != key
        {
            let why = "it has one w for query and key, which stay equal only if they start so: give w_q = w_k";
            return NAMES.into_iter().fold(theories, |theories, name| theories.without(name, why));
        }
        theories = match Balanced::new(self.shape) {
            Ok(law) => theories.with(NAMES[0], law),
            Err(error) => theories.without(NAMES[0], error.to_string()),
        };
        theories = match Balanced::as_printed(self.shape) {
            Ok(law) => theories.with(NAMES[1], law),
            Err(error) => theories.without(NAMES[1], error.to_string()),
        };
        match Slaved::new(self.shape) {
            Ok(law) => theories.with(NAMES[2], law),
            Err(error) => theories.without(NAMES[2], error.to_string()),
        }
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
        let course = Course { stages, theories: &self.theories(), seed };
        let landscape: &dyn AnyLandscape = match &self.loss {
            Loss::Population(loss) => loss,
            Loss::Empirical(loss) => loss,
            Loss::Online(loss) => loss,
        };
        dynamics::run_leg(&Erased(landscape), course, from, steps, recorder)
    }
}
