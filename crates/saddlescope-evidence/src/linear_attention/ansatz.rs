//! Section 3.2, appendices D.5 and D.6: one head that learns one eigenvector, and how long it takes.

use super::*;
use saddlescope_linear_attention::ScalarLaw;

/// `lambda^2 v^2 - lambda a v^5` with `a` of Eq. (18) at `N = 31`: Eq. (7), (36), (42) for `tau = 1`.
fn printed_speed(task: &Task, d: usize, v: f64) -> f64 {
    let l = task.eigenvalues[d];
    l * l * v * v - l.powi(3) * (1.0 + (1.0 + task.trace() / l) / 31.0) * v.powi(5)
}

/// The ansatz (6) of stage `m`: the heads before it at their optimum, head `m + 1` at `k = q = v e`, the others zero.
fn ansatz(task: &Task, shape: Shape, m: usize, v: f64) -> Outcome<Vec<f64>> {
    let learned = &Theory::new(task).optimal_values()[..m];
    Ok(shape.aligned_start(task, &[learned, &[v]].concat())?)
}

/// On the ansatz of stage `m`: the whole model's rates beside `v' (1, e, e)` in head `m + 1` and 0 elsewhere.
fn stage(e: &mut Evidence, m: usize) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 5, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for v in [0.05, 0.4, 0.9, 1.2] {
        let weights = ansatz(&task, shape, m, v)?;
        let slope = evaluated(&landscape, &weights)?.1;
        measured.extend(slope.iter().map(|slope| -0.5 * slope));
        let mut rates = vec![0.0; weights.len()];
        let speed = printed_speed(&task, m, v);
        let mut along = vec![0.0; 4];
        along[m] = speed;
        shape.set_pair(&mut rates, m, 0, speed, &along);
        printed.extend(rates);
    }
    let what = format!("all rates of the whole model on the ansatz, m = {m}, four values of v");
    e.of(what).each(&printed, &measured, ROUNDING);
    Ok(())
}

pub(super) fn eq_36(e: &mut Evidence, _: Trial) -> Outcome {
    stage(e, 0)
}

pub(super) fn eq_42(e: &mut Evidence, _: Trial) -> Outcome {
    for m in 1..4 {
        stage(e, m)?;
    }
    Ok(())
}

pub(super) fn aligned(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let start = shape.aligned_start(&task, &[0.02; 4])?;
    let found = times(&flow(&task, shape, &start)?)?;
    let landscape = Population::new(&task, shape, 1.0)?;
    let field = GradientFlow::new(&landscape);
    let end = Flow::default().until(2000.0).run(&field, 0.0, &start, &mut Silent)?;
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for (d, head) in shape.iter(&end.state).enumerate() {
        // The scalar law by another solver, from the closed form of its time.
        let law = ScalarLaw::of_stage(&task, d, 1.0)?;
        let late = |v: f64| law.time(0.02, v).map_or(f64::INFINITY, |time| time - 2000.0);
        let value = root(late, 0.02, law.optimum());
        let mut vector = vec![0.0; 4];
        vector[d] = value;
        printed.extend([vec![value], vector.clone(), vector].concat());
        measured.extend([&[head.value][..], head.key, head.query].concat());
    }
    let known = [306.517_601_044, 545.816_100_522, 1_230.560_818_32, 4_935.622_498_51];
    e.of("all weights at time 2000, start 0.02").each(&printed, &measured, 1e-7);

    for (m, (known, found)) in known.into_iter().zip(found).enumerate() {
        let what = format!("time of drop {}, by an independent implementation", m + 1);
        e.of(what).rel(known, found, 1e-7);
    }
    Ok(())
}

pub(super) fn eq_6_sign(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let (mut negative, mut opposed, mut heads) = (0, 0, 0);
    let mut misses = Vec::new();
    let best = Theory::new(&task).optimal_values();
    for seed in 0..8 {
        let end = settled(&task, shape, &shape.random_start(0.01, start_seed(trial, seed))?)?;
        let owners = Theory::new(&task).dominant_heads(shape, &end);
        for (d, &owner) in owners.iter().enumerate() {
            let head = &end[owner * shape.head_len()..][..shape.head_len()];
            let (value, key, query) = (head[0], head[1 + d], head[5 + d]);
            heads += 1;
            negative += usize::from(value < 0.0);
            opposed += usize::from(value * key * query < 0.0);
            let miss = |part: f64| (part.abs() / best[d] - 1.0).abs();
            misses.push(miss(value).max(miss(key)).max(miss(query)));
        }
    }
    e.of(format!("heads with v_i < 0 among the {heads} of 8 runs")).count(0, negative);
    e.but("heads with sign(k q) other than sign(v)").count(0, opposed);
    let what = "relative miss of |v|, |k| and |q|, the middle one of all heads";
    e.but(what).abs(0.0, median(&misses), 0.01);
    Ok(())
}

pub(super) fn eq_41(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let (l, a) = (&task.eigenvalues, task.second_moment_eigenvalues());
    let (m, v) = (2, 0.6_f64);
    let weights = ansatz(&task, shape, m, v)?;
    let common = Moments::new(&task, shape, &weights).common();
    let outer = |d: usize| Matrix::new(4, 4, |i, j| if i == d && j == d { 1.0 } else { 0.0 });
    let covariance = Moments::new(&task, shape, &weights).covariance;
    let squared = &covariance * &covariance;
    let (mut first, mut second) = (squared.clone(), squared);
    for d in 0..4 {
        let mut inner = outer(m) * (v.powi(3));
        (0..m).for_each(|i| inner += outer(i) * (l[d] / a[d]));
        first -= outer(d) * inner * &covariance * (a[d]);
    }
    (0..m).for_each(|d| second -= outer(d) * (l[d] * l[d]));
    second -= outer(m) * (l[m] * a[m] * v.powi(3));
    e.of("first line, m = 2, v = 0.6, beside (23)").each(&first, &common, ROUNDING);
    e.of("second line beside (23)").each(&second, &common, ROUNDING);
    Ok(())
}

pub(super) fn plateau_number(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let states = on_plateaus(&task, shape, &written_start(shape)?)?;
    let grown =
        |state: &[f64]| shape.iter(state).filter(|head| head.value.abs() > 0.5).count() as f64;
    let measured: Vec<f64> = states.iter().map(|state| grown(&state.state)).collect();
    let what = "grown heads half way along plateaus 1, 2, 3, 4";
    e.of(what).each(&[1.0, 2.0, 3.0, 4.0], &measured, 0.0);
    e.but(what).each(&[0.0, 1.0, 2.0, 3.0], &measured, 0.0);
    Ok(())
}
