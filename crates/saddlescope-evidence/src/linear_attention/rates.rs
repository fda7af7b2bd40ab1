//! Appendices D.2 and E.2: the equations of gradient flow.

use super::literal::gradient;
use super::*;

/// Pairs in the sequences of this file.
const PAIRS: usize = 2;
/// What central differences of quadrature sums leave.
const TOLERANCE: f64 = 1e-11;

/// A small task, a model for it, and what gradient flow does there according to differences of the
/// literal loss: `-(1/2) dL/dW`, per head `(v, keys, queries)`.
struct Case {
    task: Task,
    shape: Shape,
    weights: Vec<f64>,
    rates: Vec<f64>,
}

impl Case {
    fn new(trial: Trial, rank: usize) -> Outcome<Self> {
        let task = small_task(trial, PAIRS)?;
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
        self.pairs_by(common, true)
    }

    /// `v F k_r` per head and rank.
    fn queries_by(&self, factor: &Matrix) -> Vec<f64> {
        self.pairs_by(factor, false)
    }

    fn pairs_by(&self, matrix: &Matrix, of_queries: bool) -> Vec<f64> {
        let mut rates = Vec::new();
        for head in self.shape.iter(&self.weights) {
            for (key, query) in head.pairs() {
                let vector = Matrix::column(if of_queries { query } else { key });
                rates.extend_from_slice(&(matrix * vector * head.value));
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
    let case = Case::new(trial, 1)?;
    let c = case.correlation();
    let transposed = c.transposed();
    let how = "differences of the literal loss, D = 2, N = 2, H = 2";
    let line = |name: &str, predicted: &[f64], measured: &[f64]| {
        Measurement::each(format!("{name}, {how}"), predicted, measured, TOLERANCE)
    };
    e.printed(line("(22a)", &case.values_by(&c), &case.value_rates()));
    e.printed(line("(22b)", &case.keys_by(&c), &case.key_rates()));
    e.printed(line("(22c)", &case.queries_by(&transposed), &case.query_rates()));
    Ok(())
}

pub(super) fn eq_23(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    let what = "quadrature over all sequences, D = 2, N = 2";
    let common = case.moments().common();
    e.of(what).each(&common, &case.correlation(), TOLERANCE);
    Ok(())
}

const HOW: &str = "rates by differences of the literal loss, D = 2, N = 2, H = 2";

pub(super) fn eq_24a(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    let printed = case.values_by(&case.moments().common());
    let measured = case.value_rates();
    e.of(HOW).each(&printed, &measured, TOLERANCE);
    Ok(())
}

pub(super) fn eq_24b(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    let printed = case.keys_by(&case.moments().common());
    let measured = case.key_rates();
    e.of(HOW).each(&printed, &measured, TOLERANCE);
    Ok(())
}

pub(super) fn eq_24c(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    let theta = case.moments().theta;
    let by = |theta: &Matrix| case.queries_by(&case.query_factor(theta));
    let (printed, right) = (by(&theta), by(&theta.transposed()));
    let measured = case.query_rates();
    e.of(HOW).each(&printed, &measured, TOLERANCE);
    e.but(HOW).each(&right, &measured, TOLERANCE);
    Ok(())
}

pub(super) fn eq_45(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 2)?;
    let moments = case.moments();
    let common = moments.common();
    let factor = case.query_factor(&moments.theta.transposed());
    let line = |name: &str, predicted: &[f64], measured: &[f64]| {
        Measurement::each(format!("{name}, {HOW}, R = 2"), predicted, measured, TOLERANCE)
    };
    e.printed(line("(45a)", &case.values_by(&common), &case.value_rates()));
    e.printed(line("(45b)", &case.keys_by(&common), &case.key_rates()));
    e.printed(line("(45c)", &case.queries_by(&factor), &case.query_rates()));
    Ok(())
}
