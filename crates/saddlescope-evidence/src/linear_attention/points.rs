//! Sections 3.1 and 4, appendices D.3, D.4 and E.3: fixed points and the loss there.

use super::literal::gradient;
use super::*;

/// Pairs in the sequences that quadrature runs over.
const PAIRS: usize = 2;

/// A random member of `M(S)`: one head per learned eigenvector, mixed so that no head is aligned with any,
/// and silent heads for the rest, of which `silent` makes keys and queries.
pub(super) fn member(
    task: &Task,
    shape: Shape,
    learned: &[usize],
    stream: &mut Stream,
    mut silent: impl FnMut(&mut Stream) -> Vec<f64>,
) -> Vec<f64> {
    let (d, m) = (task.dimension(), learned.len());
    let gains = Theory::new(task).optimal_gains();
    // sum_i v_i k_i q_i^T = E A diag(v) B^T E^T with B^T = diag(v)^-1 A^-1 diag(gains).
    let mix = random(m * m, 0.3, stream);
    let a = Matrix::new(m, m, |i, j| mix[i * m + j] + if i == j { 1.0 } else { 0.0 });
    let values: Vec<f64> = (0..m).map(|i| if i % 2 == 0 { 0.8 } else { -1.2 }).collect();
    let target = Matrix::new(m, m, |i, j| if i == j { gains[learned[i]] } else { 0.0 });
    let b = if m == 0 { Matrix::zeros(0, 0) } else { a.solve(&target) };
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
            weights.extend(silent(stream));
        }
    }
    weights
}

pub(super) fn eq_3(e: &mut Evidence, trial: Trial) -> Outcome {
    let (small, shape) = (small_task(trial, PAIRS)?, Shape::new(2, 3, 1)?);
    let problems = Problems::of(&small, PAIRS);
    let mut stream = stream(trial, 0);

    let mut slopes: Vec<f64> = Vec::new();
    for learned in subsets(2) {
        let weights = member(&small, shape, &learned, &mut stream, |stream| {
            // (C3) with the query in the learned span, here its origin.
            [random(2, 1.0, stream), vec![0.0; 2]].concat()
        });
        slopes.extend(gradient(|weights| problems.reduced_loss(shape, weights), &weights));
    }
    let what = "gradient of the literal loss at a random member of each of 4 sets, D = 2, N = 2";
    e.printed(zeros(what, &slopes, 1e-11));

    let (task, shape) = (figure_1()?, Shape::new(4, 5, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    slopes.clear();
    for learned in subsets(4) {
        let weights = member(&task, shape, &learned, &mut stream, |stream| {
            let inside = random(4, 1.0, stream);
            let key = (0..4).map(|d| if learned.contains(&d) { inside[d] } else { 0.0 });
            [key.collect(), random(4, 1.0, stream)].concat()
        });
        slopes.extend(evaluated(&landscape, &weights)?.1);
    }
    let what = "gradient of the exact loss at a random member of each of 16 sets, D = 4, N = 31";
    e.printed(zeros(what, &slopes, 1e-11));
    Ok(())
}

/// Numbers that should all be zero.
fn zeros(what: &str, numbers: &[f64], tolerance: f64) -> Measurement {
    Measurement::each(what, &vec![0.0; numbers.len()], numbers, tolerance)
}

pub(super) fn c3_all(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let shape = Shape::new(2, 1, 1)?;
    let problems = Problems::of(&task, PAIRS);
    // In the eigenbasis: k = (1, 1), q = (lambda_2^2, -lambda_1^2), v = 0; nothing is learned.
    let l = &task.eigenvalues;
    let turned = |a: f64, b: f64| -> Vec<f64> {
        let (first, second) = (task.eigenvector(0), task.eigenvector(1));
        (0..2).map(|i| a * first[i] + b * second[i]).collect()
    };
    let query = turned(l[1] * l[1], -l[0] * l[0]);
    let weights = [vec![0.0], turned(1.0, 1.0), query].concat();
    let slopes = gradient(|weights| problems.reduced_loss(shape, weights), &weights);
    let along = |x: &[f64]| [0, 1].map(|d| dot(x, &task.eigenvector(d)));
    let (key, query) = (along(&weights[1..3]), along(&weights[3..]));
    let printed = largest_size(&key).min(largest_size(&query));
    let exact: f64 = (0..2).map(|d| l[d] * l[d] * key[d] * query[d]).sum();
    let what = "gradient of the literal loss at such a point, D = 2, N = 2";
    let near = "distance of the nearer of its key and query from the span";
    e.printed(zeros(what, &slopes, 1e-11));
    e.of(near).at_least(0.1, printed);
    e.of("the sum of Eq. (49) there").abs(0.0, exact, ROUNDING);
    Ok(())
}

pub(super) fn eq_49(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 5, 2)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    let mut stream = stream(trial, 0);
    let l = &task.eigenvalues;
    let mut slopes = Vec::new();
    for learned in subsets(4) {
        let weights = member(&task, shape, &learned, &mut stream, |stream| {
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
        slopes.extend(evaluated(&landscape, &weights)?.1);
    }
    let what = "gradient at a random member of each of 16 sets, D = 4, R = 2";
    e.printed(zeros(what, &slopes, 1e-11));
    Ok(())
}

pub(super) fn eq_26(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 5, 1)?);
    let mut stream = stream(trial, 0);
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for learned in subsets(4) {
        let silent = |stream: &mut Stream| [random(4, 1.0, stream), vec![0.0; 4]].concat();
        let weights = member(&task, shape, &learned, &mut stream, silent);
        let l = &task.eigenvalues;
        let left: Vec<f64> =
            (0..4).map(|d| if learned.contains(&d) { 0.0 } else { l[d] * l[d] }).collect();
        printed.extend(task.in_eigenbasis(&left));
        measured.extend_from_slice(&Moments::new(&task, shape, &weights).common());
    }
    let what = "(23) at a random member of each of 16 sets, D = 4, N = 31";
    e.of(what).each(&printed, &measured, ROUNDING);
    Ok(())
}
