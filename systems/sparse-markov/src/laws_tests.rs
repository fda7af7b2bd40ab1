use saddlescope_spec::measure;
use saddlescope_spec::testing::normals;

use super::*;

fn model(heads: usize) -> Factorisation {
    let target = Target::orthonormal(&[2.89, 1.7, 1.0], &[2, 0, 1], 7).unwrap();
    Factorisation::new(target, heads).unwrap()
}

/// The rate of the whole model at the lift, and that of the law.
fn rates(model: &Factorisation, law: &impl ReducedTheory, state: &[f64]) -> [Vec<f64>; 2] {
    let lifted = law.lift(state);
    assert_eq!(law.project(&lifted).len(), state.len());
    let (loss, gradient) = measure::evaluated(model, &lifted).unwrap();
    let mut rate = vec![0.0; state.len()];
    let told = law.law(state, &mut rate).unwrap();
    assert!((loss - told).abs() < 1e-12, "{loss} {told}");
    assert!((law.loss(state) - told).abs() < 1e-12);
    let whole: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    [whole, rate]
}

fn assert_close(a: &[f64], b: &[f64]) {
    assert!(measure::apart(a, b) < 1e-12, "{a:?} {b:?}");
}

#[test]
fn coupled_heads_move_as_the_model_does() {
    let model = model(4);
    let law = Law::coupled(&model);
    let state = normals(law.variables().len(), 1.0, 1);
    let [whole, rate] = rates(&model, &law, &state);
    for part in whole.chunks_exact(rate.len()) {
        assert_close(part, &rate);
    }
    assert_close(&law.project(&law.lift(&state)), &state);
}

#[test]
fn the_ensemble_and_the_head_that_leaves_move_as_the_model_does() {
    let model = model(4);
    let law = Law::cooperative(&model).unwrap();
    let state = normals(law.variables().len(), 1.0, 2);
    let [whole, rate] = rates(&model, &law, &state);
    for k in 0..3 {
        let (v, q) = model.head(&whole, k);
        assert_close(v, &rate[..3]);
        // Attention on one position does not move.
        assert!(q.iter().all(|q| q.abs() < 1e-200));
    }
    assert_close(&whole[3 * 10..], &rate[3..]);
    assert_close(&law.project(&law.lift(&state)), &state);
}

/// Eq. (11) is the model's flow where all other values are at rest.
#[test]
fn the_fast_limit_is_the_model_at_rest() {
    for (heads, learned) in [(3, 1), (3, 2), (5, 2)] {
        let model = model(heads);
        let law = Law::two_scale(&model, learned).unwrap();
        let state = normals(law.variables().len(), 1.0, 3 + learned as u64);
        let [whole, rate] = rates(&model, &law, &state);
        let (others, last) = whole.split_at(whole.len() - rate.len());
        assert!(others.iter().all(|rate| rate.abs() < 1e-13));
        assert_close(last, &rate);
    }
    assert!(Law::two_scale(&model(3), 3).is_err());
    assert!(Law::two_scale(&model(2), 2).is_err());
}
