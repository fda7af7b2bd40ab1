//! Lines 146 to 154: how long the first jump takes, and how the head grows afterwards.

use super::*;

/// The state of the two-variable law from `eps` when `s = e^alpha - 1` comes to a value, with its time.
fn at_growth(k: usize, eps: f64, s: f64) -> Outcome<(f64, Vec<f64>)> {
    let event = Event::stop(Condition::ParameterCrosses { index: 0, value: s.ln_1p() });
    let end = Flow::default().event(event).run(&first_law(k)?, 0.0, &[0.0, eps], &mut Silent)?;
    Ok((end.time, end.state))
}

fn escape(k: usize) -> Outcome<Escape> {
    Ok(Escape::new(&Task::new(k, 4)?, 1.0, 0, 1.0 / k as f64))
}

pub(super) fn line_148(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [3, 4, 6] {
        let (_, state) = at_growth(k, 1e-3, 1e-3)?;
        let found = (state[1] * state[1] - 1e-6) / 1e-6;
        let order = k as f64;
        let what = format!("(beta^2 - eps^2)/s^2 at s = eps = 0.001, k = {k}");
        e.both(what).rel([4.0, 2.0 * (order - 1.0) / order], found, 0.01);
    }
    Ok(())
}

/// `s'` at weights of the exact loss.
fn growth_rate(k: usize, s: f64, beta: f64) -> Outcome<f64> {
    let head = LagHead { alpha: s.ln_1p(), delta: 0.0, beta };
    let slopes = exact(k, 4, 1)?.slopes(&formed(k, &[head]))?;
    Ok((1.0 + s) * (slopes[2] - slopes[1]))
}

pub(super) fn local_law(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [2, 4, 6] {
        let (eps, s) = (1e-4, 2e-4);
        let (_, state) = at_growth(k, eps, s)?;
        let order = k as f64;
        let law = escape(k)?.rate * (eps * eps + 2.0 * (order - 1.0) / order * s * s);
        let what = format!("rate of s in the exact loss at eps = 1e-4, s = 2e-4, k = {k}");
        e.of(what).rel(law, growth_rate(k, s, state[1])?, 2e-3);
    }
    Ok(())
}

pub(super) fn information_exponent(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [3, 4] {
        let points = [1e-3, 2e-3, 4e-3];
        let rates = try_map(points, |s| growth_rate(k, s, at_growth(k, 1e-5, s)?.1[1]))?;
        let what = format!("d ln s'/d ln s at s = 0.001 to 0.004, eps = 1e-5, k = {k}");
        e.of(what).rel(2.0, exponent(&points, &rates), 0.01);
    }
    Ok(())
}

pub(super) fn tangent(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [3, 4] {
        let (eps, escape) = (1e-4, escape(k)?);
        for part in [0.25, 0.75] {
            let time = part * escape.time(eps);
            let found = states(&first_law(k)?, &[0.0, eps], &[time])?[0].state[0].exp_m1() / eps;
            let laws = [(eps * time).tan(), escape.growth(eps, time) / eps];
            e.both(format!("s/eps at t = {time:.0}, eps = 1e-4, k = {k}")).rel(laws, found, 1e-3);
        }
    }
    Ok(())
}

pub(super) fn first_jump_time(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [3, 4, 6] {
        let eps = [1e-2, 3e-3, 1e-3, 3e-4];
        let times = try_map(eps, |eps| Ok(at_growth(k, eps, 1.0)?.0))?;
        let what = format!("exponent of the time to s = 1, eps = 0.01 to 0.0003, k = {k}");
        e.of(what).abs(-1.0, exponent(&eps, &times), 0.01);
    }
    Ok(())
}

pub(super) fn blow_up(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [3, 4, 6] {
        let model = exact(k, 4, 1)?;
        let level = mid_levels(&model.shape.task, 1)[0];
        let found = time_to(&model, &first_start(&model, 1e-4)?, level)?;
        let what = format!("half of the drop of the whole model, eps = 1e-4, k = {k}, R = 4");
        e.of(what).rel(escape(k)?.time(1e-4), found, 1e-3);
    }
    // Ratios of an independent implementation.
    let (model, escape) = (exact(4, 4, 1)?, escape(4)?);
    for (eps, ratio) in [(0.2, 0.855), (0.1, 0.916), (0.05, 0.952), (0.02, 0.978), (0.01, 0.988)] {
        let time = time_to(&model, &first_start(&model, eps)?, 0.671_875)?;
        let what = format!("time of half the drop over T*, eps = {eps}, k = 4, R = 4");
        e.of(what).abs(ratio, time / escape.time(eps), 6e-4);
    }
    Ok(())
}

/// `beta` on the curve of the conservation law at `s`, from `eps = 0.1`.
fn strength(k: usize, s: f64) -> f64 {
    (0.01 + 4.0 * potential(k, s.ln_1p())).sqrt()
}

