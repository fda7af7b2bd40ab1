//! The problem of the transformer with matrices: trained on sequences, near the six parameters or away from them.

use std::sync::Arc;

use saddlescope_spec::prelude::*;
use saddlescope_spec::settings::Choice;

use crate::matrices::{Corpus, Sequences};
use crate::problem::{EVALUATION, Model, known};
use crate::readings::observables::strength;
use crate::settings::{Average, System};
use crate::{Coupling, Error, First, Matrices, Parts, Shape};

/// The problem of the transformer around the six-parameter `model`.
pub(crate) fn problem(
    system: &Spanned<System>,
    mut model: Model,
    noise: f64,
    seed: u64,
) -> Result<Problem> {
    let wrong = |error: Error| system.blame(&error, "loss");
    let shape = model.shape;
    let matrices = Matrices::new(shape.task).map_err(wrong)?;
    for (name, found, wanted) in [
        ("first", system.first.word(), First::Trained.word()),
        ("coupling", system.coupling.word(), Coupling::Untied.word()),
        ("parts", system.parts.word(), Parts::Both.word()),
    ] {
        let message = format!(
            "is \"{found}\", but the transformer with matrices has no other than \"{wanted}\""
        );
        system.ensure(found == wanted, name, message)?;
    }
    let loss = match system.loss {
        Average::Online => Corpus::fresh(matrices, system.batch).map(Loss::drawn),
        Average::Empirical => {
            let sequences = system.sequences;
            let on = move |seed| Corpus::stored(matrices, (sequences, seed)).map(Loss::exact);
            on(seed).map(|loss| loss.with_fresh(move |seed| on(seed).ok()))
        }
        Average::Population => {
            let message = "is \"population\", but the transformer with matrices has no exact loss: take \
                           \"online\" or \"empirical\"";
            return Err(system.wrong("loss", message));
        }
    }
    .map_err(wrong)?;
    let places = matrices.places(&shape).map_err(wrong)?;
    let init = matrices.noisy_start(&shape, &model.six, (noise, seed)).map_err(wrong)?;
    let evaluation = Corpus::stored(matrices, EVALUATION).map_err(wrong)?;
    let first = evaluation.loss.partial(&init, Draw::default());
    model.levels = vec![first.gram + first.induction, 0.0];
    let evaluation = Arc::new(evaluation);
    Ok(known(system, loss, init, model)
        .segment_steps(500)
        .observables(move |_, all| observables(all, (matrices, shape), places, &evaluation))
        .build())
}

/// The built-in ones; the six parameters by their names, each the mean over the `places` where it stands (`w_q`, `w_k` of
/// the first coordinate); `strength`; `off_surface`, the norm of all that the six-parameter model keeps fixed, away from
/// what it keeps it at; and the partial losses on a data set.
fn observables(
    mut all: Observables,
    (matrices, shape): (Matrices, Shape),
    places: Vec<Vec<usize>>,
    evaluation: &Arc<Sequences>,
) -> Observables {
    let places = Arc::new(places);
    let six = move |state: &[f64]| -> Vec<f64> {
        let mean = |places: &Vec<usize>| {
            places.iter().map(|&place| state[place]).sum::<f64>() / places.len() as f64
        };
        places.iter().map(mean).collect()
    };
    for (name, index) in [
        ("p_tilde", 0),
        ("p", shape.gram()),
        ("g", shape.gram() + 1),
        ("w_q", shape.query()),
        ("w_k", shape.key()),
        ("h", shape.h()),
    ] {
        let six = six.clone();
        all = all.with(Observable::scalar(name, move |moment| six(moment.state)[index]));
    }
    let (one, two) = (Arc::clone(evaluation), Arc::clone(evaluation));
    let (inside, draw) = (six.clone(), Draw::default());
    all.with(Observable::scalar("strength", move |moment| strength(&shape, &inside(moment.state))))
        .with(Observable::scalar("off_surface", move |moment| {
            let Ok(nearest) = matrices.embed(&shape, &six(moment.state)) else { return f64::NAN };
            let squares = moment.state.iter().zip(&nearest).map(|(a, b)| (a - b).powi(2));
            squares.sum::<f64>().sqrt()
        }))
        .with(Observable::scalar("loss.g4", move |moment| {
            one.loss.partial(moment.state, draw).gram
        }))
        .with(Observable::scalar("loss.ih", move |moment| {
            two.loss.partial(moment.state, draw).induction
        }))
}
