//! The system behind its declaration: settings to a world that runs.

use std::collections::BTreeMap;

use saddlescope::claim::Claim;
use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Stage, StageError};
use saddlescope::figure::FigureSpec;
use saddlescope::landscape::erased::Erased;
use saddlescope::prediction::{Prediction, Scaling, Seen};
use saddlescope::record::{Observable, Observables, Recorder};
use saddlescope::reference::{CaseError, CaseKind, Inputs};
use saddlescope::settings::{Settings, SettingsError, SystemSchema, Value};
use saddlescope::symmetry::Symmetry;
use saddlescope::system::{Invariant, KnownSaddle, System, World};
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Landscape, Surface};

use super::declaration::SCHEMA;
use super::empirical::Statistics;
use super::full::Full;
use super::online::{Fresh, Stored};
use super::softmax::Softmax;
use super::symmetry::{Attention, symmetry};
use super::theory::conserved;
use super::{
    Basis, Context, Empirical, Error, Population, Saddles, ScalarLaws, Shape, Task, Theory,
};
use super::{cost, escape, figures, predictions, reference, saddles, scalings};

/// The system `linear-attention`.
#[derive(Debug, Clone, Copy)]
pub struct LinearAttention;

impl System for LinearAttention {
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
        let task = task(system, seed)?;
        let shape = Shape::new(task.dimension(), system.count("heads"), system.count("rank"))
            .map_err(|error| system.wrong("heads", format!("does not fit: {error}")))?;
        let weights = weights(start, &task, shape, seed)?;
        let tau = system.number("tau");
        let loss = Loss::new(system, &task, shape, tau, seed)?;
        let start = match &loss {
            Loss::Full(full) => full.0.embed(&weights).map_err(|error| wrong(system, &error))?,
            _ => weights,
        };
        let operations = cost::operations(system);
        let sequences = system.optional_integer("sequences").map(|count| count.unsigned_abs());
        let data = sequences.map(|count| (count as usize, seed));
        let saddles = Saddles::new(&task, shape);
        Ok(Box::new(Prepared { task, shape, loss, start, tau, data, operations, saddles }))
    }

    fn claims(&self) -> &'static [Claim] {
        super::claims::CLAIMS
    }

    fn authors(&self) -> &'static [&'static str] {
        &["Zhang, Yedi", "Singh, Aaditya K.", "Latham, Peter E.", "Saxe, Andrew"]
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

fn wrong(settings: &Settings, error: &Error) -> SettingsError {
    settings.wrong("loss", format!("cannot be built: {error}"))
}

fn task(system: &Settings, seed: u64) -> Result<Task, SettingsError> {
    let eigenvalues = system.numbers("eigenvalues");
    let basis = match system.value("eigenvectors") {
        Value::Tensor(matrix) => {
            let d = eigenvalues.len();
            if matrix.shape != [d, d] {
                let message = format!(
                    "has shape {} x {}, but {d} eigenvalues need {d} x {d}",
                    matrix.shape[0], matrix.shape[1]
                );
                return Err(system.wrong("eigenvectors", message));
            }
            Basis::Columns(matrix.values.clone())
        }
        value if value.as_word() == Some("random") => Basis::Random { seed },
        _ => Basis::Axes,
    };
    let length = system.count("context");
    let context = match system.word("lengths") {
        "varying" => Context::Varying(length),
        _ => Context::Fixed(length),
    };
    Task::new(eigenvalues, basis, context)
        .map_err(|error| system.wrong("eigenvectors", format!("are wrong: {error}")))
}

/// The weights of the reduced model at the start.
fn weights(
    start: &Settings,
    task: &Task,
    shape: Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    match start.kind() {
        Some("aligned") => {
            let heads = shape.heads().min(shape.dimension());
            shape
                .aligned_start(task, &vec![start.number("value"); heads])
                .map_err(|error| start.wrong("value", format!("does not fit: {error}")))
        }
        Some("given") => {
            let pairs = [shape.heads(), shape.rank(), shape.dimension()];
            let words = format!(
                "{} heads of rank {} in dimension {}",
                shape.heads(),
                shape.rank(),
                shape.dimension()
            );
            let value = start.numbers("value");
            if value.len() != shape.heads() {
                let message = format!("has {} entries, but the system has {words}", value.len());
                return Err(start.wrong("value", message));
            }
            for name in ["key", "query"] {
                let found = &start.tensor(name).shape;
                if *found != pairs {
                    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
                    let message =
                        format!("has shape {}, but the system has {words}", found.join(" x "));
                    return Err(start.wrong(name, message));
                }
            }
            let (key, query) = (start.tensor("key"), start.tensor("query"));
            shape
                .given_start(value, &key.values, &query.values)
                .map_err(|error| start.wrong("value", format!("does not fit: {error}")))
        }
        _ => shape
            .random_start(start.number("scale"), seed)
            .map_err(|error| start.wrong("scale", format!("does not fit: {error}"))),
    }
}

/// The landscape that was asked for.
enum Loss {
    Population(Population),
    Empirical(Empirical),
    MiniBatch(super::online::MiniBatch),
    Online(super::online::Online),
    SoftmaxSingle(super::softmax::SoftmaxEmpirical<f32>),
    SoftmaxDouble(super::softmax::SoftmaxEmpirical<f64>),
    Full(super::full::FullEmpirical),
}

impl Loss {
    fn new(
        system: &Settings,
        task: &Task,
        shape: Shape,
        tau: f64,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let (attention, loss) = (system.word("attention"), system.word("loss"));
        let data =
            || (system.optional_integer("sequences").unwrap_or(1).unsigned_abs() as usize, seed);
        let batch = || system.optional_integer("batch").unwrap_or(1).unsigned_abs() as usize;
        if attention != "linear" && loss != "empirical" {
            let message = format!(
                "is \"{loss}\", but {attention} attention has only the loss of a finite data set: \
                 set loss = \"empirical\""
            );
            return Err(system.wrong("loss", message));
        }
        if attention != "linear" && system.word("lengths") == "varying" {
            let message = format!(
                "is \"varying\", but {attention} attention predicts only the query of a sequence: \
                 set lengths = \"fixed\""
            );
            return Err(system.wrong("lengths", message));
        }
        let built = match (attention, loss) {
            ("softmax", _) if system.word("precision") == "double" => {
                Softmax::new(task, shape, tau, data()).map(Self::SoftmaxDouble)
            }
            ("softmax", _) => Softmax::new(task, shape, tau, data()).map(Self::SoftmaxSingle),
            ("full", _) => Full::new(task, shape, tau, data()).map(Self::Full),
            (_, "empirical") => {
                let (sequences, seed) = data();
                Statistics::sampled(task, sequences, seed)
                    .and_then(|statistics| Empirical::new(statistics, shape, tau))
                    .map(Self::Empirical)
            }
            (_, "minibatch") => Stored::new(task, shape, tau, data(), batch()).map(Self::MiniBatch),
            (_, "online") => Fresh::new(task, shape, tau, batch()).map(Self::Online),
            _ => Population::new(task, shape, tau).map(Self::Population),
        };
        built.map_err(|error| wrong(system, &error))
    }
}

/// Why softmax attention and the full model have no scalar law.
const NOT_LINEAR: &str =
    "it is a law of linear attention with the paper's zero blocks: set attention = \"linear\"";

/// Linear attention with all its settings.
struct Prepared {
    task: Task,
    shape: Shape,
    loss: Loss,
    start: Vec<f64>,
    tau: f64,
    /// Sequences of the data set, where there is one, and its seed.
    data: Option<(usize, u64)>,
    /// Floating-point operations of one gradient.
    operations: f64,
    saddles: Saddles,
}

impl Prepared {
    /// Whether the parameters are those of the reduced model, with linear attention.
    fn is_linear(&self) -> bool {
        !matches!(self.loss, Loss::SoftmaxSingle(_) | Loss::SoftmaxDouble(_) | Loss::Full(_))
    }

    /// The same model on another loss.
    fn on(&self, loss: Loss, data: Option<(usize, u64)>) -> Box<dyn World + '_> {
        let (task, shape, start) = (self.task.clone(), self.shape, self.start.clone());
        let Self { tau, operations, .. } = *self;
        let saddles = self.saddles.clone();
        Box::new(Self { task, shape, loss, start, tau, data, operations, saddles })
    }

    fn population(&self) -> Option<Box<dyn World + '_>> {
        let population = Population::new(&self.task, self.shape, self.tau).ok()?;
        Some(self.on(Loss::Population(population), None))
    }
}

