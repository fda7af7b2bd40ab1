//! The recursion beside the literal sum over all permutations.

use saddlescope_spec::testing::normals;

use super::*;
use crate::task::Permutations;

fn exponents(heads: usize, lags: usize, size: f64, key: u64) -> Vec<f64> {
    normals(heads * lags, size, key)
}

/// The share and the marginals by listing all permutations: head `h` at lag `pi[h]`.
fn listed(lags: usize, heads: usize, exponents: &[f64]) -> (f64, f64, Vec<f64>) {
    let list = Permutations::new(lags).unwrap();
    let weight = |pi: &[u16]| (0..heads).map(|h| exponents[h * lags + usize::from(pi[h])]).sum();
    let scores: Vec<f64> = list.iter().map(weight).collect();
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
    let whole: f64 = weights.iter().sum();
    let rest: f64 = weights[1..].iter().sum();
    let mut marginals = vec![0.0; heads * lags];
    for (pi, weight) in list.iter().zip(&weights) {
        for h in 0..heads {
            marginals[h * lags + usize::from(pi[h])] += weight / whole;
        }
    }
    (weights[0] / whole, rest / whole, marginals)
}

fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs().max(f64::MIN_POSITIVE)
}

#[test]
fn it_is_the_sum_over_all_permutations() {
    for lags in 2..=7 {
        for heads in 1..=lags {
            for (key, size) in [(1, 0.0), (2, 0.7), (3, 4.0)] {
                let subsets = Subsets::new(lags, heads);
                let m = exponents(heads, lags, size, key);
                let mut marginals = vec![0.0; m.len()];
                let share = subsets.share(&m, &mut subsets.scratch(), &mut marginals);
                let (query, rest, expected) = listed(lags, heads, &m);
                // The literal sums round once per permutation.
                let tolerance = 2e-16 * factorial(lags).max(100.0);
                assert!(close(share.query, query, tolerance), "{lags} {heads} {share:?} {query}");
                assert!(close(share.rest, rest, tolerance), "{lags} {heads} {share:?} {rest}");
                for (found, expected) in marginals.iter().zip(&expected) {
                    assert!(close(*found, *expected, 1e-12), "{lags} {heads}: {found} {expected}");
                }
            }
        }
    }
}

#[test]
fn what_is_left_keeps_its_digits_when_the_query_wins() {
    let (lags, heads) = (4, 3);
    let subsets = Subsets::new(lags, heads);
    let mut m = exponents(heads, lags, 1.0, 7);
    for h in 0..heads {
        m[h * lags + h] += 60.0;
    }
    let mut marginals = vec![0.0; m.len()];
    let share = subsets.share(&m, &mut subsets.scratch(), &mut marginals);
    let (_, rest, _) = listed(lags, heads, &m);
    assert!(rest < 1e-24 && close(share.rest, rest, 1e-12), "{share:?} {rest}");
}

#[test]
fn heads_that_fight_for_a_lag_do_not_underflow() {
    for (lags, heads) in [(3, 3), (4, 3), (5, 2)] {
        let subsets = Subsets::new(lags, heads);
        let mut m = exponents(heads, lags, 1.0, 8);
        for h in 0..heads {
            m[h * lags] += 2000.0;
        }
        let mut marginals = vec![0.0; m.len()];
        let share = subsets.share(&m, &mut subsets.scratch(), &mut marginals);
        let (query, rest, expected) = listed(lags, heads, &m);
        assert!(close(share.query, query, 1e-10) && close(share.rest, rest, 1e-10), "{share:?}");
        for (found, expected) in marginals.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-11, "{lags} {heads}: {found} {expected}");
        }
    }
}
