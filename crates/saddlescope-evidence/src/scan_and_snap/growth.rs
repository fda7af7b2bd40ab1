//! Theorem 3 and the rest of section 5: how fast distinct tokens grow, Eqs. (11), (12) and (108) to (117); scanning in the order
//! of co-occurrence, first values as a prior.

use super::*;

/// Several queries and common tokens, from random logits, up to `20 t_0`.
fn several(trial: Trial) -> (PlainTask, Vec<f64>, Vec<Point>) {
    let task = PlainTask::random(trial, 100, (4, 2), (2, 3), 0.6).rates(1.0, 3.0);
    let z = logits(&task, trial, 101, 0.3);
    let path = task.path(&z, Share::Sum, &times(&task), 150);
    (task, z, path)
}

/// One query and one common token, which loses by Theorem 2(b).
pub(super) fn one_common(trial: Trial) -> (PlainTask, Vec<f64>) {
    let task = PlainTask::random(trial, 102, (4, 1), (1, 3), 0.6).rates(1.0, 3.0);
    let z = logits(&task, trial, 103, 0.1);
    (task, z)
}

/// `t_0'/4`, `t_0'`, `t_0`, `4 t_0` and `20 t_0`.
pub(super) fn times(task: &PlainTask) -> Vec<f64> {
    let (first, second) = (task.scanned(), task.snapped());
    vec![0.25 * first, first, second, 4.0 * second, 20.0 * second]
}

/// Pairs of distinct tokens of each class: class, token, other.
fn pairs(task: &PlainTask) -> Vec<(usize, usize, usize)> {
    let of_class = |n: usize| {
        let own = task.distinct(n);
        pairs_below(own.len()).map(move |(i, j)| (n, own[i], own[j]))
    };
    (0..task.classes.len()).flat_map(of_class).collect()
}

/// `r_{l/l'|n}`. 004, Theorem 3.
pub(super) fn gain(task: &PlainTask, z: &[f64], (n, l, other): (usize, usize, usize)) -> f64 {
    let scores = task.scores(n, z);
    (scores[l] / scores[other]).powi(2) - 1.0
}

/// `z_ml` of a token of class `n`.
fn logit(task: &PlainTask, z: &[f64], n: usize, l: usize) -> f64 {
    z[task.row(n) + l]
}

/// The distinct token of class `n` that is ahead at logits `z`.
pub(super) fn dominant(task: &PlainTask, z: &[f64], n: usize) -> usize {
    let (scores, own) = (task.scores(n, z), task.distinct(n));
    own[place_of_largest(&own.iter().map(|&l| scores[l]).collect::<Vec<_>>())]
}

pub(super) fn eq_11(e: &mut Evidence, trial: Trial) {
    let (task, start, path) = several(trial);
    for point in &path {
        let sides = |pair: (usize, usize, usize)| {
            let (n, l, _) = pair;
            let grown = logit(&task, &point.z, n, l) - logit(&task, &start, n, l);
            (gain(&task, &start, pair) * (2.0 * grown).exp(), gain(&task, &point.z, pair))
        };
        let what =
            format!("all pairs at t = {:.4} t_0, by a plain solver", point.t / task.snapped());
        e.of(what).pairs(pairs(&task).into_iter().map(sides), 1e-7);
    }
}

pub(super) fn eq_108(e: &mut Evidence, trial: Trial) {
    let (task, start, path) = several(trial);
    let mut worst = [0.0; 2];
    for point in &path {
        let rate = task.rate(&point.z, task.lead(point.t), Share::Sum);
        for pair in pairs(&task) {
            let (n, l, other) = pair;
            let ratio = logit(&task, &rate, n, l) / logit(&task, &rate, n, other);
            let grown = |l: usize| logit(&task, &point.z, n, l) - logit(&task, &start, n, l);
            let lines = [
                gain(&task, &point.z, pair) + 1.0,
                (gain(&task, &start, pair) + 1.0) * (2.0 * (grown(l) - grown(other))).exp(),
            ];
            for (worst, line) in worst.iter_mut().zip(lines) {
                *worst = largest([*worst, (ratio / line - 1.0).abs()]);
            }
        }
    }
    e.of("largest relative error of the first equation").abs(0.0, worst[0], 1e-9);
    e.of("of the second").abs(0.0, worst[1], 1e-9);
}

