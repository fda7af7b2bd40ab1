//! Appendices A.6 and B.2: later jumps with the proof of Proposition A.2, and how heads that wait follow one another.

use super::*;
use saddlescope_associative_recall::laws::JumpLaw;
use saddlescope_associative_recall::theory::stitching;

/// The start `I_h` of order 4: heads before `h` (from 1) learned with `beta = c`, `w = c_1 e_i`.
pub(super) fn later_start(h: usize, c: f64, c1: f64, eps: f64) -> Vec<f64> {
    let of = |i: usize| match i {
        i if i + 1 < h => LagHead { alpha: c1, delta: 0.0, beta: c },
        i if i + 1 == h => LagHead { beta: eps, ..IDLE },
        _ => IDLE,
    };
    formed(4, &(0..4).map(of).collect::<Vec<LagHead>>())
}

/// The largest gradient of `beta_i` over `c` and of `w^i` over `c^2`, of the learned heads at `I_h`.
fn learned_slopes(h: usize, c: f64, c1: f64) -> Outcome<[f64; 2]> {
    let slopes = exact(4, 4, 4)?.slopes(&later_start(h, c, c1, 0.1))?;
    let heads = || slopes.chunks_exact(5).take(h - 1);
    Ok([
        largest(heads().map(|head| head[0].abs())),
        largest(heads().map(|head| largest_size(&head[1..]))),
    ])
}

pub(super) fn prop_a_2_a(e: &mut Evidence, _: Trial) -> Outcome {
    for (h, c) in [(2, 3.0_f64), (2, 5.0), (3, 3.0), (3, 5.0), (4, 3.0), (4, 5.0)] {
        let what =
            format!("largest gradient of a learned head at I_{h}, c = {c}, c_1 = 2, k = 4, R = 4");
        e.of(what).at_most((-c).exp(), largest(learned_slopes(h, c, 2.0)?));
    }
    Ok(())
}

pub(super) fn prop_a_2_a_rate(e: &mut Evidence, _: Trial) -> Outcome {
    for h in [2, 3] {
        let strengths = [4.0, 4.5, 5.0, 5.5];
        let logs = try_map(strengths, |c| {
            let [beta, weights] = learned_slopes(h, c, 2.0)?;
            Ok(vec![(beta / c).ln(), (weights / (c * c)).ln()])
        })?;
        let exponents = strengths.map(|c| c * c * lead(4, 2.0));
        for (i, name) in ["beta/c", "w/c^2"].into_iter().enumerate() {
            let logs: Vec<f64> = logs.iter().map(|logs| logs[i]).collect();
            let what =
                format!("slope of ln of the gradient of {name} in gamma_i at I_{h}, c = 4 to 5.5");
            e.of(what).abs(-1.0, slope(&exponents, &logs), 0.01);
        }
    }
    Ok(())
}

pub(super) fn macroscopic(e: &mut Evidence, _: Trial) -> Outcome {
    let start = later_start(2, 7.0, 8.0, 0.1);
    let state = exact(4, 4, 4)?.state_at(&start, 450.0)?;
    let moved = distance(&state[..5], &start[..5]);
    e.of("change of head 1 during the jump of head 2, c = 7, c_1 = 8, k = 4").abs(0.0, moved, 1e-9);
    e.of("beta_2 after it, from 0.1").at_least(2.0, state[5]);
    Ok(())
}

/// Half of the jump of head `h` of order 4 from `I_h`.
fn later_time(h: usize, eps: f64) -> Outcome<f64> {
    let model = exact(4, 4, 4)?;
    let level = mid_levels(&model.shape.task, 4)[h - 1];
    time_to(&model, &later_start(h, 7.0, 8.0, eps), level)
}

