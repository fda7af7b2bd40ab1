//! Theorem 3.1 and the remarks after it, on flows of the exact loss.

use super::*;

/// Times along the first jump of order 4 from `eps = 0.1`: before, within, after.
const TIMES: [f64; 5] = [500.0, 1400.0, 1500.0, 1600.0, 5000.0];

/// Weights of all four heads along the flow from `I_1`, `k = 4`, `R = 4`.
fn first_jump() -> Outcome<(Population, Vec<Vec<f64>>)> {
    let model = exact(4, 4, 4)?;
    let states = model.states(&first_start(&model, 0.1)?, &TIMES)?;
    Ok((model, states.iter().map(|snapshot| snapshot.state.to_vec()).collect()))
}

const HOW: &str = "flow of four heads from I_1, k = 4, R = 4, eps = 0.1, t = 500 to 5000";

pub(super) fn thm_3_1_a(e: &mut Evidence, _: Trial) -> Outcome {
    let (_, states) = first_jump()?;
    let spread: Vec<f64> =
        states.iter().flat_map(|theta| [theta[2] - theta[3], theta[3] - theta[4]]).collect();
    e.of(format!("differences of the weights of lags 2, 3, 4, {HOW}")).zeros(&spread, 1e-10);
    Ok(())
}

pub(super) fn thm_3_1_b(e: &mut Evidence, _: Trial) -> Outcome {
    let (model, states) = first_jump()?;
    let start = first_start(&model, 0.1)?;
    let slopes = try_map([&start].into_iter().chain(&states), |theta| model.slopes(theta))?;
    let own = smallest(slopes.iter().map(|slopes| -slopes[1]));
    let others = largest(slopes.iter().flat_map(|slopes| [2, 3, 4].map(|i| -slopes[i])));
    let attention = Shape::attention(&states[4][1..5])[0];
    e.of(format!("least rate of w_1, {HOW}")).at_least(0.0, own);
    e.of(format!("largest rate of w_i, {HOW}")).at_most(0.0, others);
    e.of("attention to lag 1 at t = 5000").at_least(0.8, attention);
    e.note(format!(
        "Attention sharpens slowly after the jump: {attention:.2} at $t = 5000$. Since $\\alpha_1$ \
         grows as $\\log \\log t$, the rest falls only as $1/\\log t$.",
    ));
    Ok(())
}

/// `f` of Theorem 3.1(d), where its second term has that sign.
fn law(order: f64, alpha: f64, sign: f64) -> f64 {
    2.0 * (order - 1.0) / (order * order) * (alpha.sinh() - alpha)
        + sign * ((order - 1.0) / order * ((-alpha).exp() + alpha - 1.0))
}

pub(super) fn thm_3_1_d(e: &mut Evidence, _: Trial) -> Outcome {
    for (k, until) in [(3, 400.0), (4, 5000.0)] {
        let model = exact(k, 4, k)?;
        let state = model.state_at(&first_start(&model, 0.1)?, until)?;
        let (alpha, beta) = (state[1] - state[2], state[0]);
        let what =
            format!("f - beta^2/4 at t = {until} beside its start, k = {k}, R = 4, eps = 0.1");
        let kept = [-1.0, 1.0].map(|sign| law(k as f64, alpha, sign) - 0.25 * beta * beta);
        e.both(what).abs(-0.25 * 0.1 * 0.1, kept, 1e-9);
    }
    Ok(())
}

pub(super) fn line_426(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [2, 4, 7] {
        let order = k as f64;
        let f = |alpha: f64| law(order, alpha, 1.0);
        let sides = |a: f64| {
            let slope =
                (order - 1.0) / (order * order) * a.exp_m1() * (a.exp_m1() + order) / a.exp();
            (slope, derivative(f, a))
        };
        // The shape of the law comes from the flow: f'(alpha) alpha' is the rate of beta^2/4.
        let head = LagHead { alpha: 0.6, delta: 0.1, beta: 0.8 };
        let slopes = exact(k, 3, 1)?.slopes(&formed(k, &[head]))?;
        let rates = (slopes[2] - slopes[1], -0.5 * head.beta * slopes[0]);
        let gain = derivative(f, head.alpha) * rates.0;
        e.of(format!("f' beside differences of f, k = {k}"))
            .pairs([-0.8, 0.3, 1.1, 2.4].map(sides), 1e-9);
        e.of(format!("rate of f beside that of beta^2/4 in the exact loss, k = {k}"))
            .abs(gain, rates.1, 1e-11);
    }
    Ok(())
}

