//! Syn-Medium: how attention depends on the rates, Figs. 6, 11 and 12.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement, Trial};

use super::super::{Outputs, Shape, Synthetic};
use super::plain_world::smallest;
use super::training::{attention, entropy, train};
use crate::measure::start_seed;

/// The last attention on Syn-Medium from one random start, by the number of queries.
fn medium(
    trial: Trial,
    queries: usize,
    eta_z: f64,
    ratio: f64,
) -> Result<(Shape, Vec<Vec<f64>>), ClaimError> {
    let shape = Shape::new(Synthetic::authors(queries, 2).task()?, Outputs::All);
    let scale = 1.0 / (shape.task().vocabulary() as f64).sqrt();
    let start = shape.uniform_start(scale, start_seed(trial, queries as u64))?;
    let theta = train(&shape, &start, (ratio * eta_z, eta_z), false, &[100])?.remove(0).0;
    let last = attention(&shape, &theta);
    Ok((shape, last))
}

pub(super) const FIG_6_Z: Claim = Claim::new(
    "scan-and-snap/fig-6-eta-z",
    "Fig. 6; section 8",
    Kind::Figure,
    "On Syn-Medium the entropy among distinct tokens goes down with a larger $\\eta_Z$.",
    |trial| {
        let mut evidence = Evidence::new();
        for queries in [1, 3, 5] {
            for ratio in [1.0, 2.0, 5.0] {
                let mut found = Vec::new();
                for eta_z in [0.5, 1.0, 2.0] {
                    found.push(entropy(&medium(trial, queries, eta_z, ratio)?.1));
                }
                let fall = smallest(found.windows(2).map(|pair| pair[0] - pair[1]));
                let what = format!(
                    "least fall of entropy as eta_Z doubles from 0.5 to 2, {queries} queries, \
                     ratio {ratio}"
                );
                evidence = evidence.printed(Measurement::at_least(what, 0.0, fall));
            }
        }
        Ok(evidence.note(
            "Long sequences, the authors' uniform start, momentum 0.9, 100 \
         updates; the same start in all cells of a seed.",
        ))
    },
);

pub(super) const FIG_6_RATIO: Claim = Claim::new(
    "scan-and-snap/fig-6-ratio",
    "Fig. 6; section 8",
    Kind::Figure,
    "It goes up with $\\eta_Y$ at fixed $\\eta_Z$ once $\\eta_Y/\\eta_Z$ is beyond 2.",
    |trial| {
        let mut evidence = Evidence::new();
        for queries in [1, 3, 5] {
            let mut found = Vec::new();
            for ratio in [2.0, 5.0, 10.0] {
                found.push(entropy(&medium(trial, queries, 1.0, ratio)?.1));
            }
            let rise = smallest(found.windows(2).map(|pair| pair[1] - pair[0]));
            evidence = evidence.printed(Measurement::at_least(
                format!("least rise of entropy over ratios 2, 5, 10, {queries} queries"),
                0.0,
                rise,
            ));
        }
        Ok(evidence)
    },
);

pub(super) const FIG_6_THRESHOLD: Claim = Claim::new(
    "scan-and-snap/fig-6-threshold",
    "Fig. 6; section 8",
    Kind::Figure,
    "The threshold from which it goes up is $\\eta_Y/\\eta_Z \\approx 2$: below, entropy falls \
     with $\\eta_Y$.",
    |trial| {
        let fall = |queries: usize| -> Result<f64, ClaimError> {
            Ok(entropy(&medium(trial, queries, 1.0, 1.0)?.1)
                - entropy(&medium(trial, queries, 1.0, 2.0)?.1))
        };
        let (one, three, five) = (fall(1)?, fall(3)?, fall(5)?);
        let what = |queries: usize| {
            format!(
                "fall of entropy from ratio 1 to 2, {queries} \
         queries"
            )
        };
        Ok(Evidence::new()
            .printed(Measurement::at_least(what(1), 0.0, one))
            .printed(Measurement::at_least(what(3), 0.005, three))
            .printed(Measurement::at_least(what(5), 0.005, five))
            .corrected(Measurement::at_most(what(1), -0.01, one))
            .corrected(Measurement::at_least(what(3), 0.005, three))
            .corrected(Measurement::at_least(what(5), 0.005, five)))
    },
)
.corrected("so with 3 or more queries; with one query it rises from ratio 1 on");

/// The part of all distinct tokens with attention above `times/M`.
fn recall(shape: &Shape, attention: &[Vec<f64>], times: f64) -> f64 {
    let threshold = times / shape.task().vocabulary() as f64;
    let all = attention.iter().flat_map(|c| &c[10..]);
    all.clone().filter(|c| **c > threshold).count() as f64 / all.count() as f64
}

/// Recall of a sparser map less that of a denser one, the mean over small and over large
/// thresholds.
fn differences(sparse: &(Shape, Vec<Vec<f64>>), dense: &(Shape, Vec<Vec<f64>>)) -> [f64; 2] {
    let less = |times: f64| recall(&sparse.0, &sparse.1, times) - recall(&dense.0, &dense.1, times);
    let mean = |first: f64, step: f64, count: u32| {
        (0..count).map(|i| less(first + step * f64::from(i))).sum::<f64>() / f64::from(count)
    };
    [mean(0.1, 0.05, 23), mean(8.0, 0.5, 13)]
}

/// Evidence from the differences of two maps.
fn descends(what: &str, [small, large]: [f64; 2]) -> Evidence {
    let few = format!(
        "{what}: mean recall of the sparser map less that of the denser, thresholds 0.1 to 1.2 \
         over M"
    );
    let many = format!("{what}: the same, thresholds 8 to 14 over M");
    Evidence::new()
        .printed(Measurement::at_least(&*few, 0.0, small))
        .printed(Measurement::at_least(&*many, 0.05, large))
        .corrected(Measurement::at_most(few, -0.001, small))
        .corrected(Measurement::at_least(many, 0.05, large))
}

pub(super) const FIG_11: Claim = Claim::new(
    "scan-and-snap/fig-11",
    "Fig. 11; appendix G",
    Kind::Figure,
    "A smaller $\\eta_Y/\\eta_Z$ makes a sparser map, whose recall of distinct tokens descends \
     more slowly as the threshold rises.",
    |trial| {
        let (sparse, dense) = (medium(trial, 3, 1.0, 2.0)?, medium(trial, 3, 1.0, 10.0)?);
        let gap = entropy(&dense.1) - entropy(&sparse.1);
        Ok(descends("ratio 2 beside 10, 3 queries", differences(&sparse, &dense))
            .assuming(format!("ratio 2 is sparser: its entropy is {gap:.3} lower"), gap > 0.0))
    },
)
.corrected(
    "a sparser map keeps more recall at large thresholds, and loses it first at small \
 ones",
);

pub(super) const FIG_12: Claim = Claim::new(
    "scan-and-snap/fig-12",
    "Fig. 12; appendix G",
    Kind::Figure,
    "A larger $\\eta_Z$ makes a sparser map, whose recall of distinct tokens descends more \
     slowly as the threshold rises.",
    |trial| {
        let (sparse, dense) = (medium(trial, 3, 3.0, 2.0)?, medium(trial, 3, 0.5, 2.0)?);
        let gap = entropy(&dense.1) - entropy(&sparse.1);
        Ok(descends("eta_Z = 3 beside 0.5, 3 queries", differences(&sparse, &dense))
            .assuming(format!("eta_Z = 3 is sparser: its entropy is {gap:.3} lower"), gap > 0.0))
    },
)
.corrected(
    "a sparser map keeps more recall at large thresholds, and loses it first at small \
 ones",
);
