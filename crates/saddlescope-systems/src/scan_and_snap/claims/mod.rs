//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: sums written out over classes and tokens, differences of the
//! objective, quadrature, a plain second solver. Statements about training are measured on flows and descents of the exact
//! loss. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `attention` | Lemma 4, Theorem 2, Corollary 2: which tokens gain and lose |
//! | `growth` | Theorem 3 and what section 5 makes of it: how distinct tokens grow |
//! | `snap`, `insights` | Theorem 4 and appendix F: the law of the common token; what follows from it |
//! | `whole` | the same in the joint flow; residual connection, second head |
//! | `figures`, `training` | Figs. 1 to 3, 8, 9; Figs. 4 to 7 and 10 to 12 with section 8 |
//! | `tools_b` | the plain path that these are checked along |

mod attention;
mod figures;
mod growth;
mod insights;
mod snap;
mod tools_b;
mod training;
mod whole;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
pub const CLAIMS: &[Claim] = &[
    // The abstract, sections 5 to 8, appendices E to G.
    figures::FIG_1,
    figures::FIG_2,
    growth::ORDER,
    insights::NO_WINNER,
    attention::LEMMA_4,
    attention::CLOCK,
    attention::THEOREM_2_A,
    attention::THEOREM_2_B,
    whole::THEOREM_2,
    attention::INVOLVED,
    growth::GAIN,
    whole::EQ_11,
    whole::ASSUMPTION_1C,
    whole::UNEVEN,
    whole::SLOWER,
    growth::MONOTONE,
    growth::EQ_12,
    growth::EQ_12_CLOCK,
    growth::SPARSER,
    growth::SCANNING,
    growth::PRIOR,
    whole::HEADS,
    figures::FIG_3,
    figures::FIG_3_CROSSING,
    snap::NORMS,
    snap::EQ_13,
    snap::EQ_13_CONSTANT,
    snap::REDUCED,
    snap::EQ_14_SCAN,
    snap::EQ_14_SNAP,
    snap::EQ_14_ACCURACY,
    snap::GAP,
    insights::SCAN_B,
    insights::SUBLINEAR,
    insights::SNAPPING,
    insights::GAMMA_SNAP,
    snap::PEAK,
    insights::EARLIER,
    insights::BOTH,
    insights::DENSER,
    whole::SNAP,
    whole::RATES,
    growth::POSITION,
    whole::RESIDUAL_BETA,
    whole::RESIDUAL_LARGER,
    whole::RESIDUAL_LOCAL,
    whole::RESIDUAL_WHOLE,
    training::SIZE,
    training::ASSUMPTION_2,
    training::FIG_4_ONE,
    training::FIG_4_TEN,
    training::FIG_4_SPARSE,
    training::FIG_5,
    training::FIG_6_Z,
    training::FIG_6_RATIO,
    training::FIG_6_THRESHOLD,
    training::FIG_6_SPREAD,
    training::FIG_7,
    figures::FIG_8,
    figures::FIG_8_GAP,
    attention::EQ_95,
    attention::EQ_97,
    attention::EQ_98,
    attention::EQ_100,
    attention::COROLLARY_2,
    attention::EQ_101,
    attention::EQ_102,
    attention::EQ_107,
    growth::EQ_108,
    growth::EQ_110,
    growth::EQ_112,
    growth::EQ_113,
    growth::EQ_114,
    snap::EQ_122,
    snap::EQ_123,
    snap::EQ_124,
    snap::EQ_128,
    snap::EQ_129,
    snap::LEAD_SCAN,
    snap::LEAD_SNAP,
    snap::HALF,
    insights::B_T0,
    insights::B_T0_VALUE,
    figures::FIG_9,
    figures::FIG_9_NU,
    insights::EQ_132_CONDITION,
    insights::EQ_132,
    insights::EQ_133,
    training::FIG_10,
    training::FIG_11,
    training::FIG_12,
];

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::claim::{Agreement, Measurement, Trial, Verdict};

    #[test]
    fn claims_come_to_their_recorded_verdicts() {
        let mut wrong = Vec::new();
        for claim in CLAIMS {
            for seed in 0..4 {
                let evidence = match (claim.run)(Trial { seed }) {
                    Ok(evidence) => evidence,
                    Err(error) => {
                        wrong.push(format!("{} with seed {seed}: {error}", claim.id));
                        continue;
                    }
                };
                if evidence.verdict() != claim.recorded {
                    let beyond = |m: &&Measurement| m.agreement() != Agreement::Within;
                    let printed = evidence.printed.iter().filter(beyond);
                    let corrected = evidence.corrected.iter().filter(beyond);
                    let lines = |m: &Measurement| {
                        format!("\n  {}: {} for {}", m.what, m.measured, m.predicted)
                    };
                    wrong.push(format!(
                        "{} with seed {seed} is {:?};{}\n corrected:{}",
                        claim.id,
                        evidence.verdict(),
                        printed.map(lines).collect::<String>(),
                        corrected.map(lines).collect::<String>(),
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
