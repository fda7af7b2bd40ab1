//! What the paper's theory says about a run, ready to be drawn beside it.

use saddlescope_spec::prediction::{Prediction, RunData, Says};
use saddlescope_spec::prelude::*;

use crate::laws::scalar::ScalarLaw;
use crate::theory::Theory;
use crate::{Context, MergedLaw, Shape, StagedLaws, Task};

/// The part of its optimum at which a head's value is handed to the scalar law.
///
/// Eq. (7) needs `|k| = |q| = |v|`. What is left of the random start keeps them apart, (44), until the head
/// has grown well beyond it.
const HANDED_OVER: f64 = 0.1;

/// The part of its optimum at which the head of the stage before is done.
const DONE: f64 = 0.99;

/// All that there are.
pub(crate) const NAMES: &[&str] =
    &["levels", "value-levels", "value-law", "eigenvectors", "first-jump", "staged", "merged-law"];

/// Values per curve.
const POINTS: usize = 240;

/// The plateaus of the loss. 003, Eq. (5); Eq. (12) for contexts of varying length.
pub(crate) fn loss_levels(task: &Task, levels: Vec<f64>) -> Prediction {
    let equation = match task.context {
        Context::Fixed(_) => "Eq. (5)",
        _ => "Eq. (12)",
    };
    Prediction::new("levels", equation, "loss", Says::Levels(levels))
}

/// The values at which heads rest, with either sign: `v* = (lambda/a)^(1/3)`. 003, Eq. (6).
pub(crate) fn value_levels(task: &Task) -> Prediction {
    let values = Theory::new(task).optimal_values();
    let both = values.iter().flat_map(|&v| [v, -v]).collect();
    Prediction::new("value-levels", "$\\pm v^*_m$", "head.*.value", Says::Levels(both))
}

/// The eigenvectors, as rows: what keys and queries align with.
pub(crate) fn eigenvectors(task: &Task) -> Prediction {
    let d = task.dimension();
    let says = Says::Matrix {
        title: "eigenvectors".to_owned(),
        shape: (d, d),
        values: (0..d).flat_map(|i| task.eigenvector(i)).collect(),
        rows: (1..=d).map(|i| format!("$e_{{{i}}}$")).collect(),
    };
    Prediction::new("eigenvectors", "eigenvectors", "head.*.key", says)
}

/// The value weight of each head that has learned an eigenvector, by Eq. (7), from the end of the stage
/// before on, through the point where it has come to a tenth of its optimum.
pub(crate) fn value_laws(
    task: &Task,
    shape: Shape,
    tau: f64,
    seen: RunData<'_>,
) -> Vec<Prediction> {
    if seen.state.len() != shape.parameters() {
        return Vec::new();
    }
    let theory = Theory::new(task);
    let heads = theory.dominant_heads(shape, seen.state);
    let values = theory.optimal_values();
    let name = |d: usize| format!("head.{}.value", heads[d]);
    let time = seen.trajectory.time();
    let series = |d: usize| seen.trajectory.get(&name(d)).map(|series| series.data());
    let mut laws = Vec::new();
    let mut began = 0.0;
    for d in 0..shape.heads.min(task.dimension()) {
        let (Some(own), Ok(law)) = (series(d), ScalarLaw::of_stage(task, d, tau)) else { break };
        let point = first_beyond(time, own, HANDED_OVER * values[d], began);
        let (Some((at, value)), Some(&end)) = (point, time.last()) else { break };
        let (time_of, value_of) = through(&law, at, value, (began, end));
        let says = Says::Curve { time: time_of, value: value_of };
        laws.push(Prediction::new("value-law", "Eq. (7)", name(d), says));
        let Some((done, _)) = first_beyond(time, own, DONE * values[d], began) else { break };
        began = done;
    }
    laws
}

/// When the level half way between two plateaus is crossed, and how long after the one before: of the first jump by itself, and
/// of all.
pub(crate) fn staged_times(laws: &StagedLaws) -> Vec<Prediction> {
    let (mut all, mut before) = (Vec::new(), Some(0.0));
    for (m, time) in laws.crossings().into_iter().enumerate() {
        let duration = time.zip(before).map(|(time, before)| time - before);
        let columns = [("crossing", time), ("duration", duration)];
        for (column, number) in columns.into_iter().filter_map(|(c, n)| Some((c, n?))) {
            let mut say = |name: &'static str| {
                let column = format!("{column}.{}", m + 1);
                all.push(Prediction::new(name, "small start", column, Says::Number(number)));
            };
            if m == 0 {
                say("first-jump");
            }
            say("staged");
        }
        before = time;
    }
    all
}

