//! The exact loss beside the literal task: every map of responses, every query.

use saddlescope_spec::testing::{
    assert_close, assert_hessian_product, assert_slopes, evaluate, normals,
};

use super::*;
use crate::Task;
use saddlescope::Draw;

fn weights(shape: &Shape, key: u64) -> Vec<f64> {
    normals(shape.parameters(), 1.0, key)
}

/// The loss averaged over all `f` and `q`, written out from the definition. 001, Eq. (9).
fn enumerated(shape: &Shape, theta: &[f64]) -> f64 {
    let task = &shape.task;
    let (k, r) = (task.order, task.responses);
    let list = task.list().unwrap();
    let maps = r.pow(list.len() as u32);
    let mut sum = 0.0;
    for query in list.iter() {
        let score = |pi: &[u16]| -> f64 {
            let of_head = |(h, head): (usize, crate::Head<'_>)| {
                let attention = Shape::attention(head.weights);
                let matches = (1..=k).filter(|lag| pi[k - lag] == query[k - 1 - h]);
                shape.gain
                    * head.beta
                    * head.beta
                    * matches.map(|lag| attention[lag - 1]).sum::<f64>()
            };
            shape.iter(theta).enumerate().map(of_head).sum()
        };
        let raised: Vec<f64> = list.iter().map(|pi| score(pi).exp()).collect();
        let whole: f64 = raised.iter().sum();
        let own = list.iter().position(|pi| pi == query).unwrap();
        for map in 0..maps {
            let response = |t: usize| map / r.pow(t as u32) % r;
            let found: f64 = (0..list.len())
                .filter(|&t| response(t) == response(own))
                .map(|t| raised[t] / whole)
                .sum();
            sum += 1.0 - found;
        }
    }
    sum / (maps * list.len()) as f64
}

#[test]
fn it_is_the_average_over_all_maps_and_queries() {
    for (order, responses, heads, gain) in
        [(2, 2, 1, 1.0), (2, 5, 2, 0.7), (3, 2, 2, 1.5), (3, 3, 3, 1.0), (3, 2, 1, 1.0)]
    {
        let shape = Shape::new(Task::new(order, responses).unwrap(), heads, gain).unwrap();
        let landscape = Population::new(shape).unwrap();
        let theta = weights(&shape, heads as u64);
        let (loss, gradient) = evaluate(&landscape, &theta, Draw::default());
        let expected = enumerated(&shape, &theta);
        // The literal sum rounds once for each of up to 4374 pairs of map and query.
        assert!((loss - expected).abs() < 2e-14, "{order} {responses}: {loss} {expected}");
        // Rounding of the sum forbids small steps.
        let (slopes, loss) =
            (gradient.into_iter().enumerate(), |theta: &[f64]| enumerated(&shape, theta));
        assert_slopes(slopes, (&theta, 1e-3), loss, 1e-10, (order, responses));
    }
}

#[test]
fn order_four_is_that_of_the_subsets() {
    for heads in 1..=4 {
        let shape = Shape::new(Task::new(4, 3).unwrap(), heads, 1.2).unwrap();
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
fn the_hessian_product_is_that_of_differences() {
    for (order, heads) in [(2, 1), (4, 3), (5, 5), (7, 6)] {
        let shape = Shape::new(Task::new(order, 4).unwrap(), heads, 1.2).unwrap();
        let landscape = Population::new(shape).unwrap();
        let (theta, direction) = (weights(&shape, 1), weights(&shape, 2));
        assert_hessian_product(&landscape, &theta, &direction, 3e-10, order);
    }
}

#[test]
fn relaxed_models_are_refused() {
    let task = Task::new(3, 2).unwrap();
    let shape = Shape::relaxed(task, 2, 1.0, crate::Simplified::NONE).unwrap();
    assert!(Population::new(shape).unwrap_err().to_string().contains("(A0) to (A3)"));
}
