use saddlescope_spec::testing::same_on_threads;

use super::*;
use crate::Exact;
use crate::plain::law;

fn small() -> Chain {
    let groups = vec![Group::even(&[1, 3]), Group { lags: vec![2, 3], weights: vec![0.7, 0.3] }];
    let features = Chain::orthogonal_features(3, &[3.0, 1.5], 5);
    Chain::new(groups, features, (4, None)).unwrap()
}

#[test]
fn features_are_orthogonal_times_their_scale() {
    let features = Chain::orthogonal_features(7, &[2.0, 0.5], 1);
    for (feature, scale) in features.iter().zip([2.0, 0.5]) {
        for (a, b) in (0..7).flat_map(|a| (0..7).map(move |b| (a, b))) {
            let product: f64 = feature.chunks_exact(7).map(|row| row[a] * row[b]).sum();
            let wanted = if a == b { scale * scale } else { 0.0 };
            assert!((product - wanted).abs() < 1e-12, "{a} {b}: {product}");
        }
    }
    assert_ne!(features[0][0] / 2.0, features[1][0] / 0.5);
}

/// How often each pair (context, next token) occurs at the last place, against the exact law there.
#[test]
fn sequences_follow_the_law() {
    let chain = small();
    let (d, count) = (3_usize, 200_000);
    let data = chain.data_set(count, (3, TRAINING));
    // The law of the last four tokens, by listing all sequences.
    let contexts = d.pow(3);
    let rows = {
        let mut now = vec![1.0 / contexts as f64; contexts];
        let mut last = Vec::new();
        for _ in 0..chain.length {
            let mut joint = vec![0.0; contexts * d];
            for (context, p) in now.iter().enumerate() {
                let before = [context / 9, context / 3 % 3, context % 3].map(|token| token as u16);
                for (next, law) in law(&chain, 2, &before).into_iter().enumerate() {
                    joint[context * d + next] = p * law;
                }
            }
            now = vec![0.0; contexts];
            for (place, p) in joint.iter().enumerate() {
                now[place % contexts] += p;
            }
            last = joint;
        }
        last
    };
    let mut counts = vec![0_usize; contexts * d];
    for sequence in data.chunks_exact(chain.tokens()) {
        let last = &sequence[chain.tokens() - 4..];
        counts[last.iter().fold(0, |key, &token| key * d + usize::from(token))] += 1;
    }
    let mut chi = 0.0;
    for (&found, p) in counts.iter().zip(&rows) {
        let expected = p * count as f64;
        chi += (found as f64 - expected).powi(2) / expected;
    }
    // 80 degrees of freedom: mean 80, standard deviation 12.6.
    assert!(chi < 80.0 + 4.0 * 12.6, "{chi}");
    assert!(chi > 80.0 - 4.0 * 12.6, "{chi}");
}

#[test]
fn data_do_not_depend_on_the_number_of_threads() {
    let chain = small();
    let data = same_on_threads(|| chain.data_set(100, (1, TEST)), "data");
    assert_ne!(data, chain.data_set(100, (1, TRAINING)));
}

/// The tables, in single precision, against the exact law and its means.
#[test]
fn tables_and_listed_contexts_agree() {
    let chain = small();
    let exact = Exact::new(&chain).unwrap();
    assert!((exact.total - 1.0).abs() < 1e-14);
    let (stride, contexts) = (chain.law.stride(), 27);
    let (mut logs, mut scratch) = (vec![0.0; stride], vec![0.0; stride]);
    let mut rows = Vec::new();
    for context in 0..contexts {
        let before = [context / 9, context / 3 % 3, context % 3].map(|token| token as u16);
        chain.rung(1).log_probabilities(&before, &mut logs, &mut scratch);
        rows.extend(logs[..3].iter().map(|log| f64::from(*log).exp()));
    }
    let rungs = exact.excess_of_rungs(&chain);
    assert!((exact.excess(&rows) - rungs[0]).abs() < 1e-6, "{rungs:?}");
    assert!(rungs[1].abs() < 1e-15);
    // What is best from the lags of the first group is better than its rung, and from all lags perfect.
    let best = exact.excess(&exact.best_from(&chain.lags(1)));
    assert!(0.0 < best && best < rungs[0], "{best} {rungs:?}");
    assert!(exact.excess(&exact.best_from(&[1, 2, 3])).abs() < 1e-14);
}

#[test]
fn wrong_chains_are_named() {
    let features = |d| Chain::orthogonal_features(d, &[1.0], 0);
    let of = |group: Group, length, order| {
        Chain::new(vec![group], features(3), (length, order)).unwrap_err().to_string()
    };
    assert_eq!(of(Group::even(&[]), 3, None), "lag group 1 is empty, expected at least one lag");
    let lag = "a lag of lag group 1 is 0, expected 1 to 2 (the order w): lag 1 is the token before";
    assert_eq!(of(Group::even(&[0, 2]), 3, None), lag);
    let far = "a lag of lag group 1 is 5, expected 1 to 4 (the order w): lag 1 is the token before";
    assert_eq!(of(Group::even(&[5]), 3, Some(4)), far);
    let twice = "a lag of lag group 1 is 2, expected each lag once";
    assert_eq!(of(Group::even(&[2, 2]), 3, None), twice);
    let uneven = Group { lags: vec![1, 2], weights: vec![0.7, 0.4] };
    assert!(of(uneven, 3, None).starts_with("sum of alpha of lag group 1 is 1.1"));
    assert_eq!(of(Group::even(&[1]), 0, None), "T is 0, expected at least 1");
    let lonely = Chain::new(vec![Group::even(&[1])], vec![vec![1.0]], (3, None)).unwrap_err();
    assert!(lonely.to_string().starts_with("vocabulary is 1, expected at least 2"), "{lonely}");
}
