//! Designs: which point of the space of varied settings each member of a sweep has.

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope_spec::settings::sweep::{self, Sweep};

use super::draft::Vary;
use super::expand::points;

#[derive(Debug)]
pub(super) struct Design {
    lengths: Vec<usize>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Every combination, the last setting fastest.
    Grid,
    /// Every point draws its place along each setting.
    Random { points: usize, seed: u64 },
    /// The same, with one point in each of as many equal parts of each setting as there are points.
    LatinHypercube { points: usize, seed: u64, parts: Vec<Vec<u32>> },
}

impl Design {
    pub(super) fn new(sweep: Option<&Sweep>, vary: &[Vary]) -> Self {
        let lengths = vary.iter().map(|vary| vary.values.len()).collect();
        let kind = sweep.map_or(Kind::Grid, |sweep| {
            let (points, seed) = (points(sweep), sweep.seed);
            match sweep.design {
                sweep::Design::Grid => Kind::Grid,
                sweep::Design::Random => Kind::Random { points, seed },
                sweep::Design::LatinHypercube => {
                    let parts = (0..vary.len()).map(|vary| order(points, seed, vary)).collect();
                    Kind::LatinHypercube { points, seed, parts }
                }
            }
        });
        Self { lengths, kind }
    }

    /// How many points there are where `varied` is varied.
    pub(super) fn points(&self, varied: &[usize]) -> usize {
        match self.kind {
            Kind::Grid => {
                varied.iter().fold(1_usize, |all, &vary| all.saturating_mul(self.lengths[vary]))
            }
            Kind::Random { points, .. } | Kind::LatinHypercube { points, .. } => points,
        }
    }

    /// Where a point lies along a setting, from 0 to 1.
    pub(super) fn part(&self, point: usize, vary: usize) -> f64 {
        let uniform = |seed| {
            let stream = Stream::new(seed, Purpose::Design, vary as u64);
            stream.substream(point as u64).uniform()
        };
        match &self.kind {
            Kind::Grid => 0.0,
            Kind::Random { seed, .. } => uniform(*seed),
            Kind::LatinHypercube { points, seed, parts } => {
                (f64::from(parts[vary][point]) + uniform(*seed)) / *points as f64
            }
        }
    }

    /// Which value of a list a point has, where `varied` is varied.
    pub(super) fn pick(&self, point: usize, varied: &[usize], vary: usize) -> usize {
        let length = self.lengths[vary];
        match self.kind {
            Kind::Grid => {
                let faster = varied.iter().rev().take_while(|&&other| other != vary);
                let stride: usize = faster.map(|&other| self.lengths[other]).product();
                point / stride % length
            }
            _ => ((self.part(point, vary) * length as f64) as usize).min(length - 1),
        }
    }

    /// What tells the points of some of the settings apart: the values of a grid, else the point itself.
    pub(super) fn picks(&self, point: usize, varied: &[usize], some: &[usize]) -> Vec<usize> {
        match self.kind {
            Kind::Grid => some.iter().map(|&vary| self.pick(point, varied, vary)).collect(),
            _ => vec![point],
        }
    }
}

/// The order in which points take the parts of a setting.
fn order(points: usize, seed: u64, vary: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..u32::try_from(points).unwrap_or(u32::MAX)).collect();
    // A stream of its own: those of the points have numbers below `points`.
    let key = Stream::new(seed, Purpose::Design, vary as u64);
    key.substream(u64::MAX).shuffle(&mut order);
    order
}
