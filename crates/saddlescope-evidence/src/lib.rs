//! The evidence on the papers' claims: a module per system, a measurement per statement.

#![allow(missing_docs, reason = "the statements say what is measured")]

mod associative_recall;
mod flows;
mod linear_attention;
mod matrix;
mod ngram_to_induction;
mod numbers;
mod prelude;
mod scan_and_snap;
mod sparse_markov;
mod text_training;

use saddlescope_spec::claim::Entry;

/// The evidence of all papers, by the names of their systems.
pub const EVIDENCE: &[(&str, &[&[Entry]])] = &[
    ("linear-attention", linear_attention::EVIDENCE),
    ("associative-recall", associative_recall::EVIDENCE),
    ("ngram-to-induction", ngram_to_induction::EVIDENCE),
    ("scan-and-snap", scan_and_snap::EVIDENCE),
    ("sparse-markov", sparse_markov::EVIDENCE),
];

/// Evidence whose functions train a model, and take seconds.
pub const TRAINED: &[&[Entry]] = sparse_markov::TRAINED;
