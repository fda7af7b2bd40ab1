//! Training on sequences as a problem: of the minimal model, or of the full transformer.

use std::sync::Arc;

use saddlescope::analysis::sharpness::sharpness;
use saddlescope_spec::prelude::*;
use saddlescope_transformer::settings::Checkpoint;
use saddlescope_transformer::{Training, checkpoint};

use crate::data::BatchSource;
use crate::matrices::SequenceModel;
use crate::matrices::restricted::{self, Restricted, Schooling};
use crate::problem::init;
use crate::readings::evaluation::Evaluation;
use crate::readings::predictions;
use crate::readings::sequences::{self as seen_in, Watch};
use crate::settings::{Average, Init, Precision, Task};
use crate::task::chain::{TEST, TRAINING};
use crate::theory::fitted::Fit;
use crate::{Chain, Error, Full};

/// Sequences of the data set that stands for the mean of all.
const MANY: usize = 16_384;

/// The loss over the sequences that are `seen`, and its mean: over all of the data set, with nothing dropped out; where
/// sequences are drawn afresh, over a large one keyed by `seed`.
fn loss<M: SequenceModel>(
    model: &M,
    seen: BatchSource,
    double: bool,
    seed: u64,
) -> Result<Loss, Error> {
    let plain = model.without_dropout()?;
    let draws = plain.is_some() || !matches!(seen, BatchSource::All(_));
    let found = match (double, draws) {
        (true, true) => Loss::drawn(model.landscape::<f64>(seen.clone())?),
        (true, false) => Loss::exact(model.landscape::<f64>(seen.clone())?),
        (false, _) => Loss::single(model.landscape::<f32>(seen.clone())?, draws),
    };
    if !draws {
        return Ok(found);
    }
    let model = plain.unwrap_or_else(|| model.clone());
    Ok(found.with_mean(move || match &seen {
        BatchSource::All(data) | BatchSource::Some(data, _) => {
            loss(&model, BatchSource::All(Arc::clone(data)), double, seed).ok()
        }
        BatchSource::Fresh(_) => {
            let on = fresh(model.clone(), MANY, double);
            Some(on(seed)?.with_fresh(on))
        }
    }))
}

/// The loss over a data set of so many sequences, with nothing dropped out, by its seed.
fn fresh<M: SequenceModel>(
    model: M,
    sequences: usize,
    double: bool,
) -> impl Fn(u64) -> Option<Loss> + Send + Sync + 'static {
    move |seed| {
        let model = model.without_dropout().ok()?.unwrap_or_else(|| model.clone());
        let data = model.chain().data_set(sequences, (seed, TRAINING)).into();
        loss(&model, BatchSource::All(data), double, seed).ok()
    }
}

fn seen(task: &Task, chain: &Chain, seed: u64) -> BatchSource {
    if task.loss == Average::Online {
        return BatchSource::Fresh(task.batch);
    }
    let data = chain.data_set(task.sequences, (seed, TRAINING)).into();
    if task.batch < task.sequences {
        BatchSource::Some(data, task.batch)
    } else {
        BatchSource::All(data)
    }
}

/// What is known of either model, compared with models of restricted contexts that start as `law` says. A flow of a loss in
/// single precision fails with words about what it `needs`.
fn known<M: SequenceModel>(
    task: &Spanned<Task>,
    (model, init, law): (&M, Vec<f64>, M::Init),
    seed: u64,
    needs: &'static str,
) -> Result<ProblemBuilder<Arc<Watch<M>>>> {
    let blame = |error: Error| init::blame(task, &error);
    let (chain, seed) = (model.chain(), init::data_seed(task, seed));
    let seen = seen(task, chain, seed);
    let windows = match &task.contexts {
        Some(listed) => task.wholes("contexts", listed)?,
        None => Vec::new(),
    };
    // At one rate throughout.
    let steps = restricted::steps(task.context_rate, task.context_steps as u64);
    let schooling = Schooling { seen: seen.clone(), steps, start: law, seed };
    let restricted = Restricted::new(model, &windows, schooling)
        .map_err(|error| task.wrong("contexts", format!("does not fit: {error}")))?;
    let double = task.precision == Precision::Double;
    let mut loss = loss(model, seen, double, seed).map_err(blame)?;
    if task.loss == Average::Empirical {
        loss = loss.with_fresh(fresh(model.clone(), task.sequences, double));
    }
    let test = chain.data_set(task.test_sequences, (seed, TEST));
    let evaluation = Evaluation::new(Arc::clone(chain), test, Fit { seed, ..Fit::default() })
        .map_err(blame)?
        .with_restricted(Arc::new(restricted));
    let watch = Arc::new(Watch::new(model.clone(), evaluation, windows));
    Ok(Problem::new(loss, init)
        .of(watch)
        .observables(|watch, all| seen_in::with(all, watch))
        .predictions(predictions::NAMES, |watch, seen| predictions::sequences(watch, seen))
        .outcomes(seen_in::outcome_names(chain.groups.len()), |watch, seen| {
            seen_in::outcomes(watch, seen)
        })
        .check(move |_, stages| {
            let flows = |stage: &Phase| matches!(stage.motion, Motion::Flow(_));
            if !double && stages.iter().any(flows) {
                return Err(PhaseError::Unfit(format!("a flow needs {needs}")));
            }
            Ok(())
        }))
}

pub(crate) fn minimal(task: &Spanned<Task>, start: &Spanned<Init>, seed: u64) -> Result<Problem> {
    let model = init::minimal(task, seed)?;
    let init = init::minimal_start(start, &model, seed)?;
    let needs = "double precision: set system.precision = \"double\", and system.batch to the size of the data set";
    let known = known(task, (&model, init, init::USUAL_U), seed, needs)?.segment_steps(200);
    if model.layers > 1 {
        return Ok(known.build());
    }
    Ok(known.symmetry(move |_| Symmetry::none().numbered("head", &model.blocks)).build())
}

/// Sequences that sharpness is measured on.
const PROBED: usize = 64;

/// The full transformer. Its observables include `sharpness`, the largest curvature by size of the loss of 64 training
/// sequences without dropout.
pub(crate) fn full(task: &Spanned<Task>, start: &Spanned<Init>, seed: u64) -> Result<Problem> {
    let model = init::full(task, seed)?;
    let law = init::full_law(start, &model)?;
    let (init, file) = if let Init::Checkpoint(Checkpoint { file }) = &**start {
        let (init, file) = checkpoint::read(file, &model.model.blocks)
            .map_err(|message| start.wrong("file", message))?;
        (init, vec![file])
    } else {
        (model.model.start(law.0, &law.1, seed), Vec::new())
    };
    let needs = "double precision and no chance: set system.precision = \"double\", system.dropout = 0 and \
                 system.batch to the size of the data set";
    let known = known(task, (&model, init, law), seed, needs)?;
    let probe = probe(model, init::data_seed(task, seed)).map_err(|e| init::blame(task, &e))?;
    let with_sharpness = known.inputs(file).segment_steps(100).observables(|_, all| {
        all.with(Observable::scalar("sharpness", move |moment| {
            sharpness(&probe, moment.state).unwrap_or(f64::NAN)
        }))
    });
    Ok(with_sharpness.build())
}

/// The loss of a few training sequences without dropout.
fn probe(full: Full, seed: u64) -> Result<Training<f64>, Error> {
    let probed = full.chain.data_set(PROBED, (seed, TRAINING)).into();
    full.without_dropout()?.unwrap_or(full).landscape::<f64>(BatchSource::All(probed))
}

#[cfg(test)]
#[path = "training_tests.rs"]
mod tests;
