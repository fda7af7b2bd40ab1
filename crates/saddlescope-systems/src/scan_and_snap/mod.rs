//! Scan and snap.
pub mod landscape;
pub mod model;
pub mod sequences;
pub mod task;

pub use crate::error::Error;
pub use landscape::{Population, View};
pub use model::{Outputs, Shape};
pub use sequences::{Contexts, Empirical, Fresh, Online, Stored};
pub use task::{Class, ClassSpec, Ids, Synthetic, Task};
