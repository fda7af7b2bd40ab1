//! The exact expectation of the loss: closed forms, and quadrature where the softmax has none.
//!
//! Each is written once, for numbers and for jets, whose slopes are those of the loss.

use std::sync::Arc;

use saddlescope_spec::prelude::*;

use self::geometric::tails;
use self::induction::{Look, Slopes};
use self::softmax::Table;
use crate::{Attention, Error, Shape};

pub mod geometric;
pub mod gram;
pub mod induction;
pub mod softmax;

/// The loss of 002, Eq. (3) in expectation, in its two parts.
#[derive(Debug, Clone)]
pub struct Population {
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
pub struct HeadLoss<T = f64> {
    /// `L_IH`.
    pub loss: T,
    /// Its slope in `p~`.
    by_tilde: T,
    /// Its slope in `h`.
    pub by_h: T,
    /// Its slopes in `a_d = w_Q,d w_K,d`.
    pub by_product: Vec<T>,
}

#[derive(Debug, Clone)]
pub struct Buffers<T> {
    /// `M - 1` of each place in the first layer, with slopes in `p~`, `p` and `g`.
    before: Vec<Jet<T, 3>>,
    /// `a_d = w_Q,d w_K,d`, and how what each adds to a place moves with it.
    products: Vec<T>,
    bends: Vec<[T; 3]>,
    head: HeadLoss<T>,
}

impl Population {
    /// The expected loss of a model of that `shape`.
    pub fn new(shape: Shape) -> Result<Self, Error> {
        let softmax = shape.has_induction() && shape.task.attention == Attention::Softmax;
        let expected = "\"previous\" (p~ infinite): with a trained first layer the softmax has no exact loss; \
                        take loss = \"empirical\" or \"online\", or attention = \"exponential\"";
        Error::ensure(!softmax || !shape.is_first_trained(), "first", "\"trained\"", expected)?;
        let table = softmax.then(|| Table::shared(&shape.task)).transpose()?;
        Ok(Self { shape, blocks: shape.blocks(), table })
    }

    /// The two halves of the loss at `theta`.
    pub fn partial(&self, theta: &[f64]) -> Result<Partial, Fault> {
        let mut gradient = vec![0.0; theta.len()];
        self.halves(theta, &mut self.scratch(), &mut gradient)
    }

    /// The induction head at `w_Q = w_K = w` in each coordinate and `h`, with the first layer at `p_tilde` where it is
    /// trained.
    pub fn head(&self, w: f64, h: f64, p_tilde: Option<f64>) -> Result<HeadLoss, Fault> {
        let (mut buffers, entries) = (self.scratch(), vec![w; self.shape.task.dimension]);
        self.induction((&entries, &entries, h), p_tilde, &mut buffers)?;
        Ok(buffers.head)
    }

