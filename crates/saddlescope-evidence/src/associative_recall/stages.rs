//! Section 3, appendix A.4, Figs. 1 and 4: which stages there are, what the model computes on them, in which order.

use super::*;

pub(super) fn stages(e: &mut Evidence, _: Trial) -> Outcome {
    for order in [3, 4, 5] {
        let model = exact(order, 4, order - 1)?;
        let beta: Vec<f64> = (0..order - 1).map(|h| 0.3 * 0.6_f64.powi(h as i32)).collect();
        let end = flow(&model, &strengths(&model, &beta)?)?;
        let drops = end.crossings.iter().flatten().count();
        let loss = model.loss(&model.state_at(&end.state, 1e5)?)?;
        let mut e = e.case(format!("order {order}, {} heads, R = 4", order - 1));
        e.of("drops of the loss").count(order - 1, drops);
        e.of("heads with beta > 1").count(order - 1, active(&model, &end.state));
        e.of("loss 1e5 later").at_most(1e-5, loss);
    }
    Ok(())
}

/// Heads with `beta > 1`.
fn active(model: &Population, theta: &[f64]) -> usize {
    model.shape.iter(theta).filter(|head| head.beta.abs() > 1.0).count()
}

pub(super) fn stages_order_k(e: &mut Evidence, _: Trial) -> Outcome {
    let model = exact(4, 4, 4)?;
    let state = model.state_at(&strengths(&model, &[0.1, 0.08, 0.06, 0.04])?, 4000.0)?;
    e.both("heads with beta > 1 at t = 4000 from beta(0) = 0.1, 0.08, 0.06, 0.04, k = 4, R = 4")
        .count([4, 3], active(&model, &state));
    e.but("loss there").at_most(1e-4, model.loss(&state)?);
    e.but("beta_4 there, from 0.04").abs(0.076, state[15], 1e-3);
    Ok(())
}

pub(super) fn stage_functions(e: &mut Evidence, _: Trial) {
    let mut worst = Vec::new();
    for learned in subsets(3) {
        let heads = [0, 1, 2].map(|h| if learned.contains(&h) { LEARNED } else { IDLE });
        let theta = formed(3, &heads);
        for sample in &SMALL.samples {
            let output = SMALL.forward(sample, &theta, PLAIN).output;
            let alike =
                |t: &usize| learned.iter().all(|&h| SMALL.matches(sample, h + 1, *t, h + 1));
            let group: Vec<usize> = (0..6).filter(alike).collect();
            for response in 0..2 {
                let count = group.iter().filter(|&&t| sample.map[t] == response).count();
                worst.push(output[3 + response] - count as f64 / group.len() as f64);
            }
        }
    }
    let what = "output less frequency, all sets of heads, all maps and queries, k = 3, R = 2";
    e.of(what).zeros(&worst, 1e-12);
}

/// The heads in the order in which `|beta_h|` passes 1, until the loss is at 0.01.
fn activation(model: &Population, start: &[f64]) -> Outcome<Vec<usize>> {
    let mut flow = Flow::default().event(Event::stop(Condition::LossBelow(0.01)));
    for h in 0..model.shape.heads {
        let index = h * model.shape.head_len();
        let value = start[index].signum();
        flow = flow.event(Event::note(Condition::ParameterCrosses { index, value }));
    }
    let crossings = model.flow(&flow, start)?.crossings;
    let time = |h: &usize| crossings[h + 1].map_or(f64::INFINITY, |crossing| crossing.time);
    let mut found: Vec<usize> =
        (0..model.shape.heads).filter(|h| crossings[h + 1].is_some()).collect();
    found.sort_by(|a, b| time(a).total_cmp(&time(b)));
    Ok(found)
}

const DRAWS: usize = 60;

pub(super) fn order(e: &mut Evidence, trial: Trial) -> Outcome {
    let mut stream = stream(trial, 0);
    let (mut same, mut closest) = (0, f64::INFINITY);
    for draw in 0..DRAWS {
        // Neighbours differ by 1 % in every third draw, by up to a factor of ten otherwise.
        let mut beta = vec![0.02 + 0.08 * stream.uniform()];
        for _ in 1..3 {
            let ratio = if draw % 3 == 0 { 1.01 } else { 1.01 + 9.0 * stream.uniform().powi(3) };
            closest = closest.min(ratio);
            beta.push(beta[beta.len() - 1] / ratio);
        }
        stream.shuffle(&mut beta);
        for beta in &mut beta {
            *beta *= if stream.uniform() < 0.5 { -1.0 } else { 1.0 };
        }
        let mut wanted: Vec<usize> = (0..3).collect();
        wanted.sort_by(|&a, &b| beta[b].abs().total_cmp(&beta[a].abs()));
        same += usize::from(activation(&EXPERIMENT, &strengths(&EXPERIMENT, &beta)?)? == wanted);
    }
    let what =
        format!("of {DRAWS} random draws of beta(0), those activated in its order, k = 4, R = 4");
    e.of(what).count(DRAWS, same);
    e.note(format!(
        "The closest ratio of neighbours is {closest:.2}. The sign of $\\beta_h$ has no effect."
    ));
    Ok(())
}

