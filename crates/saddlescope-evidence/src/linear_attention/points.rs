//! Sections 3.1 and 4, appendices D.3, D.4 and E.3: fixed points, the loss there, and how many functions they are.

use super::*;

/// A random key and no query, for a silent head of rank one. (C3) with the query in the learned span, here its origin.
pub(super) fn only_keys(d: usize, stream: &mut Stream) -> Vec<f64> {
    [random(d, 1.0, stream), vec![0.0; d]].concat()
}

/// A random member of `M(S)`: one head per learned eigenvector, mixed so that no head is aligned with any,
/// and silent heads for the rest, of which `silent` makes keys and queries.
pub(super) fn member(
    task: &Task,
    shape: Shape,
    learned: &[usize],
    stream: &mut Stream,
    mut silent: impl FnMut(usize, &mut Stream) -> Vec<f64>,
) -> Vec<f64> {
    let (d, m) = (task.dimension(), learned.len());
    let gains = Theory::new(task).optimal_gains();
    let gains: Vec<f64> = learned.iter().map(|&d| gains[d]).collect();
    // sum_i v_i k_i q_i^T = E A diag(v) B^T E^T with B^T = diag(v)^-1 A^-1 diag(gains).
    let mix = random(m * m, 0.3, stream);
    let a = Matrix::new(m, m, |i, j| mix[i * m + j] + if i == j { 1.0 } else { 0.0 });
    let values: Vec<f64> = (0..m).map(|i| if i % 2 == 0 { 0.8 } else { -1.2 }).collect();
    let b = a.solve(&Matrix::diagonal(&gains));
    let along = |weights: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let terms =
            |i: usize| (0..m).map(move |j| task.eigenvectors[i * d + learned[j]]).enumerate();
        (0..d).map(|i| terms(i).map(|(j, e)| e * weights(j)).sum()).collect()
    };
    let mut weights = Vec::new();
    let others = (shape.rank - 1) * d;
    for head in 0..shape.heads {
        if head < m {
            weights.push(values[head]);
            weights.extend(along(&|j| a[(j, head)]));
            weights.extend(std::iter::repeat_n(0.0, others));
            weights.extend(along(&|j| b[(head, j)] / values[head]));
            weights.extend(std::iter::repeat_n(0.0, others));
        } else {
            weights.push(0.0);
            weights.extend(silent(d, stream));
        }
    }
    weights
}

pub(super) fn eq_3(e: &mut Evidence, trial: Trial) -> Outcome {
    let small = Small::new(trial, 3, 1)?;
    let mut stream = stream(trial, 0);
    let mut slopes: Vec<f64> = Vec::new();
    for learned in subsets(2) {
        let weights = member(&small.task, small.shape, &learned, &mut stream, only_keys);
        slopes.extend(small.slopes(&weights));
    }
    let what = "gradient of the literal loss at a random member of each of 4 sets, D = 2, N = 2";
    e.of(what).zeros(&slopes, 1e-11);

    let setup = Setup::figure_1(5, 1)?;
    slopes.clear();
    for learned in subsets(4) {
        let weights = member(&setup.task, setup.shape, &learned, &mut stream, |d, stream| {
            let key = kept(&random(d, 1.0, stream), &learned);
            [key, random(d, 1.0, stream)].concat()
        });
        slopes.extend(setup.exact.slopes(&weights)?);
    }
    let what = "gradient of the exact loss at a random member of each of 16 sets, D = 4, N = 31";
    e.of(what).zeros(&slopes, 1e-11);
    Ok(())
}

pub(super) fn c3_all(e: &mut Evidence, trial: Trial) -> Outcome {
    let small = Small::new(trial, 1, 1)?;
    // In the eigenbasis: k = (1, 1), q = (lambda_2^2, -lambda_1^2), v = 0; nothing is learned.
    let l = &small.task.eigenvalues;
    let turned = |a: f64, b: f64| {
        plus(&times_each(a, &small.task.eigenvector(0)), b, &small.task.eigenvector(1))
    };
    let query = turned(l[1] * l[1], -l[0] * l[0]);
    let weights = [vec![0.0], turned(1.0, 1.0), query].concat();
    let along = |x: &[f64]| [0, 1].map(|d| dot(x, &small.task.eigenvector(d)));
    let (key, query) = (along(&weights[1..3]), along(&weights[3..]));
    let nearer = largest_size(&key).min(largest_size(&query));
    let sum: f64 = (0..2).map(|d| l[d] * l[d] * key[d] * query[d]).sum();
    let what = "gradient of the literal loss at such a point, D = 2, N = 2";
    let near = "distance of the nearer of its key and query from the span";
    e.of(what).zeros(&small.slopes(&weights), 1e-11);
    e.of(near).at_least(0.1, nearer);
    e.of("the sum of Eq. (49) there").abs(0.0, sum, ROUNDING);
    Ok(())
}

pub(super) fn eq_49(e: &mut Evidence, trial: Trial) -> Outcome {
    let setup = Setup::figure_1(5, 2)?;
    let mut stream = stream(trial, 0);
    let l = &setup.task.eigenvalues;
    let mut slopes = Vec::new();
    for learned in subsets(4) {
        let weights = member(&setup.task, setup.shape, &learned, &mut stream, |_, stream| {
            // Two pairs whose terms cancel, none of which is zero.
            let (keys, mut queries) = (random(8, 1.0, stream), random(8, 1.0, stream));
            let form = |r: usize, queries: &[f64]| -> f64 {
                let free = (0..4).filter(|d| !learned.contains(d));
                free.map(|d| l[d] * l[d] * keys[4 * r + d] * queries[4 * r + d]).sum()
            };
            let (first, second) = (form(0, &queries), form(1, &queries));
            if second != 0.0 {
                queries[4..].iter_mut().for_each(|query| *query *= -first / second);
            }
            [keys, queries].concat()
        });
        slopes.extend(setup.exact.slopes(&weights)?);
    }
    let what = "gradient at a random member of each of 16 sets, D = 4, R = 2";
    e.of(what).zeros(&slopes, 1e-11);
    Ok(())
}

