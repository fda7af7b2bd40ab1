//! Appendices D.2 and E.2: the equations of gradient flow.

use super::literal::gradient;
use super::*;

/// Pairs in the sequences of this file.
const PAIRS: usize = 2;
/// What central differences of quadrature sums leave.
const TOLERANCE: f64 = 1e-11;

/// A small world, a model in it, and what gradient flow does there according to differences of the
/// literal loss: `-(1/2) dL/dW`, per head `(v, keys, queries)`.
struct Bench {
    task: Task,
    shape: Shape,
    weights: Vec<f64>,
    rates: Vec<f64>,
}

impl Bench {
    fn new(trial: Trial, rank: usize) -> Result<Self, ClaimError> {
        let task = small_world(trial, PAIRS)?;
        let shape = Shape::new(2, 2, rank)?;
        let weights = random(shape.parameters(), 0.8, &mut stream(trial, 0));
        let problems = Problems::of(&task, PAIRS);
        let slopes = gradient(|weights| problems.reduced_loss(shape, weights), &weights);
        let rates = slopes.iter().map(|slope| -0.5 * slope).collect();
        Ok(Self { task, shape, weights, rates })
    }

    fn moments(&self) -> Moments {
        Moments::new(&self.task, self.shape, &self.weights)
    }

    /// `E(beta (y_q - yhat_q) x_q^T)` with whole attention, by quadrature.
    fn correlation(&self) -> Matrix {
        let whole = embedded(self.shape, &self.weights);
        expected(&self.task, PAIRS, |sequence| {
            let x = prompt(sequence, PAIRS + 1, true);
            let error = sequence.targets[PAIRS] - attention(self.shape, &whole, &x, 0.0);
            let query = Matrix::column(&sequence.tokens[PAIRS * 2..]);
            Matrix::column(&context_correlation(sequence)) * query.transposed() * error
        })
    }

    fn value_rates(&self) -> Vec<f64> {
        self.shape.iter(&self.rates).map(|head| head.value).collect()
    }

    fn key_rates(&self) -> Vec<f64> {
        self.shape.iter(&self.rates).flat_map(|head| head.key.to_vec()).collect()
    }

    fn query_rates(&self) -> Vec<f64> {
        self.shape.iter(&self.rates).flat_map(|head| head.query.to_vec()).collect()
    }

    /// `sum_r k_r^T G q_r` per head.
    fn values_by(&self, common: &Matrix) -> Vec<f64> {
        let form = |(k, q): (&[f64], &[f64])| {
            (Matrix::column(k).transposed() * common * Matrix::column(q))[(0, 0)]
        };
        self.shape.iter(&self.weights).map(|head| head.pairs().map(form).sum()).collect()
    }

    /// `v G q_r` per head and rank.
    fn keys_by(&self, common: &Matrix) -> Vec<f64> {
        let mut rates = Vec::new();
        for head in self.shape.iter(&self.weights) {
            for (_, query) in head.pairs() {
                rates.extend((common * Matrix::column(query) * head.value).entries());
            }
        }
        rates
    }

    /// `v F k_r` per head and rank.
    fn queries_by(&self, factor: &Matrix) -> Vec<f64> {
        let mut rates = Vec::new();
        for head in self.shape.iter(&self.weights) {
            for (key, _) in head.pairs() {
                rates.extend((factor * Matrix::column(key) * head.value).entries());
            }
        }
        rates
    }

    /// `Lambda^2 - Lambda T E(Lhat^2)`, the factor of (24c) and (45c) for `T = Theta` or its transpose.
    fn query_factor(&self, theta: &Matrix) -> Matrix {
        let Moments { covariance, second, .. } = self.moments();
        &covariance * &covariance - &covariance * theta * second
    }
}

pub(super) fn eq_22(e: &mut Evidence, trial: Trial) -> Outcome {
    let bench = Bench::new(trial, 1)?;
    let c = bench.correlation();
    let transposed = c.transposed();
    let how = "differences of the literal loss, D = 2, N = 2, H = 2";
    let line = |name: &str, predicted: &[f64], measured: &[f64]| {
        Measurement::each(format!("{name}, {how}"), predicted, measured, TOLERANCE)
    };
    e.printed(line("(22a)", &bench.values_by(&c), &bench.value_rates()));
    e.printed(line("(22b)", &bench.keys_by(&c), &bench.key_rates()));
    e.printed(line("(22c)", &bench.queries_by(&transposed), &bench.query_rates()));
    Ok(())
}

pub(super) fn eq_23(e: &mut Evidence, trial: Trial) -> Outcome {
    let bench = Bench::new(trial, 1)?;
    let what = "quadrature over all sequences, D = 2, N = 2";
    let common = bench.moments().common();
    e.printed(matrices(what, &common, &bench.correlation(), TOLERANCE));
    Ok(())
}

const HOW: &str = "rates by differences of the literal loss, D = 2, N = 2, H = 2";

pub(super) fn eq_24a(e: &mut Evidence, trial: Trial) -> Outcome {
    let bench = Bench::new(trial, 1)?;
    let printed = bench.values_by(&bench.moments().common());
    let measured = bench.value_rates();
    e.each(HOW, &printed, &measured, TOLERANCE);
    Ok(())
}

pub(super) fn eq_24b(e: &mut Evidence, trial: Trial) -> Outcome {
    let bench = Bench::new(trial, 1)?;
    let printed = bench.keys_by(&bench.moments().common());
    let measured = bench.key_rates();
    e.each(HOW, &printed, &measured, TOLERANCE);
    Ok(())
}

pub(super) fn eq_24c(e: &mut Evidence, trial: Trial) -> Outcome {
    let bench = Bench::new(trial, 1)?;
    let theta = bench.moments().theta;
    let by = |theta: &Matrix| bench.queries_by(&bench.query_factor(theta));
    let (printed, right) = (by(&theta), by(&theta.transposed()));
    let measured = bench.query_rates();
    e.each(HOW, &printed, &measured, TOLERANCE);
    e.but_each(HOW, &right, &measured, TOLERANCE);
    Ok(())
}

pub(super) fn eq_45(e: &mut Evidence, trial: Trial) -> Outcome {
    let bench = Bench::new(trial, 2)?;
    let moments = bench.moments();
    let common = moments.common();
    let factor = bench.query_factor(&moments.theta.transposed());
    let line = |name: &str, predicted: &[f64], measured: &[f64]| {
        Measurement::each(format!("{name}, {HOW}, R = 2"), predicted, measured, TOLERANCE)
    };
    e.printed(line("(45a)", &bench.values_by(&common), &bench.value_rates()));
    e.printed(line("(45b)", &bench.keys_by(&common), &bench.key_rates()));
    e.printed(line("(45c)", &bench.queries_by(&factor), &bench.query_rates()));
    Ok(())
}
