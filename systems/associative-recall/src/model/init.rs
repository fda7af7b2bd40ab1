//! Where the parameters start, from settings.

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope_spec::settings::{Settings, SettingsError, Spanned};

use crate::Shape;
use crate::settings::{Given, Init, Noise, Random, Simplex};

/// The parameters at the start.
pub(crate) fn start(
    settings: &Settings,
    shape: &Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    let (init, Noise { noise }): (Spanned<Init>, Noise) = settings.read();
    let mut theta = match &*init {
        Init::Random(Random { scale, spread }) => shape
            .random_start(*scale, *spread, seed)
            .map_err(|error| init.wrong("scale", format!("does not fit: {error}"))),
        Init::Simplex(Simplex { size }) => shape
            .given_start(&simplex(shape.heads, *size, seed), None)
            .map_err(|error| init.wrong("size", format!("does not fit: {error}"))),
        Init::Given(listed) => given(&init, listed, shape),
    }?;
    if noise > 0.0 && shape.simplified.strengths {
        let message = format!(
            "is {noise}, but this model has no matrices Q and K to disturb: set second = \"matrices\", \
             or noise = 0"
        );
        return Err(init.wrong("noise", message));
    }
    shape.disturb(&mut theta, noise, seed);
    Ok(theta)
}

fn given(init: &Spanned<Init>, listed: &Given, shape: &Shape) -> Result<Vec<f64>, SettingsError> {
    let beta: Vec<f64> = listed.beta.iter().map(|beta| listed.scale * beta).collect();
    if beta.len() != shape.heads {
        let message = format!(
            "has {} entries, but the system has {} heads: give one strength per head",
            beta.len(),
            shape.heads
        );
        return Err(init.wrong("beta", message));
    }
    if let Some(weights) = &listed.w {
        let expected = [shape.heads, shape.task.order];
        if weights.shape != expected {
            let message = format!(
                "has shape {} x {}, but {} heads with the lags 1 to {} need {} x {}",
                weights.shape[0],
                weights.shape[1],
                expected[0],
                expected[1],
                expected[0],
                expected[1]
            );
            return Err(init.wrong("w", message));
        }
    }
    shape
        .given_start(&beta, listed.w.as_ref().map(|weights| &weights.values[..]))
        .map_err(|error| init.wrong("beta", format!("does not fit: {error}")))
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
