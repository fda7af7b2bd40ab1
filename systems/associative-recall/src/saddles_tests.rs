use saddlescope_spec::testing::{evaluate, normals};

use super::*;
use crate::theory::plateau;
use crate::{Population, Task};

#[test]
fn places_are_on_their_plateaus_and_nearest_to_themselves() {
    for (order, heads) in [(4, 3), (3, 3), (5, 2)] {
        let shape = Shape::new(Task::new(order, 4).unwrap(), heads, 0.0).unwrap();
        let saddles = Saddles::new(shape);
        let landscape = Population::new(shape).unwrap();
        for (number, saddle) in saddles.list().iter().enumerate() {
            let (loss, gradient) = evaluate(&landscape, &saddle.state, Draw::default());
            let expected = plateau(&shape.task, saddle.rank);
            assert!((loss - expected).abs() < 2e-4, "{}: {loss} {expected}", saddle.label);
            assert!(gradient.iter().all(|slope| slope.abs() < 2e-4));
            let (nearest, distance) = saddles.nearest(&saddle.state).unwrap();
            assert!(nearest == number && distance < 1e-3, "{} {distance}", saddle.label);
        }
    }
}

#[test]
fn the_loss_does_not_see_it() {
    for (order, heads) in [(4, 3), (5, 3), (4, 2)] {
        let shape = Shape::new(Task::new(order, 3).unwrap(), heads, 0.0).unwrap();
        let landscape = Population::new(shape).unwrap();
        let theta = normals(shape.parameters(), 1.0, 0);
        let loss = |theta: &[f64]| evaluate(&landscape, theta, Draw::default()).0;
        let expected = loss(&theta);
        for direction in directions(&shape) {
            let moved: Vec<f64> = theta.iter().zip(&direction).map(|(t, d)| t + 0.7 * d).collect();
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
