//! A predicted number beside a measured one, with the tolerance between them.

use serde::Serialize;

use super::Evidence;
use crate::words::worded;

/// How many standard errors a measurement with noise is given before it counts as decided.
const SIGMAS: f64 = 4.0;

worded! {
    /// What a claim says about a measured number.
    pub enum Relation, word {
        Equal = "equal",
        AtLeast = "at least",
        AtMost = "at most",
    }
}

worded! {
    /// What an error is measured in.
    pub enum Scale, word {
        /// The units of the numbers themselves.
        Absolute = "absolute",
        /// Parts of the predicted number.
        Relative = "relative",
    }
}

/// How far a measurement agrees with its prediction, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    Within,
    /// Beyond the tolerance, within the looser bound.
    Loosely,
    /// The noise leaves it open.
    Unclear,
    Outside,
}

/// A predicted number beside a measured one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    pub what: String,
    pub relation: Relation,
    pub predicted: f64,
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

/// What is measured, before its numbers.
#[derive(Debug)]
pub struct Subject<'a> {
    pub(super) what: String,
    pub(super) list: &'a mut Vec<Measurement>,
}

impl<'a> Subject<'a> {
    /// Two numbers that should be equal, compared in their own units.
    pub fn abs(self, predicted: f64, measured: f64, tolerance: f64) -> &'a mut Measurement {
        self.list.push_mut(Measurement {
            what: self.what,
            predicted,
            measured,
            relation: Relation::Equal,
            scale: Scale::Absolute,
            error: (measured - predicted).abs(),
            tolerance,
            looser: None,
            noise: 0.0,
        })
    }

    /// Two numbers that should be equal, compared in parts of the predicted one.
    pub fn rel(self, predicted: f64, measured: f64, tolerance: f64) -> &'a mut Measurement {
        let new = self.abs(predicted, measured, tolerance);
        new.scale = Scale::Relative;
        new.error /= predicted.abs();
        new
    }

    /// Lists of numbers that should be equal, entry by entry: the entry that is furthest off.
    ///
    /// Lists of different lengths, empty ones, and entries that are not numbers agree with nothing.
    pub fn each(self, predicted: &[f64], measured: &[f64], tolerance: f64) -> &'a mut Measurement {
        let distance = |(a, b): &(f64, f64)| (a - b).abs();
        let pairs = predicted.iter().copied().zip(measured.iter().copied());
        let worst = pairs.max_by(|a, b| distance(a).total_cmp(&distance(b)));
        let (predicted, measured) =
            worst.filter(|_| predicted.len() == measured.len()).unwrap_or((f64::NAN, f64::NAN));
        self.abs(predicted, measured, tolerance)
    }

    /// The same of predicted numbers, each with what was measured of it.
    pub fn pairs(
        self,
        pairs: impl IntoIterator<Item = (f64, f64)>,
        tolerance: f64,
    ) -> &'a mut Measurement {
        let (predicted, measured): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        self.each(&predicted, &measured, tolerance)
    }

    /// Numbers that should all be zero: the one that is furthest off.
    pub fn zeros(self, measured: &[f64], tolerance: f64) -> &'a mut Measurement {
        self.each(&vec![0.0; measured.len()], measured, tolerance)
    }

    pub fn count(self, predicted: usize, measured: usize) -> &'a mut Measurement {
        self.abs(predicted as f64, measured as f64, 0.0)
    }

    pub fn at_least(self, bound: f64, measured: f64) -> &'a mut Measurement {
        self.bounded(Relation::AtLeast, bound, measured, bound - measured)
    }

    pub fn at_most(self, bound: f64, measured: f64) -> &'a mut Measurement {
        self.bounded(Relation::AtMost, bound, measured, measured - bound)
    }

    fn bounded(
        self,
        relation: Relation,
        bound: f64,
        measured: f64,
        miss: f64,
    ) -> &'a mut Measurement {
        let new = self.abs(bound, measured, 0.0);
        new.relation = relation;
        // Not `max`, which would turn a NaN into 0.
        new.error = if miss < 0.0 { 0.0 } else { miss };
        new
    }
}

/// What is measured of the printed and of the corrected form of a statement.
#[derive(Debug)]
pub struct Forms<'a> {
    pub(super) what: String,
    pub(super) evidence: &'a mut Evidence,
}

/// A value for both forms of a statement, or one for each.
pub trait PerForm<T> {
    /// Of the printed form and of the corrected one.
    fn per_form(self) -> [T; 2];
}

