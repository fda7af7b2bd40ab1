//! The regression variant, in which the flow is exact: attention by position alone, squared error, one answer. 000, section 3.
//!
//! The loss is that of a factorisation: `L = |G - P|^2/2` with `P = sum_k V_k (x) s_k`, `s_k = softmax(q_k)`, and
//! `G = sum_j m_j V_j (x) s_j` (Proposition 1). In an orthonormal basis of the span of the `V_j` all matrices are vectors of
//! few coordinates, and what `V_k` has outside of it only decays: so the same code is the reduced form (as many coordinates
//! as features) and the full one (`d^2` of them).

use saddlescope_spec::prelude::*;

use crate::Factorisation;

/// Positions that are worked on together; rows are padded to whole ones.
const LANES: usize = 8;

/// How the numbers of a head, one for each position, become its attention.
#[derive(Debug, Clone, Copy)]
enum Chart {
    /// `softmax(q_k)`.
    Softmax,
    /// `s_k`, brought to the plane `sum s = 1` by a shift of all its entries.
    Plane,
}

/// Scratch: rows of padded positions.
#[derive(Debug, Clone)]
pub struct Work<R> {
    /// `s_k`.
    attention: Vec<R>,
    /// `G - P`.
    residual: Vec<R>,
    /// `V_k^T (G - P)`.
    pull: Vec<R>,
}

impl<R: Real> Work<R> {
    fn new(model: &Factorisation) -> Self {
        let rows = |count: usize| vec![R::constant(0.0); count * stride(model)];
        Self { attention: rows(model.heads), residual: rows(model.target.rank), pull: rows(1) }
    }
}

fn stride(model: &Factorisation) -> usize {
    model.target.positions.next_multiple_of(LANES)
}

/// `|G - P|^2/2`, with its slopes in `V_k` and in what attention is made of.
#[inline(always)]
fn slopes<R: Real>(
    model: &Factorisation,
    chart: Chart,
    theta: &[R],
    work: &mut Work<R>,
    gradient: &mut [R],
) -> R {
    let (target, stride, len) = (&model.target, stride(model), model.head_len());
    let heads = || theta.chunks_exact(len).map(|head| head.split_at(target.rank));
    let Work { attention, residual, pull } = work;
    let rows = target.entries.chunks_exact(target.positions);
    for (row, entries) in residual.chunks_exact_mut(stride).zip(rows) {
        row.iter_mut().zip(entries).for_each(|(left, &entry)| *left = R::constant(entry));
        row[entries.len()..].fill(R::constant(0.0));
    }
    for ((v, numbers), s) in heads().zip(attention.chunks_exact_mut(stride)) {
        match chart {
            Chart::Softmax => softmax_into(numbers, s),
            Chart::Plane => plane_into(numbers, s),
        }
        v.iter().zip(residual.chunks_exact_mut(stride)).for_each(|(&v, row)| add(row, -v, s));
    }
    let all = heads().zip(attention.chunks_exact(stride)).zip(gradient.chunks_exact_mut(len));
    for (((v, _), s), slopes) in all {
        let (of_v, of_numbers) = slopes.split_at_mut(target.rank);
        pull.fill(R::constant(0.0));
        for ((slope, &v), row) in of_v.iter_mut().zip(v).zip(residual.chunks_exact(stride)) {
            *slope = -dot(s, row);
            add(pull, v, row);
        }
        let pairs = of_numbers.iter_mut().zip(s.iter().zip(&*pull));
        match chart {
            Chart::Softmax => {
                let mean = dot(s, pull);
                pairs.for_each(|(slope, (&s, &pull))| *slope = -s * (pull - mean));
            }
            // A shift of all entries changes nothing.
            Chart::Plane => {
                let mean = sum(pull) * R::constant(1.0 / target.positions as f64);
                pairs.for_each(|(slope, (_, &pull))| *slope = mean - pull);
            }
        }
    }
    R::constant(0.5) * dot(residual, residual)
}

impl Differentiable for Factorisation {
    type Scratch<R: Real> = Work<R>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<R: Real>(&self) -> Work<R> {
        Work::new(self)
    }

    fn slopes<R: Real>(
        &self,
        theta: &[R],
        work: &mut Work<R>,
        gradient: &mut [R],
    ) -> Result<R, Fault> {
        Ok(saddlescope::dispatch!(slopes(self, Chart::Softmax, theta, work, gradient)))
    }
}

