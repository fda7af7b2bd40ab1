//! What can change in the parameters without changing what they compute.

use saddlescope::symmetry::Symmetry;

use super::Shape;

/// Strengths change sign; lags that no head looks for change places in all heads at once.
///
/// Heads do not change places: head `h` looks for a token of its own. Exchanging two heads together with
/// their lags keeps the loss, but no exchange of whole parts says so, since every weight belongs to a head
/// and to a lag.
pub fn symmetry(shape: &Shape) -> Symmetry {
    let mut symmetry = Symmetry::none();
    let kept = shape.simplified();
    if !kept.strengths {
        return symmetry;
    }
    for h in 0..shape.heads() {
        let place = h * shape.head_len();
        symmetry = symmetry.flipping(std::slice::from_ref(&(place..place + 1)));
    }
    if kept.window && kept.responses && shape.heads() < shape.task().order() {
        let lag = |i: usize| (0..shape.heads()).map(|h| h * shape.head_len() + 1 + i).collect();
        symmetry = symmetry.exchanging((shape.heads()..shape.task().order()).map(lag).collect());
    }
    symmetry
}

/// Directions that change nothing: a softmax does not see a constant.
pub fn directions(shape: &Shape) -> Vec<Vec<f64>> {
    let strengths = usize::from(shape.simplified().strengths);
    let shift = |h: usize| {
        let mut direction = vec![0.0; shape.parameters()];
        let place = h * shape.head_len() + strengths;
        direction[place..place + shape.lags()].fill(1.0);
        direction
    };
    (0..shape.heads()).map(shift).collect()
}

#[cfg(test)]
mod tests {
    use saddlescope::numeric::random::{Purpose, Stream};
    use saddlescope::{Draw, Landscape};

    use super::*;
    use crate::{Population, Task};

    #[test]
    fn the_loss_does_not_see_it() {
        for (order, heads) in [(4, 3), (5, 3), (4, 2)] {
            let shape = Shape::new(Task::new(order, 3).unwrap(), heads, 1.0).unwrap();
            let landscape = Population::new(shape).unwrap();
            let mut theta = vec![0.0; shape.parameters()];
            Stream::new(1, Purpose::Perturbation, 0).fill_normal(&mut theta);
            let mut gradient = vec![0.0; theta.len()];
            let mut loss = |theta: &[f64]| {
                let mut work = landscape.work();
                landscape.evaluate(theta, Draw::default(), &mut work, &mut gradient).unwrap()
            };
            let expected = loss(&theta);
            for direction in directions(&shape) {
                let moved: Vec<f64> =
                    theta.iter().zip(&direction).map(|(t, d)| t + 0.7 * d).collect();
                assert!((loss(&moved) - expected).abs() < 1e-14);
            }
            let symmetry = symmetry(&shape);
            let mut other = theta.clone();
            other[0] = -other[0];
            if order - heads >= 2 {
                for head in other.chunks_exact_mut(shape.head_len()) {
                    head.swap(1 + heads, 2 + heads);
                }
            }
            assert!((loss(&other) - expected).abs() < 1e-14);
            assert_eq!(symmetry.canonical(&other), symmetry.canonical(&theta));
            // Exchanging the lags of two heads is none.
            other[1..3].reverse();
            assert!((loss(&other) - expected).abs() > 1e-7);
            assert!(symmetry.distance(&other, &theta) > 1e-3);
        }
    }
}
