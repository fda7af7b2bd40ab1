//! The loss of long sequences where the embedded vector is normalised, as is done in practice. 004, section 3.
//!
//! The decoder reads `LN(U^T X^T b)`, with a residual connection `LN(LN(U^T X^T b) + u_query)`. The length is that of
//! the embedded vector, so this is no function of `Y` and `Z`; where embeddings are orthonormal, it is the same model.

use saddlescope::{Blocks, Draw, Fault, Landscape};

use crate::loss::{answer, attend, attended, longest};
use crate::matrices::{Embedding, Wires};

/// The mean loss over all classes as `T` goes to infinity, with [`Normalised::Embedding`](crate::matrices::Normalised).
#[derive(Debug, Clone)]
pub struct LateNorm {
    embedding: Embedding,
}

impl LateNorm {
    /// The loss of a model with these parameters.
    pub fn new(embedding: Embedding) -> Self {
        Self { embedding }
    }

    /// The loss of each class.
    pub fn losses(&self, theta: &[f64]) -> Vec<f64> {
        let LateNormWork { mut wires, mut inner, mut scratch, .. } = self.work();
        wires.gather(&self.embedding, theta);
        wires.logits(&self.embedding, theta, &mut inner);
        let classes = 0..self.embedding.shape.task.classes.len();
        classes.map(|n| self.forward(n, theta, &inner, &mut scratch)).collect()
    }

    /// The loss of class `n`; `scratch` then holds what [`LateNorm::backward`] needs.
    fn forward(&self, n: usize, theta: &[f64], z: &[f64], scratch: &mut Scratch) -> f64 {
        let (shape, d) = (&self.embedding.shape, self.embedding.dimension);
        let class = &shape.task.classes[n];
        let Scratch { v, mean, f, x, h, logits, error, .. } = scratch;
        attend(shape, n, &class.probability, z, v, mean);
        f.fill(0.0);
        for (&l, &weight) in class.support.iter().zip(&*mean) {
            add_times(f, weight, self.row(theta, shape.task.tokens[l]));
        }
        scratch.norm = normalise(f);
        x.copy_from_slice(f);
        // 004, section 7.
        if shape.residual {
            add_times(x, 1.0, self.row(theta, shape.task.queries[class.query]));
            scratch.rho = normalise(x);
        }
        let w_v = &theta[self.embedding.w_v()];
        for (h, row) in h.iter_mut().zip(w_v.chunks_exact(d)) {
            *h = dot(row, x);
        }
        for (logit, row) in logits.iter_mut().zip(theta.chunks_exact(d)) {
            *logit = dot(row, h);
        }
        answer(shape, shape.column(n), logits, error)
    }

    /// Adds `share` times the slopes of class `n`: those in `Z` to `slopes`, all others to `gradient`.
    fn backward(
        &self,
        (n, share): (usize, f64),
        theta: &[f64],
        scratch: &mut Scratch,
        slopes: &mut [f64],
        gradient: &mut [f64],
    ) {
        let (shape, d) = (&self.embedding.shape, self.embedding.dimension);
        let (task, class) = (&shape.task, &shape.task.classes[n]);
        let Scratch { v, mean, f, x, h, error, back, pull, .. } = scratch;
        // Slopes in h = W_V x.
        pull.fill(0.0);
        for ((&error, row), slope) in
            error.iter().zip(theta.chunks_exact(d)).zip(gradient.chunks_exact_mut(d))
        {
            add_times(pull, -share * error, row);
            add_times(slope, -share * error, h);
        }
        // Then in x.
        back.fill(0.0);
        let place = self.embedding.w_v();
        let rows = theta[place.clone()].chunks_exact(d).zip(gradient[place].chunks_exact_mut(d));
        for (&pull, (row, slope)) in pull.iter().zip(rows) {
            add_times(back, pull, row);
            add_times(slope, pull, x);
        }
        if shape.residual {
            beside(back, x, scratch.rho);
            let query = task.queries[class.query];
            add_times(&mut gradient[query * d..(query + 1) * d], 1.0, back);
        }
        // Then in U^T X^T b.
        beside(back, f, scratch.norm);
        let size = class.support.len();
        let towards = &mut scratch.towards[..size];
        for ((&l, &weight), towards) in class.support.iter().zip(&*mean).zip(&mut *towards) {
            let token = task.tokens[l];
            add_times(&mut gradient[token * d..(token + 1) * d], weight, back);
            *towards = dot(self.row(theta, token), back);
        }
        attended(shape, n, 1.0, v, towards, slopes);
    }

