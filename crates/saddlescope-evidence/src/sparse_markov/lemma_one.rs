//! Lemma 1, and the two-scale dynamics (11) that it leads to.

use super::cooperation::{cooperative_at, offshoot, rest};
use super::*;

const T: usize = 5;
const H: f64 = 3.0;

/// The state of (11) after `n` features at each of `at`, by our law of it.
pub(super) fn two_scale_at(
    strengths: &[f64],
    n: usize,
    head: &Head,
    at: &[f64],
) -> Outcome<Vec<Head>> {
    let model = model(strengths, head.s.len(), n + 1)?;
    let law = Law::two_scale(&model, n)?;
    let logits: Vec<f64> = head.s.iter().map(|s| s.max(1e-300).ln()).collect();
    let start = [head.v.clone(), logits].concat();
    let rank = strengths.len();
    let of = |state: &[f64]| Head::new(&state[..rank], &softmax(&state[rank..]));
    Ok(states(&law, &start, at)?.iter().map(|snapshot| of(&snapshot.state)).collect())
}

pub(super) fn lemma_1_derivative(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let mut numbers = stream(trial, 0);
    let (ensemble, head) = (random(3, 1.0, &mut numbers), random_head(3, T, &mut numbers));
    let (of_ensemble, rate) = plain.cooperative(H, &ensemble, &head);
    let delta = |ensemble: &[f64], head: &Head| minus(ensemble, &rest(&STRENGTHS, H, head));
    let change = |r: usize| {
        let at = |step: &[f64]| {
            let ensemble = plus(&ensemble, step[0], &of_ensemble);
            let head = plus(&head.flat(), step[0], &rate.flat());
            delta(&ensemble, &Head::of(&head, 3))[r]
        };
        gradient(at, &[0.0])[0]
    };
    let found: Vec<f64> = (0..3).map(change).collect();
    let of = |last: f64| {
        sum(&[
            (1.0 - H, &delta(&ensemble, &head)),
            (head.s[0] / (H - 1.0), &rate.v),
            (last / (H - 1.0), &head.v),
        ])
    };
    let what = "beside differences along (10)";
    e.of(what).each(&of(head.s[0]), &found, 1e-9);
    e.but(what).each(&of(rate.s[0]), &found, 1e-9);
}

pub(super) fn lemma_1_constant(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let mut numbers = stream(trial, 0);
    let (ensemble, head) = (random(3, 1.0, &mut numbers), random_head(3, T, &mut numbers));
    let (of_ensemble, rate) = plain.cooperative(H, &ensemble, &head);
    let delta = minus(&ensemble, &rest(&STRENGTHS, H, &head));
    let square = |step: &[f64]| {
        let ensemble = plus(&ensemble, step[0], &of_ensemble);
        let head = Head::of(&plus(&head.flat(), step[0], &rate.flat()), 3);
        let delta = minus(&ensemble, &rest(&STRENGTHS, H, &head));
        dot(&delta, &delta)
    };
    let found = gradient(square, &[0.0])[0];
    let c = sum(&[(head.s[0] / (H - 1.0), &rate.v), (rate.s[0] / (H - 1.0), &head.v)]);
    let of = |constant: f64| -2.0 * constant * dot(&delta, &delta) + 2.0 * dot(&c, &delta);
    let what = "beside differences along (10), h = 3";
    e.of(what).abs(of(0.5 * (H - 1.0)), found, 1e-8);
    e.but(what).abs(of(H - 1.0), found, 1e-8);
}

pub(super) fn lemma_1(e: &mut Evidence, trial: Trial) -> Outcome {
    let (_, head) = offshoot(&STRENGTHS, T, H, 0.05);
    let ensemble = random(3, 1.0, &mut stream(trial, 0));
    let plain = Plain::new(&STRENGTHS, T);
    let at: Vec<f64> = (0..=300).map(|i| 0.2 * f64::from(i)).collect();
    let path = cooperative_at(&STRENGTHS, 3, &(ensemble, head), &at[1..])?;
    let off =
        |(ensemble, head): &(Vec<f64>, Head)| norm(&minus(ensemble, &rest(&STRENGTHS, H, head)));
    let speed = |(ensemble, head): &(Vec<f64>, Head)| {
        let rate = plain.cooperative(H, ensemble, head).1;
        norm(&sum(&[(head.s[0] / (H - 1.0), &rate.v), (rate.s[0] / (H - 1.0), &head.v)]))
    };
    let (first, c) = (off(&path[0]), largest(path.iter().map(speed)));
    let share = |(t, state): (&f64, &(Vec<f64>, Head))| {
        let bound = (-2.0 * (t - at[1])).exp() * first + c / 2.0;
        off(state) / bound
    };
    let late = largest(path[50..].iter().map(off));
    e.of(
        "largest |V - V*| over the bound with c_2 = h - 1, from a random ensemble, t up to 60, h = \
         3",
    )
    .at_most(1.0, largest(at[1..].iter().zip(&path).map(share)));
    e.note(format!(
        "Beyond t = 10 it stays below {late:.3}: V follows V*, the closer the slower V' and s' \
         are. The assumption $|s' - s_1^*| \\ge \\delta$ is not used."
    ));
    Ok(())
}

pub(super) fn eq_11(e: &mut Evidence, trial: Trial) -> Outcome {
    let plain = Plain::new(&STRENGTHS, T);
    let head = random_head(3, T, &mut stream(trial, 0));
    let (_, whole) = plain.cooperative(H, &rest(&STRENGTHS, H, &head), &head);
    let fast = plain.two_scale(1, &head);
    // Our law in q beside (11) in s by the plain solver.
    let end = two_scale_at(&STRENGTHS, 1, &head, &[4.0])?.remove(0);
    let rate = |_: f64, state: &[f64]| plain.two_scale(1, &Head::of(state, 3)).flat();
    let found = stepped(rate, &head.flat(), 4.0, 4000);
    e.of("rates of V' and s' by (10)").each(&fast.flat(), &whole.flat(), ROUNDING);
    e.of("V' and s' at t = 4, beside our law").each(&end.flat(), &found, 1e-8);
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
    e.of("when s'_2 passes a half by (10), beside (11), from Remark 2 with eps = 0.05, h = 3")
        .rel(quick, slow, 0.01)
        .loosely(0.2);
    e.of("s'_2 at t = 60 by (10), beside (11)").abs(last.1.s[1], last.0.s[1], 0.01).loosely(0.2);
    e.of("V'_2 s'_2 at t = 60 by (10)").abs(STRENGTHS[1], last.0.v[1] * last.0.s[1], 0.01);
    e.note(format!("{slow:.2} by (10), {quick:.2} by (11)."));
    Ok(())
}

pub(super) fn eq_10_whole(e: &mut Evidence, _: Trial) -> Outcome {
    let model = model(&STRENGTHS, 10, 3)?;
    let start = listed_heads(3, &TEN);

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
