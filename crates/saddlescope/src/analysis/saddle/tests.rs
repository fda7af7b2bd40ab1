//! Landscapes whose stationary points are known by hand.

use super::*;
use crate::prelude::*;

fn toy(n: usize, loss: fn(&[f64], &mut [f64]) -> f64) -> Toy {
    Toy::new(Blocks::new().with("x", &[n], 1.0), loss)
}

fn certified(toy: &Toy, state: &[f64]) -> Certificate {
    certify(toy, &|_| Vec::new(), state, &Search::default()).unwrap()
}

fn counts(found: &Certificate) -> (usize, usize, usize) {
    let counts = found.counts.unwrap();
    (counts.negative, counts.zero, counts.positive)
}

fn algebraic(found: &Certificate) -> (u32, f64) {
    match found.escape.as_ref().unwrap().law {
        Law::Algebraic { order, coefficient } => (order, coefficient),
        Law::Exponential { rate } => panic!("exponential at {rate}"),
    }
}

fn rate(found: &Certificate) -> f64 {
    match found.escape.as_ref().unwrap().law {
        Law::Exponential { rate } => rate,
        Law::Algebraic { order, .. } => panic!("algebraic of order {order}"),
    }
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found} is not {expected}");
}

/// `sum_i c_i y_i^2/2 + (y_1 + ... + y_n)^3/9`, `y` a reflection of `x` about `(1, 1, 1, 1)`.
fn ordinary(x: &[f64], g: &mut [f64]) -> f64 {
    const C: [f64; 4] = [-2.0, -0.5, 1.0, 3.0];
    let mean = 0.5 * x.iter().sum::<f64>();
    let y: Vec<f64> = x.iter().map(|x| x - mean).collect();
    let sum: f64 = y.iter().sum();
    let slope: Vec<f64> = y.iter().zip(C).map(|(y, c)| c * y + sum * sum / 3.0).collect();
    let mean = 0.5 * slope.iter().sum::<f64>();
    g.iter_mut().zip(&slope).for_each(|(g, s)| *g = s - mean);
    y.iter().zip(C).map(|(y, c)| 0.5 * c * y * y).sum::<f64>() + sum.powi(3) / 9.0
}

#[test]
fn an_ordinary_saddle_has_its_index_its_rate_and_its_time() {
    let found = certified(&toy(4, ordinary), &[0.002, -0.001, 0.003, 0.001]);
    assert_eq!(found.kind, Kind::NonDegenerate);
    assert_eq!(counts(&found), (2, 0, 2));
    near(rate(&found), 2.0, 1e-8);
    let (lowest, highest) = found.curvature.unwrap();
    near(lowest, -2.0, 1e-8);
    near(highest, 3.0, 1e-8);
    let point = found.point.unwrap();
    assert!(point.residual < 1e-12 && point.state.iter().all(|x| x.abs() < 1e-12));
    near(point.distance, 0.000_015_f64.sqrt(), 1e-8);
    let departure = found.departure.unwrap();
    near(departure.measured.unwrap(), departure.predicted, 0.01);
    let escape = found.escape.unwrap();
    near(escape.time(1e-6, 1e-3), 1e3_f64.ln() / 2.0, 1e-8);
}

#[test]
fn rates_of_blocks_enter_the_rate_of_escape() {
    // Hessian (1, 2; 2, -1) at rates 0.5 and 2: eigenvalues of (0.5, 2; 2, -2).
    let loss = |x: &[f64], g: &mut [f64]| {
        (g[0], g[1]) = (x[0] + 2.0 * x[1], 2.0 * x[0] - x[1]);
        0.5 * x[0] * x[0] + 2.0 * x[0] * x[1] - 0.5 * x[1] * x[1]
    };
    let blocks = Blocks::new().with("a", &[], 0.5).with("b", &[], 2.0).with("frozen", &[], 0.0);
    let found = certified(&Toy::new(blocks, loss), &[0.0, 0.0, 7.0]);
    assert_eq!(counts(&found), (1, 0, 1));
    near(rate(&found), 0.75 + (2.25_f64 + 20.0).sqrt() / 2.0, 1e-9);
    near(found.curvature.unwrap().0, -(5.0_f64).sqrt(), 1e-9);
    let departure = found.departure.unwrap();
    near(departure.measured.unwrap(), departure.predicted, 1e-4);
}

