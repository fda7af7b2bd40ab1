//! What positions alone decide: the same for every sequence, worked out once per chunk.

use saddlescope::Scalar;
use saddlescope::numeric::elementary::exp;

use crate::Shape;

/// Weights of the first layer and of head 1, with their slopes.
///
/// Place `j = 0..L-2` of the second layer is `s = j + 2`; it looks back on the tokens `0..=j`, counted from zero.
/// With `c_j = 1 / sum_{k <= j} e^{-p~ k}` the first layer is a running mean, `y_j = y_{j-1} + c_j (x_j - y_{j-1})`;
/// `c_j = 1` everywhere leaves the previous token. 002, Eqs. (5) and (6).
#[derive(Debug)]
pub(super) struct Weights<S> {
    /// `c_j`.
    pub(super) share: Vec<S>,
    /// `1 - c_j`.
    pub(super) rest: Vec<S>,
    /// `d c_j / d p~`.
    pub(super) share_slope: Vec<S>,
    /// Weight of token `j` in head 1: its softmax over places, carried through the first layer.
    pub(super) head: Vec<S>,
    /// Slope of `head` in `p`.
    pub(super) by_p: Vec<S>,
    /// Slope of `head` in `p~`.
    pub(super) by_tilde: Vec<S>,
}

impl<S: Scalar> Weights<S> {
    pub(super) fn new(places: usize) -> Self {
        let zeros = || vec![S::ZERO; places];
        Self {
            share: vec![S::ONE; places],
            rest: zeros(),
            share_slope: zeros(),
            head: zeros(),
            by_p: zeros(),
            by_tilde: zeros(),
        }
    }

    pub(super) fn fill(&mut self, shape: &Shape, theta: &[f64]) {
        let parameters = shape.read(theta);
        if let Some(p_tilde) = parameters.p_tilde {
            self.fill_first(p_tilde);
        }
        if let Some([p, _]) = parameters.gram {
            self.fill_head(p);
        }
    }

    /// `c_{j+1} = c_j/(c_j + r)` with `r = e^{-p~}`, which nothing can overflow.
    fn fill_first(&mut self, p_tilde: f64) {
        let ratio = exp(-p_tilde);
        let (mut share, mut slope) = (1.0, 0.0);
        let rows = self.share.iter_mut().zip(&mut self.rest).zip(&mut self.share_slope);
        for ((c, rest), by_tilde) in rows {
            *c = S::from_f64(share);
            *rest = S::from_f64(1.0 - share);
            *by_tilde = S::from_f64(slope);
            let below = share + ratio;
            slope = ratio / below * ((slope + share) / below);
            share /= below;
        }
    }

    /// The softmax of `-p k` over the distances `k = L-3-j`, and its way back through the running mean.
    fn fill_head(&mut self, p: f64) {
        let last = self.head.len() - 1;
        // The largest weight is one, on whichever side it lies.
        let ratio = exp(-p.abs());
        let (mut sum, mut moment, mut weight) = (0.0, 0.0, 1.0);
        for step in 0..=last {
            let j = if p < 0.0 { step } else { last - step };
            sum += weight;
            moment += weight * (last - j) as f64;
            self.head[j] = S::from_f64(weight);
            weight *= ratio;
        }
        let (scale, mean) = (1.0 / sum, moment / sum);
        // What place j + 1 hands down to y_j: of the weight, of its slope in p, and of that in p~.
        let [mut carried, mut carried_by_p, mut carried_by_tilde] = [0.0; 3];
        for j in (0..=last).rev() {
            let weight = scale * self.head[j].to_f64();
            let (c, slope) = (self.share[j].to_f64(), self.share_slope[j].to_f64());
            carried += weight;
            carried_by_p += weight * (mean - (last - j) as f64);
            let by_tilde = slope * carried + c * carried_by_tilde;
            self.head[j] = S::from_f64(c * carried);
            self.by_p[j] = S::from_f64(c * carried_by_p);
            self.by_tilde[j] = S::from_f64(by_tilde);
            carried_by_tilde -= by_tilde;
            carried *= 1.0 - c;
            carried_by_p *= 1.0 - c;
        }
    }
}
