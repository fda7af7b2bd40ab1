//! The law of the data: in-context linear regression with Gaussian tokens.

use faer::Mat;
use saddlescope::numeric::decompose::eigen;
use saddlescope::numeric::random::{Purpose, Stream};

use crate::Error;
use saddlescope::numeric::decompose::random_rotation;

/// Streams of [`Purpose::Data`]: eigenvectors take index 0, sequences index 1.
const BASIS_STREAM: u64 = 0;

/// How many pairs `(x, y)` stand before the query.
#[derive(Debug, Clone, PartialEq)]
pub enum Context {
    /// Always `N` pairs; the loss is that of the query alone.
    Fixed(usize),
    /// Next-token prediction: every length from 1 to `N` equally often. 003, Eq. (9).
    Varying(usize),
    /// These lengths with their weights, which count relative to their sum. As in next-token prediction a sequence is asked once
    /// for each of them.
    Listed(Vec<(usize, f64)>),
    /// Only `E(1/N)` is known, which is all that the population loss asks for. Nothing can be sampled.
    InverseMean(f64),
}

impl Context {
    /// `E(1/N)`, the one number through which context lengths enter the theory.
    pub fn inverse_mean(&self) -> Result<f64, Error> {
        match *self {
            Self::InverseMean(mean) if (0.0..=1.0).contains(&mean) => Ok(mean),
            Self::InverseMean(mean) => Err(Error::value("E(1/N)", mean, "a number from 0 to 1")),
            _ => self.mean(|length| 1.0 / length),
        }
    }

    /// `E(1/N^2)`, which the whole model's loss asks for as well.
    pub fn inverse_square_mean(&self) -> Result<f64, Error> {
        self.mean(|length| 1.0 / (length * length))
    }

    /// The mean of `of` over the lengths.
    fn mean(&self, of: impl Fn(f64) -> f64) -> Result<f64, Error> {
        let lengths = self.lengths()?;
        let sum: f64 = lengths.iter().rev().map(|&(n, weight)| weight * of(n as f64)).sum();
        Ok(sum / lengths.len() as f64)
    }

    /// The lengths in rising order, each with its weight; the mean of the weights is 1.
    pub fn lengths(&self) -> Result<Vec<(usize, f64)>, Error> {
        match self {
            Self::Fixed(length) => {
                Ok(vec![(Error::ensure_counts(*length, "context length")?, 1.0)])
            }
            Self::Varying(longest) => {
                let longest = Error::ensure_counts(*longest, "context length")?;
                Ok((1..=longest).map(|length| (length, 1.0)).collect())
            }
            Self::Listed(list) => {
                Error::ensure_counts(list.len(), "number of context lengths")?;
                let mut sorted = list.clone();
                sorted.sort_by_key(|&(length, _)| length);
                for &(length, weight) in &sorted {
                    Error::ensure_counts(length, "context length")?;
                    Error::ensure_positive(weight, format!("weight of context length {length}"))?;
                }
                if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                    return Err(Error::value("context length", pair[0].0, "each length once"));
                }
                let mean =
                    sorted.iter().map(|(_, weight)| weight).sum::<f64>() / sorted.len() as f64;
                sorted.iter_mut().for_each(|(_, weight)| *weight /= mean);
                Ok(sorted)
            }
            Self::InverseMean(mean) => {
                let what = format!("context given as E(1/N) = {mean}");
                Err(Error::value(what, "no length", "a length, for sampling"))
            }
        }
    }
}

/// The eigenvectors of the covariance.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// The coordinate axes, in the order of the eigenvalues as given.
    Axes,
    /// Given as the columns of a row-major `D x D` matrix, in the order of the eigenvalues as given.
    Columns(Vec<f64>),
    /// Uniformly random rotations and reflections, keyed by a seed.
    Random {
        /// Seed of the basis.
        seed: u64,
    },
}

