//! A task as lists of numbers, the plain path of the claims about attention: every sum written out over classes and
//! tokens, one solver of equal steps.

use super::*;
use faer::Mat;
use saddlescope::numeric::decompose::eigenvalues;
use saddlescope_scan_and_snap::{ClassSpec, Task};

/// A class: its query, and `P(l|n)` over all tokens.
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub(super) query: usize,
    pub(super) p: Vec<f64>,
}

/// A task as lists of numbers, without the types that it is compared with.
#[derive(Debug, Clone)]
pub(super) struct PlainTask {
    pub(super) classes: Vec<Class>,
    pub(super) tokens: usize,
    pub(super) queries: usize,
    /// `M`.
    pub(super) m: f64,
    pub(super) eta_y: f64,
    pub(super) eta_z: f64,
}

/// What the sum over classes in the rate of logits is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Share {
    /// One: 004, Eq. (10) as printed.
    Sum,
    /// `1/K`: what steps of batch size one do in expectation.
    Mean,
}

/// A moment of the reduced flow.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) t: f64,
    pub(super) z: Vec<f64>,
    /// The integral of `eta_Z xi_n`, with the same share.
    pub(super) b: Vec<f64>,
}

impl PlainTask {
    /// Classes of one query that share the first token; `weights` are those of the distinct tokens of each.
    pub(super) fn single(k: usize, m: f64, common: f64, weights: &[f64]) -> Self {
        let sum = common + weights.iter().sum::<f64>();
        let tokens = 1 + k * weights.len();
        let law = |n: usize| {
            let mut p = vec![0.0; tokens];
            p[0] = common / sum;
            for (i, weight) in weights.iter().enumerate() {
                p[1 + n * weights.len() + i] = weight / sum;
            }
            Class { query: 0, p }
        };
        let classes = (0..k).map(law).collect();
        Self { classes, tokens, queries: 1, m, eta_y: 1.0, eta_z: 1.0 }
    }

    /// Classes that take `queries` in turn, with `common` tokens that all share and `distinct` of their own, of random
    /// weights: those of common tokens are `size` of the others.
    pub(super) fn random(
        trial: Trial,
        index: u64,
        (k, queries): (usize, usize),
        (common, distinct): (usize, usize),
        size: f64,
    ) -> Self {
        let mut stream = stream(trial, index);
        let tokens = common + k * distinct;
        let law = |n: usize| {
            let mut p = vec![0.0; tokens];
            p[..common].iter_mut().for_each(|p| *p = size * (0.5 + stream.uniform()));
            let own = common + n * distinct..common + (n + 1) * distinct;
            p[own].iter_mut().for_each(|p| *p = 0.5 + 2.0 * stream.uniform());
            Class { query: n % queries, p: shares(&p) }
        };
        let classes = (0..k).map(law).collect();
        Self { classes, tokens, queries, m: 300.0, eta_y: 1.0, eta_z: 1.0 }
    }

    pub(super) fn vocabulary(mut self, m: f64) -> Self {
        self.m = m;
        self
    }

    pub(super) fn rates(mut self, eta_y: f64, eta_z: f64) -> Self {
        (self.eta_y, self.eta_z) = (eta_y, eta_z);
        self
    }

    pub(super) fn k(&self) -> f64 {
        self.classes.len() as f64
    }

    /// `t_0' = K ln M/eta_Y`.
    pub(super) fn scanned(&self) -> f64 {
        self.k() * self.m.ln() / self.eta_y
    }

    /// `t_0 = 2 (1 + omega_1) t_0'`, by halving.
    pub(super) fn snapped(&self) -> f64 {
        2.0 * self.k() / self.eta_y * larger_root(self.m)
    }

    /// `M h` at time `t`, from 004, Eq. (45).
    pub(super) fn lead(&self, t: f64) -> f64 {
        lead(self.m, self.eta_y * t / self.k())
    }

