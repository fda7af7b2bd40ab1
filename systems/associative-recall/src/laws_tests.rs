//! The laws of single jumps beside the exact landscape.

use saddlescope::flow::Flow;
use saddlescope::record::Silent;
use saddlescope::{Draw, GradientFlow, Landscape};

use super::*;
use crate::{Population, Task};

#[test]
fn a_law_moves_as_the_whole_model_does() {
    for (order, heads, learned) in
        [(4, 3, vec![]), (4, 3, vec![0]), (5, 4, vec![2, 0]), (3, 3, vec![2])]
    {
        let shape = Shape::new(Task::new(order, 4).unwrap(), heads, 1.3).unwrap();
        let law = JumpLaw::new(shape, 1, &learned).unwrap();
        let landscape = Population::new(shape).unwrap();
        let used = if learned.is_empty() { 0.0 } else { -0.4 };
        let state = [0.7, -0.1, used, 0.9];
        let theta = law.lift(&state);
        let back = law.project(&theta);
        assert!(back.iter().zip(state).all(|(back, state)| (back - state).abs() < 1e-15));
        let (mut rate, mut slope) = ([0.0; 4], vec![0.0; theta.len()]);
        let loss = law.law(&state, &mut rate).unwrap();
        let exact =
            landscape.evaluate(&theta, Draw::default(), &mut landscape.work(), &mut slope).unwrap();
        assert!((loss - exact).abs() < 1e-12, "{loss} {exact}");
        assert_eq!(law.loss(&state), loss);
        let whole: Vec<f64> = slope.iter().map(|slope| -slope).collect();
        for (law, whole) in rate.iter().zip(law.project(&whole)) {
            assert!((law - whole).abs() < 1e-12, "{order} {learned:?}: {law} {whole}");
        }
    }
}

#[test]
fn the_first_jump_in_the_papers_variables_is_the_same_law() {
    let task = Task::new(4, 4).unwrap();
    let (paper, law) =
        (FirstJump::new(&task, 1.0), JumpLaw::first(Shape::new(task, 1, 1.0).unwrap(), 0).unwrap());
    // From an independent implementation: alpha = 0.7, beta = 0.9.
    let mut rate = [0.0; 2];
    let loss = paper.evaluator().rate(0.0, &[0.7, 0.9], &mut rate).unwrap();
    assert!((rate[0] - 0.008_757_82).abs() < 5e-9 && (rate[1] - 0.009_210_30).abs() < 5e-9);
    let mut other = [0.0; 4];
    let same = law.law(&[0.7 - 0.175, -0.175, 0.0, 0.9], &mut other).unwrap();
    assert!((loss - same).abs() < 1e-15);
    assert!((other[0] - other[1] - rate[0]).abs() < 1e-15 && (other[3] - rate[1]).abs() < 1e-15);
}

#[test]
fn flows_of_law_and_model_end_at_the_same_place() {
    let shape = Shape::new(Task::new(4, 4).unwrap(), 1, 1.0).unwrap();
    let law = JumpLaw::first(shape, 0).unwrap();
    let landscape = Population::new(shape).unwrap();
    let start = [0.0, 0.0, 0.0, 0.1];
    let flow = || Flow::default().tolerances(1e-11, 1e-13).until(2000.0);
    let reduced = flow().run(&law, 0.0, &start, &mut Silent).unwrap();
    let whole =
        flow().run(&GradientFlow::new(&landscape), 0.0, &law.lift(&start), &mut Silent).unwrap();
    for (a, b) in reduced.state.iter().zip(law.project(&whole.state)) {
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }
    assert!((reduced.state[3] - 3.352_781_187_9).abs() < 1e-6);
}
