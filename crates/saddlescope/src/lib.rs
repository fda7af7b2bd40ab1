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
//! [`Recorder`](record::Recorder), and [`dynamics`] runs them one after the other. A
//! [`System`](system::System) offers a paper's world through this interface, with its
//! [`settings`] declared once, and says as [`claim`]s what its paper states.

pub mod analysis;
pub mod array;
pub mod blocks;
pub mod claim;
pub mod descent;
pub mod dynamics;
pub mod event;
pub mod fault;
pub mod field;
pub mod figure;
pub mod flow;
pub mod landscape;
pub mod memory;
pub mod numeric;
pub mod outcome;
pub mod prediction;
pub mod record;
pub mod reference;
pub mod settings;
pub mod sketch;
pub mod surface;
pub mod symmetry;
pub mod system;
pub mod tensors;
pub mod theory;
pub mod trajectory;

pub use blocks::{Block, Blocks};
pub use fault::Fault;
pub use field::{GradientFlow, VectorField};
pub use landscape::{Draw, Landscape};
pub use numeric::scalar::Scalar;
pub use surface::Surface;
