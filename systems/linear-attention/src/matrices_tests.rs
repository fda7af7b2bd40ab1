use saddlescope_spec::testing::{self, assert_close, assert_gradient, assert_hessian_product};

use super::*;
use crate::data::empirical::{Empirical, Statistics};
use crate::data::sequences::{Sampler, Sequence};
use crate::model::Form;
use crate::{Basis, Context, Population};

fn task() -> Task {
    Task::new(&[0.9, 0.5, 0.2], Basis::Random { seed: 5 }, Context::Fixed(6)).unwrap()
}

/// Heads with keys and queries, and heads with a matrix each.
fn shapes() -> [Shape; 2] {
    let separate = Shape::new(3, 2, 2).unwrap();
    [separate, separate.with_matrices(Form::Merged)]
}

/// The entries of the blocks that the reduced model lacks.
fn dropped(full: &Full) -> Vec<usize> {
    let zero = full.blocks().iter().filter(|block| is_zero_block(&block.name));
    zero.flat_map(|block| block.range()).collect()
}

fn evaluate<L: Landscape<Scalar = f64>>(landscape: &L, weights: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, weights, Draw::default())
}

/// Weights without zeros.
fn random(shape: Shape) -> Vec<f64> {
    let mut weights = embed(shape, &shape.random_start(2.0, 1).unwrap()).unwrap();
    fill_zero_blocks(shape, &mut weights, [0.7, 0.6], 3);
    weights
}

/// The bottom right entry of the attention of one sequence, with whole matrices. 003, appendix E.1.
fn prediction(sequence: &Sequence, shape: Shape, weights: &[f64]) -> f64 {
    let (d, pairs) = (shape.dimension, sequence.pairs());
    let column = |n: usize, row: usize| match row {
        row if row < d => sequence.tokens[n * d + row],
        _ if n < pairs => sequence.targets[n],
        _ => 0.0,
    };
    let moment = |a: usize, b: usize| -> f64 {
        (0..=pairs).map(|n| column(n, a) * column(n, b)).sum::<f64>() / pairs as f64
    };
    let query = &sequence.tokens[pairs * d..];
    let mut matrix = vec![0.0; (d + 1) * d];
    let head = |head: &[f64]| -> f64 {
        product(shape, head, &mut matrix);
        let asked = |b: usize| -> f64 { (0..d).map(|c| matrix[b * d + c] * query[c]).sum() };
        (0..=d).map(|a| head[a] * (0..=d).map(|b| moment(a, b) * asked(b)).sum::<f64>()).sum()
    };
    weights.chunks(head_len(shape)).map(head).sum()
}

#[test]
fn the_loss_is_the_mean_over_sequences() {
    let sampler = Sampler::new(&task()).unwrap();
    for shape in shapes() {
        let weights = random(shape);
        let full = Full::new(&task(), shape, 1.0, (50, 4)).unwrap();
        let one = |index: u64| {
            let sequence: Sequence = sampler.sequence(4, index);
            (sequence.targets[6] - prediction(&sequence, shape, &weights)).powi(2)
        };
        let expected = (0..50).map(one).sum::<f64>() / 50.0;
        let (loss, _) = evaluate(&full, &weights);
        assert!((loss - expected).abs() < 1e-12 * expected, "{loss}, {expected}");
    }
}

#[test]
fn with_zero_blocks_it_is_the_reduced_model() {
    for shape in shapes() {
        let weights = shape.random_start(2.0, 1).unwrap();
        let embedded = embed(shape, &weights).unwrap();
        let check = |full: Full, (expected, slopes): (f64, Vec<f64>)| {
            assert!(dropped(&full).iter().all(|&place| embedded[place] == 0.0));
            let (loss, gradient) = evaluate(&full, &embedded);
            assert!((loss - expected).abs() < 1e-13);
            let kept = embed(shape, &slopes).unwrap();
            let places = (0..kept.len()).filter(|place| !dropped(&full).contains(place));
            places.for_each(|place| assert!((gradient[place] - kept[place]).abs() < 1e-13));
            let slopes = dropped(&full).into_iter().map(|place| gradient[place].abs());
            slopes.fold(0.0, f64::max)
        };
        let statistics = Statistics::sampled(&task(), 300, 4).unwrap();
        let reduced = Empirical::new(statistics, shape, 1.0).unwrap();
        let full = Full::new(&task(), shape, 1.0, (300, 4)).unwrap();
        assert!(check(full, evaluate(&reduced, &weights)) > 1e-3, "chance pulls at the blocks");
        // 003, appendix E.1: in expectation nothing does.
        let exact = Full::on(Moments::exact(&task(), Tasks::FRESH).unwrap(), shape, 1.0).unwrap();
        let reduced = Population::new(&task(), shape, 1.0).unwrap();
        assert!(check(exact, evaluate(&reduced, &weights)) < 1e-14);
    }
}

#[test]
fn slopes_and_curvatures_are_those_of_the_loss() {
    let tasks = Tasks { in_context: 0.6, noise: true, seed: 1 };
    for shape in shapes() {
        let sampled = Moments::sampled(&task(), tasks, (20, 4)).unwrap();
        let axes = Task::new(&[0.9, 0.5, 0.2], Basis::Axes, Context::Fixed(6)).unwrap();
        let sparse = Moments::exact(&axes, Tasks::FRESH).unwrap();
        for moments in [sampled, sparse, Moments::exact(&task(), tasks).unwrap()] {
            let full = Full::on(moments, shape, 1.0).unwrap();
            let weights = random(shape);
            assert_gradient(&full, (&weights, 1e-4), Draw::default(), 1e-8, shape);
            let direction: Vec<f64> = weights.iter().rev().copied().collect();
            assert_hessian_product(&full, &weights, &direction, 1e-7, shape);
        }
    }
}

