//! Section 3.2, appendices D.5 and D.6: one head that learns one eigenvector, how long it takes, and a plateau lasts.

use super::*;
use saddlescope_linear_attention::ScalarLaw;

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
    let setup = Setup::figure_1(1, 1)?;
    let (c, l) = (first_ratio(&setup.task), setup.lambda(0));
    let (from, to) = (0.1, 1.2);
    let closed = closed_form(c, to) - closed_form(c, from);
    let direct = integral(|v| 1.0 / (v * v - c * v.powi(5)), from, to);
    // The head of the whole model, from 0.1 to 1.2.
    let event = Event::stop(Condition::ParameterCrosses { index: 0, value: to });
    let end = setup.exact.flow(&Flow::default().event(event), &setup.aligned_start(from)?)?;
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
    e.both(what).rel([printed, right], closed, 1e-10);
    Ok(())
}

/// The time at which half of the drop `d` is done, from a head `k = q = v0 e_d` alone.
fn half_time(setup: &Setup, d: usize, v0: f64) -> Outcome<f64> {
    let mut start = setup.fixed_point(d)?;
    setup.set_head(&mut start, d, d, v0);
    let level = setup.theory().mid_levels()[d];
    Ok(setup.exact.through(&start, &[level], f64::INFINITY)?.time)
}

pub(super) fn eq_38(e: &mut Evidence, _: Trial) -> Outcome {
    for v0 in [0.01, 0.001] {
        let found = half_time(&FIG_1, 0, v0)?;
        let what = format!("time of half the first drop, v(0) = {v0}");
        e.of(what).rel(1.0 / (0.16 * v0), found, 1e-4).loosely(0.02);
    }
    Ok(())
}

pub(super) fn eq_38_random(e: &mut Evidence, _: Trial) -> Outcome {
    let start = FIG_1.written_start()?;
    let end = FIG_1.flow(&start)?;
    let owner = FIG_1.theory().dominant_heads(FIG_1.shape, &end.state)[0];
    let [value, key, query] = norms(FIG_1.shape, &start)[owner];
    let [k, q] = [key / value, query / value];
    let printed = 1.0 / (0.16 * value);
    e.assume(
        format!(
            "the head that grows starts with $|k| = |q| = |v|$: here $|k|/|v| = {k:.2}$, \
             $|q|/|v| = {q:.2}$"
        ),
        (k - 1.0).abs() < 0.05 && (q - 1.0).abs() < 0.05,
    );
    e.of("time of half the first drop, w_init = 0.05").rel(printed, times(&end)?[0], 0.1);
    Ok(())
}

pub(super) fn eq_43(e: &mut Evidence, _: Trial) -> Outcome {
    for v0 in [0.02, 0.002] {
        let start = FIG_1.aligned_start(v0)?;
        let times = FIG_1.drops(&start)?;
        for (m, state) in FIG_1.exact.states(&start, &times[..3])?.iter().enumerate() {
            let value = state.state[(m + 1) * FIG_1.shape.head_len()];
            let printed = 1.0 / (FIG_1.lambda(m + 1).powi(2) * value);
            let what = format!("plateau {}, v(0) = {v0} in all heads", m + 2);
            e.of(what).rel(printed, times[m + 1] - times[m], 1e-3).loosely(0.06);
        }
    }
    Ok(())
}

