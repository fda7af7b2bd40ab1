//! How a system describes itself: settings, problems, figures, predictions and claims, as data.

// Names say what most fields and variants are.
#![allow(missing_docs)]
#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "settings are explained as in files, which have brackets"
)]

pub mod analysis;
pub mod cases;
pub mod claim;
pub mod error;
pub mod figure;
pub mod measure;
pub mod outcome;
pub mod prediction;
pub mod prelude;
pub mod problem;
pub mod quantity;
pub mod reference;
pub mod settings;
pub mod shipped;
pub mod sketch;
pub mod system;
#[doc(hidden)]
pub mod testing;
pub mod view;
mod words;
