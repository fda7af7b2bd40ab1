//! The system behind its declaration: settings to a world that runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use saddlescope::claim::Claim;
use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Stage, StageError};
use saddlescope::figure::FigureSpec;
use saddlescope::landscape::erased::Erased;
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Prediction, Scaling, Seen};
use saddlescope::record::{Observable, Observables, Recorder};
use saddlescope::reference::{CaseError, CaseKind, Inputs};
use saddlescope::settings::{Settings, SettingsError, SystemSchema};
use saddlescope::sketch::Sketch;
use saddlescope::symmetry::Symmetry;
use saddlescope::system::{Invariant, KnownSaddle, System, World};
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Landscape, Surface};

use super::declaration::SCHEMA;
use super::matches::{Finite, Fresh, Online, Stored};
use super::reduced::NAMES;
use super::saddles::Saddles;
use super::task::LARGEST_LISTED;
use super::theory::{conserved, levels, plateau};
use super::{Corpus, Error, JumpLaw, Objective, Population, Sequences, Shape, Simplified, Task};
use super::{cost, figures, outcomes, predictions, reference, scalings, sketch, start, symmetry};

/// The system `associative-recall`.
#[derive(Debug, Clone, Copy)]
pub struct AssociativeRecall;

impl System for AssociativeRecall {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        // What cannot be listed at all is refused by `prepare`, with the reason.
        if cost::lists(system) && system.count("order") > LARGEST_LISTED {
            return 0;
        }
        (8.0 * cost::numbers(system)) as u64
    }

    fn prepare(
        &self,
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Box<dyn World>, SettingsError> {
        let shape = shape(system)?;
        let objective = objective(system);
        let start = start::start(start, &shape, seed)?;
        let loss = Loss::new(system, shape, objective, seed)
            .map_err(|error| system.wrong("loss", format!("cannot be built: {error}")))?;
        let operations = cost::operations(system);
        if operations > MOST_OPERATIONS {
            let message = format!(
                "is {}, where one gradient of this loss takes about {operations:.0e} operations, many seconds: take \
                 a smaller order, or fewer sequences (loss = \"online\" with a small batch)",
                shape.task().order()
            );
            return Err(system.wrong("order", message));
        }
        let saddles = saddles(shape);
        Ok(Box::new(Prepared { shape, objective, loss, start, operations, saddles }))
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

/// Operations of one gradient beyond which nobody waits for a run.
const MOST_OPERATIONS: f64 = 1e10;

pub(super) fn objective(system: &Settings) -> Objective {
    match system.word("objective") {
        "cross-entropy" => Objective::CrossEntropy,
        _ => Objective::DotProduct,
    }
}

pub(super) fn shape(system: &Settings) -> Result<Shape, SettingsError> {
    let task = Task::new(system.count("order"), system.count("responses"))
        .map_err(|error| system.wrong("order", format!("is wrong: {error}")))?;
    let simplified = Simplified {
        window: system.word("window") == "order",
        strengths: system.word("second") == "strengths",
        solution: system.word("last") == "solution",
        responses: system.word("softmax") == "responses",
    };
    Shape::relaxed(task, system.count("heads"), system.number("gain"), simplified).map_err(
        |error| {
            let which = if matches!(&error, Error::Value { what, .. } if what == "order") {
                "order"
            } else {
                "heads"
            };
            system.wrong(which, format!("does not fit: {error}"))
        },
    )
}

/// The landscape that was asked for.
enum Loss {
    Population(Population),
    /// The simplified model on drawn sequences.
    Online(Online),
    Finite(Finite),
    /// Any other model, on sequences written out.
    Sequences {
        landscape: Sequences,
        source: Source,
    },
}

/// Which sequences are written out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    All,
    Stored,
    Fresh,
}

impl Loss {
    fn new(
        system: &Settings,
        shape: Shape,
        objective: Objective,
        seed: u64,
    ) -> Result<Self, Error> {
        let count = |key: &str| system.optional_integer(key).unwrap_or(1).unsigned_abs() as usize;
        let simplified = shape.simplified() == Simplified::ALL;
        match system.word("loss") {
            "online" if simplified => {
                Fresh::new(shape, objective, count("batch")).map(Self::Online)
            }
            "online" => {
                Self::written(Corpus::fresh(shape, objective, count("batch")), Source::Fresh)
            }
            "empirical" if simplified => {
                Stored::new(shape, objective, (count("sequences"), seed)).map(Self::Finite)
            }
            "empirical" => {
                let data = (count("sequences"), seed);
                Self::written(Corpus::stored(shape, objective, data), Source::Stored)
            }
            _ => Self::exact(shape, objective),
        }
    }

    fn written(landscape: Result<Sequences, Error>, source: Source) -> Result<Self, Error> {
        Ok(Self::Sequences { landscape: landscape?, source })
    }

    fn exact(shape: Shape, objective: Objective) -> Result<Self, Error> {
        if shape.simplified() == Simplified::ALL && objective == Objective::DotProduct {
            return Population::new(shape).map(Self::Population);
        }
        Self::written(Corpus::exact(shape, objective), Source::All)
    }
}

/// Why relaxed models and cross entropy have no law of a jump.
const NOT_SIMPLIFIED: &str = "it is a law of the dot-product loss of the simplified model: keep \
     (A0) to (A3), and set objective = \"dot-product\"";

/// Associative recall with all its settings.
struct Prepared {
    shape: Shape,
    objective: Objective,
    loss: Loss,
    start: Vec<f64>,
    /// Floating-point operations of one gradient.
    operations: f64,
    /// The sets of matched tokens, for the simplified model.
    saddles: Option<Arc<Saddles>>,
}

fn saddles(shape: Shape) -> Option<Arc<Saddles>> {
    (shape.simplified() == Simplified::ALL).then(|| Arc::new(Saddles::new(shape)))
}

impl Prepared {
    /// Whether the model is the one that the paper analyses, with the loss that it analyses.
    fn is_analysed(&self) -> bool {
        self.shape.simplified() == Simplified::ALL && self.objective == Objective::DotProduct
    }

    fn population(&self) -> Option<Box<dyn World + '_>> {
        let loss = Loss::exact(self.shape, self.objective).ok()?;
        let Self { shape, objective, operations, .. } = *self;
        let (start, saddles) = (self.start.clone(), self.saddles.clone());
        Some(Box::new(Self { shape, objective, loss, start, operations, saddles }))
    }

    fn is_exact(&self) -> bool {
        matches!(self.loss, Loss::Population(_) | Loss::Sequences { source: Source::All, .. })
    }

    /// The head that moves alone, with equal weights on all lags but its own, if there is one.
    fn lonely_head(&self) -> Option<usize> {
        let mut moving =
            self.shape.iter(&self.start).enumerate().filter(|(_, head)| head.beta != 0.0);
        let (h, head) = moving.next()?;
        let mut others = head.weights.iter().enumerate().filter(|&(lag, _)| lag != h);
        let (_, first) = others.next()?;
        (moving.next().is_none() && others.all(|(_, w)| w == first)).then_some(h)
    }
}

