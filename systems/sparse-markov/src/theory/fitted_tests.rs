use faer::Mat;
use faer::linalg::solvers::Solve;
use saddlescope::{Draw, Landscape as _};
use saddlescope_spec::testing::{
    assert_close, assert_gradient, evaluate, normals, same_on_threads,
};

use super::*;
use crate::plain::{law, softmax};
use crate::readings::evaluation::{Estimate, divergence};
use crate::{Exact, Group};

fn chain(groups: Vec<Group>, d: usize, scales: &[f64]) -> Chain {
    Chain::new(groups, Chain::orthogonal_features(d, scales, 3), (5, None)).unwrap()
}

fn small() -> Chain {
    chain(Group::contiguous(2, 2), 3, &[4.0, 2.5])
}

fn divergence_of(p: &[f64], f: &[f64]) -> f64 {
    p.iter().zip(f).map(|(p, f)| p * (p / f).ln()).sum()
}

/// A place: the tokens before it, oldest first, how much it counts, and the law there.
type Place = (Vec<u16>, f64, Vec<f64>);

fn drawn(chain: &Chain, data: &[u16]) -> Vec<Place> {
    let weight = 1.0 / (data.len() / chain.tokens() * chain.length) as f64;
    let places = data
        .chunks_exact(chain.tokens())
        .flat_map(|sequence| (0..chain.length).map(|t| sequence[..chain.order + t].to_vec()));
    places.map(|before| (before.clone(), weight, law(chain, 2, &before))).collect()
}

/// The `w` tokens of a context, oldest first.
fn tokens(chain: &Chain, context: usize) -> Vec<u16> {
    let token = |lag: usize| context / chain.vocabulary.pow(lag as u32 - 1) % chain.vocabulary;
    (1..=chain.order).rev().map(|lag| token(lag) as u16).collect()
}

/// What `theta`, one matrix for each lag, predicts after `before`.
fn predicted(theta: &[f64], lags: &[usize], d: usize, before: &[u16]) -> Vec<f64> {
    let mut logits = vec![0.0; d];
    for (index, lag) in lags.iter().enumerate() {
        let token = usize::from(before[before.len() - lag]);
        (0..d).for_each(|next| logits[next] += theta[(index * d + token) * d + next]);
    }
    softmax(&logits)
}

/// The least mean of `KL(p* || f)`, by Newton's method on the whole Hessian, held up a little where it is flat.
fn newton(places: &[Place], lags: &[usize], d: usize) -> (Vec<f64>, f64) {
    let n = lags.len() * d * d;
    let mut theta = vec![0.0; n];
    for _ in 0..30 {
        let (mut gradient, mut hessian) = (Mat::<f64>::zeros(n, 1), Mat::<f64>::zeros(n, n));
        for (before, weight, p) in places {
            let f = predicted(&theta, lags, d, before);
            let row =
                |index: usize| (index * d + usize::from(before[before.len() - lags[index]])) * d;
            for (a, i) in (0..lags.len()).flat_map(|a| (0..d).map(move |i| (a, i))) {
                gradient[(row(a) + i, 0)] += weight * (f[i] - p[i]);
                for (b, j) in (0..lags.len()).flat_map(|b| (0..d).map(move |j| (b, j))) {
                    let same = if i == j { f[i] } else { 0.0 };
                    hessian[(row(a) + i, row(b) + j)] += weight * (same - f[i] * f[j]);
                }
            }
        }
        (0..n).for_each(|i| hessian[(i, i)] += 1e-7);
        let step = hessian.partial_piv_lu().solve(&gradient);
        (0..n).for_each(|i| theta[i] -= step[(i, 0)]);
    }
    let mean = |(before, weight, p): &Place| {
        weight * divergence_of(p, &predicted(&theta, lags, d, before))
    };
    let least = places.iter().map(mean).sum();
    (theta, least)
}

/// What a predictor says after every context of `w` tokens, a row for each.
fn rows(chain: &Chain, predictor: &Predictor) -> Vec<f64> {
    let d = chain.vocabulary;
    let (mut logs, mut scratch) = (vec![0.0; predictor.stride()], vec![0.0; predictor.stride()]);
    let mut rows = Vec::new();
    for context in 0..d.pow(chain.order as u32) {
        predictor.log_probabilities(&tokens(chain, context), &mut logs, &mut scratch);
        rows.extend(logs[..d].iter().map(|log| f64::from(*log).exp()));
    }
    rows
}

fn exacting(sequences: usize) -> Fit {
    let minimise = Minimise { tolerance: -1.0, gradient: 1e-9, ..Minimise::default() };
    Fit { sequences: Some(sequences), seed: 7, minimise }
}

/// The mean of `KL(p* || f)` over the sequences that a fit with this seed sees, or over others.
fn excess(chain: &Chain, f: &Predictor, (count, seed, stream): (usize, u64, u64)) -> Estimate {
    divergence(chain, (&chain.law, f), &chain.data_set(count, (seed, stream)))
}

