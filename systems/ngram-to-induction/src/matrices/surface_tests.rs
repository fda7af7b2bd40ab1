//! Whether training stays on the six-parameter model: the transformer's gradient on that surface, along it and off it.
//!
//! It does not stay. What keeps some matrices where the six-parameter model has them is that they enter in pairs: at
//! `W_Q = W_K = 0` neither has a slope. Value matrices have no such excuse. `x -> -x` excuses nothing either: it maps
//! every parameter to itself, and the loss is even in `x` for all of them. In `D > 1` dimensions the reflection of one
//! coordinate of all tokens keeps `D x D` parts diagonal.

use saddlescope::Draw;
use saddlescope::Landscape;
use saddlescope_spec::measure::Mean;
use saddlescope_spec::testing::evaluate;

use super::tests::{task, trained};
use super::*;
use crate::{Partial, Population, Reduction, Tokens};

/// A component of the expected gradient, estimated from independent batches.
#[derive(Debug, Clone)]
struct Component {
    /// The parameter's name: `second.0.value[0,1]`.
    name: String,
    mean: f64,
    error: f64,
}

impl Component {
    /// The mean in standard errors; 0 where no sequence has a slope.
    fn deviations(&self) -> f64 {
        if self.is_identically_zero() { 0.0 } else { self.mean / self.error }
    }

    /// Whether every batch has the slope 0, to the bit.
    fn is_identically_zero(&self) -> bool {
        self.mean == 0.0 && self.error == 0.0
    }
}

/// Independent batches, and sequences of each.
const BATCHES: u64 = 40;
const BATCH: usize = 2000;

/// The expected gradient of the transformer at a state of the six-parameter model.
struct Tangency {
    /// Along the surface: the slopes of the six parameters.
    along: Vec<Component>,
    /// Off the surface: what is left of every entry when its part along the surface is taken away. One that is not 0
    /// drives the transformer off.
    off: Vec<Component>,
    /// The slopes in `W_Q^T W_K` of the first layer and of head 1, where it is 0: each singular value of these
    /// matrices is the rate at which a disturbance of query and key together grows.
    meeting: [Vec<Component>; 2],
}

/// The heads without dot products in the six-parameter model.
const UNASKED: [Head; 2] = [Head::First, Head::Gram];

/// Means over the batches of what `read` makes of the gradient at `theta`.
fn means(
    landscape: &Sequences,
    theta: &[f64],
    read: impl Fn(&[f64]) -> Vec<f64>,
    name: impl Fn(usize) -> String,
) -> Vec<Component> {
    let mut means = Vec::new();
    for step in 0..BATCHES {
        let (_, gradient) = evaluate(landscape, theta, Draw { seed: 1, step });
        let found = read(&gradient);
        means.resize(found.len(), Mean::default());
        means.iter_mut().zip(found).for_each(|(mean, slope)| mean.add(slope));
    }
    let component = |(i, mean): (usize, &Mean)| Component {
        name: name(i),
        mean: mean.mean(),
        error: mean.error(),
    };
    means.iter().enumerate().map(component).collect()
}

fn measured(task: Task, six: &[f64]) -> Tangency {
    let (matrices, shape) = (Matrices::new(task).unwrap(), trained(task));
    let places = matrices.places(&shape).unwrap();
    let theta = matrices.embed(&shape, six).unwrap();
    let landscape = Corpus::fresh(matrices, BATCH).unwrap();
    let (six, all) = (shape.blocks(), matrices.blocks());
    let along = |gradient: &[f64]| matrices.pull_back(&shape, gradient).unwrap();
    // The gradient less its projection to the surface, whose tangents are the indicators of `places`.
    let off = |gradient: &[f64]| {
        let mut off = gradient.to_vec();
        for places in &places {
            let mean =
                places.iter().map(|&place| gradient[place]).sum::<f64>() / places.len() as f64;
            places.iter().for_each(|&place| off[place] -= mean);
        }
        off
    };
    // With W_Q = 1 where it is 0, since W_K = 0, it computes the same, and the slope in W_K is that in W_Q^T W_K.
    let mut asking = theta.clone();
    for head in UNASKED {
        for i in 0..matrices.width() {
            asking[matrices.entry(head, Matrix::Query, [i, i])] = 1.0;
        }
    }
    let meeting = UNASKED.map(|head| {
        // Coordinates of a position that a head can see: the last D are zeros before the first layer.
        let columns = if head == Head::First { task.dimension } else { matrices.width() };
        let entry =
            |index: usize| matrices.entry(head, Matrix::Key, [index / columns, index % columns]);
        let keys = |gradient: &[f64]| (0..columns * columns).map(|i| gradient[entry(i)]).collect();
        means(&landscape, &asking, keys, |i| all.parameter_name(entry(i)))
    });
    Tangency {
        along: means(&landscape, &theta, along, |i| six.parameter_name(i)),
        off: means(&landscape, &theta, off, |i| all.parameter_name(i)),
        meeting,
    }
}

/// After Stage I the exact loss is known: `p~ = 60` weighs other tokens than the last with `e^-60`.
#[test]
fn slopes_along_the_surface_agree_with_the_exact_loss() {
    for tokens in [Tokens::Gaussian, Tokens::Boolean] {
        let task = task(12, 1, tokens, Reduction::Sum);
        let after = [0.4, 0.7, 0.5, 0.8, 0.6];
        let six: Vec<f64> = std::iter::once(60.0).chain(after).collect();
        let found = measured(task, &six);
        let exact = Population::new(Shape::new(task)).unwrap();
        let (_, expected) = evaluate(&exact, &after, Draw::default());
        for (component, expected) in found.along[1..].iter().zip(expected) {
            let away = (component.mean - expected) / component.error;
            assert!(away.abs() < 4.0, "{component:?} {expected}");
            assert!(component.error < 0.1 * expected.abs(), "{component:?} says nothing");
        }
    }
}

