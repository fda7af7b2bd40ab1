use std::sync::Arc;

use saddlescope_spec::testing::{self, assert_close, assert_slopes, same_on_threads};

use super::*;
use crate::matrices::SequenceModel as _;
use crate::plain::{self, chain, random};

fn data(minimal: &Minimal, count: usize) -> Arc<[u16]> {
    minimal.chain.data_set(count, (1, 1)).into()
}

fn corpus<S: Number>(minimal: &Minimal, seen: BatchSource) -> Sequences<S> {
    Corpus::new(minimal.clone(), seen).unwrap()
}

fn over_all<S: Number>(minimal: &Minimal, data: &Arc<[u16]>, theta: &[S]) -> (f64, Vec<S>) {
    evaluate(&corpus(minimal, BatchSource::All(Arc::clone(data))), theta, 0)
}

fn evaluate<S: Number>(landscape: &Sequences<S>, theta: &[S], step: u64) -> (f64, Vec<S>) {
    testing::evaluate(landscape, theta, Draw { seed: 5, step })
}

fn models() -> Vec<Minimal> {
    let of = |(d, w, length), heads| Minimal::new(chain(d, w, length), heads).unwrap();
    vec![
        of((2, 1, 2), 1),
        of((5, 2, 4), 3),
        of((4, 3, 11), 2).window(4).unwrap(),
        of((18, 2, 3), 1),
        of((3, 2, 3), 2).layers(2).unwrap(),
        of((4, 3, 6), 1).layers(2).unwrap().window(2).unwrap(),
        of((18, 1, 2), 1).layers(2).unwrap(),
    ]
}

/// Differences of the definition, block by block.
#[test]
fn gradients_are_slopes_of_the_definition() {
    for minimal in models() {
        let (theta, data) = (random(&minimal, 1.0), data(&minimal, 2));
        let (loss, gradient) = over_all(&minimal, &data, &theta);
        let plain = |theta: &[f64]| {
            let sequences = data.chunks_exact(minimal.chain.tokens());
            sequences.map(|sequence| plain::read(&minimal, theta, sequence).loss).sum::<f64>() / 2.0
        };
        assert!((loss - plain(&theta)).abs() < 1e-12, "{loss} {}", plain(&theta));
        let slopes = gradient.iter().copied().enumerate();
        assert_slopes(slopes, (&theta, 1e-3), plain, 1e-9, &minimal);
        for block in &minimal.blocks {
            // One column alone has nothing to choose from.
            let largest =
                gradient[block.range()].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            assert!(largest > 1e-4 || minimal.columns() == 1, "{} {largest}", block.name);
        }
    }
}

#[test]
fn single_precision_is_double_precision_rounded() {
    for minimal in models() {
        let (theta, data) = (random(&minimal, 1.0), data(&minimal, 600));
        let single: Vec<f32> = theta.iter().map(|x| *x as f32).collect();
        let (loss, gradient) = over_all(&minimal, &data, &theta);
        let (near, rounded) = over_all(&minimal, &data, &single);
        assert!((loss - near).abs() < 1e-6, "{loss} {near}");
        let size = gradient.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let rounded: Vec<f64> = rounded.into_iter().map(f64::from).collect();
        assert_close(&rounded, &gradient, 1e-5 * size, &minimal);
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    for minimal in models() {
        let theta: Vec<f32> = random(&minimal, 1.0).iter().map(|x| *x as f32).collect();
        let data = data(&minimal, 2 * CHUNK + 7);
        let seen =
            [BatchSource::All(data.clone()), BatchSource::Some(data, 300), BatchSource::Fresh(301)];
        let all = || seen.clone().map(|seen| evaluate(&corpus::<f32>(&minimal, seen), &theta, 1));
        same_on_threads(all, &minimal);
    }
}

#[test]
fn an_epoch_sees_every_sequence_once() {
    let minimal = Minimal::new(chain(3, 1, 2), 1).unwrap();
    let (data, theta) = (data(&minimal, 103), random(&minimal, 1.0));
    let seen = BatchSource::Some(data.clone(), 20);
    let landscape = corpus::<f64>(&minimal, seen.clone());
    let members = |step: u64| -> Vec<usize> {
        let batch = seen.batch(&minimal.chain, Draw { seed: 5, step });
        (0..batch.len()).map(|index| batch.member(index)).collect()
    };
    let epoch = |epoch: u64| (0..6).map(|step| members(6 * epoch + step)).collect::<Vec<_>>();
    let sizes: Vec<usize> = epoch(0).iter().map(Vec::len).collect();
    assert_eq!(sizes, [20, 20, 20, 20, 20, 3]);
    let mut all = epoch(1).concat();
    assert_ne!(epoch(0).concat(), all);
    all.sort_unstable();
    assert_eq!(all, (0..103).collect::<Vec<_>>());
    // The mean over a batch, the small last one included, is that over its members.
    for step in [2, 5] {
        let tokens = minimal.chain.tokens();
        let own =
            members(step).into_iter().flat_map(|member| data[member * tokens..][..tokens].to_vec());
        let (wanted, slopes) = over_all(&minimal, &own.collect(), &theta);
        let (loss, gradient) = evaluate(&landscape, &theta, step);
        assert!((loss - wanted).abs() < 1e-14, "{loss} {wanted}");
        assert_close(&gradient, &slopes, 1e-14, step);
    }
}

#[test]
fn fresh_batches_are_those_of_the_chain() {
    let minimal = Minimal::new(chain(3, 1, 2), 2).unwrap();
    let theta = random(&minimal, 1.0);
    let (count, step) = (260, 3);
    let mut sequences = vec![0; count * 3];
    for (index, sequence) in sequences.chunks_exact_mut(3).enumerate() {
        let mut stream = Draw { seed: 5, step }.stream(Purpose::Batch, index as u64);
        minimal.chain.draw(&mut stream, &mut minimal.chain.draw_work(), sequence);
    }
    let fresh = corpus::<f64>(&minimal, BatchSource::Fresh(count));
    assert_eq!(evaluate(&fresh, &theta, step), over_all(&minimal, &sequences.into(), &theta));
    assert_ne!(evaluate(&fresh, &theta, step), evaluate(&fresh, &theta, step + 1));
}

#[test]
fn wrong_data_are_named() {
    let minimal = Minimal::new(chain(3, 1, 2), 1).unwrap();
    let length = "expected a multiple of 3 (w + T), and at least that";
    let all = |data: Vec<u16>| BatchSource::All(data.into());
    let some = |batch| BatchSource::Some(vec![0; 6].into(), batch);
    for (seen, words) in [
        (all(vec![0; 4]), format!("data set has 4 entries, {length}")),
        (all(Vec::new()), format!("data set has 0 entries, {length}")),
        (
            all(vec![0, 1, 2, 2, 3, 0]),
            "data set[4] is 3, expected a token below 3 (the vocabulary)".into(),
        ),
        (some(3), "batch is 3, expected at most the 2 sequences of the data set".into()),
        (some(0), "batch is 0, expected at least 1".into()),
    ] {
        assert_eq!(Corpus::<f32>::new(minimal.clone(), seen).unwrap_err().to_string(), words);
    }
}
