//! Phases one after the other on one landscape: flows, descents and reduced theories, on one clock.
//!
//! A run is a chain of segments, each of a number of steps that is fixed before the run. Between two segments
//! everything that the rest depends on is in a [`Checkpoint`]; so a run that was interrupted goes on
//! from its last whole segment, and ends with the same bits as one that was not.

mod checkpoint;
mod reduced;
mod segment;

pub use checkpoint::Checkpoint;

pub use segment::{
    Course, SEGMENT_STEPS, SegmentEnd, run_segment, run_to_end, train, train_segment,
};

pub use crate::descent::{AdamSettings, Optimiser, ScheduleKind};

use crate::descent::{DescentError, Rule, block_factors};
use crate::early_stop::{Best, EarlyStop};
use crate::prelude::*;
use crate::theory::NoTheory;

/// One phase: how the parameters move, and which of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    pub motion: Motion,
    /// Patterns of blocks that do not move.
    pub freeze: Vec<String>,
    /// Patterns of blocks with factors on their rates; the last that fits counts.
    pub rates: Vec<(String, f64)>,
    /// What to watch for, after what the motion itself watches for.
    pub events: Vec<Event>,
    pub early_stop: Option<EarlyStop>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    Flow(Flow),
    Descent(Steps),
    /// As a reduced theory has it: the theory flows from where it sees the parameters, and the
    /// parameters are those that it lifts its state to.
    Reduced {
        theory: String,
        flow: Flow,
    },
}

impl Motion {
    /// The flow, of the parameters or of a theory; `None` for descents.
    pub fn flow(&self) -> Option<&Flow> {
        match self {
            Self::Flow(flow) | Self::Reduced { flow, .. } => Some(flow),
            Self::Descent(_) => None,
        }
    }
}

/// Steps of an optimiser, with what bounds and scales them.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    pub rule: Optimiser,
    pub rate: f64,
    pub steps: u64,
    pub schedule: ScheduleKind,
    /// Bound on the gradient's norm, over all blocks.
    pub clip: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhaseEnd {
    pub time: f64,
    /// Whether times are flow times; otherwise one unit per step.
    pub on_clock: bool,
    /// Steps taken so far: of the solver, or of the rule.
    pub step: u64,
    pub loss: f64,
    pub ended: Termination,
    /// First crossing of each event of the phase.
    pub crossings: Vec<Option<Crossing>>,
    /// Work of the solver; `None` for descents.
    pub work: Option<Work>,
    /// When an automatic flow went over to the stiff method, if it did.
    pub stiff_from: Option<f64>,
    /// The least value that its early stop has read, where it has one.
    pub best: Option<Best>,
}

/// What all phases together came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The phases, in order. Fewer than were asked for when the recorder stopped the run.
    pub phases: Vec<PhaseEnd>,
    pub state: Vec<f64>,
}

/// Why phases could not run to their end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PhaseError {
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error(transparent)]
    Descent(#[from] DescentError),
    /// A rule has wrong settings, or a pattern names no block.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// A stored checkpoint does not belong to this run.
    #[error("the run cannot go on: {0}")]
    Memory(#[from] MemoryError),
    /// A run that was stored failed; of its error, the words are kept.
    #[error("{0}")]
    Stored(String),
    /// A theory that the problem does not have.
    #[error(transparent)]
    Theory(#[from] NoTheory),
    /// A phase of a reduced theory asks for what only the whole model has.
    #[error("a reduced theory has no {what}")]
    OnlyWhole { what: &'static str },
    /// What was asked for does not fit the parameters of this problem; of the reason, the words.
    #[error("{0}")]
    Unfit(String),
    /// A flow was asked for on a landscape in single precision.
    #[error("a flow needs a landscape in double precision")]
    SinglePrecision,
}

impl Phase {
    /// A phase that moves all blocks at their own rates and watches for nothing.
    pub fn new(motion: Motion) -> Self {
        let (freeze, rates, events) = (Vec::new(), Vec::new(), Vec::new());
        Self { motion, freeze, rates, events, early_stop: None }
    }

    /// The factor on each block's rate, 0 for frozen ones.
    pub(super) fn factors(&self, blocks: &Blocks) -> Result<Vec<f64>, RuleError> {
        let rates = self.rates.iter().map(|(pattern, factor)| (pattern.as_str(), *factor));
        block_factors(
            blocks,
            rates.chain(self.freeze.iter().map(|pattern| (pattern.as_str(), 0.0))),
        )
    }
}

impl Steps {
    /// Builds the rule once, for no parameters: whether all settings fit.
    pub fn check(&self) -> Result<(), RuleError> {
        let phase = Phase::new(Motion::Descent(self.clone()));
        self.rule::<f64>(&phase, &Blocks::new()).map(drop)
    }

    /// The rule of a phase. The gradient is clipped as a whole, frozen blocks included, as PyTorch does it.
    pub(super) fn rule<S: Scalar>(
        &self,
        phase: &Phase,
        blocks: &Blocks,
    ) -> Result<Rule<S>, RuleError> {
        let rule = Rule::new(self.rule, self.rate, blocks)?
            .scheduled(self.schedule.clone(), self.steps)?
            .with_factors(blocks, &phase.rates)?
            .frozen(blocks, &phase.freeze)?;
        match self.clip {
            Some(bound) => rule.clipped(bound),
            None => Ok(rule),
        }
    }
}
