//! Appendices D.2 and E.2: the equations of gradient flow.

use super::*;

/// What central differences of quadrature sums leave.
const TOLERANCE: f64 = 1e-11;

/// Weights of a small model, and what gradient flow does there according to differences of the literal loss:
/// `-(1/2) dL/dW`, of all heads.
struct Case {
    small: Small,
    weights: Vec<f64>,
    value_rates: Vec<f64>,
    key_rates: Vec<f64>,
    query_rates: Vec<f64>,
}

impl Case {
    fn new(trial: Trial, rank: usize) -> Outcome<Self> {
        let small = Small::new(trial, 2, rank)?;
        let weights = small.random(trial);
        let rates = times_each(-0.5, &small.slopes(&weights));
        let heads = || small.shape.iter(&rates);
        Ok(Self {
            value_rates: heads().map(|head| head.value).collect(),
            key_rates: heads().flat_map(|head| head.key.to_vec()).collect(),
            query_rates: heads().flat_map(|head| head.query.to_vec()).collect(),
            small,
            weights,
        })
    }

    fn moments(&self) -> Moments {
        self.small.moments(&self.weights)
    }

    /// `E(beta (y_q - yhat_q) x_q^T)` with whole attention, by quadrature.
    fn correlation(&self) -> Matrix {
        let whole = embedded(self.small.shape, &self.weights);
        expected(&self.small.task, PAIRS, |sequence| {
            let x = prompt(sequence, PAIRS + 1, true);
            let error = sequence.targets[PAIRS] - attention(self.small.shape, &whole, &x, 0.0);
            let query = Matrix::column(&sequence.tokens[PAIRS * 2..]);
            Matrix::column(&context_correlation(sequence)) * query.transposed() * error
        })
    }

    /// `sum_r k_r^T G q_r` per head.
    fn values_by(&self, common: &Matrix) -> Vec<f64> {
        let form = |(k, q): (&[f64], &[f64])| {
            (Matrix::column(k).transposed() * common * Matrix::column(q))[(0, 0)]
        };
        self.small.shape.iter(&self.weights).map(|head| head.pairs().map(form).sum()).collect()
    }

    /// `v G q_r` per head and rank.
    fn keys_by(&self, common: &Matrix) -> Vec<f64> {
        self.pairs_by(common, 1)
    }

    /// `v F k_r` per head and rank.
    fn queries_by(&self, factor: &Matrix) -> Vec<f64> {
        self.pairs_by(factor, 0)
    }

    /// `v A x` per head and rank, where `x` is its key (0) or its query (1).
    fn pairs_by(&self, matrix: &Matrix, place: usize) -> Vec<f64> {
        let mut rates = Vec::new();
        for head in self.small.shape.iter(&self.weights) {
            for (key, query) in head.pairs() {
                rates.extend(times_each(head.value, &matrix.apply([key, query][place])));
            }
        }
        rates
    }

    /// `Lambda^2 - Lambda T E(Lhat^2)`, the factor of (24c) and (45c) for `T = Theta` or its transpose.
    fn query_factor(&self, theta: &Matrix) -> Matrix {
        let Moments { covariance, second, .. } = self.moments();
        &covariance * &covariance - &covariance * theta * second
    }

    /// The rates of values, keys and queries by these factors, beside those by differences.
    fn compare(&self, e: &mut Evidence, equation: &str, how: &str, [common, factor]: [&Matrix; 2]) {
        for (name, predicted, measured) in [
            ("a", self.values_by(common), &self.value_rates),
            ("b", self.keys_by(common), &self.key_rates),
            ("c", self.queries_by(factor), &self.query_rates),
        ] {
            e.of(format!("({equation}{name}), {how}")).each(&predicted, measured, TOLERANCE);
        }
    }
}

pub(super) fn eq_22(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    let c = case.correlation();
    let how = "differences of the literal loss, D = 2, N = 2, H = 2";
    case.compare(e, "22", how, [&c, &c.transposed()]);
    Ok(())
}

pub(super) fn eq_23(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    let what = "quadrature over all sequences, D = 2, N = 2";
    e.of(what).each(&case.moments().common(), &case.correlation(), TOLERANCE);
    Ok(())
}

const HOW: &str = "rates by differences of the literal loss, D = 2, N = 2, H = 2";

pub(super) fn eq_24a(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    e.of(HOW).each(&case.values_by(&case.moments().common()), &case.value_rates, TOLERANCE);
    Ok(())
}

pub(super) fn eq_24b(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    e.of(HOW).each(&case.keys_by(&case.moments().common()), &case.key_rates, TOLERANCE);
    Ok(())
}

pub(super) fn eq_24c(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 1)?;
    let theta = case.moments().theta;
    let by = |theta: &Matrix| case.queries_by(&case.query_factor(theta));
    e.both(HOW).each([&by(&theta), &by(&theta.transposed())], &case.query_rates, TOLERANCE);
    Ok(())
}

pub(super) fn eq_45(e: &mut Evidence, trial: Trial) -> Outcome {
    let case = Case::new(trial, 2)?;
    let moments = case.moments();
    let factor = case.query_factor(&moments.theta.transposed());
    case.compare(e, "45", &format!("{HOW}, R = 2"), [&moments.common(), &factor]);
    Ok(())
}
