use std::sync::Arc;

use saddlescope::Landscape;
use saddlescope_spec::measure::{apart, differences};

use super::*;
use crate::matrices::minimal::plain::{self, chain, random};
use crate::{Chain, Exact, Group};

fn data(minimal: &Minimal, count: usize) -> Arc<[u16]> {
    minimal.chain.data_set(count, (1, 1)).into()
}

fn evaluate<S: Number>(landscape: &Sequences<S>, theta: &[S], step: u64) -> (f64, Vec<S>) {
    let mut gradient = vec![S::ZERO; theta.len()];
    let draw = Draw { seed: 5, step };
    let loss = landscape.evaluate(theta, draw, &mut landscape.work(), &mut gradient).unwrap();
    (loss, gradient)
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
        let (loss, gradient) =
            evaluate(&Corpus::<f64>::all(minimal.clone(), data.clone()).unwrap(), &theta, 0);
        let plain = |theta: &[f64]| {
            let sequences = data.chunks_exact(minimal.chain.tokens());
            sequences.map(|sequence| plain::read(&minimal, theta, sequence).loss).sum::<f64>() / 2.0
        };
        assert!((loss - plain(&theta)).abs() < 1e-12, "{loss} {}", plain(&theta));
        let slopes = differences(plain, &theta, 1e-3);
        for block in &minimal.blocks {
            let (slopes, gradient) = (&slopes[block.range()], &gradient[block.range()]);
            let off = apart(slopes, gradient);
            assert!(off < 1e-9, "{}: {off}", block.name);
            // One column alone has nothing to choose from.
            let largest = slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
            assert!(largest > 1e-4 || minimal.columns() == 1, "{} {largest}", block.name);
        }
    }
}

