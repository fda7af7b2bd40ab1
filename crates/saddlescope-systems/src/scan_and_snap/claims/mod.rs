//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: sums written out over classes and tokens,
//! differences of the objective, a plain second solver. Statements about training are measured on
//! flows and descents of the exact loss. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `attention`, `fates` | Lemma 4; Theorem 2 and Corollary 2: which tokens gain and lose |
//! | `growth`, `scanning` | Theorem 3: how distinct tokens grow; what section 5 makes of it |
//! | `snap`, `branches` | Theorem 4 and appendix F: the law of the common token; its two branches |
//! | `insights`, `late` | what follows from it, and late times |
//! | `whole`, `residual` | the same in the joint flow, a second head; a residual connection |
//! | `figures` | Figs. 1 to 3, 8, 9 |
//! | `training`, `medium` | section 8 and appendix G: Figs. 4, 5, 7, 10; Figs. 6, 11, 12 |
//! | `tools_b` | the plain path that these are checked along |

mod attention;
mod branches;
mod fates;
mod figures;
mod growth;
mod insights;
mod late;
mod medium;
mod residual;
mod scanning;
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
    scanning::ORDER,
    insights::NO_WINNER,
    attention::LEMMA_4,
    attention::CLOCK,
    fates::THEOREM_2_A,
    fates::THEOREM_2_B,
    whole::THEOREM_2,
    fates::INVOLVED,
    growth::GAIN,
    whole::EQ_11,
    whole::ASSUMPTION_1C,
    whole::UNEVEN,
    whole::SLOWER,
    growth::MONOTONE,
    growth::EQ_12,
    growth::EQ_12_CLOCK,
    scanning::SPARSER,
    scanning::SCANNING,
    scanning::PRIOR,
    whole::HEADS,
    figures::FIG_3,
    figures::FIG_3_CROSSING,
    snap::NORMS,
    snap::EQ_13,
    snap::EQ_13_CONSTANT,
    snap::REDUCED,
    branches::EQ_14_SCAN,
    branches::EQ_14_SNAP,
    branches::EQ_14_ACCURACY,
    branches::GAP,
    insights::SCAN_B,
    insights::SUBLINEAR,
    insights::SNAPPING,
    insights::GAMMA_SNAP,
    branches::PEAK,
    insights::EARLIER,
    insights::BOTH,
    insights::DENSER,
    whole::SNAP,
    whole::RATES,
    scanning::POSITION,
    residual::RESIDUAL_BETA,
    residual::RESIDUAL_LARGER,
    residual::RESIDUAL_LOCAL,
    residual::RESIDUAL_WHOLE,
    training::SIZE,
    training::ASSUMPTION_2,
    training::FIG_4_ONE,
    training::FIG_4_TEN,
    training::FIG_4_SPARSE,
    training::FIG_5,
    medium::FIG_6_Z,
    medium::FIG_6_RATIO,
    medium::FIG_6_THRESHOLD,
    training::FIG_6_SPREAD,
    training::FIG_7,
    figures::FIG_8,
    figures::FIG_8_GAP,
    attention::EQ_95,
    attention::EQ_97,
    attention::EQ_98,
    fates::EQ_100,
    fates::COROLLARY_2,
    fates::EQ_101,
    fates::EQ_102,
    fates::EQ_107,
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
    branches::LEAD_SCAN,
    branches::LEAD_SNAP,
    branches::HALF,
    late::B_T0,
    late::B_T0_VALUE,
    figures::FIG_9,
    figures::FIG_9_NU,
    late::EQ_132_CONDITION,
    late::EQ_132,
    late::EQ_133,
    training::FIG_10,
    medium::FIG_11,
    medium::FIG_12,
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