    /// The two halves of the loss, and the slopes of their sum.
    fn halves<T: Real>(
        &self,
        theta: &[T],
        buffers: &mut Buffers<T>,
        gradient: &mut [T],
    ) -> Result<Partial<T>, Fault> {
        let (shape, task) = (&self.shape, &self.shape.task);
        let (parameters, places) = (shape.read(theta), task.places());
        let p = parameters.gram.map(|[p, _]| p);
        for slope in [parameters.p_tilde, p].into_iter().flatten().map(Real::value) {
            if slope * places as f64 <= -STEEPEST {
                return Err(Fault::OutOfDomain(format!(
                    "p or p_tilde is {slope}, so that the first of {places} tokens has a weight of e^{:.0}, beyond all numbers",
                    -slope * places as f64
                )));
            }
        }
        let zero = T::constant(0.0);
        let mut partial = Partial { gram: zero, induction: zero };
        gradient.fill(zero);
        if let Some([p, g]) = parameters.gram {
            let target = task.gram_weight();
            let [p, g] = [Jet::variable(p, 1), Jet::variable(g, 2)];
            let loss = match parameters.p_tilde {
                Some(p_tilde) => {
                    let slopes = (Jet::variable(p_tilde, 0), p, g);
                    gram::through_first_layer((places, target), slopes, &mut buffers.before)
                }
                None => gram::after_stage_one(places, target, p, g),
            };
            let loss = Jet::constant(task.coordinates()) * loss;
            partial.gram = loss.value;
            // p~, where it is trained, p and g come first.
            let slopes = &loss.slopes[1 - shape.gram()..];
            gradient[..slopes.len()].copy_from_slice(slopes);
        }
        if let Some(head) = parameters.induction {
            self.induction(head, parameters.p_tilde, buffers)?;
            let HeadLoss { loss, by_tilde, by_h, by_product } = &buffers.head;
            partial.induction = *loss;
            if parameters.p_tilde.is_some() {
                gradient[0] += *by_tilde;
            }
            gradient[shape.h()] = *by_h;
            let (query, key, _) = head;
            for (i, &slope) in by_product.iter().enumerate() {
                // Tied ones share a place, where both halves of the slope add up.
                gradient[shape.query() + i] += slope * key[i];
                gradient[shape.key() + i] += slope * query[i];
            }
        }
        Ok(partial)
    }

    /// Puts what the induction head comes to into the buffers.
    fn induction<T: Real>(
        &self,
        (query, key, h): (&[T], &[T], T),
        p_tilde: Option<T>,
        buffers: &mut Buffers<T>,
    ) -> Result<(), Fault> {
        let (task, zero) = (&self.shape.task, T::constant(0.0));
        let Buffers { products, bends, head, .. } = buffers;
        for (product, (&query, &key)) in products.iter_mut().zip(query.iter().zip(key)) {
            *product = query * key;
        }
        if let Some(table) = &self.table {
            let loss = table.loss(Jet::variable(products[0], 0), Jet::variable(h, 1))?;
            let Jet { value: loss, slopes: [by_product, by_h] } = loss;
            head.by_product[0] = by_product;
            (head.loss, head.by_tilde, head.by_h) = (loss, zero, by_h);
            return Ok(());
        }
        head.by_product.fill(zero);
        let mut see =
            |look| induction::place(task, &look, (&*products, h), bends, &mut head.by_product);
        let n = task.places() as f64;
        let (sum, scale) = match p_tilde {
            // All places are alike.
            None => (see(Look::previous())?, 0.5 / n),
            Some(p_tilde) => {
                let p_tilde = Jet::variable(p_tilde, 0);
                let twice = tails(Jet::constant(2.0) * p_tilde);
                let mut sum = Slopes { loss: zero, by_tilde: zero, by_h: zero };
                for (before, (tail, twice)) in
                    tails(p_tilde).zip(twice).take(task.places()).enumerate()
                {
                    let found = see(Look::after(before + 1, p_tilde, tail, twice))?;
                    sum.loss += found.loss;
                    sum.by_tilde += found.by_tilde;
                    sum.by_h += found.by_h;
                }
                (sum, 0.5 / (n * n))
            }
        };
        let scale = T::constant(scale * task.coordinates());
        head.by_product.iter_mut().for_each(|slope| *slope *= scale);
        (head.loss, head.by_tilde, head.by_h) =
            (scale * sum.loss, scale * sum.by_tilde, scale * sum.by_h);
        Ok(())
    }
}

impl Differentiable for Population {
    type Scratch<T: Real> = Buffers<T>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<T: Real>(&self) -> Buffers<T> {
        let (zero, d) = (T::constant(0.0), self.shape.task.dimension);
        let zeros = vec![zero; d];
        Buffers {
            before: Vec::new(),
            products: zeros.clone(),
            bends: vec![[zero; 3]; d],
            head: HeadLoss { loss: zero, by_tilde: zero, by_h: zero, by_product: zeros },
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
