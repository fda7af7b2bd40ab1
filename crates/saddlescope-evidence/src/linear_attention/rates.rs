//! Appendices D.2, D.5.1, D.6.1 and E.2: the equations of gradient flow, and how small heads align during a plateau.

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

pub(super) fn eq_31(e: &mut Evidence, trial: Trial) -> Outcome {
    let setup = Setup::figure_1(6, 1)?;
    let shape = setup.shape;
    let direction = random(shape.parameters(), 1.0, &mut stream(trial, 0));
    for m in 0..3 {
        let base = setup.fixed_point(m)?;
        let rest = |w: f64| -> Outcome<f64> {
            let mut weights = base.clone();
            let small = m * shape.head_len()..;
            weights[small.clone()].copy_from_slice(&times_each(w, &direction[small]));
            let slope = setup.exact.slopes(&weights)?;
            let mut most: f64 = 0.0;
            for (head, slope) in shape.iter(&weights).zip(shape.iter(&slope)).skip(m) {
                let omega = |x: &[f64], d: usize| {
                    if d < m { 0.0 } else { setup.lambda(d) * setup.lambda(d) * x[d] }
                };
                let sum: f64 = (0..4).map(|d| head.key[d] * omega(head.query, d)).sum();
                most = most.max((-0.5 * slope.value - sum).abs());
                for d in 0..4 {
                    let (k, q) = (omega(head.query, d), omega(head.key, d));
                    most = most.max((-0.5 * slope.key[d] - head.value * k).abs());
                    most = most.max((-0.5 * slope.query[d] - head.value * q).abs());
                }
            }
            Ok(most)
        };
        let order = (rest(0.1)? / rest(0.05)?).log2();
        let what = format!("power of w in the rest, from w = 0.05 to 0.1, m = {m}");
        e.of(what).abs(5.0, order, 1e-6);
    }
    Ok(())
}

/// `[k; q]` at time 2 under `d/dt [k; q] = v(t) [[0, Omega], [Omega, 0]] [k; q]` with a made-up `v(t)`.
struct Linear {
    task: Task,
    omega: Matrix,
    start: Vec<f64>,
}

impl Linear {
    const END: f64 = 2.0;

    fn new(trial: Trial, m: usize) -> Outcome<Self> {
        let basis = Basis::Random { seed: trial.seed };
        let task = Task::new(&[1.1, 0.9, 0.7, 0.5], basis, Context::Fixed(31))?;
        let squares: Vec<f64> =
            (0..4).map(|d| if d < m { 0.0 } else { task.eigenvalues[d].powi(2) }).collect();
        let omega = Matrix::square(&task.in_eigenbasis(&squares), 4);
        Ok(Self { task, omega, start: random(8, 1.0, &mut stream(trial, 0)) })
    }

    fn solved(&self) -> Vec<f64> {
        let rate = |t: f64, y: &[f64]| {
            let (k, q) = y.split_at(4);
            let value = 0.4 + (3.0 * t).cos();
            [q, k].map(|x| times_each(value, &self.omega.apply(x))).concat()
        };
        stepped(rate, &self.start, Self::END, 4000)
    }

    /// The components of the first keys and queries along eigenvector `d`, and the eigenvector.
    fn along(&self, d: usize) -> (f64, f64, Vec<f64>) {
        let (axis, (k, q)) = (self.task.eigenvector(d), self.start.split_at(4));
        (dot(&axis, k), dot(&axis, q), axis)
    }

    /// The first two sums of (33) and (40), over the eigenvectors from `m` on.
    fn grown(&self, m: usize) -> Vec<f64> {
        // The integral of v.
        let clock = 0.4 * Self::END + (3.0 * Self::END).sin() / 3.0;
        let mut sum = vec![0.0; 8];
        for d in m..4 {
            let (k, q, axis) = self.along(d);
            let rate = self.task.eigenvalues[d].powi(2) * clock;
            let (plus, minus) = (0.5 * (k + q) * rate.exp(), 0.5 * (k - q) * (-rate).exp());
            for i in 0..4 {
                sum[i] += (plus + minus) * axis[i];
                sum[4 + i] += (plus - minus) * axis[i];
            }
        }
        sum
    }
}

pub(super) fn eq_33(e: &mut Evidence, trial: Trial) -> Outcome {
    let linear = Linear::new(trial, 0)?;
    let what = "Runge-Kutta solution of (32) with v(t) = 0.4 + cos 3t, at t = 2";
    e.of(what).each(&linear.grown(0), &linear.solved(), 1e-10);
    Ok(())
}

pub(super) fn eq_33_plateau(e: &mut Evidence, _: Trial) -> Outcome {
    let (start, shape) = (FIG_1.written_start()?, FIG_1.shape);
    // The weights and the integrals of the values, together, over half of the first plateau.
    let n = shape.parameters();
    let rate = |_: f64, y: &[f64]| {
        // Far from any overflow, a loss always has a value; else NaN fails the claim.
        let slopes = FIG_1.exact.slopes(&y[..n]).unwrap_or_else(|_| vec![f64::NAN; n]);
        let mut rate = times_each(-0.5, &slopes);
        rate.extend(shape.iter(&y[..n]).map(|head| head.value));
        rate
    };
    let half = 0.5 * 292.178_936_558;
    let end = stepped(rate, &[&start[..], &[0.0; 4]].concat(), half, 3000);
    let mut worst: f64 = 0.0;
    for (i, (from, to)) in shape.iter(&start).zip(shape.iter(&end[..n])).enumerate() {
        let size = norms(shape, &end[..n])[i][1];
        for d in 0..4 {
            let grown = FIG_1.lambda(d).powi(2) * end[n + i];
            let plus = 0.5 * (from.key[d] + from.query[d]) * grown.exp();
            let minus = 0.5 * (from.key[d] - from.query[d]) * (-grown).exp();
            worst = worst.max((to.key[d] - plus - minus).abs() / size);
            worst = worst.max((to.query[d] - plus + minus).abs() / size);
        }
    }
    let what = "largest miss over the first half of the plateau, as a part of |k|, w_init = 0.05";
    e.of(what).abs(0.0, worst, 1e-6).loosely(1e-3);
    Ok(())
}

pub(super) fn eq_40(e: &mut Evidence, trial: Trial) -> Outcome {
    const M: usize = 2;
    let linear = Linear::new(trial, M)?;
    let (mut printed, mut right) = (linear.grown(M), linear.grown(M));
    for d in 0..M {
        let (k, q, axis) = linear.along(d);
        for i in 0..4 {
            printed[i] += (k + q) * axis[i];
            printed[4 + i] += (k + q) * axis[i];
            right[i] += k * axis[i];
            right[4 + i] += q * axis[i];
        }
    }
    let what = "Runge-Kutta solution of (39) with m = 2 and v(t) = 0.4 + cos 3t, at t = 2";
    e.both(what).each([&printed, &right], &linear.solved(), 1e-10);
    Ok(())
}
