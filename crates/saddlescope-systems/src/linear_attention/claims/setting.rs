//! Sections 2 and C: model, data, moments; appendix B.3: varying context lengths.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Trial};

use super::super::sample::{Sampler, Sequence};
use super::super::theory::Slots;
use super::super::{Basis, Context, Population, Shape, Task, Theory};
use super::literal::{
    Problems, Rule, attention, context_correlation, context_covariance, embedded, every_sequence,
    expected, prompt,
};
use super::matrix::Matrix;
use super::tools::{
    Mean, ROUNDING, evaluated, figure_1, matrices, random, small_world, start_seed, stream,
};

type Outcome = Result<Evidence, ClaimError>;

/// Pairs in the sequences that quadrature runs over.
const PAIRS: usize = 2;

pub(super) const EQ_2: Claim = Claim::new(
    "linear-attention/eq-2",
    "Eq. (2)",
    Kind::Equation,
    "With zero blocks, the bottom right entry of attention is \
     $\\hat y_q = \\sum_i \\sum_r v_i \\beta^T k_{i,r} q_{i,r}^T x_q$, whatever stands in the entries marked *.",
    eq_2,
);

fn eq_2(trial: Trial) -> Outcome {
    let task = figure_1()?;
    let shape = Shape::new(4, 3, 2)?;
    let weights = random(shape.parameters(), 0.7, &mut stream(trial, 0));
    let sampler = Sampler::new(&task)?;
    let (mut printed, mut measured) = (Vec::new(), Vec::new());
    for index in 0..20 {
        let sequence: Sequence = sampler.sequence(trial.seed, index);
        let beta = context_correlation(&sequence);
        let query = &sequence.tokens[31 * 4..];
        printed.push(shape.predict(&weights, &beta, query));
        let x = prompt(&sequence, 32, true);
        measured.push(attention(shape, &embedded(shape, &weights), &x, 5.0));
    }
    let what = "prediction on 20 random sequences, by whole matrix products with 5 in each *";
    Ok(Evidence::new().printed(Measurement::each(what, &printed, &measured, ROUNDING)))
}

pub(super) const EQ_14: Claim = Claim::new(
    "linear-attention/eq-14",
    "Eqs. (14), (15)",
    Kind::Equation,
    "$X X^T / N$ has the blocks $x_q x_q^T / N + \\hat\\Lambda$, $\\beta = \\hat\\Lambda w$ and \
     $w^T \\hat\\Lambda w$.",
    eq_14,
);

fn eq_14(trial: Trial) -> Outcome {
    let sequence: Sequence = Sampler::new(&figure_1()?)?.sequence(trial.seed, 0);
    let x = prompt(&sequence, 32, true);
    let whole = &x * x.transposed() * (1.0 / 31.0);
    let (covariance, w) = (context_covariance(&sequence), Matrix::column(&sequence.weights));
    let query = Matrix::column(&sequence.tokens[31 * 4..]);
    let corner = &query * query.transposed() * (1.0 / 31.0) + &covariance;
    let beta = &covariance * &w;
    let square = w.transposed() * &covariance * &w;
    let blocks = Matrix::from_fn(5, 5, |i, j| match (i, j) {
        (4, 4) => square[(0, 0)],
        (4, d) | (d, 4) => beta[(d, 0)],
        (i, j) => corner[(i, j)],
    });
    let what = "largest difference of entries on a random sequence";
    let note = "The lower left block is printed with $x$ for $x_n$.";
    Ok(Evidence::new().printed(matrices(what, &blocks, &whole, ROUNDING)).note(note))
}

/// `E(Lhat^2)` by quadrature at `N = 2`, the same with the printed second line of (16), and the task.
fn second_moments(trial: Trial) -> Result<(Task, Matrix, Matrix), ClaimError> {
    let task = small_world(trial, PAIRS)?;
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
        for (a, b) in (0..PAIRS).flat_map(|a| (0..PAIRS).map(move |b| (a, b))) {
            let factor = if a == b { n / (n * n) } else { (n * n - n) / (n * n) };
            sum += outer(sequence, a) * outer(sequence, b) * factor;
        }
        sum
    });
    Ok((task, exact, printed))
}

