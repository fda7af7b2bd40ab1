//! What a fit sees: the mean law after each context, where contexts that agree in the lags that are read are one.
//!
//! `KL(p* || f)` is linear in `p*` but for a constant, so targets with the same tokens at the lags that are read may be
//! replaced by their mean. From two lags of 50 tokens there are 2500 contexts, however many sequences were drawn.

use rayon::prelude::*;
use saddlescope::numeric::packed::Lanes;
use saddlescope_spec::prelude::*;

use crate::task::predictor::{padded, said};
use crate::{Chain, Predictor};

/// Numbers of a row that are worked on together; rows are padded to whole ones.
const LANES: usize = 8;

/// What stands in the padding of logits: its exponential is zero.
const NEVER: f64 = -1e30;

/// Chunks that a sum over contexts is cut into, and the fewest contexts of one: the sums of a chunk are as long as the
/// parameters.
const CHUNKS: usize = 32;
const SMALLEST: usize = 256;

/// Contexts with their mean laws and weights; the mean of `KL(p* || f)` over them is the loss of `f`.
#[derive(Debug)]
pub struct Contexts {
    vocabulary: usize,
    stride: usize,
    lags: Vec<usize>,
    blocks: Blocks,
    /// For each context, the row of each lag among the parameters.
    rows: Vec<u32>,
    /// The mean law after each, padded with zeros.
    laws: Vec<f32>,
    /// Part of all places, times the number of contexts; the mean of `sum p* ln p*` there; and the sum of the stored law,
    /// which is one but for rounding. Taken for one it would tilt the loss along shifts of all logits, without end.
    weights: Vec<[f64; 3]>,
    /// Zero, and [`NEVER`] in the padding.
    base: Vec<f64>,
}

impl Contexts {
    /// The contexts in `data`, which `chain` has drawn, read at `lags`.
    pub fn new(chain: &Chain, lags: &[usize], data: &[u16]) -> Self {
        let (d, tokens, order) = (chain.vocabulary, chain.tokens(), chain.order);
        let stride = d.div_ceil(LANES) * LANES;
        let before = |place: u32| {
            let (sequence, t) = (place as usize / chain.length, place as usize % chain.length);
            &data[sequence * tokens..][..order + t]
        };
        let read = |place: u32| {
            let before = before(place);
            lags.iter().map(move |&lag| before[before.len() - lag])
        };
        let places = data.len() / tokens * chain.length;
        let mut sorted: Vec<u32> = (0..places as u32).collect();
        sorted.par_sort_unstable_by(|&a, &b| read(a).cmp(read(b)).then(a.cmp(&b)));
        let alike: Vec<&[u32]> = sorted.chunk_by(|&a, &b| read(a).eq(read(b))).collect();
        let mut rows = vec![0; alike.len() * lags.len()];
        let mut laws = vec![0.0; alike.len() * stride];
        let mut weights = vec![[0.0; 3]; alike.len()];
        for (places, rows) in alike.iter().zip(rows.chunks_exact_mut(lags.len().max(1))) {
            for ((index, token), row) in read(places[0]).enumerate().zip(rows) {
                *row = (index * d + usize::from(token)) as u32;
            }
        }
        let scale = alike.len() as f64 / places as f64;
        laws.par_chunks_exact_mut(stride).zip(&mut weights).zip(&alike).for_each_init(
            || (vec![0.0; padded(d)], vec![0.0; padded(d)], vec![0.0; d]),
            |(logs, scratch, sum), ((law, weight), places)| {
                sum.fill(0.0);
                let mut certain = 0.0;
                for &place in *places {
                    certain += saddlescope::dispatch!(add_law(
                        &chain.law,
                        before(place),
                        logs,
                        scratch,
                        sum
                    ));
                }
                let count = places.len() as f64;
                for (law, sum) in law.iter_mut().zip(sum) {
                    *law = (*sum / count) as f32;
                }
                let whole = law.iter().map(|p| f64::from(*p)).sum();
                *weight = [count * scale, certain / count, whole];
            },
        );
        let mut base = vec![NEVER; stride];
        base[..d].fill(0.0);
        let blocks = Blocks::new().with("tables", &[lags.len(), d, stride], 1.0);
        Self { vocabulary: d, stride, lags: lags.to_vec(), blocks, rows, laws, weights, base }
    }

