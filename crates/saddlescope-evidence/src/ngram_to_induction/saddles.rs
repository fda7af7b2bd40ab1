//! Section 3.2: fixed points of Stage II, the plateau as one of them, the time scales and proportions of the two heads.

use super::*;
use saddlescope_spec::settings::Choice;

/// The induction head alone.
fn landscape(setting: &Setting, coupling: Coupling) -> Outcome<Population> {
    let shape = Shape::new(setting.task()?).coupling(coupling).parts(Parts::Induction);
    Ok(Population::new(shape)?)
}

pub(super) fn fixed_point(e: &mut Evidence, _: Trial) -> Outcome {
    // On the plateau, at the mirror image of the optimum, and at the optimum.
    let slopes = try_map(HEADS, |setting| {
        let (landscape, h) = (landscape(&setting, Coupling::Tied)?, setting.h_star());
        let rest = [0.0, h * psi(setting.v_star())];
        let points = [rest, [-setting.w_star, h], [setting.w_star, h]];
        try_map(points, |point| Ok(largest_size(&landscape.slopes(&point)?)))
    })?;
    let fixed = |slopes: &Vec<f64>| slopes.iter().filter(|slope| **slope < ROUNDING).count();
    let most = slopes.iter().map(fixed).max().unwrap_or(0);
    let worst = |i: usize| largest(slopes.iter().map(|slopes| slopes[i]));
    e.of("fixed points of (w, h) found, most of six settings").count(1, most);
    e.but("largest slope at w = 0, h = h* psi(w*^2)").abs(0.0, worst(0), ROUNDING);
    e.but("largest slope at w = -w*, h = h*").abs(0.0, worst(1), ROUNDING);
    Ok(())
}

pub(super) fn non_convex(e: &mut Evidence, _: Trial) -> Outcome {
    for parts in [Parts::Gram, Parts::Induction] {
        let shape = Shape::new(FIG_1.task()?).parts(parts);
        let start = shape.equal_start(FIG_1.sigma)?;
        let least = curvatures(&Population::new(shape)?, &start)?[0];
        let what = format!("least curvature at the start of Fig. 1, {parts:?} alone");
        e.of(what).at_most(-1e-6, least);
    }
    Ok(())
}

pub(super) fn minimum(e: &mut Evidence, _: Trial) -> Outcome {
    for tokens in [Tokens::Gaussian, Tokens::Boolean] {
        let task = &FIG_1.task()?.with_tokens(tokens)?;
        let population = Population::new(Shape::new(*task))?;
        let theta = [700.0, FIG_1.g_star(), FIG_1.w_star, FIG_1.w_star, FIG_1.h_star()];
        let loss = population.partial(&theta)?;
        let tokens = tokens.word();
        let what = format!("loss there at p = 700, where it cannot be below 0, {tokens} tokens");
        e.of(what).abs(0.0, loss.gram + loss.induction, 1e-30);
    }
    for setting in HEADS {
        let population = landscape(&setting, Coupling::Untied)?;
        let theta = [setting.w_star, setting.w_star, setting.h_star()];
        let least = curvatures(&population, &theta)?[0];
        // One zero mode: w_Q up and w_K down.
        e.case(setting.name()).of("least curvature of L_IH there").at_least(-1e-12, least);
    }
    Ok(())
}

pub(super) fn plateau_saddle(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS {
        let h = setting.h_star() * psi(setting.v_star());
        let rate = h * setting.h_star() * phi(setting.v_star()) / setting.n();
        let found = curvatures(&landscape(&setting, Coupling::Untied)?, &[0.0, 0.0, h])?;
        let tied = curvatures(&landscape(&setting, Coupling::Tied)?, &[0.0, h])?;
        let scaled = |values: &[f64]| times_each(setting.n(), values);
        let expected = scaled(&[-rate, rate, 1.0 / setting.n()]);
        let mut e = e.case(setting.name());
        let what = "eigenvalues of the Hessian times L - 2, untied";
        e.of(what).each(&expected, &scaled(&found), 1e-10);
        let what = "least eigenvalue, tied, beside -2 w*^2/((1 + alpha*)^2 (L - 2)(1 - w*^4)^2)";
        e.of(what).rel(-setting.growth(), tied[0], 1e-10);
    }
    Ok(())
}

