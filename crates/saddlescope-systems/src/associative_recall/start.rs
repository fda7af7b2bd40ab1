//! Where the parameters start, from settings.

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::settings::{Settings, SettingsError};

use super::Shape;

/// The parameters at the start.
pub(super) fn start(
    settings: &Settings,
    shape: &Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    let mut theta = match settings.kind() {
        Some("random") => {
            let (scale, spread) = (settings.number("scale"), settings.number("spread"));
            shape
                .random_start(scale, spread, seed)
                .map_err(|error| settings.wrong("scale", format!("does not fit: {error}")))
        }
        Some("simplex") => shape
            .given_start(&simplex(shape.heads(), settings.number("size"), seed), None)
            .map_err(|error| settings.wrong("size", format!("does not fit: {error}"))),
        _ => given(settings, shape),
    }?;
    let noise = settings.number("noise");
    if noise > 0.0 && shape.simplified().strengths {
        let message = format!(
            "is {noise}, but this model has no matrices Q and K to disturb: set second = \"matrices\", \
             or noise = 0"
        );
        return Err(settings.wrong("noise", message));
    }
    shape.disturb(&mut theta, noise, seed);
    Ok(theta)
}

fn given(settings: &Settings, shape: &Shape) -> Result<Vec<f64>, SettingsError> {
    let scale = settings.number("scale");
    let beta: Vec<f64> = settings.numbers("beta").iter().map(|beta| scale * beta).collect();
    if beta.len() != shape.heads() {
        let message = format!(
            "has {} entries, but the system has {} heads: give one strength per head",
            beta.len(),
            shape.heads()
        );
        return Err(settings.wrong("beta", message));
    }
    let weights = settings.optional_tensor("w");
    if let Some(weights) = weights {
        let expected = [shape.heads(), shape.task().order()];
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
            return Err(settings.wrong("w", message));
        }
    }
    shape
        .given_start(&beta, weights.map(|weights| &weights.values[..]))
        .map_err(|error| settings.wrong("beta", format!("does not fit: {error}")))
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
