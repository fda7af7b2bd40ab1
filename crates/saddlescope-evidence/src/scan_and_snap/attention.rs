//! Section 5 and appendix E up to Corollary 2: how the logits of tokens move, which gain and which lose, Eqs. (10) and (94) to
//! (107).

use super::*;
use saddlescope_scan_and_snap::{Convention, Logits};

/// Random tasks of several queries and common tokens, with random logits and a time at which the decoder has learned
/// something.
fn samples(trial: Trial) -> Vec<(PlainTask, Vec<f64>, f64)> {
    let one = |index: u64| {
        let (queries, common) = (1 + index as usize % 2, 1 + index as usize % 3);
        let task =
            PlainTask::random(trial, 2 * index, (4, queries), (common, 3), 0.8).rates(1.0, 0.3);
        let z = logits(&task, trial, 2 * index + 1, 0.4);
        (task, z, [2.0, 12.0, 40.0, 200.0][index as usize % 4])
    };
    (0..4).map(one).collect()
}

/// The slope of `J_n` in all logits, by differences, with the decoder where Theorem 1 has it.
pub(super) fn slopes(task: &PlainTask, z: &[f64], time: f64) -> Vec<Vec<f64>> {
    let y = task.decoder(&task.directions(z), task.lead(time));
    let one = |n: usize| {
        let own = task.row(n)..task.row(n) + task.tokens;
        let slope = |l| slope_in(&|z: &[f64]| task.objective(&y, z, n), z, l);
        (0..z.len()).map(|l| if own.contains(&l) { slope(l) } else { 0.0 }).collect()
    };
    (0..task.classes.len()).map(one).collect()
}

/// The sum of the classes' slopes, times `weight`.
fn summed(slopes: &[Vec<f64>], weight: f64) -> Vec<f64> {
    let sum = |l: usize| slopes.iter().map(|slopes| slopes[l]).sum::<f64>();
    (0..slopes[0].len()).map(|l| weight * sum(l)).collect()
}

/// What is predicted beside what is measured, both in units of the largest of `unit`.
pub(super) fn in_units(of: Subject<'_>, unit: &[f64], predicted: &[f64], measured: &[f64]) {
    of.each(&scaled(predicted, unit), &scaled(measured, unit), 1e-8);
}

/// Numbers in units of the largest of `of`.
pub(super) fn scaled(numbers: &[f64], of: &[f64]) -> Vec<f64> {
    let unit = largest_size(of);
    numbers.iter().map(|x| x / unit).collect()
}

pub(super) fn lemma_4(e: &mut Evidence, trial: Trial) -> Outcome {
    for (task, z, time) in samples(trial) {
        let law = Logits::new(task.shape(Outputs::Used)?, Convention::Sum)?;
        let (predicted, _) = law.rates(&z, time)?;
        let measured = summed(&slopes(&task, &z, time), task.eta_z);
        let what = format!(
            "rates over the largest, {} queries, t = {time}, by differences of J",
            task.queries
        );
        in_units(e.of(what), &predicted, &predicted, &measured);
    }
    Ok(())
}

pub(super) fn lemma_4_clock(e: &mut Evidence, trial: Trial) {
    for (task, z, time) in samples(trial) {
        // Each step sees one of K classes: the mean over what may come.
        let measured = summed(&slopes(&task, &z, time), task.eta_z / task.k());
        let by = |share: Share| task.rate(&z, task.lead(time), share);
        let what = format!("expected rates over the largest, t = {time}");
        in_units(e.of(&what), &measured, &by(Share::Sum), &measured);
        in_units(e.but(what), &measured, &by(Share::Mean), &measured);
    }
}

