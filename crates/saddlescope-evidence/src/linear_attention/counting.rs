//! Section 3.1: how many fixed points there are in the space of functions.

use super::*;
use saddlescope::landscape::hessian::Curvature;

/// Functions nearer than this are the same.
const NEAR: f64 = 1e-6;
/// A gradient below this is that of a fixed point.
const FIXED: f64 = 1e-13;

/// The distinct `Theta` of the fixed points that a search from `starts` random weights finds. The search
/// (Levenberg and Marquardt on the gradient) prefers saddles, so a tenth of the starts first follow
/// gradient flow, which leads to minima.
fn found_functions(task: &Task, shape: Shape, starts: u64, trial: Trial) -> Outcome<Vec<Vec<f64>>> {
    let landscape = Population::new(task, shape, 1.0)?;
    let mut found: Vec<Vec<f64>> = Vec::new();
    for index in 0..starts {
        let mut stream = stream(trial, index);
        let mut start = random(shape.parameters(), 1.0, &mut stream);
        // Heads of very different sizes, so that points with few learned eigenvectors are met as well.
        for head in start.chunks_exact_mut(shape.head_len()) {
            let size = 2.0 * stream.uniform();
            head.iter_mut().for_each(|weight| *weight *= size);
        }
        if index % 10 == 0 {
            let flow = Flow::default().until(1e4);
            start = flow.run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent)?.state;
        }
        let Some(weights) = fixed_point(&landscape, start)? else { continue };
        let theta = shape.theta(&weights);
        if !found.iter().any(|known| distance(known, &theta) < NEAR) {
            found.push(theta);
        }
    }
    Ok(found)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// A fixed point near `weights`, if the search comes to one.
fn fixed_point(landscape: &Population, mut weights: Vec<f64>) -> Outcome<Option<Vec<f64>>> {
    let n = weights.len();
    let (mut curvature, mut work) = (Curvature::new(n), landscape.work());
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (mut direction, mut product) = (vec![0.0; n], vec![0.0; n]);
    let mut damping = 1e-2;
    let mut slope = evaluated(landscape, &weights)?.1;
    for _ in 0..300 {
        if norm(&slope) < FIXED {
            return Ok(Some(weights));
        }
        let mut hessian = Matrix::zeros(n, n);
        for j in 0..n {
            direction[j] = 1.0;
            let draw = Draw::default();
            curvature.product(landscape, &weights, &direction, draw, &mut work, &mut product)?;
            direction[j] = 0.0;
            (0..n).for_each(|i| hessian[(i, j)] = product[i]);
        }
        let right = &hessian * Matrix::new(n, 1, |i, _| slope[i]);
        let mut normal = &hessian * &hessian;
        (0..n).for_each(|i| normal[(i, i)] += damping);
        let step = normal.solve(&right);
        let trial: Vec<f64> = (0..n).map(|i| weights[i] - step[(i, 0)]).collect();
        // Without enough damping the equations can be singular.
        let ahead = if trial.iter().all(|weight| weight.is_finite()) {
            evaluated(landscape, &trial)?.1
        } else {
            vec![f64::INFINITY; n]
        };
        if norm(&ahead) < norm(&slope) {
            (weights, slope) = (trial, ahead);
            damping = (damping * 0.2).max(1e-16);
        } else {
            damping *= 8.0;
        }
    }
    Ok(None)
}

/// How many of the functions that theory names were found, and whether others were.
fn compared(task: &Task, slots: usize, found: &[Vec<f64>]) -> (usize, usize) {
    let gains = Theory::new(task).optimal_gains();
    let known: Vec<Vec<f64>> = subsets(task.dimension())
        .filter(|learned| learned.len() <= slots)
        .map(|learned| {
            let kept = (0..gains.len()).map(|d| if learned.contains(&d) { gains[d] } else { 0.0 });
            task.in_eigenbasis(&kept.collect::<Vec<_>>())
        })
        .collect();
    let is_known = |theta: &&Vec<f64>| known.iter().any(|known| distance(known, theta) < NEAR);
    let expected = found.iter().filter(is_known).count();
    (expected, found.len() - expected)
}

pub(super) fn fixed_functions(e: &mut Evidence, trial: Trial) -> Outcome {
    e.assume("all eigenvalues differ: 0.5, 0.3, 0.15 and 0.5, 0.3", true);
    e.assume("there are at least as many slots as dimensions, $H R \\ge D$", true);

    for (eigenvalues, heads, rank) in
        [(&[0.5, 0.3][..], 2, 1), (&[0.5, 0.3], 1, 2), (&[0.5, 0.3, 0.15], 3, 1)]
    {
        let d = eigenvalues.len();
        let task = task_with(eigenvalues, 10)?;
        let found = found_functions(&task, Shape::new(d, heads, rank)?, 600, trial)?;
        let (known, others) = compared(&task, d, &found);
        let model = format!("D = {d}, H = {heads}, R = {rank}");
        e.of(format!("functions of Eq. (4) found from 600 starts, {model}")).count(1 << d, known);
        e.of(format!("other functions, {model}")).count(0, others);
    }
    Ok(())
}

pub(super) fn fixed_functions_few_slots(e: &mut Evidence, trial: Trial) -> Outcome {
    for (eigenvalues, heads) in
        [(&[0.5, 0.3][..], 1), (&[0.5, 0.3, 0.15], 1), (&[0.5, 0.3, 0.15], 2)]
    {
        let d = eigenvalues.len();
        let task = task_with(eigenvalues, 10)?;
        let found = found_functions(&task, Shape::new(d, heads, 1)?, 500, trial)?;
        let (known, others) = compared(&task, heads, &found);
        let what = format!("functions found from 500 starts, D = {d}, H = {heads}, R = 1");
        let right = subsets(d).filter(|learned| learned.len() <= heads).count();
        e.of(&what).count(1 << d, known + others);
        e.but(&what).count(right, known);
        e.but("functions beside those").count(0, others);
    }
    Ok(())
}

pub(super) fn fixed_functions_repeated(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = task_with(&[0.4, 0.4], 10)?;
    let shape = Shape::new(2, 2, 1)?;
    let found = found_functions(&task, shape, 120, trial)?;
    // How many exactly is a matter of chance and of rounding.
    let counted = found.len().min(20);
    let what = "distinct functions from 120 starts, counted up to 20, eigenvalues 0.4, 0.4";
    let gain = Theory::new(&task).optimal_gains()[0];
    // A multiple g of a projection: symmetric, with Theta^2 = g Theta.
    let mut off: f64 = 0.0;
    for t in &found {
        off = off.max((t[1] - t[2]).abs());
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let square = t[2 * i] * t[j] + t[2 * i + 1] * t[2 + j];
            off = off.max((square - gain * t[2 * i + j]).abs());
        }
    }
    e.of(what).count(4, counted);
    e.but(what).at_least(20.0, counted as f64);
    e.but("distance of all of them from (lambda/a) times a projection").abs(0.0, off, 1e-6);
    Ok(())
}
