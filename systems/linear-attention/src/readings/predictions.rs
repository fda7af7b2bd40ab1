//! What the paper's theory says about a run, ready to be drawn beside it.

use saddlescope_spec::prediction::{Prediction, RunData, Says};
use saddlescope_spec::prelude::*;

use crate::data::sequences::dot;
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
pub(crate) const NAMES: &[&str] = &[
    "levels",
    "value-levels",
    "value-law",
    "plateau-law",
    "plateau-end",
    "alignment-law",
    "eigenvectors",
    "first-jump",
    "staged",
    "merged-law",
];

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

/// What is said of each plateau and the jump after it, of heads of rank 1.
///
/// - `value-law`: the value weight of the head that learns the next eigenvector, by Eq. (7), from the end of the stage
///   before on, through the point where it has come to a tenth of its optimum.
/// - `plateau-law`: the same while it is small, `v(t) = v/(1 - t lambda^2 v/tau)`, from what it is when the plateau begins:
///   003, before Eqs. (38), (43); `plateau-end` is when it would be infinite, which these equations take for the end.
/// - `alignment-law`: how the keys of the heads that have not grown turn on the plateau, see [`turning`].
pub(crate) fn stage_laws(
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
    let (mut laws, mut ends) = (Vec::new(), Vec::new());
    let mut began = 0.0;
    for d in 0..shape.heads.min(task.dimension()) {
        let (Some(own), Ok(law)) = (series(d), ScalarLaw::of_stage(task, d, tau)) else { break };
        let point = first_beyond(time, own, HANDED_OVER * values[d], began);
        let (Some((at, value)), Some(&end)) = (point, time.last()) else { break };
        let (time_of, value_of) = through(&law, at, value, (began, end));
        let says = Says::Curve { time: time_of, value: value_of };
        laws.push(Prediction::new("value-law", "Eq. (7)", name(d), says));
        let small = own[time.partition_point(|&t| t < began)];
        if small != 0.0 && small.abs() < values[d] {
            ends.push(began + law.plateau_estimate(small.abs()));
            let (time_of, value_of) = while_small(&law, began, small);
            let sizes = value_of.iter().map(|v| v.abs()).collect();
            for (of, value) in [(name(d), value_of), (format!("norm.{}", name(d)), sizes)] {
                let says = Says::Curve { time: time_of.clone(), value };
                laws.push(Prediction::new("plateau-law", "Eqs. (38), (43)", of, says));
            }
        }
        let plateau = (began, at);
        laws.extend(
            (0..shape.heads)
                .filter(|head| !heads[..d].contains(head))
                .flat_map(|head| turning(task, head, (plateau, d, tau), seen)),
        );
        let Some((done, _)) = first_beyond(time, own, DONE * values[d], began) else { break };
        began = done;
    }
    if !ends.is_empty() {
        laws.push(Prediction::new("plateau-end", "Eqs. (38), (43)", "time", Says::Instants(ends)));
    }
    laws
}

/// `tau dv/dt = lambda^2 v^2` from `value` at time `began` until it is as large as the optimum.
fn while_small(law: &ScalarLaw, began: f64, value: f64) -> (Vec<f64>, Vec<f64>) {
    let (size, wait) = (value.abs(), law.plateau_estimate(value.abs()));
    let grown = |i: usize| (law.optimum() / size).powf(i as f64 / POINTS as f64);
    let point = |i: usize| (began + wait * (1.0 - 1.0 / grown(i)), value * grown(i));
    (0..=POINTS).map(point).unzip()
}

