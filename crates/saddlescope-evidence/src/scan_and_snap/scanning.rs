//! What section 5 makes of Theorem 3: scanning in the order of co-occurrence, first values as a prior.

use super::growth::{dominant, gain, one_common, times};
use super::*;

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
