//! Loss and slopes of the two heads on a group of sequences, one per lane.
//!
//! The tokens of a group lie coordinate by coordinate, `[D, L]`, so that sums over places run along memory.
//! Since the first layer is linear, `y_s` itself is never needed: head 1 sees fixed weights of the tokens, and the
//! scores of head 2 are running means of the scores of single tokens.

use saddlescope::Scalar;

use super::weights::Weights;
use crate::ngram_to_induction::{Attention, Partial, Shape};

/// Sequences side by side.
pub(super) const LANES: usize = 16;

pub(super) type Lanes<S> = crate::lanes::Lanes<S, LANES>;

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

/// Sums over sequences, one per lane.
#[derive(Debug)]
pub(super) struct Sums<S> {
    /// Of squared errors: twice the loss.
    pub(super) squares: Partial<Lanes<S>>,
    pub(super) by_tilde: Lanes<S>,
    pub(super) by_p: Lanes<S>,
    pub(super) by_g: Lanes<S>,
    /// Slopes in `a_d = w_Q,d w_K,d`.
    pub(super) by_product: Vec<Lanes<S>>,
    pub(super) by_h: Lanes<S>,
}

impl<S: Scalar> Sums<S> {
    pub(super) fn new(dimension: usize) -> Self {
        let zero = Lanes::ZERO;
        Self {
            squares: Partial { gram: zero, induction: zero },
            by_tilde: zero,
            by_p: zero,
            by_g: zero,
            by_product: vec![zero; dimension],
            by_h: zero,
        }
    }

    pub(super) fn clear(&mut self) {
        let zero = Lanes::ZERO;
        self.squares = Partial { gram: zero, induction: zero };
        [self.by_tilde, self.by_p, self.by_g, self.by_h] = [zero; 4];
        self.by_product.fill(zero);
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
            seen = seen + x.scaled(weight);
            by_p = by_p + x.scaled(slope);
            by_tilde = by_tilde + x.scaled(tilde);
        }
        let error = seen.scaled(g) - x[places - 1].scaled(target);
        let pull = error.scaled(g);
        sums.squares.gram = sums.squares.gram.add_product(error, error);
        sums.by_g = sums.by_g.add_product(error, seen);
        sums.by_p = sums.by_p.add_product(pull, by_p);
        sums.by_tilde = sums.by_tilde.add_product(pull, by_tilde);
    }
}

/// Head 2 beside the induction head: what a group leaves behind on the way forward.
#[derive(Debug)]
pub(super) struct Induction<S> {
    length: usize,
    softmax: bool,
    /// `a_d`.
    pub(super) products: Vec<S>,
    /// `a_d x_L,d` and `w*^2 x_L,d`, which turn tokens into scores.
    looks: Vec<[Lanes<S>; 2]>,
    /// Score of each place, then its exponential, then the slope of the loss in it.
    scores: Vec<Lanes<S>>,
    /// Slope of each score in `p~`.
    slopes: Vec<Lanes<S>>,
    /// The target's score of each place, then its exponential.
    targets: Vec<Lanes<S>>,
    /// Error of each coordinate.
    errors: Vec<Lanes<S>>,
}

impl<S: Scalar> Induction<S> {
    pub(super) fn new(shape: &Shape) -> Self {
        let task = shape.task();
        let zeros = |count: usize| vec![Lanes::ZERO; count];
        Self {
            length: task.length(),
            softmax: task.attention() == Attention::Softmax,
            products: vec![S::ZERO; task.dimension()],
            looks: vec![[Lanes::ZERO; 2]; task.dimension()],
            scores: zeros(task.places()),
            slopes: zeros(task.places()),
            targets: zeros(task.places()),
            errors: zeros(task.dimension()),
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
    /// the scores of places of these, and their slopes in `p~`.
    #[inline(always)]
    fn score(&mut self, tokens: &[Lanes<S>], weights: &Weights<S>, product: S) -> [Lanes<S>; 2] {
        for ((look, x), &a) in
            self.looks.iter_mut().zip(tokens.chunks_exact(self.length)).zip(&self.products)
        {
            let last = x[self.length - 1];
            *look = [last.scaled(a), last.scaled(product)];
        }
        let (mut mean, mut slope) = (Lanes::ZERO, Lanes::ZERO);
        let mut largest = [Lanes::splat(S::from_f64(-1e30)); 2];
        let rows = self.scores.iter_mut().zip(&mut self.slopes).zip(&mut self.targets);
        let shares = weights.share.iter().zip(&weights.share_slope);
        for (j, (((score, by_tilde), target), (&share, &share_slope))) in
            rows.zip(shares).enumerate()
        {
            let [mut own, mut wanted] = [Lanes::ZERO; 2];
            for (x, look) in tokens.chunks_exact(self.length).zip(&self.looks) {
                own = own.add_product(look[0], x[j]);
                wanted = wanted.add_product(look[1], x[j]);
            }
            let step = own - mean;
            slope = slope - slope.scaled(share) + step.scaled(share_slope);
            mean = mean + step.scaled(share);
            (*score, *by_tilde, *target) = (mean, slope, wanted);
            largest = [largest[0].max(mean), largest[1].max(wanted)];
        }
        largest
    }

    /// Exponentials of all scores, and the share of each in the weights of model and target.
    #[inline(always)]
    fn raise(&mut self, largest: [Lanes<S>; 2]) -> [Lanes<S>; 2] {
        let one = Lanes::splat(S::ONE);
        let [own, target] = if self.softmax { largest } else { [Lanes::ZERO; 2] };
        let mut totals = [Lanes::ZERO; 2];
        for (score, wanted) in self.scores.iter_mut().zip(&mut self.targets) {
            score.raise(own);
            wanted.raise(target);
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
            sums.squares.induction = sums.squares.induction.add_product(*error, *error);
            along = along.add_product(*error, answer);
        }
        sums.by_h = sums.by_h + along;
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
        let mut carried = Lanes::ZERO;
        let mut by_tilde = Lanes::ZERO;
        let places = self.scores.len();
        let (slopes, share) = (&self.slopes[..places], &weights.share[..places]);
        for j in (0..places).rev() {
            let mut along = Lanes::ZERO;
            for (x, &error) in tokens.chunks_exact(self.length).zip(&self.errors) {
                along = along.add_product(error, x[j + 1]);
            }
            let pull = self.scores[j] * strength * (along - centre);
            by_tilde = by_tilde.add_product(pull, slopes[j]);
            carried = carried + pull;
            let kept = carried.scaled(share[j]);
            self.scores[j] = kept;
            carried = carried - kept;
        }
        sums.by_tilde = sums.by_tilde + by_tilde;
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
