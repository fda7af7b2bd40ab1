use saddlescope::dynamics::SegmentEnd;
use saddlescope::record::{Moment, Silent};
use saddlescope_spec::measure;
use saddlescope_spec::settings::Input as Given;

use super::*;
use crate::settings::SCHEMA;

fn number(value: i64) -> Given {
    Given::Integer(value)
}

fn word(value: &str) -> Given {
    Given::Text(value.to_owned())
}

fn settings(more: &[(&str, Given)]) -> Spanned<Task> {
    let mut system = vec![
        ("model", word("transformer")),
        ("features", number(2)),
        ("group_size", number(1)),
        ("vocabulary", number(4)),
        ("length", number(3)),
        ("heads", number(2)),
        ("width", number(4)),
        ("feedforward", number(3)),
        ("sequences", number(30)),
        ("batch", number(8)),
        ("test_sequences", number(20)),
    ];
    system.extend_from_slice(more);
    SCHEMA.system.resolve_program(&system).unwrap().read()
}

fn tiny(more: &[(&str, Given)]) -> Problem {
    let start = SCHEMA.start.resolve_program(&[("kind", word("layers"))]).unwrap();
    full(&settings(more), &start.read(), 3).unwrap()
}

fn value(problem: &Problem, name: &str, state: &[f64]) -> Vec<f64> {
    let one = problem.observables.iter().find(|observable| observable.name == name).unwrap();
    let moment = Moment { time: 0.0, step: 0, loss: 0.0, state, gradient: &[] };
    let mut value = vec![0.0; one.width()];
    one.compute(&moment, &mut value);
    value
}

/// With dropout and shuffled batches, a run in legs has the bits of the run at once.
#[test]
fn legs_change_nothing() {
    let problem = tiny(&[]);
    assert!(
        problem.loss.draws_batches() && !problem.loss.has_flow() && problem.surface().is_none()
    );
    let steps = restricted::steps(3e-3, 13);
    let stages = [Phase::new(Motion::Descent(steps))];
    let run = |legs: u64| {
        let mut from = problem.beginning();
        loop {
            match problem.run_segment(&stages, from, legs, 5, &mut Silent).unwrap() {
                SegmentEnd::Paused(checkpoint) => from = checkpoint,
                SegmentEnd::Ended(outcome) => return outcome.state,
            }
        }
    };
    let at_once = run(100);
    assert_eq!(at_once, run(4));
    assert_ne!(at_once, *problem.init);
}

/// The largest eigenvalue by size of the Hessian that is written out by differences of the gradient.
#[test]
fn sharpness_is_that_of_the_whole_hessian() {
    let dropout = [("dropout", Given::Number(0.4))];
    let problem = tiny(&dropout);
    let state: Vec<f64> = problem.init.to_vec();
    let probed = probe(&init::full(&settings(&dropout), 3).unwrap(), 3).unwrap();
    let curvatures = measure::curvatures(&probed, &state).unwrap();
    let largest = curvatures.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let found = value(&problem, "sharpness", &state)[0];
    assert!((found - largest).abs() < 2e-3 * largest, "{found} {largest}");
}

/// Without dropout and on the whole data set, in double precision, there is one exact loss.
#[test]
fn there_is_a_flow_where_nothing_is_left_to_chance() {
    let plain = [("dropout", Given::Number(0.0)), ("precision", word("double"))];
    let problem = tiny(&plain);
    assert!(!problem.loss.has_flow());
    let still = problem.without_noise().unwrap();
    assert!(still.loss.has_flow() && still.surface().is_some() && still.without_noise().is_none());
    assert_eq!(still.init, problem.init);
}

#[test]
fn norms_of_all_blocks_and_losses_of_all_places_can_be_seen() {
    let problem = tiny(&[]);
    let state = &problem.init;
    let norm = value(&problem, "norm.embed.W_E", state)[0];
    let expected = state[..16].iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((norm - expected).abs() < 1e-12);
    let places = value(&problem, "test.places", state);
    let mean = places.iter().sum::<f64>() / 3.0;
    assert!((mean - value(&problem, "test", state)[0]).abs() < 1e-9 && places.len() == 3);
}
