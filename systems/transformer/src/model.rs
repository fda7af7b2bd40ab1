//! A decoder-only transformer: what it is made of, how its parameters lie, and where they start.

pub mod architecture;
pub mod checkpoint;
mod init;
pub(crate) mod layout;

pub use architecture::{Activation, Architecture, Norm, Positions};
pub use init::{Scales, Start};

use std::sync::Arc;

use faer::MatMut;
use saddlescope_spec::prelude::*;

use crate::kernel::product::matrix_mut;
use crate::kernel::wide;
use layout::Places;

/// Which tokens of a sequence go in, and for which the next one is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// Tokens that go in; one more follows the last.
    pub length: usize,
    /// Positions before the first that counts.
    pub skip: usize,
}

impl Form {
    /// All positions of `length` tokens count.
    pub fn all(length: usize) -> Self {
        Self { length, skip: 0 }
    }

    pub fn queries(self) -> usize {
        self.length - self.skip
    }
}

#[derive(Debug, Clone)]
pub struct Transformer {
    pub architecture: Architecture,
    pub blocks: Blocks,
    pub(crate) places: Places,
}

impl Transformer {
    /// The model of that architecture, where its parts fit together.
    pub fn new(architecture: Architecture) -> Result<Arc<Self>, Error> {
        architecture.check()?;
        let (blocks, places) = Places::new(&architecture);
        Ok(Arc::new(Self { architecture, blocks, places }))
    }

    pub fn ensure_fits(&self, form: Form) -> Result<(), Error> {
        Error::ensure_counts(form.length, "length of a sequence")?;
        let expected = format!("below the {} tokens of a sequence", form.length);
        Error::ensure(form.skip < form.length, "positions that do not count", form.skip, expected)?;
        let context = self.architecture.context;
        let expected = format!("at most {context} (the context, for which there are positions)");
        Error::ensure(form.length <= context, "length of a sequence", form.length, expected)?;
        Ok(())
    }

    /// Whether the vocabulary is read out in tiles.
    pub(crate) fn is_wide(&self) -> bool {
        self.architecture.vocabulary > wide::FROM
    }

    /// Out of the slopes `flat` of all parameters from number `from` on: those of the matrix that reads out, and of its bias.
    pub(crate) fn readout_slopes<'a, S>(
        &self,
        flat: &'a mut [S],
        from: usize,
    ) -> (MatMut<'a, S>, Option<&'a mut [S]>) {
        let Architecture { width, vocabulary, .. } = self.architecture;
        match &self.places.readout {
            Some(affine) => {
                let both = &mut flat[affine.weight.start - from..];
                let (weight, bias) = both.split_at_mut(affine.weight.len());
                (matrix_mut(weight, width, vocabulary), affine.bias.is_some().then_some(bias))
            }
            None => {
                let embedding = &self.places.embedding;
                let table = &mut flat[embedding.start - from..embedding.end - from];
                (matrix_mut(table, vocabulary, width).transpose_mut(), None)
            }
        }
    }

    /// Roughly how many floating-point operations the loss of a sequence and its slopes take: those of the products.
    pub fn operations(&self, form: Form) -> f64 {
        let of = &self.architecture;
        let (d, f, v) = (of.width as f64, of.feedforward as f64, of.vocabulary as f64);
        let block = |index: usize| {
            let last = index + 1 == of.blocks;
            let queries = if last { form.queries() } else { form.length } as f64;
            let length = form.length as f64;
            // Each query sees the positions before it.
            let seen = queries * (length - (queries - 1.0) / 2.0);
            length * 2.0 * d * d + queries * (2.0 * d * d + 2.0 * d * f) + seen * 2.0 * d
        };
        let blocks: f64 = (0..of.blocks).map(block).sum();
        6.0 * (blocks + form.queries() as f64 * d * v)
    }
}
