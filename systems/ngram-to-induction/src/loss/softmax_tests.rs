use saddlescope_spec::testing::assert_close;

use super::quadrature::Nodes;
use super::*;
use crate::{Attention, Reduction, Tokens};

fn task(length: usize, tokens: Tokens, w_star: f64) -> Task {
    let kinds = (tokens, Attention::Softmax, Reduction::Sum);
    Task::general(length, 1, kinds, (1.0, w_star)).unwrap()
}

/// `F_a` of one sequence.
fn answer(x: &[f64], a: f64) -> f64 {
    let last = x[x.len() - 1];
    let weights: Vec<f64> = x[..x.len() - 2].iter().map(|key| (a * last * key).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().zip(&x[1..]).map(|(weight, value)| weight * value).sum::<f64>() / sum
}

/// Every boolean sequence, listed.
#[test]
fn boolean_moments_are_those_of_all_sequences() {
    for length in [4, 5, 6, 9] {
        let quadrature = {
            let task = task(length, Tokens::Boolean, 0.5);
            Quadrature::new(&task, Steps::standard(&task))
        };
        for (a, b) in [(0.0, 0.25), (0.3, 0.25), (-0.4, 0.25), (0.9, 1.3)] {
            let (mut square, mut product) = (0.0, 0.0);
            for bits in 0..1_usize << length {
                let x: Vec<f64> =
                    (0..length).map(|i| if bits >> i & 1 == 1 { 1.0 } else { -1.0 }).collect();
                square += answer(&x, a).powi(2);
                product += answer(&x, a) * answer(&x, b);
            }
            let all = f64::from(1 << length as u32);
            let found = [quadrature.square(a), quadrature.product(a, b)];
            for (found, expected) in found.into_iter().zip([square / all, product / all]) {
                assert!(
                    (found / expected - 1.0).abs() < 1e-11,
                    "{length} {a} {b}: {found} {expected}"
                );
            }
        }
    }
}

/// Three tokens by the trapezoidal rule: `L = 4` has the keys `x_1, x_2` and the values `x_2, x_3`, and
/// `E x_3^2 = 1` is done by hand.
#[test]
fn gaussian_moments_are_those_of_a_plain_integral() {
    let task = task(4, Tokens::Gaussian, 0.5);
    let quadrature = Quadrature::new(&task, Steps::standard(&task));
    let nodes = Nodes::normal(0.2, 8.0);
    for (a, b) in [(0.0, 0.25), (0.2, 0.25), (-0.3, 0.25)] {
        let mut expected = 0.0;
        for (&q, &wq) in nodes.at.iter().zip(&nodes.weight) {
            for (&x, &wx) in nodes.at.iter().zip(&nodes.weight) {
                for (&y, &wy) in nodes.at.iter().zip(&nodes.weight) {
                    let share = |slope: f64| 1.0 / (1.0 + (slope * q * (y - x)).exp());
                    let (first, second) = (share(a), share(b));
                    let product = first * second * y * y + (1.0 - first) * (1.0 - second);
                    expected += wq * wx * wy * product;
                }
            }
        }
        let found = quadrature.product(a, b);
        assert!((found / expected - 1.0).abs() < 1e-8, "{a} {b}: {found} {expected}");
        if a == b {
            assert!((quadrature.square(a) / expected - 1.0).abs() < 1e-8);
        }
    }
    let [square, product] = [quadrature.square(0.25), quadrature.product(0.25, 0.25)];
    assert!((square / product - 1.0).abs() < 1e-9, "{square} {product}");
}

#[test]
fn tables_hold_what_they_say() {
    for (tokens, w_star) in
        [(Tokens::Gaussian, 0.49), (Tokens::Gaussian, 0.2), (Tokens::Boolean, 0.8)]
    {
        let task = task(40, tokens, w_star);
        let table = Table::new(&task).unwrap();
        assert!(table.error < 1e-7, "{tokens:?} {w_star}: {:e}", table.error);
        let steps = Steps::standard(&task);
        let exact =
            Quadrature::new(&task, Steps { denominator: 0.2, token: 0.8 * steps.token, ..steps });
        for part in [-0.9, 0.0, 0.03, 0.61, 0.99] {
            let a = part * table.limit;
            let [own, cross] = table.moments(a);
            assert!((own / exact.square(a) - 1.0).abs() < 1e-8, "{tokens:?} {a}");
            assert!(
                (cross / exact.product(a, task.product()) - 1.0).abs() < 1e-8,
                "{tokens:?} {a}"
            );
        }
        // Slopes by differences.
        let (a, h, step) = (0.4 * task.product(), 0.3, 1e-5);
        let value = |a: f64, h: f64| table.loss(a, h).unwrap();
        let loss: Jet<f64, 2> = table.loss(Jet::variable(a, 0), Jet::variable(h, 1)).unwrap();
        let by_product = (value(a + step, h) - value(a - step, h)) / (2.0 * step);
        let by_h = (value(a, h + step) - value(a, h - step)) / (2.0 * step);
        assert_close(&loss.slopes, &[by_product, by_h], 1e-9, tokens);
        let [own, cross] = table.moments(a);
        let direct = 0.5 * (0.25 * table.square + h * h * own - h * cross);
        assert!((loss.value - direct).abs() < 1e-14);
    }
}

#[test]
fn beyond_the_table_there_is_a_fault_that_says_so() {
    let table = Table::new(&task(12, Tokens::Boolean, 0.5)).unwrap();
    let fault = table.loss(0.9, 0.1).unwrap_err().to_string();
    assert!(fault.contains("w_q w_k is 0.9") && fault.contains("online"), "{fault}");
}

/// What the error says, at weak and strong targets, short and long sequences.
#[test]
fn tables_know_their_error() {
    for (length, w_star) in [(4, 0.3), (4, 0.7), (40, 0.001), (40, 0.02), (40, 0.7), (400, 0.49)] {
        let table = Table::new(&task(length, Tokens::Gaussian, w_star)).unwrap();
        println!("{length} {w_star}: {:e}", table.error);
        assert!(table.error < 1e-5);
    }
    let error = Table::new(&task(40, Tokens::Gaussian, 1.5)).unwrap_err().to_string();
    assert!(error.contains("w_star is 1.5") && error.contains("online"), "{error}");
}