pub(super) fn eq_43_random(e: &mut Evidence, _: Trial) -> Outcome {
    let start = FIG_1.written_start()?;
    let end = FIG_1.flow(&start)?;
    let times = times(&end)?;
    let owners = FIG_1.theory().dominant_heads(FIG_1.shape, &end.state);
    let mut ratios = Vec::new();
    for (m, state) in FIG_1.exact.states(&start, &times[..3])?.iter().enumerate() {
        let [value, key, _] = norms(FIG_1.shape, &state.state)[owners[m + 1]];
        ratios.push(key / value);
        let printed = 1.0 / (FIG_1.lambda(m + 1).powi(2) * value);
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
    let first = half_time(&FIG_1, 0, 1e-3)? * 0.16;
    for d in 1..4 {
        let scaled = half_time(&FIG_1, d, 1e-3)? * FIG_1.lambda(d) * FIG_1.lambda(d);
        let what = format!("time times lambda_{}^2 over that of lambda_1, v(0) = 0.001", d + 1);
        e.of(what).rel(1.0, scaled / first, 1e-4).loosely(0.01);
    }
    Ok(())
}

/// `lambda^2 v^2 - lambda a v^5` with `a` of Eq. (18) at `N = 31`: Eq. (7), (36), (42) for `tau = 1`.
fn printed_speed(task: &Task, d: usize, v: f64) -> f64 {
    let l = task.eigenvalues[d];
    l * l * v * v - l.powi(3) * (1.0 + (1.0 + task.trace() / l) / 31.0) * v.powi(5)
}

/// The ansatz (6) of stage `m`: the heads before it at their optimum, head `m + 1` at `k = q = v e`, the others zero.
fn ansatz(setup: &Setup, m: usize, v: f64) -> Outcome<Vec<f64>> {
    let learned = &setup.theory().optimal_values()[..m];
    Ok(setup.shape.aligned_start(&setup.task, &[learned, &[v]].concat())?)
}

/// On the ansatz of stage `m`: the whole model's rates beside `v' (1, e, e)` in head `m + 1` and 0 elsewhere.
fn stage(e: &mut Evidence, m: usize) -> Outcome {
    let setup = Setup::figure_1(5, 1)?;
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for v in [0.05, 0.4, 0.9, 1.2] {
        let weights = ansatz(&setup, m, v)?;
        measured.extend(times_each(-0.5, &setup.exact.slopes(&weights)?));
        let mut rates = vec![0.0; weights.len()];
        setup.set_head(&mut rates, m, m, printed_speed(&setup.task, m, v));
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
    (1..4).try_for_each(|m| stage(e, m))
}

pub(super) fn aligned(e: &mut Evidence, _: Trial) -> Outcome {
    let start = FIG_1.aligned_start(0.02)?;
    let end = FIG_1.exact.flow(&Flow::default().until(2000.0), &start)?.state;
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for (d, head) in FIG_1.shape.iter(&end).enumerate() {
        // The scalar law by another solver, from the closed form of its time.
        let law = ScalarLaw::of_stage(&FIG_1.task, d, 1.0)?;
        let late = |v: f64| law.time(0.02, v).map_or(f64::INFINITY, |time| time - 2000.0);
        let value = root(late, 0.02, law.optimum());
        let vector = times_each(value, &axis(d, 4));
        printed.extend([vec![value], vector.clone(), vector].concat());
        measured.extend([&[head.value][..], head.key, head.query].concat());
    }
    let known = [306.517_601_044, 545.816_100_522, 1_230.560_818_32, 4_935.622_498_51];
    let what = |m: usize| format!("time of drop {m}, by an independent implementation");
    e.of("all weights at time 2000, start 0.02").each(&printed, &measured, 1e-7);
    e.each_rel(what, &known, &FIG_1.drops(&start)?, 1e-7);
    Ok(())
}

pub(super) fn eq_6_sign(e: &mut Evidence, trial: Trial) -> Outcome {
    let (mut negative, mut opposed, mut heads) = (0, 0, 0);
    let mut misses = Vec::new();
    let best = FIG_1.theory().optimal_values();
    for seed in 0..8 {
        let end = FIG_1.settled(&FIG_1.random_start(0.01, trial, seed)?)?;
        let owners = FIG_1.theory().dominant_heads(FIG_1.shape, &end);
        for (d, &owner) in owners.iter().enumerate() {
            let head = &end[owner * FIG_1.shape.head_len()..][..FIG_1.shape.head_len()];
            let (value, key, query) = (head[0], head[1 + d], head[5 + d]);
            heads += 1;
            negative += usize::from(value < 0.0);
            opposed += usize::from(value * key * query < 0.0);
            misses
                .push(largest([value, key, query].map(|part| (part.abs() / best[d] - 1.0).abs())));
        }
    }
    e.of(format!("heads with v_i < 0 among the {heads} of 8 runs")).count(0, negative);
    e.but("heads with sign(k q) other than sign(v)").count(0, opposed);
    let what = "relative miss of |v|, |k| and |q|, the middle one of all heads";
    e.but(what).abs(0.0, median(&misses), 0.01);
    Ok(())
}

pub(super) fn eq_41(e: &mut Evidence, _: Trial) -> Outcome {
    let (l, a) = (&FIG_1.task.eigenvalues, FIG_1.task.second_moment_eigenvalues());
    let (m, v) = (2, 0.6_f64);
    let moments = FIG_1.moments(&ansatz(&FIG_1, m, v)?);
    let outer = |d: usize| Matrix::outer(&axis(d, 4), &axis(d, 4));
    let covariance = &moments.covariance;
    let squared = covariance * covariance;
    let (mut first, mut second) = (squared.clone(), squared);
    for d in 0..4 {
        let mut inner = outer(m) * (v.powi(3));
        (0..m).for_each(|i| inner += outer(i) * (l[d] / a[d]));
        first -= outer(d) * inner * covariance * (a[d]);
    }
    (0..m).for_each(|d| second -= outer(d) * (l[d] * l[d]));
    second -= outer(m) * (l[m] * a[m] * v.powi(3));
    e.of("first line, m = 2, v = 0.6, beside (23)").each(&first, &moments.common(), ROUNDING);
    e.of("second line beside (23)").each(&second, &moments.common(), ROUNDING);
    Ok(())
}

pub(super) fn plateau_number(e: &mut Evidence, _: Trial) -> Outcome {
    let states = FIG_1.on_plateaus(&FIG_1.written_start()?)?;
    let measured: Vec<f64> =
        states.iter().map(|state| FIG_1.grown_heads(&state.state) as f64).collect();
    let what = "grown heads half way along plateaus 1, 2, 3, 4";
    e.both(what).each([&[1.0, 2.0, 3.0, 4.0][..], &[0.0, 1.0, 2.0, 3.0]], &measured, 0.0);
    Ok(())
}