pub(super) fn other_heads(e: &mut Evidence, _: Trial) -> Outcome {
    let (_, states) = first_jump()?;
    let moved: Vec<f64> = states.iter().map(|theta| norm(&theta[5..])).collect();
    e.of(format!("length of the parameters of heads 2 to 4, {HOW}")).zeros(&moved, 0.0);
    Ok(())
}

pub(super) fn proportional(e: &mut Evidence, _: Trial) -> Outcome {
    let (_, states) = first_jump()?;
    let sides = |theta: &Vec<f64>| (-(theta[1] - theta[2]) / 4.0, theta[2]);
    e.of(format!("delta_1 beside -alpha_1/k, {HOW}")).pairs(states.iter().map(sides), 1e-10);
    Ok(())
}

pub(super) fn thm_3_1_c_flow(e: &mut Evidence, _: Trial) -> Outcome {
    let (_, whole) = first_jump()?;
    let field = |_: f64, state: &[f64]| {
        let ([alpha, beta], k) = ([state[0], state[1]], 4.0);
        let sum = alpha.exp() + k - 1.0;
        // Eq. (4), whose print has a factor 2 too many: Xi = (1 - 1/R) e^g/((k - 2)!(e^g + k - 1)^2).
        let raised = (beta * beta * alpha.exp_m1() / sum).exp();
        let drive = 0.75 / 2.0 * raised / (raised + k - 1.0).powi(2);
        let turn = beta * beta * alpha.exp() / (sum * sum);
        vec![turn * k * k / (k - 1.0) * drive, 2.0 * beta * alpha.exp_m1() / sum * drive]
    };
    for (time, theta) in TIMES.iter().zip(&whole) {
        let found = [theta[1] - theta[2], theta[0]];
        let printed = stepped(field, &[0.0, 0.1], *time, (4.0 * time) as usize);
        let what =
            format!("alpha_1, beta_1 at t = {time} by a second solver, k = 4, R = 4, eps = 0.1");
        e.of(what).each(&printed, &found, 1e-7);
    }
    Ok(())
}

pub(super) fn compact_sets(e: &mut Evidence, _: Trial) -> Outcome {
    let model = exact(4, 4, 1)?;
    let least = |from: f64| -> Outcome<f64> {
        let part = |i: i32| from + (3.0 - from) * f64::from(i) / 20.0;
        let rates = try_map(crossed(0..=20, 0..=20), |(a, b)| {
            let head = LagHead { alpha: part(a), delta: 0.0, beta: part(b) };
            let slopes = model.slopes(&formed(4, &[head]))?;
            Ok((slopes[2] - slopes[1]).min(-slopes[0]))
        })?;
        Ok(smallest(rates))
    };
    let what = |from: f64| format!("least rate over {from} <= alpha, beta <= 3, k = 4, R = 4");
    e.of(what(0.0)).at_least(1e-12, least(0.0)?);
    e.but(what(0.05)).at_least(1e-12, least(0.05)?);
    Ok(())
}

pub(super) fn diverge(e: &mut Evidence, _: Trial) -> Outcome {
    let states = states(&first_law(4)?, &[0.0, 0.1], &[1e4, 1e6, 1e8, 1e10, 1e12])?;
    let least_step =
        |i: usize| smallest(states.windows(2).map(|pair| pair[1].state[i] - pair[0].state[i]));
    let model = exact(4, 4, 1)?;
    let slope = |state: &[f64]| -> Outcome<f64> {
        let head = LagHead { alpha: state[0], delta: -state[0] / 4.0, beta: state[1] };
        Ok(norm(&model.slopes(&formed(4, &[head]))?))
    };
    let (first, last) = (slope(&states[0].state)?, slope(&states[4].state)?);
    let how = "from each of t = 1e4, 1e6, ..., 1e12 to the next, k = 4, R = 4";
    e.of(format!("least growth of alpha_1 {how}")).at_least(0.05, least_step(0));
    e.of(format!("least growth of beta_1 {how}")).at_least(0.2, least_step(1));
    e.of("gradient at t = 1e12 over that at 1e4").at_most(1e-7, last / first);
    Ok(())
}

pub(super) fn sum_of_weights(e: &mut Evidence, trial: Trial) -> Outcome {
    let model = exact(4, 4, 3)?;
    let start = random(model.shape.parameters(), 0.7, &mut stream(trial, 0));
    let end = model.flow(&Flow::default().until(2000.0), &start)?;
    let sums = |theta: &[f64]| -> Vec<f64> {
        theta.chunks_exact(5).map(|head| head[1..].iter().sum()).collect()
    };
    let what = "sums of three heads at t = 2000 beside their random start, k = 4, R = 4";
    e.of(what).each(&sums(&start), &sums(&end.state), 1e-9);
    Ok(())
}
