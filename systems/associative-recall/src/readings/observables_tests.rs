//! The second layer beside sequences taken at their word, and the theory's variables beside its equations.

use saddlescope_spec::testing::{assert_close, evaluate, normals};

use super::*;
use crate::Task;

fn value(shape: &Shape, name: &str, state: &[f64]) -> Vec<f64> {
    let saddles = Arc::new(Saddles::new(*shape));
    let all = all(Observables::built_in(&shape.blocks()), shape, Some(&saddles));
    let one = all.iter().find(|one| one.name == name).unwrap();
    let mut value = vec![0.0; one.width()];
    one.compute(&Moment { time: 0.0, step: 0, loss: 0.0, state, gradient: state }, &mut value);
    value
}

/// Attention by matches and prediction by 001, Eq. (9), token by token.
fn literal(shape: &Shape, theta: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (task, k) = (shape.task, shape.task.order);
    let list = task.list().unwrap();
    let example = Example::new(&task, list.len());
    let tokens = task.sequence(&list, &example.responses, list.get(example.query));
    let query = &tokens[tokens.len() - k..];
    let places: Vec<usize> = (0..tokens.len()).filter(|&t| tokens[t] >= k as u16).collect();
    let score = |&t: &usize| {
        let of_head = |(h, head): (usize, crate::Head<'_>)| {
            let sum: f64 = head.weights.iter().map(|w| w.exp()).sum();
            let seen = (1..=k).filter(|lag| tokens[t - lag] == query[k - 1 - h]);
            let found: f64 = seen.map(|lag| head.weights[lag - 1].exp()).sum();
            shape.gain * head.beta * head.beta * found / sum
        };
        shape.iter(theta).enumerate().map(of_head).sum::<f64>().exp()
    };
    let raised: Vec<f64> = places.iter().map(score).collect();
    let sum: f64 = raised.iter().sum();
    let (mut attention, mut prediction) = (vec![0.0; k + 1], vec![0.0; task.responses]);
    for (&t, raised) in places.iter().zip(&raised) {
        let matches = (1..=k).filter(|lag| tokens[t - lag] == query[k - lag]).count();
        attention[matches] += raised / sum;
        prediction[usize::from(tokens[t]) - k] += raised / sum;
    }
    (attention, prediction)
}

#[test]
fn the_second_layer_is_that_of_the_written_sequence() {
    for (order, responses, heads) in [(2, 2, 1), (3, 2, 3), (4, 4, 3), (5, 3, 2)] {
        let shape = Shape::new(Task::new(order, responses).unwrap(), heads, 0.4).unwrap();
        let theta = normals(shape.parameters(), 1.0, order as u64);
        let (attention, prediction) = literal(&shape, &theta);
        let found = value(&shape, "second.attention", &theta);
        assert_close(&found, &attention, 1e-13, "attention");
        assert_close(&value(&shape, "prediction", &theta), &prediction, 1e-13, "prediction");
        // The query's own response receives what the exact loss says, whatever the map.
        let (loss, _) = evaluate(&Population::new(shape).unwrap(), &theta, Draw::default());
        assert!((found[order] - (1.0 - loss / shape.task.guess())).abs() < 1e-13);
        // All tokens but one match nowhere.
        assert_eq!(found[order - 1], 0.0);
    }
}

/// On a plateau the prediction counts the responses of the permutations that agree with the query there. 001, A.4.
#[test]
fn a_plateau_predicts_by_the_tokens_that_are_matched() {
    let shape = Shape::new(Task::new(4, 4).unwrap(), 3, 0.0).unwrap();
    let known = [
        (vec![], [0.25, 0.25, 0.25, 0.25]),
        (vec![0], [1.0 / 6.0, 0.5, 1.0 / 3.0, 0.0]),
        (vec![0, 1], [0.0, 0.5, 0.5, 0.0]),
        (vec![0, 1, 2], [0.0, 0.0, 1.0, 0.0]),
    ];
    let (saddles, one) = (Saddles::new(shape).list(), OneSequence::new(shape).unwrap());
    for (learned, expected) in known {
        let shares = one.restricted(&learned);
        assert_close(&one.by_response(&shares), &expected, 1e-15, "f^N");
        let label = KnownSaddle::of_learned(&learned, Vec::new()).label;
        let place = saddles.iter().find(|saddle| saddle.label == label).unwrap();
        let found = value(&shape, "prediction", &place.state);
        assert_close(&found, &expected, 1e-3, "prediction on a plateau");
        let found = value(&shape, "second.attention", &place.state);
        assert_close(&found, &one.by_matches(&shares), 1e-3, "attention on a plateau");
    }
}

/// 001, Eq. (4) and Theorem 3.1(c), beside the slopes of the exact loss.
#[test]
fn the_drive_moves_head_and_strength_as_the_theorem_says() {
    for (order, responses, gain) in [(3, 2, 1.0), (4, 4, 1.5)] {
        let shape = Shape::new(Task::new(order, responses).unwrap(), 2, gain - 1.0).unwrap();
        let (k, r) = (order as f64, responses as f64);
        let (alpha, beta, delta): (f64, f64, f64) = (0.7, 0.9, -0.3);
        let mut weights = vec![delta; 2 * order];
        weights[0] += alpha;
        weights[order..].fill(0.0);
        let theta = shape.given_start(&[beta, 0.0], Some(&weights)).unwrap();
        let (e, single) = (alpha.exp(), |name: &str| value(&shape, name, &theta)[0]);
        assert!((single("head.0.alpha") - alpha).abs() < 1e-15);
        assert!((single("head.0.delta") - delta).abs() < 1e-15);
        assert!((single("head.0.s") - (e - 1.0)).abs() < 1e-15);
        let gap = gain * beta * beta * (e - 1.0) / (e + k - 1.0);
        let orders: f64 = (1..order - 1).map(|i| i as f64).product();
        let drive = gain * gap.exp() * (r - 1.0) / (r * orders * (gap.exp() + k - 1.0).powi(2));
        assert!((single("head.0.drive") - drive).abs() < 1e-14, "{drive}");
        let (_, slope) = evaluate(&Population::new(shape).unwrap(), &theta, Draw::default());
        let turning = beta * beta * e / (e + k - 1.0).powi(2) * k * k / (k - 1.0) * drive;
        assert!((slope[2] - slope[1] - turning).abs() < 1e-14);
        assert!((-slope[0] - 2.0 * beta * (e - 1.0) / (e + k - 1.0) * drive).abs() < 1e-14);
    }
}

/// From alpha = 0.7, beta = 0.9 the printed quantity of Theorem 3.1(d) drifts, the corrected one does not.
#[test]
fn along_the_flow_the_corrected_quantity_stays_and_the_printed_one_does_not() {
    let shape = Shape::new(Task::new(4, 4).unwrap(), 1, 0.0).unwrap();
    let start = shape.given_start(&[0.9], Some(&[0.4, -0.3, -0.3, -0.3])).unwrap();
    let population = Population::new(shape).unwrap();
    let law = GradientFlow::new(&population);
    let flow = Flow::default().tolerances(1e-11, 1e-13).until(1e5);
    let end = flow.run(&law, 0.0, &start, &mut Silent).unwrap().state;
    let drift = |name: &str| value(&shape, name, &end)[0] - value(&shape, name, &start)[0];
    assert!(drift("head.0.invariant").abs() < 1e-9, "{}", drift("head.0.invariant"));
    assert!(drift("head.0.invariant.printed") < -1.0, "{}", drift("head.0.invariant.printed"));
    assert!(drift("head.0.alpha") > 1.0);
}
