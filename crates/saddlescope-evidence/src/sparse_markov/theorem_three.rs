//! Theorem 3: how long heads stay near Eq. (10), and its proof line by line.

use super::cooperation::{H, T, cooperative_at, offshoot, rest};
use super::*;

/// Heads within about `eps` of the ensemble and of the head that leaves it.
fn perturbed(eps: f64, start: &(Vec<f64>, Head), stream: &mut Stream) -> Vec<Head> {
    let positions = start.1.s.len();
    let mut near = |v: &[f64], s: &[f64]| {
        // A mixture with some other attention stays on the simplex.
        let other = softmax(&random(positions, 1.0, stream));
        let move_v = random(v.len(), 1.0, stream);
        let scale = eps / norm(&move_v);
        Head { v: plus(v, scale, &move_v), s: sum(&[(1.0 - 0.5 * eps, s), (0.5 * eps, &other)]) }
    };
    let corner = unit(0, positions);
    vec![near(&start.0, &corner), near(&start.0, &corner), near(&start.1.v, &start.1.s)]
}

/// The corrected `Delta(t)` of the whole model from (10), over `eps`.
fn deviations(eps: f64, at: &[f64], stream: &mut Stream) -> Outcome<Vec<f64>> {
    let start = offshoot(&STRENGTHS, T, H, 0.05);
    let model = model(&STRENGTHS, T, 3)?;
    let whole = along(&model, &perturbed(eps, &start, stream), at)?;
    let reduced = cooperative_at(&STRENGTHS, 3, &start, at)?;
    let corner = unit(0, T);
    let far = |(heads, (ensemble, head)): (&Vec<Head>, &(Vec<f64>, Head))| {
        let others = heads[..2]
            .iter()
            .flat_map(|one| [distance(&one.v, ensemble), distance(&one.s, &corner)]);
        let last = [distance(&heads[2].v, &head.v), distance(&heads[2].s, &head.s)];
        largest(others.chain(last)) / eps
    };
    Ok(whole.iter().zip(&reduced).map(far).collect())
}

pub(super) fn theorem_3(e: &mut Evidence, trial: Trial) -> Outcome {
    let c = 2.0;
    let (printed, meant) = (|eps: f64| -1.0 / (c * eps.ln()), |eps: f64| -eps.ln() / c);
    let what = "length of the interval with eps = 1e-8 over that with 1e-4";
    let mut worst = 0.0_f64;
    for eps in [1e-3, 1e-5] {
        let at = by_factors(0.1, meant(eps), 20);
        let found = deviations(eps, &at, &mut stream(trial, 0))?;
        worst = worst.max(largest(at.iter().zip(found).map(|(t, x)| x / (c * t).exp())));
    }
    let at = [2.0, 10.0, 20.0, 25.0];
    let of = |eps: f64| deviations(eps, &at, &mut stream(trial, 0));
    let (large, small) = (of(1e-5)?, of(1e-6)?);
    e.of(what).at_least(1.0, printed(1e-8) / printed(1e-4));
    e.but(what).at_least(1.0, meant(1e-8) / meant(1e-4));
    e.but(
        "largest deviation over eps e^(c t) up to ln(1/eps)/c, c = 2, eps = 1e-3 and 1e-5, T = 5, \
         h = 3",
    )
    .at_most(1.0, worst);
    e.but(
        "deviation over eps with eps = 1e-5, beside 1e-6, largest relative difference at t = 2 to \
         25",
    )
    .abs(0.0, largest(large.iter().zip(&small).map(|(a, b)| (a / b - 1.0).abs())), 0.05);
    e.note(format!(
        "Over eps at t = {at:?}: {:.1}, {:.1}, {:.1}, {:.1}.",
        small[0], small[1], small[2], small[3]
    ));
    Ok(())
}

