//! C.3.2 to Eq. (10) and after: the induction head's loss and its flow.

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
    let what = "all boolean sequences of L = 9 (cosh for psi)";
    e.of(what).rel((target + rest) / 14.0, with(2), ROUNDING);
    e.but(what).rel((target + rest) / 14.0, with(1), ROUNDING);
    e.but("what the printed sum comes to: one place less of the model").rel(
        (7.0 * target + 6.0 * rest) / 98.0,
        with(2),
        ROUNDING,
    );
}

pub(super) fn w_flow(e: &mut Evidence, _: Trial) {
    let (w, h) = (0.3, 0.4);
    let found = -slope_in(&|at: &[f64]| literal_loss(0.49, at[0], w, h), &[w], 0);
    let tied = -slope_in(&|at: &[f64]| literal_loss(0.49, at[0], at[0], h), &[w], 0);
    let what = "differences in w_Q of the loss over Gaussian tokens, L = 4, w = 0.3, h = 0.4";
    let printed = FOUR.head_rate(w, h)[0];
    e.of(what).rel(printed, found, 1e-7);
    e.but(what).rel(0.5 * printed, found, 1e-7);
    e.but("the printed rate: differences in one tied w").rel(printed, tied, 1e-7);
}

pub(super) fn h_flow(e: &mut Evidence, _: Trial) {
    let (w, h) = (0.3, 0.4);
    let found = -slope_in(&|at: &[f64]| literal_loss(0.49, w, w, at[0]), &[h], 0);
    let what = "differences of the loss over Gaussian tokens, L = 4, w = 0.3, h = 0.4";
    e.of(what).rel(FOUR.head_rate(w, h)[1], found, 1e-7);
}

pub(super) fn v_squared_flow(e: &mut Evidence, _: Trial) {
    let (w, h) = (0.3, 0.4);
    let slopes =
        [0, 1].map(|i| -slope_in(&|at: &[f64]| literal_loss(0.49, at[0], at[1], h), &[w, w], i));
    // v = w_Q w_K.
    let found = w * (slopes[0] + slopes[1]);
    let v = w * w;
    let printed = 4.0 * v * h / 2.0 * (0.5 * phi(v + FOUR.v_star()) - h * phi(2.0 * v));
    let what = "d(w_Q w_K)/dt by differences over Gaussian tokens, L = 4, w = 0.3, h = 0.4";
    e.of(what).rel(printed, found, 1e-7);
    e.but(what).rel(0.5 * printed, found, 1e-7);
}
