//! Theorem 3 and the rest of section 5: how fast distinct tokens grow, Eqs. (11), (12) and (108) to
//! (117).

use super::*;

/// Several queries and common tokens, from random logits, up to `20 t_0`.
fn several(trial: Trial) -> (World, Vec<f64>, Vec<Point>) {
    let world = World::random(trial, 100, (4, 2), (2, 3), 0.6).rates(1.0, 3.0);
    let z = logits(&world, trial, 101, 0.3);
    let path = world.path(&z, Share::Sum, &times(&world), 150);
    (world, z, path)
}

/// One query and one common token, which loses by Theorem 2(b).
pub(super) fn one_common(trial: Trial) -> (World, Vec<f64>) {
    let world = World::random(trial, 102, (4, 1), (1, 3), 0.6).rates(1.0, 3.0);
    let z = logits(&world, trial, 103, 0.1);
    (world, z)
}

/// `t_0'/4`, `t_0'`, `t_0`, `4 t_0` and `20 t_0`.
pub(super) fn times(world: &World) -> Vec<f64> {
    let (first, second) = (world.scanned(), world.snapped());
    vec![0.25 * first, first, second, 4.0 * second, 20.0 * second]
}

/// Pairs of distinct tokens of each class: class, token, other.
fn pairs(world: &World) -> Vec<(usize, usize, usize)> {
    let mut pairs = Vec::new();
    for n in 0..world.classes.len() {
        let own = world.distinct(n);
        for &l in &own {
            pairs.extend(own.iter().filter(|&&other| other != l).map(|&other| (n, l, other)));
        }
    }
    pairs
}

/// `r_{l/l'|n}`. 004, Theorem 3.
pub(super) fn gain(world: &World, z: &[f64], (n, l, other): (usize, usize, usize)) -> f64 {
    let scores = world.scores(n, z);
    (scores[l] / scores[other]).powi(2) - 1.0
}

/// `z_ml` of a token of class `n`.
fn logit(world: &World, z: &[f64], n: usize, l: usize) -> f64 {
    z[world.classes[n].query * world.tokens + l]
}

/// The distinct token of class `n` that is ahead at logits `z`.
pub(super) fn dominant(world: &World, z: &[f64], n: usize) -> usize {
    let scores = world.scores(n, z);
    let ahead = |a: &usize, b: &usize| scores[*a].total_cmp(&scores[*b]);
    world.distinct(n).into_iter().max_by(ahead).unwrap_or(0)
}

pub(super) fn eq_11(e: &mut Evidence, trial: Trial) {
    let (world, start, path) = several(trial);

    for point in &path {
        let (mut predicted, mut measured) = (Vec::new(), Vec::new());
        for pair in pairs(&world) {
            let (n, l, _) = pair;
            let grown = logit(&world, &point.z, n, l) - logit(&world, &start, n, l);
            predicted.push(gain(&world, &start, pair) * (2.0 * grown).exp());
            measured.push(gain(&world, &point.z, pair));
        }
        let what =
            format!("all pairs at t = {:.4} t_0, by a plain solver", point.t / world.snapped());
        e.each(what, &predicted, &measured, 1e-7);
    }
}

pub(super) fn eq_108(e: &mut Evidence, trial: Trial) {
    let (world, start, path) = several(trial);
    let mut worst = [0.0; 2];
    for point in &path {
        let x = lead(world.m, world.eta_y * point.t / world.k());
        let rate = world.rate(&point.z, x, Share::Sum);
        for pair in pairs(&world) {
            let (n, l, other) = pair;
            let ratio = logit(&world, &rate, n, l) / logit(&world, &rate, n, other);
            let grown = |l: usize| logit(&world, &point.z, n, l) - logit(&world, &start, n, l);
            let second =
                (gain(&world, &start, pair) + 1.0) * (2.0 * (grown(l) - grown(other))).exp();
            worst[0] =
                largest([worst[0], (ratio / (gain(&world, &point.z, pair) + 1.0) - 1.0).abs()]);
            worst[1] = largest([worst[1], (ratio / second - 1.0).abs()]);
        }
    }
    e.abs("largest relative error of the first equation", 0.0, worst[0], 1e-9);
    e.abs("of the second", 0.0, worst[1], 1e-9);
}

pub(super) fn eq_110(e: &mut Evidence, trial: Trial) {
    let (world, start, path) = several(trial);
    let (mut predicted, mut measured) = (Vec::new(), Vec::new());
    for point in &path {
        for pair in pairs(&world) {
            let (n, l, other) = pair;
            let left = |l: usize| {
                (-2.0 * (logit(&world, &point.z, n, l) - logit(&world, &start, n, l))).exp_m1()
            };
            predicted.push((gain(&world, &start, pair) + 1.0) * left(other));
            measured.push(left(l));
        }
    }
    e.each("all pairs at all times", &predicted, &measured, 1e-8);
}

/// How fast a function of the logits changes along the flow at `t_0`, by differences.
fn along(world: &World, point: &Point, f: impl Fn(&[f64]) -> f64) -> f64 {
    let rate = world.rate(&point.z, lead(world.m, world.eta_y * point.t / world.k()), Share::Sum);
    let moved = |s: &[f64]| -> Vec<f64> {
        point.z.iter().zip(&rate).map(|(z, rate)| z + s[0] * rate).collect()
    };
    slope_in(&|s: &[f64]| f(&moved(s)), &[0.0], 0)
}

