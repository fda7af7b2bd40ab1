//! The system: from settings to a problem, in `Y` and `Z` or with embeddings.

mod embedded;
mod init;

use std::sync::Arc;

use saddlescope::dynamics::Optimiser;
use saddlescope_spec::prelude::*;

use crate::laws::{Convention, Logits, Modified, NAMES, TheoremFour};
use crate::readings::observables::{self, Implied};
use crate::readings::{labels, outcomes, predictions};
use crate::settings::{self, Average, Parametrisation, SCHEMA};
use crate::{Error, Outputs, Population, Shape, Task, data};

#[derive(Debug, Clone, Copy)]
pub struct ScanAndSnap;

impl System for ScanAndSnap {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        (8.0 * numbers(&system.read())) as u64
    }

    fn problem(&self, system: &Settings, start: &Settings, seed: u64) -> Result<Problem> {
        let (system, start): (Spanned<settings::System>, _) = (system.read(), start.read());
        let shape = init::shape(&system)?;
        if system.model == Parametrisation::Embedding {
            return embedded::problem(&system, shape, &start, seed);
        }
        let init = init::start(&start, &shape, seed)?;
        let loss = loss(&system, &shape, seed).map_err(|error| init::blame(&system, &error))?;
        let c0 = system.c0;
        let model = Model { exact: Arc::new(Population::new(shape)), init: init.clone(), c0 };
        let levels = model.levels();
        let least_loss = (system.loss == Average::Population).then(|| model.least_loss());
        Ok(Problem::new(loss, init)
            .of(model)
            .levels(levels)
            .least_loss(least_loss)
            .segment_steps(if least_loss.is_some() { 100_000 } else { 5_000 })
            .observables(Model::observables)
            .predictions(predictions::NAMES, Model::predictions)
            .outcomes(outcomes::names(), |model, seen| outcomes::outcomes(&model.exact, seen.state))
            .invariants(|model| row_sums(model.shape()))
            .theories(Model::theories)
            .symmetry_directions(|model, _| model.shape().symmetry_directions())
            .check(|model, stages| check_rules(model.shape(), stages))
            .build())
    }

    fn label(&self, _system: &Settings, column: &str) -> Option<String> {
        labels::label(column)
    }

    fn figure(&self, system: &Settings) -> FigureSpec {
        let task = init::task(&system.read());
        let has = |kind: fn(&Task) -> bool| task.as_ref().is_ok_and(kind);
        labels::standard(has(observables::has_distinct), has(observables::has_common))
    }

    fn sketch(&self, system: &Settings, _seed: u64) -> Sketch {
        init::task(&system.read()).map_or_else(|_| Sketch::default(), |task| labels::sketch(&task))
    }
}

/// Sequences, and the seed, of the data set that stands for the mean of all sequences of a length.
const MANY: (usize, u64) = (16_384, 0);

/// The loss that was asked for.
///
/// The mean of fresh sequences is a large data set of sequences of the same length: their mean has no closed form, and is
/// not that of endless ones.
fn loss(system: &settings::System, shape: &Shape, seed: u64) -> Result<Loss, Error> {
    let (shape, length) = (shape.clone(), system.length);
    let endless = {
        let shape = shape.clone();
        move || Some(Loss::exact(Population::new(shape.clone())))
    };
    let on = {
        let shape = shape.clone();
        move |data| {
            let stored = Loss::exact(data::empirical(shape.clone(), length, data)?);
            let (shape, sequences) = (shape.clone(), data.0);
            let fresh = move |seed| data::empirical(shape.clone(), length, (sequences, seed)).ok();
            Ok::<_, Error>(
                stored
                    .with_population(endless.clone())
                    .with_fresh(move |seed| fresh(seed).map(Loss::exact)),
            )
        }
    };
    Ok(match system.loss {
        Average::Online => {
            let online = data::online(shape, length, system.batch)?;
            Loss::drawn(online).with_mean(move || on(MANY).ok())
        }
        Average::Empirical => on((system.sequences, seed))?,
        Average::Population => Loss::exact(Population::new(shape)),
    })
}

/// Rules that treat each number by itself do not see that a column stands for many.
fn check_rules(shape: &Shape, stages: &[Phase]) -> Result<(), PhaseError> {
    let each = |stage: &Phase| match &stage.motion {
        Motion::Descent(steps) => {
            matches!(steps.rule, Optimiser::Adam(_) | Optimiser::AdamW(..))
        }
        _ => false,
    };
    if shape.shared_column().is_none() || !stages.iter().any(each) {
        return Ok(());
    }
    let message = "system.outputs is \"used\", but Adam treats each number by itself and does not see that a column stands \
                   for many outputs: set system.outputs = \"all\"";
    Err(PhaseError::Unfit(message.to_owned()))
}

/// Rows whose sums are listed one by one; where there are more, the length of the vector of all is.
const LISTED: usize = 64;

