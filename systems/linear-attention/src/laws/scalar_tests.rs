use saddlescope::GradientFlow;

use super::*;
use crate::{Basis, Context, Population};

fn law() -> ScalarLaw {
    ScalarLaw::new(0.4, 1.0, 1.0 / 31.0, 1.0).unwrap()
}

/// The time from `start` to `end` by Gauss-Legendre quadrature of `dv/speed` in `ln v`, many panels.
fn quadrature(law: &ScalarLaw, start: f64, end: f64) -> f64 {
    const NODES: [(f64, f64); 3] = [
        (0.238_619_186_083_196_9, 0.467_913_934_572_691),
        (0.661_209_386_466_264_5, 0.360_761_573_048_138_6),
        (0.932_469_514_203_152, 0.171_324_492_379_170_36),
    ];
    let panels = 4000;
    let width = (end / start).ln() / panels as f64;
    let mut sum = 0.0;
    for panel in 0..panels {
        let middle = start.ln() + (panel as f64 + 0.5) * width;
        for (node, weight) in NODES {
            for side in [-1.0, 1.0] {
                let v = (middle + 0.5 * side * node * width).exp();
                sum += 0.5 * width * weight * v / law.speed(v);
            }
        }
    }
    sum
}

#[test]
fn the_closed_form_is_the_integral() {
    let law = law();
    let optimum = law.optimum();
    for (start, end) in [(1e-6, 1e-3), (0.01, 0.3), (0.01, 0.87), (0.5, 1.2), (0.3, 0.3 + 1e-6)] {
        let (time, expected) = (law.time(start, end).unwrap(), quadrature(&law, start, end));
        assert!((time / expected - 1.0).abs() < 1e-9, "{start} to {end}: {time}, {expected}");
    }
    let time = law.time(2.0, 1.4).unwrap();
    assert!((time / quadrature(&law, 2.0, 1.4) - 1.0).abs() < 1e-10, "from above v* = {optimum}");
}

#[test]
fn eq_37_as_printed_is_another_integral() {
    // From 0.3 to 0.5 with v^2 - (a/lambda) v^2 under the integral: (1/v0 - 1/v)/(1 - a/lambda).
    let law = law();
    let printed = (1.0 / 0.3 - 1.0 / 0.5) / (1.0 - law.second / law.eigenvalue) / 0.16;
    let right = law.time(0.3, 0.5).unwrap();
    assert!((quadrature(&law, 0.3, 0.5) / right - 1.0).abs() < 1e-9);
    assert!((printed / right - 1.0).abs() > 0.5, "{printed} against {right}");
}

#[test]
fn the_series_and_the_closed_form_meet() {
    let u: f64 = 0.3;
    let closed = bend(u, 1.0 - u);
    let series = bend(u - 1e-14, 1.0 - u);
    assert!((closed - series).abs() < 1e-14, "{closed} {series}");
}

#[test]
fn time_and_value_are_inverse() {
    let law = law();
    let optimum = law.optimum();
    for start in [1e-9, 1e-4, 0.01, 0.4, 0.8, 1.3] {
        for fraction in [1e-3, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-9] {
            let value = start + fraction * (optimum - start);
            let time = law.time(start, value).unwrap();
            let back = law.value_at(start, time).unwrap();
            let room =
                1e-12 * (optimum - value) + 4e-16 * optimum + 1e-13 * time * law.speed(value);
            assert!((back - value).abs() < room, "{start} -> {value}: {back}, room {room}");
        }
        assert_eq!(law.value_at(start, 0.0).unwrap(), start);
        assert_eq!(law.value_at(start, 1e15).unwrap(), optimum);
    }
    assert_eq!(law.value_at(optimum, 3.0).unwrap(), optimum);
}