pub(super) fn theorem_3_delta(e: &mut Evidence, _: Trial) -> Outcome {
    // Heads that follow (10) exactly deviate from nothing.
    let start = offshoot(&STRENGTHS, T, H, 0.05);
    let model = model(&STRENGTHS, T, 3)?;
    let corner = unit(0, T);
    let one = Head::new(&start.0, &corner);
    let heads = [one.clone(), one, start.1.clone()];
    let (whole, reduced) = (
        along(&model, &heads, &[40.0])?.remove(0),
        cooperative_at(&STRENGTHS, 3, &start, &[40.0])?.remove(0),
    );
    let last = &whole[2];
    let printed = distance(&last.v, &reduced.0).max(distance(&last.s, &corner));
    let meant = distance(&last.v, &reduced.1.v).max(distance(&last.s, &reduced.1.s));
    let what = "at t = 40 for heads that start on (10) exactly, T = 5, h = 3";
    e.of(what).abs(0.0, printed, 1e-6);
    e.but(what).abs(0.0, meant, 1e-6);
    Ok(())
}

/// The function of the proof of Theorem 3.
pub(super) fn phi(plain: &Plain, ensemble: &[f64], head: &Head) -> f64 {
    let others = H - 1.0;
    others * plain.m[0] * ensemble[0]
        - 0.5 * others * others * dot(ensemble, ensemble)
        - others * head.s[0] * dot(ensemble, &head.v)
        + dot(&head.v, &plain.at(&head.s))
        - 0.5 * dot(&head.s, &head.s) * dot(&head.v, &head.v)
}

pub(super) fn theorem_3_lyapunov(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let mut stream = stream(trial, 0);
    let (ensemble, head) = (random(3, 1.0, &mut stream), random_head(3, T, &mut stream));
    let at = [ensemble.clone(), head.flat()].concat();
    let of = |state: &[f64]| phi(&plain, &state[..3], &Head::of(&state[3..], 3));
    let found = gradient(of, &at);
    let (of_ensemble, rate) = plain.cooperative(H, &ensemble, &head);
    let doubled: Vec<f64> = of_ensemble.iter().map(|x| 2.0 * x).collect();
    let slope = |v: &[f64]| {
        let mut u = plus(&plain.along(v), -dot(&head.v, &head.v), &head.s);
        u[0] -= 2.0 * dot(&ensemble, &head.v);
        u
    };
    let (as_printed, meant) = (slope(&ensemble), slope(&head.v));
    let path = [of_ensemble.clone(), rate.flat()].concat();
    let change = gradient(|step| of(&plus(&at, step[0], &path)), &[0.0])[0];
    let sum_of = |last: &[f64]| {
        2.0 * dot(&of_ensemble, &of_ensemble) + dot(&rate.v, &rate.v) + dot(last, last)
    };
    let turned = |u: &[f64]| pi(&head.s).apply(u);
    let in_s = "slopes in s' beside differences";
    let along = "change along (10), by differences";
    e.of("slopes in V").each(&doubled, &found[..3], DIFFERENCES);
    e.of("slopes in V'").each(&rate.v, &found[3..6], DIFFERENCES);
    e.of(in_s).each(&as_printed, &found[6..], DIFFERENCES);
    e.of(along).abs(sum_of(&turned(&rate.s)), change, DIFFERENCES);
    e.but(in_s).each(&meant, &found[6..], DIFFERENCES);
    e.but(along).abs(sum_of(&turned(&meant)), change, DIFFERENCES);
}

pub(super) fn theorem_3_bounded(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    // At s' = s_1 the ensemble can cancel any V'.
    let cancelled = |size: f64| {
        let head = Head::new(&[STRENGTHS[0] / H, size, 0.0], &unit(0, T));
        phi(&plain, &rest(&STRENGTHS, H, &head), &head)
    };
    // What is true: rates are bounded by the loss, which never rises.
    let mut numbers = stream(trial, 0);
    let share = |_: usize| {
        let (ensemble, head) = (random(3, 1.0, &mut numbers), random_head(3, T, &mut numbers));
        let one = Head::new(&ensemble, &unit(0, T));
        let loss = plain.loss(&[one.clone(), one, head.clone()]);
        let (of_ensemble, rate) = plain.cooperative(H, &ensemble, &head);
        norm(&of_ensemble).max(norm(&rate.v)) / (2.0 * loss).sqrt()
    };
    let what = "change of phi between V' = 0 and V' = 1000 V_2 at s' = s_1, V at rest";
    let change = (cancelled(1000.0) - cancelled(0.0)).abs();
    e.of(what).at_least(1.0, change);
    e.but(what).abs(0.0, change, 1e-6);
    e.but("largest of |dV/dt| and |dV'/dt| over (2 L)^(1/2), 200 random points")
        .at_most(1.0, largest((0..200).map(share)));
}
