//! Dropout: which entries a training step leaves out.

use saddlescope_spec::prelude::*;

/// Which entries are kept is decided by 16 random bits each.
const BITS: f64 = 65536.0;

/// The dropout of a chunk of sequences.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dropout {
    /// Entries whose bits are below are left out.
    threshold: u16,
    draw: Draw,
    /// Which item of the batch comes first.
    first: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Site {
    Embedding,
    Attention(usize),
    Output(usize),
    Hidden(usize),
    Leave(usize),
}

impl Site {
    fn index(self) -> u64 {
        let (block, place) = match self {
            Self::Embedding => return 0,
            Self::Attention(block) => (block, 1),
            Self::Output(block) => (block, 2),
            Self::Hidden(block) => (block, 3),
            Self::Leave(block) => (block, 4),
        };
        block as u64 * 4 + place
    }
}

impl Dropout {
    /// A share, to the nearest 1/65536, of the items of the batch of `draw` from number `first` on; none where that is zero.
    pub(crate) fn new(share: f64, (draw, first): (Draw, usize)) -> Option<Self> {
        let threshold = (share * BITS).round().min(BITS - 1.0) as u16;
        (threshold > 0).then_some(Self { threshold, draw, first })
    }

    /// What kept entries are multiplied by, so that the mean stays.
    pub(crate) fn factor<S: Scalar>(self) -> S {
        S::from_f64(BITS / (BITS - f64::from(self.threshold)))
    }

    /// Draws which of `mask` are kept (1) in sequence number `sequence` of the chunk.
    pub(crate) fn fill(self, sequence: usize, site: Site, mask: &mut [u8]) {
        let item = (self.first + sequence) as u64;
        let mut stream = self.draw.stream(Purpose::Dropout, item).substream(site.index());
        let mut words = [0u64; 64];
        for part in mask.chunks_mut(4 * words.len()) {
            let words = &mut words[..part.len().div_ceil(4)];
            stream.fill_u64(words);
            saddlescope::dispatch!(compare(words, self.threshold, part));
        }
    }

    /// Leaves out entries of the `rows` of so many sequences, and notes in `mask` which are kept.
    pub(crate) fn leave_out<S: Scalar>(
        self,
        site: Site,
        sequences: usize,
        mask: &mut [u8],
        rows: &mut [S],
    ) {
        let each = rows.len() / sequences;
        for (sequence, mask) in mask[..rows.len()].chunks_exact_mut(each).enumerate() {
            self.fill(sequence, site, mask);
        }
        self.apply(mask, rows);
    }

    /// Multiplies what is kept by the factor, and the rest by zero.
    pub(crate) fn apply<S: Scalar>(self, mask: &[u8], numbers: &mut [S]) {
        #[inline(always)]
        fn kernel<S: Scalar>(mask: &[u8], factor: S, numbers: &mut [S]) {
            for (number, &kept) in numbers.iter_mut().zip(mask) {
                *number *= if kept == 0 { S::ZERO } else { factor };
            }
        }
        saddlescope::dispatch!(kernel(mask, self.factor(), numbers));
    }
}

#[inline(always)]
fn compare(words: &[u64], threshold: u16, mask: &mut [u8]) {
    let (wholes, rest) = mask.as_chunks_mut::<4>();
    for (part, &word) in wholes.iter_mut().zip(words) {
        for (place, kept) in part.iter_mut().enumerate() {
            *kept = u8::from((word >> (16 * place)) as u16 >= threshold);
        }
    }
    if let Some(&word) = words.last() {
        for (place, kept) in rest.iter_mut().enumerate() {
            *kept = u8::from((word >> (16 * place)) as u16 >= threshold);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_that_is_left_out_is_the_one_asked_for() {
        let dropout = Dropout::new(0.1, (Draw { seed: 3, step: 5 }, 7)).unwrap();
        let mut mask = vec![0; 400_003];
        dropout.fill(0, Site::Hidden(1), &mut mask);
        let kept = mask.iter().map(|&kept| f64::from(kept)).sum::<f64>() / mask.len() as f64;
        let error = (0.1 * 0.9 / mask.len() as f64).sqrt();
        assert!((kept - 0.9).abs() < 4.0 * error, "{kept}");
        assert!((dropout.factor::<f64>() * 0.9 - 1.0).abs() < 1e-5);
        // Neighbours are independent of each other.
        let pairs = mask.windows(2).filter(|pair| pair == &[0, 0]).count() as f64;
        let expected = 0.01 * mask.len() as f64;
        assert!((pairs - expected).abs() < 5.0 * expected.sqrt(), "{pairs} {expected}");
    }

    #[test]
    fn every_site_item_and_step_has_its_own_mask() {
        let mask = |step, item, site| {
            let mut mask = vec![0; 256];
            let dropout = Dropout::new(0.5, (Draw { seed: 0, step }, item)).unwrap();
            dropout.fill(0, site, &mut mask);
            mask
        };
        let first = mask(0, 0, Site::Embedding);
        assert_eq!(first, mask(0, 0, Site::Embedding));
        let others = [
            mask(1, 0, Site::Embedding),
            mask(0, 1, Site::Embedding),
            mask(0, 0, Site::Attention(0)),
            mask(0, 0, Site::Output(0)),
            mask(0, 0, Site::Hidden(0)),
            mask(0, 0, Site::Leave(0)),
            mask(0, 0, Site::Attention(1)),
        ];
        assert!(Dropout::new(0.0, (Draw::default(), 0)).is_none());
        for (index, other) in others.iter().enumerate() {
            assert_ne!(&first, other, "{index}");
            assert!(others[..index].iter().all(|before| before != other), "{index}");
        }
    }
}
