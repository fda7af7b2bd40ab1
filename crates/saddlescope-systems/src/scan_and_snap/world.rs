//! Scan and snap behind the interface of all systems.

use std::collections::BTreeMap;
use std::sync::Arc;

use saddlescope::claim::Claim;
use saddlescope::dynamics::{
    self, Checkpoint, Course, LegEnd, Motion, Optimiser, Stage, StageError,
};
use saddlescope::figure::FigureSpec;
use saddlescope::landscape::erased::{AnyLandscape, Erased};
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Prediction, Seen};
use saddlescope::record::{Observables, Recorder};
use saddlescope::reference::{CaseError, CaseKind, Inputs};
use saddlescope::settings::{Settings, SettingsError, SystemSchema};
use saddlescope::sketch::Sketch;
use saddlescope::system::{Invariant, System, World};
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Landscape, Surface};

use super::declaration::SCHEMA;
use super::embedded_world::WithEmbedding;
use super::observables::{self, Implied};
use super::reduced::{Convention, Logits, Modified, NAMES, TheoremFour};
use super::{Contexts, Empirical, Error, Fresh, Online, Population, Shape, Stored};
use super::{cost, figures, outcomes, predictions, reference, sketch, start, symmetry};

/// The system `scan-and-snap`.
#[derive(Debug, Clone, Copy)]
pub struct ScanAndSnap;

impl System for ScanAndSnap {
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
        let shape = start::shape(system)?;
        if system.word("model") == "embedding" {
            return Ok(Box::new(WithEmbedding::new(system, shape, start, seed)?));
        }
        let theta = start::start(start, &shape, seed)?;
        let operations = cost::operations(system, &shape);
        let exact = Arc::new(Population::new(shape));
        let loss = Loss::new(system, exact.shape(), seed)?;
        let c0 = system.optional_number("c0");
        Ok(Box::new(Prepared { exact, loss, drawn: drawn(system), start: theta, c0, operations }))
    }

    fn claims(&self) -> &'static [Claim] {
        super::claims::CLAIMS
    }

    fn authors(&self) -> &'static [&'static str] {
        &["Tian, Yuandong", "Wang, Yiping", "Chen, Beidi", "Du, Simon"]
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

/// The landscape that was asked for.
enum Loss {
    Population,
    Empirical(Empirical),
    Online(Online),
}

impl Loss {
    fn new(system: &Settings, shape: &Shape, seed: u64) -> Result<Self, SettingsError> {
        let built = match system.word("loss") {
            "online" => online(system, shape).map(Self::Online),
            "empirical" => empirical(system, shape, seed).map(Self::Empirical),
            _ => Ok(Self::Population),
        };
        built.map_err(|error| start::blame(system, &error))
    }
}

/// Length of the sequences, and how their contexts are drawn.
fn drawn(system: &Settings) -> (usize, Contexts) {
    let contexts = match system.optional_word("contexts") {
        Some("tokens") => Contexts::Tokens,
        _ => Contexts::Counts,
    };
    (count(system, "length"), contexts)
}

/// A count that belongs to the loss that was chosen.
fn count(system: &Settings, key: &str) -> usize {
    system.optional_integer(key).unwrap_or(1).unsigned_abs() as usize
}

/// Fresh sequences at each step.
pub(super) fn online(system: &Settings, shape: &Shape) -> Result<Online, Error> {
    Fresh::new(shape.clone(), drawn(system), count(system, "batch"))
}

/// A data set.
pub(super) fn empirical(system: &Settings, shape: &Shape, seed: u64) -> Result<Empirical, Error> {
    Stored::new(shape.clone(), drawn(system), (count(system, "sequences"), seed))
}

/// Scan and snap with all its settings.
struct Prepared {
    /// The exact loss of endless sequences, whatever the run itself sees.
    exact: Arc<Population>,
    loss: Loss,
    /// Length of drawn sequences, and how their contexts are drawn.
    drawn: (usize, Contexts),
    start: Vec<f64>,
    /// The constant of Theorem 4, where it was given.
    c0: Option<f64>,
    /// Floating-point operations of one gradient.
    operations: f64,
}

impl Prepared {
    fn shape(&self) -> &Shape {
        self.exact.shape()
    }

    fn landscape(&self) -> &dyn AnyLandscape {
        match &self.loss {
            Loss::Population => &*self.exact,
            Loss::Empirical(landscape) => landscape,
            Loss::Online(landscape) => landscape,
        }
    }

    /// Rules that treat each number by itself do not see that a column stands for many.
    fn unless_each_number(&self, stages: &[Stage]) -> Result<(), StageError> {
        let each = |stage: &Stage| match &stage.motion {
            Motion::Descent(steps) => {
                matches!(steps.rule, Optimiser::Adam(_) | Optimiser::AdamW(..))
            }
            _ => false,
        };
        if self.shape().shared_column().is_none() || !stages.iter().any(each) {
            return Ok(());
        }
        let message = "system.outputs is \"used\", but Adam treats each number by itself and does not see that a column stands \
                       for many outputs: set system.outputs = \"all\"";
        Err(StageError::Unfit(message.to_owned()))
    }

    /// The same world with another loss.
    fn with(&self, loss: Loss) -> Box<dyn World + '_> {
        Box::new(Self {
            exact: Arc::clone(&self.exact),
            loss,
            drawn: self.drawn,
            start: self.start.clone(),
            c0: self.c0,
            operations: self.operations,
        })
    }
}

