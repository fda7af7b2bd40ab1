//! Appendices D.5.1 and D.6.1: how small heads align during a plateau.

use super::*;

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
