//! C.3.2, Part II, second stage: how `w` grows, Eqs. (15) to (17).

use super::rise::{SLOW, big_r};
use super::*;

/// The flow from `T_1^h` until `w = w*/2`.
fn plateau(setting: &Setting) -> Outcome<Vec<HeadPoint>> {
    setting.head_path(&evenly(1.0001 * setting.t_1h()?, setting.t_w(0.5)?, 300))
}

/// The largest rate of `w` over a bound from `T_1^h` until `w = w*/2`.
fn against(setting: &Setting, bound: impl Fn(&HeadPoint) -> f64) -> Outcome<f64> {
    let excess = |point: &HeadPoint| (point.dw - bound(point)) / point.dw;
    Ok(largest(plateau(setting)?.iter().map(excess)))
}

pub(super) fn dw_upper(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS {
        let unit = 2.0 * setting.h_star() / setting.n();
        let lead = |point: &HeadPoint| phi(point.w * point.w + setting.v_star());
        let printed = |point: &HeadPoint| {
            unit * setting.h_star()
                * point.w
                * (lead(point) - (1.0 - 4.0 * point.w.powi(4)).powf(1.5))
        };
        let right = |point: &HeadPoint| {
            unit * point.h * point.w * (lead(point) - phi(2.0 * point.w * point.w))
        };
        let excess = [against(&setting, printed)?, against(&setting, right)?];
        let what = "largest (rate - bound)/rate until w = w*/2";
        e.case(setting.name()).both(what).at_most(0.0, excess);
    }
    Ok(())
}

/// Settings with strong comparisons, where the sign of the exponent matters.
const STRONG: [Setting; 3] =
    [FIG_1, Setting::new(40, 1.0, 0.55, 0.001), Setting::new(40, 1.0, 0.65, 0.01)];

pub(super) fn eq_15(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in STRONG {
        let inner = 1.0 - 4.0 * setting.v_star().powi(2);
        let path = setting.head_path(&evenly(1.0, setting.t_w(0.5)?, 300))?;
        let most = |exponent: f64, power: i32| {
            let rate = 4.0 * setting.v_star() * inner.powf(exponent)
                / ((1.0 + setting.alpha).powi(power) * setting.n());
            largest(path.iter().map(|point| (point.w / setting.sigma).ln() / (rate * point.t)))
        };
        let what = "largest ln(w/w(0)) over the bound until w = w*/2";
        e.case(setting.name()).both(what).at_most(1.0, [most(1.5, 1), most(-1.5, 2)]);
    }
    Ok(())
}

/// The lower bound of (16), first line, with that exponent.
fn bound_of_eq_16(setting: &Setting, exponent: f64) -> f64 {
    let fourth = setting.v_star().powi(2);
    let growth = (setting.w_star / (2.0 * setting.sigma)).ln() * (1.0 + setting.alpha).powi(2)
        / (4.0 * setting.v_star() * (1.0 - 4.0 * fourth).powf(exponent));
    setting.n() * (growth - (1.0 - (1.0 - fourth).sqrt()).ln())
}

pub(super) fn eq_16(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in STRONG {
        let bounds = [1.5, -1.5].map(|exponent| bound_of_eq_16(&setting, exponent));
        e.case(setting.name()).both("T_1/2^w").at_least(bounds, setting.t_w(0.5)?);
    }
    Ok(())
}

pub(super) fn eq_16_second(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS.iter().chain(&STRONG[1..]) {
        let bound = setting.unit() / 16.0 * -setting.sigma.ln();
        e.case(setting.name()).of("T_1/2^w").at_least(bound, setting.t_w(0.5)?);
    }
    Ok(())
}

pub(super) fn c_chain(e: &mut Evidence, _: Trial) {
    let mut worst = [f64::INFINITY; 2];
    for star in [0.1, 0.2, 0.3, 0.4, 0.49, 0.6] {
        let (v_star, gamma) = (star * star, big_r(star));
        for v in evenly(1e-6, 1.0, 200) {
            let v = v * v_star / (2.0 * gamma + 1.0);
            let gap = phi(v + v_star) - gamma * phi(2.0 * v);
            worst[0] = worst[0].min(gap / (2.0 * v));
            worst[1] = worst[1].min(gap / (2.0 / (gamma + 2.0) * v_star));
        }
    }
    e.of("least difference over beta w^2, w* = 0.1 to 0.6").at_least(1.0, worst[0]);
    e.of("least difference over beta w*^2/(gamma + beta)").at_least(1.0, worst[1]);
}

pub(super) fn dw_lower(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS {
        let share = 2.0 / (big_r(setting.w_star) + 2.0);
        let part = |point: &HeadPoint| point.dw * setting.unit() / (2.0 * point.w * share);
        let least = smallest(plateau(&setting)?.iter().map(part));
        e.case(setting.name()).of("least rate over the bound").at_least(1.0, least);
    }
    Ok(())
}

/// `w_Q` at those times, where query and key move each by its own gradient.
fn untied(setting: &Setting, times: &[f64]) -> Outcome<Vec<f64>> {
    let head = setting.head(Coupling::Untied)?;
    let found = head.landscape.states(&head.start, times)?;
    Ok(found.iter().map(|snapshot| snapshot.state[0]).collect())
}

pub(super) fn eq_17(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS {
        let end = setting.t_w(0.5)?;
        let part = |w: f64, t: f64| (w / setting.sigma).ln() * setting.unit() / t;
        let least = |from: f64| -> Outcome<f64> {
            let path = setting.head_path(&by_factors(from, end, 300))?;
            Ok(smallest(path.iter().map(|point| part(point.w, point.t))))
        };
        let times = by_factors(1.6 * setting.n(), 1.9 * end, 300);
        let alone = untied(&setting, &times)?;
        let twice = times
            .iter()
            .zip(&alone)
            .map(|(t, w)| 2.0 * (w / setting.sigma).ln() * setting.unit() / t);
        let mut e = e.case(setting.name());
        e.of("least ln(w/w(0)) over the bound until w = w*/2").at_least(1.0, least(0.1)?);
        e.but("the same from t = 1.6 (L - 2) on").at_least(1.0, least(1.6 * setting.n())?);
        e.but("the same of w_Q beside half of the exponent").at_least(1.0, smallest(twice));
    }
    Ok(())
}

pub(super) fn t_2h(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS.iter().chain(&SLOW) {
        let time = setting.t_2h()?.0;
        let part = time / (setting.unit() * -setting.sigma.ln());
        e.case(setting.name()).of("T_2^h").at_least(setting.t_w(0.5)?, time);
        e.of(format!("T_2^h over that, with L - 2: {}", setting.name())).at_least(0.25, part);
        e.case(setting.name()).of("the same").at_most(0.5, part);
    }
    Ok(())
}

pub(super) fn t_half_w(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS.iter().chain(&SLOW) {
        let part = setting.t_w(0.5)? / (setting.unit() * -setting.sigma.ln());
        e.of(format!("T_1/2^w over that, with L - 2: {}", setting.name())).at_least(0.25, part);
        e.case(setting.name()).of("the same").at_most(0.5, part);
    }
    Ok(())
}
