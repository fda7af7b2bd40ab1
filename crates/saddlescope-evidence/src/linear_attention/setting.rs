//! Sections 2 and C: model, data, moments; appendix B.3: varying context lengths.

use super::levels::sampled_levels;
use super::*;

pub(super) fn eq_2(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = figure_1()?;
    let shape = Shape::new(4, 3, 2)?;
    let weights = random(shape.parameters(), 0.7, &mut stream(trial, 0));
    let sampler = Sampler::new(&task)?;
    let sides = |index: u64| {
        let sequence: Sequence = sampler.sequence(trial.seed, index);
        let (beta, query) = (context_correlation(&sequence), &sequence.tokens[31 * 4..]);
        let x = prompt(&sequence, 32, true);
        let whole = attention(shape, &embedded(shape, &weights), &x, 5.0);
        (shape.predict(&weights, &beta, query), whole)
    };
    let what = "prediction on 20 random sequences, by whole matrix products with 5 in each *";
    e.of(what).pairs((0..20).map(sides), ROUNDING);
    Ok(())
}

pub(super) fn eq_14(e: &mut Evidence, trial: Trial) -> Outcome {
    let sequence: Sequence = Sampler::new(&figure_1()?)?.sequence(trial.seed, 0);
    let x = prompt(&sequence, 32, true);
    let whole = &x * x.transposed() * (1.0 / 31.0);
    let (covariance, w) = (context_covariance(&sequence), Matrix::column(&sequence.weights));
    let query = Matrix::column(&sequence.tokens[31 * 4..]);
    let corner = &query * query.transposed() * (1.0 / 31.0) + &covariance;
    let beta = &covariance * &w;
    let square = w.transposed() * &covariance * &w;
    let blocks = Matrix::new(5, 5, |i, j| match (i, j) {
        (4, 4) => square[(0, 0)],
        (4, d) | (d, 4) => beta[(d, 0)],
        (i, j) => corner[(i, j)],
    });
    e.of("largest difference of entries on a random sequence").each(&blocks, &whole, ROUNDING);
    Ok(())
}

/// `E(Lhat^2)` by quadrature at `N = 2`, the same with the printed second line of (16), and the task.
fn second_moments(trial: Trial) -> Outcome<(Task, Matrix, Matrix)> {
    let task = small_task(trial, PAIRS)?;
    let exact = expected(&task, PAIRS, |sequence| {
        let covariance = context_covariance(sequence);
        &covariance * &covariance
    });
    let n = PAIRS as f64;
    let outer = |sequence: &Sequence, n: usize| {
        let x = Matrix::column(&sequence.tokens[n * 2..][..2]);
        &x * x.transposed()
    };
    let printed = expected(&task, PAIRS, |sequence| {
        let mut sum = Matrix::zeros(2, 2);
        for (a, b) in crossed(0..PAIRS, 0..PAIRS) {
            let factor = if a == b { n / (n * n) } else { (n * n - n) / (n * n) };
            sum += outer(sequence, a) * outer(sequence, b) * factor;
        }
        sum
    });
    Ok((task, exact, printed))
}

pub(super) fn eq_16_line_2(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, exact, printed) = second_moments(trial)?;
    let right = expected(&task, PAIRS, |sequence| {
        let x = Matrix::new(2, PAIRS, |i, n| sequence.tokens[n * 2 + i]);
        let sum = &x * x.transposed();
        &sum * &sum * (1.0 / (PAIRS * PAIRS) as f64)
    });
    e.of("second line by quadrature, D = 2, N = 2").each(&printed, &exact, ROUNDING);
    e.but("1/N^2 times all terms").each(&right, &exact, ROUNDING);
    Ok(())
}

pub(super) fn eq_16(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, exact, _) = second_moments(trial)?;
    let (trace, n) = (task.trace(), PAIRS as f64);
    let a: Vec<f64> =
        task.eigenvalues.iter().map(|l| l * l * (1.0 + (1.0 + trace / l) / n)).collect();
    let u = Matrix::square(&task.eigenvectors, 2);
    let diagonal = u.transposed() * &exact * &u;
    // Lengths 1 and 2, equally often.
    let mut mixed = Matrix::zeros(2, 2);
    for pairs in 1..=PAIRS {
        mixed += expected(&task, pairs, |sequence| {
            let covariance = context_covariance(sequence);
            &covariance * &covariance
        });
    }
    let varying = Task::with_covariance(&task.covariance, Context::Varying(PAIRS))?;
    let result = Matrix::square(&task.second_moment(), 2);
    let result_varying = Matrix::square(&varying.second_moment(), 2);
    e.of("(17) by quadrature, D = 2, N = 2").each(&result, &exact, ROUNDING);
    e.of("(18), (19) in the eigenbasis").each(&Matrix::diagonal(&a), &diagonal, ROUNDING);
    let what = "(16) for lengths 1 and 2, E(1/N) = 3/4";
    e.of(what).each(&result_varying, &(mixed * (1.0 / n)), ROUNDING);
    Ok(())
}

pub(super) fn eq_21(e: &mut Evidence, trial: Trial) -> Outcome {
    let shape = Shape::new(4, 4, 2)?;
    let mut squares = [Mean::default(); 3];
    for index in 0..2000 {
        let weights = shape.random_start(0.1, start_seed(trial, index))?;
        let mut sums = [0.0; 3];
        for head in shape.iter(&weights) {
            sums[0] += head.value * head.value;
            sums[1] += dot(head.key, head.key);
            sums[2] += dot(head.query, head.query);
        }
        squares.iter_mut().zip(sums).for_each(|(mean, sum)| mean.add(sum / 0.01));
    }
    for (name, mean) in ["values", "keys", "queries"].into_iter().zip(squares) {
        let what = format!("mean square norm of the {name} over w_init^2, 2000 starts");
        e.of(what).rel(1.0, mean.mean(), 0.2).noisy(mean.error());
    }
    Ok(())
}

