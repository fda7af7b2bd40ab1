//! The engine of Saddlescope: landscapes, flows, descent, recording and trajectories of training dynamics.
//!
//! Data flows one way through the house, and a module knows only those on its left:
//!
//! ```text
//! blocks ──> landscape ──> field ──> flow ─────┐
//!                └───────────────> descent ────┴──> record ──> trajectory
//! ```
//!
//! A [`Landscape`] gives loss and gradient of parameters that lie in named [`Blocks`]. Its
//! [`GradientFlow`] is a [`VectorField`], integrated by a [`Flow`](flow::Flow); its gradient also
//! feeds a [`Descent`](descent::Descent). Both push what they see into a
//! [`Recorder`](record::Recorder), and [`dynamics`] runs them one after the other.

// Names say what some fields and variants are.
#![allow(missing_docs)]

pub mod analysis;
pub mod array;
pub mod blocks;
pub mod descent;
pub mod dynamics;
pub mod early_stop;
pub mod event;
pub mod field;
pub mod flow;
pub mod json;
pub mod landscape;
pub mod loss;
pub mod memory;
pub mod numeric;
mod prelude;
pub mod record;
pub mod surface;
pub mod symmetry;
pub mod tensors;
pub mod theory;
#[cfg(test)]
mod toys;
pub mod trajectory;

pub use blocks::{Block, Blocks};
pub use field::{GradientFlow, VectorField};
pub use landscape::{Draw, Fault, Landscape};
pub use loss::Loss;
pub use numeric::scalar::Scalar;
pub use surface::Surface;
