//! Theorem 4 and C.4: Phase I, and Phase IV of the induction head.

use super::*;

/// `T_I`, and the parameters of the induction head there: `w_Q, w_K, h`.
fn first_phase(setting: &Setting) -> Outcome<(f64, Vec<f64>)> {
    let time = when(setting.gram()?.time_to_part(0.01)?)?;
    let head = setting.head(Coupling::Untied)?;
    Ok((time, head.landscape.state_at(&head.start, time)?))
}

/// `L_IH(T_I)/L_IH(0)`.
fn left_over(setting: &Setting) -> Outcome<f64> {
    let (_, state) = first_phase(setting)?;
    let head = setting.head(Coupling::Untied)?;
    Ok(head.landscape.partial(&state)?.induction / head.first_loss()?)
}

pub(super) fn phase_1(e: &mut Evidence, _: Trial) -> Outcome {
    let part = |length: usize| left_over(&Setting { length, ..FIG_1 });
    // Lengths between which the statement begins to hold.
    let (mut low, mut high) = (1_000, 200_000);
    while high - low > 200 {
        let middle = (low + high) / 2;
        if part(middle)? < 0.99 { low = middle } else { high = middle }
    }
    let head = FIG_1.head(Coupling::Untied)?;
    let early = FIG_1.gram_path(&[when(head.time_to_loss(0.99 * head.first_loss()?)?)?])?[0];
    let what = "L_IH(T_I)/L_IH(0), alpha* = 1, w* = 0.49, sigma = 0.01,";
    e.of(format!("{what} L = 40 as in Fig. 1")).at_least(0.99, part(40)?);
    e.of(format!("{what} L = 1000")).at_least(0.99, part(1000)?);
    e.but(format!("{what} L = 40")).abs(0.0716, part(40)?, 2e-3);
    e.but(format!("{what} L = 40000")).at_least(0.99, part(40_000)?);
    let what = "L_G4 over L_G4(0) when L_IH has come to 0.99 L_IH(0), Fig. 1's setting";
    e.but(what).abs(0.9996, FIG_1.eq_7(early.p, early.g) / FIG_1.gram()?.first_loss()?, 1e-4);
    e.but("length at which it begins to hold").rel(38_000.0, high as f64, 0.05);
    e.note(format!(
        "$T_I = {:.1}$ in Fig. 1's setting, since $L_{{G_4}} \\approx 1/(4t)$; it begins to hold \
         at $L = {high}$. There $h$ has grown by about $T_I/((1 + \\alpha^*) L)$.",
        first_phase(&FIG_1)?.0
    ));
    Ok(())
}

pub(super) fn t_1(e: &mut Evidence, _: Trial) -> Outcome {
    let time = |alpha: f64, sigma: f64| {
        let setting = Setting::new((20.0 / sigma) as usize, alpha, 0.49, sigma);
        when(setting.gram()?.time_to_part(0.01)?)
    };
    for alpha in [1.0, 3.0] {
        let (wide, narrow) = (time(alpha, 1e-2)?, time(alpha, 1e-6)?);
        let g_star = alpha / (1.0 + alpha);
        e.of(format!("T_I at sigma = 1e-6 beside sigma = 0.01, L = 20/sigma, alpha* = {alpha}"))
            .abs(wide, narrow, 1.0);
        let what = format!("its growth over ln(10^4)/g*, alpha* = {alpha}");
        e.but(what).rel(1.0, (narrow - wide) * g_star / 1e4_f64.ln(), 0.05);
        let what = format!("T_I at sigma = 0.01 over 50/g*^2, alpha* = {alpha}");
        e.but(what).rel(1.0, wide * g_star * g_star / 50.0, 0.1);
    }
    Ok(())
}

pub(super) fn phase_1_parameters(e: &mut Evidence, _: Trial) -> Outcome {
    let both = |length: usize| -> Outcome<f64> {
        let (_, state) = first_phase(&Setting { length, ..FIG_1 })?;
        Ok(largest([state[0], state[2]]) / FIG_1.sigma)
    };
    // h(T_I) = 2 sigma when T_I h* psi = sigma L.
    let time = first_phase(&FIG_1)?.0;
    let needed = time * FIG_1.h_star() * psi(FIG_1.v_star()) / FIG_1.sigma;
    let what = "larger of w and h at T_I over sigma, Fig. 1's setting,";
    e.of(format!("{what} L = 40")).at_most(2.0, both(40)?);
    e.but(format!("{what} L = 40000")).at_most(2.0, both(40_000)?);
    let what = format!("{what} L = {needed:.0}, where T_I h* psi(w*^2) = sigma L");
    e.but(what).rel(2.0, both(needed as usize)?, 0.05);
    Ok(())
}

pub(super) fn h_linear(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in HEADS {
        let path = setting.head_path(&evenly(0.01 * setting.n(), setting.n(), 50))?;
        let part =
            |value: f64, t: f64| (value - setting.sigma) * setting.n() / (setting.h_star() * t);
        let of_h = largest(path.iter().map(|point| part(point.h, point.t)));
        let of_w = largest(path.iter().map(|point| part(point.w, point.t)));
        let mut e = e.case(setting.name());
        e.of("largest (h - sigma)(1 + alpha*)(L - 2)/t for t <= L - 2")
            .at_most(psi(setting.v_star()), of_h);
        e.of("the same of w").at_most(0.05, of_w);
    }
    Ok(())
}

pub(super) fn phase_4(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in &HEADS[..5] {
        for (coupling, speed) in [(Coupling::Tied, 1.0), (Coupling::Untied, 0.5)] {
            let head = setting.head(coupling)?;
            let shape = Shape::new(setting.task()?).coupling(coupling).parts(Parts::Induction);
            let rate = final_rates(&shape)?[0];
            let start = [0.97 * setting.w_star, 1.002 * setting.h_star()];
            let field = |_: f64, y: &[f64]| {
                let [dw, dh] = setting.head_rate(y[0], y[1]);
                vec![speed * dw, dh]
            };
            let middle = stepped(field, &start, 3.0 / rate, 3000);
            let end = stepped(field, &middle, 1.0 / rate, 1000);
            let loss = |y: &[f64]| -> Outcome<f64> {
                let theta = if speed < 1.0 { vec![y[0], y[0], y[1]] } else { y.to_vec() };
                Ok(head.landscape.partial(&theta)?.induction)
            };
            let found = (loss(&middle)? / loss(&end)?).ln() * rate;
            let mut e = e.case(format!("{coupling:?}, {}", setting.name()));
            e.of("rate by a second solver").rel(2.0 * rate, found, 0.02);
            e.of("that rate over w*^2/((1 + alpha*)^2 (L - 2))")
                .at_least(1.0, found * setting.unit());
        }
    }
    Ok(())
}
