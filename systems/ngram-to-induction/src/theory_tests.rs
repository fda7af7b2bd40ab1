use super::*;
use crate::Tokens;

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
