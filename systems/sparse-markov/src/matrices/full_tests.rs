use saddlescope_spec::testing::evaluate;
use saddlescope_transformer::{Scales, Start};

use super::*;
use crate::Group;
use crate::readings::evaluation::{Evaluation, Model, Predictions as _, Want};
use crate::task::chain::{TEST, TRAINING};
use crate::theory::fitted::Fit;

const SEQUENCES: usize = 75;

fn chain() -> Arc<Chain> {
    let features = Chain::orthogonal_features(5, &[4.0, 2.5], 6);
    let groups = vec![Group::even(&[1, 2]), Group::even(&[4])];
    Arc::new(Chain::new(groups, features, (6, None)).unwrap())
}

fn full(blocks: usize, dropout: f64) -> Full {
    let of = Architecture { width: 12, heads: 3, blocks, dropout, ..Architecture::small(1, 1) };
    Full::new(chain(), of).unwrap()
}

fn data(stream: u64) -> Arc<[u16]> {
    chain().data_set(SEQUENCES, (3, stream)).into()
}

fn theta(full: &Full) -> Vec<f64> {
    full.model.start(Start::Layers, &Scales::default(), 7)
}

/// Every batch has the sequences that the minimal model sees at that step, and windows lie in them where they should.
#[test]
fn batches_are_those_of_the_minimal_model() {
    let (data, full) = (data(TRAINING), full(1, 0.0));
    let seen = BatchSource::Some(Arc::clone(&data), 20);
    let pieces = |full: Full| Pieces { full, seen: seen.clone() };
    let (whole, windows) = (pieces(full.clone()), pieces(full.window(3).unwrap()));
    let (tokens, length, order) = (full.chain.tokens(), full.chain.length, full.chain.order);
    for step in 0..9 {
        let draw = Draw { seed: 5, step };
        let batch = seen.batch(&full.chain, draw);
        let members: Vec<usize> = (0..batch.len()).map(|index| batch.member(index)).collect();
        assert_eq!(whole.count(draw), members.len());
        assert_eq!(windows.count(draw), members.len() * length);
        let wanted =
            |from: usize, count: usize| data[from..from + count].iter().map(|&t| u32::from(t));
        let mut found = vec![0; (members.len() - 1) * tokens];
        whole.fill(draw, 1..members.len(), &mut found);
        for (found, &member) in found.chunks_exact(tokens).zip(&members[1..]) {
            assert!(found.iter().copied().eq(wanted(member * tokens, tokens)));
        }
        // A range that begins and ends within sequences.
        let range = 4..2 * length + 3;
        let mut found = vec![0; range.len() * 4];
        windows.fill(draw, range.clone(), &mut found);
        for (index, found) in range.zip(found.chunks_exact(4)) {
            let target = members[index / length] * tokens + order + index % length;
            assert!(found.iter().copied().eq(wanted(target - 3, 4)), "window {index}");
        }
    }
}

#[test]
fn fresh_batches_are_those_of_the_minimal_model() {
    let full = full(1, 0.0);
    let size = full.chain.tokens();
    let pieces = Pieces { full, seen: BatchSource::Fresh(9) };
    let draw = Draw { seed: 2, step: 4 };
    let filled = |draw: Draw, range: Range<usize>| {
        let mut tokens = vec![0; range.len() * size];
        pieces.fill(draw, range, &mut tokens);
        tokens
    };
    let all = filled(draw, 0..9);
    assert_eq!(all[3 * size..5 * size], filled(draw, 3..5));
    assert_ne!(all, filled(Draw { step: 5, ..draw }, 0..9));
}

