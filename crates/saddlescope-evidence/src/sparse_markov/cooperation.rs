//! Section 3.3: one head that leaves an ensemble, Eqs. (9), (10) and (17), Lemma 1, and the two-scale dynamics (11) that it leads
//! to.

use super::*;

/// Positions, and heads as a number.
pub(super) const T: usize = 5;
pub(super) const H: f64 = 3.0;
pub(super) static PLAIN: LazyLock<Plain> = LazyLock::new(|| Plain::new(&STRENGTHS, T));

/// The ensemble at rest (17) and the head that leaves, with `epsilon` of the second feature and of its position (Remark 2).
pub(super) fn offshoot(
    strengths: &[f64],
    positions: usize,
    h: f64,
    epsilon: f64,
) -> (Vec<f64>, Head) {
    let mut head = Head::on(0, strengths[0] / h, strengths.len(), positions);
    head.v[1] = epsilon;
    (head.s[0], head.s[1]) = (1.0 - epsilon, epsilon);
    (rest(strengths, h, &head), head)
}

/// `V*` of Lemma 1.
pub(super) fn rest(strengths: &[f64], h: f64, head: &Head) -> Vec<f64> {
    let target = times_each(strengths[0], &axis(0, strengths.len()));
    plus(&target, -head.s[0], &head.v).iter().map(|x| x / (h - 1.0)).collect()
}

/// The state of (10) at each of `at`, by our law of it.
pub(super) fn cooperative_at(
    strengths: &[f64],
    h: usize,
    (ensemble, head): &(Vec<f64>, Head),
    at: &[f64],
) -> Outcome<Vec<(Vec<f64>, Head)>> {
    followed(&Law::cooperative(&model(strengths, head.s.len(), h)?)?, ensemble, head, at)
}

