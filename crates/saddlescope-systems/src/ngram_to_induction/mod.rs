//! From n-gram to induction head.
pub mod geometric;
pub mod gram;
pub mod induction;
pub mod landscape;
pub mod model;
pub mod sequences;
pub mod softmax;
pub mod task;
pub use crate::error::Error;
pub use landscape::{Partial, Population};
pub use model::{Coupling, First, Parts, Shape, Start};
pub use sequences::{Empirical, Fresh, Online, Stored};
pub use task::{Attention, Reduction, Task, Tokens};
