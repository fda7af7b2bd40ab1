//! The inner loops of the rules. They run as wide as the machine allows; nothing is fused or summed across lanes, so that the
//! width changes no bit.

use crate::prelude::*;

/// `theta -= rate * gradient`.
#[inline(always)]
pub(super) fn descend<S: Scalar>(theta: &mut [S], gradient: &[S], rate: S) {
    for (theta, &gradient) in theta.iter_mut().zip(gradient) {
        *theta -= rate * gradient;
    }
}

/// `v = mu v + share gradient`, `theta -= rate v`.
#[inline(always)]
pub(super) fn heavy_ball<S: Scalar>(
    theta: &mut [S],
    velocity: &mut [S],
    gradient: &[S],
    [mu, share, rate]: [S; 3],
) {
    for ((theta, v), &g) in theta.iter_mut().zip(velocity).zip(gradient) {
        *v = mu * *v + share * g;
        *theta -= rate * *v;
    }
}

/// `v = mu v + gradient`, `theta -= rate (gradient + mu v)`.
pub(super) fn nesterov<S: Scalar>(
    theta: &mut [S],
    velocity: &mut [S],
    gradient: &[S],
    [mu, rate]: [S; 2],
) {
    for ((theta, v), &g) in theta.iter_mut().zip(velocity).zip(gradient) {
        *v = mu * *v + g;
        *theta -= rate * (g + mu * *v);
    }
}

/// The constants of one step of Adam, rounded once to the precision of the parameters.
#[derive(Clone, Copy)]
pub(super) struct Adam<S> {
    pub(super) beta1: S,
    pub(super) share1: S,
    pub(super) beta2: S,
    pub(super) share2: S,
    /// `1/sqrt(1 - beta2^t)`.
    pub(super) root: S,
    pub(super) epsilon: S,
    /// `rate/(1 - beta1^t)`.
    pub(super) rate: S,
    /// What weight decay leaves of a parameter; 1 changes no bit.
    pub(super) keep: S,
}

impl<S: Scalar> Adam<S> {
    #[inline(always)]
    pub(super) fn apply(self, theta: &mut [S], gradient: &[S], mean: &mut [S], square: &mut [S]) {
        let moments = mean.iter_mut().zip(square);
        for ((theta, &g), (m, v)) in theta.iter_mut().zip(gradient).zip(moments) {
            let mean = self.beta1 * *m + self.share1 * g;
            let square = self.beta2 * *v + self.share2 * (g * g);
            let spread = square.sqrt() * self.root + self.epsilon;
            *theta = *theta * self.keep - self.rate * mean / spread;
            // Stored last: read back from memory, the moments would cost half the speed.
            (*m, *v) = (mean, square);
        }
    }
}

/// The sum of squares in double precision. Its order is fixed by the eight partial sums written
/// here, and lets them be computed side by side.
pub(super) fn sum_of_squares<S: Scalar>(values: &[S]) -> f64 {
    const WIDTH: usize = 8;
    let mut sums = [0.0; WIDTH];
    let (chunks, rest) = values.as_chunks::<WIDTH>();
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value.to_f64() * value.to_f64();
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += value.to_f64() * value.to_f64();
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_any_number_of_values_are_summed() {
        for len in 0..40_u32 {
            let values: Vec<f32> = (1..=len).map(|i| i as f32).collect();
            // Sums of small integers are exact in any order.
            let expected = f64::from(len * (len + 1) * (2 * len + 1) / 6);
            assert_eq!(sum_of_squares(&values), expected);
        }
    }
}