pub(super) const EQ_16_LINE_2: Claim = Claim::new(
    "linear-attention/eq-16-line-2",
    "Eq. (16), second line",
    Kind::Equation,
    "$E(\\hat\\Lambda^2)$ is $(N^2 - N)/N^2$ times the sum of $x_n x_n^T x_{n'} x_{n'}^T$ over all pairs \
     $n \\ne n'$, plus $N/N^2$ times the sum of $x_n x_n^T x_n x_n^T$ over all $n$.",
    eq_16_line_2,
)
.corrected(
    "$1/N^2$ times both sums: the factors $(N^2 - N)/N^2$ and $N/N^2$ already count the terms, and belong to \
     a single term each",
);

fn eq_16_line_2(trial: Trial) -> Outcome {
    let (task, exact, printed) = second_moments(trial)?;
    let right = expected(&task, PAIRS, |sequence| {
        let x = Matrix::from_fn(2, PAIRS, |i, n| sequence.tokens[n * 2 + i]);
        let sum = &x * x.transposed();
        &sum * &sum * (1.0 / (PAIRS * PAIRS) as f64)
    });
    Ok(Evidence::new()
        .printed(matrices("second line by quadrature, D = 2, N = 2", &printed, &exact, ROUNDING))
        .corrected(matrices("1/N^2 times all terms", &right, &exact, ROUNDING)))
}

pub(super) const EQ_16: Claim = Claim::new(
    "linear-attention/eq-16",
    "Eqs. (16), (17), (18), (19)",
    Kind::Equation,
    "$E(\\hat\\Lambda^2) = \\Lambda^2 + E(1/N) (\\Lambda + tr(\\Lambda) I) \\Lambda$, with the eigenvectors of \
     $\\Lambda$ and the eigenvalues $a_d = \\lambda_d^2 (1 + (1 + tr(\\Lambda)/\\lambda_d)/N)$.",
    eq_16,
);

fn eq_16(trial: Trial) -> Outcome {
    let (task, exact, _) = second_moments(trial)?;
    let (trace, n) = (task.trace(), PAIRS as f64);
    let a: Vec<f64> =
        task.eigenvalues().iter().map(|l| l * l * (1.0 + (1.0 + trace / l) / n)).collect();
    let u = Matrix::square(task.eigenvectors(), 2);
    let diagonal = u.transposed() * &exact * &u;
    // Lengths 1 and 2, equally often.
    let mut mixed = Matrix::zeros(2, 2);
    for pairs in 1..=PAIRS {
        mixed += expected(&task, pairs, |sequence| {
            let covariance = context_covariance(sequence);
            &covariance * &covariance
        });
    }
    let varying = Task::with_covariance(task.covariance(), Context::Varying(PAIRS))?;
    let result = Matrix::square(&task.second_moment(), 2);
    let result_varying = Matrix::square(&varying.second_moment(), 2);
    let expected_diagonal = Matrix::from_fn(2, 2, |i, j| if i == j { a[i] } else { 0.0 });
    Ok(Evidence::new()
        .printed(matrices("(17) by quadrature, D = 2, N = 2", &result, &exact, ROUNDING))
        .printed(matrices("(18), (19) in the eigenbasis", &expected_diagonal, &diagonal, ROUNDING))
        .printed(matrices(
            "(16) for lengths 1 and 2, E(1/N) = 3/4",
            &result_varying,
            &(mixed * (1.0 / n)),
            ROUNDING,
        )))
}

pub(super) const EQ_21: Claim = Claim::new(
    "linear-attention/eq-21",
    "Eqs. (20), (21)",
    Kind::Equation,
    "At the random start, the norms of all values, of all keys and of all queries are of the size $w_{init}$.",
    eq_21,
);

fn eq_21(trial: Trial) -> Outcome {
    let shape = Shape::new(4, 4, 2)?;
    let mut squares = [Mean::default(); 3];
    for index in 0..2000 {
        let weights = shape.random_start(0.1, start_seed(trial, index))?;
        let mut sums = [0.0; 3];
        for head in shape.iter(&weights) {
            let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
            sums[0] += head.value * head.value;
            sums[1] += norm(head.key);
            sums[2] += norm(head.query);
        }
        squares.iter_mut().zip(sums).for_each(|(mean, sum)| mean.add(sum / 0.01));
    }
    let names = ["values", "keys", "queries"];
    let one = |(name, mean): (&str, Mean)| {
        let what = format!("mean square norm of the {name} over w_init^2, 2000 starts");
        Measurement::relative(what, 1.0, mean.mean(), 0.2).noisy(mean.error())
    };
    Ok(names.into_iter().zip(squares).map(one).fold(Evidence::new(), Evidence::printed))
}

