//! Appendices D.5.1 and D.6.1: how small heads align during a plateau.

use super::*;

pub(super) fn eq_31(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 6, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    let direction = random(shape.parameters(), 1.0, &mut stream(trial, 0));
    let l = &task.eigenvalues;

    for m in 0..3 {
        let learned: Vec<usize> = (0..m).collect();
        let base = Theory::new(&task).weights_at(shape, &learned, Slots::HeadEach)?;
        let rest = |w: f64| -> Outcome<f64> {
            let mut weights = base.clone();
            let small = m * shape.head_len()..;
            for (weight, direction) in weights[small.clone()].iter_mut().zip(&direction[small]) {
                *weight = w * direction;
            }
            let slope = evaluated(&landscape, &weights)?.1;
            let mut most: f64 = 0.0;
            for (head, slope) in shape.iter(&weights).zip(shape.iter(&slope)).skip(m) {
                let omega = |x: &[f64], d: usize| if d < m { 0.0 } else { l[d] * l[d] * x[d] };
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

/// `[k; q]` at time `t` under `d/dt [k; q] = v(t) [[0, Omega], [Omega, 0]] [k; q]` with a made-up `v(t)`.
struct Linear {
    omega: Matrix,
    start: Vec<f64>,
    end: f64,
}

impl Linear {
    fn value(t: f64) -> f64 {
        0.4 + (3.0 * t).cos()
    }

    /// The integral of `v`.
    fn clock(t: f64) -> f64 {
        0.4 * t + (3.0 * t).sin() / 3.0
    }

    fn solved(&self) -> Vec<f64> {
        let rate = |t: f64, y: &[f64]| {
            let (k, q) = y.split_at(4);
            let scale = Self::value(t);
            let parts =
                [&self.omega * Matrix::column(q) * scale, &self.omega * Matrix::column(k) * scale];
            parts.iter().flat_map(|part| part.to_vec()).collect()
        };
        stepped(rate, &self.start, self.end, 4000)
    }

    /// The first two sums of (33) and (40), over the eigenvectors from `m` on.
    fn grown(&self, task: &Task, m: usize) -> Vec<f64> {
        let (k, q) = self.start.split_at(4);
        let mut sum = vec![0.0; 8];
        for d in m..4 {
            let axis = task.eigenvector(d);
            let rate = task.eigenvalues[d].powi(2) * Self::clock(self.end);
            let along = |x: &[f64]| dot(&axis, x);
            let plus = 0.5 * (along(k) + along(q)) * rate.exp();
            let minus = 0.5 * (along(k) - along(q)) * (-rate).exp();
            for i in 0..4 {
                sum[i] += (plus + minus) * axis[i];
                sum[4 + i] += (plus - minus) * axis[i];
            }
        }
        sum
    }
}

fn linear(trial: Trial, m: usize) -> Outcome<(Task, Linear)> {
    let basis = Basis::Random { seed: trial.seed };
    let task = Task::new(&[1.1, 0.9, 0.7, 0.5], basis, Context::Fixed(31))?;
    let squares: Vec<f64> =
        (0..4).map(|d| if d < m { 0.0 } else { task.eigenvalues[d].powi(2) }).collect();
    let omega = Matrix::square(&task.in_eigenbasis(&squares), 4);
    let start = random(8, 1.0, &mut stream(trial, 0));
    Ok((task, Linear { omega, start, end: 2.0 }))
}

pub(super) fn eq_33(e: &mut Evidence, trial: Trial) -> Outcome {
    let (task, linear) = linear(trial, 0)?;
    let what = "Runge-Kutta solution of (32) with v(t) = 0.4 + cos 3t, at t = 2";
    let (printed, measured) = (linear.grown(&task, 0), linear.solved());
    e.of(what).each(&printed, &measured, 1e-10);
    Ok(())
}

pub(super) fn eq_33_plateau(e: &mut Evidence, _: Trial) -> Outcome {
    let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
    let landscape = Population::new(&task, shape, 1.0)?;
    let start = written_start(shape)?;
    // The weights and the integrals of the values, together, over half of the first plateau.
    let n = shape.parameters();
    let rate = |_: f64, y: &[f64]| {
        let mut rate = vec![0.0; n];
        let loss = landscape.evaluate(&y[..n], Draw::default(), &mut landscape.work(), &mut rate);
        // Far from any overflow, a loss always has a value; else NaN fails the claim.
        let scale = if loss.is_ok() { -0.5 } else { f64::NAN };
        rate.iter_mut().for_each(|rate| *rate *= scale);
        rate.extend(shape.iter(&y[..n]).map(|head| head.value));
        rate
    };
    let half = 0.5 * 292.178_936_558;
    let end = stepped(rate, &[&start[..], &[0.0; 4]].concat(), half, 3000);
    let mut worst: f64 = 0.0;
    for (i, (from, to)) in shape.iter(&start).zip(shape.iter(&end[..n])).enumerate() {
        let size = norms(shape, &end[..n])[i][1];
        for d in 0..4 {
            let grown = task.eigenvalues[d].powi(2) * end[n + i];
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
    let (task, linear) = linear(trial, M)?;
    let measured = linear.solved();
    let (k, q) = linear.start.split_at(4);
    let third = |printed: bool| {
        let mut sum = linear.grown(&task, M);
        for d in 0..M {
            let axis = task.eigenvector(d);
            let along = |x: &[f64]| dot(&axis, x);
            let both = along(k) + along(q);
            let (a, b) = if printed { (both, both) } else { (along(k), along(q)) };
            for i in 0..4 {
                sum[i] += a * axis[i];
                sum[4 + i] += b * axis[i];
            }
        }
        sum
    };
    let what = "Runge-Kutta solution of (39) with m = 2 and v(t) = 0.4 + cos 3t, at t = 2";
    e.of(what).each(&third(true), &measured, 1e-10);
    e.but(what).each(&third(false), &measured, 1e-10);
    Ok(())
}