/// What is done to the sequences of a finite data set once they are drawn; fresh sequences are left as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sample {
    /// Task vectors get mean zero and covariance one over the data set.
    pub whitened: bool,
    /// Tokens get mean zero over the data set, at each place of the sequence.
    pub centred: bool,
}

/// The law of the data: tokens `x ~ N(0, Lambda)`, task vectors `w ~ N(0, I)`, targets `y = w . x`.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The eigenvalues `lambda_d` of the covariance, largest first.
    pub eigenvalues: Vec<f64>,
    /// The eigenvectors as columns of a row-major `D x D` matrix, in the order of the eigenvalues.
    pub eigenvectors: Vec<f64>,
    /// `Lambda`, row-major `D x D`.
    pub covariance: Vec<f64>,
    /// Whether the eigenvectors are the coordinate axes, in some order.
    pub diagonal: bool,
    /// How long contexts are.
    pub context: Context,
    /// `E(1/N)`.
    pub inverse_mean: f64,
    /// What is done to a finite data set.
    pub sample: Sample,
}

impl Task {
    /// The task whose covariance has these `eigenvalues` (all above zero, in any order).
    pub fn new(eigenvalues: &[f64], basis: Basis, context: Context) -> Result<Self, Error> {
        let dimension = Error::ensure_counts(eigenvalues.len(), "number of eigenvalues")?;
        for (d, &eigenvalue) in eigenvalues.iter().enumerate() {
            Error::ensure_positive(eigenvalue, format!("eigenvalue {d}"))?;
        }
        let columns = match basis {
            Basis::Axes => identity(dimension),
            Basis::Columns(columns) => orthonormal(columns, dimension)?,
            Basis::Random { seed } => {
                random_rotation(dimension, &mut Stream::new(seed, Purpose::Data, BASIS_STREAM))
            }
        };

        let mut order: Vec<usize> = (0..dimension).collect();
        order.sort_by(|&a, &b| eigenvalues[b].total_cmp(&eigenvalues[a]));
        let sorted: Vec<f64> = order.iter().map(|&d| eigenvalues[d]).collect();
        let eigenvectors: Vec<f64> =
            columns.chunks_exact(dimension).flat_map(|row| order.iter().map(|&d| row[d])).collect();
        let covariance = in_basis(&eigenvectors, &sorted);
        Ok(Self {
            diagonal: is_diagonal(&covariance, dimension),
            eigenvalues: sorted,
            eigenvectors,
            covariance,
            inverse_mean: context.inverse_mean()?,
            context,
            sample: Sample::default(),
        })
    }

