//! Appendix F: how far attention has come at `t_0` and long after it, Eqs. (132) and (133).

use super::insights::growth;
use super::snap::Law;
use super::*;

pub(super) fn eq_132(e: &mut Evidence, _: Trial) {
    for c0 in [1.0, 100.0] {
        let law = Law::figure(0.5, 0.5).with_c0(c0);
        for power in [1.0, 6.0, 100.0, 250.0] {
            let steps = 2.0 * larger_root(law.m) * 10.0_f64.powf(power);
            let found = growth(&law, lead(law.m, steps));
            let printed = 0.5 * (law.m * steps).ln().ln()
                + 0.25 * (2.0 * law.k * ((law.m - 1.0) / law.m).powi(2)).ln();
            let what = format!("B at 10^{power} t_0, C0 = {c0}");
            e.of(&what).rel(printed, found, 0.01);
            e.but(what).rel(printed - 0.25 * c0.ln(), found, 0.01);
        }
    }
}

pub(super) fn eq_132_condition(e: &mut Evidence, _: Trial) {
    for nu in [100.0_f64, 1e4, 1e5] {
        let law = Law { k: 10.0, m: 1000.0, eta_y: nu, eta_z: 1.0, c0: 1.0 };
        let late = |log: f64| {
            0.5 * log.ln() + 0.25 * (2.0 * law.k * ((law.m - 1.0) / law.m).powi(2) / nu).ln()
        };
        // t_0 is far beyond the printed bound.
        let bound = (1.0 / (2.0 * nu).sqrt()).exp() / (law.m * nu);
        let early = (law.m * nu * law.snapped() / law.k).ln();
        let found = growth(&law, lead(law.m, 2.0 * larger_root(law.m)));
        let what = format!("B at t_0 = {:.0e} times that bound, nu = {nu}", law.snapped() / bound);
        e.of(what).rel(late(early), found, 0.05);

        // Five times the exponent of the true one.
        let log = 5.0 * (law.c0 * nu / (2.0 * law.k)).sqrt().max(2.0);
        let x = if log < 600.0 { lead(law.m, (log - law.m.ln()).exp()) } else { log };
        let what = format!("B at ln(M eta_Y t/K) = {log:.1}, nu = {nu}");
        e.but(what).rel(late(log), growth(&law, x), 0.05);
    }
}

pub(super) fn eq_133(e: &mut Evidence, _: Trial) {
    for nu in [0.1, 1.0, 10.0, 100.0] {
        let law = Law { k: 10.0, m: 1000.0, eta_y: nu, eta_z: 1.0, c0: 1.0 };
        for times in [1.0, 100.0, 1e6] {
            let steps = 2.0 * times * larger_root(law.m);
            let (found, log) = (growth(&law, lead(law.m, steps)), (law.m * steps).ln());
            let printed = found / (log.ln() - (nu / law.k).ln());
            let what = format!("B at {times:e} t_0, nu = {nu}");
            e.of(format!("{what}, over that")).at_least(0.2, printed);
            e.of(format!("{what}, over that")).at_most(1.0, printed);
            e.but(what).rel(0.5 * log.ln() - 0.25 * (nu / (2.0 * law.k)).ln(), found, 0.04);
        }
    }
}

pub(super) fn growth_at_t0(e: &mut Evidence, _: Trial) {
    for eta_z in [0.1, 0.5, 1.0, 2.0, 20.0] {
        let law = Law::figure(2.0 * eta_z, eta_z);
        let b = law.path(&[law.snapped()], 1500)[0].b;
        e.of(format!("B(t_0), nu = 2, eta_Z = {eta_z}")).abs(1.680_62, b, 1e-5);
    }
    let other = |k: f64, m: f64, nu: f64| {
        let law = Law { k, m, eta_y: nu, eta_z: 1.0, c0: 1.0 };
        law.path(&[law.snapped()], 1500)[0].b - 1.680_62
    };
    e.of("more for K = 20").at_least(0.05, other(20.0, 1000.0, 2.0));
    e.of("more for M = 10^4").at_least(0.05, other(10.0, 1e4, 2.0));
    e.of("less for nu = 4").at_most(-0.05, other(10.0, 1000.0, 4.0));
}

pub(super) fn growth_at_t0_value(e: &mut Evidence, _: Trial) {
    let omega = 0.567_143_290_409_783_8;

    for m in [1e3, 1e5, 1e8] {
        let law = Law { k: 10.0, m, eta_y: 0.5, eta_z: 0.5, c0: 1.0 };
        let path = law.path(&[law.scanned(), law.snapped()], 1500);
        let half = larger_root(m);
        e.of(format!("B(t_0'), M = {m:e}")).rel(growth(&law, m.ln()), path[0].b, 2e-3);
        let what = format!("B(t_0), M = {m:e}");
        e.of(what).rel(growth(&law, (2.0 * half * m).ln()), path[1].b, 2e-3);
        e.but(format!("B(t_0'), M = {m:e}")).rel(growth(&law, m.ln() - omega), path[0].b, 2e-3);
        e.but(format!("B(t_0), M = {m:e}")).rel(growth(&law, half), path[1].b, 2e-3);
    }
}
