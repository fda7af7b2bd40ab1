//! The loss of long sequences, exact: each class is seen through the law of its tokens.
//!
//! A class enters by the frequencies of its tokens alone, so the same lines serve a single sequence: its loss is that
//! of a class whose law is what was counted in it (004, Eqs. (20) to (23)).

use saddlescope_spec::prelude::*;

use crate::{Shape, Task};

/// The mean loss `-J` over all classes as `T` goes to infinity. 004, Eqs. (2), (5) and Lemma 2.
#[derive(Debug, Clone)]
pub struct Population {
    pub shape: Shape,
    blocks: Blocks,
}

impl Population {
    pub fn new(shape: Shape) -> Self {
        let blocks = shape.blocks();
        Self { shape, blocks }
    }

    pub fn view(&self, n: usize, theta: &[f64]) -> View {
        let (class, mut scratch) = (&self.shape.task.classes[n], Scratch::new(&self.shape));
        let loss = forward(&self.shape, n, &class.probability, theta, &mut scratch);
        let size = class.support.len();
        View {
            loss,
            attention: scratch.mean[..size].to_vec(),
            direction: scratch.f[..size].to_vec(),
            logits: scratch.logits,
        }
    }
}

impl Differentiable for Population {
    type Scratch<R: Real> = Scratch<R>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<R: Real>(&self) -> Scratch<R> {
        Scratch::new(&self.shape)
    }

