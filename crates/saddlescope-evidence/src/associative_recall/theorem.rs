//! Theorem 3.1 and the remarks after it, on flows of the exact loss.

use super::*;

/// Times along the first jump of order 4 from `eps = 0.1`: before, within, after.
const TIMES: [f64; 5] = [500.0, 1400.0, 1500.0, 1600.0, 5000.0];

/// Weights of all four heads along the flow from `I_1`, `k = 4`, `R = 4`.
fn first_jump() -> Outcome<(Shape, Vec<Vec<f64>>)> {
    let shape = shape(4, 4, 4)?;
    let states = along(shape, &first_start(shape, 0.1)?, &TIMES)?;
    Ok((shape, states.iter().map(|snapshot| snapshot.state.to_vec()).collect()))
}

const HOW: &str = "flow of four heads from I_1, k = 4, R = 4, eps = 0.1, t = 500 to 5000";

pub(super) fn thm_3_1_a(e: &mut Evidence, _: Trial) -> Outcome {
    let (_, states) = first_jump()?;
    let spread: Vec<f64> =
        states.iter().flat_map(|theta| [theta[2] - theta[3], theta[3] - theta[4]]).collect();
    let what = format!("differences of the weights of lags 2, 3, 4, {HOW}");
    e.of(what).each(&vec![0.0; spread.len()], &spread, 1e-10);
    Ok(())
}

pub(super) fn thm_3_1_b(e: &mut Evidence, _: Trial) -> Outcome {
    let (shape, states) = first_jump()?;
    let landscape = Population::new(shape)?;
    let (mut own, mut others) = (f64::INFINITY, f64::NEG_INFINITY);
    for theta in [&[first_start(shape, 0.1)?][..], &states].concat() {
        let slopes = evaluated(&landscape, &theta)?.1;
        own = own.min(-slopes[1]);
        others = slopes[2..5].iter().fold(others, |most, slope| most.max(-slope));
    }
    let last = &states[states.len() - 1];
    let attention = Shape::attention(&last[1..5])[0];
    e.of(format!("least rate of w_1, {HOW}")).at_least(0.0, own);
    e.of(format!("largest rate of w_i, {HOW}")).at_most(0.0, others);
    e.of("attention to lag 1 at t = 5000").at_least(0.8, attention);
    e.note(format!(
        "Attention sharpens slowly after the jump: {attention:.2} at $t = 5000$. Since $\\alpha_1$ \
         grows as $\\log \\log t$, the rest falls only as $1/\\log t$.",
    ));
    Ok(())
}

pub(super) fn thm_3_1_d(e: &mut Evidence, _: Trial) -> Outcome {
    for (k, until) in [(3, 400.0), (4, 5000.0)] {
        let shape = shape(k, 4, k)?;
        let start = first_start(shape, 0.1)?;
        let state = &along(shape, &start, &[until])?[0].state;
        let (alpha, beta) = (state[1] - state[2], state[0]);
        let order = k as f64;
        let bend = (order - 1.0) / order * ((-alpha).exp() + alpha - 1.0);
        let odd = 2.0 * (order - 1.0) / (order * order) * (alpha.sinh() - alpha);
        let what =
            format!("f - beta^2/4 at t = {until} beside its start, k = {k}, R = 4, eps = 0.1");
        let begun = -0.25 * 0.1 * 0.1;
        let line = |sign: f64| {
            let now = odd + sign * bend - 0.25 * beta * beta;
            Measurement::absolute(&*what, begun, now, 1e-9)
        };
        e.printed(line(-1.0));
        e.corrected(line(1.0));
    }
    Ok(())
}

pub(super) fn line_426(e: &mut Evidence, _: Trial) -> Outcome {
    for k in [2, 4, 7] {
        let order = k as f64;
        let f = |alpha: f64| {
            2.0 * (order - 1.0) / (order * order) * (alpha.sinh() - alpha)
                + (order - 1.0) / order * ((-alpha).exp() + alpha - 1.0)
        };
        let points = [-0.8, 0.3, 1.1, 2.4];
        let printed = points.map(|a: f64| {
            (order - 1.0) / (order * order) * a.exp_m1() * (a.exp_m1() + order) / a.exp()
        });
        let found = points.map(|a| gradient(|x| f(x[0]), &[a])[0]);
        // The shape of the law comes from the flow: f'(alpha) alpha' is the rate of beta^2/4.
        let landscape = Population::new(shape(k, 3, 1)?)?;
        let head = LagHead { alpha: 0.6, delta: 0.1, beta: 0.8 };
        let slopes = evaluated(&landscape, &formed(k, &[head]))?.1;
        let rates = (slopes[2] - slopes[1], -0.5 * head.beta * slopes[0]);
        let gain = gradient(|x| f(x[0]), &[head.alpha])[0] * rates.0;
        e.of(format!("f' beside differences of f, k = {k}")).each(&printed, &found, 1e-9);
        e.of(format!("rate of f beside that of beta^2/4 in the exact loss, k = {k}"))
            .abs(gain, rates.1, 1e-11);
    }
    Ok(())
}