#[test]
fn the_monkey_saddle_is_of_third_order() {
    let monkey = toy(2, |x, g| {
        (g[0], g[1]) = (3.0 * (x[0] * x[0] - x[1] * x[1]), -6.0 * x[0] * x[1]);
        x[0].powi(3) - 3.0 * x[0] * x[1] * x[1]
    });
    for state in [[0.05, 0.02], [0.0, 0.0], [-0.2, 0.1]] {
        let found = certified(&monkey, &state);
        assert_eq!(found.kind, Kind::Degenerate { order: 3 });
        assert_eq!(counts(&found), (0, 2, 0));
        // The form is cos(3 angle), and its least value is -1.
        near(algebraic(&found).1, 1.0, 1e-6);
        let departure = found.departure.unwrap();
        near(departure.measured.unwrap(), departure.predicted, 0.01);
        near(found.escape.unwrap().time(0.1, f64::INFINITY), 1.0 / 0.3, 1e-6);
    }
}

#[test]
fn orders_four_and_six_are_told_apart() {
    let quartic = toy(2, |x, g| {
        (g[0], g[1]) = (-4.0 * x[0].powi(3) + 5.0 * x[0].powi(4), 2.0 * x[1]);
        x[1] * x[1] - x[0].powi(4) + x[0].powi(5)
    });
    let found = certified(&quartic, &[0.1, 0.05]);
    assert_eq!(found.kind, Kind::Degenerate { order: 4 });
    near(algebraic(&found).1, 1.0, 1e-2);
    // The form of fourth order rises along x and is silent along y, which the sixth order finds.
    let sixth = toy(2, |x, g| {
        (g[0], g[1]) = (4.0 * x[0].powi(3), -6.0 * x[1].powi(5));
        x[0].powi(4) - x[1].powi(6)
    });
    let found = certified(&sixth, &[0.05, 0.05]);
    assert_eq!(found.kind, Kind::Degenerate { order: 6 });
    // From afar the point is known to a few parts in 10^4 only: its gradient is one of fifth order.
    near(algebraic(&certified(&sixth, &[0.0, 0.0])).1, 1.0, 1e-3);
    let bowl = toy(2, |x, g| {
        (g[0], g[1]) = (4.0 * x[0].powi(3), 4.0 * x[1].powi(3));
        x[0].powi(4) + x[1].powi(4)
    });
    assert_eq!(certified(&bowl, &[0.05, 0.1]).kind, Kind::Minimum { flat: 0 });
}

#[test]
fn stiff_directions_follow_the_flat_ones() {
    // x^2 + x y^2 = (x + y^2/2)^2 - y^4/4: along x = 0 the loss would look flat.
    let bent = toy(2, |x, g| {
        (g[0], g[1]) = (2.0 * x[0] + x[1] * x[1], 2.0 * x[0] * x[1]);
        x[0] * x[0] + x[0] * x[1] * x[1]
    });
    let found = certified(&bent, &[0.0, 0.0]);
    assert_eq!(found.kind, Kind::Degenerate { order: 4 });
    near(algebraic(&found).1, 0.25, 1e-4);
}

/// The square of one minus a product of two weights.
fn hyperbola() -> Toy {
    toy(2, |x, g| {
        let rest = 1.0 - x[0] * x[1];
        (g[0], g[1]) = (-2.0 * rest * x[1], -2.0 * rest * x[0]);
        rest * rest
    })
}

#[test]
fn products_of_two_and_of_three_weights_at_zero() {
    let found = certified(&hyperbola(), &[0.03, -0.02]);
    assert_eq!((found.kind, counts(&found)), (Kind::NonDegenerate, (1, 0, 1)));
    near(rate(&found), 2.0, 1e-8);
    let three = toy(3, |x, g| {
        let rest = 1.0 - x[0] * x[1] * x[2];
        for i in 0..3 {
            g[i] = -2.0 * rest * x[(i + 1) % 3] * x[(i + 2) % 3];
        }
        rest * rest
    });
    let found = certified(&three, &[0.05, -0.03, 0.04]);
    assert_eq!((found.kind, counts(&found)), (Kind::Degenerate { order: 3 }, (0, 3, 0)));
    near(algebraic(&found).1, 2.0 / 27.0_f64.sqrt(), 1e-4);
}

#[test]
fn what_decays_for_ever_is_at_infinity() {
    let tail = |x: &[f64], g: &mut [f64]| {
        (g[0], g[1]) = (-(-x[0]).exp(), x[1]);
        (-x[0]).exp() + 0.5 * x[1] * x[1]
    };
    let found = certified(&toy(2, tail), &[2.0, 0.0]);
    assert_eq!(found.kind, Kind::AtInfinity);
    let runaway = found.runaway.unwrap();
    near(runaway.ratio, 1.0, 0.05);
    near(runaway.growth[0].1, (-2.0_f64).exp() / 2.0, 1e-8);
    near(runaway.gradient, -(-2.0_f64).exp(), 1e-6);
    near(runaway.loss, -(-4.0_f64).exp(), 1e-8);
    near(runaway.direction[0], 1.0, 1e-6);
    let logistic = toy(1, |x, g| {
        g[0] = -1.0 / (1.0 + x[0].exp());
        (-x[0]).exp().ln_1p()
    });
    assert_eq!(certified(&logistic, &[1.0]).kind, Kind::AtInfinity);
    let power = toy(1, |x, g| {
        g[0] = -2.0 * x[0].powi(-3);
        x[0].powi(-2)
    });
    let found = certified(&power, &[3.0]);
    assert_eq!(found.kind, Kind::AtInfinity);
    // Newton's step for x^-2 is x/3.
    near(found.runaway.unwrap().ratio, 4.0 / 3.0, 0.02);
}