#[test]
fn the_plateau_lasts_as_estimated_when_the_start_is_small() {
    // Case C-P9 and the ratios of the reference notes: 0.990 at v0 = 0.01, 0.997 at v0 = 0.003.
    let law = law();
    assert!((law.half_drop() - 0.8697557490296023).abs() < 1e-15);
    let half = |start: f64| law.time(start, law.half_drop()).unwrap();
    assert!((half(0.01) / 619.0184203884588 - 1.0).abs() < 1e-10);
    assert!((half(0.003) / law.plateau_estimate(0.003) - 0.997).abs() < 5e-4);
    let (top, floor) = (law.loss(0.0), law.loss(law.optimum()));
    assert!((law.loss(law.half_drop()) - 0.5 * (top + floor)).abs() < 1e-15);
}

#[test]
fn tau_only_stretches_time() {
    let slow = ScalarLaw::new(0.4, 1.0, 1.0 / 31.0, 7.0).unwrap();
    let ratio = slow.time(0.01, 1.0).unwrap() / law().time(0.01, 1.0).unwrap();
    assert!((ratio - 7.0).abs() < 1e-13);
}

#[test]
fn on_the_ansatz_the_law_is_the_flow() {
    let context = Context::Fixed(31);
    let task = Task::new(&[0.4, 0.3, 0.2], Basis::Random { seed: 1 }, context).unwrap();
    let shape = Shape::new(3, 4, 2).unwrap();
    let landscape = Population::new(&task, shape, 3.0).unwrap();
    let flow = GradientFlow::new(&landscape);
    for d in 0..3 {
        let law = ScalarLaw::of_stage(&task, d, 3.0).unwrap();
        let value = 0.6 * law.optimum();
        assert!(law.holds(value) && !law.holds(-value) && !law.holds(2.0 * law.optimum()));
        let theory = StageLaw::new(&task, shape, d, 3.0).unwrap();
        let weights = theory.lift(&[value]);
        assert_eq!(theory.project(&weights), [value]);
        assert_eq!(theory.project(&theory.lift(&[0.0])), [0.0], "stage {d}, nothing learned");
        let mut rate = vec![0.0; weights.len()];
        let loss = flow.evaluator().rate(0.0, &weights, &mut rate).unwrap();
        let mut scalar = [0.0];
        let reduced = law.evaluator().rate(0.0, &[value], &mut scalar).unwrap();
        assert!((loss - reduced).abs() < 1e-14, "stage {d}: {loss} is not {reduced}");
        let direction = shape.aligned_start(&task, &[1.0, 1.0, 1.0]).unwrap();
        let head = d * shape.head_len()..(d + 1) * shape.head_len();
        for (place, rate) in rate.iter().enumerate() {
            let moved = if head.contains(&place) { scalar[0] * direction[place] } else { 0.0 };
            assert!((rate - moved).abs() < 1e-15, "stage {d}, place {place}: {rate}, {moved}");
        }
    }
}

#[test]
fn the_jacobian_is_the_slope_of_the_rate() {
    let law = law();
    let step = 1e-6;
    for value in [0.1, 0.7, 1.3] {
        let mut product = [0.0];
        assert!(law.evaluator().jacobian_product(0.0, &[value], &[2.0], &mut product).unwrap());
        let difference = (law.speed(value + step) - law.speed(value - step)) / step;
        assert!((product[0] - difference).abs() < 1e-8);
    }
}

#[test]
fn times_outside_the_law_are_refused() {
    let law = law();
    for (start, value) in [(-0.1, 0.5), (0.0, 0.5), (0.5, 1.5), (0.5, law.optimum())] {
        assert!(law.time(start, value).is_err(), "{start} to {value}");
    }
    assert!(law.value_at(0.1, -1.0).is_err());
    assert!(law.value_at(f64::NAN, 1.0).is_err());
    let message = ScalarLaw::new(0.4, -0.3, 0.1, 1.0).unwrap_err().to_string();
    assert!(message.contains("trace is -0.3"), "{message}");
}
