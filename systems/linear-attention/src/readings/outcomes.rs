//! What a run came to, as a number: whether its loss falls in jumps or in one sweep.

use saddlescope_spec::prelude::*;

/// All that there are.
pub(crate) const NAMES: &[&str] = &["accelerating"];

/// Changes of the slope below this part of it are rounding.
const CHANGE: f64 = 1e-6;

/// `accelerating`: the part of the whole fall of the loss during which the loss falls faster and faster. Jumps have about half of
/// theirs there; an exponential, a sum of exponentials and all other convex curves have none.
pub(crate) fn outcomes(seen: RunData<'_>) -> Vec<Outcome> {
    let Some(loss) = seen.trajectory.get("loss") else { return Vec::new() };
    let part = accelerating(seen.trajectory.time(), loss.data());
    part.map(|part| Outcome::new("accelerating", part)).into_iter().collect()
}

fn accelerating(time: &[f64], loss: &[f64]) -> Option<f64> {
    let middle = |(time, loss): (&[f64], &[f64])| {
        let slope = (loss[1] - loss[0]) / (time[1] - time[0]);
        (time[1] > time[0]).then_some((0.5 * (loss[0] + loss[1]), -slope))
    };
    let middles: Vec<(f64, f64)> =
        time.windows(2).zip(loss.windows(2)).filter_map(middle).collect();
    let (mut faster, mut whole) = (0.0, 0.0);
    for pair in middles.windows(2) {
        let [(before, slow), (after, fast)] = [pair[0], pair[1]];
        whole += before - after;
        if fast > slow + CHANGE * slow.abs() {
            faster += before - after;
        }
    }
    (whole > 0.0).then(|| faster / whole)
}

#[cfg(test)]
mod tests {
    use super::accelerating;

    fn of(loss: impl Fn(f64) -> f64) -> f64 {
        let time: Vec<f64> = (0..=2000).map(|i| 0.01 * f64::from(i)).collect();
        let values: Vec<f64> = time.iter().map(|&t| loss(t)).collect();
        accelerating(&time, &values).unwrap()
    }

    #[test]
    fn jumps_accelerate_and_exponentials_do_not() {
        assert_eq!(of(|t| (-t).exp() + 0.3 * (-0.1 * t).exp()), 0.0);
        let jump = |t: f64, at: f64| 1.0 / (1.0 + (3.0 * (t - at)).exp());
        // A logistic drop turns half way.
        assert!((of(|t| jump(t, 6.0) + 0.5 * jump(t, 14.0)) - 0.5).abs() < 0.01);
        assert_eq!(accelerating(&[0.0, 1.0], &[1.0, 1.0]), None);
    }
}
