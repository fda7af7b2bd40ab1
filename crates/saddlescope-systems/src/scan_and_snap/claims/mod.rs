//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: the model written out place by place, decoders trained entry by entry,
//! the lead by bisection, binomial laws added up. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting`, `proofs` | section 3, Table 1, appendices C and H: gradients, long sequences |
//! | `decoder`, `modification` | section 4 and D.2: the decoder, its modified update, Remark 1 |
//! | `theorem_one` | Theorem 1 and Lemma 5 |
//! | `lead`, `two_stages` | D.3: Lemmas 6 and 7 with Remark 2, Lemmas 8 and 9 with Remark 3 |
//! | `sampling`, `count` | D.4: Lemmas 10 and 11, Lemma 12, Theorem 5 and Corollary 1 |
//! | `spectrum`, `weights` | D.5: Lemmas 13 to 17 and the last lines, Eqs. (82) to (89) |
//! | `literal`, `matrix`, `tools_a` | the plain paths that these claims are checked along |

mod count;
mod decoder;
mod lead;
mod literal;
mod matrix;
mod modification;
mod proofs;
mod sampling;
mod setting;
mod spectrum;
mod theorem_one;
mod tools_a;
mod two_stages;
mod weights;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
pub const CLAIMS: &[Claim] = &[
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
    // Appendix H.
    proofs::LEMMA_18,
    proofs::LEMMA_18_LAW,
];

#[cfg(test)]
mod tests {
    use saddlescope::claim::Trial;

    use super::*;

    #[test]
    fn every_claim_comes_to_its_recorded_verdict_whatever_the_seed() {
        let mut wrong = Vec::new();
        for seed in 0..4 {
            for claim in CLAIMS {
                let found = match (claim.run)(Trial { seed }) {
                    Ok(evidence) if evidence.verdict() == claim.recorded => None,
                    Ok(evidence) => Some(format!("{:?} from {evidence:#?}", evidence.verdict())),
                    Err(error) => Some(error.to_string()),
                };
                wrong.extend(found.map(|found| format!("{} at seed {seed}: {found}", claim.id)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_laws_of_the_world_are_those_of_the_plain_paths() {
        use super::super::theory::{gamma_at, lead, omega_0, omega_1, stepped_leads, steps_to};
        for m in [30.0, 1000.0, 1e6_f64] {
            let close =
                |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-10, "{a} and {b} at M = {m}");
            for steps in [1e-4, 0.3, 5.0, 12.0, 40.0, 1e5] {
                let x = tools_a::lead(m, steps);
                close(lead(m, steps), x);
                close(steps_to(m, x), tools_a::steps_for(m, x));
                close(gamma_at(m, x), tools_a::gamma(m, x));
            }
            close(stepped_leads(m, 0.4, 60)[60], tools_a::leads(m, 0.4, 60)[60]);
            close(omega_1(m).unwrap(), tools_a::larger_root(m) / m.ln() - 1.0);
            close(1.0 - omega_0(m).unwrap(), -tools_a::smaller_root(m).ln() / m.ln());
        }
    }

    #[test]
    fn the_overlaps_of_the_world_are_those_of_the_plain_paths() {
        let f = tools_a::random_directions(4, 0.8, &mut tools_a::stream(Trial { seed: 5 }, 0));
        let found =
            super::super::Overlaps::of(f.transposed().entries().to_vec(), (4, f.rows()), 90.0);
        let (found, prime) = (found.unwrap(), literal::e_prime(&f));
        let weights = weights::Weights { prime: &prime, vocabulary: 90.0, theta: &[0.0; 4] };
        for n in 0..4 {
            assert!((found.iota(n) - weights::iota(weights, n)).abs() < 1e-13);
            for k in (0..4).filter(|&k| k != n) {
                assert!((found.e(n, k) - literal::overlaps(&f).at(n, k)).abs() < 1e-14);
                assert!((found.beta(n, k) - weights::beta(weights, n, k)).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn names_are_the_systems_and_different() {
        for (i, claim) in CLAIMS.iter().enumerate() {
            assert_eq!(claim.system(), "scan-and-snap");
            assert!(CLAIMS[..i].iter().all(|other| other.id != claim.id), "{} twice", claim.id);
            let is_wrong = claim.recorded == saddlescope::claim::Verdict::FalseAsPrinted;
            assert_eq!(claim.correction.is_some(), is_wrong, "{}", claim.id);
            for text in [claim.place, claim.statement, claim.correction.unwrap_or_default()] {
                assert_eq!(text.matches('$').count() % 2, 0, "{}: {text}", claim.id);
                assert_eq!(text.matches('{').count(), text.matches('}').count(), "{}", claim.id);
                assert!(!text.contains("  "), "{}: {text}", claim.id);
            }
        }
    }
}
