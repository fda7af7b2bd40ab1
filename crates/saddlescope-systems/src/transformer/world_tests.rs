use saddlescope::settings::Input as Given;
use saddlescope::{Draw, Landscape};

use super::super::watch::Watch;
use super::super::{Fixed, Reader};
use super::*;
use crate::measure;

fn number(value: i64) -> Given {
    Given::Integer(value)
}

fn word(value: &str) -> Given {
    Given::Text(value.to_owned())
}

fn reading(system: &[(&str, Given)], start: &[(&str, Given)]) -> Result<Reading, String> {
    let resolved = |section: &saddlescope::settings::Section, values: &[(&str, Given)]| {
        section.resolve_program(values).map_err(|errors| format!("{errors:?}"))
    };
    let (system, start) = (resolved(&SCHEMA.system, system)?, resolved(&SCHEMA.start, start)?);
    Reading::new(&system, &start, 3).map_err(|error| error.to_string())
}

/// A model small enough for its whole Hessian.
fn tiny(more: &[(&str, Given)]) -> Reading {
    let mut settings = vec![
        ("vocabulary", number(5)),
        ("length", number(6)),
        ("batch", number(4)),
        ("valid_sequences", number(7)),
        ("width", number(4)),
        ("heads", number(2)),
        ("blocks", number(2)),
        ("feedforward", number(3)),
        ("dropout", Given::Number(0.3)),
        ("precision", word("double")),
    ];
    settings.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    settings.extend_from_slice(more);
    reading(&settings, &[("kind", word("normal")), ("scale", Given::Number(0.5))]).unwrap()
}

fn value(world: &Reading, name: &str, state: &[f64]) -> Vec<f64> {
    let all = world.observables();
    let one = all.iter().find(|observable| observable.name == name).unwrap();
    let moment =
        saddlescope::record::Moment { time: 0.0, step: 0, loss: 0.0, state, gradient: &[] };
    let mut value = vec![0.0; one.width()];
    one.compute(&moment, &mut value);
    value
}

/// The validation sequences of `world` in a loss of their own, without dropout.
fn valid_loss(world: &Reading, skip: usize, count: usize) -> Training<f64> {
    let watch: &Watch = &world.watch;
    let texts = Text::shipped_valid();
    let vocabulary = Vocabulary::new(&Text::shipped_train(), Tokenisation::Words, Some(5));
    let mut tokens = spread(&vocabulary.encode(&texts), "valid", 6, 7).unwrap();
    tokens.truncate(count * 7);
    let model = Transformer::new(watch.model().architecture().clone()).unwrap();
    Training::new(model, Form { length: 6, skip }, Arc::new(Fixed::new(tokens, 7))).unwrap()
}

#[test]
fn the_validation_loss_is_that_of_training_on_the_same_sequences() {
    for skip in [0, 4] {
        let world = tiny(&[("skip", number(skip))]);
        let loss = valid_loss(&world, skip as usize, 7);
        let (expected, _) = measure::evaluated(&loss, &world.start).unwrap();
        let found = value(&world, "valid", &world.start)[0];
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        let positions = value(&world, "positions", &world.start);
        let mean = positions[skip as usize..].iter().sum::<f64>() / (6 - skip) as f64;
        assert!((mean - expected).abs() < 1e-12);
    }
}

#[test]
fn maps_are_what_the_reader_sees_and_lags_their_means() {
    let world = tiny(&[("maps", number(7))]);
    let texts = Text::shipped_valid();
    let vocabulary = Vocabulary::new(&Text::shipped_train(), Tokenisation::Words, Some(5));
    let tokens = spread(&vocabulary.encode(&texts), "valid", 6, 7).unwrap();
    let model = world.watch.model();
    let mut lags = [0.0; 6];
    for (sequence, tokens) in tokens.chunks_exact(7).enumerate() {
        let mut reader: Reader<'_, f64> =
            Reader::new(model, &world.start, Form::all(6), 1).unwrap();
        reader.read(tokens).unwrap();
        let map = value(&world, &format!("map.{sequence}.1.0"), &world.start);
        for query in 0..6 {
            let seen = reader.attention((1, 0), (0, query));
            assert_eq!(map[6 * query..=7 * query], seen[..=query]);
            assert!((map[6 * query..6 * (query + 1)].iter().sum::<f64>() - 1.0).abs() < 1e-12);
            (0..=query).for_each(|lag| lags[lag] += map[6 * query + query - lag]);
        }
    }
    let found = value(&world, "lags.1.0", &world.start);
    for (lag, sum) in lags.into_iter().enumerate() {
        assert!((found[lag] - sum / (7 * (6 - lag)) as f64).abs() < 1e-12);
    }
}

