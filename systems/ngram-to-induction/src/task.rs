//! The task: predict a token of the recent past and a token recalled from the context, both at once.

use crate::{Attention, Error, Reduction, Tokens};

/// The mixed target of 002, Eq. (2): `g* x_{L-2}` beside `h* sum_s x_s weight_s`, where the weight of place `s`
/// compares the last token with the one before `s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Task {
    /// `L`.
    pub length: usize,
    /// `D`.
    pub dimension: usize,
    pub tokens: Tokens,
    pub attention: Attention,
    /// How the coordinates of an error are added up.
    pub reduction: Reduction,
    /// `alpha*`.
    pub alpha: f64,
    /// `w*`.
    pub w_star: f64,
}

/// The shortest sequence: the 4-gram's token `x_{L-2}` must not be the first.
pub const SHORTEST: usize = 4;

/// The largest exponent that losses of boolean tokens have.
const LARGEST_EXPONENT: f64 = 300.0;

impl Task {
    /// One-dimensional Gaussian tokens with the simplified attention: what the paper analyses.
    pub fn new(length: usize, alpha: f64, w_star: f64) -> Result<Self, Error> {
        let (tokens, attention) = (Tokens::Gaussian, Attention::Exponential);
        Self::general(length, 1, (tokens, attention, Reduction::Sum), (alpha, w_star))
    }

    /// Any task: `length` tokens of `dimension` coordinates, with the proportion `alpha` of the 4-gram to the
    /// induction head and the strength `w_star` of the target's comparison.
    pub fn general(
        length: usize,
        dimension: usize,
        (tokens, attention, reduction): (Tokens, Attention, Reduction),
        (alpha, w_star): (f64, f64),
    ) -> Result<Self, Error> {
        let expected = "at least 4: x_{L-2} and the places 2 to L-1 must exist";
        Error::ensure(length >= SHORTEST, "length", length, expected)?;
        Error::ensure_counts(dimension, "dimension")?;
        Error::ensure_positive(alpha, "alpha_star")?;
        Error::ensure_positive(w_star, "w_star")?;
        if tokens == Tokens::Gaussian
            && attention == Attention::Exponential
            && 2.0 * w_star * w_star >= 1.0
        {
            let expected = "below 0.7071 (2 w*^2 < 1), where E exp(2 w*^2 x y) of Gaussian tokens is finite; \
                            softmax attention and boolean tokens have no such limit";
            return Err(Error::value("w_star", w_star, expected));
        }
        if tokens == Tokens::Boolean
            && attention == Attention::Exponential
            && 2.0 * w_star * w_star * dimension as f64 > LARGEST_EXPONENT
        {
            let expected = format!(
                "at most {:.4}: the loss has terms of cosh(2 w*^2)^{dimension}, beyond all numbers; softmax attention has \
                 no such limit",
                (0.5 * LARGEST_EXPONENT / dimension as f64).sqrt()
            );
            return Err(Error::value("w_star", w_star, expected));
        }
        Ok(Self { length, dimension, tokens, attention, reduction, alpha, w_star })
    }

    /// `L - 2`: places `s = 2..L-1` that the heads of the second layer look at.
    pub fn places(&self) -> usize {
        self.length - 2
    }

    /// `w*^2`, what `w_Q w_K` has to become.
    pub fn product(&self) -> f64 {
        self.w_star * self.w_star
    }

    /// `g* = alpha*/(1 + alpha*)`.
    pub fn gram_weight(&self) -> f64 {
        self.alpha / (1.0 + self.alpha)
    }

    /// `h* = 1/(1 + alpha*)`.
    pub fn induction_weight(&self) -> f64 {
        1.0 / (1.0 + self.alpha)
    }

    /// By what a mean over coordinates is multiplied in the loss: `D` or 1.
    pub fn coordinates(&self) -> f64 {
        match self.reduction {
            Reduction::Sum => self.dimension as f64,
            Reduction::Mean => 1.0,
        }
    }

    pub fn with_attention(&self, attention: Attention) -> Result<Self, Error> {
        let kinds = (self.tokens, attention, self.reduction);
        Self::general(self.length, self.dimension, kinds, (self.alpha, self.w_star))
    }

    pub fn with_tokens(&self, tokens: Tokens) -> Result<Self, Error> {
        let kinds = (tokens, self.attention, self.reduction);
        Self::general(self.length, self.dimension, kinds, (self.alpha, self.w_star))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_task_is_refused_by_value() {
        let error = |length, alpha, w| Task::new(length, alpha, w).unwrap_err().to_string();
        assert!(error(3, 1.0, 0.3).contains("length is 3, expected at least 4"));
        assert!(error(40, -1.0, 0.3).contains("alpha_star is -1"));
        assert!(error(40, 1.0, 0.0).contains("w_star is 0"));
        let limit = error(40, 1.0, 0.71);
        assert!(limit.contains("w_star is 0.71") && limit.contains("softmax"), "{limit}");
    }

    #[test]
    fn only_gaussian_exponentials_have_a_limit() {
        let kinds = [
            (Tokens::Boolean, Attention::Exponential),
            (Tokens::Boolean, Attention::Softmax),
            (Tokens::Gaussian, Attention::Softmax),
        ];
        for (tokens, attention) in kinds {
            let kinds = (tokens, attention, Reduction::Sum);
            assert!(Task::general(40, 1, kinds, (1.0, 0.9)).is_ok());
        }
        let task = Task::new(40, 3.0, 0.7).unwrap();
        assert_eq!((task.gram_weight(), task.induction_weight()), (0.75, 0.25));
    }
}