    /// The embedding of a token.
    fn row<'a>(&self, theta: &'a [f64], token: usize) -> &'a [f64] {
        let d = self.embedding.dimension;
        &theta[token * d..(token + 1) * d]
    }
}

#[cfg(test)]
impl LateNorm {
    /// `|U^T c|^2/|c|^2 - 1` of the first class.
    pub(super) fn stretch_of_first(&self, theta: &[f64], work: &mut LateNormWork) -> f64 {
        self.forward(0, theta, &work.inner, &mut work.scratch);
        let Scratch { mean, norm, .. } = &work.scratch;
        norm.powi(2) / dot(mean, mean) - 1.0
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add_times(out: &mut [f64], factor: f64, numbers: &[f64]) {
    out.iter_mut().zip(numbers).for_each(|(out, number)| *out += factor * number);
}

/// Brings `x` to length one and returns the length that it had.
fn normalise(x: &mut [f64]) -> f64 {
    let norm = dot(x, x).sqrt();
    x.iter_mut().for_each(|x| *x /= norm);
    norm
}

/// Slopes in a vector from those in its `direction`, where `norm` is its length.
fn beside(slopes: &mut [f64], direction: &[f64], norm: f64) {
    let along = dot(slopes, direction);
    slopes.iter_mut().zip(direction).for_each(|(slope, x)| *slope = (*slope - x * along) / norm);
}

/// Scratch of a class.
#[derive(Debug)]
struct Scratch {
    /// `X^T b` of each head, one after the other.
    v: Vec<f64>,
    /// Their mean.
    mean: Vec<f64>,
    /// Length and direction of the embedded mean.
    norm: f64,
    f: Vec<f64>,
    /// What the decoder reads, and what the sum with the query was divided by.
    x: Vec<f64>,
    rho: f64,
    /// `W_V x`.
    h: Vec<f64>,
    logits: Vec<f64>,
    /// `e_n - alpha`.
    error: Vec<f64>,
    /// Slopes in `h`, in `x` and then the embedded mean, and in `mean`.
    pull: Vec<f64>,
    back: Vec<f64>,
    towards: Vec<f64>,
}

/// Scratch of [`LateNorm`].
#[derive(Debug)]
pub struct LateNormWork {
    wires: Wires,
    /// Parameters of the model in `Y` and `Z`, of which only `Z` is used, and slopes in them.
    inner: Vec<f64>,
    slopes: Vec<f64>,
    scratch: Scratch,
}

impl Landscape for LateNorm {
    type Scalar = f64;
    type Work = LateNormWork;

    fn blocks(&self) -> &Blocks {
        &self.embedding.blocks
    }

    fn work(&self) -> LateNormWork {
        let (shape, d) = (&self.embedding.shape, self.embedding.dimension);
        let (size, columns) = (longest(&shape.task), shape.columns());
        let zeros = |count: usize| vec![0.0; count];
        LateNormWork {
            wires: Wires::new(&self.embedding),
            inner: zeros(shape.len()),
            slopes: zeros(shape.len()),
            scratch: Scratch {
                v: zeros(size * shape.heads),
                mean: zeros(size),
                norm: 0.0,
                f: zeros(d),
                x: zeros(d),
                rho: 0.0,
                h: zeros(d),
                logits: zeros(columns),
                error: zeros(columns),
                pull: zeros(d),
                back: zeros(d),
                towards: zeros(size),
            },
        }
    }

    fn evaluate(
        &self,
        theta: &[f64],
        _draw: Draw,
        work: &mut LateNormWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let LateNormWork { wires, inner, slopes, scratch } = work;
        wires.gather(&self.embedding, theta);
        wires.logits(&self.embedding, theta, inner);
        slopes.fill(0.0);
        gradient.fill(0.0);
        let classes = self.embedding.shape.task.classes.len();
        let share = 1.0 / classes as f64;
        let mut loss = 0.0;
        for n in 0..classes {
            loss += self.forward(n, theta, inner, scratch);
            self.backward((n, share), theta, scratch, slopes, gradient);
        }
        wires.logit_slopes(&self.embedding, theta, slopes, gradient);
        wires.scatter(&self.embedding, gradient);
        Fault::ensure_finite(share * loss, "loss")
    }
}
