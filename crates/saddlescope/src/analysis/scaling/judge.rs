//! A fit beside theory: one function from numbers to a word.

use super::{Fit, Law};

/// What differences are let pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Of the exponent; of the slope of a logarithmic law, as a part of theory's. Theory's laws hold in a
    /// limit, and runs are only near it.
    pub slope: f64,
    /// Of the slope, over the range of `x`, that passes as straight.
    pub bend: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { slope: 0.03, bend: 0.1 }
    }
}

/// Half an interval, beyond the tolerance, from which on agreement says nothing.
const WIDE: f64 = 0.25;

/// What a fit comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Theory's slope is within the interval.
    Agrees,
    /// It is outside the interval, or there is none, but within the tolerance.
    Near,
    /// It is within neither.
    Differs,
    /// The points are bent: no such law describes them over this range.
    NotALaw,
    /// The interval is too wide to tell.
    Open,
    /// Theory says nothing.
    Alone,
}

impl Agreement {
    /// The verdict in words.
    pub fn words(self, law: Law) -> &'static str {
        match (self, law) {
            (Self::Agrees, _) => "agrees",
            (Self::Near, _) => "close",
            (Self::Differs, _) => "differs",
            (Self::NotALaw, Law::Log) => "not a logarithm",
            (Self::NotALaw, _) => "not a power law",
            (Self::Open, _) => "too wide to tell",
            (Self::Alone, _) => "no theory",
        }
    }
}

/// What a fit comes to beside the slope that theory says, if it says one.
pub fn judge(fit: &Fit, theory: Option<f64>, tolerance: Tolerance) -> Agreement {
    let bent = fit.bend.is_some_and(|bend| {
        let (low, high) = bend.interval.unwrap_or((bend.value, bend.value));
        low > tolerance.bend || high < -tolerance.bend
    });
    if bent {
        return Agreement::NotALaw;
    }
    let Some(theory) = theory else { return Agreement::Alone };
    let unit = if fit.law == Law::Log { theory.abs() } else { 1.0 };
    let (low, high) = fit.slope.interval.unwrap_or((fit.slope.value, fit.slope.value));
    let wide = 0.5 * (high - low) > (WIDE + tolerance.slope) * unit;
    let inside = low <= theory && theory <= high;
    let near = (fit.slope.value - theory).abs() <= tolerance.slope * unit;
    match (wide, inside && fit.slope.interval.is_some(), near) {
        (true, ..) => Agreement::Open,
        (false, true, _) => Agreement::Agrees,
        (false, false, true) => Agreement::Near,
        (false, false, false) => Agreement::Differs,
    }
}