    /// The task with this covariance: row-major `D x D`, symmetric, positive definite.
    pub fn with_covariance(covariance: &[f64], context: Context) -> Result<Self, Error> {
        let dimension = (covariance.len() as f64).sqrt().round() as usize;
        Error::ensure_counts(covariance.len(), "number of entries of the covariance")?;
        Error::ensure_length(covariance, dimension * dimension, "covariance", "a square matrix")?;
        Error::ensure_finite(covariance, "covariance")?;
        let scale = covariance.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
        for (i, j) in (0..dimension).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let (below, above) = (covariance[i * dimension + j], covariance[j * dimension + i]);
            if (below - above).abs() > 1e-12 * scale {
                let expected = format!("{above}, its mirror image [{j},{i}]");
                return Err(Error::value(format!("covariance[{i},{j}]"), below, expected));
            }
        }
        let matrix = Mat::from_fn(dimension, dimension, |i, j| covariance[i * dimension + j]);
        let (values, vectors) = eigen(&matrix)
            .ok_or_else(|| Error::value("covariance", "not diagonalisable", "finite numbers"))?;
        // faer sorts upwards, the paper downwards.
        let eigenvalues: Vec<f64> = values.into_iter().rev().collect();
        if let Some(&smallest) = eigenvalues.iter().find(|&&value| value <= 0.0) {
            return Err(Error::value("an eigenvalue of the covariance", smallest, "above 0"));
        }
        let eigenvectors = (0..dimension)
            .flat_map(|i| (0..dimension).rev().map(move |d| (i, d)))
            .map(|(i, d)| vectors[(i, d)])
            .collect();
        Ok(Self {
            diagonal: is_diagonal(covariance, dimension),
            eigenvalues,
            eigenvectors,
            covariance: covariance.to_vec(),
            inverse_mean: context.inverse_mean()?,
            context,
            sample: Sample::default(),
        })
    }

    /// The same law, with that done to finite data sets.
    #[must_use]
    pub fn with_sample(self, sample: Sample) -> Self {
        Self { sample, ..self }
    }

    /// `D`.
    pub fn dimension(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The components of eigenvector `d`.
    pub fn eigenvector(&self, d: usize) -> Vec<f64> {
        self.eigenvectors.iter().skip(d).step_by(self.dimension()).copied().collect()
    }

    /// `tr(Lambda)`.
    pub fn trace(&self) -> f64 {
        self.eigenvalues.iter().sum()
    }

    /// The eigenvalues `a_d` of `E(Lhat^2)`. 003, Eq. (18), with `E(1/N)` for `1/N`.
    pub fn second_moment_eigenvalues(&self) -> Vec<f64> {
        let (inverse, trace) = (self.inverse_mean, self.trace());
        let value = |&l: &f64| (1.0 + inverse) * l * l + inverse * trace * l;
        self.eigenvalues.iter().map(value).collect()
    }

    /// `E(Lhat^2) = Lambda^2 + E(1/N) (Lambda + tr(Lambda) I) Lambda`, row-major `D x D`.
    // 003, Eq. (16), last line; the second line as printed counts each term N times too often.
    pub fn second_moment(&self) -> Vec<f64> {
        let (inverse, trace) = (self.inverse_mean, self.trace());
        let squared = multiply(&self.covariance, &self.covariance, self.dimension());
        let entry = |(square, c): (&f64, &f64)| (1.0 + inverse) * square + inverse * trace * c;
        squared.iter().zip(&self.covariance).map(entry).collect()
    }

    /// `U diag(values) U^T`, row-major, with the eigenvectors `U` of the covariance.
    pub fn in_eigenbasis(&self, values: &[f64]) -> Vec<f64> {
        in_basis(&self.eigenvectors, values)
    }
}

/// The product of two row-major `n x n` matrices.
pub(crate) fn multiply(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let entry = |place: usize| (0..n).map(|k| a[place / n * n + k] * b[k * n + place % n]).sum();
    (0..n * n).map(entry).collect()
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|place| if place / n == place % n { 1.0 } else { 0.0 }).collect()
}

fn in_basis(columns: &[f64], values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let row = |i: usize| &columns[i * n..][..n];
    let entry = |(i, j)| row(i).iter().zip(row(j)).zip(values).map(|((a, b), v)| a * b * v).sum();
    (0..n * n).map(|place| entry((place / n, place % n))).collect()
}

fn is_diagonal(matrix: &[f64], n: usize) -> bool {
    matrix.iter().enumerate().all(|(place, &entry)| place / n == place % n || entry == 0.0)
}

fn orthonormal(columns: Vec<f64>, n: usize) -> Result<Vec<f64>, Error> {
    Error::ensure_length(&columns, n * n, "eigenvector matrix", "dimension squared")?;
    Error::ensure_finite(&columns, "eigenvector matrix")?;
    for (a, b) in (0..n).flat_map(|a| (0..=a).map(move |b| (a, b))) {
        let product: f64 = columns.chunks_exact(n).map(|row| row[a] * row[b]).sum();
        let wanted = if a == b { 1.0 } else { 0.0 };
        if (product - wanted).abs() > 1e-8 {
            let what = format!("product of eigenvectors {b} and {a}");
            return Err(Error::value(what, product, format!("{wanted} within 1e-8")));
        }
    }
    Ok(columns)
}

#[cfg(test)]
#[path = "task_tests.rs"]
mod tests;