pub(super) const EQ_9: Claim = Claim::new(
    "linear-attention/eq-9",
    "Eq. (9)",
    Kind::Equation,
    "The next-token loss is the mean of $(y_n - \\hat y_n)^2$ over $n = 2, ..., N + 1$, where $\\hat y_n$ is the \
     model's output for the first $n$ columns of $X$; it is the loss with $E(1/N) = H_N / N$.",
    eq_9,
)
.corrected(
    "the same with the $y_n$ of column $n$ set to 0, and the scale $1/(n - 1)$: as printed, the model is shown \
     the answer that it is asked for",
);

fn eq_9(trial: Trial) -> Outcome {
    let task = small_world(trial, PAIRS)?;
    let varying = Task::with_covariance(task.covariance(), Context::Varying(PAIRS))?;
    let shape = Shape::new(2, 2, 1)?;
    let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
    let (mut literal, mut masked) = (Problems::default(), Problems::default());
    every_sequence(&task, PAIRS, Rule::Four, |sequence, weight| {
        for columns in 2..=PAIRS + 1 {
            // The last column is the query, whose y is 0 in X.
            let query = columns == PAIRS + 1;
            literal.push(sequence, columns, query, weight / PAIRS as f64);
            masked.push(sequence, columns, true, weight / PAIRS as f64);
        }
    });
    let landscape = Population::new(&varying, shape, 1.0)?;
    let (loss, _) = evaluated(&landscape, &weights)?;
    let (shown, hidden) =
        (literal.reduced_loss(shape, &weights), masked.reduced_loss(shape, &weights));
    Ok(Evidence::new()
        .printed(Measurement::relative("y_n shown to the model, N = 2", loss, shown, 1e-10))
        .corrected(Measurement::relative("y_n hidden, scale 1/(n - 1)", loss, hidden, 1e-10)))
}

