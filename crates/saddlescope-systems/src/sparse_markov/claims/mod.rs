//! The paper's claims, each with its place, its words, and a function that gathers evidence.

mod ablation;
mod beginning;
mod construction;
mod cooperation;
mod coupled;
mod expansion;
mod ladder;
mod lemma_one;
mod lemmas;
mod literal;
mod offshoot;
mod proposition;
mod saddles;
mod school;
mod simulation;
mod task;
mod theorem_one;
mod theorem_two;
mod tools;
mod training;
mod untested;
mod variant;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
pub static CLAIMS: &[Claim] = &[
    // Sections 2.2 to 2.5 and appendices A and B: training.
    training::COMPETITION,
    training::SPECIALISE,
    training::KEEPS,
    training::LADDER,
    training::PREDICTOR,
    training::STUCK,
    training::SLOWER,
    training::DATA,
    training::SCHEDULE,
    training::DECAY,
    training::ALPHA,
    training::SGD,
    // Section 3.
    task::EQ_1,
    task::WEIGHTS,
    task::PERMUTED,
    task::EQ_2,
    task::STRENGTHS,
    task::EVEN_DRAWS,
    task::INFLUENCE,
    task::SCALE,
    untested::FIG_2,
    ladder::CONTEXTS,
    ladder::EQ_3,
    ladder::NOT_THE_PLATEAU,
    untested::FIG_3,
    ladder::GROUP_MEANS,
    construction::SIZES,
    construction::MASK,
    construction::PATTERN,
    construction::KEY_QUERY,
    construction::LIMIT,
    construction::UNEVEN,
    construction::SYMMETRY,
    construction::HEADS,
    untested::COMPONENTS,
    ablation::STUCK,
    ablation::SLOWER,
    ablation::ROOT,
    ablation::HIERARCHY,
    ablation::MIXTURE,
    untested::FIG_5,
    variant::ASSUMPTION_1,
    variant::ASSUMPTION_2,
    variant::OVERLAPPING,
    variant::PRODUCTS,
    variant::INNER_PRODUCT,
    proposition::PROPOSITION_1,
    proposition::SUM_OF_LOGITS,
    proposition::EQ_6,
    proposition::DIMENSION,
    coupled::EQUAL_HEADS,
    coupled::COUPLED,
    coupled::THEOREM_1,
    coupled::ORDER,
    coupled::RATE,
    coupled::LIMIT_IN_VALUES,
    coupled::SYMMETRIC,
    theorem_two::INTERVAL,
    theorem_two::LINEAR,
    theorem_two::UNIVERSAL,
    beginning::FIRST_ORDER,
    beginning::LARGEST_INCREASE,
    beginning::WRITTEN,
    beginning::ESCAPE,
    cooperation::EQ_10,
    lemma_one::WHOLE,
    cooperation::THEOREM_3,
    cooperation::DELTA,
    cooperation::SLOW,
    cooperation::OFFSET,
    lemma_one::LEMMA_1,
    lemma_one::EQ_11,
    lemma_one::TWO_SCALE,
    offshoot::THEOREM_4,
    offshoot::SLIDE,
    offshoot::SHARE,
    offshoot::ENSEMBLE,
    offshoot::ANY_ORDER,
    saddles::START,
    saddles::INDEX,
    saddles::CURVATURES,
    saddles::SYMMETRIC_MODES,
    saddles::RATES,
    task::TABLES,
    task::SMALLEST_SHARE,
    untested::FIG_8,
    simulation::START,
    simulation::LAMBDA,
    simulation::LEVELS,
    simulation::TIMES,
    simulation::SCALES,
    simulation::COMPETITION,
    simulation::CANCELLED,
    simulation::SLIDES,
    simulation::PARTS,
    untested::FIG_12,
    task::OVERLAPS,
    proposition::MOMENTS,
    proposition::THIRD_MOMENT,
    proposition::DERIVATIVES,
    proposition::ASCENT,
    lemmas::LEMMA_2,
    lemmas::LEMMA_3,
    coupled::INVARIANT_SET,
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
    cooperation::LYAPUNOV,
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
    offshoot::LINE,
    offshoot::OTHER_LINES,
    offshoot::KEPT,
    offshoot::REMARK_2,
    offshoot::D_2,
    offshoot::THEOREM_5,
    beginning::SECOND_V,
    beginning::SECOND_S,
    lemmas::LEMMA_3_USE,
    beginning::SHORT_TIMES,
];

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::claim::{Agreement, Measurement, Trial, Verdict};

    #[test]
    fn claims_come_to_their_recorded_verdicts() {
        let mut wrong = Vec::new();
        for claim in CLAIMS {
            // Training takes seconds, and has seeds of its own.
            let seeds = if training::IDS.contains(&claim.id) { 1 } else { 4 };
            for seed in 0..seeds {
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
