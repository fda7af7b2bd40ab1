//! The two branches of Eq. (14): where they hold, how well, and what lies between.

use super::snap::{Law, Moment, name};
use super::*;

/// A branch of (14) as it is printed.
fn branch(law: &Law, t: f64, early: bool) -> f64 {
    let Law { k, m, eta_y, eta_z, c0 } = *law;
    let whole = (m - 1.0).powi(2) / (m * m);
    let inside = if early {
        2.0 * whole / k * eta_y * eta_z * t * t
    } else {
        2.0 * k * whole * eta_z / eta_y * (m * eta_y * t / k).ln().powi(2)
    };
    0.25 * (c0 + inside).ln()
}

/// Evidence for a branch of (14) at some times.
fn against(e: &mut Evidence, law: &Law, times: &[f64], early: bool) -> Outcome {
    let snap = law.snap()?;
    for (t, moment) in times.iter().zip(law.path(times, 600)) {
        let what = format!("B by a plain solver, t = {:.2} t_0, {}", t / law.snapped(), name(law));
        let branches = [branch(law, *t, early), snap.branch(*t, early)];
        e.both(what).rel(branches, moment.b, 0.035);
    }
    Ok(())
}

pub(super) fn eq_14_scan(e: &mut Evidence, _: Trial) -> Outcome {
    let law = Law::figure(0.5, 0.5).with_c0(4.0);
    against(e, &law, &[0.1, 0.25, 0.5, 1.0].map(|part| part * law.scanned()), true)
}

pub(super) fn eq_14_snap(e: &mut Evidence, _: Trial) -> Outcome {
    let law = Law::figure(0.5, 0.5).with_c0(4.0);
    against(e, &law, &[1.0, 3.0, 10.0, 100.0].map(|part| part * law.snapped()), false)
}

pub(super) fn eq_14_accuracy(e: &mut Evidence, _: Trial) {
    let law = Law::figure(0.5, 0.5);
    let (first, second) = (law.scanned(), law.snapped());
    let times = [0.25 * first, 0.5 * first, first, second, 10.0 * second];
    for (t, moment) in times.iter().zip(law.path(&times, 500)) {
        let what = format!("B by a plain solver, t = {:.3} t_0", t / second);
        e.of(what).rel(branch(&law, *t, *t <= first), moment.b, 0.005).loosely(0.03);
    }
}

pub(super) fn lead_scan(e: &mut Evidence, _: Trial) {
    let omega = 0.567_143_290_409_783_8;
    for (part, known) in [(0.25, 0.998), (0.5, 0.992), (1.0, 0.919)] {
        let steps = part * 1000.0_f64.ln();
        let found = lead(1000.0, steps) / steps;
        e.of(format!("M h over eta_Y t/K at {part} t_0', M = 1000")).abs(known, found, 6e-4);
    }
    for m in [1e6, 1e12, 1e24, 1e100_f64] {
        let found = lead(m, m.ln()) / m.ln();
        let what = format!("the same at t_0' for M = {m:e}, beside 1 - Omega/ln M");
        e.of(what).abs(1.0 - omega / m.ln(), found, 1e-5);
    }
}

pub(super) fn lead_snap(e: &mut Evidence, _: Trial) {
    let at = |m: f64, times: f64| {
        let steps = 2.0 * times * larger_root(m);
        lead(m, steps) / (m * steps).ln()
    };
    e.of("M h over the logarithm at t_0, M = 1000").abs(0.929, at(1000.0, 1.0), 6e-4);
    e.of("the same at 10 t_0").at_least(0.99, at(1000.0, 10.0));
    for m in [1e6, 1e12, 1e24, 1e100_f64] {
        // At t_0 the two terms of (45) are equal: e^x is half of M eta_Y t/K.
        let whole = (m * 2.0 * larger_root(m)).ln();
        let what = format!("the same at t_0 for M = {m:e}, beside 1 - ln 2/ln(M eta_Y t_0/K)");
        e.of(what).abs(1.0 - 2.0_f64.ln() / whole, at(m, 1.0), 1e-5);
    }
}

pub(super) fn t0_half(e: &mut Evidence, _: Trial) {
    for (m, tolerance) in [(1e3, 3e-4), (1e6, 3e-7), (1e12, 1e-11)] {
        let half = larger_root(m);
        e.of(format!("M h at t_0, M = {m:e}")).rel(half, lead(m, 2.0 * half), tolerance);
    }
}

pub(super) fn eq_14_gap(e: &mut Evidence, _: Trial) -> Outcome {
    let (law, snap) = (Law::figure(0.5, 0.5), Law::figure(0.5, 0.5).snap()?);
    let times = by_factors(law.scanned(), law.snapped(), 9);
    let path = law.path(&times, 300);
    let excess = |(t, moment): (&f64, &Moment)| {
        let of = |early| branch(&law, *t, early) / moment.b - 1.0;
        of(true).min(of(false))
    };
    let better: Vec<f64> = times.iter().zip(&path).map(excess).collect();
    let off = times.iter().zip(&path).map(|(t, moment)| (snap.growth(*t) - moment.b).abs());
    e.of("least excess of the better branch").at_least(0.015, smallest(better.iter().copied()));
    e.of("its excess halfway").at_least(0.04, better[4]);
    e.of("largest error of (129), mended").abs(0.0, largest(off), 1e-8);
    Ok(())
}

pub(super) fn gamma_peak(e: &mut Evidence, _: Trial) -> Outcome {
    let law = Law::figure(1.0, 1.0);
    let times = by_factors(50.0, 63.0, 2001);
    let gammas: Vec<f64> = times.iter().map(|t| law.gamma(lead(law.m, t / law.k))).collect();
    let at = times[place_of_largest(&gammas)] / law.k;
    let found = law.snap()?.peak().unwrap_or(f64::NAN) / law.k;
    e.of("largest gamma by search").abs(4.416, largest(gammas), 6e-4);
    e.of("eta_Y t/K there").abs(5.640, at, 3e-3);
    e.of("the same by its equation").abs(5.640, found, 6e-4);
    e.of("over ln M").abs(0.816, at / law.m.ln(), 6e-4);
    Ok(())
}
