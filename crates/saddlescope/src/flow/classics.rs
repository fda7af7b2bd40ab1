//! Stiff classics with published solutions, and the symmetric path against the general one.
//!
//! F. Mazzia and C. Magherini, "Test Set for Initial Value Problem Solvers", release 2.4 (2008).

use super::*;
use crate::field::GradientFlow;
use crate::record::Silent;
use crate::toys::{Toy, ToyField};
use crate::{Blocks, Draw, Landscape};

/// Runs a classic and returns the largest relative error of its end.
fn classic_error(
    flow: &Flow,
    start: &[f64],
    solution: &[f64],
    rate: fn(&[f64], &mut [f64]),
) -> f64 {
    let field = ToyField::new(start.len(), move |_, y, slope| {
        rate(y, slope);
        f64::NAN
    });
    let end = flow.run(&field, 0.0, start, &mut Silent).unwrap();
    let errors = end.state.iter().zip(solution).map(|(got, right)| (got / right - 1.0).abs());
    errors.fold(0.0, f64::max)
}

fn robertson(y: &[f64], rate: &mut [f64]) {
    rate[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    rate[2] = 3e7 * y[1] * y[1];
    rate[1] = -rate[0] - rate[2];
}

#[test]
fn robertson_ends_at_its_published_digits() {
    let late = [0.208_334_014_970_125_5e-7, 0.833_336_077_033_471_3e-13, 0.999_999_979_166_505];
    let flow = Flow::default().method(Method::Radau).tolerances(1e-10, 1e-24).until(1e11);
    let error = classic_error(&flow, &[1.0, 0.0, 0.0], &late, robertson);
    assert!(error < 1e-9, "{error:e}");
}

fn hires(y: &[f64], rate: &mut [f64]) {
    let fast = 280.0 * y[5] * y[7];
    rate[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    rate[1] = 1.71 * y[0] - 8.75 * y[1];
    rate[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    rate[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    rate[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    rate[5] = -fast + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    rate[6] = fast - 1.81 * y[6];
    rate[7] = -rate[6];
}

#[test]
fn hires_ends_at_its_published_digits() {
    let start = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
    let end = [
        0.737_131_257_332_566_8e-3,
        0.144_248_572_631_618_5e-3,
        0.588_872_974_096_757_5e-4,
        0.117_565_134_328_314_9e-2,
        0.238_635_619_883_133_1e-2,
        0.623_896_825_274_279_6e-2,
        0.284_999_839_518_576_9e-2,
        0.285_000_160_481_423_1e-2,
    ];
    // It ends in the middle of a steep fall, which magnifies errors.
    let flow = Flow::default().method(Method::Radau).tolerances(1e-12, 1e-16).until(321.8122);
    let error = classic_error(&flow, &start, &end, hires);
    assert!(error < 1e-9, "{error:e}");
}

fn van_der_pol(y: &[f64], rate: &mut [f64]) {
    rate[0] = y[1];
    rate[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
}

#[test]
fn van_der_pol_ends_at_its_published_digits() {
    let end = [0.170_616_773_217_048_3e1, -0.892_809_701_024_797_5];
    let flow = Flow::default().method(Method::Radau).tolerances(1e-10, 1e-12).until(2.0);
    let error = classic_error(&flow, &[2.0, 0.0], &end, van_der_pol);
    assert!(error < 1e-9, "{error:e}");
}

/// `x H x / 2 + sum of x^4 / 4` with an indefinite `H`; the last block stands still.
fn bowl() -> Toy {
    let blocks = Blocks::new().with("slow", &[8], 0.3).with("fast", &[8], 40.0);
    let wave = |i: usize, j: usize| (1.3 * (i * j) as f64 + 0.7 * (i + j) as f64).cos();
    let entry = move |i: usize, j: usize| wave(i, j) + if i == j { i as f64 } else { 0.0 };
    Toy::new(blocks.with("frozen", &[3], 0.0), move |x, slope| {
        let mut loss = 0.0;
        for i in 0..BOWL {
            let linear: f64 = x.iter().enumerate().map(|(j, x)| entry(i, j) * x).sum();
            loss += x[i] * linear / 2.0 + x[i].powi(4) / 4.0;
            slope[i] = linear + x[i].powi(3);
        }
        loss
    })
}

const BOWL: usize = 19;

/// The same flow, which keeps its symmetry and its products to itself.
fn discreet_flow() -> ToyField {
    let (bowl, rates) = (bowl(), bowl().blocks().rates());
    ToyField::new(BOWL, move |_, x, rate| {
        let loss = bowl.evaluate(x, Draw::default(), &mut (), rate).unwrap();
        rate.iter_mut().zip(&rates).for_each(|(rate, speed)| *rate *= -speed);
        loss
    })
}

#[test]
fn the_symmetric_and_the_general_path_agree_and_what_is_frozen_stands_still() {
    let bowl = bowl();
    let start: Vec<f64> = (0..BOWL).map(|i| (0.9 * i as f64).sin()).collect();
    let flow = Flow::default().method(Method::Radau).tolerances(1e-11, 1e-13).until(5.0);
    let symmetric = flow.run(&GradientFlow::new(&bowl), 0.0, &start, &mut Silent).unwrap();
    let general = flow.run(&discreet_flow(), 0.0, &start, &mut Silent).unwrap();
    for (a, b) in symmetric.state.iter().zip(&general.state) {
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
    assert_ne!(symmetric.state, general.state, "the two paths must be two paths");
    for end in [&symmetric, &general] {
        assert_eq!(end.state[16..], start[16..], "frozen parameters moved");
    }
}