/// 004, after Lemma 1: rows of `Y` and of `Z` keep their sums.
fn row_sums(shape: &Shape) -> Vec<Invariant> {
    let (columns, tokens) = (shape.columns(), shape.task.tokens.len());
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
    let rows = shape.inputs.len();
    if rows <= LISTED {
        let name = |row: usize| format!("sum.y.{}", shape.inputs[row]);
        all.extend(
            (0..rows).map(|row| Invariant::new(name(row), move |state| decoder(row, state))),
        );
    } else {
        all.push(Invariant::new("sum.y", move |state| {
            (0..rows).map(|row| decoder(row, state).powi(2)).sum::<f64>().sqrt()
        }));
    }
    let queries = &shape.task.queries;
    for row in 0..shape.heads * queries.len() {
        let (head, query) = (row / queries.len(), queries[row % queries.len()]);
        let name = if shape.heads > 1 {
            format!("sum.z.{head}.{query}")
        } else {
            format!("sum.z.{query}")
        };
        all.push(Invariant::new(name, move |state| logits(row, state)));
    }
    all
}

/// Scan and snap in `Y` and `Z`, as far as theory depends on it.
struct Model {
    /// The exact loss of endless sequences, whatever the run itself sees.
    exact: Arc<Population>,
    init: Vec<f64>,
    /// The constant of Theorem 4, where it was given.
    c0: Option<f64>,
}

impl Model {
    fn shape(&self) -> &Shape {
        &self.exact.shape
    }

    fn observables(&self, all: Observables) -> Observables {
        let implied: Arc<Implied> = Arc::new(<[f64]>::to_vec);
        observables::with(all, &self.exact, &self.init, &implied)
    }

    fn predictions(&self, seen: RunData<'_>) -> Vec<Prediction> {
        predictions::predictions(self.shape(), self.c0, self.levels(), seen)
    }

    /// What no finite decoder comes to, but comes near to.
    fn least_loss(&self) -> f64 {
        self.shape().task.least_loss(self.shape().residual)
    }

    /// The exact loss at the start, and the least.
    fn levels(&self) -> Vec<f64> {
        let views = observables::views(&self.exact, &self.init);
        let first = views.iter().map(|view| view.loss).sum::<f64>() / views.len() as f64;
        vec![first, self.least_loss()]
    }

    /// The paper's laws: attention alone in three conventions, the decoder of Eq. (26), Theorem 4.
    fn theories(&self) -> Theories<'static> {
        let mut theories = Theories::none();
        let [mean, sum, printed, modified, theorem_4] = NAMES;
        let conventions =
            [(mean, Convention::Mean), (sum, Convention::Sum), (printed, Convention::SumAsPrinted)];
        let (decoder, logits) = self.init.split_at(self.shape().decoder_len());
        let has_decoder = decoder.iter().any(|y| *y != 0.0);
        for (name, convention) in conventions {
            if has_decoder {
                let why = "it puts the decoder where Theorem 1 has it: start with Y = 0";
                theories = theories.without(name, why);
                continue;
            }
            theories = theories.with_valid(name, Logits::new(self.shape().clone(), convention));
        }
        theories = theories.with_valid(modified, Modified::new(self.shape().clone()));
        if has_decoder || logits.iter().any(|z| *z != 0.0) {
            return theories.without(theorem_4, "it begins at Y = Z = 0: start there");
        }
        theories.with_valid(theorem_4, TheoremFour::new(self.shape().clone(), self.c0))
    }
}

/// How many numbers a run holds at once, before the task is built.
fn numbers(system: &settings::System) -> f64 {
    let (tokens, queries, classes) = match &system.probabilities {
        Some(table) => (table.shape[1] as f64, table.shape[0] as f64, table.shape[0] as f64),
        None => {
            let [each, queries] = [system.next_per_query, system.queries].map(|n| n as f64);
            let highest = |psi: &[f64]| 1.0 + psi.iter().copied().fold(0.0, f64::max);
            let listed = |psi: &Vec<f64>| (highest(psi), psi.len() as f64);
            let (queries, classes) = system.psi.as_ref().map_or((queries, queries * each), listed);
            let own = system.distinct_weights.as_ref().map_or(system.distinct, Vec::len) as f64;
            (system.common as f64 + classes * own, queries, classes)
        }
    };
    let vocabulary = (system.vocabulary.unwrap_or(0) as f64).max(tokens + queries + classes);
    let columns = if system.outputs == Outputs::Used { classes + 1.0 } else { vocabulary };
    let (heads, d) = (system.heads as f64, system.dimension as f64);
    let pairwise = (tokens + queries) * columns + heads * queries * tokens;
    let (parameters, inner) = match system.model {
        Parametrisation::Embedding => {
            (vocabulary * d + (2.0 * heads + 1.0) * d * d, 2.0 * pairwise)
        }
        Parametrisation::Pairwise => (pairwise, 0.0),
    };
    let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
    let sampled = if system.loss == Average::Population { 0.0 } else { 2e6 };
    40.0 * parameters + inner + solver + sampled
}
