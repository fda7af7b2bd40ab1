//! Claims: what a paper states, what was measured, and whether the two agree.
//!
//! A [`Claim`] is declared as data beside the system that it is about: its words, its place in the paper,
//! the verdict on record, and a function that gathers [`Evidence`]. No claim judges itself: the
//! [`Verdict`] is computed from the evidence, by [`Evidence::verdict`], the same for all papers.

use crate::Fault;
use crate::flow::FlowError;

mod measurement;

pub use measurement::{Agreement, Measurement, Relation, Scale};

/// A statement of a paper that can be checked by number.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// `<system>/<name>`, which never changes: `linear-attention/eq-24c`.
    pub id: &'static str,
    /// Where the paper says so: `Eq. (24c)`.
    pub place: &'static str,
    /// What it says, in our words; formulas stand between dollar signs.
    pub statement: &'static str,
    /// What sort of statement it is.
    pub kind: Kind,
    /// What it takes for granted, in words. The evidence checks what can be checked.
    pub assumptions: &'static [&'static str],
    /// The verdict on record. A check fails when the evidence says otherwise.
    pub recorded: Verdict,
    /// Where the print is wrong: what is right, as the evidence tests it, and what was wrong.
    pub correction: Option<&'static str>,
    /// Gathers the evidence.
    pub run: fn(Trial) -> Result<Evidence, ClaimError>,
}

impl Claim {
    /// A claim that holds, on record; the methods below say otherwise.
    pub const fn new(
        id: &'static str,
        place: &'static str,
        kind: Kind,
        statement: &'static str,
        run: fn(Trial) -> Result<Evidence, ClaimError>,
    ) -> Self {
        let assumptions: &[&str] = &[];
        let (correction, recorded) = (None, Verdict::Holds);
        Self { id, place, statement, kind, assumptions, recorded, correction, run }
    }

    /// Names what the claim takes for granted.
    #[must_use]
    pub const fn assuming(mut self, assumptions: &'static [&'static str]) -> Self {
        self.assumptions = assumptions;
        self
    }

    /// Records another verdict.
    #[must_use]
    pub const fn recorded(mut self, verdict: Verdict) -> Self {
        self.recorded = verdict;
        self
    }

    /// Records that the print is false, and what is right.
    #[must_use]
    pub const fn corrected(mut self, correction: &'static str) -> Self {
        self.recorded = Verdict::FalseAsPrinted;
        self.correction = Some(correction);
        self
    }

    /// The system that the claim is about: the part of the name before the stroke.
    pub fn system(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(system, _)| system)
    }

    /// The name without the system.
    pub fn name(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(_, name)| name)
    }
}

/// What sort of statement a claim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An equation between expressions: it holds to rounding or it does not.
    Equation,
    /// What stationary points there are, and how the loss curves there.
    Landscape,
    /// What training does, in which order and time.
    Dynamics,
    /// A number that a figure or its caption shows.
    Figure,
}

impl Kind {
    /// The kind in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Equation => "equation",
            Self::Landscape => "landscape",
            Self::Dynamics => "dynamics",
            Self::Figure => "figure",
        }
    }
}

/// One gathering of evidence: all that a claim's function may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trial {
    /// Seed of all random numbers: starts, tasks, samples.
    pub seed: u64,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every residual is within its tolerance.
    Holds,
    /// Some residual is beyond its tolerance, all are within the looser bounds that go with them.
    Approximately,
    /// The printed form is off by more than its tolerance, the corrected one is not.
    FalseAsPrinted,
    /// What the claim takes for granted is not so where it is used.
    AssumptionNotMet,
    /// The evidence does not decide: too noisy, or print and correction fail alike.
    Inconclusive,
    /// Nothing was measured; the evidence says why.
    NotTested,
}

impl Verdict {
    /// All verdicts, the best first.
    pub const ALL: [Self; 6] = [
        Self::Holds,
        Self::Approximately,
        Self::FalseAsPrinted,
        Self::AssumptionNotMet,
        Self::Inconclusive,
        Self::NotTested,
    ];

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Approximately => "holds approximately",
            Self::FalseAsPrinted => "false as printed",
            Self::AssumptionNotMet => "assumption not met",
            Self::Inconclusive => "inconclusive",
            Self::NotTested => "not tested",
        }
    }
}

