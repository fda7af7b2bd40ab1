use std::sync::Arc;

use saddlescope_spec::testing::same_on_threads;
use saddlescope_transformer::{Architecture, Scales, Start};

use super::*;
use crate::readings::evaluation::{Evaluation, Reference, Want};
use crate::task::chain::{TEST, TRAINING};
use crate::{Chain, Exact, Fit, Full, Group, Minimal};

fn chain() -> Arc<Chain> {
    let features = Chain::orthogonal_features(4, &[4.0, 2.5], 6);
    let groups = vec![Group::even(&[1]), Group::even(&[2])];
    Arc::new(Chain::new(groups, features, (6, None)).unwrap())
}

fn schooling<M: SequenceModel>(
    seen: BatchSource,
    start: M::Init,
    (rate, steps, seed): (f64, u64, u64),
) -> Schooling<M> {
    let schedule = ScheduleKind::Cosine { floor: 0.0 };
    Schooling { seen, steps: Steps { schedule, ..super::steps(rate, steps) }, start, seed }
}

fn restricted(seen: BatchSource, steps: u64, seed: u64) -> Restricted<Minimal> {
    let minimal = Minimal::new(chain(), 2).unwrap();
    Restricted::new(&minimal, &[1, 2], schooling(seen, 0.1, (0.02, steps, seed))).unwrap()
}

/// With one token to see it is the mean law after it that training comes to, with two the law itself: exact means.
fn comes_to_the_best_that_a_window_allows<M: SequenceModel>(model: Restricted<M>) {
    let (chain, restricted) = (chain(), Arc::new(model));
    let exact = Exact::new(&chain).unwrap();
    let least = exact.excess(&exact.best_from(&[1]));
    let data = chain.data_set(4000, (1, TEST));
    let evaluation = Evaluation::new(chain, data, Fit::default()).unwrap();
    let evaluation = evaluation.with_restricted(Arc::clone(&restricted) as Arc<dyn Windowed>);
    let references = [Reference::Truth, Reference::Best(1), Reference::Window(1)];
    let want = Want { references: &references, ..Want::default() };
    let measured = |window: usize| {
        let model = restricted.predictions(window).unwrap();
        evaluation.evaluate(&*model, &want).unwrap().references
    };
    let [excess, from_best, itself] = measured(1)[..] else { panic!("three were wanted") };
    let bound = 4.0 * excess.error + 0.003;
    assert!((excess.mean - least).abs() < bound, "{excess:?} {least}");
    assert!(from_best.mean < 0.003 && itself.mean.abs() < 1e-6, "{from_best:?} {itself:?}");
    let [excess, from_best, from_window] = measured(2)[..] else { panic!("three were wanted") };
    assert!(excess.mean < 0.01 && least > 0.1, "{excess:?} {least}");
    let bound = 0.1 * from_best.mean;
    assert!((from_best.mean - from_window.mean).abs() < bound, "{from_best:?} {from_window:?}");
}

#[test]
fn training_comes_to_the_best_that_a_window_allows() {
    comes_to_the_best_that_a_window_allows(restricted(BatchSource::Fresh(200), 1500, 1));
    let of = Architecture { width: 12, ..Architecture::small(1, 1) };
    let start = (Start::Layers, Scales::default());
    let schooling = schooling(BatchSource::Fresh(60), start, (0.01, 400, 0));
    let full = Full::new(chain(), of).unwrap();
    comes_to_the_best_that_a_window_allows(Restricted::new(&full, &[1, 2], schooling).unwrap());
}

#[test]
fn tokens_beyond_the_window_change_nothing() {
    let restricted = restricted(BatchSource::Fresh(200), 20, 1);
    for window in [1, 2] {
        let (minimal, trained) = restricted.window(window).unwrap();
        assert!(trained.iter().any(|entry| entry.abs() > 0.2));
        let mut reader = minimal.reader::<f64>();
        reader.load(trained);
        let mut predict = |sequence: &[u16]| {
            reader.read(sequence);
            reader.log_probabilities(5)[..4].to_vec()
        };
        // The last query is column 6; what follows it is not read.
        let sequence = [0, 1, 2, 3, 0, 1, 2, 3];
        let before = predict(&sequence);
        for column in 0..8 {
            let mut other = sequence;
            other[column] = (other[column] + 1) % 4;
            let seen = column <= 6 && column + window > 6;
            assert_eq!(predict(&other) != before, seen, "window {window}, column {column}");
        }
    }
}

#[test]
fn models_are_trained_once_and_by_their_seed() {
    let data: Arc<[u16]> = chain().data_set(300, (1, TRAINING)).into();
    let train = |seen: BatchSource, seed| {
        let restricted = restricted(seen, 5, seed);
        assert!(restricted.models.iter().all(|(_, _, cell)| cell.get().is_none()));
        let (_, first) = restricted.window(2).unwrap();
        assert!(std::ptr::eq(first, restricted.window(2).unwrap().1));
        assert!(restricted.models[0].2.get().is_none());
        first.to_vec()
    };
    let on_data = || BatchSource::Some(data.clone(), 200);
    let trained = same_on_threads(|| train(on_data(), 1), "training");
    assert_ne!(trained, train(on_data(), 2));
    assert_ne!(trained, train(BatchSource::Fresh(200), 1));
}

#[test]
fn unknown_windows_are_named() {
    let restricted = restricted(BatchSource::Fresh(200), 1, 0);
    let error = restricted.window(3).unwrap_err().to_string();
    assert_eq!(error, "window is 3, expected one of 1, 2");
    let minimal = Minimal::new(chain(), 2).unwrap();
    let schooling = |rate| schooling(BatchSource::Fresh(200), 0.1, (rate, 1, 0));
    let zero = Restricted::new(&minimal, &[0], schooling(0.02)).unwrap_err();
    assert_eq!(zero.to_string(), "window is 0, expected at least 1");
    let rate = Restricted::new(&minimal, &[1], schooling(-1.0)).unwrap_err().to_string();
    assert!(rate.starts_with("rule of restricted models is "), "{rate}");
    let chain = chain();
    let data = chain.data_set(1, (0, TEST));
    let evaluation = Evaluation::new(chain.clone(), data, Fit::default()).unwrap();
    let want = Want { references: &[Reference::Window(2)], ..Want::default() };
    let error = evaluation.evaluate(&chain.law, &want).unwrap_err().to_string();
    assert!(error.starts_with("window of a reference is 2, expected none"), "{error}");
}