pub(super) fn eq_110(e: &mut Evidence, trial: Trial) {
    let (task, start, path) = several(trial);
    let sides = |point: &Point, pair: (usize, usize, usize)| {
        let (n, l, other) = pair;
        let left = |l: usize| {
            (-2.0 * (logit(&task, &point.z, n, l) - logit(&task, &start, n, l))).exp_m1()
        };
        ((gain(&task, &start, pair) + 1.0) * left(other), left(l))
    };
    let all = path.iter().flat_map(|point| pairs(&task).into_iter().map(move |pair| (point, pair)));
    e.of("all pairs at all times").pairs(all.map(|(point, pair)| sides(point, pair)), 1e-8);
}

/// How fast a function of the logits changes along the flow, by differences.
fn along(task: &PlainTask, point: &Point, f: impl Fn(&[f64]) -> f64) -> f64 {
    slope_along(f, &point.z, &task.rate(&point.z, task.lead(point.t), Share::Sum))
}

pub(super) fn eq_112(e: &mut Evidence, trial: Trial) {
    let (task, start) = one_common(trial);
    let point = &task.path(&start, Share::Sum, &[task.scanned()], 300)[0];
    let rate = task.rate(&point.z, task.lead(point.t), Share::Sum);
    for n in 0..2 {
        let top = dominant(&task, &start, n);
        for other in task.distinct(n).into_iter().filter(|&other| other != top) {
            let pair = (n, top, other);
            let measured = along(&task, point, |z| gain(&task, z, pair));
            let grown = logit(&task, &point.z, n, top) - logit(&task, &start, n, top);
            let printed =
                gain(&task, &start, pair) * (2.0 * grown).exp() * logit(&task, &rate, n, top);
            let what = format!("rate of r, class {n}, token {other}");
            e.both(&what).rel([printed, 2.0 * printed], measured, 1e-7);
            e.but(what).at_least(0.0, measured);
        }
    }
}

pub(super) fn eq_113(e: &mut Evidence, trial: Trial) {
    let (task, start) = one_common(trial);
    let point = &task.path(&start, Share::Sum, &[task.scanned()], 300)[0];
    let rate = task.rate(&point.z, task.lead(point.t), Share::Sum);
    for n in 0..4 {
        let top = dominant(&task, &start, n);
        let p = &task.classes[n].p;
        let predicted = (p[top] / p[0]).powi(2)
            * (2.0 * (point.z[top] - point.z[0])).exp()
            * 2.0
            * (rate[top] - rate[0]);
        let measured = along(&task, point, |z| gain(&task, z, (n, top, 0)));
        e.of(format!("rate of r, class {n}")).rel(predicted, measured, 1e-7);
        e.of(format!("the same, class {n}")).at_least(0.0, measured);
    }
}

pub(super) fn eq_114(e: &mut Evidence, trial: Trial) {
    let (task, start) = one_common(trial);
    let (mut worst, mut slowest) = (0.0, f64::INFINITY);
    for point in &task.path(&start, Share::Sum, &times(&task), 150) {
        for n in 0..4 {
            let top = dominant(&task, &start, n);
            // Tokens that do not occur have r = -1.
            let absent = task.m - task.tokens as f64;
            let others = (0..task.tokens).filter(|&l| l != top);
            let sum: f64 = others.map(|l| gain(&task, &point.z, (n, l, top))).sum();
            let square = |z: &[f64]| task.directions(z)[n][top].powi(2);
            worst = largest([worst, (square(&point.z) * (task.m + sum - absent) - 1.0).abs()]);
            slowest = smallest([slowest, point.t * along(&task, point, square)]);
        }
    }
    e.of("largest relative error of the equation").abs(0.0, worst, ROUNDING);
    e.of("least rate of f^2 per unit of ln t").at_least(1e-6, slowest);
}