pub(super) fn eq_95(e: &mut Evidence, trial: Trial) {
    let mut worst = [0.0; 2];
    for (task, z, time) in samples(trial) {
        let (x, f) = (task.lead(time), task.directions(&z));
        let (y, beta, gamma) = (task.decoder(&f, x), task.beta(&f), task.gamma(x));
        for n in 0..f.len() {
            let error = PlainTask::error(&y, &f[n], n);
            let g: Vec<f64> = y.iter().map(|row| dot(row, &error)).collect();
            let c = shares(&task.scores(n, &z));
            let length = norm(&c);
            let pull = |l: usize| (0..f.len()).map(|k| beta[n][k] * f[k][l]).sum::<f64>();
            let pulls: Vec<f64> = (0..task.tokens).map(pull).collect();
            let unit = gamma * largest_size(&pulls);
            for l in 0..task.tokens {
                // (94), (95), (96), each as it is written.
                let first = c[l] / length * (g[l] - dot(&f[n], &g) * f[n][l]);
                let second = -gamma * f[n][l] * (pulls[l] - dot(&f[n], &pulls) * f[n][l]);
                let row = |j| (f[n][l] * f[n][j] - one_hot(l, j)) * pulls[j];
                let third = gamma * f[n][l] * (0..task.tokens).map(row).sum::<f64>();
                worst[0] = largest([worst[0], (first - second).abs() / unit]);
                worst[1] = largest([worst[1], (second - third).abs() / unit]);
            }
        }
    }
    e.of("largest (94) less (95)").abs(0.0, worst[0], ROUNDING);
    e.of("largest (95) less (96)").abs(0.0, worst[1], ROUNDING);
}

pub(super) fn eq_97(e: &mut Evidence, trial: Trial) {
    for (task, z, time) in samples(trial) {
        let predicted = task.rate(&z, task.lead(time), Share::Sum);
        let measured = summed(&slopes(&task, &z, time), task.eta_z);
        let what = format!("rates over the largest, t = {time}");
        in_units(e.of(what), &predicted, &predicted, &measured);
    }
}

pub(super) fn eq_98(e: &mut Evidence, trial: Trial) {
    for (task, z, time) in samples(trial) {
        let f = task.directions(&z);
        let (xi, slopes) = (task.xi(&f, task.lead(time)), slopes(&task, &z, time));
        let own = (0..f.len()).flat_map(|n| task.distinct(n).into_iter().map(move |l| (n, l)));
        let pair = |(n, l): (usize, usize)| (f[n][l].powi(2) * xi[n], slopes[n][task.row(n) + l]);
        let (predicted, measured): (Vec<f64>, Vec<f64>) = own.map(pair).unzip();
        let what = format!("rates of distinct tokens over the largest, t = {time}");
        in_units(e.of(what), &predicted, &predicted, &measured);
    }
}

/// Tasks that meet Assumption 2, each with logits, and whether they do, in words.
///
/// The vocabulary takes part only as a number here, so it may be as large as the assumption asks.
fn weakly(e: &mut Evidence, trial: Trial) -> Outcome<Vec<(PlainTask, Vec<f64>)>> {
    let mut found = Vec::new();
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for index in 0..6 {
        let queries = 1 + index as usize % 2;
        let task = PlainTask::random(trial, 40 + 2 * index, (4, queries), (1, 3), 0.35)
            .vocabulary(1e9)
            .rates(1.0, 0.3);
        let z = logits(&task, trial, 41 + 2 * index, 0.1);
        // The smallest and the largest size of an eigenvalue of E.
        let sizes = spread(&task.directions(&z))?;
        (least, most) = (smallest([least, sizes[0]]), largest([most, sizes[1]]));
        found.push((task, z));
    }
    let bounds = [6.0 / found[0].0.m.sqrt(), 1.0 / found[0].0.k()];
    let what = format!(
        "Assumption 2: eigenvalues of E have sizes from {least:.4} to {most:.4}, within 6/sqrt(M) \
         = {:.4} and 1/K = {}",
        bounds[0], bounds[1]
    );
    e.assume(what, least >= bounds[0] && most < bounds[1]);
    Ok(found)
}

const TIMES: [f64; 4] = [0.5, 20.0, 200.0, 5000.0];

/// The rates of all logits over the largest of any, at several times.
fn rates(task: &PlainTask, z: &[f64]) -> [Vec<f64>; 4] {
    TIMES.map(|time| {
        let rate = task.rate(z, task.lead(time), Share::Mean);
        scaled(&rate, &rate)
    })
}

/// The least rate of a distinct token, over the largest rate of any.
fn least_distinct(task: &PlainTask, z: &[f64]) -> f64 {
    let own = |n| task.distinct(n).into_iter().map(move |l| task.row(n) + l);
    let places: Vec<usize> = (0..task.classes.len()).flat_map(own).collect();
    smallest(rates(task, z).iter().map(|rate| smallest(places.iter().map(|&l| rate[l]))))
}

