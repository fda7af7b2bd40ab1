//! The exact expectation of the loss: closed forms, and quadrature where the softmax has none.

use std::sync::Arc;

use saddlescope::landscape::differentiated::Differentiable;
use saddlescope::numeric::dual::Real;
use saddlescope::{Blocks, Fault};

use self::gram::Distances;
use self::induction::Look;
use self::softmax::Table;
use crate::{Attention, Error, Shape};

pub mod geometric;
pub mod gram;
pub mod induction;
pub mod softmax;

/// The loss of 002, Eq. (3) in expectation, in its two parts.
#[derive(Debug, Clone)]
pub struct Population {
    /// The parameters.
    pub shape: Shape,
    blocks: Blocks,
    /// For the softmax.
    pub table: Option<Arc<Table>>,
}

/// Logarithm of the largest weight, beside one, in a sum over distances: its square must be a number.
const STEEPEST: f64 = 340.0;

/// The two halves of the loss.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Partial<T = f64> {
    /// `L_G4`, of the 4-gram.
    pub gram: T,
    /// `L_IH`, of the induction head.
    pub induction: T,
}

/// What the induction head comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadLoss {
    /// `L_IH`.
    pub loss: f64,
    /// Its slope in `h`.
    pub by_h: f64,
    /// Its slopes in `a_d = w_Q,d w_K,d`.
    pub by_product: Vec<f64>,
}

/// Scratch of a [`Population`].
#[derive(Debug, Clone)]
pub struct Buffers<T> {
    distances: Distances<T>,
    /// Slopes in `a_d = w_Q,d w_K,d`: of one place, and of all.
    one: Vec<T>,
    by_product: Vec<T>,
}

impl Population {
    /// The expected loss of a model of that `shape`.
    pub fn new(shape: Shape) -> Result<Self, Error> {
        let softmax = shape.has_induction() && shape.task.attention == Attention::Softmax;
        if softmax && shape.is_first_trained() {
            let expected = "\"previous\" (p~ infinite): with a trained first layer the softmax has no exact loss; \
                            take loss = \"empirical\" or \"online\", or attention = \"exponential\"";
            return Err(Error::value("first layer", "trained", expected));
        }
        let table = softmax.then(|| Table::shared(&shape.task)).transpose()?;
        Ok(Self { shape, blocks: shape.blocks(), table })
    }

    /// The two halves of the loss at `theta`.
    pub fn partial(&self, theta: &[f64]) -> Result<Partial, Fault> {
        let mut gradient = vec![0.0; theta.len()];
        self.halves(theta, &mut self.scratch(), &mut gradient)
    }

    /// The induction head at `w_Q`, `w_K` and `h`, with the first layer at `p_tilde` where it is trained.
    pub fn head(
        &self,
        head: (&[f64], &[f64], f64),
        p_tilde: Option<f64>,
    ) -> Result<HeadLoss, Fault> {
        let mut buffers = self.scratch();
        if let Some(p_tilde) = p_tilde {
            buffers.distances.fill(self.shape.task.places(), p_tilde);
        }
        let found = self.induction(head, p_tilde, &mut buffers)?;
        let scale = self.shape.task.coordinates();
        Ok(HeadLoss {
            loss: scale * found.loss,
            by_h: scale * found.by_h,
            by_product: buffers.by_product.iter().map(|slope| scale * slope).collect(),
        })
    }

    /// The two halves of the loss, and the slopes of their sum.
    fn halves<T: Real>(
        &self,
        theta: &[T],
        buffers: &mut Buffers<T>,
        gradient: &mut [T],
    ) -> Result<Partial<T>, Fault> {
        let (shape, task) = (&self.shape, &self.shape.task);
        let parameters = shape.read(theta);
        let zero = T::constant(0.0);
        let mut partial = Partial { gram: zero, induction: zero };
        if let Some(p_tilde) = parameters.p_tilde {
            buffers.distances.fill(task.places(), p_tilde);
            gradient[0] = zero;
        }
        let scale = T::constant(task.coordinates());
        let slopes = [parameters.p_tilde, parameters.gram.map(|[p, _]| p)];
        for slope in slopes.into_iter().flatten().map(Real::value) {
            if slope * task.places() as f64 <= -STEEPEST {
                return Err(Fault::OutOfDomain(format!(
                    "p or p_tilde is {slope}, so that the first of {} tokens has a weight of e^{:.0}, beyond all numbers",
                    task.places(),
                    -slope * task.places() as f64
                )));
            }
        }
        if let Some([p, g]) = parameters.gram {
            let (place, target) = (shape.gram(), task.gram_weight());
            let (loss, by_p, by_g) = match parameters.p_tilde {
                Some(p_tilde) => {
                    let first = (p_tilde, &buffers.distances);
                    let (loss, [by_tilde, by_p, by_g]) =
                        gram::through_first_layer(target, first, p, g);
                    gradient[0] = scale * by_tilde;
                    (loss, by_p, by_g)
                }
                None => {
                    let (loss, [by_p, by_g]) = gram::after_stage_one(task.places(), target, p, g);
                    (loss, by_p, by_g)
                }
            };
            gradient[place] = scale * by_p;
            gradient[place + 1] = scale * by_g;
            partial.gram = scale * loss;
        }
        if let Some(head) = parameters.induction {
            let found = self.induction(head, parameters.p_tilde, buffers)?;
            partial.induction = scale * found.loss;
            if parameters.p_tilde.is_some() {
                gradient[0] += scale * found.by_tilde;
            }
            self.back(head, (scale, found.by_h), &buffers.by_product, gradient);
        }
        Ok(partial)
    }

