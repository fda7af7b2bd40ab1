//! Theorems 4 and 5: where the head that leaves comes to rest, the lines of fixed points of Eq. (11), and how it slides along.

use super::cooperation::two_scale_at;
use super::cooperation::{cooperative_at, offshoot};
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
    let of_two = "at t = 10^4 from V' = (0, 0.05), s' = (0.95, 0.05), two positions";
    let of_eight = "at t = 10^8 from eight positions with attention on all of them";
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
    let (plain, head) = Plain::with_head(5, trial);
    let of = |head: &Head| phi(&plain, 1, head);
    let corner = Head { s: axis(0, 5), ..head.clone() };
    // A start that fails (12) and ends on the second feature all the same.
    let below = pair(-0.05, 0.05);
    let end = two_scale_at(&TWO, 1, &below, &[1e4])?.remove(0);
    e.of("change of phi along (11), a random head")
        .at_least(0.0, change(of, &head, &plain.two_scale(1, &head)));
    e.of("phi at s' = s_1").abs(0.0, of(&corner), ROUNDING);
    e.of("phi at V' = (0, -0.05), s' = (0.95, 0.05)")
        .at_most(-1e-4, phi(&Plain::new(&TWO, 2), 1, &below));
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
        heads.push(Head { v, s: axis(j, positions) });
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

pub(super) fn theorem_4_slide(e: &mut Evidence, _: Trial) -> Outcome {
    for others in [1_usize, 3, 6] {
        let mut s = vec![0.3 / others as f64; others + 2];
        (s[0], s[1]) = (0.6, 0.1);
        let start = Head { v: vec![0.0, 0.05, 0.0], s };
        let ends = two_scale_at(&STRENGTHS, 1, &start, &[1e8, 1e10])?;
        let decades = |i: usize| (ends[0].s[i] / ends[1].s[i]).log10() / 2.0;
        let law = others as f64 / (2.0 * (others as f64 + 1.0));
        let what = format!("decades of s'_1 per decade of time, t = 10^8 to 10^10, N = {others}");
        e.of(what).abs(law, decades(0), 2e-3);
        e.of(format!("the same for s'_3, N = {others}")).abs(0.5, decades(2), 2e-3);
    }
    Ok(())
}

pub(super) fn theorem_4_line(e: &mut Evidence, _: Trial) {
    let plain = Plain::new(&STRENGTHS, 4);
    let rates = |j: usize| {
        [0.1, 0.3, 0.5, 0.7, 0.9].map(|p| {
            let mut head = Head::on(j, STRENGTHS[j] / p, 3, 4);
            (head.s[0], head.s[j]) = (1.0 - p, p);
            norm(&plain.two_scale(1, &head).flat())
        })
    };
    let rest = without(&[0.6, 0.4, 0.0, 0.0], 1);
    let gs = plain.left(1).at(&rest);
    let ratio = dot(&gs, &gs) / dot(&rest, &rest);
    let what = "least rate on s' = (1 - p) s_1 + p s_2, V' = (m_2/p) V_2, p = 0.1 to 0.9";
    e.of(what).at_least(1e-6, smallest(rates(1)));
    e.but("largest rate on that line").abs(0.0, largest(rates(1)), ROUNDING);
    e.but("and on that of the third feature").abs(0.0, largest(rates(2)), ROUNDING);
    let what = "|G_(1) s_(1)|^2/|s_(1)|^2 at s = 0.6 s_1 + 0.4 s_2, beside m_2^2";
    e.but(what).abs(STRENGTHS[1].powi(2), ratio, ROUNDING);
}

pub(super) fn theorem_4_others(e: &mut Evidence, trial: Trial) {
    let (plain, Head { v, .. }) = Plain::with_head(6, trial);
    let rate = |v: &[f64], s: &[f64]| norm(&plain.two_scale(1, &Head::new(v, s)).flat());
    e.of("rates at s' = s_1, a random V'").abs(0.0, rate(&v, &axis(0, 6)), ROUNDING);
    let nothing = rate(&[0.0; 3], &[0.4, 0.0, 0.0, 0.3, 0.2, 0.1]);
    e.of("rates at V' = 0, s' = (0.4, 0, 0, 0.3, 0.2, 0.1)").abs(0.0, nothing, ROUNDING);
}

/// What (11) keeps on two positions.
fn kept(v: f64, s: f64) -> f64 {
    v * v - (s / (1.0 - s)).ln() - 1.0 / (1.0 - s)
}

/// The `p` with `V = m/p` at which [`kept`] has that value, by bisection in `ln(p/(1-p))`.
fn resting_share(m: f64, value: f64) -> f64 {
    let share = |x: f64| 1.0 / (1.0 + f64::exp(-x));
    let left = |x: f64| (m / share(x)).powi(2) - x - (1.0 + x.exp()) - value;
    share(root(|x| -left(x), -60.0, 60.0))
}

pub(super) fn theorem_4_invariant(e: &mut Evidence, _: Trial) -> Outcome {
    let plain = Plain::new(&TWO, 2);
    for (v, s) in [(0.05, 0.05), (1e-3, 1e-3), (-0.3, 0.2), (2.5, 0.4)] {
        let (from, head) = (kept(v, s), pair(v, s));
        // The change along the rates, by differences; then the path, by the plain solver and by our law.
        let rate = plain.two_scale(1, &head);
        let at = |step: f64| kept(v + step * rate.v[1], s + step * rate.s[1]);
        let slope = derivative(|step| at(1e-3 * step), 0.0) * 1e3;
        let middle = plain.two_scale_to(&head, 20.0);
        let end = two_scale_at(&TWO, 1, &head, &[1e5])?.remove(0);
        let start = format!("from V = {v}, s = {s}");
        e.of(format!("its rate, {start}")).abs(0.0, slope, 1e-7);
        let what = format!("its value at t = 20, plain solver, {start}");
        e.of(what).abs(from, kept(middle.v[1], middle.s[1]), 1e-7);
        e.of(format!("s at t = 10^5, {start}")).abs(resting_share(TWO[1], from), end.s[1], 1e-6);
    }
    Ok(())
}

pub(super) fn theorem_4_share(e: &mut Evidence, _: Trial) {
    let share = |eps: f64| resting_share(TWO[1], kept(eps, eps));
    let law = |eps: f64| share(eps) * (1.0 / eps).ln().sqrt() / TWO[1];
    e.of("p from eps = 0.05").abs(0.694_588, share(0.05), 1e-6);
    e.of("p from eps = 1e-3").abs(0.5795, share(1e-3), 1e-4);
    let what = "V from eps = 0.05, by an independent implementation";
    e.of(what).abs(2.447_494_379_325_886_5, TWO[1] / share(0.05), 1e-9);
    e.of("p sqrt(ln(1/eps))/m_2 at eps = 1e-100").rel(1.0, law(1e-100), 0.02);
    e.of("p sqrt(ln(1/eps))/m_2 at eps = 1e-300").rel(1.0, law(1e-300), 0.01);
    e.of("p at eps = 1e-300").at_most(0.07, share(1e-300));
}
