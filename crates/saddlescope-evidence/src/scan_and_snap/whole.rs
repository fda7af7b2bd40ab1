//! The same statements where nothing is reduced: the joint flow of decoder and logits, a second head; section 7: a residual
//! connection, with Theorem 1's decoder and in the joint flow.

use super::training::{syn_small, trained};
use super::*;

/// The logits of the joint flow from rest at each of `times`.
pub(super) fn flow(shape: &Shape, times: &[f64]) -> Outcome<Vec<Vec<f64>>> {
    let found = Population::new(shape.clone()).states(&shape.zero_start(0.0, 0), times)?;
    Ok(found.iter().map(|snapshot| snapshot.state[shape.decoder_len()..].to_vec()).collect())
}

/// Three classes of one query, with a common token and distinct ones of weights 1, 2, 3.
fn small(eta_y: f64, eta_z: f64) -> PlainTask {
    PlainTask::single(3, 30.0, 2.0, &[1.0, 2.0, 3.0]).rates(eta_y, eta_z)
}

pub(super) fn whole_theorem_2(e: &mut Evidence, trial: Trial) -> Outcome {
    let random =
        PlainTask::random(trial, 300, (3, 1), (1, 3), 0.8).vocabulary(40.0).rates(1.0, 0.01);
    for task in [small(1.0, 1.0), small(1.0, 0.1), small(1.0, 0.01), random] {
        let times = by_factors(0.1 * task.scanned(), 20.0 * task.snapped(), 8);
        let path = flow(&task.shape(Outputs::Used)?, &times)?;
        let mut before = task.zeros();
        let (mut lost, mut gained, mut ordered, mut sharper) =
            (f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for z in path {
            lost = lost.max(z[0] - before[0]);
            let [was, is] = [&before, &z].map(|z| task.directions(z));
            for n in 0..3 {
                let own = task.distinct(n);
                let leads = own.windows(2).map(|pair| z[pair[1]] - z[pair[0]]);
                gained = smallest(own.iter().map(|&l| z[l] - before[l])).min(gained);
                ordered = smallest(leads).min(ordered);
                sharper = sharper.min(is[n][own[2]] - was[n][own[2]]);
            }
            before = z;
        }
        let mut e = e.case(format!("eta_Z = {}, M = {}", task.eta_z, task.m));
        e.of("least gain of a distinct token between times").at_least(1e-9, gained);
        e.of("largest change of the common token").at_most(-1e-7, lost);
        e.of("least lead of the likelier of two tokens").at_least(0.0, ordered);
        e.of("least rise of f of the dominant token").at_least(1e-9, sharper);
    }
    Ok(())
}

/// `r/(r_0 chi)` and `ln(r/r_0)/ln(chi)` of the two weaker tokens of class 0 beside the dominant one.
fn quotients(z: &[f64]) -> [[f64; 2]; 2] {
    let grown = |weight: f64, l: usize| (3.0 / weight * (z[3] - z[l]).exp()).powi(2) - 1.0;
    let of = |weight: f64, l: usize| grown(weight, l) / ((3.0 / weight).powi(2) - 1.0);
    let parts = [of(1.0, 1), of(2.0, 2)];
    [parts.map(|part| part / (2.0 * z[3]).exp()), parts.map(|part| part.ln() / (2.0 * z[3]))]
}

pub(super) fn whole_eq_11(e: &mut Evidence, _: Trial) -> Outcome {
    let task = small(1.0, 0.1);
    let times = [task.scanned(), task.snapped(), 20.0 * task.snapped()];
    for (z, t) in flow(&task.shape(Outputs::Used)?, &times)?.iter().zip(times) {
        for (part, weight) in quotients(z)[0].into_iter().zip([1, 2]) {
            let what = format!(
                "r/(r_0 chi) at {:.2} t_0, beside the token of weight {weight}",
                t / task.snapped()
            );
            e.of(what).rel(1.0, part, 1e-4).loosely(0.05);
        }
    }
    let even = small(1.0, 1.0);
    let z = flow(&even.shape(Outputs::Used)?, &[even.snapped(), 20.0 * even.snapped()])?;
    e.note(format!(
        "With $\\eta_Y = \\eta_Z$ the quotients are {:.3} and {:.3} at $t_0$, {:.3} and {:.3} at \
         $20 t_0$: (11) is exact only where the decoder keeps up, as in (10).",
        quotients(&z[0])[0][0],
        quotients(&z[0])[0][1],
        quotients(&z[1])[0][0],
        quotients(&z[1])[0][1]
    ));
    Ok(())
}

pub(super) fn assumption_1c(e: &mut Evidence, _: Trial) -> Outcome {
    let worst = try_map([1.0, 10.0, 100.0], |ratio| {
        let task = small(1.0, 1.0 / ratio);
        let z = flow(&task.shape(Outputs::Used)?, &[task.snapped()])?;
        Ok(smallest(quotients(&z[0])[1]))
    })?;
    e.of("least ln(r/r_0)/ln(chi) at t_0, ratio 1").at_most(0.6, worst[0]);
    e.of("the same, ratio 10").at_least(0.85, worst[1]);
    e.of("the same, ratio 100").at_least(0.98, worst[2]);
    Ok(())
}

pub(super) fn assumption_1c_signs(e: &mut Evidence, _: Trial) -> Outcome {
    let law = |n: usize| {
        let mut p = [0.0; 10];
        p[0] = if n == 0 { 3.0 } else { 1.0 };
        p[1 + 3 * n..4 + 3 * n].copy_from_slice(&[1.0, 2.0, 3.0]);
        Class { query: 0, p: shares(&p) }
    };
    let ends = try_map([1.0, 100.0], |ratio| {
        let classes = (0..3).map(law).collect();
        let task = PlainTask { classes, ..small(1.0, 1.0 / ratio) };
        Ok(flow(&task.shape(Outputs::Used)?, &[20.0 * task.snapped()])?.remove(0))
    })?;
    e.of("largest logit of that class's distinct tokens at 20 t_0, equal rates")
        .at_most(-0.02, largest(ends[0][1..4].to_vec()));
    e.of("least logit of the other classes' tokens")
        .at_least(0.005, smallest(ends[0][4..].to_vec()));
    e.of("least logit of a distinct token, decoder 100 times faster")
        .at_least(1e-4, smallest(ends[1][1..].to_vec()));
    Ok(())
}

pub(super) fn whole_slower(e: &mut Evidence, _: Trial) -> Outcome {
    let task = PlainTask::single(5, 1000.0, 1.0, &[1.0, 2.0, 3.0, 4.0]).rates(1.0, 0.05);
    let times = [task.scanned() / 20.0, 0.5 * task.scanned()];
    let joint = flow(&task.shape(Outputs::Used)?, &times)?;
    let reduced = task.path(&task.zeros(), Share::Mean, &times, 100);
    let beta = task.beta(&task.directions(&task.zeros()))[0][1];
    let ratio = |i: usize| reduced[i].z[0] / joint[i][0];
    let what = "z of the common token by (10) over that of the joint flow, t_0'/20";
    e.of(what).rel(1.0, ratio(0), 0.03);
    e.but("the same").rel(task.m * beta, ratio(0), 0.03);
    e.note(format!("At $t_0'/2$ it is {:.1}; with $1/K$ in (10).", ratio(1)));
    Ok(())
}

pub(super) fn whole_snap(e: &mut Evidence, _: Trial) -> Outcome {
    for eta_z in [1.0, 0.1] {
        let task = small(1.0, eta_z);
        let t = task.snapped();
        let path = flow(&task.shape(Outputs::Used)?, &[t, 20.0 * t, 400.0 * t])?;
        for (l, what) in [(0, "the common token"), (3, "a dominant token")] {
            let speed = (path[1][l] - path[0][l]) / 19.0 / path[0][l];
            let later = (path[2][l] - path[1][l]) / (path[1][l] - path[0][l]);
            e.of(format!("speed of {what} from t_0 to 20 t_0, over that before, eta_Z = {eta_z}"))
                .at_most(0.12, speed);
            let what = format!(
                "its way from 20 to 400 t_0, over that from t_0 to 20 t_0, eta_Z = {eta_z}"
            );
            e.of(what).at_most(1.0, later);
        }
    }
    Ok(())
}

pub(super) fn whole_rates(e: &mut Evidence, _: Trial) -> Outcome {
    let slow = small(1.0, 0.1);
    let times = [0.05, 20.0].map(|part| part * slow.snapped());
    let path = |eta_y: f64, eta_z: f64| flow(&small(eta_y, eta_z).shape(Outputs::Used)?, &times);
    let (slow, fast, both) = (path(1.0, 0.1)?, path(4.0, 0.1)?, path(4.0, 0.4)?);
    e.of("logit of a dominant token, four times the eta_Y over one, at t_0/20")
        .at_least(2.0, fast[0][3] / slow[0][3]);
    e.of("the same at 20 t_0").at_most(0.8, fast[1][3] / slow[1][3]);
    e.of("four times both rates over one, at 20 t_0").at_least(1.1, both[1][3] / slow[1][3]);
    Ok(())
}

pub(super) fn second_head(e: &mut Evidence, trial: Trial) -> Outcome {
    let small = syn_small()?;
    let shape = Shape::new(small.task.clone(), Outputs::Used).heads(2);
    let mut start = shape.zero_start(0.05, trial.seed);
    // Head 0 leans to the likeliest token of class 0, head 1 to the third.
    let places = [shape.logits(0, 0) + 19, shape.logits(1, 0) + 17];
    places.iter().for_each(|&place| start[place] += 0.5);
    let end = trained(&shape, &start, (1.0, 1.0))?;
    let class = &shape.task.classes[0];
    let parts = |theta: &[f64], h: usize| -> Vec<f64> {
        let place = shape.logits(h, 0);
        let scores: Vec<f64> = (10..20)
            .map(|l| class.probability[l] * theta[place + class.support[l]].exp())
            .collect();
        shares(&scores)
    };
    for (h, own, other) in [(0, 9, 7), (1, 7, 9)] {
        let (first, last) = (parts(&start, h), parts(&end, h));
        e.of(format!("leading distinct token of head {h}")).count(own, place_of_largest(&last));
        e.of(format!("its part at the end over that at the start, head {h}"))
            .at_least(1.1, last[own] / first[own]);
        e.of(format!("its part over that of the other head's token, head {h}"))
            .at_least(1.05, last[own] / last[other]);
    }
    Ok(())
}

/// Two queries of two classes each; token 0 is in all, tokens 1 and 2 in one class of each query.
fn local(common: f64, own: f64) -> PlainTask {
    let law = |n: usize| {
        let mut p = [0.0; 11];
        (p[0], p[1 + n % 2], p[3 + 2 * n], p[4 + 2 * n]) = (common, own, 1.0, 2.0);
        Class { query: n / 2, p: shares(&p) }
    };
    PlainTask {
        classes: (0..4).map(law).collect(),
        tokens: 11,
        queries: 2,
        m: 1000.0,
        eta_y: 1.0,
        eta_z: 0.1,
    }
}

/// What the decoder sees with a residual connection: the direction beside the query, over the root of two.
fn beside(task: &PlainTask, z: &[f64]) -> Vec<Vec<f64>> {
    let one = |(f, class): (&Vec<f64>, &Class)| {
        let mut x = f.clone();
        x.resize(task.tokens + task.queries, 0.0);
        x[task.tokens + class.query] = 1.0;
        x.iter().map(|x| x / 2.0_f64.sqrt()).collect()
    };
    task.directions(z).iter().zip(&task.classes).map(one).collect()
}

/// The coefficients `-beta_{nn'}` of `Y (e_n - alpha_n)` along what the decoder sees, with the decoder of Theorem 1.
fn residual_coefficients(task: &PlainTask) -> Vec<Vec<f64>> {
    let (lead, m) = (3.0_f64, task.m);
    let dual = inverse(&products(&beside(task, &task.zeros())));
    // Outputs that are no next token are alike: their logits are all -lead/M.
    let gamma = task.gamma(lead);
    let mut beta = vec![vec![0.0; 4]; 4];
    for (n, beta) in beta.iter_mut().enumerate() {
        // w_k (e_n - alpha_n) with w_k = lead (e_k - 1/M).
        let wrong = 1.0 / (m - 1.0 + lead.exp());
        let right = 1.0 - lead.exp() * wrong;
        let along: Vec<f64> = (0..4).map(|k| lead * if k == n { right } else { -wrong }).collect();
        for (k, beta) in beta.iter_mut().enumerate() {
            *beta = if k == n { 0.0 } else { -dot(&dual[k], &along) / gamma };
        }
    }
    beta
}

pub(super) fn residual_beta(e: &mut Evidence, _: Trial) -> Outcome {
    let task = local(1.0, 1.0);
    let (x, beta) = (beside(&task, &task.zeros()), residual_coefficients(&task));
    let f = task.directions(&task.zeros());
    let overlaps = Overlaps::of(x.concat(), (4, 13), task.m)?;
    for k in 1..4 {
        let same = if task.classes[k].query == 0 { 1.0 } else { 0.0 };
        let what = format!("beta of class 0 with class {k}");
        e.of(&what).abs(dot(&f[0], &f[k]) + same, beta[0][k], 0.1);
        e.but(what).abs(overlaps.beta(0, k), beta[0][k], 1e-10);
    }
    Ok(())
}

pub(super) fn residual_larger(e: &mut Evidence, _: Trial) {
    for (common, own) in [(1.0, 1.0), (1.0, 0.5), (2.0, 1.0)] {
        let beta = residual_coefficients(&local(common, own));
        let others = largest([beta[0][2].abs(), beta[0][3].abs()]);
        let what =
            format!("beta within a query over the largest across, common {common}, local {own}");
        e.of(what).at_least(3.0, beta[0][1] / others);
    }
}

/// The rate of token 1 for query 0 under Theorem 1's decoder, over that of its distinct tokens, and
/// what decides its sign.
fn local_rate(task: &PlainTask) -> [f64; 2] {
    let (f, beta) = (task.directions(&task.zeros()), residual_coefficients(task));
    let e = products(&f);
    let rate = |l: usize| -> f64 {
        let term = |n: usize, k: usize| f[n][l] * beta[n][k] * (e[n][k] * f[n][l] - f[k][l]);
        (0..2).map(|n| (0..4).map(|k| term(n, k)).sum::<f64>()).sum()
    };
    // Class 0 has the token, and so has class 2, of the other query.
    let pull: f64 = (0..4).map(|k| beta[0][k] * e[0][k]).sum();
    [
        rate(1) / rate(3),
        (pull - beta[0][2] * f[2][1] / f[0][1]) * (f[0][1] / f[0][3]).powi(2) / pull,
    ]
}

pub(super) fn residual_local(e: &mut Evidence, _: Trial) {
    for (common, own) in [(1.0, 1.0), (1.0, 0.5), (2.0, 1.0)] {
        let [rate, condition] = local_rate(&local(common, own));
        let what = format!(
            "rate of a locally distinct token over that of a distinct one, common {common}, local \
             {own}"
        );
        e.of(&what).at_least(0.0, rate);
        e.but(what).abs(condition, rate, 1e-10);
    }
}

pub(super) fn residual_whole(e: &mut Evidence, _: Trial) -> Outcome {
    let mut first = f64::NAN;
    for (common, own) in [(1.0, 1.0), (1.0, 0.5)] {
        let task = local(common, own);
        let times = [task.scanned() / 8.0, task.snapped(), 20.0 * task.snapped()];
        let plain = flow(&task.shape(Outputs::Used)?, &times)?;
        let residual = flow(&task.shape(Outputs::Used)?.residual(), &times)?;
        if first.is_nan() {
            first = residual[0][1];
        }
        let mut e = e.case(format!("common {common}, local {own}"));
        for (i, when) in [(1, "t_0"), (2, "20 t_0")] {
            e.of(&format!("logit at {when} with it")).at_least(1e-4, residual[i][1]);
            e.of(&format!("logit at {when} without it")).at_most(-1e-4, plain[i][1]);
            e.of(&format!("logit of the token of all classes at {when} with it"))
                .at_most(-1e-3, residual[i][0]);
        }
    }
    e.note(format!(
        "They first lose a little, {first:.1e} at $t_0'/8$: early on plain descent has $\\beta = \
         1/M$ for all classes alike, and learns from about $t_0'$ on to tell those of one query \
         apart."
    ));
    Ok(())
}