/// The cosines between the key of a head that has not grown and each eigenvector, while the model rests with `learned`
/// eigenvectors: with `T = (lambda_d^2/tau) integral v dt`, `k + q` along `e_d` grows by `e^T`, `k - q` falls as much, and what
/// is along a learned eigenvector stays. Known where the head's value, key, query and these cosines were recorded.
// 003, Eqs. (33), (40), whose third term must leave k and q each as it is: the print gives k + q to both.
fn turning(
    task: &Task,
    head: usize,
    ((from, to), learned, tau): ((f64, f64), usize, f64),
    seen: RunData<'_>,
) -> Vec<Prediction> {
    let (d, trajectory, time) = (task.dimension(), seen.trajectory, seen.trajectory.time());
    let of = |name: String| trajectory.get(&name);
    let all = [
        of(format!("head.{head}.value")),
        of(format!("head.{head}.key")),
        of(format!("head.{head}.query")),
        of(format!("cosine.head.{head}.key")),
    ];
    let [Some(value), Some(key), Some(query), Some(_)] = all else { return Vec::new() };
    let rows = time.partition_point(|&t| t < from)..time.partition_point(|&t| t <= to);
    if rows.len() < 2 {
        return Vec::new();
    }
    let components = |x: &[f64]| (0..d).map(|e| dot(x, &task.eigenvector(e))).collect();
    let (first, v) = (rows.start, value.data());
    let (keys, queries): (Vec<f64>, Vec<f64>) =
        (components(key.row(first)), components(query.row(first)));
    let (mut clock, mut times, mut curves) = (0.0, Vec::new(), vec![Vec::new(); d]);
    let every = rows.len().div_ceil(POINTS);
    for row in rows {
        if row > first {
            clock += 0.5 * (v[row] + v[row - 1]) * (time[row] - time[row - 1]);
        }
        if (row - first).is_multiple_of(every) {
            let along = |e: usize| {
                let squared = task.eigenvalues[e] * task.eigenvalues[e];
                let growth = if e < learned { 1.0 } else { (squared / tau * clock).exp() };
                0.5 * ((keys[e] + queries[e]) * growth + (keys[e] - queries[e]) / growth)
            };
            let turned: Vec<f64> = (0..d).map(along).collect();
            let length = dot(&turned, &turned).sqrt();
            times.push(time[row]);
            curves.iter_mut().zip(turned).for_each(|(curve, k)| curve.push(k / length));
        }
    }
    let say = |(e, value): (usize, Vec<f64>)| {
        let says = Says::Curve { time: times.clone(), value };
        let of = format!("cosine.head.{head}.key[0,{e}]");
        Prediction::new("alignment-law", "Eqs. (33), (40)", of, says)
    };
    curves.into_iter().enumerate().map(say).collect()
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
    fn small_values_grow_as_the_law_does_and_reach_the_optimum_before_the_end() {
        let task = Task::new(&[0.4, 0.3, 0.2, 0.1], Basis::Axes, Context::Fixed(31)).unwrap();
        let law = ScalarLaw::of_stage(&task, 2, 1.5).unwrap();
        let (time, values) = while_small(&law, 70.0, -1e-3);
        for (&t, &v) in time.iter().zip(&values).filter(|(_, v)| -**v < 0.02) {
            let exact = 70.0 + law.time(1e-3, -v).unwrap();
            assert!((t - exact).abs() < 1e-4 * exact, "{v} at {t}, but {exact}");
        }
        // 003, Eq. (43): tau/(lambda^2 v), which the curve comes near to by 1/v of its optimum.
        let (wait, last) = (1.5 / (0.2 * 0.2 * 1e-3), time[time.len() - 1]);
        assert!((last - 70.0 - wait * (1.0 - 1e-3 / law.optimum())).abs() < 1e-6 * wait);
    }

    #[test]
    fn keys_turn_as_they_do_in_the_flow_of_the_whole_model() {
        use saddlescope::trajectory::{Series, Trajectory};
        use saddlescope::{Draw, Landscape};

        let basis = Basis::Random { seed: 3 };
        let task = Task::new(&[0.4, 0.3, 0.2], basis, Context::Fixed(31)).unwrap();
        let shape = Shape::new(3, 2, 1).unwrap();
        let landscape = crate::Population::new(&task, shape, 1.0).unwrap();
        // Head 0 has learned the first eigenvector; head 1 is small.
        let theory = Theory::new(&task);
        let at = theory.weights_at(shape, &[0], crate::theory::Slots::HeadEach).unwrap();
        let noise = shape.random_start(1e-3, 5).unwrap();
        let mut weights = at.clone();
        weights[7..].copy_from_slice(&noise[7..]);
        let (mut work, mut gradient) = (landscape.work(), vec![0.0; 14]);
        let (mut time, mut columns) = (Vec::new(), vec![Vec::new(); 4]);
        // Euler's steps in units in which they are far smaller than the wait.
        let step = 2.0;
        for row in 0..20_000 {
            if weights[7].abs() > 0.02 {
                break;
            }
            time.push(f64::from(row) * step);
            columns[0].push(weights[7]);
            columns[1].extend_from_slice(&weights[8..11]);
            columns[2].extend_from_slice(&weights[11..14]);
            columns[3].extend(theory.cosines(&weights[8..11]));
            landscape.evaluate(&weights, Draw::default(), &mut work, &mut gradient).unwrap();
            weights.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= 0.5 * step * g);
        }
        let cosines = columns[3].clone();
        let names = ["head.1.value", "head.1.key", "head.1.query", "cosine.head.1.key"];
        let series = names.iter().zip(columns).map(|(name, data)| {
            let shape = if *name == "head.1.value" { vec![] } else { vec![1, 3] };
            Series::new(*name, shape, data)
        });
        let (end, rows) = (time[time.len() - 1], time.len());
        let trajectory = Trajectory::new(time, vec![0; rows], series.collect(), Vec::new());
        let seen = RunData { trajectory: &trajectory, crossings: &[], state: &weights };
        let curves = turning(&task, 1, ((0.0, end), 1, 1.0), seen);
        assert_eq!(curves.len(), 3);
        let mut turned = 0.0_f64;
        for (e, curve) in curves.iter().enumerate() {
            let Says::Curve { time, value } = &curve.says else { unreachable!("a curve") };
            for (&t, &found) in time.iter().zip(value) {
                let exact = cosines[(t / step) as usize * 3 + e];
                assert!((found - exact).abs() < 1e-3, "{e} at {t}: {found} is not {exact}");
                turned = turned.max((exact - cosines[e]).abs());
            }
        }
        assert!(turned > 0.3, "{turned}: the key must turn");
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
