use saddlescope::dynamics::SegmentEnd;
use saddlescope_spec::measure;
use saddlescope_spec::testing::{self, observed as value};

use super::*;
use crate::SparseMarkov;
use crate::settings::SCHEMA;

const TINY: &str = r#"{
    model = "transformer", features = 2, group_size = 1, vocabulary = 4, length = 3, heads = 2, width = 4,
    feedforward = 3, sequences = 30, batch = 8, test_sequences = 20
}"#;

fn tiny(more: &str) -> Problem {
    testing::problem(&SparseMarkov, &[TINY, more], r#"{ kind = "layers" }"#, 3).unwrap()
}

/// With dropout and shuffled batches, a run in legs has the bits of the run at once.
#[test]
fn legs_change_nothing() {
    let problem = tiny("{}");
    assert!(
        problem.loss.draws_batches() && !problem.loss.has_flow() && problem.surface().is_none()
    );
    let steps = restricted::steps(3e-3, 13);
    let stages = [Phase::new(Motion::Descent(steps))];
    let run = |legs: u64| {
        let mut from = saddlescope::dynamics::Checkpoint::start(&problem.init);
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
    let dropout = "{ dropout = 0.4 }";
    let problem = tiny(dropout);
    let state: Vec<f64> = problem.init.to_vec();
    let task = testing::settings(&SCHEMA.system, &[TINY, dropout]).unwrap().read();
    let probed = probe(init::full(&task, 3).unwrap(), 3).unwrap();
    let curvatures = measure::curvatures(&probed, &state).unwrap();
    let largest = curvatures.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let found = value(&problem, "sharpness", &state)[0];
    assert!((found - largest).abs() < 2e-3 * largest, "{found} {largest}");
}

/// Without dropout and on the whole data set, in double precision, there is one exact loss.
#[test]
fn there_is_a_flow_where_nothing_is_left_to_chance() {
    let problem = tiny(r#"{ dropout = 0.0, precision = "double" }"#);
    assert!(!problem.loss.has_flow());
    let still = problem.without_noise().unwrap();
    assert!(still.loss.has_flow() && still.surface().is_some() && still.without_noise().is_none());
    assert_eq!(still.init, problem.init);
}

#[test]
fn losses_of_all_places_can_be_seen() {
    let problem = tiny("{}");
    let state = &problem.init;
    let places = value(&problem, "test.places", state);
    let mean = places.iter().sum::<f64>() / 3.0;
    assert!((mean - value(&problem, "test", state)[0]).abs() < 1e-9 && places.len() == 3);
}
