//! Sections 3.2 and 3.3, appendix D.4: the loss at the fixed points, and what the model computes in context.

use super::points::{member, only_keys};
use super::setting::least_squares_loss;
use super::*;

/// The loss that Eq. (29) prints.
fn printed_loss(task: &Task, learned: &[usize], inverse: f64) -> f64 {
    let (trace, l) = (task.trace(), &task.eigenvalues);
    let drop = |d: &usize| l[*d] / (1.0 + (1.0 + trace / l[*d]) * inverse);
    trace - learned.iter().map(drop).sum::<f64>()
}

pub(super) fn eq_29(e: &mut Evidence, trial: Trial) -> Outcome {
    let small = Small::new(trial, 2, 1)?;
    let mut stream = stream(trial, 0);
    let sides = subsets(2).map(|learned| {
        let weights = member(&small.task, small.shape, &learned, &mut stream, only_keys);
        (printed_loss(&small.task, &learned, 1.0 / PAIRS as f64), small.loss(&weights))
    });
    let what = "literal loss by quadrature at a random member of each of 4 sets, D = 2, N = 2";
    e.of(what).pairs(sides, 1e-11);

    let sides = try_map(subsets(4), |learned| {
        let weights = member(&FIG_1.task, FIG_1.shape, &learned, &mut stream, only_keys);
        Ok((printed_loss(&FIG_1.task, &learned, 1.0 / 31.0), FIG_1.exact.loss(&weights)?))
    })?;
    let what = "exact loss at a random member of each of 16 sets, D = 4, N = 31";
    e.of(what).pairs(sides, ROUNDING);
    for (m, mean) in sampled_levels(&FIG_1, 40_000, trial)?.iter().enumerate() {
        let learned: Vec<usize> = (0..m).collect();
        let what = format!("level m = {m}, mean over 40000 sequences, D = 4, N = 31");
        let printed = printed_loss(&FIG_1.task, &learned, 1.0 / 31.0);
        e.of(what).rel(printed, mean.mean(), 0.08).noisy(mean.error());
    }
    Ok(())
}

