//! Where the parameters start, from settings.

use saddlescope_spec::prelude::*;

use crate::Shape;
use crate::settings::{Given, Init, Noise, Random, Simplex};

pub(crate) fn start(settings: &Settings, shape: &Shape, seed: u64) -> Result<Vec<f64>> {
    let (init, Noise { noise }): (Spanned<Init>, Noise) = settings.read();
    let (theta, name) = match &*init {
        Init::Random(Random { scale, spread }) => {
            (shape.random_start(*scale, *spread, seed), "scale")
        }
        Init::Simplex(Simplex { size }) => {
            (shape.given_start(&simplex(shape.heads, *size, seed), None), "size")
        }
        Init::Given(Given { beta, scale, w }) => {
            let beta: Vec<f64> = beta.iter().map(|beta| scale * beta).collect();
            let [heads, k] = [shape.heads, shape.task.order];
            let words = format!("{heads} heads with the lags 1 to {k} need {heads} x {k}");
            if let Some(weights) = w {
                init.check_shape("w", weights, &[heads, k], &words)?;
            }
            (shape.given_start(&beta, w.as_ref().map(|weights| &weights.values[..])), "beta")
        }
    };
    let mut theta = theta.map_err(|error| init.blame(&error, name))?;
    let message = format!(
        "is {noise}, but this model has no matrices Q and K to disturb: set second = \"matrices\", \
         or noise = 0"
    );
    init.ensure(noise <= 0.0 || !shape.simplified.strengths, "noise", message)?;
    shape.disturb(&mut theta, noise, seed);
    Ok(theta)
}

/// Positive numbers of a given sum, drawn evenly from all of them: gaps between sorted uniform numbers.
fn simplex(count: usize, sum: f64, seed: u64) -> Vec<f64> {
    let mut cuts = vec![0.0; count - 1];
    Stream::new(seed, Purpose::Start, 0).fill_uniform(&mut cuts);
    cuts.sort_by(f64::total_cmp);
    let mut last = 0.0;
    cuts.push(1.0);
    cuts.iter().map(|cut| sum * (cut - std::mem::replace(&mut last, *cut))).collect()
}
