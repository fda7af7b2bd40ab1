//! Scan and snap.
pub mod embedding;
pub mod landscape;
pub mod model;
pub mod task;

pub use crate::error::Error;
pub use embedding::{Embedded, Embedding, LateNorm, Normalised, Scales};
pub use landscape::{Population, View};
pub use model::{Outputs, Shape};
pub use task::{Class, ClassSpec, Ids, Synthetic, Task};
