//! What a paper states, in words, and the texts that say so.
//!
//! A file begins with a heading and words of its own. Each claim then has a heading with its name, a line per
//! field, the statement as a paragraph, and further fields:
//!
//! ```text
//! ## eq-24c
//! Place: Eq. (24c)
//! Kind: equation
//! Verdict: false as printed
//!
//! For one head, $\tau \dot q = \ldots$
//!
//! Correction: $\tau \dot q_i = \ldots$
//! Assumes: white inputs
//! Note: the transpose matters from two inputs on
//! ```
//!
//! Lines may be broken anywhere between words. `Verdict` is `holds` where it is not given; `Assumes` and `Note`
//! may be repeated; `Printed` quotes the formula as the paper prints it. `Untested` says why nothing is measured:
//! such a claim has no evidence. The order of the text is the order of the claims.

use std::borrow::Cow;

use super::{ClaimsError, read};
use crate::words::worded;

/// Words of the embedded text: a piece of it, or its lines joined by spaces.
pub type Words = Cow<'static, str>;

/// What a paper states, in words, with the verdict on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// `<system>/<name>`, which never changes: `linear-attention/eq-24c`.
    pub id: String,
    /// Where the paper says so: `Eq. (24c)`.
    pub place: Words,
    pub kind: Kind,
    /// What it says, in our words; formulas are between dollar signs.
    pub text: Words,
    /// The formula as the paper prints it, where it is quoted.
    pub printed: Option<Words>,
    /// What it takes for granted, in words. The evidence checks what can be checked.
    pub assumptions: Vec<Words>,
    /// The verdict on record. A check fails when the evidence says otherwise.
    pub recorded: Verdict,
    /// Where the print is wrong: what is right, as the evidence tests it, and what was wrong.
    pub correction: Option<Words>,
    /// What else a reader should know, after what the evidence has to say.
    pub notes: Vec<Words>,
    /// Why nothing is measured, where nothing is.
    pub untested: Option<Words>,
}

impl Statement {
    /// The system that the statement is about: the part of the id before the slash.
    pub fn system(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(system, _)| system)
    }

    /// The id without the system.
    pub fn name(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(_, name)| name)
    }
}

worded! {
    pub enum Kind, word {
        /// An equation between expressions: it holds to rounding or it does not.
        Equation = "equation",
        /// What stationary points there are, and how the loss curves there.
        Landscape = "landscape",
        /// What training does, in which order and time.
        Dynamics = "dynamics",
        /// A number that a figure or its caption shows.
        Figure = "figure",
    }
}

worded! {
    /// What became of a claim, the best first.
    pub enum Verdict, words {
        /// Every residual is within its tolerance.
        Holds = "holds",
        /// Some residual is beyond its tolerance, all are within the looser bounds that go with them.
        Approximately = "holds approximately",
        /// The printed form is off by more than its tolerance, the corrected one is not.
        FalseAsPrinted = "false as printed",
        /// What the claim takes for granted is not so where it is used.
        AssumptionNotMet = "assumption not met",
        /// The evidence does not decide: too noisy, or print and correction fail alike.
        Inconclusive = "inconclusive",
        /// Nothing was measured; the evidence says why.
        NotTested = "not tested",
    }
}

/// A text of statements about a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    pub system: &'static str,
    /// The file, as errors name it.
    pub file: &'static str,
    pub text: &'static str,
}

impl Source {
    /// The statements, in the order of the text.
    pub fn read(&self) -> Result<Vec<Statement>, ClaimsError> {
        read::read(self)
    }
}
