//! Added: the landscape where training starts, where the plateaus are, and for which heads a conservation law like (d)
//! exists.

use super::*;

pub(super) fn levels(e: &mut Evidence, _: Trial) -> Outcome {
    for responses in [2, 3] {
        let listed = Listed::whole(3, responses);
        let levels = plateaus(&Task::new(3, responses)?, 3);
        for (m, level) in levels.iter().enumerate() {
            let count = listed.samples.len();
            let what = format!("mean over {count} sequences, m = {m}, k = 3, R = {responses}");
            e.of(what).abs(*level, listed.loss(&learned(m), PLAIN), 1e-12);
        }
    }
    let known = [0.718_75, 0.625, 0.375, 0.0];
    let what = "levels of the experiment, k = 4, R = 4";
    e.of(what).each(&known, &plateaus(&Task::new(4, 4)?, 3), 1e-15);
    Ok(())
}

pub(super) fn cubic(e: &mut Evidence, trial: Trial) -> Outcome {
    let landscape = Population::new(Shape::new(Task::new(4, 4)?, 3, 0.3)?)?;
    let flat = entries(&hessian(&landscape, &[0.0; 15])?);
    e.of("largest entry of the Hessian at 0, k = 4").abs(0.0, largest_size(&flat), 1e-13);
    let gamma = 0.3;
    for index in 0..3 {
        let direction = random(12, 1.0, &mut stream(trial, index));
        // Odd parts in the size of the weights: even ones start at the fourth power.
        let at = |size: f64| SMALL.loss(&times_each(size, &direction), Inner::used(gamma));
        let odd = |size: f64| (at(size) - at(-size)) / (2.0 * size.powi(3));
        let found = (4.0 * odd(0.01) - odd(2.0 * 0.01)) / 3.0;
        let of_head = |(h, head): (usize, &[f64])| {
            head[0] * head[0] * (head[1 + h] - head[1..].iter().sum::<f64>() / 3.0)
        };
        let cubic: f64 = direction.chunks_exact(4).enumerate().map(of_head).sum();
        let factor = -(1.0 + gamma) * 0.5 / (3.0 * factorial(3));
        let what =
            "cubic term in a random direction, by differences of the literal loss, k = 3, R = 2";
        e.of(what).abs(factor * cubic, found, 1e-6);
    }
    Ok(())
}

/// All entries of a Hessian, row after row.
fn entries(hessian: &faer::Mat<f64>) -> Vec<f64> {
    let n = hessian.nrows();
    (0..n * n).map(|i| hessian[(i / n, i % n)]).collect()
}

pub(super) fn zero_strength(e: &mut Evidence, trial: Trial) -> Outcome {
    let landscape = Population::new(Shape::new(Task::new(4, 4)?, 3, 0.3)?)?;
    let mut theta = random(15, 1.0, &mut stream(trial, 0));
    theta.iter_mut().step_by(5).for_each(|beta| *beta = 0.0);
    let mut predicted = vec![0.0; 225];
    for (h, head) in theta.chunks_exact(5).enumerate() {
        let attention = Shape::attention(&head[1..])[h];
        predicted[5 * h * 16] = -2.0 * 1.3 * 0.75 * (attention - 0.25) / 24.0;
    }
    let found = entries(&hessian(&landscape, &theta)?);
    let what = "gradient at beta = 0, random w, k = 4, R = 4";
    e.of(what).abs(0.0, norm(&landscape.slopes(&theta)?), 1e-15);
    e.of("all entries of the Hessian there").each(&predicted, &found, 1e-12);
    Ok(())
}

pub(super) fn plateaus_at_infinity(e: &mut Evidence, _: Trial) -> Outcome {
    // Head 3 has no strength at all, so that the plateau of two matched tokens lasts for ever.
    let path = EXPERIMENT.states(&strengths(&EXPERIMENT, &[0.1, 0.05, 0.0])?, &[1e4, 1e6, 1e8])?;
    let slopes = try_map(&path, |snapshot| Ok(norm(&EXPERIMENT.slopes(&snapshot.state)?)))?;
    let sizes: Vec<f64> = path.iter().map(|snapshot| norm(&snapshot.state)).collect();
    let fall = largest(slopes.windows(2).map(|pair| pair[1] / pair[0]));
    let grow = smallest(sizes.windows(2).map(|pair| pair[1] / pair[0]));
    let how = "from t = 1e4 to 1e6 and to 1e8 with beta_3 = 0, k = 4, R = 4";
    e.of("loss at t = 1e8 beside L_2").abs(0.375, EXPERIMENT.loss(&path[2].state)?, 1e-6);
    e.of(format!("factor of the gradient's length {how}")).at_most(0.02, fall);
    e.of(format!("factor of the parameters' length {how}")).at_least(1.05, grow);
    Ok(())
}