/// Why a claim's evidence could not be gathered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClaimError {
    /// A loss could not be evaluated.
    #[error("{0}")]
    Fault(#[from] Fault),
    /// A flow did not reach its end.
    #[error("{0}")]
    Flow(#[from] FlowError),
    /// A world or a model that cannot be built, or an event that did not happen.
    #[error("{0}")]
    Failed(String),
}

/// Something that a claim takes for granted, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Assumption {
    /// What is assumed, with the numbers that show how far it is so.
    pub what: String,
    /// Whether it is so.
    pub met: bool,
}

/// What was measured about a claim.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The assumptions that were checked.
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
    /// No evidence yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A claim that is not tested, and why.
    pub fn untested(reason: impl Into<String>) -> Self {
        Self { untested: Some(reason.into()), ..Self::default() }
    }

    /// Adds a measurement of the statement as printed.
    #[must_use]
    pub fn printed(mut self, measurement: Measurement) -> Self {
        self.printed.push(measurement);
        self
    }

    /// Adds a measurement of the corrected statement.
    #[must_use]
    pub fn corrected(mut self, measurement: Measurement) -> Self {
        self.corrected.push(measurement);
        self
    }

    /// Adds an assumption and whether it is met.
    #[must_use]
    pub fn assuming(mut self, what: impl Into<String>, met: bool) -> Self {
        self.assumptions.push(Assumption { what: what.into(), met });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
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

/// The worst agreement among measurements. One that is clearly outside refutes, whatever the others say.
fn worst(measurements: &[Measurement]) -> Option<Agreement> {
    measurements.iter().map(Measurement::agreement).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within() -> Measurement {
        Measurement::absolute("x", 1.0, 1.0 + 1e-13, 1e-12)
    }

    fn outside() -> Measurement {
        Measurement::absolute("x", 1.0, 1.1, 1e-12)
    }

    #[test]
    fn verdicts_follow_from_the_evidence_alone() {
        let loosely = || outside().loosely(0.2);
        let unclear = || Measurement::absolute("x", 1.0, 1.02, 0.01).noisy(0.01);
        let cases = [
            (Evidence::new(), Verdict::Inconclusive),
            (Evidence::untested("no number is stated"), Verdict::NotTested),
            (Evidence::new().printed(within()), Verdict::Holds),
            (Evidence::new().printed(within()).printed(loosely()), Verdict::Approximately),
            (Evidence::new().printed(within()).printed(unclear()), Verdict::Inconclusive),
            (Evidence::new().printed(outside()), Verdict::Inconclusive),
            (Evidence::new().printed(outside()).corrected(within()), Verdict::FalseAsPrinted),
            (Evidence::new().printed(outside()).corrected(outside()), Verdict::Inconclusive),
            (Evidence::new().printed(outside()).corrected(loosely()), Verdict::Inconclusive),
            // A correction of what holds changes nothing.
            (Evidence::new().printed(within()).corrected(outside()), Verdict::Holds),
            (
                Evidence::new().printed(unclear()).printed(outside()).corrected(within()),
                Verdict::FalseAsPrinted,
            ),
            (Evidence::new().printed(within()).assuming("met", true), Verdict::Holds),
            (
                Evidence::new().printed(outside()).corrected(within()).assuming("not", false),
                Verdict::AssumptionNotMet,
            ),
        ];
        for (evidence, expected) in cases {
            assert_eq!(evidence.verdict(), expected, "{evidence:?}");
        }
    }

    #[test]
    fn a_tolerance_or_a_formula_that_changes_changes_the_verdict() {
        let evidence = |predicted: f64, tolerance: f64| {
            Evidence::new().printed(Measurement::absolute("x", predicted, 1.0, tolerance))
        };
        assert_eq!(evidence(1.0 + 1e-9, 1e-8).verdict(), Verdict::Holds);
        assert_ne!(evidence(1.0 + 1e-9, 1e-10).verdict(), Verdict::Holds);
        assert_ne!(evidence(1.0 + 1e-7, 1e-8).verdict(), Verdict::Holds);
        assert_eq!(evidence(f64::NAN, 1e-8).verdict(), Verdict::Inconclusive);
    }

    #[test]
    fn names_are_cut_at_the_stroke() {
        let claim = Claim::new("toy/eq-1", "Eq. (1)", Kind::Equation, "$x = x$", |_| {
            Ok(Evidence::new().printed(within()))
        });
        assert_eq!((claim.system(), claim.name()), ("toy", "eq-1"));
        assert_eq!((claim.run)(Trial::default()).unwrap().verdict(), claim.recorded);
    }
}