pub(super) fn escape_rate(e: &mut Evidence, _: Trial) -> Outcome {
    for (alpha, w_star) in [(1.0, 0.49), (1.0, 0.3), (3.0, 0.6)] {
        let setting = Setting { alpha, w_star, sigma: 1e-8, ..FIG_1 };
        for (coupling, speed) in [(Coupling::Tied, 1.0), (Coupling::Untied, 0.5)] {
            let head = setting.head(coupling)?;
            let times = [when(head.time_to_strength(1e-4)?)?, when(head.time_to_strength(1e-2)?)?];
            let found = 100.0_f64.ln() / (times[1] - times[0]);
            let what =
                format!("rate of w from 1e-4 w* to 0.01 w*, {coupling:?}, {}", setting.name());
            e.of(what).rel(speed * setting.growth(), found, 1e-3);
        }
    }
    Ok(())
}

/// Rates of `p` (0) and `w` (1) at the start of (4), for scales with `L = 20/sigma`: their exponent.
fn first_rates(index: usize) -> f64 {
    let scales = [1e-2_f64, 1e-3, 1e-4];
    let rates = scales.map(|sigma| {
        let setting = Setting::new((20.0 / sigma) as usize, 1.0, 0.49, sigma);
        let of_w = setting.n() * setting.head_rate(sigma, sigma)[0];
        [setting.gram_rate(sigma, sigma)[0], of_w][index]
    });
    exponent(&scales, &rates)
}

pub(super) fn slow_w(e: &mut Evidence, _: Trial) {
    let h = FIG_1.h_star() * psi(FIG_1.v_star());
    let points = [1e-4_f64, 1e-3, 1e-2];
    let found = exponent(&points, &points.map(|w| FIG_1.head_rate(w, h)[0]));
    e.of("exponent of dw/dt in w on the plateau, Fig. 1's setting").abs(1.0, found, 1e-3);
    e.note(format!(
        "At the start of (4) $h$ is small as well, and $\\dot w \\propto \
         \\sigma_{{init}}^{{{:.2}}}$.",
        first_rates(1)
    ));
}

pub(super) fn fast_p(e: &mut Evidence, _: Trial) -> Outcome {
    let setting = Setting::new(2000, 1.0, 0.49, 0.01);
    let late = setting.gram_path(&[setting.t_1g()?])?[0].dp;
    let what =
        "exponent of dp/dt at the start in sigma, sigma = 0.01 to 1e-4, L = 20/sigma, alpha* = 1";
    e.both(what).abs([0.0, 1.0], first_rates(0), 0.05);
    e.but("dp/dt at T_1^g, L = 2000, sigma = 0.01").at_least(0.05, late);
    Ok(())
}

pub(super) fn first_gram_loss(e: &mut Evidence, _: Trial) -> Outcome {
    for alpha in [0.5, 1.0, 4.0] {
        let setting = Setting { alpha, ..FIG_1 };
        let found = setting.gram()?.first_loss()? / setting.g_star().powi(2);
        let what = format!("L_G4(0) over g*^2, L = 40, sigma = 0.01, alpha* = {alpha}");
        e.of(what).rel(0.5, found, 0.01);
    }
    Ok(())
}

pub(super) fn first_induction_loss(e: &mut Evidence, _: Trial) -> Outcome {
    for (length, alpha, w_star) in [(40, 0.5, 0.49), (40, 4.0, 0.3), (1000, 1.0, 0.49)] {
        let setting = Setting::new(length, alpha, w_star, 0.01);
        let found = setting.head(Coupling::Tied)?.first_loss()?;
        let scale = (1.0 + alpha).powi(2) * length as f64;
        let what = format!("L_IH(0) (1 + alpha*)^2 L beside psi(2 w*^2)/2, {}", setting.name());
        let limit = 0.5 * psi(2.0 * setting.v_star());
        e.of(what).rel(limit, scale * found, 0.1);
    }
    Ok(())
}

pub(super) fn proportions(e: &mut Evidence, _: Trial) -> Outcome {
    for (length, alpha, bound) in [(40, 1.0, 0.05), (40, 0.5, 0.2), (1000, 1.0, 0.002)] {
        let setting = Setting::new(length, alpha, 0.49, 0.01);
        let head = setting.head(Coupling::Tied)?.first_loss()?;
        let ratio = head / setting.gram()?.first_loss()?;
        e.case(setting.name()).of("L_IH(0)/L_G4(0)").at_most(bound, ratio);
    }
    Ok(())
}