pub(super) fn theorem_2_a(e: &mut Evidence, trial: Trial) -> Outcome {
    let tasks = weakly(e, trial)?;
    let least = smallest(tasks.iter().map(|(task, z)| least_distinct(task, z)));
    // Far from Assumption 2: strong overlaps, a small vocabulary, several common tokens.
    let strong = (0..6).map(|index| {
        let task = PlainTask::random(trial, 60 + 2 * index, (5, 2), (4, 3), 2.0).vocabulary(40.0);
        least_distinct(&task, &logits(&task, trial, 61 + 2 * index, 0.5))
    });
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
        let (xi, slopes) = (task.xi(&f, task.lead(time)), slopes(&task, &z, time));
        let (mut predicted, mut measured) = ([0.0; 2], [0.0; 2]);
        for (n, class) in task.classes.iter().enumerate() {
            predicted[class.query] -= (1.0 - f[n][0].powi(2)) * xi[n];
            measured[class.query] += slopes[n][task.row(n)];
        }
        let overlap = products(&f);
        let off = (f[0][0] * (overlap[0][1] * f[0][0] - f[1][0]))
            / (-(1.0 - f[0][0].powi(2)) * overlap[0][1]);
        e.of("(99), left over right").abs(1.0, off, ROUNDING);
        let what = "rate of the common token for each query, over the largest";
        in_units(e.of(what), &predicted, &predicted, &measured);
    }
}

pub(super) fn theorem_2_b(e: &mut Evidence, trial: Trial) -> Outcome {
    let common = |(task, z): &(PlainTask, Vec<f64>)| {
        let of = |rate: &Vec<f64>| largest((0..task.queries).map(|m| rate[m * task.tokens]));
        largest(rates(task, z).iter().map(of))
    };
    let most = largest(weakly(e, trial)?.iter().map(common));
    // A query whose classes do not have the common token: E then has the eigenvalue 0.
    let mut alone = PlainTask::random(trial, 59, (4, 2), (1, 3), 0.5);
    for class in alone.classes.iter_mut().filter(|class| class.query == 1) {
        class.p[0] = 0.0;
        class.p = shares(&class.p);
    }
    let rest = alone.rate(&alone.zeros(), 3.0, Share::Mean)[alone.tokens];
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
        largest(scaled(&rate[..3], &rate))
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
    e.both(what).rel(rate[6], [second(&|_| 1), second(&|k| k)], 1e-10);
    e.but("rate of the token itself").rel(rate[6], rate[3], 1e-10);
}

pub(super) fn eq_102(e: &mut Evidence, trial: Trial) {
    let task = symmetric(trial);
    let times = by_factors(0.1 * task.scanned(), 5.0 * task.snapped(), 6);
    let path = task.path(&task.zeros(), Share::Mean, &times, 60);
    let (mut uneven, mut known, mut plain, mut rooted) = (0.0, Vec::new(), Vec::new(), Vec::new());
    for point in &path {
        let scores: Vec<Vec<f64>> = (0..4).map(|n| task.scores(n, &point.z)).collect();
        let sums = scores.iter().map(|c| dot(c, c));
        uneven = largest([uneven, largest(sums.clone()) - smallest(sums)]);
        known.push(task.directions(&point.z)[2][9]);
        plain.push(scores[2][9] / dot(&scores[2], &scores[2]));
        rooted.push(scores[2][9] / norm(&scores[2]));
    }
    e.both("largest difference between classes").abs(0.0, uneven, 1e-11);
    e.both("f of a distinct token along the flow").each(&known, [&plain, &rooted], ROUNDING);
}

pub(super) fn eq_107(e: &mut Evidence, trial: Trial) {
    let task = symmetric(trial);
    let path = task.path(&task.zeros(), Share::Mean, &[task.snapped()], 200);
    let f = task.directions(&path[0].z);
    let overlap = products(&f)[0][3];
    let sides =
        |l: usize| (-f[0][l].powi(2) * (1.0 - overlap), f[0][l] * (overlap * f[0][l] - f[3][l]));
    e.of("both sides for each common token").pairs((0..3).map(sides), ROUNDING);
    e.of("the largest").at_most(0.0, largest((0..3).map(|l| sides(l).1)));
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
