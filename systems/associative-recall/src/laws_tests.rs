//! The laws of single jumps beside the exact landscape.

use super::*;
use crate::Population;

#[test]
fn a_law_moves_as_the_whole_model_does() {
    for (order, heads, learned) in
        [(4, 3, vec![]), (4, 3, vec![0]), (5, 4, vec![2, 0]), (3, 3, vec![2])]
    {
        let shape = Shape::new(Task::new(order, 4).unwrap(), heads, 0.3).unwrap();
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
fn the_first_jump_in_the_papers_variables_is_that_of_an_independent_implementation() {
    let law = FirstJump::new(&Task::new(4, 4).unwrap(), 1.0).unwrap();
    // alpha = 0.7, beta = 0.9.
    let mut rate = [0.0; 2];
    let loss = law.evaluator().rate(0.0, &[0.7, 0.9], &mut rate).unwrap();
    assert!((rate[0] - 0.008_757_82).abs() < 5e-9 && (rate[1] - 0.009_210_30).abs() < 5e-9);
    assert_eq!(loss, law.loss(0.7, 0.9));
}