pub(super) fn other_heads(e: &mut Evidence, _: Trial) -> Outcome {
    let (_, states) = first_jump()?;
    let moved: Vec<f64> = states.iter().map(|theta| norm(&theta[5..])).collect();
    let what = format!("length of the parameters of heads 2 to 4, {HOW}");
    e.of(what).each(&[0.0; TIMES.len()], &moved, 0.0);
    Ok(())
}

pub(super) fn proportional(e: &mut Evidence, _: Trial) -> Outcome {
    let (_, states) = first_jump()?;
    let printed: Vec<f64> = states.iter().map(|theta| -(theta[1] - theta[2]) / 4.0).collect();
    let found: Vec<f64> = states.iter().map(|theta| theta[2]).collect();
    e.of(format!("delta_1 beside -alpha_1/k, {HOW}")).each(&printed, &found, 1e-10);
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
    let task = Task::new(4, 4)?;
    let landscape = Population::new(Shape::new(task, 1, 1.0)?)?;
    let least = |from: f64| -> Outcome<f64> {
        let mut least = f64::INFINITY;
        for (a, b) in (0..=20).flat_map(|a| (0..=20).map(move |b| (a, b))) {
            let part = |i: i32| from + (3.0 - from) * f64::from(i) / 20.0;
            let head = LagHead { alpha: part(a), delta: 0.0, beta: part(b) };
            let slopes = evaluated(&landscape, &formed(4, &[head]))?.1;
            least = least.min(slopes[2] - slopes[1]).min(-slopes[0]);
        }
        Ok(least)
    };
    let what = |from: f64| format!("least rate over {from} <= alpha, beta <= 3, k = 4, R = 4");
    e.of(what(0.0)).at_least(1e-12, least(0.0)?);
    e.but(what(0.05)).at_least(1e-12, least(0.05)?);
    Ok(())
}

pub(super) fn diverge(e: &mut Evidence, _: Trial) -> Outcome {
    let task = Task::new(4, 4)?;
    let law = FirstJump::new(&task, 1.0)?;
    let at = [1e4, 1e6, 1e8, 1e10, 1e12];
    let states = states(&law, &[0.0, 0.1], &at)?;
    let steps = |of: &dyn Fn(&[f64]) -> f64| -> f64 {
        let values: Vec<f64> = states.iter().map(|snapshot| of(&snapshot.state)).collect();
        values.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
    };
    let landscape = Population::new(shape(4, 4, 1)?)?;
    let slope = |state: &[f64]| -> Outcome<f64> {
        let head = LagHead { alpha: state[0], delta: -state[0] / 4.0, beta: state[1] };
        Ok(norm(&evaluated(&landscape, &formed(4, &[head]))?.1))
    };
    let (first, last) = (slope(&states[0].state)?, slope(&states[4].state)?);
    let how = "from each of t = 1e4, 1e6, ..., 1e12 to the next, k = 4, R = 4";
    e.of(format!("least growth of alpha_1 {how}")).at_least(0.05, steps(&|s| s[0]));
    e.of(format!("least growth of beta_1 {how}")).at_least(0.2, steps(&|s| s[1]));
    e.of("gradient at t = 1e12 over that at 1e4").at_most(1e-7, last / first);
    Ok(())
}

pub(super) fn sum_of_weights(e: &mut Evidence, trial: Trial) -> Outcome {
    let shape = shape(4, 4, 3)?;
    let landscape = Population::new(shape)?;
    let start = random(shape.parameters(), 0.7, &mut stream(trial, 0));
    let field = GradientFlow::new(&landscape);
    let end = Flow::default().until(2000.0).run(&field, 0.0, &start, &mut Silent)?;
    let sums = |theta: &[f64]| -> Vec<f64> {
        theta.chunks_exact(5).map(|head| head[1..].iter().sum()).collect()
    };
    let what = "sums of three heads at t = 2000 beside their random start, k = 4, R = 4";
    e.of(what).each(&sums(&start), &sums(&end.state), 1e-9);
    Ok(())
}