/// Sequences, and the seed, of the data set that stands for the mean of all sequences of a length.
const MANY: (usize, u64) = (16_384, 0);

/// Rows whose sums are listed one by one; where there are more, the length of the vector of all is.
const LISTED: usize = 64;

/// 004, after Lemma 1: rows of `Y` and of `Z` keep their sums.
fn row_sums(shape: &Shape) -> Vec<Invariant> {
    let (columns, tokens) = (shape.columns(), shape.task().tokens().len());
    let shared = shape.shared_column().map(|column| (column, shape.shared_scale() - 1.0));
    let decoder = move |row: usize, state: &[f64]| {
        let row = &state[row * columns..(row + 1) * columns];
        row.iter().sum::<f64>() + shared.map_or(0.0, |(column, scale)| scale * row[column])
    };
    let first = shape.decoder_len();
    let logits = move |row: usize, state: &[f64]| {
        state[first + row * tokens..first + (row + 1) * tokens].iter().sum::<f64>()
    };
    let mut all = Vec::new();
    let rows = shape.inputs().len();
    if rows <= LISTED {
        let name = |row: usize| format!("sum.y.{}", shape.inputs()[row]);
        all.extend(
            (0..rows).map(|row| Invariant::new(name(row), move |state| decoder(row, state))),
        );
    } else {
        all.push(Invariant::new("sum.y", move |state| {
            (0..rows).map(|row| decoder(row, state).powi(2)).sum::<f64>().sqrt()
        }));
    }
    let queries = shape.task().queries();
    for row in 0..shape.head_count() * queries.len() {
        let (head, query) = (row / queries.len(), queries[row % queries.len()]);
        let name = if shape.head_count() > 1 {
            format!("sum.z.{head}.{query}")
        } else {
            format!("sum.z.{query}")
        };
        all.push(Invariant::new(name, move |state| logits(row, state)));
    }
    all
}

impl World for Prepared {
    fn blocks(&self) -> &Blocks {
        self.exact.blocks()
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones and those of [`observables::with`].
    fn observables(&self) -> Observables {
        let implied: Arc<Implied> = Arc::new(<[f64]>::to_vec);
        observables::with(Observables::built_in(self.blocks()), &self.exact, &self.start, &implied)
    }

    fn predictions(&self, seen: Seen<'_>) -> Vec<Prediction> {
        predictions::predictions(self.shape(), self.c0, self.levels(), seen)
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        predictions::NAMES
    }

    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        outcomes::outcomes(&self.exact, seen.state)
    }

