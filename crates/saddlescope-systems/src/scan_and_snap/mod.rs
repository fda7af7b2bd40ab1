//! Scan and snap.
mod observables;

pub mod claims;
pub mod landscape;
pub mod model;
pub mod overlaps;
pub mod reduced;
pub mod reference;
pub mod task;
pub mod theory;

pub use crate::error::Error;
pub use landscape::{Population, View};
pub use model::{Outputs, Shape};
pub use overlaps::Overlaps;
pub use reduced::{Convention, Logits, Modified, TheoremFour};
pub use task::{Class, ClassSpec, Ids, Synthetic, Task};
pub use theory::Snap;
