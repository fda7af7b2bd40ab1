//! C.3.2, Part I: how `w` and `h` go, (P1.1) to (P1.3) and Eq. (11).

use super::*;

pub(super) fn phi_psi(e: &mut Evidence, _: Trial) {
    let quotient = |w: f64, w_star: f64| {
        let (v, sum) = (w * w, w * w + w_star * w_star);
        phi(2.0 * v) / phi(sum) / (psi(2.0 * v) / psi(sum))
    };
    let stars = [0.1, 0.3, 0.49, 0.65];
    let parts = || evenly(0.01, 0.999, 60).into_iter();
    let below = |star: f64| largest(parts().map(|part| quotient(part * star, star)));
    let above = |star: f64| {
        let ends = evenly(1.001, 0.7 / star, 60);
        smallest(ends.into_iter().map(|part| quotient(part * star, star)))
    };
    e.of("largest left over right below w*, w* = 0.1 to 0.65")
        .at_most(1.0, largest(stars.map(below)));
    e.of("least left over right above w*").at_least(1.0, smallest(stars.map(above)));
}

/// `h/h*` and `w/w*` along flows, tied and untied, from after `T_1^h` to the end.
fn along(coupling: Coupling, setting: &Setting) -> Outcome<Vec<[f64; 2]>> {
    let head = setting.head(coupling)?;
    let first = head.on_target()?.map_or(0.0, |end| end.time);
    let last = when(head.time_to_part(1e-6)?)?;
    let times = evenly(1.0001 * first, last, 300);
    let field = GradientFlow::new(&head.landscape);
    let found = states(&field, &head.start, &times)?;
    let point =
        |state: &[f64]| [state[0] / setting.w_star, state[state.len() - 1] / setting.h_star()];
    Ok(found.iter().map(|snapshot| point(&snapshot.state)).collect())
}

/// One measurement per setting and coupling.
fn everywhere(e: &mut Evidence, measure: impl Fn(&[[f64; 2]], String) -> Measurement) -> Outcome {
    for setting in &HEADS[..5] {
        for coupling in [Coupling::Tied, Coupling::Untied] {
            let name = format!("{coupling:?}, {}", setting.name());
            e.printed(measure(&along(coupling, setting)?, name));
        }
    }
    Ok(())
}

pub(super) fn p1_1(e: &mut Evidence, _: Trial) -> Outcome {
    everywhere(e, |path, name| {
        let least = smallest(path.iter().map(|point| point[1]));
        Measurement::at_least(format!("least h/h* after T_1^h, {name}"), 1.0, least)
    })
}

pub(super) fn p1_2(e: &mut Evidence, _: Trial) -> Outcome {
    everywhere(e, |path, name| {
        let rise = smallest(path.windows(2).map(|pair| pair[1][0] - pair[0][0]));
        Measurement::at_least(format!("least rise of w/w* between 300 times, {name}"), 0.0, rise)
    })?;
    everywhere(e, |path, name| {
        let most = largest(path.iter().map(|point| point[0]));
        Measurement::at_most(format!("largest w/w*, {name}"), 1.0, most)
    })?;
    Ok(())
}

pub(super) fn p1_3(e: &mut Evidence, _: Trial) -> Outcome {
    everywhere(e, |path, name| {
        // Steps at the rounding of the flow, on the plateau, are no turns.
        let steps: Vec<f64> = path
            .windows(2)
            .map(|pair| pair[1][1] - pair[0][1])
            .filter(|step| step.abs() > 1e-8)
            .collect();
        let turns = steps.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count();
        Measurement::count(format!("turns of h after T_1^h, {name}"), 1, turns)
    })
}

/// `H` of (P1.2).
fn big_h(w: f64, h: f64) -> f64 {
    FIG_1.h_star() * phi(w * w + FIG_1.v_star()) - h * phi(2.0 * w * w)
}

pub(super) fn p1_2_slope(e: &mut Evidence, trial: Trial) {
    for x in random(2, 1.0, &mut stream(trial, 0)) {
        let w = 0.3 + 0.1 * x.tanh();
        let h = FIG_1.h_star() * phi(w * w + FIG_1.v_star()) / phi(2.0 * w * w);
        let [dw, dh] = FIG_1.head_rate(w, h);
        let slopes = gradient(|at| big_h(at[0], at[1]), &[w, h]);
        let found = slopes[0] * dw + slopes[1] * dh;
        let printed = -dh * (1.0 - 4.0 * FIG_1.w_star.powi(4)).powf(-1.5) * 2.0 * w;
        let right = -dh * (1.0 - 4.0 * w.powi(4)).powf(-1.5) * 2.0 * w * w;
        let what = format!(
            "differences of H along the flow, w = {w:.4} and the h with dw/dt = 0, Fig. 1's \
             setting"
        );
        e.of(&what).rel(printed, found, 1e-8);
        e.but(&what).rel(right, found, 1e-8);
    }
}

pub(super) fn p1_3_slope(e: &mut Evidence, trial: Trial) {
    for x in random(2, 1.0, &mut stream(trial, 0)) {
        let w = 0.2 + 0.05 * x.tanh();
        let (v, s) = (w * w, w * w + FIG_1.v_star());
        let h = FIG_1.h_star() * psi(s) / psi(2.0 * v);
        let [dw, dh] = FIG_1.head_rate(w, h);
        let q = |at: &[f64]| {
            FIG_1.h_star() * psi(at[0] * at[0] + FIG_1.v_star()) - at[1] * psi(2.0 * at[0] * at[0])
        };
        let slopes = gradient(q, &[w, h]);
        let found = slopes[0] * dw + slopes[1] * dh;
        let bracket = s / (1.0 - s * s) - 4.0 * v / (1.0 - 4.0 * v * v);
        let printed = FIG_1.h_star() * psi(s) * 2.0 * w * dw * bracket;
        let what = format!("differences of Q along the flow, w = {w:.4} and the h with dh/dt = 0");
        e.of(what).rel(printed, found, 1e-7);
    }
}

/// 002, Eq. (11).
pub(super) fn circle_of(w_star: f64) -> f64 {
    let fourth = w_star.powi(4);
    let root = ((4.0 * fourth - 3.0).powi(2) - 16.0 * fourth).sqrt();
    ((3.0 - 4.0 * fourth - root) / (8.0 * w_star * w_star)).sqrt()
}

pub(super) fn eq_11(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in &HEADS[..5] {
        let star = setting.w_star;
        let balance = |w: f64| {
            let s = w * w + star * star;
            4.0 * w * w * (1.0 - s * s) - (1.0 - 4.0 * w.powi(4)) * s
        };
        let (circle, found) = (circle_of(star), root(balance, 0.1 * star, 0.95 * star));
        let name = setting.name();
        e.of(format!("the root by bisection, w* = {star}")).rel(circle, found, 1e-9);
        e.of(format!("w(T_2^h)/w*, {name}")).at_least(circle / star, setting.t_2h()?.1 / star);
    }
    Ok(())
}

pub(super) fn w_circle(e: &mut Evidence, _: Trial) {
    let stars = evenly(0.01, 0.707, 300);
    let parts = stars.iter().map(|star| circle_of(*star) / star);
    let rises = stars.windows(2).map(|pair| circle_of(pair[1]) - circle_of(pair[0]));
    e.of("least w_circle/w*, w* = 0.01 to 0.707").at_least(0.5, smallest(parts));
    e.of("least rise between 300 points").at_least(0.0, smallest(rises));
}
