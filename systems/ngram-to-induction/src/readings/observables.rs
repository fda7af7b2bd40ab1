//! What can be read off a state beside the parameters: partial losses, strengths, Lyapunov functions.

use std::sync::Arc;

use saddlescope_spec::prelude::*;

use crate::loss::geometric::{nearest, tail, tails};
use crate::{Partial, Shape};

/// The two halves of the loss at a state.
pub(crate) type PartialLosses = dyn Fn(&[f64]) -> Result<Partial, Fault> + Send + Sync;

/// Adds them: `loss.g4`, `loss.ih` (the partial losses); `strength`, the root of the mean product of query and key
/// (zero where that is negative); `attention.gram`, the weight of `x_{L-2}` in head 1, and `attention.previous`, the
/// mean weight of `x_{s-1}` in `y_s` (one after Stage I); `lyapunov.gram`, `lyapunov.induction`, the functions `G` of 002.
pub(crate) fn with(mut all: Observables, shape: Shape, losses: &Arc<PartialLosses>) -> Observables {
    let task = shape.task;
    let of_loss = |name: &str, pick: fn(Partial) -> f64| {
        let losses = Arc::clone(losses);
        Observable::scalar(name, move |moment| losses(moment.state).map_or(f64::NAN, pick))
    };
    if shape.has_gram() {
        all = all
            .with(of_loss("loss.g4", |partial| partial.gram))
            .with(Observable::scalar("attention.gram", move |moment| {
                gram_weight(&shape, moment.state)
            }))
            .with(Observable::scalar("lyapunov.gram", move |moment| {
                let Some([p, g]) = shape.read(moment.state).gram else { return f64::NAN };
                // 002, appendix C.3.1: u = e^-p, v = u g* + g* - g.
                let (u, target) = ((-p).exp(), task.gram_weight());
                0.5 * (u * u + (u * target + target - g).powi(2))
            }));
    }
    if shape.has_induction() {
        all = all
            .with(of_loss("loss.ih", |partial| partial.induction))
            .with(Observable::scalar("strength", move |moment| strength(&shape, moment.state)))
            .with(Observable::scalar("lyapunov.induction", move |moment| {
                let Some((_, _, h)) = shape.read(moment.state).induction else { return f64::NAN };
                let off = mean_product(&shape, moment.state) - task.product();
                0.5 * (off * off + (h - task.induction_weight()).powi(2))
            }));
    }
    all.with(Observable::scalar("attention.previous", move |moment| {
        let Some(slope) = shape.read(moment.state).p_tilde else { return 1.0 };
        let places = task.places();
        tails(slope).take(places).map(nearest).sum::<f64>() / places as f64
    }))
}

/// The root of the mean product of query and key.
pub(crate) fn strength(shape: &Shape, state: &[f64]) -> f64 {
    mean_product(shape, state).max(0.0).sqrt()
}

/// The mean over coordinates of `w_Q w_K`.
fn mean_product(shape: &Shape, state: &[f64]) -> f64 {
    let Some((query, key, _)) = shape.read(state).induction else { return f64::NAN };
    query.iter().zip(key).map(|(q, k)| q * k).sum::<f64>() / query.len() as f64
}

/// The weight that head 1 gives `x_{L-2}`, without its value `g`.
fn gram_weight(shape: &Shape, state: &[f64]) -> f64 {
    let parameters = shape.read(state);
    let Some([p, _]) = parameters.gram else { return f64::NAN };
    let places = shape.task.places();
    let share = |slope: f64| nearest(tail(places, slope));
    parameters.p_tilde.map_or(1.0, share) * share(p)
}