pub(super) fn eq_9(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let varying = Task::with_covariance(&task.covariance, Context::Varying(PAIRS))?;
    let shape = Shape::new(2, 2, 1)?;
    let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
    let (mut literal, mut masked) = (Problems::default(), Problems::default());
    every_sequence(&task, PAIRS, &gauss_hermite_4(), |sequence, weight| {
        for columns in 2..=PAIRS + 1 {
            // The last column is the query, whose y is 0 in X.
            let query = columns == PAIRS + 1;
            literal.push(sequence, columns, query, weight / PAIRS as f64);
            masked.push(sequence, columns, true, weight / PAIRS as f64);
        }
    });
    let landscape = Population::new(&varying, shape, 1.0)?;
    let loss = landscape.loss(&weights)?;
    let (shown, hidden) =
        (literal.reduced_loss(shape, &weights), masked.reduced_loss(shape, &weights));
    e.of("y_n shown to the model, N = 2").rel(loss, shown, 1e-10);
    e.but("y_n hidden, scale 1/(n - 1)").rel(loss, hidden, 1e-10);
    Ok(())
}

/// The normal equations of least squares over all `Theta`, by quadrature: `E(f f^T)` and `E(f y)` for the
/// features `f = beta (x) x_q`.
fn normal_equations(task: &Task, pairs: usize) -> (Matrix, Matrix) {
    let d = task.dimension();
    let features = |sequence: &Sequence| {
        let beta = context_correlation(sequence);
        let query = &sequence.tokens[pairs * d..];
        Matrix::new(d * d, 1, |place, _| beta[place / d] * query[place % d])
    };
    let normal = expected(task, pairs, |sequence| {
        let features = features(sequence);
        &features * features.transposed()
    });
    let right = expected(task, pairs, |sequence| features(sequence) * (sequence.targets[pairs]));
    (normal, right)
}

/// The minimiser of the literal loss over all `Theta`.
fn least_squares(task: &Task, pairs: usize) -> Matrix {
    let d = task.dimension();
    let (normal, right) = normal_equations(task, pairs);
    let solution = normal.solve(&right);
    Matrix::new(d, d, |i, j| solution[(i * d + j, 0)])
}

/// Its loss: `E(y^2) - E(f y)^T E(f f^T)^-1 E(f y)`.
pub(super) fn least_squares_loss(task: &Task, pairs: usize) -> f64 {
    let (normal, right) = normal_equations(task, pairs);
    let square =
        expected(task, pairs, |sequence| Matrix::new(1, 1, |_, _| sequence.targets[pairs].powi(2)));
    let explained = right.transposed() * normal.solve(&right);
    square[(0, 0)] - explained[(0, 0)]
}

pub(super) fn eq_10(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = small_task(trial, PAIRS)?;
    let best = least_squares(&task, PAIRS);
    let covariance = Matrix::square(&task.covariance, 2);
    // E2^{-1} Lambda for a symmetric E2 that commutes with Lambda.
    let by = |tokens: usize| {
        let second = expected(&task, PAIRS, |sequence| {
            let x = Matrix::new(2, tokens, |i, n| sequence.tokens[n * 2 + i]);
            let sum = &x * x.transposed() * (1.0 / PAIRS as f64);
            &sum * &sum
        });
        second.solve(&covariance)
    };
    e.of("matrix between beta and x_q, D = 2, N = 2").each(&by(1), &best, 1e-10);
    e.but("the same with the sum").each(&by(PAIRS), &best, 1e-10);
    Ok(())
}

pub(super) fn eq_11(e: &mut Evidence, trial: Trial) -> Outcome {
    for pairs in [1, 2] {
        let task = small_task(trial, pairs)?;
        let best = least_squares(&task, pairs);
        let (l, inverse) = (Matrix::square(&task.covariance, 2), 1.0 / pairs as f64);
        let one = Matrix::identity(2);
        let sum = &l + (&l + &one * (task.trace())) * inverse;
        let what = format!("least squares over all sequences of N = {pairs}, D = 2");
        e.of(&what).each(&sum.solve(&one), &best, 1e-10);
    }
    Ok(())
}

pub(super) fn eq_12(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = Task::new(&figure_1()?.eigenvalues, Basis::Axes, Context::Varying(31))?;
    let setup = Setup::new(task, 4, 1)?;
    let harmonic: f64 = (1..=31).map(|n| 1.0 / f64::from(n)).sum::<f64>() / 31.0;
    let trace = setup.task.trace();
    let level = |m: usize| {
        let drop = |l: &f64| l / (1.0 + harmonic * (1.0 + trace / l));
        trace - setup.task.eigenvalues[..m].iter().map(drop).sum::<f64>()
    };
    for (m, mean) in sampled_levels(&setup, 20_000, trial)?.iter().enumerate() {
        let what = format!("level m = {m}, mean over 20000 sequences of up to 31 pairs");
        e.of(what).rel(level(m), mean.mean(), 0.1).noisy(mean.error());
    }
    e.note(format!("$E(1/N) = H_{{31}}/31 = {harmonic:.7}$."));
    Ok(())
}