pub(super) fn prop_a_2_b(e: &mut Evidence, _: Trial) -> Outcome {
    for (h, eps) in [(2, 0.1), (2, 1e-4), (3, 1e-4)] {
        let (order, found) = (5 - h, later_time(h, eps)?);
        // Half of the first jump on a task of that order.
        let reduced = exact(order, 4, 1)?;
        let first =
            time_to(&reduced, &first_start(&reduced, eps)?, mid_levels(&reduced.shape.task, 1)[0])?;
        let what = format!("half of jump {h} from I_{h}, eps = {eps}, k = 4, R = 4");
        e.of(&what).rel(first, found, 1e-3);
        if eps < 0.01 {
            let escape = Escape::new(&Task::new(4, 4)?, 1.0, h - 1, 0.25);
            e.but(format!("{what}, k/k' times the first jump of order {order}")).rel(
                4.0 / order as f64 * first,
                found,
                1e-3,
            );
            e.but(format!("{what}, by T*")).rel(escape.time(eps), found, 1e-3);
        }
    }
    let law = JumpLaw::new(exact(4, 4, 4)?.shape, 1, &[0])?;
    let flow = Flow::default().event(Event::stop(Condition::LossBelow(0.5)));
    let time = flow.run(&law, 0.0, &[0.0, 0.0, 0.0, 0.1], &mut Silent)?.time;
    let what = "half of jump 2 from I_2, eps = 0.1, by the law of three groups";
    e.but(what).rel(time, later_time(2, 0.1)?, 1e-6);
    Ok(())
}

pub(super) fn three_groups(e: &mut Evidence, _: Trial) -> Outcome {
    let model = exact(5, 4, 5)?;
    let start = formed(5, &[LEARNED, LEARNED, LagHead { beta: 0.1, ..IDLE }, IDLE, IDLE]);
    let law = JumpLaw::new(model.shape, 2, &[0, 1])?;
    let at = [300.0, 500.0, 700.0];
    let path = model.states(&start, &at)?;
    for (whole, reduced) in path.iter().zip(states(&law, &[0.0, 0.0, 0.0, 0.1], &at)?) {
        let [own, open, used, beta] = *reduced.state else {
            return Err(ClaimError::new("the law of a jump has four variables"));
        };
        let what = format!(
            "beta_3, w^3 at t = {} beside the law, heads 1, 2 learned, k = 5, R = 4",
            whole.time
        );
        let predicted = [beta, used, used, own, open, open];
        e.of(what).each(&predicted, &whole.state[12..18], 1e-8);
    }
    let apart = (path[2].state[13] - path[2].state[16]).abs();
    e.of("distance of used and open weights at t = 700").at_least(0.05, apart);
    Ok(())
}

pub(super) fn later_law(e: &mut Evidence, _: Trial) -> Outcome {
    let state = exact(4, 4, 4)?.state_at(&later_start(2, 7.0, 8.0, 0.1), 1000.0)?;
    let (beta, w) = (state[5], &state[6..10]);
    let whole = w[1] - (w[0] + w[2] + w[3]) / 3.0;
    let drift =
        |k: usize, alpha: f64| (potential(k, alpha) - 0.25 * beta * beta + 0.25 * 0.01).abs();
    let how = "from start to t = 1000, jump 2 of order 4";
    e.of(format!("drift with k = 4 {how}")).at_least(0.05, drift(4, whole));
    e.of(format!("drift with k' = 3 {how}")).at_least(0.05, drift(3, w[1] - w[2]));
    Ok(())
}

pub(super) fn waiting_heads(e: &mut Evidence, _: Trial) -> Outcome {
    let found = try_map([0.02, 0.01, 0.005], |eps| {
        let start = strengths(&EXPERIMENT, &[eps, 0.8 * eps, 0.6 * eps])?;
        let first = time_to(&EXPERIMENT, &start, mid_levels(&EXPERIMENT.shape.task, 3)[0])?;
        let at: Vec<f64> = (1..=20).map(|i| first * f64::from(i) / 20.0).collect();
        let (mut slope, mut size) = (0.0_f64, 0.0_f64);
        for snapshot in EXPERIMENT.states(&start, &at)? {
            slope = slope.max(norm(&EXPERIMENT.slopes(&snapshot.state)?[5..]));
            size = size.max(norm(&snapshot.state[5..]));
        }
        Ok([slope, size])
    })?;
    let most = |i: usize| largest(found.windows(2).map(|pair| pair[1][i] / pair[0][i]));
    let how = "when eps is halved, beta(0) = eps (1, 0.8, 0.6), eps = 0.02 to 0.005, k = 4, R = 4";
    e.of(format!("largest factor of the others' gradient {how}")).at_most(0.5, most(0));
    e.of(format!("largest factor of the others' size {how}")).at_most(0.52, most(1));
    Ok(())
}