#[test]
fn the_sharpness_is_the_largest_eigenvalue_of_the_hessian() {
    let world = tiny(&[("blocks", number(1)), ("valid_sequences", number(3))]);
    let texts = Text::shipped_valid();
    let vocabulary = Vocabulary::new(&Text::shipped_train(), Tokenisation::Words, Some(5));
    let tokens = spread(&vocabulary.encode(&texts), "valid", 6, 3).unwrap();
    let model = Transformer::new(world.watch.model().architecture().clone()).unwrap();
    let loss: Training<f64> =
        Training::new(model, Form::all(6), Arc::new(Fixed::new(tokens, 7))).unwrap();
    let curvatures = measure::curvatures(&loss, &world.start).unwrap();
    let largest = curvatures.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let found = value(&world, "sharpness", &world.start)[0];
    assert!((found - largest).abs() < 1e-3 * largest, "{found} {largest}");
}

#[test]
fn norms_are_those_of_the_matrices_together() {
    let world = tiny(&[("encoding", word("alibi")), ("dropout", number(0))]);
    let names =
        ["blocks.0.attn.W_K", "blocks.0.attn.W_Q", "blocks.1.attn.W_K", "blocks.1.attn.W_Q"];
    let squares = names.map(|name| value(&world, &format!("norm.{name}"), &world.start)[0].powi(2));
    let whole = squares.iter().sum::<f64>();
    assert!((value(&world, "norm.KQ", &world.start)[0].powi(2) - whole).abs() < 1e-12);
    let twice: Vec<f64> = world.start.iter().map(|entry| 2.0 * entry).collect();
    assert!((value(&world, "growth.KQ", &twice)[0] - 3.0 * whole).abs() < 1e-12);
    assert!((value(&world, "norm.p", &world.start)[0] - 0.02).abs() < 1e-15, "four slopes of 0.01");
}

#[test]
fn steps_lower_the_loss_of_the_text() {
    let world = tiny(&[("dropout", number(0)), ("batch", number(64))]);
    let Loss::Double(loss) = &world.loss else { panic!("double precision was asked for") };
    let (mut state, mut work) = (world.start.clone(), loss.work());
    let mut gradient = vec![0.0; state.len()];
    let before = value(&world, "valid", &state)[0];
    for step in 0..60 {
        loss.evaluate(&state, Draw { seed: 1, step }, &mut work, &mut gradient).unwrap();
        state.iter_mut().zip(&gradient).for_each(|(entry, slope)| *entry -= 0.5 * slope);
    }
    let after = value(&world, "valid", &state)[0];
    assert!(after < before - 0.3, "{before} {after}");
}

#[test]
fn a_start_has_the_ranges_that_it_names() {
    let factors = Given::Table(vec![(
        saddlescope::settings::Key {
            name: "blocks.*.attn.W_Q".into(),
            origin: saddlescope::settings::Origin::Program,
        },
        saddlescope::settings::Given {
            value: Given::Number(0.5),
            origin: saddlescope::settings::Origin::Program,
        },
    )]);
    let start = [("kind", word("layers")), ("tables", Given::Number(0.1)), ("factors", factors)];
    let world =
        reading(&[("width", number(16)), ("encoding", word("sinusoidal"))], &start).unwrap();
    let largest = |name: &str| {
        let block = world.blocks().iter().find(|block| *block.name == *name).unwrap();
        world.start[block.range()].iter().map(|x| x.abs()).fold(0.0, f64::max)
    };
    for (name, bound) in [
        ("embed.W_E", 0.1),
        ("unembed.W_U", 0.1),
        ("blocks.0.attn.W_Q", 0.125),
        ("blocks.0.attn.W_K", 0.25),
        ("blocks.0.mlp.W_out", 0.125),
    ] {
        let found = largest(name);
        assert!(found <= bound && found > 0.9 * bound, "{name}: {found} {bound}");
    }
}

#[test]
fn what_does_not_go_together_is_said() {
    let refused = |system: &[(&str, Given)], words: &str| {
        let error = reading(system, &[]).err().unwrap();
        assert!(error.contains(words), "{error}");
    };
    refused(&[("train", word("a.txt"))], "cannot read the text a.txt: there is no such file");
    refused(&[("heads", number(3))], "width is 32, expected a multiple of the 3 heads");
    refused(&[("length", number(20_000))], "shipped valid.txt has 12016 tokens, expected at least");
    refused(&[("skip", number(32))], "is 32, expected below the length 32");
}
