//! A predicted number beside a measured one, with the tolerance between them.

use serde::Serialize;

/// How many standard errors a measurement with noise is given before it counts as decided.
const SIGMAS: f64 = 4.0;

/// What a claim says about a measured number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// It equals the predicted one.
    Equal,
    /// It is not below the predicted one.
    #[serde(rename = "at least")]
    AtLeast,
    /// It is not above the predicted one.
    #[serde(rename = "at most")]
    AtMost,
}

/// What an error is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// The units of the numbers themselves.
    Absolute,
    /// Parts of the predicted number.
    Relative,
}

/// How far a measurement agrees with its prediction, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// Within the tolerance.
    Within,
    /// Beyond the tolerance, within the looser bound.
    Loosely,
    /// The noise leaves it open.
    Unclear,
    /// Beyond every bound.
    Outside,
}

/// A predicted number beside a measured one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    /// What was measured, and how.
    pub what: String,
    /// What the claim says about it.
    pub relation: Relation,
    /// The number that the claim predicts.
    pub predicted: f64,
    /// The number that was found.
    pub measured: f64,
    /// What error, tolerance and bound are in.
    pub scale: Scale,
    /// By how much the relation is missed; 0 where it holds exactly.
    pub error: f64,
    /// The error that counts as none: rounding, or the accuracy of the method.
    pub tolerance: f64,
    /// The larger error that still counts as approximate agreement.
    pub looser: Option<f64>,
    /// One standard error of `error`, 0 for what is computed without sampling.
    #[serde(rename = "standard_error")]
    pub noise: f64,
}

impl Measurement {
    /// Two numbers that should be equal, compared in their own units.
    pub fn absolute(
        what: impl Into<String>,
        predicted: f64,
        measured: f64,
        tolerance: f64,
    ) -> Self {
        Self {
            what: what.into(),
            predicted,
            measured,
            relation: Relation::Equal,
            scale: Scale::Absolute,
            error: (measured - predicted).abs(),
            tolerance,
            looser: None,
            noise: 0.0,
        }
    }

    /// Two numbers that should be equal, compared in parts of the predicted one.
    pub fn relative(
        what: impl Into<String>,
        predicted: f64,
        measured: f64,
        tolerance: f64,
    ) -> Self {
        let mut new = Self::absolute(what, predicted, measured, tolerance);
        new.scale = Scale::Relative;
        new.error /= predicted.abs();
        new
    }

    /// Lists of numbers that should be equal, entry by entry: the entry that is furthest off.
    ///
    /// Lists of different lengths, empty ones, and entries that are not numbers agree with nothing.
    pub fn each(
        what: impl Into<String>,
        predicted: &[f64],
        measured: &[f64],
        tolerance: f64,
    ) -> Self {
        let distance = |(a, b): &(f64, f64)| (a - b).abs();
        let pairs = predicted.iter().copied().zip(measured.iter().copied());
        let worst = pairs.max_by(|a, b| distance(a).total_cmp(&distance(b)));
        let (predicted, measured) =
            worst.filter(|_| predicted.len() == measured.len()).unwrap_or((f64::NAN, f64::NAN));
        Self::absolute(what, predicted, measured, tolerance)
    }

    /// Two counts that should be the same.
    pub fn count(what: impl Into<String>, predicted: usize, measured: usize) -> Self {
        Self::absolute(what, predicted as f64, measured as f64, 0.0)
    }

    /// A number that should be `bound` or more.
    pub fn at_least(what: impl Into<String>, bound: f64, measured: f64) -> Self {
        Self::bounded(what, Relation::AtLeast, bound, measured, bound - measured)
    }

    /// A number that should be `bound` or less.
    pub fn at_most(what: impl Into<String>, bound: f64, measured: f64) -> Self {
        Self::bounded(what, Relation::AtMost, bound, measured, measured - bound)
    }

    fn bounded(
        what: impl Into<String>,
        relation: Relation,
        bound: f64,
        measured: f64,
        miss: f64,
    ) -> Self {
        // Not `max`, which would turn a NaN into 0.
        let error = if miss < 0.0 { 0.0 } else { miss };
        Self { relation, error, ..Self::absolute(what, bound, measured, 0.0) }
    }

