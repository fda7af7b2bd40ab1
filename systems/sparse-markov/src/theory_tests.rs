use saddlescope::VectorField as _;
use saddlescope::flow::Flow;
use saddlescope::record::Silent;

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
fn attention_approaches_one_position_as_the_root_of_time() {
    for (heads, positions) in [(3, 10), (2, 5)] {
        let law = Law::coupled(&Factorisation::new(target(positions), heads).unwrap());
        let constant = approach(&target(positions), heads).unwrap();
        let scaled = |time: f64| {
            let end = run(&law, &vec![0.0; law.blocks().len()], time);
            time.sqrt() * (1.0 - softmax(&end[3..])[0])
        };
        let (early, late) = (scaled(1e4), scaled(1e6));
        assert!((late / constant - 1.0).abs() < 5e-3, "{late} {constant}");
        assert!((late - constant).abs() < (early - constant).abs());
    }
    let flat = Target::orthonormal(&[1.0, 1.0], &[0, 1], 3).unwrap();
    assert!(approach(&flat, 2).is_err());
}

#[test]
fn the_beginning_is_right_to_second_order() {
    let law = Law::coupled(&Factorisation::new(target(8), 3).unwrap());
    let errors = |time: f64| {
        let end = run(&law, &vec![0.0; law.blocks().len()], time);
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

#[test]
fn the_invariant_is_kept_and_picks_the_end() {
    let pair = Target::orthonormal(&[2.89, 1.7], &[0, 1], 2).unwrap();
    let law = Law::two_scale(&Factorisation::new(pair, 3).unwrap(), 1).unwrap();
    for (v, s) in [(0.05, 0.05), (-0.3, 0.2), (3.0, 0.8), (0.0, 0.01)] {
        let (p, value) = resting_place(1.7, v, s).unwrap();
        assert!((p * value - 1.7).abs() < 1e-14);
        let start = [0.0, v, 0.0, (s / (1.0_f64 - s)).ln()];
        let end = run(&law, &start, 3e3);
        let found = softmax(&end[2..])[1];
        assert!((found - p).abs() < 1e-8, "{found} {p}");
        assert!((end[1] - value).abs() < 1e-8, "{} {value}", end[1]);
        assert!((invariant(end[1], found) - invariant(v, s)).abs() < 1e-8);
    }
    assert!((resting_place(1.7, 0.05, 0.05).unwrap().0 - 0.694588).abs() < 1e-6);
    assert!(resting_place(1.7, 0.05, 1.0).is_err());
}