/// When the level half way down the one drop is crossed, by the law of heads with a matrix each.
pub(crate) fn merged_time(law: &MergedLaw, init: &[f64], levels: &[f64]) -> Option<Prediction> {
    let middle = Condition::LossBelow(levels.iter().sum::<f64>() / levels.len() as f64);
    let flow = Flow::default().event(Event::stop(middle));
    let end = flow.run(law, 0.0, &law.project(init), &mut Silent).ok()?;
    let time = end.crossings[0]?.time;
    Some(Prediction::new(MergedLaw::NAME, "small start", "crossing.1", Says::Number(time)))
}

/// When, from time `from` on, `values` first lie beyond `size` on either side of zero, and the value
/// there: where they do at once, the first value that there is.
fn first_beyond(time: &[f64], values: &[f64], size: f64, from: f64) -> Option<(f64, f64)> {
    let first = time.partition_point(|&t| t < from);
    let row = first + values.get(first..)?.iter().position(|value| value.abs() >= size)?;
    let value = values[row];
    let before = row.checked_sub(1).filter(|&before| row > first && values[before].abs() < size);
    let Some(before) = before else { return Some((time[row], value)) };
    let part = (size - values[before].abs()) / (value.abs() - values[before].abs());
    Some((time[before] + part * (time[row] - time[before]), size.copysign(value)))
}

/// The solution of `law` through `value` at time `at`, over a span of time around it.
fn through(law: &ScalarLaw, at: f64, value: f64, span: (f64, f64)) -> (Vec<f64>, Vec<f64>) {
    let ((from, end), optimum) = (span, law.optimum());
    let size = value.abs().min((1.0 - 1e-9) * optimum);
    // While small, v = 1/(1/v_0 - t lambda^2/tau), so that it is never below this.
    let least = 1.0 / (1.0 / size + (at - from) / law.plateau_estimate(1.0));
    let nearly = 1e-6 * optimum;
    let growing = (0..POINTS).map(|i| {
        let part = i as f64 / (POINTS - 1) as f64;
        // Even in the logarithm of v below half of the optimum, of the distance to it above.
        let split = 0.5;
        if part < split {
            least * (0.5 * optimum / least).powf(part / split)
        } else {
            optimum - 0.5 * optimum * (2.0 * nearly / optimum).powf((part - split) / (1.0 - split))
        }
    });
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for v in growing {
        let away = if v < size { law.time(v, size).map(|t| -t) } else { law.time(size, v) };
        let Ok(away) = away else { continue };
        if (from..=end).contains(&(at + away)) {
            times.push(at + away);
            values.push(v.copysign(value));
        }
    }
    if let Some(&last) = times.last()
        && last < end
    {
        times.push(end);
        values.push(optimum.copysign(value));
    }
    (times, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;

    #[test]
    fn a_curve_solves_the_law_and_meets_its_point() {
        let task = Task::new(&[0.4, 0.3, 0.2, 0.1], Basis::Axes, Context::Fixed(31)).unwrap();
        let law = ScalarLaw::of_stage(&task, 1, 1.0).unwrap();
        for (size, at, end) in [(0.03, 300.0, 900.0), (0.4, 600.0, 5000.0)] {
            let (time, values) = through(&law, at, -size, (0.0, end));
            assert!(time.len() > 100 && time[0] >= 0.0);
            assert!(time.windows(2).all(|pair| pair[0] < pair[1]));
            for (&t, &v) in time.iter().zip(&values).filter(|(_, v)| -**v < law.optimum()) {
                let away = law.time(size, -v).unwrap();
                assert!((t - at - away).abs() < 1e-9 * end, "{v} at {t}, but {}", at + away);
            }
            // Back to where it would have started.
            assert!(time[0] < 0.1 * at, "{}", time[0]);
        }
    }

    #[test]
    fn a_head_is_handed_over_between_two_rows() {
        let (time, values) = ([0.0, 10.0, 20.0, 30.0], [0.01, -0.02, -0.06, -1.0]);
        let (at, value) = first_beyond(&time, &values, 0.05, 0.0).unwrap();
        assert!((at - 17.5).abs() < 1e-12 && value == -0.05);
        assert_eq!(first_beyond(&time, &values, 2.0, 0.0), None);
        assert_eq!(first_beyond(&time, &values, 0.05, 25.0), Some((30.0, -1.0)));
        assert_eq!(first_beyond(&time, &values, 0.005, 0.0), Some((0.0, 0.01)));
    }
}
