//! The paper's claims, each with its place, its words, and a function that gathers evidence.

mod literal;
mod proposition;
mod tools;
mod variant;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
pub static CLAIMS: &[Claim] = &[
    variant::ASSUMPTION_1,
    variant::ASSUMPTION_2,
    variant::OVERLAPPING,
    variant::PRODUCTS,
    variant::INNER_PRODUCT,
    proposition::PROPOSITION_1,
    proposition::SUM_OF_LOGITS,
    proposition::EQ_6,
    proposition::DIMENSION,
    proposition::MOMENTS,
    proposition::THIRD_MOMENT,
    proposition::DERIVATIVES,
    proposition::ASCENT,
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
