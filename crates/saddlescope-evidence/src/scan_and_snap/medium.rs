//! Syn-Medium: how attention depends on the rates, Figs. 6, 11 and 12.

use super::training::{attention, mean_entropy, train};
use super::*;

/// The last attention on Syn-Medium from one random start, by the number of queries.
fn medium(trial: Trial, queries: usize, eta_z: f64, ratio: f64) -> Outcome<(Shape, Vec<Vec<f64>>)> {
    let shape = Shape::new(Synthetic::authors(queries, 2).task()?, Outputs::All);
    let scale = 1.0 / (shape.task.vocabulary as f64).sqrt();
    let start = shape.uniform_start(scale, start_seed(trial, queries as u64))?;
    let theta = train(&shape, &start, (ratio * eta_z, eta_z), false, &[100])?.remove(0).0;
    let last = attention(&shape, &theta);
    Ok((shape, last))
}

pub(super) fn fig_6_eta_z(e: &mut Evidence, trial: Trial) -> Outcome {
    for queries in [1, 3, 5] {
        for ratio in [1.0, 2.0, 5.0] {
            let mut found = Vec::new();
            for eta_z in [0.5, 1.0, 2.0] {
                found.push(mean_entropy(&medium(trial, queries, eta_z, ratio)?.1));
            }
            let fall = smallest(found.windows(2).map(|pair| pair[0] - pair[1]));
            let what = format!(
                "least fall of entropy as eta_Z doubles from 0.5 to 2, {queries} queries, ratio \
                 {ratio}"
            );
            e.of(what).at_least(0.0, fall);
        }
    }
    Ok(())
}

pub(super) fn fig_6_ratio(e: &mut Evidence, trial: Trial) -> Outcome {
    for queries in [1, 3, 5] {
        let mut found = Vec::new();
        for ratio in [2.0, 5.0, 10.0] {
            found.push(mean_entropy(&medium(trial, queries, 1.0, ratio)?.1));
        }
        let rise = smallest(found.windows(2).map(|pair| pair[1] - pair[0]));
        e.of(format!("least rise of entropy over ratios 2, 5, 10, {queries} queries"))
            .at_least(0.0, rise);
    }
    Ok(())
}

pub(super) fn fig_6_threshold(e: &mut Evidence, trial: Trial) -> Outcome {
    let fall = |queries: usize| -> Outcome<f64> {
        Ok(mean_entropy(&medium(trial, queries, 1.0, 1.0)?.1)
            - mean_entropy(&medium(trial, queries, 1.0, 2.0)?.1))
    };
    let (one, three, five) = (fall(1)?, fall(3)?, fall(5)?);
    let what = |queries: usize| format!("fall of entropy from ratio 1 to 2, {queries} queries");
    e.of(what(1)).at_least(0.0, one);
    e.of(what(3)).at_least(0.005, three);
    e.of(what(5)).at_least(0.005, five);
    e.but(what(1)).at_most(-0.01, one);
    e.but(what(3)).at_least(0.005, three);
    e.but(what(5)).at_least(0.005, five);
    Ok(())
}

/// The part of all distinct tokens with attention above `times/M`.
fn recall(shape: &Shape, attention: &[Vec<f64>], times: f64) -> f64 {
    let threshold = times / shape.task.vocabulary as f64;
    let all = attention.iter().flat_map(|c| &c[10..]);
    all.clone().filter(|c| **c > threshold).count() as f64 / all.count() as f64
}

/// Recall of a sparser map less that of a denser one, the mean over small and over large thresholds.
fn differences(sparse: &(Shape, Vec<Vec<f64>>), dense: &(Shape, Vec<Vec<f64>>)) -> [f64; 2] {
    let less = |times: f64| recall(&sparse.0, &sparse.1, times) - recall(&dense.0, &dense.1, times);
    let mean = |first: f64, step: f64, count: u32| {
        (0..count).map(|i| less(first + step * f64::from(i))).sum::<f64>() / f64::from(count)
    };
    [mean(0.1, 0.05, 23), mean(8.0, 0.5, 13)]
}

/// Recall of two maps at so many times `eta_Z` and `eta_Y/eta_Z`, of which the first, that of `name`, is to be sparser.
fn recalls(
    e: &mut Evidence,
    trial: Trial,
    [name, other]: [&str; 2],
    rates: [[f64; 2]; 2],
) -> Outcome {
    let [sparse, dense] = rates.map(|[eta_z, ratio]| medium(trial, 3, eta_z, ratio));
    let (sparse, dense) = (sparse?, dense?);
    let [small, large] = differences(&sparse, &dense);
    let few = format!(
        "{name} beside {other}, 3 queries: mean recall of the sparser map less that of the denser, \
         thresholds 0.1 to 1.2 over M"
    );
    let many = format!("{name} beside {other}, 3 queries: the same, thresholds 8 to 14 over M");
    e.of(&few).at_least(0.0, small);
    e.of(&many).at_least(0.05, large);
    e.but(few).at_most(-0.001, small);
    e.but(many).at_least(0.05, large);
    let gap = mean_entropy(&dense.1) - mean_entropy(&sparse.1);
    e.assume(format!("{name} is sparser: its entropy is {gap:.3} lower"), gap > 0.0);
    Ok(())
}

pub(super) fn fig_11(e: &mut Evidence, trial: Trial) -> Outcome {
    recalls(e, trial, ["ratio 2", "10"], [[1.0, 2.0], [1.0, 10.0]])
}

pub(super) fn fig_12(e: &mut Evidence, trial: Trial) -> Outcome {
    recalls(e, trial, ["eta_Z = 3", "0.5"], [[3.0, 2.0], [0.5, 2.0]])
}