    fn outcome_names(&self) -> Vec<String> {
        outcomes::names()
    }

    fn label(&self, observable: &str) -> Option<String> {
        figures::label(observable)
    }

    fn figure(&self) -> FigureSpec {
        figures::standard(self.shape())
    }

    fn sketch(&self) -> Sketch {
        sketch::sketch(self.shape().task())
    }

    /// What no finite decoder comes to, but comes near to.
    fn least_loss(&self) -> Option<f64> {
        let least = self.shape().task().least_loss(self.shape().is_residual());
        matches!(self.loss, Loss::Population).then_some(least)
    }

    /// The exact loss at the start, and the least.
    fn levels(&self) -> Vec<f64> {
        let views = observables::views(&self.exact, &self.start);
        let first = views.iter().map(|view| view.loss).sum::<f64>() / views.len() as f64;
        vec![first, self.shape().task().least_loss(self.shape().is_residual())]
    }

    fn invariants(&self) -> Vec<Invariant> {
        row_sums(self.shape())
    }

    fn surface(&self) -> Option<&dyn Surface> {
        match &self.loss {
            Loss::Population => Some(&*self.exact),
            Loss::Empirical(landscape) => Some(landscape),
            Loss::Online(_) => None,
        }
    }

    fn symmetry_directions(&self, _state: &[f64]) -> Vec<Vec<f64>> {
        symmetry::directions(self.shape())
    }

    fn has_flow(&self) -> bool {
        !self.draws_batches()
    }

    fn draws_batches(&self) -> bool {
        matches!(self.loss, Loss::Online(_))
    }

    /// A large data set of sequences of the same length: their mean has no closed form, and is not that of endless ones.
    fn without_noise(&self) -> Option<Box<dyn World + '_>> {
        let many = || Stored::new(self.shape().clone(), self.drawn, MANY).ok();
        if self.draws_batches() { Some(self.with(Loss::Empirical(many()?))) } else { None }
    }

    fn without_data(&self) -> Option<Box<dyn World + '_>> {
        matches!(self.loss, Loss::Empirical(_)).then(|| self.with(Loss::Population))
    }

    /// The paper's laws: attention alone in three conventions, the decoder of Eq. (26), Theorem 4.
    fn theories(&self) -> Theories<'_> {
        let mut theories = Theories::none();
        let [mean, sum, printed, modified, theorem_4] = NAMES;
        let conventions =
            [(mean, Convention::Mean), (sum, Convention::Sum), (printed, Convention::SumAsPrinted)];
        let (decoder, logits) = self.start.split_at(self.shape().decoder_len());
        let has_decoder = decoder.iter().any(|y| *y != 0.0);
        for (name, convention) in conventions {
            if has_decoder {
                let why = "it puts the decoder where Theorem 1 has it: start with Y = 0";
                theories = theories.without(name, why);
                continue;
            }
            theories = match Logits::new(self.shape().clone(), convention) {
                Ok(law) => theories.with(name, law),
                Err(error) => theories.without(name, error.to_string()),
            };
        }
        theories = match Modified::new(self.shape().clone()) {
            Ok(law) => theories.with(modified, law),
            Err(error) => theories.without(modified, error.to_string()),
        };
        if has_decoder || logits.iter().any(|z| *z != 0.0) {
            return theories.without(theorem_4, "it begins at Y = Z = 0: start there");
        }
        match TheoremFour::new(self.shape().clone(), self.c0) {
            Ok(law) => theories.with(theorem_4, law),
            Err(error) => theories.without(theorem_4, error.to_string()),
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
        self.unless_each_number(stages)?;
        let course = Course { stages, theories: &self.theories(), seed };
        dynamics::run_leg(&Erased(self.landscape()), course, from, steps, recorder)
    }
}
