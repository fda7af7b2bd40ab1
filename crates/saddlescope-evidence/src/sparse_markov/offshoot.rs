//! Theorems 4 and 5: where the head that leaves comes to rest.

use super::cooperation::{cooperative_at, offshoot};
use super::lemma_one::two_scale_at;
use super::*;

/// `<V', G_(n) s_(n)> - |V'|^2 |s_(n)|^2/2`: above zero, (12) is met.
pub(super) fn phi(plain: &Plain, n: usize, head: &Head) -> f64 {
    let rest = without(&head.s, n);
    dot(&head.v, &plain.left(n).at(&rest)) - 0.5 * dot(&head.v, &head.v) * dot(&rest, &rest)
}

/// Two positions, values `(0, v)`, attention `(1 - s, s)`.
pub(super) fn pair(v: f64, s: f64) -> Head {
    Head::new(&[0.0, v], &[1.0 - s, s])
}

pub(super) const TWO: [f64; 2] = [2.89, 1.7];

pub(super) fn theorem_4(e: &mut Evidence, _: Trial) -> Outcome {
    // Two positions: nothing but the first two features. Then eight, and the start of an independent implementation.
    let alone = two_scale_at(&TWO, 1, &pair(0.05, 0.05), &[1e4])?.remove(0);
    let wide = Head::new(&[0.5, 0.05, 0.0], &[0.7, 0.06, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04]);
    let inside = two_scale_at(&STRENGTHS, 1, &wide, &[1e8])?.remove(0);
    let known = Head::new(&[2.89 / 3.0, 0.05, 0.0], &[0.949, 0.05, 0.001]);
    let other = two_scale_at(&STRENGTHS, 1, &known, &[1e4])?.remove(0);
    let met = [
        phi(&Plain::new(&TWO, 2), 1, &pair(0.05, 0.05)),
        phi(&Plain::new(&STRENGTHS, 8), 1, &wide),
        phi(&Plain::new(&STRENGTHS, 3), 1, &known),
    ];
    let (of_two, of_eight) = (
        "at t = 10^4 from V' = (0, 0.05), s' = (0.95, 0.05), two positions",
        "at t = 10^8 from eight positions with attention on all of them",
    );
    e.assume(
        format!("(12) is met by all starts: {:.4}, {:.4}, {:.4} > 0", met[0], met[1], met[2]),
        met.iter().all(|phi| *phi > 0.0),
    );
    e.of(format!("s'_2 {of_two}")).abs(1.0, alone.s[1], 0.01);
    e.of(format!("V'_2 {of_eight}")).abs(1.0, inside.v[1], 0.01);
    e.but(format!("s'_2 {of_eight}")).abs(1.0, inside.s[1], 1e-3);
    e.but("V'_2 there, beside m_2").abs(STRENGTHS[1], inside.v[1], 1e-3);
    e.but(format!("V'_2 s'_2 {of_two}, beside m_2")).abs(TWO[1], alone.v[1] * alone.s[1], 1e-9);
    e.but("s'_2 there").abs(0.694_588, alone.s[1], 1e-6);
    let what = "s'_2 at t = 10^4 from s' = (0.949, 0.05, 0.001), by an independent implementation";
    e.but(what).abs(0.679_726_985_271, other.s[1], 1e-6);
    Ok(())
}

pub(super) fn theorem_4_ensemble(e: &mut Evidence, _: Trial) -> Outcome {
    let start = offshoot(&STRENGTHS, 5, 3.0, 0.05);
    let (ensemble, head) = cooperative_at(&STRENGTHS, 3, &start, &[300.0])?.remove(0);
    let p = head.s[1];
    let what = "(h - 1) V_2 at t = 300 from Remark 2, eps = 0.05, h = 3";
    e.of(what).abs(-(1.0 - p) * STRENGTHS[1] / p, 2.0 * ensemble[1], 1e-6);
    e.of("V'_2 s'_2").abs(STRENGTHS[1], head.v[1] * p, 1e-6);
    e.of("s'_2").at_most(0.7, p);
    Ok(())
}

pub(super) fn eq_12(e: &mut Evidence, trial: Trial) -> Outcome {
    let plain = Plain::new(&STRENGTHS, 5);
    let head = random_head(3, 5, &mut stream(trial, 0));
    let rate = plain.two_scale(1, &head);
    let of =
        |step: &[f64]| phi(&plain, 1, &Head::of(&plus(&head.flat(), step[0], &rate.flat()), 3));
    let change = gradient(of, &[0.0])[0];
    let mut corner = head.clone();
    corner.s = vec![1.0, 0.0, 0.0, 0.0, 0.0];
    // A start that fails (12) and ends on the second feature all the same.
    let weak = pair(0.05, 0.05);
    let mut below = weak.clone();
    below.v[1] = -0.05;
    let failed = phi(&Plain::new(&TWO, 2), 1, &below);
    let end = two_scale_at(&TWO, 1, &below, &[1e4])?.remove(0);
    e.of("change of phi along (11), a random head").at_least(0.0, change);
    e.of("phi at s' = s_1").abs(0.0, phi(&plain, 1, &corner), ROUNDING);
    e.of("phi at V' = (0, -0.05), s' = (0.95, 0.05)").at_most(-1e-4, failed);
    e.of("V'_2 s'_2 at t = 10^4 from there").abs(TWO[1], end.v[1] * end.s[1], 1e-6);
    Ok(())
}