    /// The loss of the induction head per coordinate; the slopes in `a` go to the buffers.
    fn induction<T: Real>(
        &self,
        head: (&[T], &[T], T),
        p_tilde: Option<T>,
        buffers: &mut Buffers<T>,
    ) -> Result<induction::Slopes<T>, Fault> {
        let task = &self.shape.task;
        let Buffers { distances, one, by_product } = buffers;
        if let Some(table) = &self.table {
            let found = table.loss(head.0[0] * head.1[0], head.2)?;
            by_product[0] = found.by_product;
            let (loss, by_h) = (found.value, found.by_h);
            return Ok(induction::Slopes { loss, by_h, by_tilde: T::constant(0.0) });
        }
        let n = task.places() as f64;
        let Some(p_tilde) = p_tilde else {
            // All places are alike.
            let found = induction::place(task, &Look::previous(), head, by_product)?;
            let scale = T::constant(0.5 / n);
            by_product.iter_mut().for_each(|slope| *slope *= scale);
            let (loss, by_h) = (scale * found.loss, scale * found.by_h);
            return Ok(induction::Slopes { loss, by_h, by_tilde: found.by_tilde });
        };
        let zero = T::constant(0.0);
        let mut sum = induction::Slopes { loss: zero, by_h: zero, by_tilde: zero };
        by_product.fill(zero);
        for (before, sums) in distances.sums.iter().enumerate() {
            let look = Look::after(before + 1, p_tilde, sums);
            let found = induction::place(task, &look, head, one)?;
            sum.loss += found.loss;
            sum.by_h += found.by_h;
            sum.by_tilde += found.by_tilde;
            by_product.iter_mut().zip(&*one).for_each(|(sum, &slope)| *sum += slope);
        }
        let scale = T::constant(0.5 / (n * n));
        by_product.iter_mut().for_each(|slope| *slope *= scale);
        Ok(induction::Slopes {
            loss: scale * sum.loss,
            by_h: scale * sum.by_h,
            by_tilde: scale * sum.by_tilde,
        })
    }

    /// The slopes in `a = w_Q w_K` and in `h` back to the parameters.
    #[inline]
    fn back<T: Real>(
        &self,
        (query, key, _): (&[T], &[T], T),
        (scale, by_h): (T, T),
        by_product: &[T],
        gradient: &mut [T],
    ) {
        let (from, to, d) = (self.shape.query(), self.shape.key(), query.len());
        gradient[self.shape.h()] = scale * by_h;
        let double = T::constant(if self.shape.is_tied() { 2.0 } else { 1.0 });
        for i in 0..d {
            let slope = scale * by_product[i];
            gradient[from + i] = double * slope * key[i];
            if !self.shape.is_tied() {
                gradient[to + i] = slope * query[i];
            }
        }
    }
}

impl Differentiable for Population {
    type Scratch<T: Real> = Buffers<T>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<T: Real>(&self) -> Buffers<T> {
        let zeros = vec![T::constant(0.0); self.shape.task.dimension];
        Buffers {
            distances: Distances { sums: Vec::with_capacity(self.shape.task.places()) },
            one: zeros.clone(),
            by_product: zeros,
        }
    }

    fn slopes<T: Real>(
        &self,
        theta: &[T],
        buffers: &mut Buffers<T>,
        gradient: &mut [T],
    ) -> Result<T, Fault> {
        let halves = self.halves(theta, buffers, gradient)?;
        Ok(halves.gram + halves.induction)
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