pub(super) fn stitched(e: &mut Evidence, _: Trial) -> Outcome {
    for scale in [1.0, 0.01] {
        let beta = [0.02, 0.016, 0.012].map(|beta| scale * beta);
        let exact = times(&flow(&EXPERIMENT, &strengths(&EXPERIMENT, &beta)?)?)?;
        for seen in 0..3 {
            let task = &EXPERIMENT.shape.task;
            let predicted = stitching::stitched(task, 1.0, &beta, &exact[..seen])[seen].1;
            let what = format!(
                "drop {} from those before it, beta(0) = (0.02, 0.016, 0.012) times {scale}, k = \
                 4, R = 4",
                seen + 1
            );
            e.of(what).rel(predicted, exact[seen], 1e-3).loosely(0.03);
        }
    }
    Ok(())
}

pub(super) fn stitched_exact(e: &mut Evidence, _: Trial) -> Outcome {
    for (k, ratios) in [(4, vec![1.0, 0.8, 0.6]), (5, vec![1.0, 0.9, 0.5, 0.45])] {
        let model = exact(k, 4, k - 1)?;
        let beta = times_each(2e-5, &ratios);
        let exact = times(&flow(&model, &strengths(&model, &beta)?)?)?;
        let chained = stitching::chained(&model.shape.task, 1.0, &beta);
        let predicted: Vec<f64> = chained.iter().map(|(_, time)| *time).collect();
        let what =
            |m: usize| format!("drop {m} from nothing, beta(0) = 2e-5 {ratios:?}, k = {k}, R = 4");
        e.each_rel(what, &predicted, &exact, 2e-4);
        let last = stitching::stitched(&model.shape.task, 1.0, &beta, &[])[k - 2].1;
        let miss = (exact[k - 2] / last - 1.0).abs();
        e.of(format!("miss of the last drop by phases alone, k = {k}")).at_least(5e-4, miss);
    }
    Ok(())
}

/// The literal model of order 3 whose head 1 has the exponent `c`, and head 2 a small one.
fn half_learned(c: f64) -> Vec<f64> {
    let learned = LagHead { beta: (c / lead(3, 40.0)).sqrt(), ..LEARNED };
    formed(3, &[learned, LagHead { alpha: 0.5, delta: 0.0, beta: 0.4 }])
}

pub(super) fn line_434(e: &mut Evidence, _: Trial) {
    let first = &SMALL.samples[0];
    for c in [4.0, 8.0] {
        let theta = half_learned(c);
        let shares = SMALL.forward(first, &theta, PLAIN).shares;
        let apart = (0..6).filter(|&t| !SMALL.matches(first, 1, t, 1));
        let share = largest(apart.map(|t| shares[t]));
        let slope = largest((1..=3).map(|lag| SMALL.mean_delta(&theta, PLAIN, 1, lag).abs()));
        for (name, found) in [("s_t", share), ("|E Delta_1j|", slope)] {
            let what = format!("largest {name}, head 1 learned with c = {c}, k = 3, R = 2");
            e.of(&what).rel((-c).exp(), found, 0.01);
            e.but(&what).at_most((-c).exp(), found);
        }
    }
}

