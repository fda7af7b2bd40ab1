//! What there is to learn: features, each with a strength and a place.

use saddlescope::numeric::vector::{dot, norm};

use crate::Error;

/// `G = sum_j m_j V_j (x) s_j`. 000, Proposition 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// `T`.
    pub positions: usize,
    /// Coordinates of a value: the number of features, or `d^2`.
    pub rank: usize,
    /// `m_j`.
    pub strengths: Vec<f64>,
    /// Where each feature is, counted from 0.
    pub places: Vec<usize>,
    /// `V_j`, of length one, in the coordinates of the model.
    pub directions: Vec<Vec<f64>>,
    /// `G`: a row per coordinate, a column per position.
    pub entries: Vec<f64>,
}

impl Target {
    /// Orthonormal features of these strengths, each at its place among `positions`: as many coordinates as features.
    pub fn orthonormal(
        strengths: &[f64],
        places: &[usize],
        positions: usize,
    ) -> Result<Self, Error> {
        let features = strengths.len();
        let unit = |j: usize| (0..features).map(|r| f64::from(u8::from(r == j))).collect();
        Self::new(strengths.to_vec(), (0..features).map(unit).collect(), places, positions)
    }

    /// Features `A_j = m_j V_j` as vectors of `rank` coordinates each (all entries of a matrix, say): `m_j` is their length.
    pub fn general(
        features: &[Vec<f64>],
        places: &[usize],
        positions: usize,
    ) -> Result<Self, Error> {
        let strengths: Vec<f64> = features.iter().map(|a| norm(a)).collect();
        let direction = |(a, m): (&Vec<f64>, &f64)| a.iter().map(|x| x / m).collect();
        let directions = features.iter().zip(&strengths).map(direction).collect();
        Self::new(strengths, directions, places, positions)
    }

    fn new(
        strengths: Vec<f64>,
        directions: Vec<Vec<f64>>,
        places: &[usize],
        positions: usize,
    ) -> Result<Self, Error> {
        Error::ensure_counts(positions, "T")?;
        Error::ensure_counts(strengths.len(), "number of features")?;
        for (j, &m) in strengths.iter().enumerate() {
            Error::ensure_positive(m, format!("strength m_{}", j + 1))?;
        }
        Error::ensure_length(places, strengths.len(), "positions", "one per feature")?;
        for (j, &place) in places.iter().enumerate() {
            let what = format!("position of feature {}", j + 1);
            let expected = format!("0 to {}, one of the T = {positions}", positions - 1);
            Error::ensure(place < positions, &what, place, expected)?;
            Error::ensure(!places[..j].contains(&place), what, place, "a position of its own")?;
        }
        let rank = directions[0].len();
        let mut entries = vec![0.0; rank * positions];
        for ((m, direction), &place) in strengths.iter().zip(&directions).zip(places) {
            let what = "coordinates of a feature";
            Error::ensure_length(direction, rank, what, "as many as the first has")?;
            Error::ensure_finite(direction, what)?;
            for (r, v) in direction.iter().enumerate() {
                entries[r * positions + place] += m * v;
            }
        }
        Ok(Self { positions, rank, strengths, places: places.to_vec(), directions, entries })
    }

    pub fn features(&self) -> usize {
        self.strengths.len()
    }

    /// Whether the features are orthonormal. 000, Assumption 2.
    pub fn is_orthonormal(&self) -> bool {
        (0..self.features())
            .all(|i| (0..i).all(|j| dot(&self.directions[i], &self.directions[j]).abs() < 1e-9))
    }

    /// Whether each feature is stronger than all after it, as the paper has them.
    pub fn is_ordered(&self) -> bool {
        self.strengths.windows(2).all(|pair| pair[0] > pair[1])
    }

    /// The losses after `n = 0..` features: half the squared strengths that are left.
    pub fn levels(&self) -> Vec<f64> {
        let left = |n: usize| self.strengths[n..].iter().fold(0.0, |sum, m| sum + 0.5 * m * m);
        (0..=self.features()).map(left).collect()
    }

    /// Half way between neighbouring levels, as many as `heads` heads can pass.
    pub fn mid_levels(&self, heads: usize) -> Vec<f64> {
        let levels = self.levels();
        levels.windows(2).take(heads).map(|pair| 0.5 * (pair[0] + pair[1])).collect()
    }

    /// The squared strength of what is at a position: zero where nothing is.
    pub fn strength_at(&self, position: usize) -> f64 {
        let at = self.places.iter().position(|&place| place == position);
        at.map_or(0.0, |j| self.strengths[j])
    }
}
