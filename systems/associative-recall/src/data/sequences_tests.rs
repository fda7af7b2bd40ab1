//! The transformer on sequences beside the exact loss, a literal forward pass, and differences.

use saddlescope_spec::measure::Mean;
use saddlescope_spec::testing::{self, assert_close, assert_slopes, normals};

use super::*;
use crate::Population;
use crate::theory::levels;

const EVERY: [Simplified; 5] = [
    Simplified::ALL,
    Simplified::STRENGTHS,
    Simplified::NONE,
    Simplified { window: false, ..Simplified::ALL },
    Simplified { strengths: false, ..Simplified::ALL },
];

fn shape(order: usize, responses: usize, heads: usize, kept: Simplified) -> Shape {
    Shape::relaxed(Task::new(order, responses).unwrap(), heads, 0.3, kept).unwrap()
}

fn weights(shape: &Shape, size: f64) -> Vec<f64> {
    normals(shape.parameters(), size, 0)
}

fn evaluate(landscape: &Sequences, theta: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, theta, Draw { seed: 3, step: 5 })
}

/// All sixteen combinations of simplifications.
fn combinations() -> impl Iterator<Item = Simplified> {
    (0..16).map(|bits| {
        let bit = |i: usize| bits >> i & 1 == 1;
        Simplified { window: bit(0), strengths: bit(1), solution: bit(2), responses: bit(3) }
    })
}

