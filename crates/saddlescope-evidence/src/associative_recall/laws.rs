//! Added: for which heads a conservation law like (d) exists.

use super::*;

/// The one-form whose integral would be conserved beside `-beta^2/4`: `c_i = -(1/k) sum_j e^(w_j - w_i)`.
fn form(weights: &[f64]) -> Vec<f64> {
    let k = weights.len() as f64;
    let sum: f64 = weights.iter().map(|w| w.exp()).sum();
    weights.iter().map(|w| -sum * (-w).exp() / k).collect()
}

pub(super) fn general_law(e: &mut Evidence, trial: Trial) -> Outcome {
    for k in [2, 3, 4, 5] {
        let landscape = Population::new(shape(k, 3, k)?)?;
        let theta = random(k * (k + 1), 0.8, &mut stream(trial, k as u64));
        let slopes = evaluated(&landscape, &theta)?.1;
        let (mut predicted, mut found) = (Vec::new(), Vec::new());
        for (head, slope) in theta.chunks_exact(k + 1).zip(slopes.chunks_exact(k + 1)) {
            let form = form(&head[1..]);
            predicted.push(form.iter().zip(&slope[1..]).map(|(c, slope)| -c * slope).sum());
            found.push(-0.5 * head[0] * slope[0]);
        }
        let what =
            format!("rate of beta^2/4 of all heads at random weights of the exact loss, k = {k}");
        e.of(what).each(&predicted, &found, 1e-13);
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
    let (predicted, found) = (
        planes.map(|plane| curl(&weights, plane)),
        planes.map(|plane| circulation(&weights, plane)),
    );
    let two = [1.3, -0.2, -0.2, -0.2];
    let largest =
        planes.map(|plane| circulation(&two, plane).abs()).into_iter().fold(0.0, f64::max);
    let three = [0.9, 0.2, -1.1, 0.0];
    let apart = circulation(&three, planes[0]).abs();
    e.of("circulation around small squares at random weights, k = 4")
        .each(&predicted, &found, 1e-5);
    e.of("length of that at w = 0.9, 0.2, -1.1, 0").at_least(0.1, apart);
    e.of("the same where three of four weights are equal").abs(0.0, largest, 1e-5);
}

pub(super) fn law_order_2(e: &mut Evidence, trial: Trial) -> Outcome {
    let shape = shape(2, 3, 2)?;
    let start = random(6, 0.6, &mut stream(trial, 0));
    let end = &along(shape, &start, &[300.0])?[0].state;
    let kept = |theta: &[f64]| -> Vec<f64> {
        let of_head = |(h, head): (usize, &[f64])| {
            let alpha = head[1 + h] - head[2 - h];
            0.5 * (alpha.cosh() - 1.0) - 0.25 * head[0] * head[0]
        };
        theta.chunks_exact(3).enumerate().map(of_head).collect()
    };
    let what = "both heads at t = 300 beside their random start, k = 2, R = 3";
    let alpha: f64 = 0.7;
    e.of(what).each(&kept(&start), &kept(end), 1e-9);
    e.of("f(0.7)").abs(0.5 * (alpha.cosh() - 1.0), potential(2, alpha), 1e-14);
    Ok(())
}
