//! The task: chains with the law of their next token, their exact means, and what the regression has to learn.

pub mod chain;
mod exact;
pub mod predictor;
mod target;

pub use chain::{Chain, Group};
pub use exact::Exact;
pub use predictor::Predictor;
pub use target::Target;