    /// Names the larger error that still counts as approximate agreement.
    pub fn loosely(&mut self, looser: f64) -> &mut Self {
        self.looser = Some(looser);
        self
    }

    /// Says that the measured number is uncertain by that standard error, in its own units.
    pub fn noisy(&mut self, standard_error: f64) -> &mut Self {
        self.noise = match self.scale {
            Scale::Absolute => standard_error,
            Scale::Relative => standard_error / self.predicted.abs(),
        };
        self
    }

    /// How far the two numbers agree. Noise of four standard errors must not be able to change it.
    pub fn agreement(&self) -> Agreement {
        let (least, most) = (self.error - SIGMAS * self.noise, self.error + SIGMAS * self.noise);
        let looser = self.looser.unwrap_or(self.tolerance).max(self.tolerance);
        if most <= self.tolerance {
            Agreement::Within
        } else if most <= looser {
            Agreement::Loosely
        } else if least > looser {
            Agreement::Outside
        } else {
            Agreement::Unclear
        }
    }

    /// How much of what is allowed the error and its noise use up: 1 at the tolerance, below 1 for a bound
    /// that is kept. Of several measurements, the one with the largest share says most.
    pub fn share(&self) -> f64 {
        let most = self.error + SIGMAS * self.noise;
        if most > 0.0 {
            return most / self.tolerance;
        }
        // A bound that is kept: how near the number comes to it.
        let part = match self.relation {
            Relation::Equal => 0.0,
            Relation::AtLeast => self.predicted / self.measured,
            Relation::AtMost => self.measured / self.predicted,
        };
        if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_decided_by_error_bounds_and_noise() {
        let of = |measured: f64| Measurement::relative("x", 2.0, measured, 0.01);
        for (measurement, expected) in [
            (&mut of(2.019), Agreement::Within),
            (&mut of(2.021), Agreement::Outside),
            (of(2.021).loosely(0.05), Agreement::Loosely),
            (of(2.2).loosely(0.05), Agreement::Outside),
            // 4 standard errors of 0.004 are 0.008 of 2.
            (of(2.001).noisy(0.004), Agreement::Within),
            (of(2.01).noisy(0.004), Agreement::Unclear),
            (of(2.1).noisy(0.004), Agreement::Outside),
            (&mut of(f64::NAN), Agreement::Unclear),
            (&mut of(f64::INFINITY), Agreement::Outside),
        ] {
            assert_eq!(measurement.agreement(), expected, "{measurement:?}");
        }
    }

    #[test]
    fn bounds_are_missed_on_one_side_only() {
        assert_eq!(Measurement::at_least("x", 3.0, 4.0).agreement(), Agreement::Within);
        assert_eq!(Measurement::at_least("x", 3.0, 2.9).agreement(), Agreement::Outside);
        assert_eq!(Measurement::at_most("x", 3.0, 2.0).agreement(), Agreement::Within);
        assert_eq!(Measurement::at_most("x", 3.0, 3.1).agreement(), Agreement::Outside);
        assert_eq!(Measurement::at_most("x", 3.0, f64::NAN).agreement(), Agreement::Unclear);
        let share = |measured: f64| Measurement::at_least("x", 1.0, measured).share();
        assert!(share(0.9) > share(1.1) && share(1.1) > share(9.0));
    }

    #[test]
    fn lists_are_judged_by_their_worst_entry() {
        let each = |measured: &[f64]| Measurement::each("x", &[1.0, 2.0], measured, 1e-3);
        assert_eq!(each(&[1.0, 2.0]).agreement(), Agreement::Within);
        let off = each(&[1.01, 2.0]);
        assert_eq!((off.predicted, off.measured), (1.0, 1.01));
        assert_eq!(off.agreement(), Agreement::Outside);
        assert_eq!(each(&[f64::NAN, 2.0]).agreement(), Agreement::Unclear);
        assert_eq!(each(&[1.0]).agreement(), Agreement::Unclear);
        assert_eq!(Measurement::each("x", &[], &[], 1.0).agreement(), Agreement::Unclear);
        assert_eq!(Measurement::count("x", 4, 3).agreement(), Agreement::Outside);
    }
}