#[test]
fn single_precision_is_double_precision_rounded() {
    for minimal in models() {
        let (theta, data) = (random(&minimal, 1.0), data(&minimal, 600));
        let single: Vec<f32> = theta.iter().map(|x| *x as f32).collect();
        let (loss, gradient) =
            evaluate(&Corpus::<f64>::all(minimal.clone(), data.clone()).unwrap(), &theta, 0);
        let (near, rounded) =
            evaluate(&Corpus::<f32>::all(minimal.clone(), data).unwrap(), &single, 0);
        assert!((loss - near).abs() < 1e-6, "{loss} {near}");
        let size = gradient.iter().map(|x| x.abs()).fold(0.0, f64::max);
        for (a, b) in gradient.iter().zip(&rounded) {
            assert!((a - f64::from(*b)).abs() < 1e-5 * size, "{minimal:?}: {a} {b}");
        }
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    for minimal in models() {
        let theta: Vec<f32> = random(&minimal, 1.0).iter().map(|x| *x as f32).collect();
        let data = data(&minimal, 2 * CHUNK + 7);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let bits = |(loss, gradient): (f64, Vec<f32>)| {
                (loss.to_bits(), gradient.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
            };
            pool.install(|| {
                let all = Corpus::<f32>::all(minimal.clone(), data.clone()).unwrap();
                let some = Corpus::<f32>::batches(minimal.clone(), data.clone(), 300).unwrap();
                let fresh = Corpus::<f32>::fresh(minimal.clone(), 301).unwrap();
                [&all, &some, &fresh].map(|landscape| bits(evaluate(landscape, &theta, 1)))
            })
        };
        let one = on(1);
        assert_eq!(on(2), one);
        assert_eq!(on(3), one);
    }
}

/// Every sequence of a tiny chain, weighed by its probability, against entropy and excess context by context.
#[test]
fn the_mean_over_all_sequences_is_entropy_and_excess() {
    for w in [1, 2] {
        let features = Chain::orthogonal_features(2, &[1.3], 4);
        let lags: Vec<usize> = (1..=w).collect();
        let chain = Arc::new(Chain::new(vec![Group::even(&lags)], features, (2, None)).unwrap());
        let minimal = Minimal::new(chain.clone(), 2).unwrap().window(w).unwrap();
        let theta = random(&minimal, 1.0);
        let exact = Exact::new(&chain).unwrap();
        let mut reader = minimal.reader::<f64>();
        reader.load(&theta);
        // p*(next | context), straight from Eq. (1).
        let law = |context: &[u16]| {
            let logit = |next: usize| {
                let column = |&token: &u16| chain.features[0][next * 2 + usize::from(token)];
                context.iter().map(column).sum::<f64>() / w as f64
            };
            let [a, b] = [logit(0).exp(), logit(1).exp()];
            [a / (a + b), b / (a + b)]
        };
        let (tokens, mut loss, mut excess, mut total) = (w + 2, 0.0, 0.0, 0.0);
        for code in 0..1_u16 << tokens {
            let sequence: Vec<u16> = (0..tokens).map(|place| code >> place & 1).collect();
            let mut probability = 0.5_f64.powi(w as i32);
            for t in 0..2 {
                probability *= law(&sequence[t..t + w])[usize::from(sequence[t + w])];
            }
            let corpus = Corpus::<f64>::all(minimal.clone(), sequence.clone().into()).unwrap();
            loss += probability * evaluate(&corpus, &theta, 0).0;
            reader.read(&sequence);
            for t in 0..2 {
                let divergence = |(p, log): (f64, &f64)| p * (p.ln() - log);
                let logs = reader.log_probabilities(t).iter();
                let law = law(&sequence[t..t + w]);
                excess +=
                    0.5 * probability * law.into_iter().zip(logs).map(divergence).sum::<f64>();
            }
            total += probability;
        }
        assert!((total - 1.0).abs() < 1e-14, "{total}");
        let wanted = exact.entropy() + excess;
        assert!((loss - wanted).abs() < 1e-13, "{loss} {wanted}");
        assert!(excess > 1e-3, "{excess}");
    }
}

#[test]
fn an_epoch_sees_every_sequence_once() {
    let minimal = Minimal::new(chain(3, 1, 2), 1).unwrap();
    let (data, theta) = (data(&minimal, 103), random(&minimal, 1.0));
    let landscape = Corpus::<f64>::batches(minimal.clone(), data.clone(), 20).unwrap();
    let epoch = |epoch: u64| -> Vec<Vec<usize>> {
        (0..6).map(|step| landscape.0.members(Draw { seed: 5, step: 6 * epoch + step })).collect()
    };
    let sizes: Vec<usize> = epoch(0).iter().map(Vec::len).collect();
    assert_eq!(sizes, [20, 20, 20, 20, 20, 3]);
    let mut seen = epoch(1).concat();
    assert_ne!(epoch(0).concat(), seen);
    seen.sort_unstable();
    assert_eq!(seen, (0..103).collect::<Vec<_>>());
    // The mean over a batch, the small last one included, is that over its members.
    for step in [2, 5] {
        let tokens = minimal.chain.tokens();
        let members = landscape.0.members(Draw { seed: 5, step });
        let own: Vec<u16> =
            members.iter().flat_map(|m| data[m * tokens..][..tokens].iter().copied()).collect();
        let (wanted, slopes) =
            evaluate(&Corpus::<f64>::all(minimal.clone(), own.into()).unwrap(), &theta, 0);
        let (loss, gradient) = evaluate(&landscape, &theta, step);
        assert!((loss - wanted).abs() < 1e-14, "{loss} {wanted}");
        for (a, b) in gradient.iter().zip(&slopes) {
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
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
    let all = Corpus::<f64>::all(minimal.clone(), sequences.into()).unwrap();
    let fresh = Corpus::<f64>::fresh(minimal, count).unwrap();
    assert_eq!(evaluate(&fresh, &theta, step), evaluate(&all, &theta, 0));
    assert_ne!(evaluate(&fresh, &theta, step), evaluate(&fresh, &theta, step + 1));
}

#[test]
fn wrong_data_are_named() {
    let minimal = Minimal::new(chain(3, 1, 2), 1).unwrap();
    let all = |data: Vec<u16>| {
        Corpus::<f32>::all(minimal.clone(), data.into()).map(drop).unwrap_err().to_string()
    };
    let length = "expected a multiple of 3 (w + T), and at least that";
    assert_eq!(all(vec![0; 4]), format!("data set has 4 entries, {length}"));
    assert_eq!(all(Vec::new()), format!("data set has 0 entries, {length}"));
    let token = "data set[4] is 3, expected a token below 3 (the vocabulary)";
    assert_eq!(all(vec![0, 1, 2, 2, 3, 0]), token);
    let batches = |batch| Corpus::<f32>::batches(minimal.clone(), vec![0; 6].into(), batch);
    let large = batches(3).map(drop).unwrap_err().to_string();
    assert_eq!(large, "batch is 3, expected at most the 2 sequences of the data set");
    let none = batches(0).map(drop).unwrap_err().to_string();
    assert_eq!(none, "batch is 0, expected at least 1");
}
