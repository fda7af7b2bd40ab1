//! C.3.2, Part II: how long `h` takes to `h*` and how far it goes, Eqs. (12) to (14); then how `w` grows, Eqs. (15) to (17).

use super::head::circle_of;
use super::*;

/// Settings in which `w` is still below `0.01 w*` at `T_1^h`, as the proof takes it.
pub(super) const SLOW: [Setting; 3] = [
    Setting::new(40, 1.0, 0.49, 0.001),
    Setting::new(40, 1.0, 0.55, 0.001),
    Setting::new(40, 9.0, 0.3, 1e-4),
];

/// The flow until `T_1^h`.
fn rise(setting: &Setting) -> Outcome<Vec<HeadPoint>> {
    setting.head_path(&evenly(0.0, setting.t_1h()?, 200))
}

pub(super) fn eq_12(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in SLOW {
        let fourth = setting.v_star().powi(2);
        let a = setting.h_star() * psi(setting.v_star()) * (1.0 - 1e-8 * fourth).sqrt();
        let path = rise(&setting)?;
        let least = [0.01, 1e-8].map(|small| {
            let pace = setting.n() * (1.0 - small * fourth).sqrt();
            let bound = |point: &HeadPoint| a - (a - setting.sigma) * (-point.t / pace).exp();
            smallest(path.iter().map(|point| point.h - bound(point)))
        });
        let what = "least h minus the bound until T_1^h";
        e.case(setting.name()).both(what).at_least(-1e-9, least);
    }
    Ok(())
}

pub(super) fn eq_13(e: &mut Evidence, _: Trial) -> Outcome {
    let small = [0.3, 0.49].map(|w_star| Setting { w_star, sigma: 1e-6, ..FIG_1 });
    for setting in HEADS.iter().chain(&SLOW).chain(&small) {
        let fourth = setting.v_star().powi(2);
        let part = ((1.0 - fourth) / (1.0 - 1e-8 * fourth)).sqrt();
        let bound = |small: f64| (1.0 - small * fourth).sqrt() * setting.n() * -(1.0 - part).ln();
        e.case(setting.name()).both("T_1^h").at_most([0.01, 1e-8].map(bound), setting.t_1h()?);
    }
    Ok(())
}

/// `(L - 2) ln((psi - sigma/h*)/(psi - 1))`.
fn first_time(setting: &Setting) -> f64 {
    let top = psi(setting.v_star());
    setting.n() * ((top - setting.sigma / setting.h_star()) / (top - 1.0)).ln()
}

pub(super) fn eq_13_second(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS {
        let bound = 2.0 * setting.n() * (1.0 - 0.5 * setting.w_star.powi(4));
        let (found, mut e) = (setting.t_1h()?, e.case(setting.name()));
        e.of("T_1^h").at_most(bound, found);
        e.but("T_1^h").rel(first_time(&setting), found, 2e-3);
    }
    Ok(())
}

pub(super) fn t_1h(e: &mut Evidence, _: Trial) -> Outcome {
    let part = |length: usize| -> Outcome<f64> {
        let setting = Setting { length, ..FIG_1 };
        Ok(setting.t_1h()? / setting.n())
    };
    let short = part(40)?;
    for length in [10, 400, 10_000] {
        let what =
            format!("T_1^h/(L - 2) at L = {length} beside L = 40, Fig. 1's setting otherwise");
        e.of(what).rel(short, part(length)?, 1e-6);
    }
    Ok(())
}

pub(super) fn w_first_stage(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS {
        let bound = 4.0 * setting.v_star() / setting.n()
            * (1.0 - 4.0 * setting.v_star().powi(2)).powf(-1.5);
        let most = largest(rise(&setting)?.iter().map(|point| point.dw / point.w / bound));
        e.case(setting.name()).of("largest rate over the bound").at_most(1.0, most);
    }
    Ok(())
}

pub(super) fn observation_time(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in SLOW {
        let found = rise(&setting)?[199].w / setting.w_star;
        e.case(setting.name()).of("w/w* at T_1^h").at_most(0.01, found);
    }
    let last = rise(&FIG_1)?[199].w / FIG_1.w_star;
    e.note(format!(
        "In Fig. 1's setting $w/w^*$ is {last:.3} there, and 0.02 at the start: $\\sigma_{{init}}$ \
         is not that small."
    ));
    Ok(())
}

/// 002: `r(w)`, the value of `h/h*` at which `h` rests.
fn at_rest(w: f64, w_star: f64) -> f64 {
    psi(w * w + w_star * w_star) / psi(2.0 * w * w)
}

/// 002: `R(w*) = r(w_circle)`.
pub(super) fn big_r(w_star: f64) -> f64 {
    at_rest(circle_of(w_star), w_star)
}

pub(super) fn r_bound(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in &HEADS[..5] {
        let (_, w, h) = setting.t_2h()?;
        let (star, found) = (setting.w_star, h / setting.h_star());
        let fall = evenly(circle_of(star), star, 100);
        let steps = fall.windows(2).map(|pair| at_rest(pair[1], star) - at_rest(pair[0], star));
        let name = setting.name();
        e.of(format!("h/h* at T_2^h, {name}")).rel(at_rest(w, star), found, 1e-7);
        e.of(format!("the same beside R(w*), {name}")).at_most(big_r(star), found);
        e.of(format!("largest step of r from w_circle to w* = {star}"))
            .at_most(0.0, largest(steps));
    }
    Ok(())
}

pub(super) fn r_at_zero(e: &mut Evidence, _: Trial) {
    let small = 0.03;
    let what = "(R(w*) - 1)/w*^4 at w* = 0.03";
    e.of("R(0.03)").abs(1.0, big_r(small), 1e-5);
    e.of(what).rel(2.0 / 3.0, (big_r(small) - 1.0) / small.powi(4), 1e-3);
}

pub(super) fn r_slope(e: &mut Evidence, _: Trial) {
    let miss = |w: f64| big_r(w) - 1.0 - 0.04 * w;
    let limit = root(miss, 0.2, 0.6);
    let below = largest(evenly(0.01, 0.387, 100).into_iter().map(miss));
    e.of("R at Fig. 1's w* = 0.49").at_most(1.0 + 0.04 * 0.49, big_r(0.49));
    e.but("where R = 1 + 0.04 w*").abs(0.3871, limit, 1e-4);
    e.but("largest R - 1 - 0.04 w* up to w* = 0.387").at_most(0.0, below);
    e.but("the constant c with |R'| < 0.04 on (0, c), of which the paper says that it exists").abs(
        0.2457,
        root(|w| (big_r(w + 1e-4) - big_r(w - 1e-4)) / 2e-4 - 0.04, 0.1, 0.6),
        1e-4,
    );
}

pub(super) fn eq_14(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in &HEADS[..5] {
        let star = setting.w_star;
        let found = setting.t_2h()?.2 / setting.h_star();
        let printed = 1.0 + 0.04375 * star;
        let right = if star < 0.398 { printed } else { big_r(star) };
        e.case(setting.name()).both("largest h/h*").at_most([printed, right], found);
    }
    let limits =
        [root(|w| big_r(w) - 1.0 - 0.04375 * w, 0.2, 0.6), root(|w| big_r(w) - 1.02, 0.2, 0.6)];
    e.but("where R = 1 + 0.04375 w*, and where R = 1.02").each(&[0.3983, 0.4117], &limits, 1e-4);
    Ok(())
}

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