impl<T: Copy> PerForm<T> for T {
    fn per_form(self) -> [T; 2] {
        [self; 2]
    }
}

impl<T> PerForm<T> for [T; 2] {
    fn per_form(self) -> [T; 2] {
        self
    }
}

impl<'a> PerForm<&'a [f64]> for &'a Vec<f64> {
    fn per_form(self) -> [&'a [f64]; 2] {
        [self; 2]
    }
}

impl<'a> PerForm<&'a [f64]> for [&'a Vec<f64>; 2] {
    fn per_form(self) -> [&'a [f64]; 2] {
        self.map(Vec::as_slice)
    }
}

/// The measurements of [`Subject`] that both forms share.
macro_rules! measures {
    ($($name:ident($predicted:ident, $measured:ident: $number:ty $(, $tolerance:ident)?);)*) => {$(
        #[doc = concat!("[`Subject::", stringify!($name), "`] for each form.")]
        pub fn $name(
            self,
            $predicted: impl PerForm<$number>,
            $measured: impl PerForm<$number>,
            $($tolerance: f64,)?
        ) {
            let ([a, b], [x, y]) = ($predicted.per_form(), $measured.per_form());
            self.evidence.of(&self.what).$name(a, x $(, $tolerance)?);
            self.evidence.but(self.what).$name(b, y $(, $tolerance)?);
        }
    )*};
}

impl<'a> Forms<'a> {
    measures! {
        abs(predicted, measured: f64, tolerance);
        rel(predicted, measured: f64, tolerance);
        each(predicted, measured: &'a [f64], tolerance);
        count(predicted, measured: usize);
        at_least(bound, measured: f64);
        at_most(bound, measured: f64);
    }
}

impl Measurement {
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

    fn measured(measure: impl FnOnce(Subject<'_>) -> &mut Measurement) -> Measurement {
        measure(Evidence::default().of("x")).clone()
    }

    fn agreement(measure: impl FnOnce(Subject<'_>) -> &mut Measurement) -> Agreement {
        measured(measure).agreement()
    }

    #[test]
    fn agreement_is_decided_by_error_bounds_and_noise() {
        let of = |number: f64| measured(|x| x.rel(2.0, number, 0.01));
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
        assert_eq!(agreement(|x| x.at_least(3.0, 4.0)), Agreement::Within);
        assert_eq!(agreement(|x| x.at_least(3.0, 2.9)), Agreement::Outside);
        assert_eq!(agreement(|x| x.at_most(3.0, 2.0)), Agreement::Within);
        assert_eq!(agreement(|x| x.at_most(3.0, 3.1)), Agreement::Outside);
        assert_eq!(agreement(|x| x.at_most(3.0, f64::NAN)), Agreement::Unclear);
        let share = |number: f64| measured(|x| x.at_least(1.0, number)).share();
        assert!(share(0.9) > share(1.1) && share(1.1) > share(9.0));
    }

    #[test]
    fn lists_are_judged_by_their_worst_entry() {
        let each = |list: &[f64]| measured(|x| x.each(&[1.0, 2.0], list, 1e-3));
        assert_eq!(each(&[1.0, 2.0]).agreement(), Agreement::Within);
        let off = each(&[1.01, 2.0]);
        assert_eq!((off.predicted, off.measured), (1.0, 1.01));
        assert_eq!(off.agreement(), Agreement::Outside);
        assert_eq!(each(&[f64::NAN, 2.0]).agreement(), Agreement::Unclear);
        assert_eq!(each(&[1.0]).agreement(), Agreement::Unclear);
        assert_eq!(agreement(|x| x.each(&[], &[], 1.0)), Agreement::Unclear);
        assert_eq!(agreement(|x| x.count(4, 3)), Agreement::Outside);
    }

    #[test]
    fn both_forms_are_measured_alike() {
        let mut evidence = Evidence::default();
        evidence.both("x").rel([1.0, 2.0], 2.0, 1e-3);
        evidence.both("y").each(&vec![1.0], [&vec![2.0], &vec![1.0]], 1e-3);
        for (printed, corrected) in evidence.printed.iter().zip(&evidence.corrected) {
            assert_eq!(printed.what, corrected.what);
            assert_eq!(
                (printed.agreement(), corrected.agreement()),
                (Agreement::Outside, Agreement::Within)
            );
        }
        assert_eq!(evidence.corrected.len(), 2);
    }
}
