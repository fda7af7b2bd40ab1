//! Section 3.2, appendix D.4: the loss at the fixed points.

use super::points::member;
use super::setting::least_squares_loss;
use super::*;

/// Pairs in the sequences that quadrature runs over.
const PAIRS: usize = 2;

/// The loss that Eq. (29) prints.
fn printed_loss(task: &Task, learned: &[usize], inverse: f64) -> f64 {
    let (trace, l) = (task.trace(), &task.eigenvalues);
    let drop = |d: &usize| l[*d] / (1.0 + (1.0 + trace / l[*d]) * inverse);
    trace - learned.iter().map(drop).sum::<f64>()
}

pub(super) fn eq_29(e: &mut Evidence, trial: Trial) -> Outcome {
    let (small, shape) = (small_task(trial, PAIRS)?, Shape::new(2, 2, 1)?);
    let problems = Problems::of(&small, PAIRS);
    let mut stream = stream(trial, 0);
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for learned in subsets(2) {
        let silent = |stream: &mut Stream| [random(2, 1.0, stream), vec![0.0; 2]].concat();
        let weights = member(&small, shape, &learned, &mut stream, silent);
        printed.push(printed_loss(&small, &learned, 1.0 / PAIRS as f64));
        measured.push(problems.reduced_loss(shape, &weights));
    }
    let what = "literal loss by quadrature at a random member of each of 4 sets, D = 2, N = 2";
    e.of(what).each(&printed, &measured, 1e-11);

    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    (printed, measured) = (Vec::new(), Vec::new());
    for learned in subsets(4) {
        let silent = |stream: &mut Stream| [random(4, 1.0, stream), vec![0.0; 4]].concat();
        let weights = member(&task, shape, &learned, &mut stream, silent);
        printed.push(printed_loss(&task, &learned, 1.0 / 31.0));
        measured.push(evaluated(&landscape, &weights)?.0);
    }
    let what = "exact loss at a random member of each of 16 sets, D = 4, N = 31";
    e.of(what).each(&printed, &measured, ROUNDING);

    for (m, mean) in sampled_levels(&task, shape, trial)?.iter().enumerate() {
        let learned: Vec<usize> = (0..m).collect();
        let what = format!("level m = {m}, mean over 40000 sequences, D = 4, N = 31");
        let printed = printed_loss(&task, &learned, 1.0 / 31.0);
        e.of(what).rel(printed, mean.mean(), 0.08).noisy(mean.error());
    }
    Ok(())
}

/// The losses at `M_0, ..., M_D`, by sampling.
fn sampled_levels(task: &Task, shape: Shape, trial: Trial) -> Outcome<Vec<Mean>> {
    let theory = Theory::new(task);
    let sampler = Sampler::new(task)?;
    let weights = (0..=task.dimension())
        .map(|m| theory.weights_at(shape, &(0..m).collect::<Vec<_>>(), Slots::HeadEach))
        .collect::<Result<Vec<_>, _>>()?;
    let mut means = vec![Mean::default(); weights.len()];
    let mut scratch = vec![0.0; 2 * task.dimension()];
    for index in 0..40_000 {
        let sequence = sampler.sequence(trial.seed, index);
        sampler.each_triple(&sequence, &mut scratch, |triple| {
            for (mean, weights) in means.iter_mut().zip(&weights) {
                let prediction = shape.predict(weights, triple.beta, triple.query);
                mean.add((triple.target - prediction).powi(2));
            }
        });
    }
    Ok(means)
}

pub(super) fn eq_5_limit(e: &mut Evidence, _: Trial) -> Outcome {
    for pairs in [10_000, 100_000_000] {
        let task = task_with(&[0.4, 0.3, 0.2, 0.1], pairs)?;
        let levels = Theory::new(&task).levels();
        let rests = [1.0, 0.6, 0.3, 0.1, 0.0];
        let what = format!("levels m = 0, ..., 4 at N = {pairs}");
        // 1 - 1/(1 + x) <= x: the distance is at most (tr + D tr)/N.
        e.of(what).each(&rests, &levels, 5.0 / pairs as f64);
    }
    Ok(())
}

pub(super) fn drop(e: &mut Evidence, _: Trial) -> Outcome {
    let task = figure_1()?;
    let drops = Theory::new(&task).drops();

    for (d, (l, drop)) in task.eigenvalues.iter().zip(drops).enumerate() {
        e.of(format!("drop {} at the N = 31 of Fig. 1", d + 1)).rel(*l, drop, 0.01).loosely(0.3);
    }
    Ok(())
}

/// `M = sum_{d in S} (lambda_d/a_d) Lhat e_d e_d^T` on a sequence, and its like with all eigenvectors.
fn prediction_matrix(task: &Task, learned: &[usize], covariance: &Matrix) -> Matrix {
    let gains = Theory::new(task).optimal_gains();
    let kept: Vec<f64> =
        (0..gains.len()).map(|d| if learned.contains(&d) { gains[d] } else { 0.0 }).collect();
    covariance * Matrix::square(&task.in_eigenbasis(&kept), task.dimension())
}

pub(super) fn eq_30(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let form = |transposed: bool, learned: &[usize]| {
        expected(&task, PAIRS, |sequence| {
            let matrix = prediction_matrix(&task, learned, &context_covariance(sequence));
            let rest = Matrix::identity(2) - matrix;
            let left = if transposed { rest.transposed() } else { rest.clone() };
            let query = Matrix::column(&sequence.tokens[PAIRS * 2..]);
            query.transposed() * left * rest * &query
        })[(0, 0)]
    };
    let problems = Problems::of(&task, PAIRS);
    let shape = Shape::new(2, 2, 1)?;

    for learned in [vec![0], vec![0, 1]] {
        let weights = Theory::new(&task).weights_at(shape, &learned, Slots::HeadEach)?;
        let loss = problems.reduced_loss(shape, &weights);
        let what = format!("loss with m = {}, by quadrature, D = 2, N = 2", learned.len());
        e.of(&what).abs(form(false, &learned), loss, 1e-11);
        e.but(&what).abs(form(true, &learned), loss, 1e-11);
    }
    Ok(())
}

pub(super) fn eq_30_next(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let learned = [0, 1];
    let moment = |transposed: bool| {
        expected(&task, PAIRS, |sequence| {
            let matrix = prediction_matrix(&task, &learned, &context_covariance(sequence));
            let left = if transposed { matrix.transposed() } else { matrix.clone() };
            left * matrix
        })
    };
    let gains = Theory::new(&task).optimal_gains();
    let values: Vec<f64> = task.eigenvalues.iter().zip(gains).map(|(l, g)| l * g).collect();
    let stated = Matrix::square(&task.in_eigenbasis(&values), 2);
    let what = "by quadrature, S = {1, 2}, D = 2, N = 2";
    e.of(what).each(&stated, &moment(false), 1e-11);
    e.but(what).each(&stated, &moment(true), 1e-11);
    Ok(())
}

pub(super) fn global_minimum(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let least = least_squares_loss(&task, PAIRS);
    let printed = printed_loss(&task, &[0, 1], 1.0 / PAIRS as f64);
    e.of("least squares over all matrices, by quadrature, D = 2, N = 2").abs(printed, least, 1e-11);
    Ok(())
}