pub(super) fn eq_26(e: &mut Evidence, trial: Trial) -> Outcome {
    let setup = Setup::figure_1(5, 1)?;
    let mut stream = stream(trial, 0);
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for learned in subsets(4) {
        let weights = member(&setup.task, setup.shape, &learned, &mut stream, only_keys);
        let left = |d| if learned.contains(&d) { 0.0 } else { setup.lambda(d).powi(2) };
        printed.extend(setup.task.in_eigenbasis(&[0, 1, 2, 3].map(left)));
        measured.extend_from_slice(&setup.moments(&weights).common());
    }
    let what = "(23) at a random member of each of 16 sets, D = 4, N = 31";
    e.of(what).each(&printed, &measured, ROUNDING);
    Ok(())
}

/// Functions nearer than this are the same.
const NEAR: f64 = 1e-6;
/// A gradient below this is that of a fixed point.
const FIXED: f64 = 1e-13;

/// The distinct `Theta` of the fixed points that a search from `starts` random weights finds. The search
/// (Levenberg and Marquardt on the gradient) prefers saddles, so a tenth of the starts first follow
/// gradient flow, which leads to minima.
fn found_functions(setup: &Setup, starts: u64, trial: Trial) -> Outcome<Vec<Vec<f64>>> {
    let shape = setup.shape;
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
            start = setup.exact.flow(&Flow::default().until(1e4), &start)?.state;
        }
        let Some(weights) = fixed_point(&setup.exact, start)? else { continue };
        let theta = shape.theta(&weights);
        if !found.iter().any(|known| distance(known, &theta) < NEAR) {
            found.push(theta);
        }
    }
    Ok(found)
}

/// A fixed point near `weights`, if the search comes to one.
fn fixed_point(landscape: &Population, mut weights: Vec<f64>) -> Outcome<Option<Vec<f64>>> {
    let n = weights.len();
    let mut damping = 1e-2;
    let mut slope = landscape.slopes(&weights)?;
    for _ in 0..300 {
        if norm(&slope) < FIXED {
            return Ok(Some(weights));
        }
        let hessian = hessian(landscape, &weights)?;
        let hessian = Matrix::new(n, n, |i, j| hessian[(i, j)]);
        let right = &hessian * Matrix::column(&slope);
        let mut normal = &hessian * &hessian;
        (0..n).for_each(|i| normal[(i, i)] += damping);
        let trial = minus(&weights, &normal.solve(&right));
        // Without enough damping the equations can be singular.
        let ahead = if trial.iter().all(|weight| weight.is_finite()) {
            landscape.slopes(&trial)?
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

/// How many of the functions that theory names were found from random starts, and how many others.
fn compared(setup: &Setup, slots: usize, starts: u64, trial: Trial) -> Outcome<(usize, usize)> {
    let found = found_functions(setup, starts, trial)?;
    let gains = setup.theory().optimal_gains();
    let known: Vec<Vec<f64>> = subsets(setup.task.dimension())
        .filter(|learned| learned.len() <= slots)
        .map(|learned| setup.task.in_eigenbasis(&kept(&gains, &learned)))
        .collect();
    let is_known = |theta: &&Vec<f64>| known.iter().any(|known| distance(known, theta) < NEAR);
    let expected = found.iter().filter(is_known).count();
    Ok((expected, found.len() - expected))
}

pub(super) fn fixed_functions(e: &mut Evidence, trial: Trial) -> Outcome {
    e.assume("all eigenvalues differ: 0.5, 0.3, 0.15 and 0.5, 0.3", true);
    e.assume("there are at least as many slots as dimensions, $H R \\ge D$", true);
    for (eigenvalues, heads, rank) in
        [(&[0.5, 0.3][..], 2, 1), (&[0.5, 0.3], 1, 2), (&[0.5, 0.3, 0.15], 3, 1)]
    {
        let d = eigenvalues.len();
        let setup = Setup::new(task_with(eigenvalues, 10)?, heads, rank)?;
        let (known, others) = compared(&setup, d, 600, trial)?;
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
        let setup = Setup::new(task_with(eigenvalues, 10)?, heads, 1)?;
        let (known, others) = compared(&setup, heads, 500, trial)?;
        let right = subsets(d).filter(|learned| learned.len() <= heads).count();
        e.both(format!("functions found from 500 starts, D = {d}, H = {heads}, R = 1"))
            .count([1 << d, right], [known + others, known]);
        e.but("functions beside those").count(0, others);
    }
    Ok(())
}

pub(super) fn fixed_functions_repeated(e: &mut Evidence, trial: Trial) -> Outcome {
    let setup = Setup::new(task_with(&[0.4, 0.4], 10)?, 2, 1)?;
    let found = found_functions(&setup, 120, trial)?;
    // How many exactly is a matter of chance and of rounding.
    let counted = found.len().min(20);
    let what = "distinct functions from 120 starts, counted up to 20, eigenvalues 0.4, 0.4";
    let gain = setup.theory().optimal_gains()[0];
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