/// `ln s'` on that curve by Theorem 3.1(c): rates there are smaller than any number a computer holds.
fn log_rate(k: usize, s: f64) -> f64 {
    let (order, beta) = (k as f64, strength(k, s));
    let exponent = beta * beta * s / (s + order);
    let below = (1.0 + (order - 1.0) * (-exponent).exp()).ln();
    // Xi, for R = 4 and gamma = 0, then alpha', then (1 + s) alpha'.
    let drive = (0.75 / factorial(k - 2)).ln() - exponent - 2.0 * below;
    2.0 * ((1.0 + s) * beta / (s + order)).ln() + (order * order / (order - 1.0)).ln() + drive
}

/// `ln t` when the head has come to `s`: the integral of `1/s'`, by Simpson's rule in `ln s`.
fn log_time(k: usize, s: f64) -> f64 {
    const PARTS: usize = 40_000;
    let from: f64 = 1e-6;
    let h = (s / from).ln() / PARTS as f64;
    let term = |i: usize| {
        let s = from * (i as f64 * h).exp();
        let weight = if i == 0 || i == PARTS { 1.0 } else { [2.0_f64, 4.0][i % 2] };
        weight.ln() + s.ln() - log_rate(k, s)
    };
    let terms: Vec<f64> = (0..=PARTS).map(term).collect();
    let top = largest(terms.iter().copied());
    top + terms.iter().map(|term| (term - top).exp()).sum::<f64>().ln() + (h / 3.0).ln()
}

/// `kappa = 4 (k - 1)/k^2`.
fn kappa(k: usize) -> f64 {
    let k = k as f64;
    4.0 * (k - 1.0) / (k * k)
}

pub(super) fn eq_3(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [3, 4, 6] {
        let (near, far) = (2e4, 2.1e4);
        let log = |s: f64| log_rate(k, s) - s.ln();
        let found = (log(far) - log(near)) / (far - near);
        let what = format!("slope of ln(s'/s) in s at s = 2e4 by Theorem 3.1(c), k = {k}");
        e.both(what).rel([-1.0, -kappa(k)], found, 1e-3);
    }
    // The same from the exact loss, where its numbers still can be held.
    let log = |s: f64| Ok::<_, ClaimError>((growth_rate(4, s, strength(4, s))? / s).ln());
    let what = "the same from the exact loss at s = 100, k = 4";
    e.both(what).rel([-1.0, -kappa(4)], (log(110.0)? - log(100.0)?) / 10.0, 0.05);
    Ok(())
}

pub(super) fn late_strength(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [3, 4, 6] {
        let (near, far) = (strength(k, 1e6), strength(k, 1e8));
        let exponent = (far / near).ln() / 100.0_f64.ln();
        e.of(format!("exponent of beta in s, s = 1e6 to 1e8, k = {k}")).abs(0.5, exponent, 1e-4);
        e.of(format!("beta^2/s at s = 1e8, k = {k}")).rel(kappa(k), far * far / 1e8, 1e-4);
    }
    // That the flow stays on the curve.
    let state = &states(&first_law(4)?, &[0.0, 0.1], &[1e12])?[0].state;
    let s = state[0].exp_m1();
    let what = "beta^2/s of the flow at t = 1e12 beside the conservation law, k = 4";
    let on_curve = strength(4, s).powi(2) / s;
    e.of(what).rel(on_curve, state[1] * state[1] / s, 1e-6);
    Ok(())
}

pub(super) fn late_growth(e: &mut Evidence, _: Trial) -> Outcome {
    for (k, s) in [(3, 3e3), (4, 3e3), (6, 6e3)] {
        let found = kappa(k) * s / log_time(k, s);
        e.of(format!("kappa s/ln t at s = {s} by quadrature, k = {k}")).abs(1.0, found, 0.01);
    }
    let (at, mut ratios) = ([1e4, 1e12], Vec::new());
    for (time, state) in at.iter().zip(states(&first_law(4)?, &[0.0, 0.1], &at)?) {
        let s = state.state[0].exp_m1();
        let what = format!("ln t by quadrature for the flow at t = {time:e}, k = 4");
        e.of(what).rel(log_time(4, s), time.ln(), 1e-4);
        ratios.push(kappa(4) * s / time.ln());
    }
    e.note(format!(
        "The limit is approached slowly: for $k = 4$, $\\kappa s/\\ln t$ is {:.2} at $t = 10^4$ \
         and {:.2} at $10^{{12}}$.",
        ratios[0], ratios[1]
    ));
    Ok(())
}

pub(super) fn late_attention(e: &mut Evidence, _: Trial) {
    for k in [3, 4] {
        let s: f64 = 3e3;
        let what = format!("alpha - ln ln t at s = 3000 beside -ln kappa, k = {k}");
        let found = s.ln_1p() - log_time(k, s).ln();
        e.of(what).abs(-kappa(k).ln(), found, 0.01);
    }
}