pub(super) fn eq_10(e: &mut Evidence, trial: Trial) -> Outcome {
    let (ensemble, head) = random_ensemble(&mut stream(trial, 0), T);
    let one = Head::new(&ensemble, &axis(0, T));
    let rates = PLAIN.whole(&[one.clone(), one, head.clone()]);
    let (of_ensemble, of_head) = PLAIN.cooperative(H, &ensemble, &head);
    let still = largest(rates[..2].iter().map(|rate| norm(&rate.s)));
    // The law with logits, by the engine, and (10) in attention, by the plain solver.
    let end = cooperative_at(&STRENGTHS, 3, &(ensemble.clone(), head.clone()), &[4.0])?.remove(0);
    let rate = |_: f64, state: &[f64]| {
        let (of_ensemble, of_head) = PLAIN.cooperative(H, &state[..3], &Head::of(&state[3..], 3));
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
    let (plain, head) = Plain::with_head(T, trial);
    let (rate, _) = plain.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
    let fixed = Head::on(0, STRENGTHS[0] / H, 3, T);
    e.of("rate of V there, a random head").abs(0.0, norm(&rate), ROUNDING);
    e.of("V at the fixed point (8)").each(&fixed.v, &rest(&STRENGTHS, H, &fixed), ROUNDING);
}

pub(super) fn scale_separation(e: &mut Evidence, _: Trial) {
    let of = |eta: f64| {
        let (_, mut head) = offshoot(&STRENGTHS, T, H, eta);
        head.v[1] = 0.3;
        let (_, rate) = PLAIN.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
        [norm(&pi(&head.s)), norm(&rate.s), norm(&rate.v)]
    };
    let (large, small) = (of(1e-3), of(1e-4));
    for (i, (name, factor)) in
        [("|Pi(s')|", 10.0), ("|ds'/dt|", 100.0), ("|dV'/dt|", 10.0)].into_iter().enumerate()
    {
        let what = format!("{name} with eta = 1e-3 over that with 1e-4");
        e.of(what).rel(factor, large[i] / small[i], 0.01);
    }
}

pub(super) fn offset(e: &mut Evidence, _: Trial) -> Outcome {
    let start = offshoot(&STRENGTHS, T, H, 0.01);
    let at: Vec<f64> = (1..=160).map(f64::from).collect();
    let path = cooperative_at(&STRENGTHS, 3, &start, &at)?;
    // When V'_2 has come to half of what it reaches, where is attention?
    let top = largest(path.iter().map(|(_, head)| head.v[1]));
    let half = path.iter().position(|(_, head)| head.v[1] >= 0.5 * top).unwrap_or(0);
    let (_, there) = &path[half];
    let put = |head: &Head| head.s[0] * head.v[1];
    let left = largest(path.iter().map(|(ensemble, head)| (2.0 * ensemble[1] + put(head)).abs()));
    let added = largest(path.iter().map(|(_, head)| put(head)));
    let (last, end) = &path[path.len() - 1];
    e.of("attention on position 1 when V'_2 is half of its largest, from (9) with eps = 0.01")
        .at_least(0.8, there.s[0]);
    e.of("feature 2 that is left at position 1, largest over time, over what V' puts there")
        .at_most(0.1, left / added);
    e.of("V_2 of the ensemble at t = 160").at_most(-0.1, last[1]);
    e.of("(h - 1) V_2 + s'_1 V'_2 at t = 160").abs(0.0, 2.0 * last[1] + put(end), 0.01);
    e.note(format!(
        "V'_2 is {:.2} at t = {} and comes to {top:.2}; at the end attention on position 1 is \
         {:.3}.",
        there.v[1], at[half], end.s[0]
    ));
    Ok(())
}

/// The state of (11) after `n` features at each of `at`, by our law of it.
pub(super) fn two_scale_at(
    strengths: &[f64],
    n: usize,
    head: &Head,
    at: &[f64],
) -> Outcome<Vec<Head>> {
    let law = Law::two_scale(&model(strengths, head.s.len(), n + 1)?, n)?;
    Ok(followed(&law, &[], head, at)?.into_iter().map(|(_, head)| head).collect())
}

/// `V - V*`.
fn delta((ensemble, head): &(Vec<f64>, Head)) -> Vec<f64> {
    minus(ensemble, &rest(&STRENGTHS, H, head))
}

pub(super) fn lemma_1_derivative(e: &mut Evidence, trial: Trial) {
    let start = random_ensemble(&mut stream(trial, 0), T);
    let (ensemble, head) = &start;
    let (of_ensemble, rate) = Plain::new(&STRENGTHS, T).cooperative(H, ensemble, head);
    let moved = |step: f64| delta(&(plus(ensemble, step, &of_ensemble), head.moved(step, &rate)));
    let found: Vec<f64> = (0..3).map(|r| derivative(|step| moved(step)[r], 0.0)).collect();
    let of = |last: f64| {
        sum(&[
            (1.0 - H, &delta(&start)),
            (head.s[0] / (H - 1.0), &rate.v),
            (last / (H - 1.0), &head.v),
        ])
    };
    e.both("beside differences along (10)").each([&of(head.s[0]), &of(rate.s[0])], &found, 1e-9);
}

/// What pushes the ensemble from `V*`: how fast that moves.
fn push(head: &Head, rate: &Head) -> Vec<f64> {
    sum(&[(head.s[0] / (H - 1.0), &rate.v), (rate.s[0] / (H - 1.0), &head.v)])
}

pub(super) fn lemma_1_constant(e: &mut Evidence, trial: Trial) {
    let start = random_ensemble(&mut stream(trial, 0), T);
    let (ensemble, head) = &start;
    let (of_ensemble, rate) = Plain::new(&STRENGTHS, T).cooperative(H, ensemble, head);
    let square = |step: f64| {
        let delta = delta(&(plus(ensemble, step, &of_ensemble), head.moved(step, &rate)));
        dot(&delta, &delta)
    };
    let of = |constant: f64| {
        -2.0 * constant * square(0.0) + 2.0 * dot(&push(head, &rate), &delta(&start))
    };
    let what = "beside differences along (10), h = 3";
    e.both(what).abs([of(0.5 * (H - 1.0)), of(H - 1.0)], derivative(square, 0.0), 1e-8);
}

pub(super) fn lemma_1(e: &mut Evidence, trial: Trial) -> Outcome {
    let (_, head) = offshoot(&STRENGTHS, T, H, 0.05);
    let ensemble = random(3, 1.0, &mut stream(trial, 0));
    let at: Vec<f64> = (1..=300).map(|i| 0.2 * f64::from(i)).collect();
    let path = cooperative_at(&STRENGTHS, 3, &(ensemble, head), &at)?;
    let off = |state: &(Vec<f64>, Head)| norm(&delta(state));
    let speed = |(ensemble, head): &(Vec<f64>, Head)| {
        norm(&push(head, &PLAIN.cooperative(H, ensemble, head).1))
    };
    let (first, c) = (off(&path[0]), largest(path.iter().map(speed)));
    let share = |(t, state): (&f64, &(Vec<f64>, Head))| {
        let bound = (-2.0 * (t - at[0])).exp() * first + c / 2.0;
        off(state) / bound
    };
    let late = largest(path[50..].iter().map(off));
    let what = "largest |V - V*| over the bound with c_2 = h - 1, from a random ensemble, t up to 60, h = 3";
    e.of(what).at_most(1.0, largest(at.iter().zip(&path).map(share)));
    e.note(format!(
        "Beyond t = 10 it stays below {late:.3}: V follows V*, the closer the slower V' and s' \
         are. The assumption $|s' - s_1^*| \\ge \\delta$ is not used."
    ));
    Ok(())
}

pub(super) fn eq_11(e: &mut Evidence, trial: Trial) -> Outcome {
    let (plain, head) = Plain::with_head(T, trial);
    let (_, whole) = plain.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
    // Our law in q beside (11) in s by the plain solver.
    let end = two_scale_at(&STRENGTHS, 1, &head, &[4.0])?.remove(0);
    let found = plain.two_scale_to(&head, 4.0);
    let what = "rates of V' and s' by (10)";
    e.of(what).each(&plain.two_scale(1, &head).flat(), &whole.flat(), ROUNDING);
    e.of("V' and s' at t = 4, beside our law").each(&end.flat(), &found.flat(), 1e-8);
    Ok(())
}

/// When attention on the second position first passes a half.
fn half(at: &[f64], shares: &[f64]) -> f64 {
    let i = shares.iter().position(|s| *s >= 0.5).unwrap_or(0);
    if i == 0 {
        return f64::NAN;
    }
    let part = (0.5 - shares[i - 1]) / (shares[i] - shares[i - 1]);
    at[i - 1] + part * (at[i] - at[i - 1])
}

pub(super) fn eq_11_accuracy(e: &mut Evidence, _: Trial) -> Outcome {
    let start = offshoot(&STRENGTHS, T, H, 0.05);
    let at: Vec<f64> = (1..=600).map(|i| 0.1 * f64::from(i)).collect();
    let full = cooperative_at(&STRENGTHS, 3, &start, &at)?;
    let fast = two_scale_at(&STRENGTHS, 1, &start.1, &at)?;
    let shares: Vec<f64> = full.iter().map(|(_, head)| head.s[1]).collect();
    let others: Vec<f64> = fast.iter().map(|head| head.s[1]).collect();
    let (slow, quick) = (half(&at, &shares), half(&at, &others));
    let last = (&full[full.len() - 1].1, &fast[fast.len() - 1]);
    let what = "when s'_2 passes a half by (10), beside (11), from Remark 2 with eps = 0.05, h = 3";
    e.of(what).rel(quick, slow, 0.01).loosely(0.2);
    e.of("s'_2 at t = 60 by (10), beside (11)").abs(last.1.s[1], last.0.s[1], 0.01).loosely(0.2);
    e.of("V'_2 s'_2 at t = 60 by (10)").abs(STRENGTHS[1], last.0.v[1] * last.0.s[1], 0.01);
    e.note(format!("{slow:.2} by (10), {quick:.2} by (11)."));
    Ok(())
}

pub(super) fn eq_10_whole(e: &mut Evidence, _: Trial) -> Outcome {
    let model = model(&STRENGTHS, 10, 3)?;
    let start = listed_heads(TEN);
    for heads in along(&model, &start, &[50.0, 100.0])? {
        let mut shares: Vec<f64> = heads.iter().map(|head| head.s[1]).collect();
        shares.sort_by(f64::total_cmp);
        let staying = heads.iter().filter(|head| head.s[1] < 0.5);
        let first = smallest(staying.map(|head| head.s[0]));
        e.of("largest attention on position 2, T = 10, t = 50 and 100").at_least(0.5, shares[2]);
        e.of("the next largest").at_most(0.1, shares[1]);
        e.of("least attention of the two others on position 1").at_least(0.6, first);
    }
    Ok(())
}