pub(super) fn wrong_lag(e: &mut Evidence, _: Trial) -> Outcome {
    let start = |lag: usize| {
        let weights = times_each(2.0, &axis(8 + lag - 1, 12));
        EXPERIMENT.shape.given_start(&[0.1, 0.08, 0.06], Some(&weights))
    };
    for (lag, known) in [(1, 537_862.0), (2, 819_567.0)] {
        let found = times(&flow(&EXPERIMENT, &start(lag)?)?)?[2];
        let what =
            format!("third crossing with w = 2 on lag {lag} in head 3, beta(0) = 0.1, 0.08, 0.06");
        e.of(what).rel(known, found, 1e-5);
    }
    let state = EXPERIMENT.state_at(&start(4)?, 1e6)?;
    e.of("loss at t = 1e6 with w = 2 on lag 4").abs(0.375, EXPERIMENT.loss(&state)?, 1e-3);
    e.of("beta_3 there, from 0.06").at_most(1e-3, state[10].abs());
    Ok(())
}

pub(super) fn relabelling(e: &mut Evidence, trial: Trial) {
    let theta = random(12, 1.0, &mut stream(trial, 0));
    let renumbered = |order: &Vec<usize>| {
        let mut moved = vec![0.0; 12];
        for (h, head) in theta.chunks_exact(4).enumerate() {
            moved[4 * order[h]] = head[0];
            (0..3).for_each(|i| moved[4 * order[h] + 1 + order[i]] = head[1 + i]);
        }
        SMALL.loss(&moved, PLAIN)
    };
    let found: Vec<f64> = SMALL.permutations.iter().map(renumbered).collect();
    let what = "literal loss at random weights, renumbered in all ways, k = 3, R = 2";
    e.of(what).each(&[SMALL.loss(&theta, PLAIN); 6], &found, 1e-13);
}

pub(super) fn small_scale(e: &mut Evidence, _: Trial) -> Outcome {
    let level = mid_levels(&EXPERIMENT.shape.task, 3)[0];
    let quarter = 0.25 * (0.718_75 - 0.625);
    let widths = try_map([0.2, 0.1, 0.05, 0.025], |scale| {
        let start = strengths(&EXPERIMENT, &[scale, 0.3 * scale, 0.1 * scale])?;
        let at = |level: f64| time_to(&EXPERIMENT, &start, level);
        Ok((at(level - quarter)? - at(level + quarter)?) / at(level)?)
    })?;
    let what = "length of the middle half of the first drop over its time: largest factor from scale to half the scale";
    e.of(what).at_most(0.6, largest(widths.windows(2).map(|pair| pair[1] / pair[0])));
    Ok(())
}

pub(super) fn final_loss(e: &mut Evidence, _: Trial) -> Outcome {
    let at = [8e3, 1e6, 1e7, 1e8];
    let path = EXPERIMENT.states(&strengths(&EXPERIMENT, &[0.1, 0.03, 0.01])?, &at)?;
    let losses = try_map(path, |snapshot| EXPERIMENT.loss(&snapshot.state))?;
    e.of("loss at t = 8000, k = 4, R = 4").rel(1.4e-5, losses[0], 0.03);
    e.of("loss at t = 1e8").at_most(1e-9, losses[3]);
    let what = "exponent of the loss, t = 1e6 to 1e8";
    e.of(what).abs(-1.0, exponent(&at[1..], &losses[1..]), 0.1);
    Ok(())
}

/// Crossings of the mid-levels by an independent implementation, for two starts.
const KNOWN: [([f64; 3], [f64; 3]); 2] = [
    ([0.1, 0.03, 0.01], [1_503.996_824_276_665, 2_527.689_981_433_289_6, 3_687.188_752_570_402_4]),
    ([0.1, 0.08, 0.06], [1_503.650_446_799_900_5, 1_613.290_559_564_669, 1_690.020_404_491_414_9]),
];

pub(super) fn fig_1(e: &mut Evidence, _: Trial) -> Outcome {
    for (beta, known) in KNOWN {
        let end = flow(&EXPERIMENT, &strengths(&EXPERIMENT, &beta)?)?;
        let what = |m: usize| format!("half of drop {m} from beta(0) = {beta:?}, k = 4, R = 4");
        e.each_rel(what, &known, &times(&end)?, 1e-6);
        let what = format!("lags that heads 1, 2, 3 attend at the end, beta(0) = {beta:?}");
        let heads = EXPERIMENT.shape.iter(&end.state);
        let attended = heads.map(|head| place_of_largest(head.weights) as f64 + 1.0);
        e.of(what).each(&[1.0, 2.0, 3.0], &attended.collect::<Vec<_>>(), 0.0);
    }
    Ok(())
}

