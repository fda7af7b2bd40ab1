//! Training rules: what a gradient does to the parameters, step by step, and the flow time it takes.
//!
//! A [`Rule`] moves parameters: [`Gd`], [`Momentum`], [`Nesterov`], [`Adam`], [`AdamW`]. Wrappers
//! change how fast, where and by which gradient the rule inside them moves, and are rules themselves:
//!
//! | wrapper | acts on | effect |
//! |---|---|---|
//! | [`Scheduled`] | rate | one factor for all blocks, which a [`Schedule`] chooses step by step |
//! | [`PerBlock`] | rate | a fixed factor per block |
//! | [`Frozen`] | reach | blocks that neither move nor leave a trace in the rule's memory |
//! | [`Clipped`] | gradient | norm bounded |
//!
//! The outer wrapper acts first. Factors on the rate multiply, in any order. The order matters where
//! gradient and reach meet: `Clipped<Frozen<R>>` bounds the norm of the whole gradient, frozen
//! blocks included; `Frozen<Clipped<R>>` that of the moving blocks alone. Clipping never sees
//! factors on the rate.
//!
//! A [`Descent`] drives a rule over a landscape. Wrappers talk to the rule inside through a [`Step`], which afterwards tells a [`Clock`] how far
//! along the gradient flow the step went.

mod adam;
mod adamw;
mod clip;
mod clock;
mod cosine;
mod error;
mod frozen;
mod gd;
mod momentum;
mod nesterov;
mod per_block;
mod plateau;
mod rule;
mod schedule;
mod step;
mod train;
mod watch;

pub use adam::Adam;
pub use adamw::AdamW;
pub use clip::Clipped;
pub use clock::Clock;
pub use cosine::Cosine;
pub use error::RuleError;
pub use frozen::Frozen;
pub use gd::Gd;
pub use momentum::Momentum;
pub use nesterov::Nesterov;
pub use per_block::PerBlock;
pub use plateau::{Plateau, ReduceOnPlateau};
pub use rule::Rule;
pub use schedule::{Constant, Schedule, Scheduled};
pub use step::Step;
pub use train::{Descent, DescentEnd, DescentError};