#[test]
fn with_all_simplifications_it_is_the_permanent_formula() {
    for (order, heads) in [(2, 2), (3, 2), (4, 3), (5, 4)] {
        let shape = shape(order, 3, heads, Simplified::ALL);
        let theta = weights(&shape, 1.0);
        let (loss, gradient) =
            evaluate(&Corpus::exact(shape, Objective::DotProduct).unwrap(), &theta);
        let landscape = Population::new(shape).unwrap();
        let (exact, expected) = testing::evaluate(&landscape, &theta, Draw::default());
        assert!((loss - exact).abs() < 1e-14, "{order}: {loss} {exact}");
        assert_close(&gradient, &expected, 1e-14, order);
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for kept in combinations() {
        for objective in [Objective::DotProduct, Objective::CrossEntropy] {
            let shape = shape(3, 2, 2, kept);
            let theta = weights(&shape, 0.7);
            let landscape = Corpus::fresh(shape, objective, 3).unwrap();
            let (_, gradient) = evaluate(&landscape, &theta);
            // All heads, and a part of the matrices.
            let heads = shape.heads * shape.head_len();
            let places = (0..heads).chain((heads..theta.len()).step_by(17));
            let slopes = places.map(|place| (place, gradient[place]));
            let loss = |theta: &[f64]| evaluate(&landscape, theta).0;
            assert_slopes(slopes, (&theta, 1e-4), loss, 1e-9, (kept, objective));
        }
    }
}

#[test]
fn the_mean_over_maps_is_that_of_listing_them() {
    for kept in combinations().filter(|kept| kept.strengths) {
        for objective in [Objective::DotProduct, Objective::CrossEntropy] {
            let shape = shape(3, 2, 3, kept);
            let theta = weights(&shape, 0.9);
            let mean = evaluate(&Corpus::exact(shape, objective).unwrap(), &theta);
            let pairs = super::pairs(&shape.task);
            assert_eq!(pairs, 384.0);
            let listed = Corpus::new(shape, objective, Items::Maps(pairs as usize)).unwrap();
            let listed = evaluate(&listed, &theta);
            assert!((mean.0 - listed.0).abs() < 1e-12, "{kept:?}: {} {}", mean.0, listed.0);
            assert_close(&mean.1, &listed.1, 1e-12, (kept, objective));
        }
    }
}

#[test]
fn drawn_sequences_agree_with_the_expectation_within_their_error() {
    for kept in EVERY {
        let shape = shape(3, 2, 2, kept);
        let theta = weights(&shape, 0.6);
        let (exact, _) = evaluate(&Corpus::exact(shape, Objective::DotProduct).unwrap(), &theta);
        let mut mean = Mean::default();
        let landscape = Corpus::fresh(shape, Objective::DotProduct, 8).unwrap();
        for step in 0..400 {
            mean.add(testing::evaluate(&landscape, &theta, Draw { seed: 1, step }).0);
        }
        let (mean, error) = (mean.mean(), mean.error());
        assert!((mean - exact).abs() < 4.0 * error, "{kept:?}: {mean} {exact} {error}");
        assert!(error < 0.01);
    }
}

#[test]
fn too_many_maps_are_refused_with_a_way_out() {
    let error = Corpus::exact(shape(4, 4, 3, Simplified::NONE), Objective::DotProduct).unwrap_err();
    assert!(error.to_string().contains("draw sequences instead"), "{error}");
    assert!(Corpus::fresh(shape(4, 4, 3, Simplified::NONE), Objective::DotProduct, 0).is_err());
}

/// The mean loss from the definition, by listing every map and query: 001, sections 2.2 and 2.3, with
/// (A1) and whatever else is kept. `compared(a, b)` is the entry of the matrix that compares tokens.
fn literal(shape: &Shape, theta: &[f64], compared: impl Fn(u16, u16) -> f64) -> f64 {
    let (task, kept) = (&shape.task, shape.simplified);
    let (k, list) = (task.order, task.list().unwrap());
    let heads: Vec<_> = shape.iter(theta).collect();
    let lags = if kept.window { 1..k + 1 } else { 0..task.length() as usize };
    let mut loss = 0.0;
    for item in 0..pairs(task) as usize {
        let (map, asked) = (item / list.len(), item % list.len());
        let responses: Vec<usize> =
            (0..list.len() as u32).map(|t| map / task.responses.pow(t) % task.responses).collect();
        let sequence = task.sequence(&list, &responses, list.get(asked));
        let end = sequence.len() - 1;
        // What a head sees at a position: weights of tokens.
        let sees = |h: usize, t: usize| -> Vec<(f64, u16)> {
            let seen = lags.clone().zip(heads[h].weights).filter(|(lag, _)| *lag <= t);
            let seen: Vec<_> = seen.map(|(lag, w)| (w.exp(), sequence[t - lag])).collect();
            let sum: f64 = seen.iter().map(|(raised, _)| raised).sum();
            seen.into_iter().map(|(raised, token)| (raised / sum, token)).collect()
        };
        let asks = |h: usize| match h {
            0 => vec![(1.0, sequence[end])],
            _ if kept.solution => vec![(1.0, sequence[end - h])],
            _ => sees(h - 1, end),
        };
        let score = |t: usize| -> f64 {
            let of_head = |(h, head): (usize, &crate::Head<'_>)| {
                let pairs = asks(h)
                    .into_iter()
                    .flat_map(|(a, x)| sees(h, t).into_iter().map(move |(b, y)| (a * b, x, y)));
                let tokens = pairs.filter(|(_, x, y)| usize::from(*x).max(usize::from(*y)) < k);
                let met: f64 = tokens.map(|(share, x, y)| share * compared(x, y)).sum();
                head.beta * head.beta * met
            };
            heads.iter().enumerate().map(of_head).sum()
        };
        let competes = |t: &usize| !kept.responses || usize::from(sequence[*t]) >= k;
        let raised: Vec<(f64, u16)> =
            (0..=end).filter(competes).map(|t| (score(t).exp(), sequence[t])).collect();
        let right = (k + responses[asked]) as u16;
        let found: f64 = raised.iter().filter(|(_, token)| *token == right).map(|x| x.0).sum();
        loss += 1.0 - found / raised.iter().map(|x| x.0).sum::<f64>();
    }
    loss / pairs(task)
}

/// 001, lines 307 and 455: both forms of the matrix that compares tokens, with each choice of (A0), (A2), (A3).
#[test]
fn the_exact_loss_is_that_of_the_definition_for_any_gamma() {
    let task = Task::new(2, 3).unwrap();
    for kept in combinations().filter(|kept| kept.strengths) {
        for gamma in [-0.6, 0.0, 0.5, 1.0, 3.0] {
            let shape = Shape::relaxed(task, 2, gamma, kept).unwrap();
            let theta = weights(&shape, 0.9);
            for printed in [false, true] {
                let shape = if printed { shape.as_printed() } else { shape };
                let compared = |a: u16, b: u16| match (printed, a == b) {
                    (false, true) => 1.0,
                    (true, true) => 1.0 - gamma,
                    (_, false) => -gamma,
                };
                let landscape = Corpus::exact(shape, Objective::DotProduct).unwrap();
                let (loss, gradient) = evaluate(&landscape, &theta);
                let expected = literal(&shape, &theta, compared);
                assert!((loss - expected).abs() < 1e-14, "{kept:?} {gamma}: {loss} {expected}");
                let slopes = gradient.iter().copied().enumerate();
                let at = |theta: &[f64]| literal(&shape, theta, compared);
                assert_slopes(slopes, (&theta, 1e-4), at, 1e-9, (kept, gamma));
            }
        }
    }
}

const CONTEXTS: [Context; 3] = [Context::Shuffled, Context::Incomplete(4), Context::Repeating(5)];

#[test]
fn contexts_have_different_words_and_the_query() {
    for context in CONTEXTS {
        let task = Task::new(3, 2).unwrap().with(context).unwrap();
        let shape = Shape::new(task, 2, 0.0).unwrap();
        let corpus = Corpus::fresh(shape, Objective::DotProduct, 1).unwrap().loss;
        let mut work = corpus.work();
        let mut places = vec![0; task.entries() as usize];
        for step in 0..200 {
            let asked = corpus.write(0, Draw { seed: 1, step }, &mut work);
            places[asked] += 1;
            let (listed, query) = work.sequence.split_at(work.sequence.len() - 3);
            let mut words: Vec<&[u16]> = listed.chunks_exact(4).map(|word| &word[..3]).collect();
            assert_eq!(words.len(), places.len());
            assert_eq!(words[asked], query);
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), places.len(), "{context:?}");
        }
        assert!(places.iter().all(|&times| times > 10), "{context:?}: {places:?}");
    }
}