    /// The law, without what the lags say that are not read.
    pub fn start(&self, chain: &Chain) -> Vec<f64> {
        let matrices = said(self.vocabulary, &self.lags, &chain.groups, &chain.features);
        let mut tables = vec![0.0; self.blocks.len()];
        let rows = tables.chunks_exact_mut(self.stride).zip(matrices.chunks_exact(self.vocabulary));
        rows.for_each(|(row, from)| row[..from.len()].copy_from_slice(from));
        tables
    }

    pub fn predictor(&self, theta: &[f64]) -> Predictor {
        let rows = theta.chunks_exact(self.stride).flat_map(|row| &row[..self.vocabulary]);
        let matrices: Vec<f32> = rows.map(|entry| *entry as f32).collect();
        Predictor::from_tables(self.vocabulary, &self.lags, &matrices)
    }

    #[inline(always)]
    fn add_here(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        logits: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        let (stride, lags) = (self.stride, self.lags.len());
        let row = |index: u32| index as usize * stride..(index as usize + 1) * stride;
        let mut sum = 0.0;
        for item in range {
            let rows = &self.rows[item * lags..][..lags];
            let law = vectors(&self.laws[item * stride..][..stride]);
            logits.copy_from_slice(&self.base);
            for &index in rows {
                add(logits, &theta[row(index)]);
            }
            let logits = logits.as_chunks_mut::<LANES>().0;
            let mut largest = [f64::NEG_INFINITY; LANES];
            for vector in &*logits {
                for lane in 0..LANES {
                    let (a, b) = (vector[lane], largest[lane]);
                    largest[lane] = if a > b { a } else { b };
                }
            }
            let top = largest.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // sum_v p*_v z_v, and sum_v exp(z_v) from the largest z on; padding has weight zero in both.
            let (mut said, mut total) = ([0.0; LANES], [0.0; LANES]);
            for (vector, law) in logits.iter_mut().zip(law) {
                for lane in 0..LANES {
                    said[lane] += f64::from(law[lane]) * vector[lane];
                    vector[lane] -= top;
                }
            }
            // On its own, so that compilers turn it into vectors.
            for logit in logits.as_flattened_mut() {
                *logit = elementary::exp(*logit);
            }
            for vector in &*logits {
                for lane in 0..LANES {
                    total[lane] += vector[lane];
                }
            }
            let (said, total) = (Lanes(said).folded(), Lanes(total).folded());
            let [weight, certain, whole] = self.weights[item];
            sum += weight * (certain - said + whole * (top + elementary::ln(total)));
            let part = weight * whole / total;
            for (vector, law) in logits.iter_mut().zip(law) {
                for lane in 0..LANES {
                    vector[lane] = part * vector[lane] - weight * f64::from(law[lane]);
                }
            }
            for &index in rows {
                add(&mut gradient[row(index)], logits.as_flattened());
            }
        }
        sum
    }
}

impl Contexts {
    /// Their mean: a fit holds on to its contexts while it minimises.
    pub(super) fn mean(&self) -> Batched<&Self> {
        let items = self.weights.len();
        let chunk = items.div_ceil(CHUNKS).max(SMALLEST);
        Batched::new(self, self.blocks.clone(), items, chunk)
    }
}

impl ItemLoss for &Contexts {
    type Scalar = f64;
    type Work = Vec<f64>;

    fn work(&self) -> Vec<f64> {
        vec![0.0; self.stride]
    }

    fn add(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        _draw: Draw,
        work: &mut Vec<f64>,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        Ok(saddlescope::dispatch!(self.add_here(range, theta, work, gradient)))
    }
}

/// Adds the law after `before` to `sum` and returns `sum_v p*_v ln p*_v`.
#[inline(always)]
fn add_law(
    law: &Predictor,
    before: &[u16],
    logs: &mut [f32],
    scratch: &mut [f32],
    sum: &mut [f64],
) -> f64 {
    law.log_probabilities(before, logs, scratch);
    let mut certain = 0.0;
    for (sum, log) in sum.iter_mut().zip(&*logs) {
        let log = f64::from(*log);
        let probability = elementary::exp(log);
        *sum += probability;
        certain += probability * log;
    }
    certain
}

#[inline(always)]
fn vectors<S>(numbers: &[S]) -> &[[S; LANES]] {
    numbers.as_chunks::<LANES>().0
}

#[inline(always)]
fn add(to: &mut [f64], numbers: &[f64]) {
    for (to, numbers) in to.as_chunks_mut::<LANES>().0.iter_mut().zip(vectors(numbers)) {
        for lane in 0..LANES {
            to[lane] += numbers[lane];
        }
    }
}
