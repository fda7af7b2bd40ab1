//! C.3.2 to Eq. (11): the induction head's loss and its flow; how `w` and `h` go, (P1.1) to (P1.3).

use super::*;
use saddlescope_ngram_to_induction::loss::softmax::Steps;

pub(super) fn simplification(e: &mut Evidence, _: Trial) -> Outcome {
    for (w_star, loosely) in [(0.2, 0.01), (0.49, 0.1)] {
        let setting = Setting { w_star, ..FIG_1 };
        let task = &setting.task()?.with_attention(Attention::Softmax)?;
        let square = Quadrature::new(task, Steps::standard(task)).square(setting.v_star());
        let what = format!(
            "mean square of the induction head's answer, softmax by quadrature, L = 40, w* = \
             {w_star}"
        );
        let simplified = psi(2.0 * setting.v_star()) / setting.n();
        e.of(what).rel(simplified, square, 0.01).loosely(loosely);
    }
    Ok(())
}

/// `L_IH` of the model written out over four Gaussian tokens.
fn literal_loss(w_star: f64, query: f64, key: f64, h: f64) -> f64 {
    let literal = Literal::new(1.0, w_star, Weights::Exponential);
    let theta = [f64::INFINITY, 0.5, 0.4, query, key, h];
    over_four_normal(|x| literal.errors(x, &theta)[1])
}

const FOUR: Setting = Setting::new(4, 1.0, 0.49, 0.01);

pub(super) fn eq_10(e: &mut Evidence, _: Trial) {
    for (w, h) in [(0.3, 0.4), (0.01, 0.01)] {
        let found = literal_loss(0.49, w, w, h);
        let what = format!(
            "the model written out, quadrature over Gaussian tokens, L = 4, w = {w}, h = {h}"
        );
        e.of(what).rel(FOUR.eq_10(w, h), found, 1e-8);
    }
    let literal = Literal::new(1.0, 0.8, Weights::Exponential);
    let (w, h): (f64, f64) = (0.5, 0.4);
    let [found] = over_signs(9, |x| [literal.errors(x, &[f64::INFINITY, 0.5, 0.4, w, w, h])[1]]);
    let (v, v_star) = (w * w, 0.64_f64);
    let sum = 0.25 * (2.0 * v_star).cosh() + h * h * (2.0 * v).cosh() - h * (v + v_star).cosh();
    e.of("all boolean sequences of L = 9, with cosh for psi").rel(sum / 14.0, found, ROUNDING);
}

pub(super) fn eq_10_ends(e: &mut Evidence, _: Trial) {
    let (w, h): (f64, f64) = (0.5, 0.4);
    let with = |until: usize| {
        let literal = Literal { until, ..Literal::new(1.0, 0.8, Weights::Exponential) };
        over_signs(9, |x| [literal.errors(x, &[f64::INFINITY, 0.5, 0.4, w, w, h])[1]])[0]
    };
    let (v, v_star) = (w * w, 0.64_f64);
    let target = 0.25 * (2.0 * v_star).cosh();
    let rest = h * h * (2.0 * v).cosh() - h * (v + v_star).cosh();
    e.both("all boolean sequences of L = 9 (cosh for psi)").rel(
        (target + rest) / 14.0,
        [with(2), with(1)],
        ROUNDING,
    );
    let what = "what the printed sum comes to: one place less of the model";
    e.but(what).rel((7.0 * target + 6.0 * rest) / 98.0, with(2), ROUNDING);
}

pub(super) fn w_flow(e: &mut Evidence, _: Trial) {
    let (w, h) = (0.3, 0.4);
    let found = -derivative(|query| literal_loss(0.49, query, w, h), w);
    let tied = -derivative(|both| literal_loss(0.49, both, both, h), w);
    let printed = FOUR.head_rate(w, h)[0];
    let what = "differences in w_Q of the loss over Gaussian tokens, L = 4, w = 0.3, h = 0.4";
    e.both(what).rel([printed, 0.5 * printed], found, 1e-7);
    e.but("the printed rate: differences in one tied w").rel(printed, tied, 1e-7);
}

