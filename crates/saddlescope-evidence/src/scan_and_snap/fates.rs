//! Theorem 2 and Corollary 2: which tokens gain and which lose, Eqs. (99) to (107).

use super::attention::{scaled, slopes};
use super::*;

/// A task with logits, and the sizes of the smallest and the largest eigenvalue of `E`.
type Weak = (PlainTask, Vec<f64>, [f64; 2]);

/// PlainTasks that meet Assumption 2, with the sizes of the smallest and the largest eigenvalue of `E`.
///
/// The vocabulary takes part only as a number here, so it may be as large as the assumption asks.
fn weakly(trial: Trial) -> Outcome<Vec<Weak>> {
    let mut found = Vec::new();
    for index in 0..6 {
        let queries = 1 + index as usize % 2;
        let task = PlainTask::random(trial, 40 + 2 * index, (4, queries), (1, 3), 0.35)
            .vocabulary(1e9)
            .rates(1.0, 0.3);
        let z = logits(&task, trial, 41 + 2 * index, 0.1);
        let sizes = spread(&task.directions(&z))?;
        found.push((task, z, sizes));
    }
    Ok(found)
}

/// Whether all of them meet it, in words.
fn assumption(tasks: &[Weak]) -> (String, bool) {
    let least = smallest(tasks.iter().map(|(_, _, sizes)| sizes[0]));
    let most = largest(tasks.iter().map(|(_, _, sizes)| sizes[1]));
    let bounds = [6.0 / tasks[0].0.m.sqrt(), 1.0 / tasks[0].0.k()];
    let what = format!(
        "Assumption 2: eigenvalues of E have sizes from {least:.4} to {most:.4}, within 6/sqrt(M) \
         = {:.4} and 1/K = {}",
        bounds[0], bounds[1]
    );
    (what, least >= bounds[0] && most < bounds[1])
}

const TIMES: [f64; 4] = [0.5, 20.0, 200.0, 5000.0];

/// The least rate of a distinct token, over the largest rate of any.
fn least_distinct(task: &PlainTask, z: &[f64]) -> f64 {
    let of = |time: f64| {
        let rate = task.rate(z, task.lead(time), Share::Mean);
        let unit = largest_size(&rate);
        let own = (0..task.classes.len()).flat_map(|n| {
            let row = task.classes[n].query * task.tokens;
            task.distinct(n).into_iter().map(move |l| row + l)
        });
        smallest(own.map(|l| rate[l] / unit))
    };
    smallest(TIMES.map(of))
}

pub(super) fn theorem_2_a(e: &mut Evidence, trial: Trial) -> Outcome {
    let tasks = weakly(trial)?;
    let (what, met) = assumption(&tasks);
    let least = smallest(tasks.iter().map(|(task, z, _)| least_distinct(task, z)));
    // Far from Assumption 2: strong overlaps, a small vocabulary, several common tokens.
    let strong = (0..6).map(|index| {
        let task = PlainTask::random(trial, 60 + 2 * index, (5, 2), (4, 3), 2.0).vocabulary(40.0);
        least_distinct(&task, &logits(&task, trial, 61 + 2 * index, 0.5))
    });
    e.assume(what, met);
    e.of("least rate of a distinct token over the largest of any").at_least(1e-12, least);
    e.of("the same with strong overlaps and M = 40").at_least(1e-12, smallest(strong));
    Ok(())
}

pub(super) fn eq_100(e: &mut Evidence, trial: Trial) {
    for index in 0..3 {
        let task = PlainTask::random(trial, 80 + 2 * index, (4, 2), (1, 3), 0.8).rates(1.0, 0.3);
        let z = logits(&task, trial, 81 + 2 * index, 0.4);
        let time = 30.0;
        let f = task.directions(&z);
        let xi = task.xi(&f, task.lead(time));
        let slopes = slopes(&task, &z, time);
        let (mut predicted, mut measured) = ([0.0; 2], [0.0; 2]);
        for (n, class) in task.classes.iter().enumerate() {
            predicted[class.query] -= (1.0 - f[n][0].powi(2)) * xi[n];
            measured[class.query] += slopes[n][class.query * task.tokens];
        }
        let overlap = products(&f);
        let off = (f[0][0] * (overlap[0][1] * f[0][0] - f[1][0]))
            / (-(1.0 - f[0][0].powi(2)) * overlap[0][1]);
        e.of("(99), left over right").abs(1.0, off, ROUNDING);
        let what = "rate of the common token for each query, over the largest";
        e.of(what).each(&scaled(&predicted, &predicted), &scaled(&measured, &predicted), 1e-8);
    }
}

pub(super) fn theorem_2_b(e: &mut Evidence, trial: Trial) -> Outcome {
    let tasks = weakly(trial)?;
    let (what, met) = assumption(&tasks);
    let most = |task: &PlainTask, z: &[f64]| {
        let of = |time: f64| {
            let rate = task.rate(z, task.lead(time), Share::Mean);
            let unit = largest_size(&rate);
            largest((0..task.queries).map(|m| rate[m * task.tokens] / unit))
        };
        largest(TIMES.map(of))
    };
    let most = largest(tasks.iter().map(|(task, z, _)| most(task, z)));
    // A query whose classes do not have the common token: E then has the eigenvalue 0.
    let mut alone = PlainTask::random(trial, 59, (4, 2), (1, 3), 0.5);
    for class in alone.classes.iter_mut().filter(|class| class.query == 1) {
        class.p[0] = 0.0;
        class.p = shares(&class.p);
    }
    let z = vec![0.0; alone.logits()];
    let rest = alone.rate(&z, 3.0, Share::Mean)[alone.tokens];
    e.assume(what, met);
    e.of("largest rate of the common token over the largest of any").at_most(-1e-3, most);
    e.note(format!(
        "Where no class of a query has the common token, its rate there is {rest:.1e}; Assumption \
         2 leaves that out, since $E$ then has the eigenvalue 0."
    ));
    Ok(())
}