impl World for Prepared {
    fn blocks(&self) -> &Blocks {
        match &self.loss {
            Loss::Population(landscape) => landscape.blocks(),
            Loss::Empirical(landscape) => landscape.blocks(),
            Loss::MiniBatch(landscape) => landscape.blocks(),
            Loss::Online(landscape) => landscape.blocks(),
            Loss::SoftmaxSingle(landscape) => landscape.blocks(),
            Loss::SoftmaxDouble(landscape) => landscape.blocks(),
            Loss::Full(landscape) => landscape.blocks(),
        }
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones, and `learned.d`: how much of eigenvector `d` the heads have learned,
    /// `e_d^T Theta e_d` as a part of its optimum.
    fn observables(&self) -> Observables {
        let mut all = Observables::built_in(self.blocks());
        if !self.is_linear() {
            return all;
        }
        let gains = Theory::new(&self.task).optimal_gains();
        for (d, gain) in gains.into_iter().enumerate() {
            let (shape, direction) = (self.shape, self.task.eigenvector(d));
            all = all.with(Observable::scalar(format!("learned.{d}"), move |moment| {
                shape.predict(moment.state, &direction, &direction) / gain
            }));
        }
        all
    }

    fn levels(&self) -> Vec<f64> {
        if matches!(self.loss, Loss::SoftmaxSingle(_) | Loss::SoftmaxDouble(_)) {
            return Vec::new();
        }
        let slots = (self.shape.heads() * self.shape.rank()).min(self.task.dimension());
        let mut levels = Theory::new(&self.task).levels();
        levels.truncate(slots + 1);
        levels
    }

    fn predictions(&self, seen: Seen<'_>) -> Vec<Prediction> {
        let mut all = Vec::new();
        if self.is_linear() {
            all.push(predictions::loss_levels(&self.task, self.levels()));
            all.push(predictions::eigenvectors(&self.task));
            all.extend(escape::predictions(&self.task, self.shape, self.tau, &self.start));
            if self.shape.rank() == 1 {
                all.push(predictions::value_levels(&self.task));
                all.extend(predictions::value_laws(&self.task, self.shape, self.tau, seen));
            }
        }
        all
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        if self.is_linear() { predictions::NAMES } else { &[] }
    }

    fn scalings(&self) -> Vec<Scaling> {
        if !self.is_linear() {
            return Vec::new();
        }
        let jumps = self.levels().len().saturating_sub(1);
        scalings::scalings(&self.task, self.shape, self.tau, jumps)
    }

    fn label(&self, observable: &str) -> Option<String> {
        figures::label(observable)
    }

    fn figure(&self) -> FigureSpec {
        figures::standard(self.is_linear())
    }

    fn least_loss(&self) -> Option<f64> {
        matches!(self.loss, Loss::Population(_)).then(|| self.levels().last().copied()).flatten()
    }

    /// 003, Eqs. (44), (50). Softmax breaks the second: only `v` enters it linearly.
    fn invariants(&self) -> Vec<Invariant> {
        if matches!(self.loss, Loss::Full(_)) {
            return Vec::new();
        }
        let shape = self.shape;
        let mut invariants = Vec::new();
        for head in 0..shape.heads() {
            // Each looks at its own head only, so that all together cost one pass.
            let own = head * shape.head_len()..(head + 1) * shape.head_len();
            for slot in 0..shape.rank() {
                let (own, name) = (own.clone(), format!("head.{head}.key_minus_query.{slot}"));
                invariants.push(Invariant::new(name, move |state| {
                    conserved(shape, &state[own.clone()]).key_minus_query[slot]
                }));
            }
            if !self.is_linear() {
                continue;
            }
            let name = format!("head.{head}.key_minus_value");
            invariants.push(Invariant::new(name, move |state| {
                conserved(shape, &state[own.clone()]).key_minus_value[0]
            }));
        }
        invariants
    }

    fn surface(&self) -> Option<&dyn Surface> {
        match &self.loss {
            Loss::Population(landscape) => Some(landscape),
            Loss::Empirical(landscape) => Some(landscape),
            Loss::SoftmaxDouble(landscape) => Some(landscape),
            Loss::Full(landscape) => Some(landscape),
            Loss::MiniBatch(_) | Loss::Online(_) | Loss::SoftmaxSingle(_) => None,
        }
    }

    fn symmetry_directions(&self, state: &[f64]) -> Vec<Vec<f64>> {
        if self.is_linear() { saddles::symmetries(self.shape, state) } else { Vec::new() }
    }

    /// The `M(S)` are those of the expected loss.
    fn saddles(&self) -> Vec<KnownSaddle> {
        match self.loss {
            Loss::Population(_) => self.saddles.list(&self.task),
            _ => Vec::new(),
        }
    }

    fn nearest_saddle(&self, state: &[f64]) -> Option<(usize, f64)> {
        matches!(self.loss, Loss::Population(_)).then(|| self.saddles.nearest(state))?
    }

    fn symmetry(&self) -> Symmetry {
        let family = match self.loss {
            Loss::SoftmaxSingle(_) | Loss::SoftmaxDouble(_) => Attention::Softmax,
            Loss::Full(_) => Attention::Full,
            _ => Attention::Linear,
        };
        symmetry(self.shape, self.blocks(), family)
    }

    fn draws_batches(&self) -> bool {
        matches!(self.loss, Loss::MiniBatch(_) | Loss::Online(_))
    }

    fn has_flow(&self) -> bool {
        !matches!(self.loss, Loss::MiniBatch(_) | Loss::Online(_) | Loss::SoftmaxSingle(_))
    }

    fn without_noise(&self) -> Option<Box<dyn World + '_>> {
        match (&self.loss, self.data) {
            (Loss::Online(_), _) => self.population(),
            (Loss::MiniBatch(_), Some((sequences, seed))) => {
                let statistics = Statistics::sampled(&self.task, sequences, seed).ok()?;
                let whole = Empirical::new(statistics, self.shape, self.tau).ok()?;
                Some(self.on(Loss::Empirical(whole), self.data))
            }
            _ => None,
        }
    }

