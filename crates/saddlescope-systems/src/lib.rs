//! The worlds of Saddlescope: each paper's task, landscapes and reduced theory, one folder each.

pub mod associative_recall;
mod cases;
pub mod error;
mod lanes;
pub mod linear_attention;
mod measure;
pub mod ngram_to_induction;
mod permutation;
mod rotation;
pub mod scan_and_snap;
pub mod sparse_markov;
pub mod transformer;

use saddlescope::system::System;

/// All systems, in the order in which they are listed.
pub const SYSTEMS: &[&dyn System] = &[
    &linear_attention::LinearAttention,
    &associative_recall::AssociativeRecall,
    &ngram_to_induction::NgramToInduction,
    &scan_and_snap::ScanAndSnap,
    &sparse_markov::SparseMarkov,
    &transformer::OnText,
];