/// Classes of one query with the same distinct weights and the same common tokens. 004, Corollary 2.
fn symmetric(trial: Trial) -> PlainTask {
    let random = PlainTask::random(trial, 90, (4, 1), (3, 3), 0.4);
    let first = random.classes[0].p.clone();
    let law = |n: usize| {
        let mut p = vec![0.0; random.tokens];
        p[..3].copy_from_slice(&first[..3]);
        p[3 + 3 * n..6 + 3 * n].copy_from_slice(&first[3..6]);
        Class { query: 0, p }
    };
    PlainTask { classes: (0..4).map(law).collect(), ..random }.rates(1.0, 2.0)
}

pub(super) fn corollary_2(e: &mut Evidence, trial: Trial) {
    let task = symmetric(trial);
    let times = by_factors(0.01 * task.scanned(), 20.0 * task.snapped(), 24);
    let path = task.path(&task.zeros(), Share::Mean, &times, 24);
    let rates = path.iter().map(|point| {
        let rate = task.rate(&point.z, task.lead(point.t), Share::Mean);
        let unit = largest_size(&rate);
        largest(rate[..3].iter().map(|rate| rate / unit))
    });
    let last = &path[path.len() - 1].z;
    e.of("largest rate of a common token over the largest of any").at_most(-1e-4, largest(rates));
    e.of("largest logit of a common token at 20 t_0").at_most(-0.01, largest(last[..3].to_vec()));
}

pub(super) fn eq_101(e: &mut Evidence, trial: Trial) {
    let task = symmetric(trial);
    let path = task.path(&task.zeros(), Share::Sum, &[task.scanned()], 200);
    let (z, x) = (&path[0].z, task.lead(task.scanned()));
    let (f, rate) = (task.directions(z), task.rate(z, x, Share::Sum));
    let (beta, speed) = (task.beta(&f), task.eta_z * task.gamma(x));
    let second = |other: &dyn Fn(usize) -> usize| {
        let sum: f64 =
            (0..4).filter(|&k| k != 1).map(|k| beta[1][k] * dot(&f[1], &f[other(k)])).sum();
        speed * f[1][6].powi(2) * sum
    };
    let what = "rate of the image of a distinct token";
    e.of(what).rel(rate[6], second(&|_| 1), 1e-10);
    e.but(what).rel(rate[6], second(&|k| k), 1e-10);
    e.but("rate of the token itself").rel(rate[6], rate[3], 1e-10);
}

pub(super) fn eq_102(e: &mut Evidence, trial: Trial) {
    let task = symmetric(trial);
    let times = by_factors(0.1 * task.scanned(), 5.0 * task.snapped(), 6);
    let path = task.path(&task.zeros(), Share::Mean, &times, 60);
    let (mut uneven, mut plain, mut rooted) = (0.0, Vec::new(), Vec::new());
    let mut known = Vec::new();
    for point in &path {
        let f = task.directions(&point.z);
        let sums: Vec<f64> =
            (0..4).map(|n| task.scores(n, &point.z)).map(|c| dot(&c, &c)).collect();
        uneven = largest([uneven, largest(sums.clone()) - smallest(sums.clone())]);
        known.push(f[2][9]);
        plain.push(task.scores(2, &point.z)[9] / sums[2]);
        rooted.push(task.scores(2, &point.z)[9] / sums[2].sqrt());
    }
    e.of("largest difference between classes").abs(0.0, uneven, 1e-11);
    e.of("f of a distinct token along the flow").each(&known, &plain, ROUNDING);
    e.but("largest difference between classes").abs(0.0, uneven, 1e-11);
    e.but("f of a distinct token along the flow").each(&known, &rooted, ROUNDING);
}

pub(super) fn eq_107(e: &mut Evidence, trial: Trial) {
    let task = symmetric(trial);
    let path = task.path(&task.zeros(), Share::Mean, &[task.snapped()], 200);
    let f = task.directions(&path[0].z);
    let overlap = products(&f);
    let (mut predicted, mut measured) = (Vec::new(), Vec::new());
    for l in 0..3 {
        predicted.push(-f[0][l].powi(2) * (1.0 - overlap[0][3]));
        measured.push(f[0][l] * (overlap[0][3] * f[0][l] - f[3][l]));
    }
    e.of("both sides for each common token").each(&predicted, &measured, ROUNDING);
    e.of("the largest").at_most(0.0, largest(measured));
}

pub(super) fn several_common(e: &mut Evidence, _: Trial) {
    let law = |p: [f64; 4]| Class { query: 0, p: p.to_vec() };
    let classes = vec![law([0.6, 0.2, 0.2, 0.0]), law([0.06, 0.5, 0.0, 0.44])];
    let task = PlainTask { classes, tokens: 4, queries: 1, m: 300.0, eta_y: 1.0, eta_z: 1.0 };
    let rate = task.rate(&[0.0; 4], 3.0, Share::Mean);
    let unit = largest_size(&rate);
    e.of("rate of the uneven common token over the largest of any").at_least(0.05, rate[0] / unit);
    e.of("the same of the other common token").at_most(-0.05, rate[1] / unit);
}
