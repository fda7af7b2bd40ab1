use super::*;
use crate::theory::phases::Induction;
use crate::{Attention, Reduction, Tokens};

/// `psi(x) = E e^{x a b}` of two tokens and its slope `phi`: `(1 - x^2)^{-1/2}`, or `cosh x`. 002, Lemma 7.
fn psi_and_phi(tokens: Tokens, x: f64) -> [f64; 2] {
    match tokens {
        Tokens::Gaussian => [(1.0 - x * x).powf(-0.5), x * (1.0 - x * x).powf(-1.5)],
        Tokens::Boolean => [x.cosh(), x.sinh()],
    }
}

/// The closed forms of the plateau, simplified attention, both kinds of tokens and of coupling.
#[test]
fn the_plateau_is_that_of_the_closed_forms() {
    for tokens in [Tokens::Gaussian, Tokens::Boolean] {
        let task = Task::new(40, 1.0, 0.49).unwrap().with_tokens(tokens).unwrap();
        for (coupling, factor) in [(Coupling::Tied, 2.0), (Coupling::Untied, 1.0)] {
            let shape = Shape::new(task).coupling(coupling).parts(Parts::Induction);
            let found = Plateau::new(&Population::new(shape).unwrap(), None).unwrap();
            let (v, n) = (task.product(), 38.0);
            let ([psi, phi], [twice, _]) = (psi_and_phi(tokens, v), psi_and_phi(tokens, 2.0 * v));
            let h = 0.5 * psi;
            let loss = 0.25 * (twice - psi.powi(2)) / (2.0 * n);
            let rate = factor * h * 0.5 * phi / n;
            assert!((found.h - h).abs() < 1e-14 && (found.loss - loss).abs() < 1e-16);
            assert!(
                (found.rate - rate).abs() < 1e-15 && (found.relaxation - 1.0 / n).abs() < 1e-15
            );
        }
    }
}

/// `E F_0^2 = 1/(L - 2)` whatever the attention, so `h` relaxes at the same rate under the softmax.
#[test]
fn the_softmax_has_a_lower_plateau() {
    let task = Task::new(40, 1.0, 0.49).unwrap().with_attention(Attention::Softmax).unwrap();
    let shape = Shape::new(task).parts(Parts::Induction);
    let found = Plateau::new(&Population::new(shape).unwrap(), None).unwrap();
    assert!((found.relaxation - 1.0 / 38.0).abs() < 1e-9);
    assert!((found.h - 0.500).abs() < 1e-3 && (found.loss - 1.966e-4).abs() < 1e-6, "{found:?}");
}

/// The law of the escape against the exact flow: a few parts in a hundred, better for a slower escape.
#[test]
fn escapes_come_when_the_law_says() {
    for (alpha, w_star, scale, tolerance) in [(1.0, 0.49, 0.01, 0.02), (4.0, 0.3, 1e-3, 2e-3)] {
        for attention in [Attention::Exponential, Attention::Softmax] {
            let kinds = (Tokens::Gaussian, attention, Reduction::Sum);
            let task = Task::general(40, 1, kinds, (alpha, w_star)).unwrap();
            let shape = Shape::new(task).parts(Parts::Induction);
            let start = shape.equal_start(scale).unwrap();
            let head = Induction::new(shape, &start).unwrap();
            let escape = Escape::new(&head.landscape, scale, scale).unwrap();
            for part in [0.5, 0.01] {
                let exact = head.time_to_part(part).unwrap().unwrap();
                let law = escape.time_to_part(part).unwrap();
                assert!((law / exact - 1.0).abs() < tolerance, "{alpha} {part}: {law} {exact}");
            }
            let exact = head.time_to_strength(0.5).unwrap().unwrap();
            assert!((escape.time_to(0.5 * w_star).unwrap() / exact - 1.0).abs() < tolerance);
            // On the plateau the closed form is enough.
            let early = head.time_to_strength(0.1).unwrap().unwrap();
            let strength = escape.strength(early);
            assert!((strength / (0.1 * w_star) - 1.0).abs() < 0.1, "{strength}");
        }
    }
}