/// The plateaus of other contexts, by heads that match perfectly, on drawn sequences; and slopes by differences.
#[test]
fn plateaus_of_other_contexts_are_those_of_perfect_heads() {
    for (context, objective) in CONTEXTS
        .into_iter()
        .flat_map(|context| [Objective::DotProduct, Objective::CrossEntropy].map(|o| (context, o)))
    {
        let task = Task::new(3, 2).unwrap().with(context).unwrap();
        let shape = Shape::new(task, 3, 0.0).unwrap();
        for (m, level) in levels(&shape, objective).into_iter().enumerate() {
            let learned = |size: f64, h: usize| if h < m { size } else { 0.0 };
            let beta: Vec<f64> = (0..3).map(|h| learned(6.0, h)).collect();
            let w: Vec<f64> =
                (0..9).map(|i| if i % 3 == i / 3 { learned(40.0, i / 3) } else { 0.0 }).collect();
            let theta = shape.given_start(&beta, Some(&w)).unwrap();
            let landscape = Corpus::fresh(shape, objective, 16).unwrap();
            let mut mean = Mean::default();
            for step in 0..300 {
                mean.add(testing::evaluate(&landscape, &theta, Draw { seed: 2, step }).0);
            }
            let (mean, error) = (mean.mean(), mean.error());
            assert!(
                (mean - level).abs() <= 4.5 * error + 1e-12,
                "{context:?} {m}: {mean} {level} {error}"
            );
            assert!(error < 0.02);
        }
        let theta = weights(&shape, 0.7);
        let landscape = Corpus::fresh(shape, objective, 3).unwrap();
        let (_, gradient) = evaluate(&landscape, &theta);
        let slopes = gradient.into_iter().enumerate();
        let loss = |theta: &[f64]| evaluate(&landscape, theta).0;
        assert_slopes(slopes, (&theta, 1e-4), loss, 1e-9, (context, objective));
    }
}

#[test]
fn the_simplified_model_does_not_see_the_order_of_words() {
    let task = Task::new(3, 2).unwrap();
    let shuffled = Shape::new(task.with(Context::Shuffled).unwrap(), 2, 0.5).unwrap();
    let theta = weights(&shuffled, 0.8);
    let exact = evaluate(&Corpus::exact(shuffled, Objective::DotProduct).unwrap(), &theta).0;
    let mut mean = Mean::default();
    let landscape = Corpus::fresh(shuffled, Objective::DotProduct, 8).unwrap();
    for step in 0..400 {
        mean.add(testing::evaluate(&landscape, &theta, Draw { seed: 1, step }).0);
    }
    assert!((mean.mean() - exact).abs() < 4.0 * mean.error(), "{} {exact}", mean.mean());
    let some = Shape::new(task.with(Context::Incomplete(4)).unwrap(), 2, 0.5).unwrap();
    let error = Corpus::exact(some, Objective::DotProduct).unwrap_err().to_string();
    assert!(error.contains("context is incomplete") && error.contains("draw sequences"), "{error}");
}