impl World for Prepared {
    fn blocks(&self) -> &Blocks {
        match &self.loss {
            Loss::Population(landscape) => landscape.blocks(),
            Loss::Online(landscape) => landscape.blocks(),
            Loss::Finite(landscape) => landscape.blocks(),
            Loss::Sequences { landscape, .. } => landscape.blocks(),
        }
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones; `head.h.attention` over the lags 1 to k; `query_key`, the matrix `Q^T K`; and in the
    /// simplified model `matched.h`, the probability that the token of head `h` stands at its lag.
    fn observables(&self) -> Observables {
        let mut all = Observables::built_in(self.blocks());
        let shape = self.shape;
        let (k, n) = (shape.task().order(), shape.width());
        for h in 0..shape.heads() {
            all = all.with(Observable::new(
                format!("head.{h}.attention"),
                &[k],
                move |moment, value| {
                    let Some(head) = shape.iter(moment.state).nth(h) else { return };
                    let first = 1 - shape.first_lag();
                    value.copy_from_slice(&Shape::attention(head.weights)[first..first + k]);
                },
            ));
        }
        all = all.with(Observable::new("query_key", &[n, n], move |moment, value| {
            value.copy_from_slice(&shape.query_key(moment.state));
        }));
        if let Some(saddles) = &self.saddles {
            for h in 0..shape.heads() {
                let saddles = Arc::clone(saddles);
                all = all.with(Observable::scalar(format!("matched.{h}"), move |moment| {
                    saddles.matched(moment.state)[h]
                }));
            }
        }
        all
    }

    /// Whole matrices without (A3) first learn that answers are responses, and then rest on plateaus that no
    /// theory gives.
    fn levels(&self) -> Vec<f64> {
        let kept = self.shape.simplified();
        let all = levels(&self.shape, self.objective);
        if kept.strengths || (Simplified { strengths: true, ..kept }) == Simplified::ALL {
            return all;
        }
        if kept.responses || self.objective == Objective::CrossEntropy {
            return Vec::new();
        }
        vec![all[0], plateau(self.shape.task(), 0)]
    }

    fn predictions(&self, seen: Seen<'_>) -> Vec<Prediction> {
        let mut all = Vec::new();
        if !self.levels().is_empty() {
            all.push(predictions::loss_levels(self.levels()));
        }
        all.extend(predictions::solution(&self.shape));
        if self.is_analysed() {
            all.extend(predictions::times(&self.shape, &self.start));
            all.extend(predictions::jump_laws(&self.shape, &self.start, seen));
        }
        all
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        predictions::NAMES
    }

    fn scalings(&self) -> Vec<Scaling> {
        let jumps = self.levels().len().saturating_sub(1);
        if self.is_analysed() { scalings::scalings(jumps) } else { Vec::new() }
    }

    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        outcomes::outcomes(&self.shape, &self.start, seen)
    }