pub(super) fn h_flow(e: &mut Evidence, _: Trial) {
    let (w, h) = (0.3, 0.4);
    let found = -derivative(|h| literal_loss(0.49, w, w, h), h);
    let what = "differences of the loss over Gaussian tokens, L = 4, w = 0.3, h = 0.4";
    e.of(what).rel(FOUR.head_rate(w, h)[1], found, 1e-7);
}

pub(super) fn v_squared_flow(e: &mut Evidence, _: Trial) {
    let (w, h) = (0.3, 0.4);
    let slopes = times_each(-1.0, &gradient(|at| literal_loss(0.49, at[0], at[1], h), &[w, w]));
    // v = w_Q w_K.
    let found = w * (slopes[0] + slopes[1]);
    let v = w * w;
    let printed = 4.0 * v * h / 2.0 * (0.5 * phi(v + FOUR.v_star()) - h * phi(2.0 * v));
    let what = "d(w_Q w_K)/dt by differences over Gaussian tokens, L = 4, w = 0.3, h = 0.4";
    e.both(what).rel([printed, 0.5 * printed], found, 1e-7);
}

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
    let found = head.landscape.states(&head.start, &evenly(1.0001 * first, last, 300))?;
    let point =
        |state: &[f64]| [state[0] / setting.w_star, state[state.len() - 1] / setting.h_star()];
    Ok(found.iter().map(|snapshot| point(&snapshot.state)).collect())
}

/// What is measured on each setting and coupling.
fn everywhere(e: &mut Evidence, measure: impl Fn(&mut CaseEvidence<'_>, &[[f64; 2]])) -> Outcome {
    for setting in &HEADS[..5] {
        for coupling in [Coupling::Tied, Coupling::Untied] {
            let path = along(coupling, setting)?;
            measure(&mut e.case(format!("{coupling:?}, {}", setting.name())), &path);
        }
    }
    Ok(())
}

pub(super) fn p1_1(e: &mut Evidence, _: Trial) -> Outcome {
    everywhere(e, |e, path| {
        let least = smallest(path.iter().map(|point| point[1]));
        e.of("least h/h* after T_1^h").at_least(1.0, least);
    })
}

pub(super) fn p1_2(e: &mut Evidence, _: Trial) -> Outcome {
    everywhere(e, |e, path| {
        let rise = smallest(path.windows(2).map(|pair| pair[1][0] - pair[0][0]));
        e.of("least rise of w/w* between 300 times").at_least(0.0, rise);
    })?;
    everywhere(e, |e, path| {
        e.of("largest w/w*").at_most(1.0, largest(path.iter().map(|point| point[0])));
    })
}

pub(super) fn p1_3(e: &mut Evidence, _: Trial) -> Outcome {
    everywhere(e, |e, path| {
        // Steps at the rounding of the flow, on the plateau, are no turns.
        let steps: Vec<f64> = path
            .windows(2)
            .map(|pair| pair[1][1] - pair[0][1])
            .filter(|step| step.abs() > 1e-8)
            .collect();
        let turns = steps.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count();
        e.of("turns of h after T_1^h").count(1, turns);
    })
}

pub(super) fn p1_2_slope(e: &mut Evidence, trial: Trial) {
    for x in random(2, 1.0, &mut stream(trial, 0)) {
        let w = 0.3 + 0.1 * x.tanh();
        let h = FIG_1.h_star() * phi(w * w + FIG_1.v_star()) / phi(2.0 * w * w);
        let [dw, dh] = FIG_1.head_rate(w, h);
        // H of (P1.2).
        let big_h = |at: &[f64]| {
            FIG_1.h_star() * phi(at[0] * at[0] + FIG_1.v_star()) - at[1] * phi(2.0 * at[0] * at[0])
        };
        let found = dot(&gradient(big_h, &[w, h]), &[dw, dh]);
        let printed = -dh * (1.0 - 4.0 * FIG_1.w_star.powi(4)).powf(-1.5) * 2.0 * w;
        let right = -dh * (1.0 - 4.0 * w.powi(4)).powf(-1.5) * 2.0 * w * w;
        let what = format!(
            "differences of H along the flow, w = {w:.4} and the h with dw/dt = 0, Fig. 1's setting"
        );
        e.both(what).rel([printed, right], found, 1e-8);
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
        let found = dot(&gradient(q, &[w, h]), &[dw, dh]);
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
