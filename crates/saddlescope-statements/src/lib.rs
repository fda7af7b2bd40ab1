//! What the papers state, as text: a Markdown file per system.
//!
//! `saddlescope_spec::claim` reads the form, and says what it is. A change of words compiles neither science nor evidence.

use saddlescope_spec::claim::Source;

macro_rules! sources {
    ($($name:ident $system:literal),*) => {
        $(
            #[doc = concat!("The statements about ", $system, ".")]
            pub const $name: Source = Source {
                system: $system,
                file: concat!("statements/", $system, ".md"),
                text: include_str!(concat!("../statements/", $system, ".md")),
            };
        )*

        /// The texts of all papers.
        pub const ALL: &[Source] = &[$($name),*];
    };
}

sources!(
    LINEAR_ATTENTION "linear-attention",
    ASSOCIATIVE_RECALL "associative-recall",
    NGRAM_TO_INDUCTION "ngram-to-induction",
    SCAN_AND_SNAP "scan-and-snap",
    SPARSE_MARKOV "sparse-markov"
);
