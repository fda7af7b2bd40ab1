//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: attention itself as the state with `Pi` written out, all sign matrices and
//! all sequences listed, differences, a plain second solver. Statements about the dynamics are measured on flows of the exact
//! loss and of the paper's smaller systems. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `task`, `ladder`, `tables` | sections 2.1 and 2.2, tables, B.2 and B.7: the chain, its groups, predictors from some of them |
//! | `construction` | section 2.3: attention that solves the task |
//! | `ablation` | section 2.4 in the flow: how alike heads start, how unequal features are |
//! | `variant`, `proposition`, `attention` | section 3.1: assumptions, tensors, Proposition 1, Eq. (6) |
//! | `coupled`, `order`, `theorem_one` | section 3.2: Theorem 1, its order (7), and its proof |
//! | `theorem_two`, `beginning` | Theorem 2; Remark 1 and appendix E |
//! | `cooperation`, `theorem_three` | section 3.3: Eqs. (9) and (10); Theorem 3 |
//! | `lemma_one` | Lemma 1 and Eq. (11) |
//! | `offshoot`, `fixed_line`, `expansion` | Theorems 4 and 5; where Eq. (11) rests; D.1, line by line |
//! | `lemmas` | Lemmas 2 and 3 |
//! | `saddles` | the plateaus as saddles |
//! | `simulation` | B.4 and Fig. 10 |
//! | `training`, `school` | sections 2.2 to 2.5 and appendix B with small minimal models |
//! | `full`, `full_school` | the same sections with small full transformers |
//! | `literal`, `tools` | the plain paths that claims are checked along, and what they share |