pub(super) fn theorem_3_dominant(e: &mut Evidence, trial: Trial) {
    let (task, start) = one_common(trial);
    let times = by_factors(0.01 * task.scanned(), 100.0 * task.snapped(), 30);
    let path = task.path(&start, Share::Sum, &times, 16);
    let mut least = [f64::INFINITY; 2];
    for n in 0..4 {
        let top = dominant(&task, &start, n);
        for pair in path.windows(2) {
            let f = |point: &Point| task.directions(&point.z)[n][top];
            least[0] = smallest([least[0], pair[1].z[top] - pair[0].z[top]]);
            least[1] = smallest([least[1], f(&pair[1]) - f(&pair[0])]);
        }
    }
    let common = largest(path.windows(2).map(|pair| pair[1].z[0] - pair[0].z[0]));
    e.assume(format!("the common token falls: its largest step is {common:.1e}"), common < 0.0);
    e.of("least step of z of the dominant tokens").at_least(1e-9, least[0]);
    e.of("least step of f").at_least(1e-9, least[1]);
}

/// `ln chi/(2 B)` of the dominant tokens and `f_{nl_0}(0)^2`: pairs that (12) puts in order, with
/// `B` taken `times` as large.
fn bounded(trial: Trial, share: Share, times_b: f64) -> (f64, f64) {
    let (task, start) = one_common(trial);
    let path = task.path(&start, share, &times(&task), 150);
    let first = task.directions(&start);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in &path {
        for n in 0..4 {
            let top = dominant(&task, &start, n);
            let part = (point.z[top] - start[top]) / (times_b * point.b[n]);
            low = smallest([low, part / first[n][top].powi(2)]);
            high = largest([high, part]);
        }
    }
    (low, high)
}

pub(super) fn eq_12(e: &mut Evidence, trial: Trial) {
    let (low, high) = bounded(trial, Share::Sum, 1.0);
    e.of("least ln(chi) over the lower bound, to 20 t_0").at_least(1.0, low);
    e.of("largest ln(chi) over the upper bound").at_most(1.0, high);
}

pub(super) fn eq_12_clock(e: &mut Evidence, trial: Trial) {
    let (low, high) = bounded(trial, Share::Mean, 4.0);
    let (own_low, own_high) = bounded(trial, Share::Mean, 1.0);
    e.both("least ln(chi) over the lower bound, to 20 t_0").at_least(1.0, [low, own_low]);
    e.both("largest ln(chi) over the upper bound").at_most(1.0, [high, own_high]);
}

pub(super) fn theorem_3_sparser(e: &mut Evidence, trial: Trial) {
    let (task, start) = one_common(trial);
    let path = task.path(&start, Share::Sum, &times(&task), 100);
    let faster = task.clone().rates(1.0, 12.0).path(&start, Share::Sum, &times(&task), 100);
    for n in 0..4 {
        let of = |point: &Point| task.entropy(n, &point.z);
        let fall = smallest(path.windows(2).map(|pair| of(&pair[0]) - of(&pair[1])));
        let less = smallest(path.iter().zip(&faster).map(|(a, b)| of(a) - of(b)));
        let more = smallest(path.iter().zip(&faster).map(|(a, b)| b.b[n] - a.b[n]));
        e.of(format!("least fall of entropy between times, class {n}")).at_least(1e-6, fall);
        e.of(format!("B with four times the eta_Z, less B, class {n}")).at_least(1e-6, more);
        e.of(format!("entropy, less that with it, class {n}")).at_least(1e-6, less);
    }
}