    /// `Z = 0`.
    pub(super) fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.queries * self.tokens]
    }

    /// Where the logits of class `n`'s query begin.
    pub(super) fn row(&self, n: usize) -> usize {
        self.classes[n].query * self.tokens
    }

    /// The tokens that only class `n` has, the likeliest last.
    pub(super) fn distinct(&self, n: usize) -> Vec<usize> {
        let has = |l: usize, k: usize| self.classes[k].p[l] > 0.0;
        let mut own: Vec<usize> = (0..self.tokens)
            .filter(|&l| has(l, n) && (0..self.classes.len()).all(|k| k == n || !has(l, k)))
            .collect();
        own.sort_by(|&a, &b| self.classes[n].p[a].total_cmp(&self.classes[n].p[b]));
        own
    }

    /// `P(l|n) e^(z_ml)`. 004, Eq. (5).
    pub(super) fn scores(&self, n: usize, z: &[f64]) -> Vec<f64> {
        let own = &z[self.row(n)..][..self.tokens];
        self.classes[n].p.iter().zip(own).map(|(p, z)| p * z.exp()).collect()
    }

    /// The entropy of the attention of class `n` among its distinct tokens, renormalised.
    pub(super) fn entropy(&self, n: usize, z: &[f64]) -> f64 {
        let scores = self.scores(n, z);
        entropy(&self.distinct(n).into_iter().map(|l| scores[l]).collect::<Vec<_>>())
    }

    /// `f_n` of all classes.
    pub(super) fn directions(&self, z: &[f64]) -> Vec<Vec<f64>> {
        (0..self.classes.len()).map(|n| unit(&self.scores(n, z))).collect()
    }

    /// `w_n` of Theorem 5 by leads of `x`, sent through `F (I + E)^-1`: `Y` as `tokens x M`.
    pub(super) fn decoder(&self, f: &[Vec<f64>], x: f64) -> Vec<Vec<f64>> {
        let (k, m) = (f.len(), self.m as usize);
        let inverse = inverse(&products(f));
        let mut y = vec![vec![0.0; m]; self.tokens];
        for (l, row) in y.iter_mut().enumerate() {
            for n in 0..k {
                let weight: f64 = (0..k).map(|j| f[j][l] * inverse[j][n]).sum();
                row.iter_mut().for_each(|y| *y -= weight * x / self.m);
                row[n] += weight * x;
            }
        }
        y
    }

    /// `Y^T f`.
    fn outputs(y: &[Vec<f64>], f: &[f64]) -> Vec<f64> {
        (0..y[0].len()).map(|j| (0..f.len()).map(|l| f[l] * y[l][j]).sum()).collect()
    }

    /// `e_n - alpha_n` over the `M` outputs.
    pub(super) fn error(y: &[Vec<f64>], f: &[f64], n: usize) -> Vec<f64> {
        let powers: Vec<f64> = Self::outputs(y, f).iter().map(|logit| logit.exp()).collect();
        minus(&axis(n, powers.len()), &shares(&powers))
    }

    /// `ln alpha_n` of class `n`. 004, Eq. (2).
    pub(super) fn objective(&self, y: &[Vec<f64>], z: &[f64], n: usize) -> f64 {
        let logits = Self::outputs(y, &self.directions(z)[n]);
        // Without loss of digits where alpha_n is near one.
        let others = (0..logits.len()).filter(|&j| j != n);
        -others.map(|j| (logits[j] - logits[n]).exp()).sum::<f64>().ln_1p()
    }

    /// `beta_{nn'}` by (88) with its sign mended; none of a class with itself.
    pub(super) fn beta(&self, f: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let (k, m) = (f.len(), self.m);
        let (q1, q0) = (m / (m - 1.0), -m / (m - 1.0).powi(2));
        let inverse = inverse(&products(f));
        // F (I + E)^-1 [q_0, .., q_1, .., q_0]: minus the coefficient of f_n'.
        let entry = |n: usize, other: usize| {
            let weights: Vec<f64> = (0..k).map(|j| if j == n { q1 } else { q0 }).collect();
            if n == other { 0.0 } else { -dot(&inverse[other], &weights) }
        };
        (0..k).map(|n| (0..k).map(|other| entry(n, other)).collect()).collect()
    }

    /// `gamma` where the decoder leads by `x`. 004, Eq. (85).
    pub(super) fn gamma(&self, x: f64) -> f64 {
        (self.m - 1.0).powi(2) * (x / self.m) / (self.m - 1.0 + x.exp())
    }

    /// `xi_n` of all classes. 004, Theorem 1(a).
    pub(super) fn xi(&self, f: &[Vec<f64>], x: f64) -> Vec<f64> {
        let (beta, gamma) = (self.beta(f), self.gamma(x));
        let one =
            |n: usize| (0..f.len()).map(|k| gamma * beta[n][k] * dot(&f[n], &f[k])).sum::<f64>();
        (0..f.len()).map(one).collect()
    }

    /// The rates of logits by (97), every sum written out.
    pub(super) fn rate(&self, z: &[f64], x: f64, share: Share) -> Vec<f64> {
        let f = self.directions(z);
        let (beta, products) = (self.beta(&f), products(&f));
        let speed = self.eta_z * self.gamma(x) * self.part(share);
        let mut rate = vec![0.0; z.len()];
        for n in 0..f.len() {
            for l in 0..self.tokens {
                for other in (0..f.len()).filter(|&other| other != n) {
                    rate[self.row(n) + l] += speed
                        * f[n][l]
                        * beta[n][other]
                        * (products[n][other] * f[n][l] - f[other][l]);
                }
            }
        }
        rate
    }

    fn part(&self, share: Share) -> f64 {
        if share == Share::Sum { 1.0 } else { 1.0 / self.k() }
    }

    /// The flow of logits from `z` at rest, with the decoder's lead carried along by (44), at each of `times`.
    pub(super) fn path(&self, z: &[f64], share: Share, times: &[f64], steps: usize) -> Vec<Point> {
        let (count, k) = (z.len(), self.classes.len());
        let field = |_: f64, y: &[f64]| {
            let x = y[count + k];
            let mut rate = self.rate(&y[..count], x, share);
            let part = self.eta_z * self.part(share);
            rate.extend(self.xi(&self.directions(&y[..count]), x).iter().map(|xi| part * xi));
            // 004, Eq. (44), in x = M h and t/K.
            rate.push(self.m * self.eta_y / self.k() / (self.m - 1.0 + x.exp()));
            rate
        };
        let start = [z, &vec![0.0; k + 1]].concat();
        let point = |(&t, y): (&f64, Vec<f64>)| {
            let (z, b) = (y[..count].to_vec(), y[count..count + k].to_vec());
            Point { t, z, b }
        };
        times.iter().zip(stepped_to(field, start, times, steps)).map(point).collect()
    }

    /// The same task as the library has it: its tokens first, then queries, then next tokens.
    pub(super) fn shape(&self, outputs: Outputs) -> Outcome<Shape> {
        let class = |(n, law): (usize, &Class)| ClassSpec {
            query: self.tokens + law.query,
            next: self.tokens + self.queries + n,
            law: law.p.iter().copied().enumerate().collect(),
        };
        let classes: Vec<ClassSpec> = self.classes.iter().enumerate().map(class).collect();
        Ok(Shape::new(Task::new(self.m as usize, &classes)?, outputs).rates(self.eta_y, self.eta_z))
    }
}

