//! The places where learning rests: with the 4-gram alone, and with the induction head.

use saddlescope_spec::problem::KnownSaddle;

use super::geometric::Sums;
use super::theory::Plateau;
use super::{Population, Shape};

/// The slope `p` of a learned 4-gram as it is written down: the stationary point itself lies at infinity.
const STEEP: f64 = 40.0;

/// The stationary points of Stage II, of a model with an induction head.
///
/// 002 calls the end of learning the only fixed point; the plateau is another.
pub fn list(landscape: &Population, plateau: &Plateau) -> Vec<KnownSaddle> {
    let shape = landscape.shape();
    let task = shape.task();
    let place = |label: &str, w: f64, h: f64, rank: usize| {
        let mut state = vec![0.0; shape.len()];
        if shape.has_gram() {
            state[shape.gram()] = STEEP;
            state[shape.gram() + 1] = task.gram_weight();
        }
        state[shape.query()..shape.h()].fill(w);
        state[shape.h()] = h;
        KnownSaddle { label: label.to_owned(), state, rank }
    };
    let names =
        if shape.has_gram() { ["4-gram", "4-gram, induction"] } else { ["plateau", "induction"] };
    vec![
        place(names[0], 0.0, plateau.h, 0),
        place(names[1], task.w_star(), task.induction_weight(), 1),
    ]
}

/// Which of the two is nearer, and how far it is: in the products of queries and keys by that of the target, the value
/// by its own, and the weight of the 4-gram's token.
pub fn nearest(shape: &Shape, plateau: &Plateau, state: &[f64]) -> Option<(usize, f64)> {
    let task = shape.task();
    let parameters = shape.read(state);
    let (query, key, h) = parameters.induction?;
    let gram = parameters
        .gram
        .map_or(0.0, |[p, g]| 1.0 - g / (Sums::new(task.places(), p).total() * task.gram_weight()));
    let distance = |learned: f64, value: f64| {
        let off = |(q, k): (&f64, &f64)| (q * k / task.product() - learned).powi(2);
        let products = query.iter().zip(key).map(off).sum::<f64>() / query.len() as f64;
        (products + (h / value - 1.0).powi(2) + gram * gram).sqrt()
    };
    let both = [distance(0.0, plateau.h), distance(1.0, task.induction_weight())];
    let nearer = usize::from(both[1] < both[0]);
    Some((nearer, both[nearer]))
}

#[cfg(test)]
mod tests {
    use saddlescope::{Draw, Landscape};

    use super::*;
    use crate::{Coupling, Parts, Task};

    #[test]
    fn nothing_moves_there_and_each_is_nearest_to_itself() {
        for coupling in [Coupling::Tied, Coupling::Untied] {
            for parts in [Parts::Both, Parts::Induction] {
                let task = Task::new(40, 1.0, 0.49).unwrap();
                let shape = Shape::new(task).coupling(coupling).parts(parts);
                let landscape = Population::new(shape).unwrap();
                let plateau = Plateau::new(&landscape, None).unwrap();
                for (number, place) in list(&landscape, &plateau).iter().enumerate() {
                    let mut gradient = vec![0.0; shape.len()];
                    let mut work = landscape.work();
                    let draw = Draw::default();
                    landscape.evaluate(&place.state, draw, &mut work, &mut gradient).unwrap();
                    assert!(gradient.iter().all(|slope| slope.abs() < 1e-16), "{gradient:?}");
                    let (found, distance) = nearest(&shape, &plateau, &place.state).unwrap();
                    assert!(found == number && distance < 1e-12);
                }
            }
        }
    }
}
