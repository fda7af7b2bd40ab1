//! What the claims share: settings with their flows, the paper's functions, bounds over many points.

use super::*;
use saddlescope_ngram_to_induction::theory::phases::Head;

/// What differences of order six leave of a derivative.
pub(super) const DIFFERENCES: f64 = 1e-11;

/// 002, C.3.2: `psi(x) = (1 - x^2)^{-1/2}`.
pub(super) fn psi(x: f64) -> f64 {
    (1.0 - x * x).powf(-0.5)
}

/// 002, C.3.2: `phi(x) = (1 - x^2)^{-3/2} x`, the same as `C(x)`.
pub(super) fn phi(x: f64) -> f64 {
    (1.0 - x * x).powf(-1.5) * x
}

/// `M(p)` over `n = L - 2` distances, term by term; for very long sequences the closed form, which `m-total` checks.
/// 002, Function II.
pub(super) fn big_m(n: usize, p: f64) -> f64 {
    if is_long(n, p) {
        return (1.0 - (-p * n as f64).exp()) / (1.0 - (-p).exp());
    }
    powers(n, p).map(|(_, power)| power).sum()
}

/// `m(p)`, in the same way.
pub(super) fn small_m(n: usize, p: f64) -> f64 {
    if is_long(n, p) {
        let (u, count) = ((-p).exp(), n as f64);
        let last = (-p * (count - 1.0)).exp();
        return u * (1.0 - count * last + (count - 1.0) * last * u) / (1.0 - u).powi(2);
    }
    powers(n, p).map(|(k, power)| k * power).sum()
}

/// Whether a sum has so many terms that the closed form is taken, and that this loses no digits.
fn is_long(n: usize, p: f64) -> bool {
    n > 500 && p * n as f64 > 5.0
}

fn powers(n: usize, p: f64) -> impl Iterator<Item = (f64, f64)> {
    let (u, mut power) = ((-p).exp(), 1.0);
    (0..n).map(move |k| {
        let now = power;
        power *= u;
        (k as f64, now)
    })
}

/// What a flow depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) length: usize,
    pub(super) alpha: f64,
    pub(super) w_star: f64,
    pub(super) sigma: f64,
}

/// Figs. 1 and 3.
pub(super) const FIG_1: Setting = Setting::new(40, 1.0, 0.49, 0.01);

/// A point of the 4-gram's flow, with its rates.
#[derive(Debug, Clone, Copy)]
pub(super) struct GramPoint {
    pub(super) t: f64,
    pub(super) p: f64,
    pub(super) g: f64,
    pub(super) dp: f64,
    pub(super) dg: f64,
}

/// A point of the induction head's flow, with its rates as C.3.2 prints them.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadPoint {
    pub(super) t: f64,
    pub(super) w: f64,
    pub(super) h: f64,
    pub(super) dw: f64,
    pub(super) dh: f64,
}

impl Setting {
    pub(super) const fn new(length: usize, alpha: f64, w_star: f64, sigma: f64) -> Self {
        Self { length, alpha, w_star, sigma }
    }

    pub(super) fn name(&self) -> String {
        let Self { length, alpha, w_star, sigma } = self;
        format!("L = {length}, alpha* = {alpha}, w* = {w_star}, sigma = {sigma}")
    }

    /// `L - 2`.
    pub(super) fn n(&self) -> f64 {
        self.length as f64 - 2.0
    }

    pub(super) fn g_star(&self) -> f64 {
        self.alpha / (1.0 + self.alpha)
    }

    pub(super) fn h_star(&self) -> f64 {
        1.0 / (1.0 + self.alpha)
    }

    /// `v* = w*^2`.
    pub(super) fn v_star(&self) -> f64 {
        self.w_star * self.w_star
    }

    /// `(1 + alpha*)^2 (L - 2)/w*^2`.
    pub(super) fn unit(&self) -> f64 {
        (1.0 + self.alpha).powi(2) * self.n() / self.v_star()
    }

    /// The growth rate of a tied `w` on the plateau: `2 w*^2/((1 + alpha*)^2 (L - 2)(1 - w*^4)^2)`.
    pub(super) fn growth(&self) -> f64 {
        2.0 / (self.unit() * (1.0 - self.v_star().powi(2)).powi(2))
    }

    /// `L_IH` on the plateau.
    pub(super) fn plateau_loss(&self) -> f64 {
        let v = self.v_star();
        self.h_star().powi(2) * (psi(2.0 * v) - psi(v).powi(2)) / (2.0 * self.n())
    }

    /// 002, Eq. (10), with all places `2..L-1`.
    pub(super) fn eq_10(&self, w: f64, h: f64) -> f64 {
        let (v, v_star, wanted) = (w * w, self.v_star(), self.h_star());
        let sum = wanted * wanted * psi(2.0 * v_star) + h * h * psi(2.0 * v)
            - 2.0 * h * wanted * psi(v + v_star);
        sum / (2.0 * self.n())
    }

    /// 002, Eq. (7).
    pub(super) fn eq_7(&self, p: f64, g: f64) -> f64 {
        let (n, g_star) = (self.length - 2, self.g_star());
        let total = big_m(n, p);
        0.5 * g_star * g_star + 0.5 * g * g * big_m(n, 2.0 * p) / (total * total)
            - g_star * g / total
    }