/// `L(V, s)`, the loss as a function of attention itself: there the plateaus are stationary points.
///
/// In `q` they lie at infinity. In `(V, s)`, with every `s_k` on the plane of numbers that add up to one, they are points like
/// others: curvatures there say which features are left and how many heads can take them. The *flow* does not move in this
/// metric: it has `Pi(s)^2` before the slope in `s`, which vanishes at one-hot attention, so that what is unstable here is left
/// only algebraically.
#[derive(Debug, Clone)]
pub struct Simplex {
    model: Factorisation,
    blocks: Blocks,
}

impl Simplex {
    pub fn new(model: &Factorisation) -> Self {
        let sizes = [("v", model.target.rank), ("s", model.target.positions)];
        let parts = (0..model.heads).flat_map(|k| sizes.map(|(part, size)| (k, part, size)));
        let blocks = parts.fold(Blocks::new(), |blocks, (k, part, size)| {
            blocks.with(format!("head.{k}.{part}"), &[size], 1.0)
        });
        Self { model: model.clone(), blocks }
    }

    /// The state of this surface at parameters of the model: `s = softmax(q)`.
    pub fn state(&self, theta: &[f64]) -> Vec<f64> {
        let heads = (0..self.model.heads).map(|k| self.model.head(theta, k));
        heads.flat_map(|(v, q)| [v, &softmax(q)].concat()).collect()
    }

    /// Shifts of all entries of an `s_k`, which change nothing.
    pub fn symmetry_directions(&self) -> Vec<Vec<f64>> {
        let (rank, each) = (self.model.target.rank, self.model.head_len());
        let direction = |k: usize| {
            let mut direction = vec![0.0; self.blocks.len()];
            direction[k * each + rank..(k + 1) * each].fill(1.0);
            direction
        };
        (0..self.model.heads).map(direction).collect()
    }
}

impl Differentiable for Simplex {
    type Scratch<R: Real> = Work<R>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<R: Real>(&self) -> Work<R> {
        Work::new(&self.model)
    }

    fn slopes<R: Real>(
        &self,
        state: &[R],
        work: &mut Work<R>,
        gradient: &mut [R],
    ) -> Result<R, Fault> {
        Ok(saddlescope::dispatch!(slopes(&self.model, Chart::Plane, state, work, gradient)))
    }
}

pub fn softmax(q: &[f64]) -> Vec<f64> {
    let mut s = vec![0.0; q.len()];
    softmax_into(q, &mut s);
    s
}

/// `softmax(q)` into the first places of `s`; the rest becomes zero.
#[inline(always)]
pub(crate) fn softmax_into<R: Real>(q: &[R], s: &mut [R]) {
    let largest = |top: f64, q: &R| if q.value() > top { q.value() } else { top };
    let top = R::constant(q.iter().fold(f64::NEG_INFINITY, largest));
    let (first, rest) = s.split_at_mut(q.len());
    first.iter_mut().zip(q).for_each(|(s, &q)| *s = (q - top).exp());
    rest.fill(R::constant(0.0));
    let scale = R::constant(1.0) / sum(first);
    first.iter_mut().for_each(|s| *s *= scale);
}

/// Entries shifted to the plane `sum s = 1` into the first places of `s`; the rest becomes zero.
#[inline(always)]
fn plane_into<R: Real>(entries: &[R], s: &mut [R]) {
    let (first, rest) = s.split_at_mut(entries.len());
    let shift = (R::constant(1.0) - sum(entries)) * R::constant(1.0 / entries.len() as f64);
    first.iter_mut().zip(entries).for_each(|(s, &entry)| *s = entry + shift);
    rest.fill(R::constant(0.0));
}

/// `row += factor other`, whole vectors.
#[inline(always)]
fn add<R: Real>(row: &mut [R], factor: R, other: &[R]) {
    for (row, other) in row.as_chunks_mut::<LANES>().0.iter_mut().zip(other.as_chunks::<LANES>().0)
    {
        for lane in 0..LANES {
            row[lane] += factor * other[lane];
        }
    }
}

/// `<a, b>` over whole vectors, the same at every width.
#[inline(always)]
fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    let mut lanes = [R::constant(0.0); LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    folded(lanes)
}

#[inline(always)]
fn sum<R: Real>(numbers: &[R]) -> R {
    let (whole, left) = numbers.as_chunks::<LANES>();
    let mut lanes = [R::constant(0.0); LANES];
    for part in whole {
        for lane in 0..LANES {
            lanes[lane] += part[lane];
        }
    }
    folded(lanes) + left.iter().fold(R::constant(0.0), |sum, &number| sum + number)
}

/// The sum of all lanes, half on half.
#[inline(always)]
fn folded<R: Real>([a, b, c, d, e, f, g, h]: [R; LANES]) -> R {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