pub(super) fn eq_112(e: &mut Evidence, trial: Trial) {
    let (world, start) = one_common(trial);
    let point = &world.path(&start, Share::Sum, &[world.scanned()], 300)[0];
    let rate = world.rate(&point.z, lead(world.m, world.eta_y * point.t / world.k()), Share::Sum);

    for n in 0..2 {
        let top = dominant(&world, &start, n);
        for other in world.distinct(n).into_iter().filter(|&other| other != top) {
            let pair = (n, top, other);
            let measured = along(&world, point, |z| gain(&world, z, pair));
            let grown = logit(&world, &point.z, n, top) - logit(&world, &start, n, top);
            let printed =
                gain(&world, &start, pair) * (2.0 * grown).exp() * logit(&world, &rate, n, top);
            let what = format!("rate of r, class {n}, token {other}");
            e.rel(&*what, printed, measured, 1e-7);
            e.but_rel(&*what, 2.0 * printed, measured, 1e-7);
            e.but_at_least(what, 0.0, measured);
        }
    }
}

pub(super) fn eq_113(e: &mut Evidence, trial: Trial) {
    let (world, start) = one_common(trial);
    let point = &world.path(&start, Share::Sum, &[world.scanned()], 300)[0];
    let rate = world.rate(&point.z, lead(world.m, world.eta_y * point.t / world.k()), Share::Sum);

    for n in 0..4 {
        let top = dominant(&world, &start, n);
        let p = &world.classes[n].p;
        let predicted = (p[top] / p[0]).powi(2)
            * (2.0 * (point.z[top] - point.z[0])).exp()
            * 2.0
            * (rate[top] - rate[0]);
        let measured = along(&world, point, |z| gain(&world, z, (n, top, 0)));
        e.rel(format!("rate of r, class {n}"), predicted, measured, 1e-7);
        e.at_least(format!("the same, class {n}"), 0.0, measured);
    }
}

pub(super) fn eq_114(e: &mut Evidence, trial: Trial) {
    let (world, start) = one_common(trial);
    let path = world.path(&start, Share::Sum, &times(&world), 150);
    let (mut worst, mut slowest) = (0.0, f64::INFINITY);
    for point in &path {
        for n in 0..4 {
            let top = dominant(&world, &start, n);
            // Tokens that do not occur have r = -1.
            let absent = world.m - world.tokens as f64;
            let sum: f64 = (0..world.tokens)
                .filter(|&l| l != top)
                .map(|l| gain(&world, &point.z, (n, l, top)))
                .sum();
            let square = |z: &[f64]| world.directions(z)[n][top].powi(2);
            worst = largest([worst, (square(&point.z) * (world.m + sum - absent) - 1.0).abs()]);
            slowest = smallest([slowest, point.t * along(&world, point, square)]);
        }
    }
    e.abs("largest relative error of the equation", 0.0, worst, ROUNDING);
    e.at_least("least rate of f^2 per unit of ln t", 1e-6, slowest);
}

pub(super) fn theorem_3_dominant(e: &mut Evidence, trial: Trial) {
    let (world, start) = one_common(trial);
    let times = by_factors(0.01 * world.scanned(), 100.0 * world.snapped(), 30);
    let path = world.path(&start, Share::Sum, &times, 16);
    let mut least = [f64::INFINITY; 2];
    for n in 0..4 {
        let top = dominant(&world, &start, n);
        for pair in path.windows(2) {
            let f = |point: &Point| world.directions(&point.z)[n][top];
            least[0] = smallest([least[0], pair[1].z[top] - pair[0].z[top]]);
            least[1] = smallest([least[1], f(&pair[1]) - f(&pair[0])]);
        }
    }
    let common = largest(path.windows(2).map(|pair| pair[1].z[0] - pair[0].z[0]));
    e.assume(format!("the common token falls: its largest step is {common:.1e}"), common < 0.0);
    e.at_least("least step of z of the dominant tokens", 1e-9, least[0]);
    e.at_least("least step of f", 1e-9, least[1]);
}

/// `ln chi/(2 B)` of the dominant tokens and `f_{nl_0}(0)^2`: pairs that (12) puts in order, with
/// `B` taken `times` as large.
fn bounded(trial: Trial, share: Share, times_b: f64) -> (f64, f64) {
    let (world, start) = one_common(trial);
    let path = world.path(&start, share, &times(&world), 150);
    let first = world.directions(&start);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in &path {
        for n in 0..4 {
            let top = dominant(&world, &start, n);
            let part = (point.z[top] - start[top]) / (times_b * point.b[n]);
            low = smallest([low, part / first[n][top].powi(2)]);
            high = largest([high, part]);
        }
    }
    (low, high)
}

pub(super) fn eq_12(e: &mut Evidence, trial: Trial) {
    let (low, high) = bounded(trial, Share::Sum, 1.0);
    e.at_least("least ln(chi) over the lower bound, to 20 t_0", 1.0, low);
    e.at_most("largest ln(chi) over the upper bound", 1.0, high);
}

pub(super) fn eq_12_clock(e: &mut Evidence, trial: Trial) {
    let (low, high) = bounded(trial, Share::Mean, 4.0);
    let (own_low, own_high) = bounded(trial, Share::Mean, 1.0);
    let what =
        ["least ln(chi) over the lower bound, to 20 t_0", "largest ln(chi) over the upper bound"];
    e.at_least(what[0], 1.0, low);
    e.at_most(what[1], 1.0, high);
    e.but_at_least(what[0], 1.0, own_low);
    e.but_at_most(what[1], 1.0, own_high);
}
