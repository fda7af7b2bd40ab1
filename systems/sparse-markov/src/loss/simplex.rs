//! The loss as a function of attention itself: there the plateaus are stationary points.
//!
//! In `q` they lie at infinity. In `(V, s)`, with every `s_k` on the plane of numbers that add up to one, they are points like
//! others: curvatures there say which features are left and how many heads can take them. The *flow* does not move in this
//! metric: it has `Pi(s)^2` before the slope in `s`, which vanishes at one-hot attention, so that what is unstable here is left
//! only algebraically.

use saddlescope::{Blocks, Draw, Fault, Landscape};

use crate::{Factorisation, Target};

/// `L(V, s)`, with `s_k` brought to the plane `sum s = 1` by a shift of all its entries.
#[derive(Debug, Clone)]
pub struct Simplex {
    target: Target,
    heads: usize,
    blocks: Blocks,
}

impl Simplex {
    /// The same loss as that of `factorisation`.
    pub fn new(factorisation: &Factorisation) -> Self {
        let (target, heads) = (factorisation.target.clone(), factorisation.heads);
        let mut blocks = Blocks::new();
        for k in 0..heads {
            blocks = blocks.with(format!("head.{k}.v"), &[target.rank], 1.0).with(
                format!("head.{k}.s"),
                &[target.positions],
                1.0,
            );
        }
        Self { target, heads, blocks }
    }

    /// The state of this surface at parameters of the model: `s = softmax(q)`.
    pub fn state(&self, factorisation: &Factorisation, theta: &[f64]) -> Vec<f64> {
        let mut state = Vec::with_capacity(theta.len());
        for k in 0..self.heads {
            let (v, q) = factorisation.head(theta, k);
            state.extend_from_slice(v);
            state.extend(crate::loss::softmax(q));
        }
        state
    }

    /// Shifts of all entries of an `s_k`, which change nothing.
    pub fn symmetry_directions(&self) -> Vec<Vec<f64>> {
        let (rank, each) = (self.target.rank, self.head_len());
        let direction = |k: usize| {
            let mut direction = vec![0.0; self.heads * each];
            direction[k * each + rank..(k + 1) * each].fill(1.0);
            direction
        };
        (0..self.heads).map(direction).collect()
    }

    fn head_len(&self) -> usize {
        self.target.rank + self.target.positions
    }

    /// `s_k` on its plane, or (`onto = 0`) a direction in it.
    fn plane(&self, entries: &[f64], onto: f64, out: &mut [f64]) {
        let shift = (onto - entries.iter().sum::<f64>()) / entries.len() as f64;
        out.iter_mut().zip(entries).for_each(|(out, entry)| *out = entry + shift);
    }

    fn planes(&self, state: &[f64], onto: f64, out: &mut [f64]) {
        let (rank, positions) = (self.target.rank, self.target.positions);
        for (out, head) in out.chunks_exact_mut(positions).zip(state.chunks_exact(self.head_len()))
        {
            self.plane(&head[rank..], onto, out);
        }
    }

    fn v<'a>(&self, state: &'a [f64], k: usize) -> &'a [f64] {
        &state[k * self.head_len()..][..self.target.rank]
    }

    /// `out -= sum_k V_k (x) s_k`.
    fn subtract(&self, state: &[f64], s: &[f64], out: &mut [f64]) {
        let positions = self.target.positions;
        for (k, s) in s.chunks_exact(positions).enumerate() {
            for (v, row) in self.v(state, k).iter().zip(out.chunks_exact_mut(positions)) {
                row.iter_mut().zip(s).for_each(|(out, s)| *out -= v * s);
            }
        }
    }

    /// Adds what a residual says: `-residual s` to the slopes of `V`, `-V^T residual` to those of `s`.
    fn add_slopes(&self, residual: &[f64], state: &[f64], s: &[f64], slopes: &mut [f64]) {
        let (rank, positions) = (self.target.rank, self.target.positions);
        for (k, slopes) in slopes.chunks_exact_mut(self.head_len()).enumerate() {
            let s = &s[k * positions..][..positions];
            for (r, row) in residual.chunks_exact(positions).enumerate() {
                slopes[r] -= row.iter().zip(s).map(|(e, s)| e * s).sum::<f64>();
                let v = self.v(state, k)[r];
                slopes[rank..].iter_mut().zip(row).for_each(|(slope, e)| *slope -= v * e);
            }
        }
    }

    /// Takes from the slopes of each `s_k` their mean.
    fn project(&self, slopes: &mut [f64]) {
        let rank = self.target.rank;
        for slopes in slopes.chunks_exact_mut(self.head_len()) {
            let of_s = &mut slopes[rank..];
            let mean = of_s.iter().sum::<f64>() / of_s.len() as f64;
            of_s.iter_mut().for_each(|slope| *slope -= mean);
        }
    }
}

/// Scratch of a [`Simplex`].
#[derive(Debug, Clone)]
pub struct Work {
    s: Vec<f64>,
    ds: Vec<f64>,
    residual: Vec<f64>,
    change: Vec<f64>,
}

impl Landscape for Simplex {
    type Scalar = f64;
    type Work = Work;

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn work(&self) -> Work {
        let (rank, positions) = (self.target.rank, self.target.positions);
        let zeros = |rows: usize| vec![0.0; rows * positions];
        Work {
            s: zeros(self.heads),
            ds: zeros(self.heads),
            residual: zeros(rank),
            change: zeros(rank),
        }
    }

    fn evaluate(
        &self,
        state: &[f64],
        _draw: Draw,
        work: &mut Work,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        self.planes(state, 1.0, &mut work.s);
        work.residual.copy_from_slice(&self.target.entries);
        self.subtract(state, &work.s, &mut work.residual);
        gradient.fill(0.0);
        self.add_slopes(&work.residual, state, &work.s, gradient);
        self.project(gradient);
        let loss = 0.5 * work.residual.iter().map(|e| e * e).sum::<f64>();
        Fault::ensure_finite(loss, "loss")
    }

    fn hessian_product(
        &self,
        state: &[f64],
        direction: &[f64],
        _draw: Draw,
        work: &mut Work,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        self.planes(state, 1.0, &mut work.s);
        self.planes(direction, 0.0, &mut work.ds);
        work.residual.copy_from_slice(&self.target.entries);
        self.subtract(state, &work.s, &mut work.residual);
        work.change.fill(0.0);
        self.subtract(direction, &work.s, &mut work.change);
        self.subtract(state, &work.ds, &mut work.change);
        product.fill(0.0);
        self.add_slopes(&work.change, state, &work.s, product);
        self.add_slopes(&work.residual, direction, &work.ds, product);
        self.project(product);
        Ok(true)
    }
}
