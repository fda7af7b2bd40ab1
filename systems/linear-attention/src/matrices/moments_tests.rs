use saddlescope_spec::measure::Mean;

use super::*;
use crate::{Basis, Context, Theory};

fn task(context: Context) -> Task {
    Task::new(&[0.9, 0.4], Basis::Random { seed: 5 }, context).unwrap()
}

fn every_law() -> [Tasks; 4] {
    let mixed = |in_context, noise| Tasks { in_context, noise, seed: 3 };
    [Tasks::FRESH, mixed(0.0, false), mixed(0.0, true), mixed(0.25, false)]
}

#[test]
fn every_feature_has_a_place_of_its_own() {
    for dimension in 1..5 {
        let features = Features { dimension };
        let places: Vec<usize> =
            features.each().iter().map(|&(a, b, c)| features.place(b, a) + c).collect();
        assert_eq!(places, (0..features.count()).collect::<Vec<_>>());
    }
}

#[test]
fn pairings_of_six_are_fifteen() {
    assert_eq!(wick(&|_, _| 1.0, &[0; 6]), 15.0);
    let covariance = [[2.0, 0.5], [0.5, 3.0]];
    let l = |a: usize, b: usize| covariance[a][b];
    // E[x^2 y^2] = E[x^2] E[y^2] + 2 E[x y]^2.
    assert_eq!(wick(&l, &[0, 1, 0, 1]), 6.0 + 2.0 * 0.25);
}

/// Means over independent data sets, against their standard errors.
#[test]
fn closed_forms_are_the_means_over_data_sets() {
    let contexts = [Context::Fixed(5), Context::Listed(vec![(6, 1.0), (3, 1.0)])];
    for (context, tasks) in contexts.iter().flat_map(|c| every_law().map(|tasks| (c, tasks))) {
        let task = task(context.clone());
        let exact = Moments::exact(&task, tasks).unwrap();
        let all = |moments: &Moments| -> Vec<f64> {
            [&moments.second[..], &moments.cross, &[moments.square]].concat()
        };
        let expected = all(&exact);
        let mut means = vec![Mean::default(); expected.len()];
        for seed in 0..60 {
            let found = all(&Moments::sampled(&task, tasks, (400, seed)).unwrap());
            means.iter_mut().zip(found).for_each(|(mean, value)| mean.add(value));
        }
        let (mut chi, mut count) = (0.0, 0.0);
        for (place, (mean, expected)) in means.iter().zip(&expected).enumerate() {
            let (found, error) = (mean.mean(), mean.error());
            let off = (found - expected).abs();
            assert!(
                off < 5.5 * error + 1e-12,
                "{tasks:?}, {place}: {found} +- {error}, {expected}"
            );
            if error > 1e-9 {
                chi += (off / error).powi(2);
                count += 1.0;
            }
        }
        assert!(chi / count < 1.8, "{tasks:?}: {}", chi / count);
    }
}

#[test]
fn data_sets_have_the_same_bits_at_any_number_of_threads() {
    let task = task(Context::Fixed(4));
    let tasks = Tasks { in_context: 0.5, noise: true, seed: 1 };
    let with = |threads| {
        saddlescope_spec::testing::on_threads(threads, || {
            Moments::sampled(&task, tasks, (1500, 2)).unwrap()
        })
    };
    assert_eq!(with(1), with(3));
}

/// 003, appendix E.1: of all cubic features those of `beta` alone help, with a task vector of its own for each sequence.
#[test]
fn the_least_loss_needs_no_zero_blocks() {
    for context in [Context::Fixed(4), Context::Varying(3)] {
        let task = task(context);
        let least = Moments::exact(&task, Tasks::FRESH).unwrap().least().unwrap();
        assert!((least - Theory::new(&task).least_loss()).abs() < 1e-12, "{least}");
        // A shared vector is the more predictable the more sequences have it.
        let of = |in_context: f64| {
            let tasks = Tasks { in_context, noise: true, seed: 3 };
            Moments::exact(&task, tasks).unwrap().least().unwrap()
        };
        assert!(of(0.0) < of(0.5) && of(0.5) < 0.5 * (of(0.0) + least) + 0.5 * task.trace());
    }
}

#[test]
fn few_entries_say_the_same_as_all() {
    let axes = Task::new(&[0.9, 0.5, 0.3], Basis::Axes, Context::Fixed(6)).unwrap();
    let sparse = Moments::exact(&axes, Tasks::FRESH).unwrap();
    let dense = Moments { entries: None, ..sparse.clone() };
    assert!(sparse.entries.is_some());
    let t: Vec<f64> = (0..sparse.cross.len()).map(|i| (i as f64).sin()).collect();
    let of = |moments: &Moments| {
        let mut slopes = vec![0.0; t.len()];
        (moments.slopes(&t, &mut slopes), slopes)
    };
    let ((loss, slopes), (expected, others)) = (of(&sparse), of(&dense));
    assert!((loss - expected).abs() < 1e-12 * expected);
    assert!(slopes.iter().zip(&others).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b.abs())));
}

#[test]
fn what_has_no_length_has_no_moments() {
    let error = Moments::exact(&task(Context::InverseMean(0.1)), Tasks::FRESH).unwrap_err();
    assert!(error.to_string().contains("E(1/N) = 0.1"), "{error}");
}