    /// `dp/dt` and `dg/dt`, as C.3.1 has them.
    pub(super) fn gram_rate(&self, p: f64, g: f64) -> [f64; 2] {
        let (n, g_star) = (self.length - 2, self.g_star());
        let (total, first) = (big_m(n, p), small_m(n, p));
        let (pull, spread) =
            (g_star - g * big_m(n, 2.0 * p) / total, g * small_m(n, 2.0 * p) / first);
        [first * g / (total * total) * (pull + spread), pull / total]
    }

    /// `dw/dt` and `dh/dt`, as C.3.2 has them: of one tied `w`.
    pub(super) fn head_rate(&self, w: f64, h: f64) -> [f64; 2] {
        let (v, v_star, wanted) = (w * w, self.v_star(), self.h_star());
        let by_w = 2.0 * w * h * (wanted * phi(v + v_star) - h * phi(2.0 * v));
        [by_w / self.n(), (wanted * psi(v + v_star) - h * psi(2.0 * v)) / self.n()]
    }

    pub(super) fn task(&self) -> Outcome<Task> {
        Ok(Task::new(self.length, self.alpha, self.w_star)?)
    }

    /// The flow of the 4-gram's head.
    pub(super) fn gram(&self) -> Outcome<Head> {
        Ok(Head::gram(self.task()?, self.sigma, self.sigma)?)
    }

    /// The flow of the induction head.
    pub(super) fn head(&self, coupling: Coupling) -> Outcome<Induction> {
        let shape = Shape::new(self.task()?).coupling(coupling);
        let start = vec![self.sigma; if shape.is_tied() { 2 } else { 3 }];
        Ok(Induction::new(shape, &start)?)
    }

    /// States of the 4-gram's flow.
    pub(super) fn gram_path(&self, times: &[f64]) -> Outcome<Vec<GramPoint>> {
        let gram = self.gram()?;
        let point = |(&t, snapshot): (&f64, &Snapshot)| {
            let [p, g] = [snapshot.state[0], snapshot.state[1]];
            let [dp, dg] = self.gram_rate(p, g);
            GramPoint { t, p, g, dp, dg }
        };
        let found = gram.landscape.states(&gram.start, times)?;
        Ok(times.iter().zip(&found).map(point).collect())
    }

    /// States of the induction head's flow with one tied `w`.
    pub(super) fn head_path(&self, times: &[f64]) -> Outcome<Vec<HeadPoint>> {
        let head = self.head(Coupling::Tied)?;
        let point = |(&t, snapshot): (&f64, &Snapshot)| {
            let [w, h] = [snapshot.state[0], snapshot.state[1]];
            let [dw, dh] = self.head_rate(w, h);
            HeadPoint { t, w, h, dw, dh }
        };
        let found = head.landscape.states(&head.start, times)?;
        Ok(times.iter().zip(&found).map(point).collect())
    }

    /// `T_1^g`.
    pub(super) fn t_1g(&self) -> Outcome<f64> {
        Ok(self.gram()?.on_target()?.ok_or_else(never)?.time)
    }

    /// `T_1^h` of a tied `w`.
    pub(super) fn t_1h(&self) -> Outcome<f64> {
        Ok(self.head(Coupling::Tied)?.on_target()?.ok_or_else(never)?.time)
    }

    /// When a tied `w` has come to a part of `w*`.
    pub(super) fn t_w(&self, part: f64) -> Outcome<f64> {
        when(self.head(Coupling::Tied)?.time_to_strength(part)?)
    }

    /// `T_2^h` of a tied `w`, with `w` and `h` there: where the printed rate of `h` changes its sign.
    pub(super) fn t_2h(&self) -> Outcome<(f64, f64, f64)> {
        let (mut from, mut to) = (self.t_w(0.45)?, self.t_w(0.97)?);
        for _ in 0..3 {
            let path = self.head_path(&evenly(from, to, 200))?;
            let after = path.iter().position(|point| point.dh < 0.0).filter(|&place| place > 0);
            let after = after.ok_or_else(never)?;
            (from, to) = (path[after - 1].t, path[after].t);
        }
        let point = self.head_path(&[0.5 * (from + to)])?[0];
        Ok((point.t, point.w, point.h))
    }
}

/// Settings for the induction head: the paper's, weaker and stronger comparisons, other proportions and lengths.
pub(super) const HEADS: [Setting; 6] = [
    FIG_1,
    Setting::new(40, 1.0, 0.3, 0.01),
    Setting::new(40, 1.0, 0.4, 0.001),
    Setting::new(40, 1.0, 0.55, 0.001),
    Setting::new(40, 3.0, 0.49, 0.01),
    Setting::new(400, 0.5, 0.45, 0.001),
];

/// Settings for the 4-gram: Fig. 1's, then long sequences, `L >> 1/sigma`, as the proof assumes.
pub(super) const GRAMS: [Setting; 4] = [
    FIG_1,
    Setting::new(2000, 1.0, 0.49, 0.01),
    Setting::new(2000, 3.0, 0.49, 0.01),
    Setting::new(2000, 0.3, 0.49, 0.01),
];

fn never() -> ClaimError {
    ClaimError::new("an event on which a claim depends did not happen")
}

/// The time of an event that must have happened.
pub(super) fn when(time: Option<f64>) -> Outcome<f64> {
    time.ok_or_else(never)
}

/// Shares in proportion to `e^x`, as they are defined: without a shift by the largest.
pub(super) fn plain_softmax(numbers: &[f64]) -> Vec<f64> {
    let sum: f64 = numbers.iter().map(|x| x.exp()).sum();
    numbers.iter().map(|x| x.exp() / sum).collect()
}
