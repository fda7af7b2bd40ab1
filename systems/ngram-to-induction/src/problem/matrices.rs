//! The problem of the transformer with matrices: trained on sequences, near the six parameters or away from them.

use std::sync::Arc;

use saddlescope::record::{Observable, Observables};
use saddlescope::{Draw, Loss};
use saddlescope_spec::problem::Problem;
use saddlescope_spec::settings::{Choice, SettingsError, Spanned};

use crate::matrices::{Corpus, Sequences};
use crate::problem::{EVALUATION, Model, blame, known};
use crate::settings::{Average, System};
use crate::{Coupling, Error, First, Matrices, Parts, Shape};

/// The problem of the transformer around the six-parameter `model`.
pub(crate) fn problem(
    system: &Spanned<System>,
    mut model: Model,
    noise: f64,
    seed: u64,
) -> Result<Problem, SettingsError> {
    let wrong = |error: Error| blame(system, &error);
    let shape = model.shape;
    let matrices = Matrices::new(shape.task).map_err(wrong)?;
    for (name, found, wanted) in [
        ("first", system.first.word(), First::Trained.word()),
        ("coupling", system.coupling.word(), Coupling::Untied.word()),
        ("parts", system.parts.word(), Parts::Both.word()),
    ] {
        if found != wanted {
            let message = format!(
                "is \"{found}\", but the transformer with matrices has no other than \"{wanted}\""
            );
            return Err(system.wrong(name, message));
        }
    }
    let loss = match system.loss {
        Average::Online => Corpus::fresh(matrices, system.batch).map(Loss::drawn),
        Average::Empirical => Corpus::stored(matrices, (system.sequences, seed)).map(Loss::exact),
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
    let first = evaluation.0.partial(&init, Draw::default());
    model.levels = vec![first.gram + first.induction, 0.0];
    let read = Read { matrices, shape, evaluation: Arc::new(evaluation), places: Arc::new(places) };
    Ok(known(system, loss, init, model)
        .segment_steps(500)
        .observables(move |_, all| read.with(all))
        .build())
}

/// What is read off a state.
struct Read {
    matrices: Matrices,
    /// The six-parameter model inside.
    shape: Shape,
    /// What partial losses are measured on.
    evaluation: Arc<Sequences>,
    /// Where each of the six parameters stands.
    places: Arc<Vec<Vec<usize>>>,
}

impl Read {
    /// One of the six parameters, as the mean over the entries where it stands.
    fn parameter(&self, name: &str, index: usize) -> Observable {
        let places = Arc::clone(&self.places);
        Observable::scalar(name, move |moment| {
            let entries = places[index].iter().map(|&place| moment.state[place]);
            entries.sum::<f64>() / places[index].len() as f64
        })
    }

    /// The built-in ones; the six parameters by their names, read where they stand (`w_q`, `w_k` of the first
    /// coordinate); `strength`; `off_surface`, the norm of all that the six-parameter model keeps fixed, away from
    /// what it keeps it at; and the partial losses on a data set.
    fn with(&self, mut all: Observables) -> Observables {
        let shape = self.shape;
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
        let d = shape.task.dimension;
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
}