/// On the very sequences that it sees, against Newton's method on each of their places.
#[test]
fn fits_are_the_least_that_newton_finds_on_the_same_sequences() {
    let chain = small();
    for lags in [&[1, 2][..], &[2, 3], &[4], &[1, 2, 4]] {
        let fitted = exacting(200).lags(&chain, lags).unwrap();
        let places = drawn(&chain, &chain.data_set(200, (7, SEEN)));
        let (theta, least) = newton(&places, lags, 3);
        // The laws that the fit sees are in single precision.
        let seen = excess(&chain, &fitted, (200, 7, SEEN)).mean;
        assert!((seen - least).abs() < 2e-7, "{lags:?}: {seen} {least}");
        let found = rows(&chain, &fitted);
        for (context, found) in found.chunks_exact(3).enumerate() {
            let wanted = predicted(&theta, lags, 3, &tokens(&chain, context));
            assert_close(found, &wanted, 3e-5, (lags, context));
        }
    }
}

/// Against the additive optimum over all sequences that there are, and all predictors from the lags above it.
#[test]
fn many_sequences_come_to_the_exact_additive_optimum() {
    let chain = small();
    let exact = Exact::new(&chain).unwrap();
    let lags = chain.lags(1);
    let place = |(context, &weight): (usize, &f64)| {
        let before = tokens(&chain, context);
        (before.clone(), weight, law(&chain, 2, &before))
    };
    let places: Vec<Place> = exact.contexts.iter().enumerate().map(place).collect();
    let (_, least) = newton(&places, &lags, 3);
    let saturated = exact.excess(&exact.best_from(&lags));
    let rung = exact.excess_of_rungs(&chain)[0];
    assert!(saturated <= least && least < rung, "{saturated} {least} {rung}");
    let fitted = exacting(40_000).groups(&chain, 1).unwrap();
    let found = exact.excess(&rows(&chain, &fitted));
    // 12 free parameters and 200,000 places: some 12 / 400,000 above, at most.
    assert!(found > least - 1e-7 && found < least + 1e-4, "{found} {least}");
    let [seen, unseen] = [(40_000, SEEN), (20_000, 4)]
        .map(|(count, stream)| excess(&chain, &fitted, (count, 7, stream)));
    assert!((seen.mean - least).abs() < 0.01 * least, "{seen:?} {least}");
    assert!((unseen.mean - found).abs() < 4.0 * unseen.error, "{unseen:?} {found}");
    assert!(unseen.error < 0.01 * found, "{unseen:?}");
}

/// One token that is read leaves nothing to add up: the best of all predictors is a table.
#[test]
fn from_one_lag_it_is_the_mean_law() {
    let groups = vec![Group::even(&[1]), Group::even(&[2])];
    let chain = chain(groups, 4, &[3.0, 2.0]);
    let exact = Exact::new(&chain).unwrap();
    for lag in [1, 2] {
        let fitted = exacting(40_000).lags(&chain, &[lag]).unwrap();
        let (found, wanted) = (rows(&chain, &fitted), exact.best_from(&[lag]));
        let off = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 0.01, "lag {lag}: {off}");
        let (found, least) = (exact.excess(&found), exact.excess(&wanted));
        assert!(found >= least - 1e-7 && found < least + 1e-4, "lag {lag}: {found} {least}");
    }
}

#[test]
fn the_gradient_is_that_of_the_loss() {
    let chain = small();
    let data = chain.data_set(300, (1, SEEN));
    let contexts = Contexts::new(&chain, &[1, 3], &data);
    let landscape = contexts.mean();
    let theta = normals(landscape.blocks().len(), 1.0, 1);
    assert_gradient(&landscape, (&theta, 1e-3), Draw::default(), 1e-9, "contexts");
    let (_, gradient) = evaluate(&landscape, &theta, Draw::default());
    assert!(gradient.iter().any(|slope| slope.abs() > 1e-3));
}

/// Twenty tokens, two lags a group: each group makes the best predictor better, and better than its rung.
#[test]
fn best_predictors_are_better_than_their_rungs() {
    let features = Chain::orthogonal_features(20, &[12.0, 7.0, 4.0], 2);
    let chain = Chain::new(Group::contiguous(3, 2), features, (20, None)).unwrap();
    let (test, mut last) = ((2000, 0, 4), f64::INFINITY);
    for count in 1..=3 {
        let fitted = Fit::default().groups(&chain, count).unwrap();
        let unseen = excess(&chain, &fitted, test).mean;
        if count < 3 {
            let rung = excess(&chain, &chain.rung(count), test).mean;
            assert!(unseen < 0.9 * rung, "{count}: {unseen} {rung}");
            // What is new to it costs some per cent more.
            let ratio = unseen / excess(&chain, &fitted, (2000, 0, SEEN)).mean;
            assert!(ratio < 1.04, "{count}: {ratio}");
        } else {
            assert_eq!((&fitted, unseen), (&chain.law, 0.0));
        }
        assert!(unseen < 0.5 * last);
        last = unseen;
    }
}

#[test]
fn fits_do_not_depend_on_the_number_of_threads() {
    let chain = small();
    let one = same_on_threads(|| exacting(300).groups(&chain, 1).unwrap(), "fit");
    let other = Fit { seed: 8, ..exacting(300) }.groups(&chain, 1).unwrap();
    assert_ne!(other, one);
}

#[test]
fn lags_beyond_the_order_are_named() {
    let error = exacting(10).lags(&small(), &[1, 5]).unwrap_err().to_string();
    assert_eq!(error, "a lag to fit is 5, expected 1 to 4 (the order w)");
    let error = exacting(0).lags(&small(), &[1]).unwrap_err().to_string();
    assert_eq!(error, "sequences to fit is 0, expected at least 1");
}