/// The loss that training descends is the cross entropy that the evaluation measures, place by place.
#[test]
fn training_and_evaluation_agree() {
    let data = data(TEST);
    for window in [None, Some(1), Some(3)] {
        let whole = full(2, 0.0);
        let full = window.map_or(whole.clone(), |window| whole.window(window).unwrap());
        let theta = theta(&full);
        let landscape = full.landscape::<f64>(BatchSource::All(Arc::clone(&data))).unwrap();
        let (loss, _) = evaluate(&landscape, &theta, Draw::default());
        let evaluation = Evaluation::new(chain(), data.to_vec(), Fit::default()).unwrap();
        let want = Want { cross_entropy: true, ..Want::default() };
        let model = Model::new(&full, &theta).unwrap();
        let found = evaluation.evaluate(&model, &want).unwrap();
        let measured = found.cross_entropy.unwrap().mean;
        assert!((loss - measured).abs() < 1e-5, "{window:?}: {loss} {measured}");
        let mean = found.places.iter().sum::<f64>() / found.places.len() as f64;
        assert!((loss - mean).abs() < 1e-5 && found.places.len() == 6, "{:?}", found.places);
        // Far from even, so that a shift by one place would be seen.
        assert!((loss - 5.0_f64.ln()).abs() > 0.01);
    }
}

#[test]
fn reading_many_at_a_time_changes_nothing() {
    let (chain, data) = (chain(), data(TEST));
    for window in [None, Some(2)] {
        let whole = full(2, 0.1);
        let full = window.map_or(whole.clone(), |window| whole.window(window).unwrap());
        let theta = theta(&full);
        let model = Model::new(&full, &theta).unwrap();
        let mut order = 0..SEQUENCES;
        model.read(&chain, &data, &mut |index, together| {
            assert_eq!(order.next(), Some(index));
            let one = &data[index * chain.tokens()..][..chain.tokens()];
            model.read(&chain, one, &mut |_, alone| {
                for t in 0..chain.length {
                    let (alone, together) =
                        (alone.log_probabilities(t), together.log_probabilities(t));
                    assert!(together.iter().zip(alone).all(|(a, b)| (a - b).abs() < 1e-5));
                    let total: f32 = alone.iter().map(|log| log.exp()).sum();
                    assert!((total - 1.0).abs() < 1e-5);
                }
            });
        });
        assert!(order.is_empty());
    }
}

/// In every layer, query `t` sees the columns up to its own, `w - 1 + t`.
#[test]
fn attention_is_that_of_the_queries() {
    let (chain, data, full) = (chain(), data(TEST), full(2, 0.0));
    let theta = theta(&full);
    let model = Model::new(&full, &theta).unwrap();
    assert_eq!(model.heads(), (2, 3));
    model.read(&chain, &data, &mut |_, seen| {
        for (layer, head, t) in [(0, 0, 0), (0, 2, 3), (1, 0, 0), (1, 1, 5)] {
            let shares = seen.attention(layer, head, t);
            let (seen, unseen) = shares.split_at(chain.order + t);
            assert!((seen.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(seen.iter().all(|&share| share > 0.0) && unseen.iter().all(|s| *s == 0.0));
            assert_eq!(shares.len(), chain.tokens() - 1);
        }
    });
}

#[test]
fn tokens_beyond_the_window_change_nothing() {
    let full = full(1, 0.0).window(2).unwrap();
    let theta = theta(&full);
    let model = Model::new(&full, &theta).unwrap();
    let both = [[0, 1, 2, 3, 4, 0, 1, 2, 3, 4], [0, 1, 2, 3, 0, 0, 1, 2, 3, 4]].concat();
    let mut logs = Vec::new();
    model.read(&full.chain, &both, &mut |_, seen| {
        logs.push((0..6).map(|t| seen.log_probabilities(t).to_vec()).collect::<Vec<_>>());
    });
    // The fifth token is seen by the two queries that ask for the next ones, t = 1 and 2.
    for t in 0..6 {
        assert_eq!(logs[0][t] == logs[1][t], t != 1 && t != 2, "{t}");
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let wide = full(1, 0.0).window(5).unwrap_err().to_string();
    assert!(wide.contains("at most 4") && wide.contains("window"), "{wide}");
    let none = full(1, 0.0).window(0).unwrap_err().to_string();
    assert!(none.contains("window"), "{none}");
    let short = Model::new(&full(1, 0.0), &[0.0; 3]).unwrap_err().to_string();
    assert!(short.contains('3'), "{short}");
}
