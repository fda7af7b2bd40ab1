use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope_spec::measure;

use super::*;

fn model(heads: usize) -> Factorisation {
    let target = Target::orthonormal(&[2.89, 1.7, 1.0], &[2, 0, 1], 7).unwrap();
    Factorisation::new(target, heads).unwrap()
}

fn random(count: usize, seed: u64) -> Vec<f64> {
    measure::random(count, 1.0, &mut Stream::new(seed, Purpose::Start, 0))
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
    let law = Coupled::new(&model);
    let state = random(law.variables().len(), 1);
    let [whole, rate] = rates(&model, &law, &state);
    for part in whole.chunks_exact(rate.len()) {
        assert_close(part, &rate);
    }
    assert_close(&law.project(&law.lift(&state)), &state);
}

#[test]
fn the_ensemble_and_the_head_that_leaves_move_as_the_model_does() {
    let model = model(4);
    let law = Cooperative::new(&model).unwrap();
    let state = random(law.variables().len(), 2);
    let [whole, rate] = rates(&model, &law, &state);
    for k in 0..3 {
        let (v, q) = model.head(&whole, k);
        assert_close(v, &rate[..3]);
        // Attention on one position does not move.
        assert!(q.iter().all(|q| q.abs() < 1e-200));
    }
    assert_close(&whole[3 * 10..], &rate[3..]);
    assert_close(&law.project(&law.lift(&state)), &state);
    // Lemma 1's V* is where the ensemble rests.
    let (_, v, q) = law.parts(&state);
    let rest = law.rest(v, &crate::loss::softmax(q));
    let resting = [rest.as_slice(), v, q].concat();
    let [_, rate] = rates(&model, &law, &resting);
    assert!(rate[..3].iter().all(|rate| rate.abs() < 1e-14));
}

/// Eq. (11) is the model's flow where all other values are at rest.
#[test]
fn the_fast_limit_is_the_model_at_rest() {
    for (heads, learned) in [(3, 1), (3, 2), (5, 2)] {
        let model = model(heads);
        let law = TwoScale::new(&model, learned).unwrap();
        let state = random(law.variables().len(), 3 + learned as u64);
        let [whole, rate] = rates(&model, &law, &state);
        let (others, last) = whole.split_at(whole.len() - rate.len());
        assert!(others.iter().all(|rate| rate.abs() < 1e-13));
        assert_close(last, &rate);
    }
    assert!(TwoScale::new(&model(3), 3).is_err());
    assert!(TwoScale::new(&model(2), 2).is_err());
}

/// The functions that never fall are potentials: their slopes are the rates (times the number of heads).
#[test]
fn lyapunov_functions_have_the_rates_as_slopes() {
    let model = model(3);
    let (coupled, two_scale) = (Coupled::new(&model), TwoScale::new(&model, 1).unwrap());
    let cooperative = Cooperative::new(&model).unwrap();
    let state = random(10, 5);
    let s = |state: &[f64]| crate::loss::softmax(&state[state.len() - 7..]);
    type Potential<'a> = (&'a dyn Fn(&[f64]) -> f64, Vec<f64>, usize, f64);
    let functions: [Potential<'_>; 3] = [
        (&|x| coupled.lyapunov(&x[..3], &s(x)), state.clone(), 0, 1.0),
        (&|x| two_scale.lyapunov(&x[..3], &s(x)), state.clone(), 1, 1.0),
        (&|x| cooperative.lyapunov(x), random(13, 6), 2, 2.0),
    ];
    for (function, state, which, first) in functions {
        let mut rate = vec![0.0; state.len()];
        match which {
            0 => coupled.law(&state, &mut rate),
            1 => two_scale.law(&state, &mut rate),
            _ => cooperative.law(&state, &mut rate),
        }
        .unwrap();
        let slopes = measure::differences(function, &state, 1e-3);
        rate[..3].iter_mut().for_each(|rate| *rate *= first);
        let off = measure::apart(&slopes, &rate);
        assert!(off < 1e-8, "{which}: {off}");
    }
}