mod ablation;
mod attention;
mod beginning;
mod construction;
mod cooperation;
mod coupled;
mod expansion;
mod fixed_line;
mod full;
mod full_school;
mod ladder;
mod lemma_one;
mod lemmas;
mod literal;
mod offshoot;
mod order;
mod proposition;
mod saddles;
mod school;
mod simulation;
mod tables;
mod task;
mod theorem_one;
mod theorem_three;
mod theorem_two;
mod tools;
mod training;
mod variant;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
// No constant: its closures would be compiled anew in every crate that asks for them.
pub static CLAIMS: &[Claim] = &[
    // Sections 2.1 and 2.2.
    task::EQ_1,
    task::WEIGHTS,
    task::PERMUTED,
    task::EQ_2,
    task::STRENGTHS,
    task::EVEN_DRAWS,
    task::INFLUENCE,
    task::SCALE,
    ladder::EVEN_START,
    full::FIG_2,
    ladder::CONTEXTS,
    ladder::EQ_3,
    ladder::NOT_THE_PLATEAU,
    full::FIG_3,
    ladder::STRONGER_FIRST,
    // Section 2.3.
    construction::SIZES,
    construction::MASK,
    construction::PATTERN,
    construction::KEY_QUERY,
    construction::LIMIT,
    construction::UNEVEN,
    construction::SYMMETRY,
    construction::HEADS,
    // Sections 2.4 and 2.5.
    full::COMPONENTS,
    ablation::SLOWER,
    ablation::ROOT,
    ablation::STUCK,
    ablation::HIERARCHY,
    ablation::MIXTURE,
    full::FIG_5,
    // Sections 2.2 to 2.5, Table 2 and appendix B, with the minimal model.
    training::COMPETITION,
    training::SPECIALISE,
    training::KEEPS,
    training::LADDER,
    training::PREDICTOR,
    training::STUCK,
    training::SLOWER,
    training::DATA,
    training::SCHEDULE,
    training::FRESH,
    training::DECAY,
    training::ALPHA,
    training::SGD,
    // Section 3.1.
    variant::ASSUMPTION_1,
    variant::ASSUMPTION_2,
    variant::OVERLAPPING,
    variant::PRODUCTS,
    variant::INNER_PRODUCT,
    proposition::PROPOSITION_1,
    attention::LAST_COLUMN,
    attention::SUM_OF_LOGITS,
    attention::EQ_6,
    attention::DIMENSION,
    // Section 3.2.
    coupled::EQUAL_HEADS,
    coupled::COUPLED,
    coupled::THEOREM_1,
    order::REINFORCED,
    order::ANY_START,
    coupled::RATE,
    coupled::OVERSHOOT,
    coupled::STATIONARY,
    theorem_two::INTERVAL,
    theorem_two::LINEAR,
    theorem_two::UNIVERSAL,
    beginning::FIRST_ORDER,
    beginning::LARGEST_INCREASE,
    beginning::BASIN,
    beginning::ESCAPE,
    // Section 3.3.
    cooperation::EQ_10,
    lemma_one::WHOLE,
    theorem_three::THEOREM_3,
    theorem_three::DELTA,
    cooperation::SLOW,
    cooperation::OFFSET,
    lemma_one::LEMMA_1,
    lemma_one::EQ_11,
    lemma_one::TWO_SCALE,
    offshoot::THEOREM_4,
    fixed_line::SLIDE,
    fixed_line::SHARE,
    offshoot::ENSEMBLE,
    offshoot::ANY_ORDER,
    // Section 4.
    saddles::START,
    saddles::INDEX,
    saddles::CURVATURES,
    saddles::SYMMETRIC_MODES,
    saddles::RATES,
    // Appendices A and B.
    tables::TABLES,
    tables::REVERSED,
    full::FIG_8,
    simulation::START,
    simulation::LAMBDA,
    simulation::LEVELS,
    simulation::TIMES,
    simulation::SCALES,
    simulation::COMPETITION,
    simulation::CANCELLED,
    simulation::SLIDES,
    simulation::PARTS,
    full::FIG_12,
    full::FIG_15,
    tables::OVERLAPS,
    // Appendix C.
    proposition::MOMENTS,
    proposition::THIRD_MOMENT,
    proposition::DERIVATIVES,
    proposition::ASCENT,
    lemmas::LEMMA_2,
    lemmas::LEMMA_3,
    order::INVARIANT_SET,
    theorem_one::DIFFERENCES_OF_TWO,
    theorem_one::EQ_14,
    theorem_one::BOUND,
    theorem_one::EQ_15,
    theorem_one::POSITIVE,
    theorem_one::KERNEL,
    theorem_one::LARGEST,
    theorem_one::PROJECTED,
    theorem_two::BOUNDED,
    theorem_two::RATES,
    theorem_two::EXPANSION,
    theorem_three::LYAPUNOV,
    theorem_three::BOUNDED,
    theorem_one::LOSS,
    // Appendix D.
    cooperation::EQ_17,
    lemma_one::DERIVATIVE,
    lemma_one::CONSTANT,
    expansion::PI,
    expansion::INNER,
    expansion::ALONG_FIRST,
    expansion::REST,
    offshoot::EQ_12,
    expansion::W,
    expansion::Z,
    expansion::INVARIANCE,
    expansion::LYAPUNOV,
    expansion::TILDE,
    expansion::FACTORS,
    fixed_line::LINE,
    fixed_line::OTHER_LINES,
    fixed_line::KEPT,
    offshoot::REMARK_2,
    offshoot::D_2,
    offshoot::THEOREM_5,
    // Appendix E.
    beginning::SECOND_V,
    beginning::SECOND_S,
    lemmas::LEMMA_3_USE,
    beginning::SHORT_TIMES,
];

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::claim::{Agreement, Measurement, Trial, Verdict};

    /// What is wrong with claims, each with so many seeds.
    fn wrong(claims: &[&Claim], seeds: u64) -> Vec<String> {
        let mut wrong = Vec::new();
        for (claim, seed) in claims.iter().flat_map(|claim| (0..seeds).map(move |s| (claim, s))) {
            let evidence = match (claim.run)(Trial { seed }) {
                Ok(evidence) => evidence,
                Err(error) => {
                    wrong.push(format!("{} with seed {seed}: {error}", claim.id));
                    continue;
                }
            };
            if evidence.verdict() != claim.recorded {
                let beyond = |m: &&Measurement| m.agreement() != Agreement::Within;
                let lines = |all: &[Measurement]| -> String {
                    let line = |m: &Measurement| {
                        format!("\n  {}: {} for {}", m.what, m.measured, m.predicted)
                    };
                    all.iter().filter(beyond).map(line).collect()
                };
                wrong.push(format!(
                    "{} with seed {seed} is {:?};{}\n corrected:{}",
                    claim.id,
                    evidence.verdict(),
                    lines(&evidence.printed),
                    lines(&evidence.corrected),
                ));
            }
        }
        wrong
    }

    /// Training takes seconds, and has seeds of its own.
    fn trained(claim: &Claim) -> bool {
        training::IDS.contains(&claim.id) || full::IDS.contains(&claim.id)
    }

    #[test]
    fn claims_come_to_their_recorded_verdicts() {
        let claims: Vec<&Claim> = CLAIMS.iter().filter(|claim| !trained(claim)).collect();
        let wrong = wrong(&claims, 4);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn claims_about_training_come_to_their_recorded_verdicts() {
        let named = |claim: &&Claim| training::IDS.contains(&claim.id);
        let wrong = wrong(&CLAIMS.iter().filter(named).collect::<Vec<_>>(), 1);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn claims_about_full_transformers_come_to_their_recorded_verdicts() {
        let named = |claim: &&Claim| full::IDS.contains(&claim.id);
        let wrong = wrong(&CLAIMS.iter().filter(named).collect::<Vec<_>>(), 1);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn names_are_unique_and_corrections_go_with_false_prints() {
        for (i, claim) in CLAIMS.iter().enumerate() {
            assert_eq!(claim.system(), "sparse-markov");
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
