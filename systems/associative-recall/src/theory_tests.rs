//! Closed forms beside sums, differences and reference numbers.

use saddlescope_spec::testing::assert_close;

use super::*;

#[test]
fn plateaus_of_the_papers_experiment() {
    let task = Task::new(4, 4).unwrap();
    assert_eq!(plateaus(&task, 3), [0.71875, 0.625, 0.375, 0.0]);
    assert_eq!(plateaus(&task, 4), plateaus(&task, 3));
    assert_eq!(mid_levels(&task, 3), [0.671875, 0.5, 0.1875]);
    assert_eq!(plateaus(&task, 1), [0.71875, 0.625]);
}

#[test]
fn entropies_of_the_plateaus_are_those_of_an_independent_implementation() {
    let task = Task::new(3, 2).unwrap();
    assert_close(&entropy_plateaus(&task, 2), &[0.599_455, 0.346_574, 0.0], 1e-6, task);
    let task = Task::new(4, 4).unwrap();
    let known = [1.321_163, 1.080_773, 0.519_860, 0.0];
    assert_close(&entropy_plateaus(&task, 3), &known, 1e-6, task);
}

#[test]
fn the_potential_is_the_integral_of_its_slope() {
    for order in [2, 4, 7] {
        let k = order as f64;
        assert_eq!(potential(order, 0.0), 0.0);
        for alpha in [-1.3, -0.0999, 0.01, 0.0999, 0.1001, 2.0_f64] {
            // 001, line 426.
            let e = alpha.exp();
            let slope = (k - 1.0) / (k * k) * (e - 1.0) * (e - 1.0 + k) / e;
            let h = 1e-4 * alpha.abs();
            let difference =
                (potential(order, alpha + h) - potential(order, alpha - h)) / (2.0 * h);
            assert!((difference - slope).abs() < 1e-7 * slope.abs(), "{order} {alpha}");
        }
        // 2 (k - 1)/k s^2 is four times the leading term.
        let s: f64 = 1e-5;
        let leading = 2.0 * (k - 1.0) / k * s * s;
        assert!((4.0 * potential(order, s.ln_1p()) - leading).abs() < 1e-4 * leading);
    }
}
