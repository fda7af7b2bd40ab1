//! Where the embedded model starts.

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::numeric::vector::{dot, norm};

use crate::Error;
use crate::matrices::Embedding;

/// How large the matrices start: their entries are normal, of this size over `sqrt(d)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    pub value: f64,
    /// `W_K` and `W_Q`.
    ///
    /// With orthonormal embeddings, logits of attention then move `2 attention^2/d` times as fast as entries of `Y` with
    /// the same slope; the model in `Y` and `Z` with equal rates is matched by `sqrt(d/2)`.
    pub attention: f64,
}

impl Embedding {
    /// Normal embeddings with entries of size `1/sqrt(d)`, so that their lengths are about one, and normal matrices.
    pub fn random_start(&self, scales: Scales, seed: u64) -> Result<Vec<f64>, Error> {
        let mut theta = self.matrices(scales, seed)?;
        let u = &mut theta[self.u()];
        Stream::new(seed, Purpose::Start, 0).fill_normal(u);
        let size = 1.0 / (self.dimension as f64).sqrt();
        u.iter_mut().for_each(|x| *x *= size);
        Ok(theta)
    }

    /// Orthonormal embeddings in random directions, for which there must be as many dimensions as tokens, and normal
    /// matrices.
    pub fn orthogonal_start(&self, scales: Scales, seed: u64) -> Result<Vec<f64>, Error> {
        let (m, d) = (self.shape.task.vocabulary, self.dimension);
        let expected = format!("at least {m}, one for each token, where embeddings are orthogonal");
        Error::ensure(d >= m, "dimension", d, expected)?;
        let mut theta = self.matrices(scales, seed)?;
        let u = &mut theta[self.u()];
        Stream::new(seed, Purpose::Start, 0).fill_normal(u);
        for i in 0..m {
            let (before, rest) = u.split_at_mut(i * d);
            let row = &mut rest[..d];
            // Twice is enough for all digits.
            for _ in 0..2 {
                for other in before.chunks_exact(d) {
                    let along = dot(row, other);
                    row.iter_mut().zip(other).for_each(|(x, other)| *x -= along * other);
                }
                let length = norm(row);
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
        Ok(theta)
    }

    fn matrices(&self, scales: Scales, seed: u64) -> Result<Vec<f64>, Error> {
        let mut theta = vec![0.0; self.blocks.len()];
        let names = ["w_k", "w_q", "w_v"];
        let sizes = [scales.attention, scales.attention, scales.value];
        for (index, (name, size)) in names.into_iter().zip(sizes).enumerate() {
            let (what, fits) = (format!("scale of {name}"), size.is_finite() && size >= 0.0);
            Error::ensure(fits, what, size, "a number of 0 or more")?;
            let Some(block) = self.blocks.get(name) else { continue };
            let entries = &mut theta[block.range()];
            // A stream for each block: its entries stay when others change their number.
            Stream::new(seed, Purpose::Start, 1 + index as u64).fill_normal(entries);
            let size = size / (self.dimension as f64).sqrt();
            entries.iter_mut().for_each(|entry| *entry *= size);
        }
        Ok(theta)
    }
}