pub(super) fn rows_of_delta(e: &mut Evidence, _: Trial) {
    let theta = half_learned(3.0);
    let mut sums = Vec::new();
    for sample in &SMALL.samples {
        let shares = SMALL.forward(sample, &theta, PLAIN).shares;
        let sum = |h: usize| (1..=3).map(|i| SMALL.delta(sample, &shares, h, i)).sum::<f64>();
        sums.extend((1..=3).map(sum));
    }
    let what = "sums over lags of all heads, every map and query, k = 3, R = 2";
    e.of(what).zeros(&sums, 1e-14);
}

pub(super) fn line_437(e: &mut Evidence, _: Trial) {
    let listed = Listed::new(4, 2);
    let sample = listed.sample(&[0; 24], 9);
    for (learned, c) in [(1, 6.0_f64), (1, 12.0), (2, 6.0), (2, 12.0)] {
        let strong = LagHead { beta: c.sqrt(), ..LEARNED };
        let small = LagHead { alpha: 0.8, delta: 0.0, beta: 0.9 };
        let heads: Vec<LagHead> =
            (0..=learned).map(|i| if i < learned { strong } else { small }).collect();
        let shares = listed.forward(&sample, &formed(4, &heads), PLAIN).shares;
        let group: Vec<usize> =
            (0..24).filter(|&t| (1..=learned).all(|h| listed.matches(&sample, h, t, h))).collect();
        let exponent = small.beta * small.beta * lead(4, small.alpha);
        let own = |&t: &usize| {
            if listed.matches(&sample, learned + 1, t, learned + 1) { exponent } else { 0.0 }
        };
        let printed = softmax(&group.iter().map(own).collect::<Vec<f64>>());
        let found: Vec<f64> = group.iter().map(|&t| shares[t]).collect();
        let what = format!("largest miss times e^c, {learned} heads learned with c = {c}, k = 4");
        e.of(what).at_most(24.0, gap(&found, &printed) * c.exp());
    }
}

pub(super) fn line_438(e: &mut Evidence, _: Trial) -> Outcome {
    let (model, law) = (exact(4, 4, 4)?, first_law(3)?);
    for (alpha, beta) in [(0.5, 0.7), (1.5, 2.0)] {
        // All open weights equal, the used one anywhere: the exponent is beta^2 (A_own - A_open).
        let mut theta = later_start(2, 7.0, 40.0, beta);
        theta[7] = alpha;
        theta[6] = -0.4;
        let attention = Shape::attention(&theta[6..10]);
        let exponent = beta * beta * (attention[1] - attention[2]);
        // The same exponent in a head of order 3 with alpha = 1.
        let strength = (exponent / lead(3, 1.0)).sqrt();
        let what = format!("loss with gamma_2 = {exponent:.3}, head 1 learned, k = 4, R = 4");
        e.of(what).abs(law.loss(1.0, strength), model.loss(&theta)?, 1e-12);
    }
    Ok(())
}

pub(super) fn eqs_7_8(e: &mut Evidence, _: Trial) {
    let heads = [
        LagHead { alpha: 1.6, delta: 0.3, beta: 1.8 },
        LagHead { alpha: 0.4, delta: -0.2, beta: 0.5 },
        IDLE,
    ];
    let (gamma, theta) = (0.4, formed(3, &heads));
    let inner = Inner::used(gamma);
    let mut printed = Vec::new();
    for (h, head) in heads.iter().enumerate() {
        let delta = |lag: usize| SMALL.mean_delta(&theta, inner, h + 1, lag);
        let own = delta(h + 1);
        printed.push(2.0 * head.beta * lead(3, head.alpha) * (1.0 + gamma) * own);
        for i in 1..=3 {
            let raised = if i == h + 1 { head.alpha.exp() } else { 1.0 };
            let factor = (1.0 + gamma) * head.beta * head.beta * raised / (head.alpha.exp() + 2.0);
            printed.push(factor * (delta(i) - lead(3, head.alpha) * own));
        }
    }
    let what = "differences of the literal loss, three heads, k = 3, R = 2, gamma = 0.4";
    e.of(what).each(&printed, &SMALL.gradient(&theta, inner), DIFFERENCES);
}
