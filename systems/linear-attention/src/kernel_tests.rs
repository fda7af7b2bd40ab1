use saddlescope_spec::testing::normals;

use super::*;
use crate::data::empirical::Statistics;
use crate::loss::Quadratic;
use crate::{Basis, Context, Shape, Task};

/// Everything that an evaluation does between weights and gradient.
struct Whole<'a> {
    statistics: &'a Statistics,
    rank: usize,
    weights: &'a [f64],
}

impl Kernel for Whole<'_> {
    type Output = (f64, Vec<f64>);

    const WIDE: bool = true;

    #[inline(always)]
    fn run<D: Dim>(self, dim: D) -> (f64, Vec<f64>) {
        let d = dim.get();
        let (mut theta, mut rows, mut columns) =
            (vec![0.0; d * d], vec![f64::NAN; d * d], vec![f64::NAN; d * d]);
        // Scratch that was used before must not be seen.
        let mut scratch = vec![f64::NAN; self.statistics.scratch().max(d * (d + 2))];
        let mut gradient = vec![f64::NAN; self.weights.len()];
        compose(dim, self.rank, self.weights, &mut theta);
        let loss = self.statistics.slope(dim, &theta, &mut rows, &mut scratch);
        back(dim, self.rank, self.weights, Slope::new(dim, &rows, &mut columns), &mut gradient);
        (loss, gradient)
    }
}

/// The readable reference: every sum written out.
fn plain(statistics: &Statistics, shape: Shape, weights: &[f64]) -> (f64, Vec<f64>) {
    let theta = shape.theta(weights);
    let n = theta.len();
    let row = |i: usize| (0..n).map(|j| statistics.second()[i * n + j] * theta[j]).sum::<f64>();
    let product: Vec<f64> = (0..n).map(row).collect();
    let loss = |i: usize| theta[i] * (product[i] - 2.0 * statistics.cross[i]);
    let slope: Vec<f64> = (0..n).map(|i| 2.0 * (product[i] - statistics.cross[i])).collect();
    let mut gradient = vec![0.0; weights.len()];
    shape.back(weights, &slope, &mut gradient);
    (statistics.square + (0..n).map(loss).sum::<f64>(), gradient)
}

/// Every instruction set that this machine has.
fn archs() -> Vec<Arch> {
    let mut archs = vec![Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        archs.extend(pulp::x86::V3::try_new().map(Arch::V3));
        archs.extend(pulp::x86::V4::try_new().map(Arch::V4));
    }
    archs
}

#[test]
fn every_dimension_on_every_instruction_set_is_the_plain_sum() {
    for d in (1..=10).chain([16]) {
        let eigenvalues: Vec<f64> = (1..=d).map(|d| 1.0 / d as f64).collect();
        let task = Task::new(&eigenvalues, Basis::Random { seed: 1 }, Context::Fixed(3)).unwrap();
        let statistics = Statistics::sampled(&task, 5, d as u64).unwrap();
        for rank in [1, 3] {
            let shape = Shape::new(d, 3, rank).unwrap();
            let weights = normals(shape.parameters(), 1.0, 200 + rank as u64);
            let (loss, gradient) = plain(&statistics, shape, &weights);
            let size = gradient.iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
            for arch in archs() {
                let job = Whole { statistics: &statistics, rank, weights: &weights };
                let (fast, slope) = dispatch(arch, d, job);
                assert!((fast - loss).abs() <= 1e-12 * loss.abs(), "D {d}: {fast} is not {loss}");
                for (fast, plain) in slope.iter().zip(&gradient) {
                    assert!((fast - plain).abs() <= 1e-12 * size, "D {d}: {fast} is not {plain}");
                }
            }
        }
    }
}
