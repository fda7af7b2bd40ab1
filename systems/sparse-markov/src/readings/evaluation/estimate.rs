//! Means over sequences.

use saddlescope_spec::measure::Mean;

/// A mean over sequences, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error; NaN for a single sequence.
    pub error: f64,
}

impl Estimate {
    /// Of one number per sequence.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut mean = Mean::default();
        numbers.into_iter().for_each(|number| mean.add(number));
        Self { mean: mean.mean(), error: mean.error() }
    }
}
