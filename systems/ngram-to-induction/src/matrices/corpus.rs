//! Losses of the transformer over many sequences: a data set, or fresh batches.

use std::ops::Range;

use rayon::prelude::*;
use saddlescope_spec::prelude::*;

use super::folded::Folded;
use super::pass::Work;
use super::{Error, LANES, Lanes, Matrices};
use crate::{Partial, Tokens};

/// The loss of the transformer, 002, Eq. (3), averaged over sequences.
pub type Sequences = Batched<Corpus>;

/// Which sequences a loss averages over.
#[derive(Debug)]
pub struct Corpus {
    pub matrices: Matrices,
    source: Source,
}

/// Sequences per chunk: whole groups of lanes.
const CHUNK: usize = 8 * LANES;

#[derive(Debug, Clone)]
pub struct CorpusWork {
    pass: Work,
    folded: Folded<f64>,
    slopes: Folded<Lanes>,
    sequence: Vec<f64>,
}

impl Corpus {
    /// The mean over `sequences` sequences, drawn once by `seed`.
    pub fn stored(matrices: Matrices, (sequences, seed): (usize, u64)) -> Result<Sequences, Error> {
        Error::ensure_counts(sequences, "sequences")?;
        Ok(Self::new(matrices, Source::Stored(sequences, seed)))
    }

    /// The mean over `batch` fresh sequences at each step.
    pub fn fresh(matrices: Matrices, batch: usize) -> Result<Sequences, Error> {
        Error::ensure_counts(batch, "batch")?;
        Ok(Self::new(matrices, Source::Fresh(batch)))
    }

    fn new(matrices: Matrices, source: Source) -> Sequences {
        Batched::new(Self { matrices, source }, matrices.blocks(), source.items(), CHUNK)
    }

    /// The two halves of the loss at `theta`.
    pub fn partial(&self, theta: &[f64], draw: Draw) -> Partial {
        let items = self.source.items();
        let chunks = 0..items.div_ceil(CHUNK);
        let parts: Vec<Partial> = chunks
            .into_par_iter()
            .map_init(
                || self.work(),
                |work, chunk| {
                    let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(items);
                    self.matrices.fold(theta, &mut work.folded);
                    self.sum(range, draw, work, false)
                },
            )
            .collect();
        let mean = |part: fn(&Partial) -> f64| parts.iter().map(part).sum::<f64>() / items as f64;
        Partial { gram: mean(|part| part.gram), induction: mean(|part| part.induction) }
    }

    /// Writes the tokens of sequence `index`, one after the other.
    pub fn write(&self, index: usize, draw: Draw, sequence: &mut [f64]) {
        let mut stream = self.source.stream(index, draw);
        match self.matrices.task.tokens {
            Tokens::Gaussian => stream.fill_normal(sequence),
            Tokens::Boolean => {
                stream.fill_uniform(sequence);
                sequence.iter_mut().for_each(|x| *x = if *x < 0.5 { -1.0 } else { 1.0 });
            }
        }
    }

    /// The summed losses of the sequences `range`; their slopes go to `work.slopes` where they are wanted.
    fn sum(&self, range: Range<usize>, draw: Draw, work: &mut CorpusWork, wanted: bool) -> Partial {
        let CorpusWork { pass, folded, slopes, sequence } = work;
        let mut sum = Partial::default();
        for first in range.clone().step_by(LANES) {
            let count = LANES.min(range.end - first);
            if count < LANES {
                pass.clear();
            }
            for lane in 0..count {
                self.write(first + lane, draw, sequence);
                pass.put(lane, sequence);
            }
            let part = self.matrices.group(folded, pass, wanted.then_some(&mut *slopes));
            sum.gram += part.gram;
            sum.induction += part.induction;
        }
        sum
    }
}

impl ItemLoss for Corpus {
    type Scalar = f64;
    type Work = CorpusWork;

    fn work(&self) -> CorpusWork {
        let task = &self.matrices.task;
        CorpusWork {
            pass: self.matrices.pass_work(),
            folded: self.matrices.folded(&0.0),
            slopes: self.matrices.folded(&Lanes::ZERO),
            sequence: vec![0.0; task.length * task.dimension],
        }
    }

    fn add(
        &self,
        range: Range<usize>,
        theta: &[f64],
        draw: Draw,
        work: &mut CorpusWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        self.matrices.fold(theta, &mut work.folded);
        for head in &mut work.slopes {
            head.meeting.fill(Lanes::ZERO);
            head.value.fill(Lanes::ZERO);
            head.p = Lanes::ZERO;
        }
        let sum = self.sum(range, draw, work, true);
        self.matrices.unfold(theta, &work.slopes, gradient);
        Fault::ensure_finite(sum.gram + sum.induction, "loss of a sequence")
    }
}
