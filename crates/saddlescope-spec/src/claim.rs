//! Claims: what a paper states, what was measured, and whether the two agree.
//!
//! A [`Claim`] is a [`Statement`], read from a text, with a function that gathers [`Evidence`]. No claim
//! judges itself: the [`Verdict`] is computed from the evidence, by [`Evidence::verdict`], the same for
//! all papers.

use serde::Serialize;

mod measurement;
mod read;
mod register;
mod statement;

pub use measurement::{Agreement, Forms, Measurement, PerForm, Relation, Scale, Subject};
pub use register::{ClaimsError, Entry, Gather, IntoOutcome, Paper, gather_by};
pub use statement::{Kind, Source, Statement, Verdict, Words};

/// A statement of a paper that can be checked by number. It reads as its statement.
#[derive(Debug, Clone)]
pub struct Claim {
    pub statement: Statement,
    pub gather: Gather,
}

impl Claim {
    pub fn evidence(&self, trial: Trial) -> Result<Evidence, ClaimError> {
        let mut evidence = Evidence::default();
        (self.gather)(&mut evidence, trial)?;
        evidence.notes.extend(self.notes.iter().map(ToString::to_string));
        evidence.untested = self.untested.as_ref().map(ToString::to_string);
        Ok(evidence)
    }
}

impl std::ops::Deref for Claim {
    type Target = Statement;

    fn deref(&self) -> &Statement {
        &self.statement
    }
}

/// One gathering of evidence: all that a claim's function may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trial {
    /// Seed of all random numbers: starts, tasks, samples.
    pub seed: u64,
}

/// Why a claim's evidence could not be gathered, in words: a task that cannot be built, a flow that did not reach its end, an
/// event that did not happen.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimError(String);

impl ClaimError {
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl std::fmt::Display for ClaimError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Any other error, in its words.
impl<E: std::error::Error> From<E> for ClaimError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// What gathering evidence, or a part of it, comes to; or why it failed.
pub type Outcome<T = ()> = Result<T, ClaimError>;

/// Something that a claim takes for granted, checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumption {
    /// What is assumed, with the numbers that show how far it is so.
    pub what: String,
    pub met: bool,
}

/// What was measured about a claim.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Evidence {
    pub assumptions: Vec<Assumption>,
    /// Measurements of the statement as it is printed.
    pub printed: Vec<Measurement>,
    /// Measurements of the corrected statement, where the print is wrong.
    pub corrected: Vec<Measurement>,
    /// What else a reader should know.
    pub notes: Vec<String>,
    /// Why nothing was measured, where nothing was.
    pub untested: Option<String>,
}

impl Evidence {
    /// Evidence on the statement as printed: `e.of("loss").at_most(bound, measured)`.
    pub fn of(&mut self, what: impl Into<String>) -> Subject<'_> {
        Subject { what: what.into(), list: &mut self.printed }
    }

    /// Evidence on the corrected statement.
    pub fn but(&mut self, what: impl Into<String>) -> Subject<'_> {
        Subject { what: what.into(), list: &mut self.corrected }
    }

    /// Evidence on the printed and on the corrected statement, which differ in what they predict or in what is
    /// measured: `e.both("rate").rel([printed, corrected], measured, tolerance)`.
    pub fn both(&mut self, what: impl Into<String>) -> Forms<'_> {
        Forms { what: what.into(), evidence: self }
    }

    /// Evidence on one of several cases: its words follow those of all that is measured.
    pub fn case(&mut self, words: impl Into<String>) -> CaseEvidence<'_> {
        CaseEvidence { evidence: self, words: words.into() }
    }

    /// Relative measurements of the statement as printed, number by number; `what` is told the place of each, from 1.
    pub fn each_rel(
        &mut self,
        what: impl Fn(usize) -> String,
        predicted: &[f64],
        measured: &[f64],
        tolerance: f64,
    ) {
        for (i, (predicted, measured)) in predicted.iter().zip(measured).enumerate() {
            self.of(what(i + 1)).rel(*predicted, *measured, tolerance);
        }
    }

    pub fn assume(&mut self, what: impl Into<String>, met: bool) {
        self.assumptions.push(Assumption { what: what.into(), met });
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// What the evidence comes to.
    ///
    /// A claim without a measurement is inconclusive, and so is one whose print fails without a
    /// correction that holds.
    pub fn verdict(&self) -> Verdict {
        if self.untested.is_some() {
            return Verdict::NotTested;
        }
        if self.assumptions.iter().any(|assumption| !assumption.met) {
            return Verdict::AssumptionNotMet;
        }
        match worst(&self.printed) {
            Some(Agreement::Within) => Verdict::Holds,
            Some(Agreement::Loosely) => Verdict::Approximately,
            Some(Agreement::Outside) if worst(&self.corrected) == Some(Agreement::Within) => {
                Verdict::FalseAsPrinted
            }
            _ => Verdict::Inconclusive,
        }
    }
}

