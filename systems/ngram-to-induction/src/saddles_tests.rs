use saddlescope_spec::testing::evaluate;

use super::*;
use crate::{Attention, Coupling, Parts, Reduction, Task, Tokens};

#[test]
fn nothing_moves_there_and_each_is_nearest_to_itself() {
    for coupling in [Coupling::Tied, Coupling::Untied] {
        for parts in [Parts::Both, Parts::Induction] {
            let task = Task::new(40, 1.0, 0.49).unwrap();
            let shape = Shape::new(task).coupling(coupling).parts(parts);
            let landscape = Population::new(shape).unwrap();
            let plateau = Plateau::new(&landscape, None).unwrap();
            for (number, place) in list(&landscape, &plateau).iter().enumerate() {
                let (_, gradient) = evaluate(&landscape, &place.state, Draw::default());
                assert!(gradient.iter().all(|slope| slope.abs() < 1e-16), "{gradient:?}");
                let (found, distance) = nearest(&shape, &plateau, &place.state).unwrap();
                assert!(found == number && distance < 1e-12);
            }
        }
    }
}

#[test]
fn the_loss_does_not_see_it() {
    let task = Task::general(
        12,
        3,
        (Tokens::Gaussian, Attention::Exponential, Reduction::Sum),
        (1.0, 0.3),
    )
    .unwrap();
    for coupling in [Coupling::Untied, Coupling::Tied] {
        let shape = Shape::new(task).coupling(coupling);
        let landscape = Population::new(shape).unwrap();
        let theta: Vec<f64> = (0..shape.parameters()).map(|i| 0.1 + 0.07 * i as f64).collect();
        let loss = |theta: &[f64]| landscape.partial(theta).unwrap().induction;
        let mut other = theta.clone();
        let (query, key) = (shape.query(), shape.key());
        // Turn the first coordinate round, exchange the other two, and query with key in one of them.
        other[query] = -other[query];
        other.swap(query + 1, query + 2);
        if !shape.is_tied() {
            other[key] = -other[key];
            other.swap(key + 1, key + 2);
            other.swap(query + 1, key + 1);
        }
        assert!((loss(&other) - loss(&theta)).abs() < 1e-16);
        let symmetry = symmetry(&shape);
        assert!(symmetry.distance(&other, &theta) < 1e-12);
        other[shape.h()] += 0.1;
        assert!(symmetry.distance(&other, &theta) > 0.09);
        for direction in directions(&shape, &theta) {
            let moved: Vec<f64> = theta.iter().zip(&direction).map(|(x, d)| x + 1e-5 * d).collect();
            assert!((loss(&moved) - loss(&theta)).abs() < 1e-11);
        }
    }
}
