//! All systems of Saddlescope with their claims, as the list that a program registers.

use saddlescope_evidence::EVIDENCE;
use saddlescope_spec::claim::{Paper, Source};
use saddlescope_spec::system::{Addition, System};
use saddlescope_statements as statements;

pub use saddlescope_associative_recall as associative_recall;
pub use saddlescope_linear_attention as linear_attention;
pub use saddlescope_ngram_to_induction as ngram_to_induction;
pub use saddlescope_scan_and_snap as scan_and_snap;
pub use saddlescope_sparse_markov as sparse_markov;
pub use saddlescope_transformer as transformer;

/// All systems, in the order in which they are listed.
pub const SYSTEMS: &[&dyn System] = &[
    &linear_attention::LinearAttention,
    &associative_recall::AssociativeRecall,
    &ngram_to_induction::NgramToInduction,
    &scan_and_snap::ScanAndSnap,
    &sparse_markov::SparseMarkov,
    &transformer::OnText,
];

/// What their papers state, each statement with its evidence.
pub const PAPERS: &[Paper] = &[
    paper(statements::LINEAR_ATTENTION, 0),
    paper(statements::ASSOCIATIVE_RECALL, 1),
    paper(statements::NGRAM_TO_INDUCTION, 2),
    paper(statements::SCAN_AND_SNAP, 3),
    paper(statements::SPARSE_MARKOV, 4),
];

const fn paper(statements: Source, place: usize) -> Paper {
    Paper { statements, evidence: EVIDENCE[place].1 }
}

/// All of it.
pub const ALL: Addition = Addition { systems: SYSTEMS, papers: PAPERS };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declaration_is_sound() {
        for schema in SYSTEMS.iter().map(|system| system.schema()) {
            for section in [&schema.system, &schema.start] {
                assert_eq!(section.audit(), Vec::<String>::new(), "{}", schema.name);
            }
        }
    }
}