/// The smallest and the largest size of an eigenvalue of `E`. 004, Assumption 2.
pub(super) fn spread(f: &[Vec<f64>]) -> Outcome<[f64; 2]> {
    let e = products(f);
    let matrix = Mat::from_fn(f.len(), f.len(), |n, k| if n == k { 0.0 } else { e[n][k] });
    let why = || ClaimError::new("E has no eigenvalues: it is not finite");
    let values = eigenvalues(&matrix).ok_or_else(why)?;
    let sizes = || values.iter().map(|value| value.abs());
    Ok([smallest(sizes()), largest(sizes())])
}

/// `F^T F`.
pub(super) fn products(f: &[Vec<f64>]) -> Vec<Vec<f64>> {
    f.iter().map(|a| f.iter().map(|b| dot(a, b)).collect()).collect()
}

/// The inverse of a symmetric, positive matrix by Cholesky's factors.
pub(super) fn inverse(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = a.len();
    let mut low = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = a[i][j] - dot(&low[i][..j], &low[j][..j]);
            low[i][j] = if i == j { rest.sqrt() } else { rest / low[j][j] };
        }
    }
    let mut inverse = vec![vec![0.0; n]; n];
    for column in 0..n {
        let mut y = vec![0.0; n];
        for i in 0..n {
            let right = if i == column { 1.0 } else { 0.0 };
            y[i] = (right - dot(&low[i][..i], &y[..i])) / low[i][i];
        }
        for i in (0..n).rev() {
            let below: f64 = (i + 1..n).map(|j| low[j][i] * inverse[j][column]).sum();
            inverse[i][column] = (y[i] - below) / low[i][i];
        }
    }
    inverse
}

pub(super) fn logits(task: &PlainTask, trial: Trial, index: u64, size: f64) -> Vec<f64> {
    random(task.queries * task.tokens, size, &mut stream(trial, index))
}
