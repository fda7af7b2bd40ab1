//! Section 3.3: one head that leaves an ensemble, Eqs. (9), (10) and (17).

use super::*;

/// Positions, and heads as a number.
pub(super) const T: usize = 5;
pub(super) const H: f64 = 3.0;

/// The ensemble at rest (17) and the head that leaves, with `epsilon` of the second feature and of its position (Remark 2).
pub(super) fn offshoot(
    strengths: &[f64],
    positions: usize,
    h: f64,
    epsilon: f64,
) -> (Vec<f64>, Head) {
    let mut v = vec![0.0; strengths.len()];
    (v[0], v[1]) = (strengths[0] / h, epsilon);
    let mut s = vec![0.0; positions];
    (s[0], s[1]) = (1.0 - epsilon, epsilon);
    let head = Head { v, s };
    (rest(strengths, h, &head), head)
}

/// `V*` of Lemma 1.
pub(super) fn rest(strengths: &[f64], h: f64, head: &Head) -> Vec<f64> {
    let mut target = vec![0.0; strengths.len()];
    target[0] = strengths[0];
    let left = plus(&target, -head.s[0], &head.v);
    left.iter().map(|x| x / (h - 1.0)).collect()
}

/// The state of (10) at each of `at`, by our law of it.
pub(super) fn cooperative_at(
    strengths: &[f64],
    h: usize,
    (ensemble, head): &(Vec<f64>, Head),
    at: &[f64],
) -> Outcome<Vec<(Vec<f64>, Head)>> {
    let model = model(strengths, head.s.len(), h)?;
    let law = Law::cooperative(&model)?;
    let logits: Vec<f64> = head.s.iter().map(|s| s.max(1e-300).ln()).collect();
    let start = [ensemble.clone(), head.v.clone(), logits].concat();
    let rank = strengths.len();
    let of = |state: &[f64]| {
        let head = Head::new(&state[rank..2 * rank], &softmax(&state[2 * rank..]));
        (state[..rank].to_vec(), head)
    };
    Ok(states(&law, &start, at)?.iter().map(|snapshot| of(&snapshot.state)).collect())
}

pub(super) fn eq_10(e: &mut Evidence, trial: Trial) -> Outcome {
    let plain = Plain::new(&STRENGTHS, T);
    let mut stream = stream(trial, 0);
    let (ensemble, head) = (random(3, 1.0, &mut stream), random_head(3, T, &mut stream));
    let one = Head::new(&ensemble, &unit(0, T));
    let rates = plain.whole(&[one.clone(), one, head.clone()]);
    let (of_ensemble, of_head) = plain.cooperative(H, &ensemble, &head);
    let still = largest(rates[..2].iter().map(|rate| norm(&rate.s)));
    // The law with logits, by the engine, and (10) in attention, by the plain solver.
    let end = cooperative_at(&STRENGTHS, 3, &(ensemble.clone(), head.clone()), &[4.0])?.remove(0);
    let rate = |_: f64, state: &[f64]| {
        let (of_ensemble, of_head) = plain.cooperative(H, &state[..3], &Head::of(&state[3..], 3));
        [of_ensemble, of_head.flat()].concat()
    };
    let found = stepped(rate, &[ensemble, head.flat()].concat(), 4.0, 4000);
    e.of("rates of the ensemble's attention").abs(0.0, still, 1e-300);
    e.of("rates of V by (6)").each(&of_ensemble, &rates[0].v, ROUNDING);
    e.of("rates of V' and s' by (6)").each(&of_head.flat(), &rates[2].flat(), ROUNDING);
    let what = "V, V' and s' at t = 4: (10) in s beside our law in q";
    e.of(what).each(&[end.0, end.1.flat()].concat(), &found, 1e-8);
    Ok(())
}

pub(super) fn eq_17(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let head = random_head(3, T, &mut stream(trial, 0));
    let (rate, _) = plain.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
    let fixed = Head::new(&[STRENGTHS[0] / H, 0.0, 0.0], &unit(0, T));
    e.of("rate of V there, a random head").abs(0.0, norm(&rate), ROUNDING);
    e.of("V at the fixed point (8)").each(&fixed.v, &rest(&STRENGTHS, H, &fixed), ROUNDING);
}

pub(super) fn scale_separation(e: &mut Evidence, _: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let of = |eta: f64| {
        let (_, mut head) = offshoot(&STRENGTHS, T, H, eta);
        head.v[1] = 0.3;
        let (_, rate) = plain.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
        (norm(&pi(&head.s)), norm(&rate.s), norm(&rate.v))
    };
    let (large, small) = (of(1e-3), of(1e-4));
    let what = |name: &str| format!("{name} with eta = 1e-3 over that with 1e-4");
    e.of(what("|Pi(s')|")).rel(10.0, large.0 / small.0, 0.01);
    e.of(what("|ds'/dt|")).rel(100.0, large.1 / small.1, 0.01);
    e.of(what("|dV'/dt|")).rel(10.0, large.2 / small.2, 0.01);
}

pub(super) fn offset(e: &mut Evidence, _: Trial) -> Outcome {
    let start = offshoot(&STRENGTHS, T, H, 0.01);
    let at: Vec<f64> = (1..=160).map(f64::from).collect();
    let path = cooperative_at(&STRENGTHS, 3, &start, &at)?;
    // When V'_2 has come to half of what it reaches, where is attention?
    let top = largest(path.iter().map(|(_, head)| head.v[1]));
    let half = path.iter().position(|(_, head)| head.v[1] >= 0.5 * top).unwrap_or(0);
    let (_, there) = &path[half];
    let left = largest(
        path.iter().map(|(ensemble, head)| (2.0 * ensemble[1] + head.s[0] * head.v[1]).abs()),
    );
    let added = largest(path.iter().map(|(_, head)| head.s[0] * head.v[1]));
    let (last, end) = &path[path.len() - 1];
    e.of("attention on position 1 when V'_2 is half of its largest, from (9) with eps = 0.01")
        .at_least(0.8, there.s[0]);
    e.of("feature 2 that is left at position 1, largest over time, over what V' puts there")
        .at_most(0.1, left / added);
    e.of("V_2 of the ensemble at t = 160").at_most(-0.1, last[1]);
    e.of("(h - 1) V_2 + s'_1 V'_2 at t = 160").abs(0.0, 2.0 * last[1] + end.s[0] * end.v[1], 0.01);
    e.note(format!(
        "V'_2 is {:.2} at t = {} and comes to {top:.2}; at the end attention on position 1 is \
         {:.3}.",
        there.v[1], at[half], end.s[0]
    ));
    Ok(())
}