#[test]
fn the_linear_part_is_theta() {
    for shape in shapes() {
        let weights = shape.random_start(2.0, 1).unwrap();
        let found = theta(shape, &embed(shape, &weights).unwrap());
        assert_close(&found, &shape.theta(&weights), 1e-15, shape);
        // u_i c_ir q_ir^T adds to it.
        assert!(theta(shape, &random(shape)).iter().zip(&found).any(|(a, b)| (a - b).abs() > 1e-3));
    }
}

#[test]
fn starts_of_zero_blocks_have_their_scales() {
    let shape = Shape::new(3, 400, 2).unwrap();
    let mut weights = vec![0.0; 400 * head_len(shape)];
    fill_zero_blocks(shape, &mut weights, [0.3, 0.0], 3);
    let square: f64 = weights.iter().map(|w| w * w).sum();
    assert!((square / 0.09 - 1.0).abs() < 0.2, "{square}");
    let full = Full::new(&task(), shape, 1.0, (2, 1)).unwrap();
    let block = full.blocks().get("head.3.key_y").unwrap().range();
    assert!(weights[block].iter().all(|&w| w == 0.0));
}

#[test]
fn zero_blocks_fill_with_chance_alone() {
    // Sixteen times the data, a quarter of what 300 steps put into the blocks: root mean squares over
    // data sets, for one start.
    let shape = Shape::new(3, 3, 1).unwrap();
    let start = shape.random_start(0.8, 2).unwrap();
    let filled = |sequences: usize| {
        let square = |seed: u64| {
            let full = Full::new(&task(), shape, 1.0, (sequences, seed)).unwrap();
            let mut weights = full.embed(&start).unwrap();
            for _ in 0..300 {
                let (_, gradient) = evaluate(&full, &weights);
                weights.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= 0.02 * g);
            }
            let kept = weights.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
            assert!(kept > 0.5, "training must go somewhere: {kept}");
            let sizes = dropped(&full).into_iter().map(|place| weights[place].abs());
            sizes.fold(0.0, f64::max).powi(2)
        };
        ((0..8).map(square).sum::<f64>() / 8.0).sqrt()
    };
    let (few, many) = (filled(200), filled(3200));
    assert!(many < 0.1 && (2.0..8.0).contains(&(few / many)), "{few} and {many}");
}

#[test]
fn zero_blocks_are_not_attracting() {
    // u = c e_1 with q = e_1 and no reduced weight: Theta gains c^2 e_1 e_1^T, and the loss falls by
    // 2 c^2 lambda_1^2 to leading order.
    let axes = Task::new(&[0.9, 0.5], Basis::Axes, Context::Fixed(20)).unwrap();
    let shape = Shape::new(2, 1, 1).unwrap();
    let full = Full::on(Moments::exact(&axes, Tasks::FRESH).unwrap(), shape, 1.0).unwrap();
    let loss = |c: f64| evaluate(&full, &[c, 0.0, 0.0, 0.0, 0.0, c, 1.0, 0.0]).0;
    let fall = (loss(0.0) - loss(0.01)) / 1e-4;
    assert!((fall / (2.0 * 0.81) - 1.0).abs() < 1e-3, "{fall}");
}

#[test]
fn the_flow_keeps_its_invariants() {
    let tasks = Tasks { in_context: 0.5, noise: false, seed: 3 };
    for shape in shapes() {
        let full = Full::on(Moments::exact(&task(), tasks).unwrap(), shape, 1.0).unwrap();
        let start: Vec<f64> = random(shape).iter().map(|w| 0.5 * w).collect();
        let flow = Flow { until: 5.0, ..Flow::default().tolerances(1e-11, 1e-13) };
        let end = flow.run(&GradientFlow::new(&full), 0.0, &start, &mut Silent).unwrap();
        let all = invariants(shape);
        assert_eq!(all.len(), if shape.is_separate() { 6 } else { 2 });
        for invariant in all {
            let (before, after) = (invariant.at(&start), invariant.at(&end.state));
            assert!((before - after).abs() < 1e-9, "{}: {before}, {after}", invariant.name);
        }
        let moved = start.iter().zip(&end.state).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved > 0.1);
        assert!(size_of_zero_blocks(shape, &end.state) > 0.1);
    }
}

/// A shared task vector is learned by the weights: the loss falls although contexts are noise.
#[test]
fn weights_learn_a_shared_vector() {
    let shape = Shape::new(3, 4, 1).unwrap().with_matrices(Form::Merged);
    let tasks = Tasks { in_context: 0.0, noise: true, seed: 3 };
    let moments = Moments::exact(&task(), tasks).unwrap();
    let full = Full::on(moments.clone(), shape, 1.0).unwrap();
    let mut weights = embed(shape, &shape.random_start(0.3, 1).unwrap()).unwrap();
    fill_zero_blocks(shape, &mut weights, [0.3, 0.3], 2);
    let flow = Flow { until: 3000.0, ..Flow::default() };
    let end = flow.run(&GradientFlow::new(&full), 0.0, &weights, &mut Silent).unwrap();
    let least = moments.least().unwrap();
    assert!(least < 0.5 * moments.square && end.loss < 1.05 * least, "{least} {}", end.loss);
    let fresh = Full::on(Moments::exact(&task(), Tasks::FRESH).unwrap(), shape, 1.0).unwrap();
    assert!(evaluate(&fresh, &end.state).0 > 1.0 * task().trace(), "of use for one vector alone");
}