    fn outcome_names(&self) -> Vec<String> {
        outcomes::names(&self.shape)
    }

    fn sketch(&self) -> Sketch {
        sketch::sketch(self.shape.task())
    }

    fn label(&self, observable: &str) -> Option<String> {
        let first = if observable.contains("attention") { 1 } else { self.shape.first_lag() };
        figures::label(observable, first)
    }

    fn figure(&self) -> FigureSpec {
        figures::standard(self.shape.simplified().strengths)
    }

    /// It is never reached: heads must become infinitely strong.
    fn least_loss(&self) -> Option<f64> {
        self.is_exact().then(|| levels(&self.shape, self.objective).last().copied()).flatten()
    }

    /// A softmax does not see constants, so the sum of a head's weights stays. 001, Theorem 3.1(d), while
    /// only one head moves. `Q Q^T - K K^T` stays as for every product of two matrices.
    fn invariants(&self) -> Vec<Invariant> {
        let shape = self.shape;
        let mut invariants = Vec::new();
        for h in 0..shape.heads() {
            invariants.push(Invariant::new(format!("head.{h}.sum_w"), move |state| {
                shape.iter(state).nth(h).map_or(f64::NAN, |head| head.weights.iter().sum())
            }));
        }
        if self.is_analysed()
            && let Some(h) = self.lonely_head()
        {
            let name = format!("head.{h}.f_minus_quarter_beta_squared");
            invariants.push(Invariant::new(name, move |state| conserved(&shape, state, h)));
        }
        if !shape.simplified().strengths {
            let squares = |matrix: &[f64]| matrix.iter().map(|x| x * x).sum::<f64>();
            invariants.push(Invariant::new("second.query_minus_key", move |state| {
                let matrices = &state[shape.heads() * shape.head_len()..];
                let (query, key) = matrices.split_at(matrices.len() / 2);
                squares(query) - squares(key)
            }));
        }
        invariants
    }

    fn surface(&self) -> Option<&dyn Surface> {
        match &self.loss {
            Loss::Population(landscape) => Some(landscape),
            Loss::Finite(landscape) => Some(landscape),
            Loss::Sequences { landscape, source: Source::All | Source::Stored } => Some(landscape),
            Loss::Online(_) | Loss::Sequences { .. } => None,
        }
    }

    fn symmetry_directions(&self, _state: &[f64]) -> Vec<Vec<f64>> {
        symmetry::directions(&self.shape)
    }

    fn symmetry(&self) -> Symmetry {
        symmetry::symmetry(&self.shape)
    }

    /// The sets of matched tokens, places of the expected loss.
    fn saddles(&self) -> Vec<KnownSaddle> {
        let known = self.saddles.as_ref().filter(|_| self.is_exact());
        known.map_or_else(Vec::new, |saddles| saddles.list())
    }

    fn nearest_saddle(&self, state: &[f64]) -> Option<(usize, f64)> {
        self.saddles.as_ref().filter(|_| self.is_exact())?.nearest(state)
    }

    fn draws_batches(&self) -> bool {
        matches!(self.loss, Loss::Online(_) | Loss::Sequences { source: Source::Fresh, .. })
    }

    fn has_flow(&self) -> bool {
        !self.draws_batches()
    }

    fn without_noise(&self) -> Option<Box<dyn World + '_>> {
        if self.draws_batches() { self.population() } else { None }
    }

    fn without_data(&self) -> Option<Box<dyn World + '_>> {
        if self.is_exact() || self.draws_batches() { None } else { self.population() }
    }

    /// The law of each jump, in the order of the strengths at the start.
    fn theories(&self) -> Theories<'_> {
        let mut theories = Theories::none();
        let mut order: Vec<usize> = (0..self.shape.heads()).collect();
        let beta: Vec<f64> = self.shape.iter(&self.start).map(|head| head.beta.abs()).collect();
        order.sort_by(|&a, &b| beta[b].total_cmp(&beta[a]));
        for (m, name) in NAMES.iter().enumerate().take(order.len()) {
            if !self.is_analysed() {
                theories = theories.without(name, NOT_SIMPLIFIED);
                continue;
            }
            theories = match JumpLaw::new(self.shape, order[m], &order[..m]) {
                Ok(law) => theories.with(name, law),
                Err(error) => theories.without(name, error.to_string()),
            };
        }
        theories
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
        match &self.loss {
            Loss::Population(loss) => dynamics::run_leg(loss, course, from, steps, recorder),
            Loss::Online(loss) => dynamics::run_leg(&Erased(loss), course, from, steps, recorder),
            Loss::Finite(loss) => dynamics::run_leg(&Erased(loss), course, from, steps, recorder),
            Loss::Sequences { landscape, .. } => {
                dynamics::run_leg(&Erased(landscape), course, from, steps, recorder)
            }
        }
    }
}
