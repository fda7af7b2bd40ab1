//! Loss and slopes of the two heads on a group of sequences, one per lane.
//!
//! The tokens of a group lie coordinate by coordinate, `[D, L]`, so that sums over places run along memory.
//! Since the first layer is linear, `y_s` itself is never needed: head 1 sees fixed weights of the tokens, and the
//! scores of head 2 are running means of the scores of single tokens. Scores are in units of `ln 2`, since powers of
//! two are cheaper than exponentials, which are half of the work.

use std::f64::consts::{LN_2, LOG2_E};

use saddlescope::Scalar;

use super::weights::Weights;
use crate::{Attention, Shape};

/// Sequences side by side.
pub(super) const LANES: usize = 16;

pub(super) type Lanes<S> = saddlescope::numeric::packed::Lanes<S, LANES>;

/// The numbers that both heads take from task and parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strengths<S> {
    /// `g`, `g*`.
    pub(super) gram: [S; 2],
    /// `h`, `h*`.
    pub(super) induction: [S; 2],
    /// `w*^2`.
    pub(super) product: S,
}

#[derive(Debug)]
pub(super) struct Sums<S> {
    /// Of squared errors of both heads: twice their losses.
    pub(super) squares: [Lanes<S>; 2],
    pub(super) by_tilde: Lanes<S>,
    pub(super) by_p: Lanes<S>,
    pub(super) by_g: Lanes<S>,
    /// Slopes in `a_d = w_Q,d w_K,d`.
    pub(super) by_product: Vec<Lanes<S>>,
    pub(super) by_h: Lanes<S>,
}

impl<S: Scalar> Sums<S> {
    pub(super) fn new(dimension: usize) -> Self {
        let [by_tilde, by_p, by_g, by_h] = [Lanes::ZERO; 4];
        let (squares, by_product) = ([Lanes::ZERO; 2], vec![Lanes::ZERO; dimension]);
        Self { squares, by_tilde, by_p, by_g, by_product, by_h }
    }

    pub(super) fn clear(&mut self) {
        self.squares = [Lanes::ZERO; 2];
        [self.by_tilde, self.by_p, self.by_g, self.by_h] = [Lanes::ZERO; 4];
        self.by_product.fill(Lanes::ZERO);
    }
}

/// Head 1 beside the 4-gram: `g sum_j C_j x_j` for `g* x_{L-2}`. 002, Eqs. (1) and (6).
#[inline(always)]
pub(super) fn gram<S: Scalar>(
    tokens: &[Lanes<S>],
    length: usize,
    weights: &Weights<S>,
    [g, target]: [S; 2],
    sums: &mut Sums<S>,
) {
    let places = length - 2;
    let weights = weights.head.iter().zip(&weights.by_p).zip(&weights.by_tilde);
    for x in tokens.chunks_exact(length) {
        let (mut seen, mut by_p, mut by_tilde) = (Lanes::ZERO, Lanes::ZERO, Lanes::ZERO);
        for (&x, ((&weight, &slope), &tilde)) in x.iter().zip(weights.clone()) {
            seen += x.scaled(weight);
            by_p += x.scaled(slope);
            by_tilde += x.scaled(tilde);
        }
        let error = seen.scaled(g) - x[places - 1].scaled(target);
        let pull = error.scaled(g);
        sums.squares[0] = sums.squares[0].add_product(error, error);
        sums.by_g = sums.by_g.add_product(error, seen);
        sums.by_p = sums.by_p.add_product(pull, by_p);
        sums.by_tilde = sums.by_tilde.add_product(pull, by_tilde);
    }
}

/// `sum_c factor_c x_c` at place `j`, for several factors at once. The first coordinate stands apart: mostly there
/// is no other.
#[inline(always)]
fn along<S: Scalar, const K: usize>(
    factors: [&[Lanes<S>]; K],
    tokens: &[Lanes<S>],
    (length, j): (usize, usize),
) -> [Lanes<S>; K] {
    let mut sums = [Lanes::ZERO; K];
    for k in 0..K {
        sums[k] = factors[k][0] * tokens[j];
    }
    for c in 1..factors[0].len() {
        for k in 0..K {
            sums[k] = sums[k].add_product(factors[k][c], tokens[c * length + j]);
        }
    }
    sums
}

/// Head 2 beside the induction head: what a group leaves behind on the way forward.
#[derive(Debug)]
pub(super) struct Induction<S> {
    length: usize,
    softmax: bool,
    /// `a_d`.
    pub(super) products: Vec<S>,
    /// `a_d x_L,d` and `w*^2 x_L,d` over `ln 2`, which turn tokens into scores.
    looks: [Vec<Lanes<S>>; 2],
    /// Score of each place, then its exponential, then the slope of the loss in it.
    scores: Vec<Lanes<S>>,
    /// How far the running mean has to go at each place, where `p~` decides how far it goes.
    steps: Vec<Lanes<S>>,
    /// The target's score of each place, then its exponential.
    targets: Vec<Lanes<S>>,
    /// Error of each coordinate.
    errors: Vec<Lanes<S>>,
}

impl<S: Scalar> Induction<S> {
    pub(super) fn new(shape: &Shape) -> Self {
        let task = &shape.task;
        let zeros = |count: usize| vec![Lanes::ZERO; count];
        Self {
            length: task.length,
            softmax: task.attention == Attention::Softmax,
            products: vec![S::ZERO; task.dimension],
            looks: [zeros(task.dimension), zeros(task.dimension)],
            scores: zeros(task.places()),
            steps: zeros(task.places()),
            targets: zeros(task.places()),
            errors: zeros(task.dimension),
        }
    }

