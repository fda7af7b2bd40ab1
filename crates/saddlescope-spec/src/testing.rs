//! What tests of systems share: differences beside derivatives, means beside expectations.
//!
//! Each function panics, with the place, where numbers do not agree.

use std::fmt::{Debug, Display};

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::Moment;
use saddlescope::{Draw, Landscape};

pub use crate::measure::slope;
use crate::measure::{Mean, random};
use crate::problem::Problem;
use crate::settings::{GivenValue, Input, Result, Section, Settings, read_literal};
use crate::system::System;

/// Normal numbers of that size, others for each `index`.
pub fn normals(count: usize, size: f64, index: u64) -> Vec<f64> {
    random(count, size, &mut Stream::new(11, Purpose::Perturbation, index))
}

pub fn evaluate<L: Landscape>(
    landscape: &L,
    theta: &[L::Scalar],
    draw: Draw,
) -> (f64, Vec<L::Scalar>) {
    let mut gradient = theta.to_vec();
    match landscape.evaluate(theta, draw, &mut landscape.work(), &mut gradient) {
        Ok(loss) => (loss, gradient),
        Err(fault) => panic!("no loss at {theta:?}: {fault}"),
    }
}

/// Numbers that must agree within `tolerance`.
pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: impl Debug) {
    assert_eq!(found.len(), expected.len(), "{what:?}");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() < tolerance, "{what:?}, {i}: {a} is not {b}");
    }
}

/// Slopes of `function` at `theta`, given as (place, slope), that must be those of differences within `tolerance`.
pub fn assert_slopes(
    slopes: impl IntoIterator<Item = (usize, f64)>,
    (theta, step): (&[f64], f64),
    function: impl Fn(&[f64]) -> f64,
    tolerance: f64,
    what: impl Debug,
) {
    for (i, found) in slopes {
        let difference = slope(step, |by| {
            let mut theta = theta.to_vec();
            theta[i] += by;
            function(&theta)
        });
        assert!(
            (found - difference).abs() < tolerance,
            "{what:?}, {i}: {found} is not {difference}"
        );
    }
}

/// A gradient that must be that of differences.
pub fn assert_gradient<L: Landscape<Scalar = f64>>(
    landscape: &L,
    (theta, step): (&[f64], f64),
    draw: Draw,
    tolerance: f64,
    what: impl Debug,
) {
    let (_, gradient) = evaluate(landscape, theta, draw);
    let loss = |theta: &[f64]| evaluate(landscape, theta, draw).0;
    assert_slopes(gradient.into_iter().enumerate(), (theta, step), loss, tolerance, what);
}

/// Exact products with the Hessian that must be differences of gradients, within `tolerance` of their size beside one.
pub fn assert_hessian_product<L: Landscape<Scalar = f64>>(
    landscape: &L,
    theta: &[f64],
    direction: &[f64],
    tolerance: f64,
    what: impl Debug,
) {
    let (mut product, draw) = (theta.to_vec(), Draw::default());
    let exact =
        landscape.hessian_product(theta, direction, draw, &mut landscape.work(), &mut product);
    assert_eq!(exact, Ok(true), "{what:?}");
    let gradient = |by: f64| {
        let moved: Vec<f64> = theta.iter().zip(direction).map(|(t, d)| t + by * d).collect();
        evaluate(landscape, &moved, draw).1
    };
    let [near, far] = [1e-4, 2e-4].map(|step| [gradient(step), gradient(-step)]);
    for (i, &found) in product.iter().enumerate() {
        let difference = (8.0 * (near[0][i] - near[1][i]) - (far[0][i] - far[1][i])) / 12e-4;
        let off = (found - difference).abs() / (1.0 + found.abs());
        assert!(off < tolerance, "{what:?}, {i}: {found} is not {difference}");
    }
}

/// Losses and gradients of `batches` draws, whose means must be `exact` within so many standard errors; returns the means.
pub fn assert_means<L: Landscape<Scalar = f64>>(
    landscape: &L,
    theta: &[f64],
    (batches, deviations): (u64, f64),
    (loss, gradient): &(f64, Vec<f64>),
    what: impl Debug,
) -> Vec<Mean> {
    let mut means = vec![Mean::default(); theta.len() + 1];
    for step in 0..batches {
        let (loss, gradient) = evaluate(landscape, theta, Draw { seed: 1, step });
        let found = std::iter::once(loss).chain(gradient);
        means.iter_mut().zip(found).for_each(|(mean, number)| mean.add(number));
    }
    for (i, (mean, exact)) in means.iter().zip(std::iter::once(loss).chain(gradient)).enumerate() {
        let (mean, error) = (mean.mean(), mean.error());
        let off = (mean - exact).abs();
        assert!(off < deviations * error, "{what:?}, {i}: {mean} +- {error} is not {exact}");
    }
    means
}

/// What a computation finds on so many threads.
pub fn on_threads<T: Send>(threads: usize, compute: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(compute),
        Err(error) => panic!("no {threads} threads: {error}"),
    }
}

/// What a computation finds, with the same bits on one, two and five threads.
pub fn same_on_threads<T: Send + PartialEq>(compute: impl Fn() -> T + Sync, what: impl Debug) -> T {
    let one = on_threads(1, &compute);
    for threads in [2, 5] {
        assert!(on_threads(threads, &compute) == one, "{what:?} on {threads} threads");
    }
    one
}

/// What must be refused with a message that has these `words`.
pub fn assert_refused<T, E: Display>(found: Result<T, E>, words: &str) {
    match found.map_err(|error| error.to_string()) {
        Ok(_) => panic!("this is not refused: {words}"),
        Err(message) => assert!(message.contains(words), "{message}"),
    }
}

/// The settings of a section in tables as of a file, `{ width = 4, norm = "after" }`, of which later ones count before
/// earlier ones.
pub fn settings(section: &Section, layers: &[&str]) -> Result<Settings> {
    let mut all: Vec<(String, Input)> = Vec::new();
    for layer in layers {
        let Ok(GivenValue { value: Input::Table(table), .. }) = read_literal(layer) else {
            panic!("no table: {layer}")
        };
        for (key, given) in table {
            all.retain(|(name, _)| *name != key.name);
            all.push((key.name, given.value));
        }
    }
    let values: Vec<(&str, Input)> =
        all.iter().map(|(name, value)| (&**name, value.clone())).collect();
    section.resolve_program(&values).map_err(|mut errors| errors.remove(0))
}

/// The problem with these settings of system and start: see [`settings`].
pub fn problem(system: &dyn System, layers: &[&str], start: &str, seed: u64) -> Result<Problem> {
    let schema = system.schema();
    let (set, start) = (settings(&schema.system, layers)?, settings(&schema.start, &[start])?);
    system.problem(&set, &start, seed)
}

pub fn observed(problem: &Problem, name: &str, state: &[f64]) -> Vec<f64> {
    let Some(one) = problem.observables.iter().find(|one| one.name == name) else {
        panic!("no observable {name}")
    };
    let moment = Moment { time: 0.0, step: 0, loss: 0.0, state, gradient: state };
    let mut value = vec![0.0; one.width()];
    one.compute(&moment, &mut value);
    value
}
