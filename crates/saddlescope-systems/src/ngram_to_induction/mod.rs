//! From n-gram to induction head.
pub mod claims;
pub mod geometric;
pub mod gram;
pub mod induction;
pub mod landscape;
pub mod model;
pub mod phases;
pub mod reduced;
pub mod reference;
pub mod softmax;
pub mod task;
pub mod theory;
pub use crate::error::Error;
pub use landscape::{Partial, Population};
pub use model::{Coupling, First, Parts, Shape, Start};
pub use task::{Attention, Reduction, Task, Tokens};