pub(super) fn scanning(e: &mut Evidence, trial: Trial) {
    let (task, _) = one_common(trial);
    let start = task.zeros();
    let path = task.path(&start, Share::Sum, &times(&task), 100);
    let (mut off, mut ordered) = (0.0, f64::INFINITY);
    for n in 0..4 {
        let own = task.distinct(n);
        let top = dominant(&task, &start, n);
        let p = &task.classes[n].p;
        for &l in &own {
            let known = (p[top] / p[l]).powi(2) - 1.0;
            off = largest([off, (gain(&task, &start, (n, top, l)) - known).abs()]);
        }
        for point in &path {
            // By how much (f_l/f_l0)^2 has fallen.
            let fallen = |l: usize| {
                let now = gain(&task, &point.z, (n, top, l)) + 1.0;
                (now / (gain(&task, &start, (n, top, l)) + 1.0)).ln()
            };
            let leads = own.windows(2).map(|pair| fallen(pair[0]) - fallen(pair[1]));
            ordered = smallest([ordered, smallest(leads)]);
        }
    }
    e.of("largest error of r(0)").abs(0.0, off, ROUNDING);
    e.of("least lead in ln of the fall, of the less likely of two neighbours")
        .at_least(0.0, ordered);
}

pub(super) fn prior(e: &mut Evidence, trial: Trial) {
    let task = PlainTask::single(4, 300.0, 1.0, &[1.0, 2.0, 2.1]).rates(1.0, 5.0);
    for (ahead, behind) in [(2, 3), (3, 2)] {
        let mut start = logits(&task, trial, 110, 0.01);
        start[ahead] += 0.2;
        let end = &task.path(&start, Share::Sum, &[task.snapped()], 300)[0].z;
        let pair = (0, ahead, behind);
        let (first, last) = (gain(&task, &start, pair), gain(&task, end, pair));
        e.of(format!("r(0) of token {ahead} over {behind}")).at_least(0.1, first);
        e.of(format!("r(t_0)/r(0) of token {ahead} over {behind}")).at_least(1.2, last / first);
    }
}

pub(super) fn positional_prior(e: &mut Evidence, trial: Trial) {
    let (task, start) = one_common(trial);
    let bias = logits(&task, trial, 111, 0.5);
    let biased = plus(&start, 1.0, &bias);
    let mut other = task.clone();
    for class in &mut other.classes {
        class.p.iter_mut().zip(&bias).for_each(|(p, bias)| *p *= bias.exp());
        class.p = shares(&class.p);
    }
    let time = [task.snapped()];
    let first = &task.path(&biased, Share::Sum, &time, 200)[0].z;
    let second = &other.path(&start, Share::Sum, &time, 200)[0].z;
    let (moved, expected) = (minus(first, &biased), minus(second, &start));
    e.of("how far each logit moves to t_0").each(&expected, &moved, 1e-10);
}

pub(super) fn abstract_order(e: &mut Evidence, _: Trial) {
    let weights = [1.0, 1.4, 1.8, 2.2, 2.6, 3.0, 3.4];
    let task = PlainTask::single(2, 300.0, 1.0, &weights).rates(1.0, 1e8);
    let path = task.path(&task.zeros(), Share::Sum, &by_factors(1e-8, 1e5, 110), 12);
    let total: f64 = weights.iter().sum();
    // When the part of each token among the distinct ones has fallen to nine tenths of its start.
    let dropped = |i: usize| {
        let part = |point: &Point| {
            let scores = task.scores(0, &point.z);
            scores[1 + i] / scores[1..8].iter().sum::<f64>() / (weights[i] / total)
        };
        path.iter().find(|point| part(point) < 0.9).map_or(f64::INFINITY, |point| point.t)
    };
    let times: Vec<f64> = (0..7).map(dropped).collect();
    let later = smallest(times[..6].windows(2).map(|pair| pair[1] / pair[0]));
    let what = "least time at which a tenth of its part is gone, over that of the next less likely token, first six";
    e.of(what).at_least(1.05, later);
    e.of("tokens that keep it to the end")
        .count(1, times.iter().filter(|t| t.is_infinite()).count());
    e.note(format!("Times under (10), as printed, with $\\eta_Z = 10^8 \\eta_Y$: {times:.2?}."));
}
