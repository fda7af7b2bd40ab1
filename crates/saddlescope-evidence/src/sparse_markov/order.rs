//! The order of Eq. (7) in Theorem 1: whether it is kept, reinforced, and needed.

use super::coupled::{coupled_at, from_limit};
use super::*;

/// A start inside that meets (7).
pub(super) fn ordered(stream: &mut Stream) -> Head {
    let mut head = random_head(3, 5, stream);
    for numbers in [&mut head.v[..], &mut head.s[..3]] {
        let top = (0..3).fold(0, |a, b| if numbers[b] > numbers[a] { b } else { a });
        numbers.swap(0, top);
    }
    head
}

pub(super) fn theorem_1_any_start(e: &mut Evidence, trial: Trial) -> Outcome {
    let mut stream = stream(trial, 0);
    let mut far = 0.0_f64;
    // All but settled on the second and on the third feature.
    for start in [
        Head::new(&[0.0, 1.7 / 3.0, 0.0], &[0.04, 0.9, 0.02, 0.02, 0.02]),
        Head::new(&[-0.5, 0.0, 1.0 / 3.0], &[0.05, 0.05, 0.86, 0.02, 0.02]),
    ] {
        far = far.max(from_limit(&STRENGTHS, 3, &coupled_at(&STRENGTHS, 3, &start, 1e6)?));
    }
    // Any start on the positions of the features alone.
    let mut random = 0.0_f64;
    for _ in 0..4 {
        let end = coupled_at(&STRENGTHS, 3, &random_head(3, 3, &mut stream), 1e12)?;
        random = random.max(from_limit(&STRENGTHS, 3, &end));
    }
    // The rate at which position 1 gains where the second feature is learned and V follows.
    let plain = Plain::new(&STRENGTHS, 3);
    let small = 1e-4;
    let s = [small, 1.0 - small, 0.0];
    let v = [2.89 * small / 3.0, 1.7 / (3.0 * (1.0 - small)), 0.0];
    let rate = plain.coupled(3.0, &Head::new(&v, &s)).s[0];
    let law = 2.0 * small.powi(3) * (2.89_f64.powi(2) - 1.7_f64.powi(2)) / 3.0;
    e.of("largest distance to (8) at t = 10^6, from starts settled on features 2 and 3, T = 5")
        .abs(0.0, far, 0.01);
    e.of("largest distance at t = 10^12 from 4 random starts, T = 3").abs(0.0, random, 0.01);
    e.of("rate of s_1 = 10^-4 where feature 2 is learned").rel(law, rate, 1e-3);
    Ok(())
}

/// The first two features alone.
const TWO: [f64; 2] = [2.89, 1.7];

pub(super) fn theorem_1_invariance(e: &mut Evidence, trial: Trial) -> Outcome {
    let plain = Plain::new(&TWO, 2);
    // Equal attention and equal values below zero.
    let below = plain.coupled(3.0, &Head::new(&[-1.0, -1.0], &[0.5, 0.5]));
    let back = coupled_at(&TWO, 3, &Head::new(&[-1.0, -1.0], &[0.5, 0.5]), 1e6)?;
    let three = Plain::new(&STRENGTHS, 5);
    let mut stream = stream(trial, 0);
    let (mut of_w, mut of_z) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..400 {
        let mut head = ordered(&mut stream);
        head.v[0] = head.v[0].abs();
        let mut on_w = head.clone();
        on_w.v[1] = on_w.v[0];
        let rate = three.coupled(3.0, &on_w);
        of_w = of_w.min(rate.v[0] - rate.v[1]);
        let mut on_z = head;
        on_z.s[1] = on_z.s[0];
        let total: f64 = on_z.s.iter().sum();
        on_z.s.iter_mut().for_each(|s| *s /= total);
        let rate = three.coupled(3.0, &on_z);
        of_z = of_z.min(rate.s[0] - rate.s[1]);
    }
    let points = "least over 400 random points with <V, V_1> >= 0";
    e.of("rate of z_2 at s = (1/2, 1/2), V = (-1, -1), m = (2.89, 1.7), h = 3")
        .at_least(0.0, below.s[0] - below.s[1]);
    e.but(format!("rate of w_2 where w_2 = 0, {points}")).at_least(0.0, of_w);
    e.but(format!("rate of z_2 where z_2 = 0, {points}")).at_least(-1e-15, of_z);
    let what = "distance to (8) at t = 10^6 from that point below zero";
    e.but(what).abs(0.0, from_limit(&TWO, 3, &back), 0.01);
    Ok(())
}

pub(super) fn theorem_1_reinforced(e: &mut Evidence, _: Trial) -> Outcome {
    let plain = Plain::new(&STRENGTHS, 10);
    let start = Head::new(&[0.0; 3], &[0.1; 10]);
    let (mut of_v, mut of_s) = (f64::INFINITY, f64::INFINITY);
    let mut order = f64::INFINITY;
    for time in by_factors(0.1, 1e3, 60) {
        let head = coupled_at(&STRENGTHS, 3, &start, time)?;
        let rate = plain.coupled(3.0, &head);
        of_v = of_v.min(rate.v[0] - rate.v[1]);
        of_s = of_s.min(rate.s[0] - rate.s[1]);
        order = order.min(head.v[0] - head.v[1]);
    }
    let from = "from V = 0, s = 1/T, T = 10, h = 3, t = 0.1 to 1000";
    e.of(format!("least rate of w_2, {from}")).at_least(0.0, of_v);
    e.but(format!("least rate of z_2, {from}")).at_least(0.0, of_s);
    e.but("least w_2").at_least(0.0, order);
    Ok(())
}