    fn slopes<R: Real>(
        &self,
        theta: &[R],
        scratch: &mut Scratch<R>,
        gradient: &mut [R],
    ) -> Result<R, Fault> {
        gradient.fill(R::constant(0.0));
        let classes = &self.shape.task.classes;
        let mut loss = R::constant(0.0);
        let share = 1.0 / classes.len() as f64;
        for (n, class) in classes.iter().enumerate() {
            loss += forward(&self.shape, n, &class.probability, theta, scratch);
            backward(&self.shape, n, share, theta, scratch, gradient);
        }
        Ok(loss * R::constant(share))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// `-ln alpha_n`.
    pub loss: f64,
    /// `c_n` over the tokens of the class, the mean over heads. 004, Eq. (5).
    pub attention: Vec<f64>,
    /// `f_n = c_n/|c_n|` over the tokens of the class.
    pub direction: Vec<f64>,
    /// What the decoder says of each column of `Y`.
    pub logits: Vec<f64>,
}

/// Scratch of a class; after `forward` it holds what `backward` needs.
#[derive(Debug)]
pub struct Scratch<R> {
    /// `X^T b` of each head, one after the other.
    pub(crate) v: Vec<R>,
    /// Their mean.
    pub(crate) mean: Vec<R>,
    /// Its length.
    pub(crate) norm: R,
    /// Its direction.
    pub(crate) f: Vec<R>,
    /// What the decoder sees: the direction, and with a residual connection the query.
    pub(crate) x: Vec<R>,
    /// The rows of `Y` that it sees.
    pub(crate) rows: Vec<usize>,
    /// What the sum of direction and query was divided by.
    pub(crate) rho: R,
    pub(crate) logits: Vec<R>,
    /// `e_n - alpha` in the coordinates of the columns.
    pub(crate) error: Vec<R>,
    /// The slope of `J` in what the decoder sees, then in `mean`.
    pub(crate) pull: Vec<R>,
}

impl<R: Real> Scratch<R> {
    pub(crate) fn new(shape: &Shape) -> Self {
        let zero = R::constant(0.0);
        let size = longest(&shape.task);
        Self {
            v: vec![zero; size * shape.heads],
            mean: vec![zero; size],
            norm: zero,
            f: vec![zero; size],
            x: Vec::with_capacity(size + 1),
            rows: Vec::with_capacity(size + 1),
            rho: zero,
            logits: vec![zero; shape.columns()],
            error: vec![zero; shape.columns()],
            pull: Vec::with_capacity(size + 1),
        }
    }
}

pub(crate) fn longest(task: &Task) -> usize {
    task.classes.iter().map(|class| class.support.len()).max().unwrap_or(0)
}

fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    let mut sum = R::constant(0.0);
    for (&a, &b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}

/// The loss of class `n` whose tokens are seen with these frequencies.
pub(crate) fn forward<R: Real>(
    shape: &Shape,
    n: usize,
    frequency: &[f64],
    theta: &[R],
    scratch: &mut Scratch<R>,
) -> R {
    let class = &shape.task.classes[n];
    let size = class.support.len();
    let mean = &mut scratch.mean[..size];
    mean.fill(R::constant(0.0));
    let part = R::constant(1.0 / shape.heads as f64);
    // X^T b of each head, and their mean. 004, Eq. (5).
    for (h, v) in scratch.v.chunks_exact_mut(size).take(shape.heads).enumerate() {
        let z = &theta[shape.logits(h, class.query)..];
        let largest = class.support.iter().map(|&l| z[l].value()).fold(f64::NEG_INFINITY, f64::max);
        let mut total = R::constant(0.0);
        for ((v, &l), &p) in v.iter_mut().zip(&class.support).zip(frequency) {
            *v = R::constant(p) * (z[l] - R::constant(largest)).exp();
            total += *v;
        }
        for (v, mean) in v.iter_mut().zip(&mut *mean) {
            *v = *v / total;
            *mean += part * *v;
        }
    }
    scratch.norm = dot(mean, mean).sqrt();
    for (f, &mut mean) in scratch.f.iter_mut().zip(mean) {
        *f = mean / scratch.norm;
    }
    see(shape, n, scratch);
    scratch.logits.fill(R::constant(0.0));
    let columns = shape.columns();
    for (&x, &row) in scratch.x.iter().zip(&scratch.rows) {
        for (logit, &y) in scratch.logits.iter_mut().zip(&theta[row * columns..(row + 1) * columns])
        {
            *logit += x * y;
        }
    }
    answer(shape, shape.column(n), &mut scratch.logits, &mut scratch.error)
}

/// What the decoder sees of class `n`: its direction, or that beside its query.
fn see<R: Real>(shape: &Shape, n: usize, scratch: &mut Scratch<R>) {
    let class = &shape.task.classes[n];
    let Scratch { f, x, rows, rho, .. } = scratch;
    x.clear();
    rows.clear();
    x.extend_from_slice(&f[..class.support.len()]);
    rows.extend_from_slice(&class.support);
    // 004, section 7: LN(LN(u) + u_query).
    if let Some(row) = shape.query_row(class.query) {
        match class.support.iter().position(|&l| l == row) {
            Some(place) => x[place] += R::constant(1.0),
            None => {
                x.push(R::constant(1.0));
                rows.push(row);
            }
        }
        *rho = dot(x, x).sqrt();
        x.iter_mut().for_each(|x| *x = *x / *rho);
    }
}

/// `-ln alpha` of the column `answer`; `error` becomes `e - alpha`, without loss of digits as alpha nears one.
///
/// The logit of a shared column is brought to its entries' scale on the way, its error to that of the column.
pub(crate) fn answer<R: Real>(
    shape: &Shape,
    answer: usize,
    logits: &mut [R],
    error: &mut [R],
) -> R {
    let shared = shape.shared_column();
    if let Some(column) = shared {
        logits[column] *= R::constant(1.0 / shape.shared_scale());
    }
    let right = logits[answer];
    let others = (0..logits.len()).filter(|&j| j != answer);
    let ahead = others.clone().map(|j| logits[j].value()).fold(f64::NEG_INFINITY, f64::max);
    let shift = (ahead - right.value()).max(0.0);
    let level = right + R::constant(shift);
    let mut wrong = R::constant(0.0);
    for j in others.clone() {
        error[j] = (logits[j] - level).exp();
        if shared == Some(j) {
            error[j] *= R::constant(shape.others() as f64);
        }
        wrong += error[j];
    }
    let hit = (right - level).exp();
    let total = hit + wrong;
    for j in others {
        error[j] = -error[j] / total;
    }
    error[answer] = wrong / total;
    if let Some(column) = shared {
        error[column] *= R::constant(1.0 / shape.shared_scale());
    }
    if shift == 0.0 { wrong.ln_1p() } else { total.ln() + R::constant(shift) }
}

/// Adds `share` times the slopes of class `n`, which [`forward`] has just seen. 004, Lemma 1, Eq. (3).
pub(crate) fn backward<R: Real>(
    shape: &Shape,
    n: usize,
    share: f64,
    theta: &[R],
    scratch: &mut Scratch<R>,
    gradient: &mut [R],
) {
    let class = &shape.task.classes[n];
    let (size, columns) = (class.support.len(), shape.columns());
    let Scratch { v, norm, f, x, rows, rho, error, pull, .. } = scratch;
    let share = R::constant(share);
    pull.clear();
    for (&x, &row) in x.iter().zip(&*rows) {
        let weight = -share * x;
        let place = row * columns..(row + 1) * columns;
        for (slope, &error) in gradient[place.clone()].iter_mut().zip(&*error) {
            *slope += weight * error;
        }
        // g = Y (e_n - alpha).
        pull.push(dot(&theta[place], error));
    }
    if shape.residual {
        let along = dot(x, pull);
        pull.iter_mut().zip(&*x).for_each(|(pull, &x)| *pull = (*pull - x * along) / *rho);
    }
    // The projection beside f, over |X^T b|.
    let along = dot(&f[..size], &pull[..size]);
    for (pull, &f) in pull[..size].iter_mut().zip(&f[..size]) {
        *pull = (*pull - f * along) / *norm;
    }
    let part = -share * R::constant(1.0 / shape.heads as f64);
    for (h, v) in v.chunks_exact(size).take(shape.heads).enumerate() {
        let place = shape.logits(h, class.query);
        // With one head and normalised weights this is v . P f = 0 but for rounding; it keeps the sums of rows.
        let level = dot(v, &pull[..size]);
        for ((&l, &v), &pull) in class.support.iter().zip(v).zip(&*pull) {
            gradient[place + l] += part * v * (pull - level);
        }
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