/// The losses at `M_0, ..., M_D` over so many sequences; a sequence's is the mean over its problems.
pub(super) fn sampled_levels(setup: &Setup, sequences: u64, trial: Trial) -> Outcome<Vec<Mean>> {
    let sampler = Sampler::new(&setup.task)?;
    let weights = try_map(0..=setup.task.dimension(), |m| setup.fixed_point(m))?;
    let mut means = vec![Mean::default(); weights.len()];
    let mut scratch = vec![0.0; 2 * setup.task.dimension()];
    for index in 0..sequences {
        let sequence = sampler.sequence(trial.seed, index);
        let mut sums = vec![0.0; weights.len()];
        sampler.each_triple(&sequence, &mut scratch, |triple| {
            for (sum, weights) in sums.iter_mut().zip(&weights) {
                let prediction = setup.shape.predict(weights, triple.beta, triple.query);
                *sum += (triple.target - prediction).powi(2) / sampler.problems() as f64;
            }
        });
        means.iter_mut().zip(sums).for_each(|(mean, sum)| mean.add(sum));
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
    for (d, (l, drop)) in task.eigenvalues.iter().zip(Theory::new(&task).drops()).enumerate() {
        e.of(format!("drop {} at the N = 31 of Fig. 1", d + 1)).rel(*l, drop, 0.01).loosely(0.3);
    }
    Ok(())
}

/// `M = sum_{d in S} (lambda_d/a_d) Lhat e_d e_d^T` on a sequence, and its like with all eigenvectors.
fn prediction_matrix(task: &Task, learned: &[usize], covariance: &Matrix) -> Matrix {
    let gains = kept(&Theory::new(task).optimal_gains(), learned);
    covariance * Matrix::square(&task.in_eigenbasis(&gains), task.dimension())
}

pub(super) fn eq_30(e: &mut Evidence, trial: Trial) -> Outcome {
    let small = Small::new(trial, 2, 1)?;
    let form = |transposed: bool, learned: &[usize]| {
        expected(&small.task, PAIRS, |sequence| {
            let matrix = prediction_matrix(&small.task, learned, &context_covariance(sequence));
            let rest = Matrix::identity(2) - matrix;
            let left = if transposed { rest.transposed() } else { rest.clone() };
            let query = Matrix::column(&sequence.tokens[PAIRS * 2..]);
            query.transposed() * left * rest * &query
        })[(0, 0)]
    };
    for learned in [vec![0], vec![0, 1]] {
        let theory = Theory::new(&small.task);
        let weights = theory.weights_at(small.shape, &learned, Slots::HeadEach)?;
        e.both(format!("loss with m = {}, by quadrature, D = 2, N = 2", learned.len())).abs(
            [form(false, &learned), form(true, &learned)],
            small.loss(&weights),
            1e-11,
        );
    }
    Ok(())
}

pub(super) fn eq_30_next(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let moment = |transposed: bool| {
        expected(&task, PAIRS, |sequence| {
            let matrix = prediction_matrix(&task, &[0, 1], &context_covariance(sequence));
            let left = if transposed { matrix.transposed() } else { matrix.clone() };
            left * matrix
        })
    };
    let gains = Theory::new(&task).optimal_gains();
    let values: Vec<f64> = task.eigenvalues.iter().zip(gains).map(|(l, g)| l * g).collect();
    let stated = task.in_eigenbasis(&values);
    let what = "by quadrature, S = {1, 2}, D = 2, N = 2";
    e.both(what).each(&stated, [&*moment(false), &*moment(true)], 1e-11);
    Ok(())
}

pub(super) fn global_minimum(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let least = least_squares_loss(&task, PAIRS);
    let printed = printed_loss(&task, &[0, 1], 1.0 / PAIRS as f64);
    e.of("least squares over all matrices, by quadrature, D = 2, N = 2").abs(printed, least, 1e-11);
    Ok(())
}

pub(super) fn eq_8(e: &mut Evidence, trial: Trial) -> Outcome {
    let sequence: Sequence = Sampler::new(&FIG_1.task)?.sequence(trial.seed, 0);
    let beta = context_correlation(&sequence);
    let printed = FIG_1.theory().component_regression(&beta, &sequence.tokens[31 * 4..]);
    let measured = try_map(0..=4, |m| {
        let weights = embedded(FIG_1.shape, &FIG_1.fixed_point(m)?);
        Ok(attention(FIG_1.shape, &weights, &prompt(&sequence, 32, true), 3.0))
    })?;
    let what = "whole attention at M_0, ..., M_4 on a random sequence";
    e.of(what).each(&printed, &measured, ROUNDING);
    Ok(())
}

pub(super) fn eq_8_limit(e: &mut Evidence, trial: Trial) -> Outcome {
    let miss = |pairs: usize, m: usize| -> Outcome<Mean> {
        let task = task_with(&[0.4, 0.3, 0.2, 0.1], pairs)?;
        let theory = Theory::new(&task);
        let sampler = Sampler::new(&task)?;
        let mut mean = Mean::default();
        for index in 0..1500 {
            let sequence: Sequence = sampler.sequence(trial.seed, index);
            let beta = context_correlation(&sequence);
            let query = &sequence.tokens[pairs * 4..];
            let regression = dot(&sequence.weights[..m], &query[..m]);
            let model = theory.component_regression(&beta, query)[m];
            mean.add((model - regression).powi(2));
        }
        Ok(mean)
    };
    for m in [2, 4] {
        let (near, far) = (miss(60, m)?, miss(1920, m)?);
        let order = (far.mean() / near.mean()).ln() / 32.0_f64.ln();
        let noise = (far.error() / far.mean()).hypot(near.error() / near.mean()) / 32.0_f64.ln();
        let what = format!("power of N in the mean square difference, N = 60 to 1920, m = {m}");
        e.of(what).abs(-1.0, order, 0.2).noisy(noise);
    }
    let share = miss(31, 4)?.mean();
    e.note(format!(
        "At $N = 31$ and $m = 4$ the mean square difference is {share:.2}, a part of 1: least \
         squares itself would have none."
    ));
    Ok(())
}
