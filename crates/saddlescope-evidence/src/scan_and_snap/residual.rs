//! Section 7: a residual connection, with Theorem 1's decoder and in the joint flow.

use super::whole::flow;
use super::*;

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
