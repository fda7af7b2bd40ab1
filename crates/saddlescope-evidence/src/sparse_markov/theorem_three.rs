//! Theorem 3: how long heads stay near Eq. (10), and its proof line by line.

use super::cooperation::{H, PLAIN, T, cooperative_at, offshoot, rest};
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
    let corner = axis(0, positions);
    vec![near(&start.0, &corner), near(&start.0, &corner), near(&start.1.v, &start.1.s)]
}

/// The corrected `Delta(t)` of the whole model from (10), over `eps`.
fn deviations(eps: f64, at: &[f64], stream: &mut Stream) -> Outcome<Vec<f64>> {
    let start = offshoot(&STRENGTHS, T, H, 0.05);
    let model = model(&STRENGTHS, T, 3)?;
    let whole = along(&model, &perturbed(eps, &start, stream), at)?;
    let reduced = cooperative_at(&STRENGTHS, 3, &start, at)?;
    let corner = axis(0, T);
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
    let worst = try_map([1e-3, 1e-5], |eps| {
        let at = by_factors(0.1, meant(eps), 20);
        let found = deviations(eps, &at, &mut stream(trial, 0))?;
        Ok(largest(at.iter().zip(found).map(|(t, x)| x / (c * t).exp())))
    })?;
    let at = [2.0, 10.0, 20.0, 25.0];
    let of = |eps: f64| deviations(eps, &at, &mut stream(trial, 0));
    let (large, small) = (of(1e-5)?, of(1e-6)?);
    e.both("length of the interval with eps = 1e-8 over that with 1e-4")
        .at_least(1.0, [printed(1e-8) / printed(1e-4), meant(1e-8) / meant(1e-4)]);
    let what = "largest deviation over eps e^(c t) up to ln(1/eps)/c, c = 2, eps = 1e-3 and 1e-5, T = 5, h = 3";
    e.but(what).at_most(1.0, largest(worst));
    let what = "deviation over eps with eps = 1e-5, beside 1e-6, largest relative difference at t = 2 to 25";
    e.but(what).abs(0.0, largest(large.iter().zip(&small).map(|(a, b)| (a / b - 1.0).abs())), 0.05);
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
    let corner = axis(0, T);
    let one = Head::new(&start.0, &corner);
    let heads = [one.clone(), one, start.1.clone()];
    let last = along(&model, &heads, &[40.0])?.remove(0).remove(2);
    let (ensemble, head) = cooperative_at(&STRENGTHS, 3, &start, &[40.0])?.remove(0);
    let printed = distance(&last.v, &ensemble).max(distance(&last.s, &corner));
    let meant = distance(&last.v, &head.v).max(distance(&last.s, &head.s));
    let what = "at t = 40 for heads that start on (10) exactly, T = 5, h = 3";
    e.both(what).abs(0.0, [printed, meant], 1e-6);
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
    let (ensemble, head) = random_ensemble(&mut stream(trial, 0), T);
    let at = [ensemble.clone(), head.flat()].concat();
    let of = |state: &[f64]| phi(&PLAIN, &state[..3], &Head::of(&state[3..], 3));
    let found = gradient(of, &at);
    let (of_ensemble, rate) = PLAIN.cooperative(H, &ensemble, &head);
    let slope = |v: &[f64]| {
        let mut u = plus(&PLAIN.along(v), -dot(&head.v, &head.v), &head.s);
        u[0] -= 2.0 * dot(&ensemble, &head.v);
        u
    };
    let path = [of_ensemble.clone(), rate.flat()].concat();
    let sum_of = |u: &[f64]| {
        let last = pi(&head.s).apply(u);
        2.0 * dot(&of_ensemble, &of_ensemble) + dot(&rate.v, &rate.v) + dot(&last, &last)
    };
    let (as_printed, meant) = (slope(&ensemble), slope(&head.v));
    e.of("slopes in V").each(&times_each(2.0, &of_ensemble), &found[..3], DIFFERENCES);
    e.of("slopes in V'").each(&rate.v, &found[3..6], DIFFERENCES);
    e.both("slopes in s' beside differences").each([&as_printed, &meant], &found[6..], DIFFERENCES);
    let what = "change along (10), by differences";
    e.both(what).abs([sum_of(&rate.s), sum_of(&meant)], slope_along(of, &at, &path), DIFFERENCES);
}

pub(super) fn theorem_3_bounded(e: &mut Evidence, trial: Trial) {
    // At s' = s_1 the ensemble can cancel any V'.
    let cancelled = |size: f64| {
        let head = Head::new(&[STRENGTHS[0] / H, size, 0.0], &axis(0, T));
        phi(&PLAIN, &rest(&STRENGTHS, H, &head), &head)
    };
    // What is true: rates are bounded by the loss, which never rises.
    let mut numbers = stream(trial, 0);
    let share = |_: usize| {
        let (ensemble, head) = random_ensemble(&mut numbers, T);
        let one = Head::new(&ensemble, &axis(0, T));
        let loss = PLAIN.loss(&[one.clone(), one, head.clone()]);
        let (of_ensemble, rate) = PLAIN.cooperative(H, &ensemble, &head);
        norm(&of_ensemble).max(norm(&rate.v)) / (2.0 * loss).sqrt()
    };
    let what = "change of phi between V' = 0 and V' = 1000 V_2 at s' = s_1, V at rest";
    let change = (cancelled(1000.0) - cancelled(0.0)).abs();
    e.of(what).at_least(1.0, change);
    e.but(what).abs(0.0, change, 1e-6);
    e.but("largest of |dV/dt| and |dV'/dt| over (2 L)^(1/2), 200 random points")
        .at_most(1.0, largest((0..200).map(share)));
}
