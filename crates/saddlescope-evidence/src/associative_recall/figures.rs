//! Figs. 1 and 4: levels, order and captions; the numbers of steps cannot be compared.

use super::*;

/// Crossings of the mid-levels by an independent implementation, for two starts.
const KNOWN: [([f64; 3], [f64; 3]); 2] = [
    ([0.1, 0.03, 0.01], [1_503.996_824_276_665, 2_527.689_981_433_289_6, 3_687.188_752_570_402_4]),
    ([0.1, 0.08, 0.06], [1_503.650_446_799_900_5, 1_613.290_559_564_669, 1_690.020_404_491_414_9]),
];

/// The lag that each head attends most, from 1.
fn attended(shape: Shape, theta: &[f64]) -> Vec<f64> {
    let most = |weights: &[f64]| {
        (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0)
    };
    shape.iter(theta).map(|head| most(head.weights) as f64 + 1.0).collect()
}

pub(super) fn fig_1(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;

    for (beta, known) in KNOWN {
        let end = flow(shape, &shape.given_start(&beta, None)?)?;
        for (m, (known, found)) in known.iter().zip(times(&end)?).enumerate() {
            let what = format!("half of drop {} from beta(0) = {beta:?}, k = 4, R = 4", m + 1);
            e.of(what).rel(*known, found, 1e-6);
        }
        let what = format!("lags that heads 1, 2, 3 attend at the end, beta(0) = {beta:?}");
        let lags = attended(shape, &end.state);
        e.of(what).each(&[1.0, 2.0, 3.0], &lags, 0.0);
    }
    Ok(())
}

pub(super) fn fig_1_levels(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;
    let start = shape.given_start(&[0.1, 0.03, 0.01], None)?;
    let landscape = Population::new(shape)?;

    for (snapshot, (level, known)) in along(shape, &start, &[1000.0, 1800.0, 2200.0, 2800.0])?
        .iter()
        .zip([(0.718_75, 0.718_727), (0.625, 0.625_139), (0.625, 0.625_041), (0.375, 0.375_171)])
    {
        let found = evaluated(&landscape, &snapshot.state)?.0;
        let time = snapshot.time;
        e.of(format!("loss at t = {time} beside its level")).abs(level, found, 3e-4);
        e.of(format!("loss at t = {time} by an independent implementation"))
            .abs(known, found, 1e-6);
    }
    Ok(())
}

pub(super) fn active_heads(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;
    let start = shape.given_start(&[0.1, 0.03, 0.01], None)?;

    for (m, snapshot) in along(shape, &start, &[1000.0, 2000.0, 3000.0])?.iter().enumerate() {
        let beta: Vec<f64> = shape.iter(&snapshot.state).map(|head| head.beta).collect();
        let least = beta[..m].iter().copied().fold(f64::INFINITY, f64::min);
        let most = beta[m..].iter().copied().fold(0.0, f64::max);
        let time = snapshot.time;
        if m > 0 {
            e.of(format!("least beta of heads 1 to {m} at t = {time}")).at_least(2.5, least);
        }
        e.of(format!("largest beta of the others at t = {time}")).at_most(0.2, most);
    }
    Ok(())
}

pub(super) fn fig_1_caption(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;
    let start = shape.given_start(&[0.1, 0.03, 0.01], None)?;
    let landscape = Population::new(shape)?;

    for (h, times) in [[1400.0, 1600.0], [2400.0, 2700.0], [3500.0, 3900.0]].iter().enumerate() {
        let states = along(shape, &start, times)?;
        let loss = |i: usize| -> Outcome<f64> { Ok(evaluated(&landscape, &states[i].state)?.0) };
        let rise = states[1].state[5 * h] - states[0].state[5 * h];
        let change = loss(1)? - loss(0)?;
        let what = format!(
            "change of the loss while beta_{} rises, t = {} to {}",
            h + 1,
            times[0],
            times[1]
        );
        e.of(&what).at_least(0.0, change);
        e.but(&what).at_most(0.0, change);
        e.but(format!("rise of beta_{} meanwhile", h + 1)).at_least(1.0, rise);
    }
    Ok(())
}
pub(super) fn fig_4(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = experiment()?;

    for (beta, known) in KNOWN {
        let reversed = [beta[2], beta[1], beta[0]];
        let start = shape.given_start(&reversed, None)?;
        let found = times(&flow(shape, &start)?)?;
        let what = format!("time of a drop, beta(0) = {reversed:?}, k = 4, R = 4");
        e.of(what).each(&known, &found, 0.01);

        // Heads that are active half way between the first and the second drop.
        let middle = 0.5 * (found[0] + found[1]);
        let state = &along(shape, &start, &[middle])?[0].state;
        let largest = (0..3).max_by(|&a, &b| state[5 * a].total_cmp(&state[5 * b])).unwrap_or(0);
        e.of("head that is active first").count(3, largest + 1);
    }
    Ok(())
}
