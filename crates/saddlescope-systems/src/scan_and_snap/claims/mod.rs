//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: the model written out place by place, sums over classes and tokens,
//! decoders trained entry by entry, the lead by bisection, differences of the objective, quadrature, a plain second solver.
//! Statements about training are measured on flows and descents of the exact loss. Where the print is wrong, both forms
//! are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting`, `proofs` | section 3, Table 1, appendices C and H: gradients, long sequences |
//! | `decoder`, `modification` | section 4 and D.2: the decoder, its modified update, Remark 1 |
//! | `theorem_one` | Theorem 1 and Lemma 5 |
//! | `lead`, `two_stages` | D.3: Lemmas 6 and 7 with Remark 2, Lemmas 8 and 9 with Remark 3 |
//! | `sampling`, `count` | D.4: Lemmas 10 and 11, Lemma 12, Theorem 5 and Corollary 1 |
//! | `spectrum`, `weights` | D.5: Lemmas 13 to 17 and the last lines, Eqs. (82) to (89) |
//! | `attention`, `fates` | Lemma 4; Theorem 2 and Corollary 2: which tokens gain and lose |
//! | `growth`, `scanning` | Theorem 3: how distinct tokens grow; what section 5 makes of it |
//! | `snap`, `branches` | Theorem 4 and appendix F: the law of the common token; its two branches |
//! | `insights`, `late` | what follows from it, and late times |
//! | `whole`, `residual` | the same in the joint flow, a second head; a residual connection |
//! | `figures` | Figs. 1 to 3, 8, 9 |
//! | `training`, `text`, `medium` | section 8 and appendix G: Figs. 4, 5; Figs. 7, 10; Figs. 6, 11, 12 |
//! | `literal`, `matrix`, `plain_world`, `tools` | the plain paths that claims are checked along |

mod attention;
mod branches;
mod count;
mod decoder;
mod fates;
mod figures;
mod growth;
mod insights;
mod late;
mod lead;
mod literal;
mod matrix;
mod medium;
mod modification;
mod plain_world;
mod proofs;
mod residual;
mod sampling;
mod scanning;
mod setting;
mod snap;
mod spectrum;
mod text;
mod theorem_one;
mod tools;
mod training;
mod two_stages;
mod weights;
mod whole;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
// No constant: its closures would be compiled anew in every crate that asks for them.
pub static CLAIMS: &[Claim] = &[
    // Section 3.
    setting::REPARAMETERISED,
    setting::NORMALISATION,
    setting::LEMMA_1,
    setting::ROW_SUMS,
    setting::EQ_4,
    setting::PERMUTED,
    setting::LEMMA_2,
    // Section 4.
    decoder::EQ_7,
    decoder::ASSUMPTION_2,
    decoder::ASSUMPTION_2_SYNTHETIC,
    decoder::CRITICAL,
    decoder::LEMMA_3,
    modification::SMALL,
    modification::SMALL_FOR_ATTENTION,
    theorem_one::THEOREM_1,
    theorem_one::PLAIN,
    theorem_one::PULL,
    theorem_one::PULL_WEAKER,
    theorem_one::SPEED,
    // Figures, the abstract, sections 5 to 8.
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
    text::FIG_7,
    // Appendix A.
    setting::TABLE_1,
    // Appendix C.
    proofs::EQ_17,
    proofs::EQ_19,
    proofs::EQ_20,
    // Appendix D.
    decoder::E_PRIME,
    modification::ZETA,
    decoder::EQ_24,
    decoder::EQ_28,
    theorem_one::LEMMA_5,
    theorem_one::EQ_36,
    modification::REMARK_1,
    modification::ZETA_SUM,
    modification::EFFECTIVE,
    lead::LEMMA_6,
    lead::LEMMA_7_BOUND,
    lead::LEMMA_7_SHIFT,
    lead::LEMMA_7_CONDITIONS,
    lead::LEMMA_7_LIMIT,
    lead::LEMMA_7_GAP,
    lead::EQ_48_TIME,
    lead::REMARK_2,
    lead::REPLACED,
    two_stages::LEMMA_8,
    two_stages::LEMMA_8_SIZES,
    two_stages::REMARK_3,
    two_stages::LEMMA_9_FIRST,
    two_stages::EQ_52,
    two_stages::LEMMA_9_RATES,
    two_stages::LEMMA_9_SECOND,
    sampling::LEMMA_10,
    sampling::LEMMA_10_SECOND,
    sampling::REMARK_4,
    sampling::LEMMA_11,
    sampling::EQ_64,
    sampling::LEMMA_11_SECOND,
    sampling::LEMMA_11_LATE,
    count::LEMMA_12,
    count::COMPLEMENT,
    count::THEOREM_5,
    count::RATE,
    count::COROLLARY_1,
    count::COUNT,
    count::COUNT_EXACT,
    spectrum::LEMMA_13,
    spectrum::LEMMA_14,
    spectrum::LEMMA_15,
    spectrum::LEMMA_16,
    spectrum::LEMMA_17,
    weights::EQ_83,
    theorem_one::CEILING,
    weights::EQ_86,
    weights::EQ_88,
    weights::EQ_89,
    spectrum::EQ_92,
    spectrum::EQ_93,
    spectrum::LAST_LINES,
    // Appendices D to G: figures, E, F.
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
    text::FIG_10,
    medium::FIG_11,
    medium::FIG_12,
    // Appendix H.
    proofs::LEMMA_18,
    proofs::LEMMA_18_LAW,
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
