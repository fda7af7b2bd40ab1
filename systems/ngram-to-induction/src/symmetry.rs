//! What can change in the parameters without changing what they compute.

use saddlescope::symmetry::Symmetry;

use super::Shape;

/// Query and key enter by their product: they turn round together and change places; coordinates change places.
pub fn symmetry(shape: &Shape) -> Symmetry {
    let mut symmetry = Symmetry::none();
    if !shape.has_induction() {
        return symmetry;
    }
    let (query, key, d) = (shape.query(), shape.key(), shape.task().dimension());
    let entry = |i: usize| {
        let all = [query + i..query + i + 1, key + i..key + i + 1];
        all[..if shape.is_tied() { 1 } else { 2 }].to_vec()
    };
    for i in 0..d {
        symmetry = symmetry.flipping(&entry(i));
        if !shape.is_tied() {
            symmetry = symmetry.exchanging(vec![vec![query + i], vec![key + i]]);
        }
    }
    if d > 1 {
        let unit = |i: usize| entry(i).into_iter().flatten().collect();
        symmetry = symmetry.exchanging((0..d).map(unit).collect());
    }
    symmetry
}

/// Directions that change nothing at `state`: a query that grows as its key shrinks.
pub fn directions(shape: &Shape, state: &[f64]) -> Vec<Vec<f64>> {
    let (Some((query, key, _)), false) = (shape.read(state).induction, shape.is_tied()) else {
        return Vec::new();
    };
    let direction = |i: usize| {
        let mut direction = vec![0.0; state.len()];
        direction[shape.query() + i] = query[i];
        direction[shape.key() + i] = -key[i];
        direction
    };
    (0..query.len()).map(direction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coupling, Population, Task};

    #[test]
    fn the_loss_does_not_see_it() {
        let task = Task::general(12, 3, Default::default(), (1.0, 0.3)).unwrap();
        for coupling in [Coupling::Untied, Coupling::Tied] {
            let shape = Shape::new(task).coupling(coupling);
            let landscape = Population::new(shape).unwrap();
            let theta: Vec<f64> = (0..shape.len()).map(|i| 0.1 + 0.07 * i as f64).collect();
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
                let moved: Vec<f64> =
                    theta.iter().zip(&direction).map(|(x, d)| x + 1e-5 * d).collect();
                assert!((loss(&moved) - loss(&theta)).abs() < 1e-11);
            }
        }
    }
}