pub(super) fn remark_2(e: &mut Evidence, _: Trial) -> Outcome {
    let of = |scale: f64, eps: f64| {
        let strengths = STRENGTHS.map(|m| scale * m);
        let (_, head) = offshoot(&strengths, 3, 3.0, eps);
        phi(&Plain::new(&strengths, 3), 1, &head) / (eps * eps)
    };
    let condition = |scale: f64, eps: f64| {
        scale * STRENGTHS[1] - 0.5 * ((scale * STRENGTHS[0] / 3.0).powi(2) + eps * eps)
    };
    let at = |scale: &str| {
        format!("left less right side of (12) over eps^2, eps = 1e-3, h = 3, strengths {scale}")
    };
    // Where (12) fails the head leaves all the same.
    let strengths = STRENGTHS.map(|m| 10.0 * m);
    let (_, head) = offshoot(&strengths, 3, 3.0, 0.05);
    let end = two_scale_at(&strengths, 1, &head, &[1e3])?.remove(0);
    e.of(at("(2.89, 1.7, 1)")).at_least(0.0, of(1.0, 1e-3));
    e.of(at("(28.9, 17, 10)")).at_least(0.0, of(10.0, 1e-3));
    let what = "(2.89, 1.7, 1): m_2 - (m_1^2/h^2 + eps^2)/2";
    e.but(what).abs(condition(1.0, 1e-3), of(1.0, 1e-3), 1e-9);
    e.but("(28.9, 17, 10): the same").abs(condition(10.0, 1e-3), of(10.0, 1e-3), 1e-7);
    let what = "V'_2 s'_2/m_2 at t = 1000 from there with eps = 0.05";
    e.but(what).abs(1.0, end.v[1] * end.s[1] / 17.0, 1e-4);
    Ok(())
}

pub(super) fn theorem_4_any_start(e: &mut Evidence, _: Trial) -> Outcome {
    let start = Head::new(&[0.0, 0.0, 2.0], &[0.45, 0.04, 0.5, 0.01]);
    let ends = two_scale_at(&STRENGTHS, 1, &start, &[20.0, 1e6])?;
    e.of("s'_3 less s'_2 at t = 20, from s' = (0.45, 0.04, 0.5, 0.01)")
        .at_least(0.3, ends[0].s[2] - ends[0].s[1]);
    e.of("s'_2 less s'_3 at t = 10^6").at_least(0.3, ends[1].s[1] - ends[1].s[2]);
    e.of("V'_2 s'_2 there").abs(STRENGTHS[1], ends[1].v[1] * ends[1].s[1], 1e-3);
    Ok(())
}

/// The rest of the other heads in D.2, as a check of its start: rates of all of them.
fn others_at_rest(h: usize, n: usize, head: &Head) -> (Vec<Head>, Plain) {
    let m = [4.0, 2.5, 1.5, 1.0];
    let positions = head.s.len();
    let plain = Plain::new(&m, positions);
    let mut heads = Vec::new();
    for k in 0..h - 1 {
        // The ensemble of h - n heads first, then one head for each of features 2 to n.
        let j = if k < h - n { 0 } else { k + 1 - (h - n) };
        let share = if j == 0 { (h - n) as f64 } else { 1.0 };
        let mut v: Vec<f64> = head.v.iter().map(|v| -head.s[j] * v / share).collect();
        v[j] += m[j] / share;
        heads.push(Head { v, s: unit(j, positions) });
    }
    heads.push(head.clone());
    (heads, plain)
}

pub(super) fn d_2(e: &mut Evidence, trial: Trial) {
    for (h, n) in [(3, 2), (4, 2), (5, 3)] {
        let head = random_head(4, 6, &mut stream(trial, h as u64));
        let (heads, plain) = others_at_rest(h, n, &head);
        let rates = plain.whole(&heads);
        let still = largest(rates[..h - 1].iter().map(|rate| norm(&rate.flat())));
        let law = plain.two_scale(n, &head);
        e.of(format!("rates of the others, h = {h}, n = {n}")).abs(0.0, still, ROUNDING);
        let what = format!("rates of head n + 1, h = {h}, n = {n}");
        e.of(what).each(&law.flat(), &rates[h - 1].flat(), ROUNDING);
    }
}

pub(super) fn theorem_5(e: &mut Evidence, _: Trial) -> Outcome {
    // Nothing but the features, then some positions more.
    let strengths = [4.0, 2.5, 1.5];
    let alone = Head::new(&[0.5, 0.2, 0.05], &[0.85, 0.1, 0.05]);
    let wide = Head::new(&[0.5, 0.2, 0.05], &[0.7, 0.1, 0.05, 0.05, 0.05, 0.05]);
    let met =
        [phi(&Plain::new(&strengths, 3), 2, &alone), phi(&Plain::new(&strengths, 6), 2, &wide)];
    let end = two_scale_at(&strengths, 2, &alone, &[1e4])?.remove(0);
    let inside = two_scale_at(&strengths, 2, &wide, &[1e10])?.remove(0);
    let on_line = Head::new(&[0.0, 0.0, 3.0], &[0.3, 0.2, 0.5]);
    let still = norm(&Plain::new(&strengths, 3).two_scale(2, &on_line).flat());
    e.assume(
        format!("the condition like (12) is met: {:.5}, {:.5} > 0", met[0], met[1]),
        met.iter().all(|phi| *phi > 0.0),
    );
    e.of("s_3 at t = 10^4 from s = (0.85, 0.1, 0.05), n = 2, three positions")
        .abs(1.0, end.s[2], 0.01);
    e.of("V_3 at t = 10^10 from inside, six positions").abs(1.0, inside.v[2], 0.1);
    e.but("V_3 s_3 on three positions").abs(1.5, end.v[2] * end.s[2], 1e-9);
    e.but("V_3 on six, beside m_3").abs(1.5, inside.v[2], 0.01);
    e.but("s_3 there").abs(1.0, inside.s[2], 0.01);
    e.but("rates at s = (0.3, 0.2, 0.5), V = 3 V_3, m_3 = 1.5").abs(0.0, still, ROUNDING);
    Ok(())
}