/// Evidence on one of several cases, as [`Evidence::case`] has it.
#[derive(Debug)]
pub struct CaseEvidence<'a> {
    evidence: &'a mut Evidence,
    words: String,
}

impl CaseEvidence<'_> {
    pub fn of(&mut self, what: &str) -> Subject<'_> {
        self.evidence.of(format!("{what}, {}", self.words))
    }

    pub fn but(&mut self, what: &str) -> Subject<'_> {
        self.evidence.but(format!("{what}, {}", self.words))
    }

    pub fn both(&mut self, what: &str) -> Forms<'_> {
        self.evidence.both(format!("{what}, {}", self.words))
    }
}

/// The worst agreement among measurements. One that is clearly outside refutes, whatever the others say.
fn worst(measurements: &[Measurement]) -> Option<Agreement> {
    measurements.iter().map(Measurement::agreement).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(gather: impl FnOnce(&mut Evidence)) -> Evidence {
        let mut evidence = Evidence::default();
        gather(&mut evidence);
        evidence
    }

    /// Adds one piece of evidence, by a word.
    fn add(e: &mut Evidence, word: &str) {
        match word {
            "within" => _ = e.of("x").abs(1.0, 1.0 + 1e-13, 1e-12),
            "outside" => _ = e.of("x").abs(1.0, 1.1, 1e-12),
            "loosely" => _ = e.of("x").abs(1.0, 1.1, 1e-12).loosely(0.2),
            "unclear" => _ = e.of("x").abs(1.0, 1.02, 0.01).noisy(0.01),
            "right" => _ = e.but("x").abs(1.0, 1.0, 1e-12),
            "wrong" => _ = e.but("x").abs(1.0, 1.1, 1e-12),
            "wrong-loosely" => _ = e.but("x").abs(1.0, 1.1, 1e-12).loosely(0.2),
            "met" | "unmet" => e.assume(word, word == "met"),
            "untested" => e.untested = Some("no number is stated".into()),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn verdicts_follow_from_the_evidence_alone() {
        for (words, expected) in [
            ("", Verdict::Inconclusive),
            ("untested", Verdict::NotTested),
            ("within", Verdict::Holds),
            ("within loosely", Verdict::Approximately),
            ("within unclear", Verdict::Inconclusive),
            ("outside", Verdict::Inconclusive),
            ("outside right", Verdict::FalseAsPrinted),
            ("outside wrong", Verdict::Inconclusive),
            ("outside wrong-loosely", Verdict::Inconclusive),
            // A correction of what holds changes nothing.
            ("within wrong", Verdict::Holds),
            ("unclear outside right", Verdict::FalseAsPrinted),
            ("within met", Verdict::Holds),
            ("outside right unmet", Verdict::AssumptionNotMet),
        ] {
            let evidence = of(|e| words.split_whitespace().for_each(|word| add(e, word)));
            assert_eq!(evidence.verdict(), expected, "{evidence:?}");
        }
    }

    #[test]
    fn a_tolerance_or_a_formula_that_changes_changes_the_verdict() {
        let verdict = |predicted: f64, tolerance: f64| {
            let measure = |e: &mut Evidence| _ = e.of("x").abs(predicted, 1.0, tolerance);
            of(measure).verdict()
        };
        assert_eq!(verdict(1.0 + 1e-9, 1e-8), Verdict::Holds);
        assert_ne!(verdict(1.0 + 1e-9, 1e-10), Verdict::Holds);
        assert_ne!(verdict(1.0 + 1e-7, 1e-8), Verdict::Holds);
        assert_eq!(verdict(f64::NAN, 1e-8), Verdict::Inconclusive);
    }
}
