//! Sequences of a chain as a transformer reads them: whole, or in windows.

use std::ops::Range;
use std::sync::Arc;

use saddlescope::Draw;
use saddlescope::numeric::random::Purpose;

use crate::Chain;
use crate::data::{BatchSource, Place};
use crate::task::chain::DrawWork;
use saddlescope_transformer::Sequences;

/// The sequences of each step: the same ones that the minimal model sees.
#[derive(Debug)]
pub struct Batches {
    chain: Arc<Chain>,
    seen: BatchSource,
    window: Option<usize>,
}

impl Batches {
    pub(crate) fn new(chain: Arc<Chain>, seen: BatchSource, window: Option<usize>) -> Self {
        Self { chain, seen, window }
    }

    /// Pieces that a sequence is read in.
    fn pieces(&self) -> usize {
        if self.window.is_some() { self.chain.length } else { 1 }
    }

    fn place(&self, draw: Draw) -> Option<Place> {
        let BatchSource::Some(data, batch) = &self.seen else { return None };
        Some(Place::of(data.len() / self.chain.tokens(), *batch, draw))
    }

    fn supply(&self, draw: Draw) -> Supply<'_> {
        match &self.seen {
            BatchSource::All(data) | BatchSource::Some(data, _) => {
                Supply::Stored(data, self.place(draw))
            }
            BatchSource::Fresh(_) => {
                Supply::Fresh(draw, self.chain.draw_work(), vec![0; self.chain.tokens()])
            }
        }
    }
}

/// Gives the sequences of one step by their number.
enum Supply<'a> {
    Stored(&'a [u16], Option<Place>),
    Fresh(Draw, DrawWork, Vec<u16>),
}

impl Supply<'_> {
    fn sequence(&mut self, chain: &Chain, index: usize) -> &[u16] {
        match self {
            Self::Stored(data, place) => {
                let member = place.as_ref().map_or(index, |place| place.member(index));
                &data[member * chain.tokens()..][..chain.tokens()]
            }
            Self::Fresh(draw, work, sequence) => {
                let mut stream = draw.stream(Purpose::Batch, index as u64);
                chain.draw(&mut stream, work, sequence);
                sequence
            }
        }
    }
}

impl Sequences for Batches {
    fn items(&self) -> usize {
        self.seen.items(self.chain.tokens()) * self.pieces()
    }

    fn count(&self, draw: Draw) -> usize {
        self.place(draw).map_or_else(|| self.items(), |place| place.len * self.pieces())
    }

    fn fill(&self, draw: Draw, range: Range<usize>, tokens: &mut [u32]) {
        let (pieces, chain) = (self.pieces(), &*self.chain);
        let each = self.window.unwrap_or(chain.tokens() - 1) + 1;
        let mut supply = self.supply(draw);
        let mut rest = tokens.chunks_exact_mut(each);
        for index in range.start / pieces..range.end.div_ceil(pieces) {
            let sequence = supply.sequence(chain, index);
            let first = range.start.max(index * pieces) - index * pieces;
            let last = range.end.min((index + 1) * pieces) - index * pieces;
            for (piece, out) in (first..last).zip(&mut rest) {
                let from = self.window.map_or(0, |window| chain.order + piece - window);
                let tokens = &sequence[from..from + each];
                out.iter_mut().zip(tokens).for_each(|(to, &token)| *to = u32::from(token));
            }
        }
    }
}