/// The one-form whose integral would be conserved beside `-beta^2/4`: `c_i = -(1/k) sum_j e^(w_j - w_i)`.
fn form(weights: &[f64]) -> Vec<f64> {
    let k = weights.len() as f64;
    let sum: f64 = weights.iter().map(|w| w.exp()).sum();
    weights.iter().map(|w| -sum * (-w).exp() / k).collect()
}

pub(super) fn general_law(e: &mut Evidence, trial: Trial) -> Outcome {
    for k in [2, 3, 4, 5] {
        let theta = random(k * (k + 1), 0.8, &mut stream(trial, k as u64));
        let slopes = exact(k, 3, k)?.slopes(&theta)?;
        let sides = |(head, slope): (&[f64], &[f64])| {
            (-dot(&form(&head[1..]), &slope[1..]), -0.5 * head[0] * slope[0])
        };
        let what =
            format!("rate of beta^2/4 of all heads at random weights of the exact loss, k = {k}");
        let heads = theta.chunks_exact(k + 1).zip(slopes.chunks_exact(k + 1));
        e.of(what).pairs(heads.map(sides), 1e-13);
    }
    Ok(())
}

pub(super) fn no_general_law(e: &mut Evidence, trial: Trial) {
    let weights = random(4, 1.0, &mut stream(trial, 0));
    // The circulation around a small square spanned by e_a - e_b and e_b - e_c.
    let circulation = |weights: &[f64], [a, b, c]: [usize; 3]| -> f64 {
        let h = 1e-3;
        let component = |x: f64, y: f64, along_first: bool| {
            let mut w = weights.to_vec();
            w[a] += h * x;
            w[b] += h * (y - x);
            w[c] -= h * y;
            let form = form(&w);
            if along_first { form[a] - form[b] } else { form[b] - form[c] }
        };
        let line = |x0: f64, y0: f64, x1: f64, y1: f64, first: bool| {
            let at = |s: f64| component(x0 + s * (x1 - x0), y0 + s * (y1 - y0), first);
            (at(0.0) + 4.0 * at(0.5) + at(1.0)) / 6.0
        };
        let around = line(-0.5, -0.5, 0.5, -0.5, true) + line(0.5, -0.5, 0.5, 0.5, false)
            - line(-0.5, 0.5, 0.5, 0.5, true)
            - line(-0.5, -0.5, -0.5, 0.5, false);
        around / h
    };
    let curl = |w: &[f64], [a, b, c]: [usize; 3]| {
        -2.0 / w.len() as f64 * ((w[a] - w[b]).sinh() + (w[b] - w[c]).sinh() + (w[c] - w[a]).sinh())
    };
    let planes = [[0, 1, 2], [0, 1, 3], [1, 2, 3]];
    let two = planes.map(|plane| circulation(&[1.3, -0.2, -0.2, -0.2], plane));
    let three = circulation(&[0.9, 0.2, -1.1, 0.0], planes[0]).abs();
    e.of("circulation around small squares at random weights, k = 4")
        .pairs(planes.map(|plane| (curl(&weights, plane), circulation(&weights, plane))), 1e-5);
    e.of("length of that at w = 0.9, 0.2, -1.1, 0").at_least(0.1, three);
    let what = "the same where three of four weights are equal";
    e.of(what).abs(0.0, largest_size(&two), 1e-5);
}

pub(super) fn law_order_2(e: &mut Evidence, trial: Trial) -> Outcome {
    let start = random(6, 0.6, &mut stream(trial, 0));
    let end = exact(2, 3, 2)?.state_at(&start, 300.0)?;
    let kept = |theta: &[f64]| -> Vec<f64> {
        let of_head = |(h, head): (usize, &[f64])| {
            let alpha = head[1 + h] - head[2 - h];
            0.5 * (alpha.cosh() - 1.0) - 0.25 * head[0] * head[0]
        };
        theta.chunks_exact(3).enumerate().map(of_head).collect()
    };
    let what = "both heads at t = 300 beside their random start, k = 2, R = 3";
    let alpha: f64 = 0.7;
    e.of(what).each(&kept(&start), &kept(&end), 1e-9);
    e.of("f(0.7)").abs(0.5 * (alpha.cosh() - 1.0), potential(2, alpha), 1e-14);
    Ok(())
}
