use saddlescope_spec::measure::evaluated;
use saddlescope_spec::testing::{self, normals, observed};

use super::*;
use crate::{SparseMarkov, Target};

#[test]
fn the_parts_add_up_to_the_loss_and_the_terms_to_the_product() {
    let target = Target::orthonormal(&[3.0, 2.0], &[1, 0], 4).unwrap();
    let model = Factorisation::new(target, 3).unwrap();
    let task = "{ strengths = [3.0, 2.0], places = [1, 0], positions = 4, heads = 3 }";
    let problem = testing::problem(&SparseMarkov, &[task], "{}", 0).unwrap();
    let theta = normals(problem.init.len(), 1.0, 2);
    let loss = evaluated(&model, &theta).unwrap().0;
    let value = |name: &str| observed(&problem, name, &theta)[0];
    // By hand: all entries of G - P, of which positions 2 and 3 are the rest.
    let s = model.attention(&theta);
    let entry = |r: usize, i: usize| {
        let p: f64 = (0..3).map(|k| theta[k * 6 + r] * s[k * 4 + i]).sum();
        model.target.entries[r * 4 + i] - p
    };
    let half = |x: f64| 0.5 * x * x;
    assert!((value("part.1.1") - half(entry(0, 1))).abs() < 1e-14);
    assert!((value("part.2.1") - half(entry(1, 1))).abs() < 1e-14);
    assert!((value("part.1.2") - half(entry(0, 0))).abs() < 1e-14);
    let rest: f64 = (0..2).flat_map(|r| [2, 3].map(|i| half(entry(r, i)))).sum();
    // Of a loss of 0 there, so that all of it is left.
    assert!((loss + value("part.rest") - rest).abs() < 1e-13);
    let terms: f64 = (0..3).map(|k| value(&format!("head.{k}.term.2.1"))).sum();
    assert!((terms - (0.0 - entry(1, 1))).abs() < 1e-14);
    assert_eq!(value("head.2.at.1"), s[2 * 4 + 1]);
    assert_eq!(value("head.1.value.2"), theta[6 + 1]);
}

#[test]
fn heads_are_apart_by_the_farthest_from_the_mean() {
    let target = Target::orthonormal(&[1.0], &[0], 2).unwrap();
    let model = Factorisation::new(target, 2).unwrap();
    let theta = model.state(&[1.0, 3.0], &[0.5, 0.5, 0.9, 0.1]);
    let task = "{ strengths = [1.0], positions = 2, heads = 2 }";
    let problem = testing::problem(&SparseMarkov, &[task], "{}", 0).unwrap();
    let value = |name: &str| observed(&problem, name, &theta)[0];
    assert!((value("apart.v") - 1.0).abs() < 1e-14);
    assert!((value("apart.s") - 0.2 * 2.0_f64.sqrt()).abs() < 1e-14);
    assert!((value("first") - 0.3).abs() < 1e-14);
    let outcomes = outcomes(&model, &theta);
    let owner = outcomes.iter().find(|one| one.name == "owner.1").unwrap();
    assert_eq!(owner.value, 1.0.into());
}