    fn without_data(&self) -> Option<Box<dyn World + '_>> {
        match &self.loss {
            Loss::Empirical(_) | Loss::MiniBatch(_) => self.population(),
            _ => None,
        }
    }

    fn theories(&self) -> Theories<'_> {
        if !self.is_linear() {
            return Theories::none().without(ScalarLaws::NAME, NOT_LINEAR);
        }
        match ScalarLaws::new(&self.task, self.shape, self.tau) {
            Ok(laws) => Theories::none().with(ScalarLaws::NAME, laws),
            Err(error) => Theories::none().without(ScalarLaws::NAME, error.to_string()),
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
        use dynamics::{run_leg, train_leg};
        let course = Course { stages, theories: &self.theories(), seed };
        match &self.loss {
            Loss::Population(loss) => run_leg(loss, course, from, steps, recorder),
            Loss::Empirical(loss) => run_leg(loss, course, from, steps, recorder),
            Loss::MiniBatch(loss) => run_leg(&Erased(loss), course, from, steps, recorder),
            Loss::Online(loss) => run_leg(&Erased(loss), course, from, steps, recorder),
            Loss::SoftmaxDouble(loss) => run_leg(&Erased(loss), course, from, steps, recorder),
            Loss::Full(loss) => run_leg(&Erased(loss), course, from, steps, recorder),
            Loss::SoftmaxSingle(loss) => train_leg(loss, course, from, steps, recorder),
        }
    }
}
