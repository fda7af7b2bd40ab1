//! Appendices D.5.2 and D.6.2: how long a head takes, and a plateau lasts.

use super::*;

/// The right-hand side of (37) without its constant, with `c = a/lambda`.
fn closed_form(c: f64, v: f64) -> f64 {
    let b = c.cbrt();
    let three = 3.0_f64.sqrt();
    let fraction = ((b * b * v * v + b * v + 1.0) / (b * b * v * v - 2.0 * b * v + 1.0)).ln();
    b / 6.0 * (fraction - 2.0 * three * ((2.0 * b * v + 1.0) / three).atan()) - 1.0 / v
}

/// Simpson's rule in `ln v`.
fn integral(integrand: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const PARTS: usize = 20_000;
    let h = (to / from).ln() / PARTS as f64;
    let term = |i: usize| {
        let v = from * (i as f64 * h).exp();
        let weight = if i == 0 || i == PARTS { 1.0 } else { [2.0, 4.0][i % 2] };
        weight * v * integrand(v)
    };
    (0..=PARTS).map(term).sum::<f64>() * h / 3.0
}

/// `c = a_1/lambda_1` of Fig. 1.
fn first_ratio(task: &Task) -> f64 {
    task.second_moment_eigenvalues()[0] / task.eigenvalues[0]
}

pub(super) fn eq_37(e: &mut Evidence, _: Trial) -> Outcome {
    let task = figure_1()?;
    let (c, l) = (first_ratio(&task), task.eigenvalues[0]);
    let (from, to) = (0.1, 1.2);
    let closed = closed_form(c, to) - closed_form(c, from);
    let direct = integral(|v| 1.0 / (v * v - c * v.powi(5)), from, to);
    // The head of the whole model, from 0.1 to 1.2.
    let shape = Shape::new(4, 1, 1)?;
    let landscape = Population::new(&task, shape, 1.0)?;
    let start = shape.aligned_start(&task, &[from])?;
    let end = Flow::default()
        .event(Event::stop(Condition::ParameterCrosses { index: 0, value: to }))
        .run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent)?;
    e.of("Simpson's rule for (36) from v = 0.1 to 1.2").rel(closed, direct, 1e-10);
    e.of("flow of the whole model between the same").rel(closed, l * l * end.time, 1e-7);
    Ok(())
}

pub(super) fn eq_37_integrand(e: &mut Evidence, _: Trial) -> Outcome {
    let c = first_ratio(&figure_1()?);
    let (from, to) = (0.1, 1.2);
    let closed = closed_form(c, to) - closed_form(c, from);
    let printed = integral(|v| 1.0 / (v * v - c * v * v), from, to);
    let right = integral(|v| 1.0 / (v * v - c * v.powi(5)), from, to);
    let what = "from v = 0.1 to 1.2, beside the closed form of the second line";
    e.of(what).rel(printed, closed, 1e-10);
    e.but(what).rel(right, closed, 1e-10);
    Ok(())
}

/// The time at which half of the drop `d` is done, from a head `k = q = v0 e_d` alone.
fn half_time(task: &Task, d: usize, v0: f64) -> Outcome<f64> {
    let shape = Shape::new(4, 4, 1)?;
    let landscape = Population::new(task, shape, 1.0)?;
    let learned: Vec<usize> = (0..d).collect();
    let mut start = Theory::new(task).weights_at(shape, &learned, Slots::HeadEach)?;
    let mut vector = vec![0.0; 4];
    vector[d] = v0;
    shape.set_pair(&mut start, d, 0, v0, &vector);
    let level = Theory::new(task).mid_levels()[d];
    Ok(through(&landscape, &start, &[level], f64::INFINITY)?.time)
}

pub(super) fn eq_38(e: &mut Evidence, _: Trial) -> Outcome {
    let task = figure_1()?;

    for v0 in [0.01, 0.001] {
        let found = half_time(&task, 0, v0)?;
        let what = format!("time of half the first drop, v(0) = {v0}");
        let printed = 1.0 / (0.16 * v0);
        e.of(what).rel(printed, found, 1e-4).loosely(0.02);
    }
    Ok(())
}

pub(super) fn eq_38_random(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let start = written_start(shape)?;
    let end = flow(&task, shape, &start)?;
    let owner = Theory::new(&task).dominant_heads(shape, &end.state)[0];
    let [value, key, query] = norms(shape, &start)[owner];
    let [k, q] = [key / value, query / value];
    let printed = 1.0 / (0.16 * value);
    e.assume(
                format!(
                    "the head that grows starts with $|k| = |q| = |v|$: here $|k|/|v| = {k:.2}$, $|q|/|v| = \
         {q:.2}$"
                ),
                (k - 1.0).abs() < 0.05 && (q - 1.0).abs() < 0.05,
            );
    e.of("time of half the first drop, w_init = 0.05").rel(printed, times(&end)?[0], 0.1);
    Ok(())
}

pub(super) fn eq_43(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);

    for v0 in [0.02, 0.002] {
        let start = shape.aligned_start(&task, &[v0; 4])?;
        let times = times(&flow(&task, shape, &start)?)?;
        let states = snapshots(&task, shape, &start, &times[..3])?;
        for (m, state) in states.iter().enumerate() {
            let value = state.state[(m + 1) * shape.head_len()];
            let printed = 1.0 / (task.eigenvalues[m + 1].powi(2) * value);
            let what = format!("plateau {}, v(0) = {v0} in all heads", m + 2);
            let found = times[m + 1] - times[m];
            e.of(what).rel(printed, found, 1e-3).loosely(0.06);
        }
    }
    Ok(())
}

pub(super) fn eq_43_random(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let start = written_start(shape)?;
    let end = flow(&task, shape, &start)?;
    let times = times(&end)?;
    let owners = Theory::new(&task).dominant_heads(shape, &end.state);
    let states = snapshots(&task, shape, &start, &times[..3])?;

    let mut ratios = Vec::new();
    for (m, state) in states.iter().enumerate() {
        let [value, key, _] = norms(shape, &state.state)[owners[m + 1]];
        ratios.push(key / value);
        let printed = 1.0 / (task.eigenvalues[m + 1].powi(2) * value);
        let what = format!("plateau {}, w_init = 0.05", m + 2);
        e.of(what).rel(printed, times[m + 1] - times[m], 0.1);
    }
    let words: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
    e.assume(
        format!(
            "the next head has $|k| = |v|$ when a plateau begins: here $|k|/|v|$ = {}",
            words.join(", ")
        ),
        ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.05),
    );
    Ok(())
}

pub(super) fn inverse_square(e: &mut Evidence, _: Trial) -> Outcome {
    let task = figure_1()?;

    let first = half_time(&task, 0, 1e-3)? * 0.16;
    for (d, l) in task.eigenvalues.iter().enumerate().skip(1) {
        let scaled = half_time(&task, d, 1e-3)? * l * l;
        let what = format!("time times lambda_{}^2 over that of lambda_1, v(0) = 0.001", d + 1);
        e.of(what).rel(1.0, scaled / first, 1e-4).loosely(0.01);
    }
    Ok(())
}