/// The normal equations of least squares over all `Theta`, by quadrature: `E(f f^T)` and `E(f y)` for the
/// features `f = beta (x) x_q`.
fn normal_equations(task: &Task, pairs: usize) -> (Matrix, Matrix) {
    let d = task.dimension();
    let features = |sequence: &Sequence| {
        let beta = context_correlation(sequence);
        let query = &sequence.tokens[pairs * d..];
        Matrix::from_fn(d * d, 1, |place, _| beta[place / d] * query[place % d])
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
    Matrix::from_fn(d, d, |i, j| solution[(i * d + j, 0)])
}

/// Its loss: `E(y^2) - E(f y)^T E(f f^T)^-1 E(f y)`.
pub(super) fn least_squares_loss(task: &Task, pairs: usize) -> f64 {
    let (normal, right) = normal_equations(task, pairs);
    let square = expected(task, pairs, |sequence| {
        Matrix::from_fn(1, 1, |_, _| sequence.targets[pairs].powi(2))
    });
    let explained = right.transposed() * normal.solve(&right);
    square[(0, 0)] - explained[(0, 0)]
}

/// `E2^{-1} Lambda` for a symmetric `E2` that commutes with `Lambda`.
fn inverse_times(second: &Matrix, covariance: &Matrix) -> Matrix {
    second.solve(covariance)
}

pub(super) const EQ_10: Claim = Claim::new(
    "linear-attention/eq-10",
    "Eq. (10)",
    Kind::Equation,
    "The converged model computes $\\beta^T \\Lambda [E(x_n x_n^T / N)^2]^{-1} x_q$.",
    eq_10,
)
.corrected(
    "$\\beta^T \\Lambda [E(\\sum_n x_n x_n^T / N)^2]^{-1} x_q$: the sum over the context is missing",
);

fn eq_10(trial: Trial) -> Outcome {
    let task = small_world(trial, PAIRS)?;
    let best = least_squares(&task, PAIRS);
    let covariance = Matrix::square(task.covariance(), 2);
    let squared = |one: bool| {
        expected(&task, PAIRS, |sequence| {
            let tokens = if one { 1 } else { PAIRS };
            let x = Matrix::from_fn(2, tokens, |i, n| sequence.tokens[n * 2 + i]);
            let sum = &x * x.transposed() * (1.0 / PAIRS as f64);
            &sum * &sum
        })
    };
    let printed = inverse_times(&squared(true), &covariance);
    let right = inverse_times(&squared(false), &covariance);
    Ok(Evidence::new()
        .printed(matrices("matrix between beta and x_q, D = 2, N = 2", &printed, &best, 1e-10))
        .corrected(matrices("the same with the sum", &right, &best, 1e-10)))
}

pub(super) const EQ_11: Claim = Claim::new(
    "linear-attention/eq-11",
    "Eq. (11)",
    Kind::Equation,
    "The converged model computes $\\beta^T [\\Lambda + E(1/N) (\\Lambda + tr(\\Lambda) I)]^{-1} x_q$.",
    eq_11,
);

fn eq_11(trial: Trial) -> Outcome {
    let mut evidence = Evidence::new();
    for pairs in [1, 2] {
        let task = small_world(trial, pairs)?;
        let best = least_squares(&task, pairs);
        let (l, inverse) = (Matrix::square(task.covariance(), 2), 1.0 / pairs as f64);
        let one = Matrix::identity(2);
        let sum = &l + (&l + &one * (task.trace())) * inverse;
        let printed = inverse_times(&sum, &one);
        let what = format!("least squares over all sequences of N = {pairs}, D = 2");
        evidence = evidence.printed(matrices(&what, &printed, &best, 1e-10));
    }
    Ok(evidence)
}

pub(super) const EQ_12: Claim = Claim::new(
    "linear-attention/eq-12",
    "Eq. (12), appendix B.3",
    Kind::Equation,
    "With lengths uniform on $1, ..., N$, the loss at a fixed point is $tr(\\Lambda) - \\sum_{d \\le m} \
     \\lambda_d [1 + E(1/N) (1 + tr(\\Lambda)/\\lambda_d)]^{-1}$ with $E(1/N) = H_N / N$.",
    eq_12,
);

fn eq_12(trial: Trial) -> Outcome {
    let base = figure_1()?;
    let task = Task::new(base.eigenvalues(), Basis::Axes, Context::Varying(31))?;
    let theory = Theory::new(&task);
    let shape = Shape::new(4, 4, 1)?;
    let sampler = Sampler::new(&task)?;
    let weights = (0..=4)
        .map(|m| {
            let learned: Vec<usize> = (0..m).collect();
            theory.weights_at(shape, &learned, Slots::HeadEach)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut means = [Mean::default(); 5];
    let mut scratch = [0.0; 8];
    for index in 0..20_000 {
        let sequence = sampler.sequence(trial.seed, index);
        let mut sums = [0.0; 5];
        sampler.each_triple(&sequence, &mut scratch, |triple| {
            for (sum, weights) in sums.iter_mut().zip(&weights) {
                let prediction = shape.predict(weights, triple.beta, triple.query);
                *sum += (triple.target - prediction).powi(2) / 31.0;
            }
        });
        means.iter_mut().zip(sums).for_each(|(mean, sum)| mean.add(sum));
    }
    let harmonic: f64 = (1..=31).map(|n| 1.0 / f64::from(n)).sum::<f64>() / 31.0;
    let level = |m: usize| {
        let drop = |l: &f64| l / (1.0 + harmonic * (1.0 + task.trace() / l));
        task.trace() - task.eigenvalues()[..m].iter().map(drop).sum::<f64>()
    };
    let mut evidence = Evidence::new();
    for (m, mean) in means.iter().enumerate() {
        let what = format!("level m = {m}, mean over 20000 sequences of up to 31 pairs");
        evidence = evidence
            .printed(Measurement::relative(what, level(m), mean.mean(), 0.1).noisy(mean.error()));
    }
    Ok(evidence.note(format!("$E(1/N) = H_{{31}}/31 = {harmonic:.7}$.")))
}