#[test]
fn zero_modes_of_symmetries_are_counted_apart() {
    let state = [2.1, 0.5];
    let found = certified(&hyperbola(), &state);
    assert_eq!((found.kind, counts(&found)), (Kind::Minimum { flat: 1 }, (0, 1, 1)));
    let known = |x: &[f64]| vec![vec![x[0], -x[1]], vec![2.0 * x[0], -2.0 * x[1]]];
    let found = certify(&hyperbola(), &known, &state, &Search::default()).unwrap();
    assert_eq!((found.kind, found.counts.unwrap().symmetry), (Kind::Minimum { flat: 0 }, 1));

    // A hat with a falling third direction: rotations of the rim cost nothing.
    let hat = toy(3, |x, g| {
        let rest = x[0] * x[0] + x[1] * x[1] - 1.0;
        (g[0], g[1], g[2]) = (4.0 * rest * x[0], 4.0 * rest * x[1], -2.0 * x[2]);
        rest * rest - x[2] * x[2]
    });
    let turn = |x: &[f64]| vec![vec![-x[1], x[0], 0.0]];
    let found = certify(&hat, &turn, &[0.7, 0.8, 0.01], &Search::default()).unwrap();
    assert_eq!((found.kind, counts(&found)), (Kind::NonDegenerate, (1, 1, 1)));
    assert_eq!(found.counts.unwrap().symmetry, 1);
    near(rate(&found), 2.0, 1e-7);
    // At the top of the hat a turn moves nothing: no zero mode, none to explain.
    let found = certify(&hat, &turn, &[0.01, 0.02, 0.0], &Search::default()).unwrap();
    assert_eq!((counts(&found), found.counts.unwrap().symmetry), ((3, 0, 0), 0));
}

#[test]
fn where_nothing_is_near_the_certificate_says_so() {
    let slope = toy(1, |x, g| {
        g[0] = 1.0;
        x[0]
    });
    assert_eq!(certified(&slope, &[0.3]).kind, Kind::None);
    let cubic = toy(1, |x, g| {
        g[0] = 3.0 * x[0] * x[0] + 1.0;
        x[0].powi(3) + x[0]
    });
    let found = certified(&cubic, &[0.3]);
    assert_eq!((found.kind, found.counts), (Kind::None, None));
    let far = toy(1, |x, g| {
        g[0] = x[0] - 50.0;
        0.5 * (x[0] - 50.0).powi(2)
    });
    let found = certified(&far, &[0.0]);
    assert_eq!(found.kind, Kind::None);
    near(found.point.unwrap().distance, 50.0, 1e-9);
}

#[test]
fn curvatures_without_a_gap_are_called_so() {
    let mixed = toy(4, |x, g| {
        const C: [f64; 4] = [1.0, 3e-6, 7e-7, 3e-8];
        g.iter_mut().zip(x).zip(C).for_each(|((g, x), c)| *g = c * x);
        0.5 * x.iter().zip(C).map(|(x, c)| c * x * x).sum::<f64>()
    });
    let found = certified(&mixed, &[0.0; 4]);
    assert!(!found.counts.unwrap().clear() && found.doubt.is_some(), "{found:?}");
    assert!(certified(&toy(4, ordinary), &[0.0; 4]).counts.unwrap().clear());
}

#[test]
fn paths_add_up_to_what_was_walked() {
    let node = |label: &str| Node {
        label: label.into(),
        rank: 0,
        loss: 0.0,
        kind: String::new(),
        order: None,
        index: None,
    };
    let mut graph = SaddleGraph::new(["a", "b", "c"].map(node).to_vec());
    graph.add_path(vec![0, 1, 2], 1);
    graph.add_path(vec![0, 2], 3);
    graph.add_way(1, 2, 1);
    graph.add_way(1, 2, 1);
    assert_eq!(graph.starts(), 4);
    assert_eq!(graph.paths()[0], Path { nodes: vec![0, 2], count: 3 });
    assert_eq!(graph.visits(), [4, 1, 4]);
    assert_eq!(graph.ways(), [Edge { from: 1, to: 2, count: 2 }]);
    let walked: Vec<_> = graph.walked().iter().map(|e| (e.from, e.to, e.count)).collect();
    assert_eq!(walked, [(0, 1, 1), (0, 2, 3), (1, 2, 1)]);
}