/// The entries that drive the transformer off the surface, in one dimension. All others have no slope at all: queries
/// and keys that are 0 together, columns that read the zeros of the input, and what the six parameters stand in.
const DRIVEN: [&str; 11] = [
    "first.value[0,0]",
    "first.value[1,0]",
    "second.0.value[0,0]",
    "second.0.value[1,0]",
    "second.0.value[1,1]",
    "second.1.query[0,1]",
    "second.1.key[0,0]",
    "second.1.value[0,0]",
    "second.1.value[0,1]",
    "second.1.value[1,1]",
    "second.1.p",
];

#[test]
fn the_surface_is_not_invariant() {
    let task = task(12, 1, Tokens::Gaussian, Reduction::Sum);
    let found = measured(task, &[0.5, 0.4, 0.7, 0.5, 0.8, 0.6]);
    for component in &found.off {
        if DRIVEN.contains(&component.name.as_str()) {
            assert!(component.deviations().abs() > 8.0, "{component:?}");
        } else {
            assert!(component.is_identically_zero(), "{component:?}");
        }
    }
    // Queries and keys that are 0 do not stay so once disturbed. Only what x_L asks of head 1 has no slope: neither
    // that head nor the 4-gram knows x_L, whose sign is free.
    let [first, gram] = found.meeting;
    assert!(first[0].deviations().abs() > 8.0, "{first:?}");
    assert!(gram[..2].iter().all(|component| component.deviations().abs() < 4.0), "{gram:?}");
    assert!(gram[2..].iter().all(|component| component.deviations().abs() > 8.0), "{gram:?}");
}

/// The reflection of one coordinate of all tokens is a symmetry of every embedded state.
#[test]
fn slopes_between_different_coordinates_vanish() {
    let task = task(8, 2, Tokens::Gaussian, Reduction::Sum);
    let found = measured(task, &[0.5, 0.4, 0.7, 0.5, 0.9, 0.8, 0.3, 0.6]);
    let matrices = Matrices::new(task).unwrap();
    let blocks = matrices.blocks();
    let (mut within, mut seen, mut between) = (0, 0, 0);
    for block in blocks.iter().filter(|block| block.shape.len() == 2) {
        for (place, component) in found.off[block.range()].iter().enumerate() {
            if component.is_identically_zero() {
                continue;
            }
            if place / 4 % 2 == place % 2 {
                within += 1;
                seen += usize::from(component.deviations().abs() > 4.5);
            } else {
                between += 1;
                assert!(component.deviations().abs() < 4.5, "{component:?}");
            }
        }
    }
    // The same sample sees most of the others.
    assert!(between > 20 && 2 * seen > within, "{between} {seen} {within}");
}

/// Descends with the parameters that `may_move`, from the start of 002, Fig. 1 after Stage I, until `t = 200`.
fn descend(matrices: Matrices, may_move: impl Fn(usize) -> bool) -> (Vec<f64>, Partial) {
    let shape = trained(matrices.task);
    let mut theta = matrices.embed(&shape, &[60.0, 0.01, 0.01, 0.01, 0.01, 0.01]).unwrap();
    let landscape = Corpus::fresh(matrices, 500).unwrap();
    let (mut work, mut gradient) = (landscape.work(), vec![0.0; theta.len()]);
    for step in 0..400 {
        let draw = Draw { seed: 2, step };
        landscape.evaluate(&theta, draw, &mut work, &mut gradient).unwrap();
        for i in (0..theta.len()).filter(|&i| may_move(i)) {
            theta[i] -= 0.5 * gradient[i];
        }
    }
    let partial = Corpus::stored(matrices, (4000, 1)).unwrap().0.partial(&theta, Draw::default());
    (theta, partial)
}

/// The six-parameter model keeps `p^(2,2) = 0`. Where it is free, head 2 turns to the recent past with head 1, and the
/// induction head is left where it was: at ten times the loss of its plateau.
#[test]
fn a_second_layer_without_frozen_parts_spends_both_heads_on_the_4_gram() {
    let kinds = (Tokens::Gaussian, Attention::Softmax, Reduction::Sum);
    let task = Task::general(40, 1, kinds, (1.0, 0.49)).unwrap();
    let matrices = Matrices::new(task).unwrap();
    let places = matrices.places(&trained(task)).unwrap().concat();
    let (theta, on) = descend(matrices, |i| i != places[0] && places.contains(&i));
    let plateau = Population::new(Shape::new(task)).unwrap();
    let reached: Vec<f64> = places[1..].iter().map(|&place| theta[place]).collect();
    let exact = plateau.partial(&reached).unwrap();
    assert!((on.gram / exact.gram - 1.0).abs() < 0.1, "{on:?} {exact:?}");
    assert!((on.induction / exact.induction - 1.0).abs() < 0.1, "{on:?} {exact:?}");

    let (theta, off) = descend(matrices, |i| i > matrices.slope(Head::First));
    assert!(off.gram < on.gram && off.induction > 10.0 * on.induction, "{on:?} {off:?}");
    assert!(theta[matrices.slope(Head::Induction)] > 0.5);
}
