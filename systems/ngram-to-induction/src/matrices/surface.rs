//! Whether training stays on the six-parameter model: the transformer's gradient on that surface, along it and off it.
//!
//! It does not stay. What keeps some matrices where the six-parameter model has them is that they enter in pairs: at
//! `W_Q = W_K = 0` neither has a slope. Value matrices have no such excuse. `x -> -x` excuses nothing either: it maps
//! every parameter to itself, and the loss is even in `x` for all of them. In `D > 1` dimensions the reflection of one
//! coordinate of all tokens keeps `D x D` parts diagonal.

use saddlescope::{Draw, Landscape};
use saddlescope_spec::claim::ClaimError;

use super::{Corpus, Head, Matrices, Matrix};
use crate::Shape;

/// A component of the expected gradient, estimated from independent batches.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// The parameter's name: `second.0.value[0,1]`.
    pub name: String,
    /// The mean over batches.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
}

impl Component {
    /// The mean in standard errors; 0 where no sequence has a slope.
    pub fn deviations(&self) -> f64 {
        if self.is_identically_zero() { 0.0 } else { self.mean / self.error }
    }

    /// Whether every batch has the slope 0, to the bit.
    pub fn is_identically_zero(&self) -> bool {
        self.mean == 0.0 && self.error == 0.0
    }
}

/// How many sequences a measurement takes: `batches` of `batch` each, drawn by `seed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Independent estimates, at least 2.
    pub batches: u64,
    /// Sequences of each.
    pub batch: usize,
    /// Which ones.
    pub seed: u64,
}

/// The expected gradient of the transformer at a state of the six-parameter model.
#[derive(Debug, Clone, PartialEq)]
pub struct Tangency {
    /// Along the surface: the slopes of the six parameters.
    pub along: Vec<Component>,
    /// Off the surface: what is left of every entry when its part along the surface is taken away. One that is not 0
    /// drives the transformer off.
    pub off: Vec<Component>,
    /// The slopes in `W_Q^T W_K` of the first layer and of head 1, where it is 0: each singular value of these
    /// matrices is the rate at which a disturbance of query and key together grows.
    pub meeting: [Vec<Component>; 2],
}

impl Tangency {
    /// The gradient at the embedded state `six`.
    pub fn measure(
        matrices: Matrices,
        shape: &Shape,
        six: &[f64],
        sample: Sample,
    ) -> Result<Self, ClaimError> {
        let (theta, places) = (matrices.embed(shape, six)?, matrices.places(shape)?);
        let landscape = Corpus::fresh(matrices, sample.batch)?;
        let (mut work, mut gradient) = (landscape.work(), vec![0.0; theta.len()]);
        let (mut along, mut off) = (Moments::default(), Moments::default());
        let mut meeting = [Moments::default(), Moments::default()];
        let asking = asking(&matrices, &theta);
        for step in 0..sample.batches.max(2) {
            let draw = Draw { seed: sample.seed, step };
            landscape.evaluate(&theta, draw, &mut work, &mut gradient)?;
            along.add(matrices.pull_back(shape, &gradient)?);
            off.add(off_surface(&places, &gradient));
            landscape.evaluate(&asking, draw, &mut work, &mut gradient)?;
            for (head, moments) in UNASKED.into_iter().zip(&mut meeting) {
                moments.add(keys(&matrices, head, &gradient));
            }
        }
        let blocks = matrices.blocks();
        let [first, gram] = meeting;
        let entry = |head: Head, index: usize| {
            let columns = columns(&matrices, head);
            format!("{}.meeting[{},{}]", head.name(), index / columns, index % columns)
        };
        Ok(Self {
            along: along.components(|index| shape.blocks().parameter_name(index)),
            off: off.components(|index| blocks.parameter_name(index)),
            meeting: [
                first.components(|index| entry(Head::First, index)),
                gram.components(|index| entry(Head::Gram, index)),
            ],
        })
    }
}

/// The heads without dot products in the six-parameter model.
const UNASKED: [Head; 2] = [Head::First, Head::Gram];

/// Coordinates of a position that a head can see: the last `D` are zeros before the first layer.
fn columns(matrices: &Matrices, head: Head) -> usize {
    if head == Head::First { matrices.task.dimension } else { matrices.width() }
}

/// The same state with `W_Q = 1` where it is 0. Since `W_K = 0`, it computes the same, and the slope in `W_K` is that
/// in `W_Q^T W_K`.
fn asking(matrices: &Matrices, theta: &[f64]) -> Vec<f64> {
    let mut asking = theta.to_vec();
    for head in UNASKED {
        for i in 0..matrices.width() {
            asking[matrices.entry(head, Matrix::Query, [i, i])] = 1.0;
        }
    }
    asking
}

/// The slopes in `W_K` of a head, as far as it sees.
fn keys(matrices: &Matrices, head: Head, gradient: &[f64]) -> Vec<f64> {
    let columns = columns(matrices, head);
    let entries = (0..columns).flat_map(|row| (0..columns).map(move |column| [row, column]));
    entries.map(|entry| gradient[matrices.entry(head, Matrix::Key, entry)]).collect()
}

/// The gradient less its projection to the surface, whose tangents are the indicators of `places`.
fn off_surface(places: &[Vec<usize>], gradient: &[f64]) -> Vec<f64> {
    let mut off = gradient.to_vec();
    for places in places {
        let mean = places.iter().map(|&place| gradient[place]).sum::<f64>() / places.len() as f64;
        places.iter().for_each(|&place| off[place] -= mean);
    }
    off
}

/// Vectors of independent estimates.
#[derive(Debug, Default)]
struct Moments(Vec<Vec<f64>>);

impl Moments {
    fn add(&mut self, estimate: Vec<f64>) {
        self.0.push(estimate);
    }

    fn components(&self, name: impl Fn(usize) -> String) -> Vec<Component> {
        let count = self.0.len() as f64;
        let component = |index: usize| {
            let mean = self.0.iter().map(|estimate| estimate[index]).sum::<f64>() / count;
            let squares =
                self.0.iter().map(|estimate| (estimate[index] - mean).powi(2)).sum::<f64>();
            let error = (squares / (count * (count - 1.0))).sqrt();
            Component { name: name(index), mean, error }
        };
        (0..self.0.first().map_or(0, Vec::len)).map(component).collect()
    }
}

#[cfg(test)]
#[path = "surface_tests.rs"]
mod tests;
