//! Added: the landscape where training starts, and where the plateaus are.

use super::*;

pub(super) fn levels(e: &mut Evidence, _: Trial) -> Outcome {
    for responses in [2, 3] {
        let listed = ListedTask::new(3, responses);
        let samples = listed.samples();
        let levels = plateaus(&Task::new(3, responses)?, 3);
        for (m, level) in levels.iter().enumerate() {
            let heads: Vec<LagHead> = (0..3).map(|h| if h < m { LEARNED } else { IDLE }).collect();
            let found = listed.loss(&samples, &formed(3, &heads), Inner::used(0.0));
            let what =
                format!("mean over {} sequences, m = {m}, k = 3, R = {responses}", samples.len());
            e.of(what).abs(*level, found, 1e-12);
        }
    }
    let known = [0.718_75, 0.625, 0.375, 0.0];
    let what = "levels of the experiment, k = 4, R = 4";
    e.of(what).each(&known, &plateaus(&Task::new(4, 4)?, 3), 1e-15);
    Ok(())
}

pub(super) fn cubic(e: &mut Evidence, trial: Trial) -> Outcome {
    let (listed, samples) = small();
    let landscape = Population::new(Shape::new(Task::new(4, 4)?, 3, 1.3)?)?;
    let flat = hessian(&landscape, &[0.0; 15])?;
    let largest = (0..225).map(|i| flat[(i / 15, i % 15)].abs()).fold(0.0, f64::max);
    e.of("largest entry of the Hessian at 0, k = 4").abs(0.0, largest, 1e-13);

    let gamma = 0.3;
    for index in 0..3 {
        let direction = random(12, 1.0, &mut stream(trial, index));
        // Odd parts in the size of the weights: even ones start at the fourth power.
        let at = |size: f64| {
            let theta: Vec<f64> = direction.iter().map(|x| size * x).collect();
            listed.loss(&samples, &theta, Inner::used(gamma))
        };
        let odd = |size: f64| (at(size) - at(-size)) / (2.0 * size.powi(3));
        let (h, found) = (0.01, |h: f64| (4.0 * odd(h) - odd(2.0 * h)) / 3.0);
        let cubic: f64 = direction
            .chunks_exact(4)
            .enumerate()
            .map(|(i, head)| {
                let mean = head[1..].iter().sum::<f64>() / 3.0;
                head[0] * head[0] * (head[1 + i] - mean)
            })
            .sum();
        let factor = -(1.0 + gamma) * 0.5 / (3.0 * factorial(3));
        let what =
            "cubic term in a random direction, by differences of the literal loss, k = 3, R = 2";
        e.of(what).abs(factor * cubic, found(h), 1e-6);
    }
    Ok(())
}

pub(super) fn zero_strength(e: &mut Evidence, trial: Trial) -> Outcome {
    let shape = Shape::new(Task::new(4, 4)?, 3, 1.3)?;
    let landscape = Population::new(shape)?;
    let mut theta = random(15, 1.0, &mut stream(trial, 0));
    theta.iter_mut().step_by(5).for_each(|beta| *beta = 0.0);
    let slopes = evaluated(&landscape, &theta)?.1;
    let found = hessian(&landscape, &theta)?;
    let mut predicted = vec![0.0; 225];
    for (h, head) in theta.chunks_exact(5).enumerate() {
        let attention = Shape::attention(&head[1..])[h];
        predicted[5 * h * 16] = -2.0 * 1.3 * 0.75 * (attention - 0.25) / 24.0;
    }
    let found: Vec<f64> = (0..225).map(|i| found[(i / 15, i % 15)]).collect();
    e.of("gradient at beta = 0, random w, k = 4, R = 4").abs(0.0, norm(&slopes), 1e-15);
    e.of("all entries of the Hessian there").each(&predicted, &found, 1e-12);
    Ok(())
}

pub(super) fn plateaus_at_infinity(e: &mut Evidence, _: Trial) -> Outcome {
    // Head 3 has no strength at all, so that the plateau of two matched tokens lasts for ever.
    let shape = experiment()?;
    let start = shape.given_start(&[0.1, 0.05, 0.0], None)?;
    let landscape = Population::new(shape)?;
    let at = [1e4, 1e6, 1e8];
    let mut found = Vec::new();
    for snapshot in along(shape, &start, &at)? {
        let (loss, slopes) = evaluated(&landscape, &snapshot.state)?;
        found.push((loss, norm(&slopes), norm(&snapshot.state)));
    }
    let ratio = |of: fn(&(f64, f64, f64)) -> f64| -> Outcome<Vec<f64>> {
        Ok(found.windows(2).map(|pair| of(&pair[1]) / of(&pair[0])).collect())
    };
    let fall = ratio(|state| state.1)?.into_iter().fold(0.0, f64::max);
    let grow = ratio(|state| state.2)?.into_iter().fold(f64::INFINITY, f64::min);
    let how = "from t = 1e4 to 1e6 and to 1e8 with beta_3 = 0, k = 4, R = 4";
    e.of("loss at t = 1e8 beside L_2").abs(0.375, found[2].0, 1e-6);
    e.of(format!("factor of the gradient's length {how}")).at_most(0.02, fall);
    e.of(format!("factor of the parameters' length {how}")).at_least(1.05, grow);
    Ok(())
}
