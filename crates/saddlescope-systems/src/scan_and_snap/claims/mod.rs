//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: sums written out over classes and tokens, differences of the
//! objective, quadrature, a plain second solver. Statements about training are measured on flows and descents of the exact
//! loss. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `attention` | Lemma 4, Theorem 2, Corollary 2: which tokens gain and lose |
//! | `tools_b` | the plain path that these are checked along |

mod attention;
mod tools_b;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
pub const CLAIMS: &[Claim] = &[
    // The abstract, sections 5 to 8, appendices E to G.
    attention::LEMMA_4,
    attention::CLOCK,
    attention::THEOREM_2_A,
    attention::THEOREM_2_B,
    attention::INVOLVED,
    attention::EQ_95,
    attention::EQ_97,
    attention::EQ_98,
    attention::EQ_100,
    attention::COROLLARY_2,
    attention::EQ_101,
    attention::EQ_102,
    attention::EQ_107,
];

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::claim::{Trial, Verdict};

    #[test]
    fn claims_come_to_their_recorded_verdicts() {
        let mut wrong = Vec::new();
        for claim in CLAIMS {
            for seed in 0..4 {
                let evidence = (claim.run)(Trial { seed }).unwrap();
                if evidence.verdict() != claim.recorded {
                    wrong.push(format!(
                        "{} seed {seed}: {:?} {evidence:#?}",
                        claim.id,
                        evidence.verdict()
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn names_are_unique_and_corrections_go_with_false_prints() {
        for (i, claim) in CLAIMS.iter().enumerate() {
            assert_eq!(claim.system(), "scan-and-snap");
            assert!(CLAIMS[..i].iter().all(|other| other.id != claim.id), "{}", claim.id);
            assert_eq!(
                claim.correction.is_some(),
                claim.recorded == Verdict::FalseAsPrinted,
                "{}",
                claim.id
            );
        }
    }
}