    /// Adds the squares and slopes of a group.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        tokens: &[Lanes<S>],
        weights: &Weights<S>,
        strengths: &Strengths<S>,
        sums: &mut Sums<S>,
    ) {
        let largest = self.score(tokens, weights, strengths.product);
        let shares = self.raise(largest);
        let centre = self.answer(tokens, shares, strengths.induction, sums);
        let strength = shares[0].scaled(strengths.induction[0]);
        self.pull(tokens, (strength, centre), weights, sums);
        self.back(tokens, sums);
    }

    /// Scores of all places, and the largest of model and target.
    ///
    /// A single token as a key has the score `sum_d a_d x_L,d x_j,d`; the running mean of the first layer makes
    /// the scores of places of these.
    #[inline(always)]
    fn score(&mut self, tokens: &[Lanes<S>], weights: &Weights<S>, product: S) -> [Lanes<S>; 2] {
        let (length, unit) = (self.length, S::from_f64(LOG2_E));
        let [own_looks, target_looks] = &mut self.looks;
        for (c, x) in tokens.chunks_exact(length).enumerate() {
            own_looks[c] = x[length - 1].scaled(unit * self.products[c]);
            target_looks[c] = x[length - 1].scaled(unit * product);
        }
        let mut mean = Lanes::ZERO;
        let mut largest = [Lanes::splat(S::from_f64(-1e30)); 2];
        let rows = self.scores.iter_mut().zip(&mut self.steps).zip(&mut self.targets);
        let shares = weights.share.iter().zip(&weights.rest);
        for (j, (((score, step), target), (&share, &rest))) in rows.zip(shares).enumerate() {
            let [own, wanted] = along([own_looks, target_looks], tokens, (length, j));
            *step = own - mean;
            mean = mean.scaled(rest) + own.scaled(share);
            (*score, *target) = (mean, wanted);
            largest = [largest[0].max(mean), largest[1].max(wanted)];
        }
        largest
    }

    /// Weights of all scores before they are divided, and the share of each in the weights of model and target.
    #[inline(always)]
    fn raise(&mut self, largest: [Lanes<S>; 2]) -> [Lanes<S>; 2] {
        let one = Lanes::splat(S::ONE);
        let [own, target] = if self.softmax { largest } else { [Lanes::ZERO; 2] };
        let mut totals = [Lanes::ZERO; 2];
        for (score, wanted) in self.scores.iter_mut().zip(&mut self.targets) {
            score.exp2(own);
            wanted.exp2(target);
            totals = [totals[0] + *score, totals[1] + *wanted];
        }
        if self.softmax {
            return totals.map(|total| one / total);
        }
        [Lanes::splat(S::from_f64(1.0 / self.scores.len() as f64)); 2]
    }

    /// Answers and errors; returns what the softmax takes off the error along each value.
    #[inline(always)]
    fn answer(
        &mut self,
        tokens: &[Lanes<S>],
        shares: [Lanes<S>; 2],
        [h, h_star]: [S; 2],
        sums: &mut Sums<S>,
    ) -> Lanes<S> {
        let mut along = Lanes::ZERO;
        for (x, error) in tokens.chunks_exact(self.length).zip(&mut self.errors) {
            let [mut own, mut target] = [Lanes::ZERO; 2];
            for ((&value, &weight), &wanted) in x[1..].iter().zip(&self.scores).zip(&self.targets) {
                own = own.add_product(weight, value);
                target = target.add_product(wanted, value);
            }
            let answer = own * shares[0];
            *error = answer.scaled(h) - (target * shares[1]).scaled(h_star);
            sums.squares[1] = sums.squares[1].add_product(*error, *error);
            along = along.add_product(*error, answer);
        }
        sums.by_h += along;
        if self.softmax { along } else { Lanes::ZERO }
    }

    /// The slope in every score, handed down through the running mean to the score of every single token.
    #[inline(always)]
    fn pull(
        &mut self,
        tokens: &[Lanes<S>],
        (strength, centre): (Lanes<S>, Lanes<S>),
        weights: &Weights<S>,
        sums: &mut Sums<S>,
    ) {
        let [mut carried, mut by_tilde] = [Lanes::ZERO; 2];
        let places = self.scores.len();
        let (steps, share_slope) = (&self.steps[..places], &weights.share_slope[..places]);
        let (share, rest) = (&weights.share[..places], &weights.rest[..places]);
        for j in (0..places).rev() {
            let [value] = along([&self.errors], tokens, (self.length, j + 1));
            carried += self.scores[j] * strength * (value - centre);
            by_tilde = by_tilde.add_product(carried.scaled(share_slope[j]), steps[j]);
            self.scores[j] = carried.scaled(share[j]);
            carried = carried.scaled(rest[j]);
        }
        sums.by_tilde += by_tilde.scaled(S::from_f64(LN_2));
    }

    /// Slopes in `a_d`.
    #[inline(always)]
    fn back(&self, tokens: &[Lanes<S>], sums: &mut Sums<S>) {
        for (x, by_product) in tokens.chunks_exact(self.length).zip(&mut sums.by_product) {
            let mut sum = Lanes::ZERO;
            for (&x, &pull) in x.iter().zip(&self.scores) {
                sum = sum.add_product(x, pull);
            }
            *by_product = by_product.add_product(sum, x[self.length - 1]);
        }
    }
}
