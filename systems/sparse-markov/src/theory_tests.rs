use saddlescope_spec::prelude::*;

use super::*;
use crate::Factorisation;
use crate::{Law, loss::softmax};

fn target(positions: usize) -> Target {
    Target::orthonormal(&[2.89, 1.7, 1.0], &[0, 1, 2], positions).unwrap()
}

fn run(field: &impl saddlescope::VectorField, start: &[f64], until: f64) -> Vec<f64> {
    let flow = Flow::default().until(until).tolerances(1e-11, 1e-13);
    flow.run(field, 0.0, start, &mut Silent).unwrap().state
}

#[test]
fn the_beginning_is_right_to_second_order() {
    let law = Law::coupled(&Factorisation::new(target(8), 3).unwrap());
    let errors = |time: f64| {
        let end = run(&law, &vec![0.0; law.variables().len()], time);
        let (v, s) = beginning(&target(8), 3, time);
        let far =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        [far(&end[..3], &v), far(&softmax(&end[3..]), &s)]
    };
    let (long, short) = (errors(0.2), errors(0.1));
    for (long, short) in long.iter().zip(short) {
        // The next order is the third: halving the time takes an eighth.
        assert!((short / long - 0.125).abs() < 0.02, "{short} {long}");
    }
}
