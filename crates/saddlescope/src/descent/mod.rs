//! Training: what a gradient does to the parameters, step by step, and the flow time it takes.
//!
//! A [`Rule`] is an [`Optimiser`] at a rate, with what changes how fast, where and by which gradient it moves:
//!
//! | part | acts on | effect |
//! |---|---|---|
//! | [`Rule::scheduled`] | rate | one factor for all blocks, which a schedule chooses step by step |
//! | [`Rule::with_factors`] | rate | a fixed factor per block |
//! | [`Rule::frozen`] | reach | blocks that neither move nor leave a trace in the rule's memory |
//! | [`Rule::clipped`] | gradient | norm bounded |
//!
//! Factors on the rate multiply. Clipping never sees them.
//!
//! A [`Descent`] drives a rule over a landscape; a [`Clock`] reads off the rule how far along the gradient flow each step went.

mod clock;
mod lanes;
mod optimiser;
mod rule;
mod schedule;
mod train;
mod update;

pub use clock::Clock;
pub(crate) use lanes::block_factors;
pub use optimiser::{AdamSettings, Optimiser, RuleError};
pub use rule::Rule;
pub use schedule::{Plateau, ScheduleKind};
pub use train::{Descent, DescentError};
