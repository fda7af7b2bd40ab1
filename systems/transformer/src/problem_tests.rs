use saddlescope::dynamics::{Optimiser, ScheduleKind, Steps};
use saddlescope_spec::measure;
use saddlescope_spec::testing::{self, assert_refused, observed as value};

use super::*;
use crate::data::text::Tokenisation;
use crate::{Architecture, Fixed, Reader};

fn problem(system: &str, start: &str) -> Result<Problem> {
    testing::problem(&OnText, &[system], start, 3)
}

const TINY: &str = r#"{
    vocabulary = 5, length = 6, batch = 4, valid_sequences = 7, width = 4, heads = 2, blocks = 2, feedforward = 3,
    dropout = 0.3, precision = "double"
}"#;

/// A problem small enough for its whole Hessian, and its model without dropout.
fn tiny(more: &str) -> (Problem, Arc<Transformer>) {
    let start = r#"{ kind = "normal", scale = 0.5 }"#;
    let problem = testing::problem(&OnText, &[TINY, more], start, 3).unwrap();
    let design: Design = testing::settings(&SCHEMA.system, &[TINY, more]).unwrap().read();
    let of = design.architecture(2, 5, 6);
    (problem, Transformer::new(Architecture { dropout: 0.0, ..of }).unwrap())
}

fn valid_tokens(count: usize) -> Vec<u32> {
    let vocabulary = Vocabulary::new(&Text::shipped_train(), Tokenisation::Words, Some(5));
    spread(&vocabulary.encode(&Text::shipped_valid()), "valid", 6, count).unwrap()
}

fn valid_loss(model: Arc<Transformer>, skip: usize, count: usize) -> Training<f64> {
    let data = Arc::new(Fixed::new(valid_tokens(count), 7));
    Training::new(model, Form { length: 6, skip }, data).unwrap()
}

#[test]
fn the_validation_loss_is_that_of_training_on_the_same_sequences() {
    for skip in [0, 4] {
        let (problem, model) = tiny(&format!("{{ skip = {skip} }}"));
        let loss = valid_loss(model, skip, 7);
        let (expected, _) = measure::evaluated(&loss, &problem.init).unwrap();
        let found = value(&problem, "valid", &problem.init)[0];
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        let positions = value(&problem, "positions", &problem.init);
        let mean = positions[skip..].iter().sum::<f64>() / (6 - skip) as f64;
        assert!((mean - expected).abs() < 1e-12);
    }
}

#[test]
fn maps_are_what_the_reader_sees_and_lags_their_means() {
    let (problem, model) = tiny("{ maps = 7 }");
    let mut lags = [0.0; 6];
    for (sequence, tokens) in valid_tokens(7).chunks_exact(7).enumerate() {
        let mut reader: Reader<'_, f64> =
            Reader::new(&model, &problem.init, Form::all(6), 1).unwrap();
        reader.read(tokens).unwrap();
        let map = value(&problem, &format!("map.{sequence}.1.0"), &problem.init);
        for query in 0..6 {
            let seen = reader.attention((1, 0), (0, query));
            assert_eq!(map[6 * query..=7 * query], seen[..=query]);
            assert!((map[6 * query..6 * (query + 1)].iter().sum::<f64>() - 1.0).abs() < 1e-12);
            (0..=query).for_each(|lag| lags[lag] += map[6 * query + query - lag]);
        }
    }
    let found = value(&problem, "lags.1.0", &problem.init);
    for (lag, sum) in lags.into_iter().enumerate() {
        assert!((found[lag] - sum / (7 * (6 - lag)) as f64).abs() < 1e-12);
    }
}

#[test]
fn the_sharpness_is_the_largest_eigenvalue_of_the_hessian() {
    let (problem, model) = tiny("{ blocks = 1, valid_sequences = 3 }");
    let curvatures = measure::curvatures(&valid_loss(model, 0, 3), &problem.init).unwrap();
    let largest = curvatures.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let found = value(&problem, "sharpness", &problem.init)[0];
    assert!((found - largest).abs() < 1e-3 * largest, "{found} {largest}");
}

#[test]
fn norms_are_those_of_the_matrices_together() {
    let (problem, _) = tiny(r#"{ encoding = "alibi", dropout = 0 }"#);
    let names =
        ["blocks.0.attn.W_K", "blocks.0.attn.W_Q", "blocks.1.attn.W_K", "blocks.1.attn.W_Q"];
    let squares =
        names.map(|name| value(&problem, &format!("norm.{name}"), &problem.init)[0].powi(2));
    let whole = squares.iter().sum::<f64>();
    assert!((value(&problem, "norm.KQ", &problem.init)[0].powi(2) - whole).abs() < 1e-12);
    let twice: Vec<f64> = problem.init.iter().map(|entry| 2.0 * entry).collect();
    assert!((value(&problem, "growth.KQ", &twice)[0] - 3.0 * whole).abs() < 1e-12);
    assert!(
        (value(&problem, "norm.p", &problem.init)[0] - 0.02).abs() < 1e-15,
        "four slopes of 0.01"
    );
}

#[test]
fn steps_lower_the_loss_of_the_text() {
    let (problem, _) = tiny("{ dropout = 0, batch = 64 }");
    let descent = Motion::Descent(Steps {
        rule: Optimiser::Gd,
        rate: 0.5,
        steps: 60,
        schedule: ScheduleKind::Constant,
        clip: None,
    });
    let end = problem.run(&[Phase::new(descent)], 1, &mut Silent).unwrap();
    let before = value(&problem, "valid", &problem.init)[0];
    let after = value(&problem, "valid", &end.state)[0];
    assert!(after < before - 0.3, "{before} {after}");
}

#[test]
fn a_start_has_the_ranges_that_it_names() {
    let start = r#"{ kind = "layers", tables = 0.1, factors = { "blocks.*.attn.W_Q" = 0.5 } }"#;
    let problem = problem(r#"{ width = 16, encoding = "sinusoidal" }"#, start).unwrap();
    let largest = |name: &str| {
        let block = problem.blocks().iter().find(|block| *block.name == *name).unwrap();
        problem.init[block.range()].iter().map(|x| x.abs()).fold(0.0, f64::max)
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
    let refused = |system: &str, words: &str| {
        assert_refused(problem(system, "{}"), words);
    };
    refused(r#"{ train = "a.txt" }"#, "cannot read the text a.txt: there is no such file");
    refused("{ heads = 3 }", "width is 32, expected a multiple of the 3 heads");
    refused("{ length = 20000 }", "shipped valid.txt has 12016 tokens, expected at least");
    refused("{ skip = 32 }", "is 32, expected below the length 32");
}

#[test]
fn a_checkpoint_is_read_unless_something_is_drawn_too() {
    for (more, words) in [
        ("", "is \"none.safetensors\", which cannot be read"),
        (", slope = 0.01", "belongs to starts that are drawn"),
    ] {
        let start = format!(r#"{{ kind = "checkpoint", file = "none.safetensors"{more} }}"#);
        assert_refused(problem("{}", &start), words);
    }
}