/// Heads with more than half of their attention on their own lags, from these strengths, at the caption's steps: SGD with
/// momentum written out, on fresh batches.
fn at_steps(beta: [f64; 3], trial: Trial) -> Outcome<Vec<f64>> {
    let model = Matches::fresh(EXPERIMENT.shape, Objective::DotProduct, 4096)?;
    let mut theta = strengths(&EXPERIMENT, &beta)?;
    let (mut velocity, mut slope) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
    let (mut work, mut found) = (model.work(), Vec::new());
    for step in 0..4500 {
        let draw = saddlescope::Draw { seed: trial.seed, step };
        model.evaluate(&theta, draw, &mut work, &mut slope)?;
        for ((theta, velocity), slope) in theta.iter_mut().zip(&mut velocity).zip(&slope) {
            *velocity = 0.9 * *velocity + slope;
            *theta -= 0.1 * *velocity;
        }
        if [800, 1750, 4500].contains(&(step + 1)) {
            let heads = EXPERIMENT.shape.iter(&theta).enumerate();
            let attentive = heads.filter(|(h, head)| Shape::attention(head.weights)[*h] > 0.5);
            found.push(attentive.count() as f64);
        }
    }
    Ok(found)
}

pub(super) fn fig_1_steps(e: &mut Evidence, trial: Trial) -> Outcome {
    for beta in [[0.2, 0.05, 0.012], [0.012, 0.05, 0.2]] {
        let what = format!(
            "heads that attend to their own lags after 800, 1750, 4500 steps from beta(0) = {beta:?}, rate 0.1, \
             momentum 0.9, batches of 4096"
        );
        e.of(what).each(&[1.0, 2.0, 3.0], &at_steps(beta, trial)?, 0.0);
    }
    Ok(())
}

pub(super) fn fig_1_levels(e: &mut Evidence, _: Trial) -> Outcome {
    let start = strengths(&EXPERIMENT, &[0.1, 0.03, 0.01])?;
    let known = [(0.718_75, 0.718_727), (0.625, 0.625_139), (0.625, 0.625_041), (0.375, 0.375_171)];
    let path = EXPERIMENT.states(&start, &[1000.0, 1800.0, 2200.0, 2800.0])?;
    for (snapshot, (level, known)) in path.iter().zip(known) {
        let (found, time) = (EXPERIMENT.loss(&snapshot.state)?, snapshot.time);
        e.of(format!("loss at t = {time} beside its level")).abs(level, found, 3e-4);
        e.of(format!("loss at t = {time} by an independent implementation"))
            .abs(known, found, 1e-6);
    }
    Ok(())
}

pub(super) fn active_heads(e: &mut Evidence, _: Trial) -> Outcome {
    let start = strengths(&EXPERIMENT, &[0.1, 0.03, 0.01])?;
    for (m, snapshot) in EXPERIMENT.states(&start, &[1000.0, 2000.0, 3000.0])?.iter().enumerate() {
        let beta: Vec<f64> = EXPERIMENT.shape.iter(&snapshot.state).map(|head| head.beta).collect();
        let time = snapshot.time;
        if m > 0 {
            e.of(format!("least beta of heads 1 to {m} at t = {time}"))
                .at_least(2.5, smallest(beta[..m].to_vec()));
        }
        e.of(format!("largest beta of the others at t = {time}"))
            .at_most(0.2, largest(beta[m..].to_vec()));
    }
    Ok(())
}

pub(super) fn fig_1_caption(e: &mut Evidence, _: Trial) -> Outcome {
    let start = strengths(&EXPERIMENT, &[0.1, 0.03, 0.01])?;
    for (h, from, to) in [(0, 1400.0, 1600.0), (1, 2400.0, 2700.0), (2, 3500.0, 3900.0)] {
        let states = EXPERIMENT.states(&start, &[from, to])?;
        let rise = states[1].state[5 * h] - states[0].state[5 * h];
        let change = EXPERIMENT.loss(&states[1].state)? - EXPERIMENT.loss(&states[0].state)?;
        let what = format!("change of the loss while beta_{} rises, t = {from} to {to}", h + 1);
        e.of(&what).at_least(0.0, change);
        e.but(&what).at_most(0.0, change);
        e.but(format!("rise of beta_{} meanwhile", h + 1)).at_least(1.0, rise);
    }
    Ok(())
}

pub(super) fn fig_4(e: &mut Evidence, _: Trial) -> Outcome {
    for (beta, known) in KNOWN {
        let reversed = [beta[2], beta[1], beta[0]];
        let start = strengths(&EXPERIMENT, &reversed)?;
        let found = times(&flow(&EXPERIMENT, &start)?)?;
        let what = format!("time of a drop, beta(0) = {reversed:?}, k = 4, R = 4");
        e.of(what).each(&known, &found, 0.01);

        // Heads that are active half way between the first and the second drop.
        let state = EXPERIMENT.state_at(&start, 0.5 * (found[0] + found[1]))?;
        let first = place_of_largest(&[0, 1, 2].map(|h| state[5 * h]));
        e.of("head that is active first").count(3, first + 1);
    }
    Ok(())
}
