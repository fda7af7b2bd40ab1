//! The exact loss beside itself in another form, and differences; `data` holds it to sequences.

use saddlescope_spec::testing::{assert_close, assert_gradient, assert_hessian_product, normals};

use super::*;
use crate::Task;

fn weights(shape: &Shape, key: u64) -> Vec<f64> {
    normals(shape.parameters(), 1.0, key)
}

#[test]
fn order_four_is_that_of_the_subsets() {
    for heads in 1..=4 {
        let shape = Shape::new(Task::new(4, 3).unwrap(), heads, 0.2).unwrap();
        let landscape = Population::new(shape).unwrap();
        // From the plateau to a loss of 1e-30, and to heads that shut each other out.
        for (key, scale) in [(1, 0.1), (2, 1.0), (3, 2.0), (4, 5.0), (5, 15.0)] {
            let mut theta: Vec<f64> = weights(&shape, key).iter().map(|x| scale * x).collect();
            if key == 4 {
                for h in 0..heads {
                    theta[5 * h] = 8.0;
                    theta[5 * h + 1 + h] += 20.0;
                }
            }
            let mut buffers = landscape.scratch::<f64>();
            let (mut a, mut b) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
            let fast = landscape.slopes(&theta, &mut buffers, &mut a).unwrap();
            let slow = landscape.slope_by_subsets(&theta, &mut buffers, &mut b);
            // Exponents up to a few hundred carry their rounding into the weights.
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs() + 1e-300;
            assert!(close(fast, slow), "{heads} {key}: {fast} {slow}");
            let size = b.iter().fold(0.0, |size: f64, g| size.max(g.abs()));
            assert_close(&a, &b, 1e-12 * size + f64::MIN_POSITIVE, (heads, key));
        }
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    for (order, heads) in [(2, 1), (4, 3), (5, 5), (7, 6)] {
        let shape = Shape::new(Task::new(order, 4).unwrap(), heads, 0.2).unwrap();
        let landscape = Population::new(shape).unwrap();
        let (theta, direction) = (weights(&shape, 1), weights(&shape, 2));
        assert_gradient(&landscape, (&theta, 1e-3), Draw::default(), 1e-10, order);
        assert_hessian_product(&landscape, &theta, &direction, 3e-10, order);
    }
}

#[test]
fn relaxed_models_are_refused() {
    let task = Task::new(3, 2).unwrap();
    let shape = Shape::relaxed(task, 2, 0.0, crate::Simplified::NONE).unwrap();
    assert!(Population::new(shape).unwrap_err().to_string().contains("(A0) to (A3)"));
}
