//! Section 3 and appendix A.4: which stages there are, what the model computes on them, in which order.

use super::*;

pub(super) fn stages(e: &mut Evidence, _: Trial) -> Outcome {
    for order in [3, 4, 5] {
        let shape = shape(order, 4, order - 1)?;
        let beta: Vec<f64> = (0..order - 1).map(|h| 0.3 * 0.6_f64.powi(h as i32)).collect();
        let end = flow(shape, &shape.given_start(&beta, None)?)?;
        let drops = end.crossings.iter().filter(|crossing| crossing.is_some()).count();
        let active = shape.iter(&end.state).filter(|head| head.beta.abs() > 1.0).count();
        let later = &along(shape, &end.state, &[1e5])?[0].state;
        let loss = evaluated(&Population::new(shape)?, later)?.0;
        let what = format!("order {order}, {} heads, R = 4", order - 1);
        e.of(format!("drops of the loss, {what}")).count(order - 1, drops);
        e.of(format!("heads with beta > 1, {what}")).count(order - 1, active);
        e.of(format!("loss 1e5 later, {what}")).at_most(1e-5, loss);
    }
    Ok(())
}

pub(super) fn stages_order_k(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = shape(4, 4, 4)?;
    let start = shape.given_start(&[0.1, 0.08, 0.06, 0.04], None)?;
    let state = &along(shape, &start, &[4000.0])?[0].state;
    let active = shape.iter(state).filter(|head| head.beta.abs() > 1.0).count();
    let last = state[15];
    let what = "heads with beta > 1 at t = 4000 from beta(0) = 0.1, 0.08, 0.06, 0.04, k = 4, R = 4";
    let (loss, _) = evaluated(&Population::new(shape)?, state)?;
    e.of(what).count(4, active);
    e.but(what).count(3, active);
    e.but("loss there").at_most(1e-4, loss);
    e.but("beta_4 there, from 0.04").abs(0.076, last, 1e-3);
    Ok(())
}

pub(super) fn stage_functions(e: &mut Evidence, _: Trial) {
    let (listed, samples) = small();
    let mut worst = Vec::new();
    for learned in subsets(3) {
        let heads: Vec<_> =
            (0..3).map(|h| if learned.contains(&h) { LEARNED } else { IDLE }).collect();
        let theta = formed(3, &heads);
        for sample in &samples {
            let output = listed.forward(sample, &theta, Inner::used(0.0)).output;
            let alike =
                |t: &usize| learned.iter().all(|&h| listed.matches(sample, h + 1, *t, h + 1));
            let group: Vec<usize> = (0..6).filter(alike).collect();
            for response in 0..2 {
                let count = group.iter().filter(|&&t| sample.map[t] == response).count();
                worst.push(output[3 + response] - count as f64 / group.len() as f64);
            }
        }
    }
    let what = "output less frequency, all sets of heads, all maps and queries, k = 3, R = 2";
    e.of(what).each(&vec![0.0; worst.len()], &worst, 1e-12);
}

/// The heads in the order in which `|beta_h|` passes 1, until the loss is at 0.01.
fn activation(shape: Shape, start: &[f64]) -> Outcome<Vec<usize>> {
    let landscape = Population::new(shape)?;
    let mut flow = Flow::default().event(Event::stop(Condition::LossBelow(0.01)));
    for h in 0..shape.heads {
        let index = h * shape.head_len();
        let value = start[index].signum();
        flow = flow.event(Event::note(Condition::ParameterCrosses { index, value }));
    }
    let end = flow.run(&GradientFlow::new(&landscape), 0.0, start, &mut Silent)?;
    let mut found: Vec<(f64, usize)> = end.crossings[1..]
        .iter()
        .enumerate()
        .filter_map(|(h, crossing)| crossing.map(|crossing| (crossing.time, h)))
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(found.into_iter().map(|(_, h)| h).collect())
}

const DRAWS: usize = 60;

pub(super) fn order(e: &mut Evidence, trial: Trial) -> Outcome {
    let shape = experiment()?;
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
        same += usize::from(activation(shape, &shape.given_start(&beta, None)?)? == wanted);
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
    let shape = experiment()?;
    let start = |lag: usize| {
        let mut weights = vec![0.0; 12];
        weights[8 + lag - 1] = 2.0;
        shape.given_start(&[0.1, 0.08, 0.06], Some(&weights))
    };

    for (lag, known) in [(1, 537_862.0), (2, 819_567.0)] {
        let found = times(&flow(shape, &start(lag)?)?)?[2];
        let what =
            format!("third crossing with w = 2 on lag {lag} in head 3, beta(0) = 0.1, 0.08, 0.06");
        e.of(what).rel(known, found, 1e-5);
    }
    let state = &along(shape, &start(4)?, &[1e6])?[0].state;
    let loss = evaluated(&Population::new(shape)?, state)?.0;
    e.of("loss at t = 1e6 with w = 2 on lag 4").abs(0.375, loss, 1e-3);
    e.of("beta_3 there, from 0.06").at_most(1e-3, state[10].abs());
    Ok(())
}

pub(super) fn relabelling(e: &mut Evidence, trial: Trial) {
    let (listed, samples) = small();
    let theta = random(12, 1.0, &mut stream(trial, 0));
    let loss = |theta: &[f64]| listed.loss(&samples, theta, Inner::used(0.0));
    let found: Vec<f64> = listed
        .permutations
        .iter()
        .map(|renumbered| {
            let mut moved = vec![0.0; 12];
            for (h, head) in theta.chunks_exact(4).enumerate() {
                moved[4 * renumbered[h]] = head[0];
                for (i, w) in head[1..].iter().enumerate() {
                    moved[4 * renumbered[h] + 1 + renumbered[i]] = *w;
                }
            }
            loss(&moved)
        })
        .collect();
    let what = "literal loss at random weights, renumbered in all ways, k = 3, R = 2";
    e.of(what).each(&[loss(&theta); 6], &found, 1e-13);
}

pub(super) fn small_scale(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;
    let level = mid_levels(&shape.task, 3)[0];
    let quarter = 0.25 * (0.718_75 - 0.625);
    let mut widths = Vec::new();
    for scale in [0.2, 0.1, 0.05, 0.025] {
        let start = shape.given_start(&[scale, 0.3 * scale, 0.1 * scale], None)?;
        let at = |level: f64| time_to(shape, &start, level);
        widths.push((at(level - quarter)? - at(level + quarter)?) / at(level)?);
    }
    let largest = widths.windows(2).map(|pair| pair[1] / pair[0]).fold(0.0, f64::max);
    e.of(
        "length of the middle half of the first drop over its time: largest factor from scale to \
         half the scale",
    )
    .at_most(0.6, largest);
    Ok(())
}

pub(super) fn final_loss(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;
    let start = shape.given_start(&[0.1, 0.03, 0.01], None)?;
    let landscape = Population::new(shape)?;
    let at = [8e3, 1e6, 1e7, 1e8];
    let mut losses = Vec::new();
    for snapshot in along(shape, &start, &at)? {
        losses.push(evaluated(&landscape, &snapshot.state)?.0);
    }
    let logs = |numbers: &[f64]| -> Vec<f64> { numbers.iter().map(|x| x.ln()).collect() };
    let exponent = slope(&logs(&at[1..]), &logs(&losses[1..]));
    e.of("loss at t = 8000, k = 4, R = 4").rel(1.4e-5, losses[0], 0.03);
    e.of("loss at t = 1e8").at_most(1e-9, losses[3]);
    e.of("exponent of the loss, t = 1e6 to 1e8").abs(-1.0, exponent, 0.1);
    Ok(())
}
