//! How long a small start stays at zero: the first plateau of any start, of any rank.
//!
//! While weights are small, `G = Lambda^2` in the flow (45), so heads do not notice each other, and the
//! flow is homogeneous: a start `c` times as large takes `1/c` of the time. With `s_r = (k_r + q_r)/sqrt 2`
//! and `d_r = (k_r - q_r)/sqrt 2`,
//!
//! ```text
//! tau s_r' = v Lambda^2 s_r    tau d_r' = -v Lambda^2 d_r
//! tau v'   = (1/2) sum_r (s_r^T Lambda^2 s_r - d_r^T Lambda^2 d_r)
//! ```
//!
//! so that with `u = int v dt/tau` each component is `s_r(0) e^(lambda^2 u)`, `d_r(0) e^(-lambda^2 u)`, and
//! a head of any rank is one particle: `tau v' = (1/2) sum_d lambda_d^2 (S_d e^(2 lambda_d^2 u) - D_d
//! e^(-2 lambda_d^2 u))`, where `S_d` and `D_d` are the squares of the components along eigenvector `d`,
//! summed over the slots. The rank enters in no other way. The paper has the aligned case, (36) to (38); the
//! rest is ours.

use saddlescope_spec::prediction::{Prediction, Says};

use crate::{ScalarLaw, Shape, Task};

/// Step of the solver, in units of the particle's own time.
const STEP: f64 = 0.02;

/// How far a value grows, relative to the whole start, before its pole is near enough.
const GROWN: f64 = 1e8;

/// Steps at most: a head that has not grown by then rests at a saddle.
const MOST_STEPS: usize = 20_000;

/// A head while it is small.
struct Particle {
    /// `lambda_d^2`.
    squares: Vec<f64>,
    /// `S_d` and `D_d`.
    sums: Vec<(f64, f64)>,
    value: f64,
}

impl Particle {
    fn new(task: &Task, shape: Shape, weights: &[f64], head: usize) -> Option<Self> {
        let head = shape.iter(weights).nth(head)?;
        let component = |vector: &[f64], d: usize| -> f64 {
            task.eigenvector(d).iter().zip(vector).map(|(e, x)| e * x).sum()
        };
        let sums = (0..task.dimension()).map(|d| {
            head.pairs().fold((0.0, 0.0), |(s, m), (key, query)| {
                let (k, q) = (component(key, d), component(query, d));
                (s + 0.5 * (k + q) * (k + q), m + 0.5 * (k - q) * (k - q))
            })
        });
        let squares = task.eigenvalues.iter().map(|l| l * l).collect();
        Some(Self { squares, sums: sums.collect(), value: head.value })
    }

    /// Force on the particle, and the squares of all keys and queries, at `u`.
    fn at(&self, u: f64) -> (f64, f64) {
        let terms = self.squares.iter().zip(&self.sums).map(|(square, (s, d))| {
            let growth = (2.0 * square * u).exp();
            let (s, d) = (s * growth, d / growth);
            (0.5 * square * (s - d), s + d)
        });
        terms.fold((0.0, 0.0), |(force, size), term| (force + term.0, size + term.1))
    }

    /// The time, in units of tau, at which it has grown beyond all bounds.
    fn pole(&self) -> Option<f64> {
        let fastest = self.squares.iter().copied().fold(0.0, f64::max);
        // In units of its own time the particle grows by about e.
        let rate = |[u, v, _]: [f64; 3]| {
            let (force, size) = self.at(u);
            let own = 1.0 / (fastest * (v * v + size).sqrt());
            [v * own, force * own, own]
        };
        let along = |state: [f64; 3], rate: [f64; 3], step: f64| -> [f64; 3] {
            std::array::from_fn(|i| state[i] + step * rate[i])
        };
        let start = (self.value * self.value + self.at(0.0).1).sqrt();
        let mut state = [0.0, self.value, 0.0];
        for _ in 0..MOST_STEPS {
            let a = rate(state);
            let b = rate(along(state, a, 0.5 * STEP));
            let c = rate(along(state, b, 0.5 * STEP));
            let d = rate(along(state, c, STEP));
            for i in 0..3 {
                state[i] += STEP / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
            }
            if state[1].abs() > GROWN * start {
                // From there on it is v' = lambda^2 v^2, along the largest eigenvalue.
                return Some(state[2] + 1.0 / (fastest * state[1].abs()));
            }
        }
        None
    }
}

/// When the first of the loss's levels is half way crossed, in the limit of a small start: when the first
/// head has grown, less the time that Eq. (37) is ahead of its pole.
pub(crate) fn first_jump(task: &Task, shape: Shape, tau: f64, start: &[f64]) -> Option<f64> {
    let poles = (0..shape.heads).filter_map(|i| Particle::new(task, shape, start, i)?.pole());
    let pole = tau * poles.min_by(f64::total_cmp)?;
    let law = ScalarLaw::of_stage(task, 0, tau).ok()?;
    let small = 1e-4 * law.optimum();
    let ahead = law.plateau_estimate(small) - law.time(small, law.half_drop()).ok()?;
    Some(pole - ahead).filter(|time| *time > 0.0)
}

/// That time as a prediction of the table's first crossing, and of the first duration.
pub(crate) fn predictions(task: &Task, shape: Shape, tau: f64, start: &[f64]) -> Vec<Prediction> {
    let Some(time) = first_jump(task, shape, tau, start) else { return Vec::new() };
    let of = |column| Prediction::new("first-jump", "small start", column, Says::Number(time));
    vec![of("crossing.1"), of("duration.1")]
}

#[cfg(test)]
#[path = "escape_tests.rs"]
mod tests;
