//! Curvatures at a point: how many are negative, zero and positive, and which zeros are symmetry's.

use crate::numeric::decompose::eigen;
use crate::prelude::*;

/// A curvature counts as zero below this part of the largest one in the neighbourhood.
pub(super) const ZERO: f64 = 1e-6;
/// The smallest curvature that counts must be so many times the largest that counts as zero.
const GAP: f64 = 10.0;
/// A tangent of a symmetry lies in the kernel when so much of its square does.
const INSIDE: f64 = 1.0 - 1e-6;

/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix.
pub(super) struct Spectrum {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Vec<Vec<f64>>,
}

impl Spectrum {
    /// The largest eigenvalue by size.
    pub(super) fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
    }
}

pub(super) fn spectrum(matrix: &Mat<f64>) -> Result<Spectrum, Fault> {
    let n = matrix.nrows();
    let (values, columns) =
        eigen(matrix).ok_or_else(|| Fault::OutOfDomain("the Hessian is not finite".to_owned()))?;
    let vector = |j: usize| (0..n).map(|i| columns[(i, j)]).collect();
    Ok(Spectrum { values, vectors: (0..n).map(vector).collect() })
}

/// How many curvatures are negative, zero and positive at a point, in the time of the flow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counts {
    /// Negative ones: the index.
    pub negative: usize,
    /// Zero ones, those of symmetries among them.
    pub zero: usize,
    /// Zero ones that continuous symmetries explain.
    pub symmetry: usize,
    pub positive: usize,
    /// Curvatures nearer to zero than this count as zero.
    pub threshold: f64,
    /// The largest, by size, that counts as zero.
    pub largest_zero: Option<f64>,
    /// The smallest, by size, that does not.
    pub smallest_other: Option<f64>,
}

impl Counts {
    /// Whether a gap separates the zeros from the others; without it the counts hang on the threshold.
    pub fn clear(&self) -> bool {
        let over = self.smallest_other.is_none_or(|other| other >= GAP * self.threshold);
        let under = self.largest_zero.is_none_or(|zero| zero <= self.threshold / GAP);
        // One side may touch the threshold where the other is far away.
        over || under && self.gap().is_none_or(|gap| gap >= GAP)
    }

    /// How many times larger the smallest other curvature is than the largest zero.
    pub fn gap(&self) -> Option<f64> {
        Some(self.smallest_other? / self.largest_zero?)
    }

    /// Zero modes that no symmetry explains.
    pub fn unexplained(&self) -> usize {
        self.zero - self.symmetry
    }
}

/// The eigenvectors of a point, sorted by what they do.
pub(super) struct Modes {
    pub(super) counts: Counts,
    /// Rates of escape and directions, the fastest first.
    pub(super) unstable: Vec<(f64, Vec<f64>)>,
    /// A basis of the kernel without symmetry's directions.
    pub(super) flat: Vec<Vec<f64>>,
    /// All directions with curvature, and the curvature.
    pub(super) stiff: Vec<(f64, Vec<f64>)>,
}

/// Sorts the eigenvectors; `reference` is the curvature that counts as large, `tangents` are those of
/// symmetries. A tangent grows with the weights that it turns: one shorter than `dust` turns what the
/// search for the point has left of weights that are zero there.
pub(super) fn modes(
    spectrum: &Spectrum,
    reference: f64,
    tangents: &[Vec<f64>],
    dust: f64,
) -> Modes {
    let threshold = ZERO * reference.max(spectrum.largest());
    let (mut kernel, mut stiff, mut unstable) = (Vec::new(), Vec::new(), Vec::new());
    let (mut largest_zero, mut smallest_other) = (None, None);
    for (&value, vector) in spectrum.values.iter().zip(&spectrum.vectors) {
        let size = value.abs();
        if size <= threshold {
            largest_zero = Some(size.max(largest_zero.unwrap_or(0.0)));
            kernel.push(vector.clone());
            continue;
        }
        smallest_other = Some(size.min(smallest_other.unwrap_or(f64::INFINITY)));
        stiff.push((value, vector.clone()));
        if value < 0.0 {
            unstable.push((-value, vector.clone()));
        }
    }
    let orbit = inside(&orthonormal(tangents, dust), &kernel);
    let zero = kernel.len();
    let flat = complement(&kernel, &orbit);
    let counts = Counts {
        negative: unstable.len(),
        zero,
        symmetry: zero - flat.len(),
        positive: stiff.len() - unstable.len(),
        threshold,
        largest_zero,
        smallest_other,
    };
    Modes { counts, unstable, flat, stiff }
}

/// An orthonormal basis of the span of `vectors`; the longest that is left goes first, so that
/// dependent ones end as rounding. What is shorter than `dust` does not count.
pub(super) fn orthonormal(vectors: &[Vec<f64>], dust: f64) -> Vec<Vec<f64>> {
    let mut rest: Vec<Vec<f64>> = vectors.to_vec();
    let longest = rest.iter().map(|v| norm(v)).fold(0.0, f64::max);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    while let Some(place) =
        (0..rest.len()).max_by(|&a, &b| norm(&rest[a]).total_cmp(&norm(&rest[b])))
    {
        let mut next = rest.swap_remove(place);
        let length = norm(&next);
        if length <= dust.max(1e-9 * longest) {
            break;
        }
        next.iter_mut().for_each(|x| *x /= length);
        // Twice is enough.
        basis.iter().for_each(|known| remove(&mut next, known));
        let length = norm(&next);
        next.iter_mut().for_each(|x| *x /= length);
        rest.iter_mut().for_each(|v| remove(v, &next));
        basis.push(next);
    }
    basis
}

fn remove(vector: &mut [f64], unit: &[f64]) {
    let part = dot(vector, unit);
    vector.iter_mut().zip(unit).for_each(|(v, u)| *v -= part * u);
}

/// The part of the span of `tangents` that lies in the span of `kernel`, as an orthonormal basis: the
/// principal directions between the two whose angle is zero.
fn inside(tangents: &[Vec<f64>], kernel: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = tangents.len();
    let parts: Vec<Vec<f64>> =
        tangents.iter().map(|t| kernel.iter().map(|k| dot(t, k)).collect()).collect();
    let overlap = Mat::from_fn(n, n, |i, j| dot(&parts[i], &parts[j]));
    let Ok(found) = spectrum(&overlap) else { return Vec::new() };
    let chosen = found.values.iter().zip(&found.vectors).filter(|(value, _)| **value >= INSIDE);
    let combined = chosen.map(|(_, weights)| combination(weights, tangents));
    combined.collect()
}

/// `sum_i weights_i vectors_i`.
pub(super) fn combination(weights: &[f64], vectors: &[Vec<f64>]) -> Vec<f64> {
    let mut sum = vec![0.0; vectors.first().map_or(0, Vec::len)];
    for (weight, vector) in weights.iter().zip(vectors) {
        sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += weight * v);
    }
    sum
}

/// What is left of the span of `basis` without the orthonormal `taken`, which lie in it.
fn complement(basis: &[Vec<f64>], taken: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rest: Vec<Vec<f64>> = basis.to_vec();
    for vector in &mut rest {
        taken.iter().for_each(|unit| remove(vector, unit));
    }
    let mut found = orthonormal(&rest, 0.0);
    // Rounding leaves vectors that are tiny against 1 where nothing is left.
    found.truncate(basis.len() - taken.len());
    found
}
