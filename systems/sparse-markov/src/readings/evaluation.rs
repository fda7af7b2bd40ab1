//! What predictions are worth on a fixed set of test sequences, and where the heads behind them look.
//!
//! Losses are means of divergences from known laws, not of the logarithms of drawn tokens: the same mean without the luck
//! of the draw, and zero exactly where the law is learnt.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;
use saddlescope::numeric::elementary;
use saddlescope_spec::measure::Mean;

use crate::data::count;
use crate::matrices::restricted::Windowed;
use crate::theory::fitted::Fit;
use crate::{Chain, Error, Predictor};

mod attention;
mod predictions;
mod stored;

pub use attention::Attention;
pub use predictions::{Model, Predictions, Sight};

use attention::{Shape, Sums};
use stored::Stored;

/// A mean over sequences, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub mean: f64,
    /// Its standard error; NaN for a single sequence.
    pub error: f64,
}

impl Estimate {
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut mean = Mean::default();
        numbers.into_iter().for_each(|number| mean.add(number));
        Self { mean: mean.mean(), error: mean.error() }
    }
}

/// `E mean_t KL(f || g)` over the sequences in `data`, which `chain` has drawn, from the logarithms of both.
pub fn divergence(chain: &Chain, (f, g): (&Predictor, &Predictor), data: &[u16]) -> Estimate {
    let scratch = || [(); 3].map(|()| vec![0.0; f.stride()]);
    let one = |scratch: &mut [Vec<f32>; 3], sequence: &[u16]| {
        let at = |t: usize| {
            let before = &sequence[..chain.order + t];
            saddlescope::dispatch!(divergence_at((f, g), before, scratch))
        };
        (0..chain.length).map(at).sum::<f64>() / chain.length as f64
    };
    let numbers: Vec<f64> = data.par_chunks_exact(chain.tokens()).map_init(scratch, one).collect();
    Estimate::of(numbers)
}

#[inline(always)]
fn divergence_at(
    (f, g): (&Predictor, &Predictor),
    before: &[u16],
    [of_f, of_g, scratch]: &mut [Vec<f32>; 3],
) -> f64 {
    f.log_probabilities(before, of_f, scratch);
    g.log_probabilities(before, of_g, scratch);
    let pairs = of_f.iter().zip(&*of_g).take(f.vocabulary);
    pairs.map(|(f, g)| f64::from(elementary::exp(*f) * (f - g))).sum()
}

/// Sequences that are worked on together.
const CHUNK: usize = 64;

/// A law that predictions are compared with, group counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// `p*`: the divergence from it is the excess loss.
    Truth,
    /// `f_{A_{1:i}}`. 000, Eq. (3).
    Rung(usize),
    /// The best predictor from the lags of the first groups.
    Best(usize),
    /// A model that was trained to see so many tokens alone; see [`Evaluation::with_restricted`].
    Window(usize),
}

#[derive(Debug, Clone, Default)]
pub struct Want<'a> {
    pub references: &'a [Reference],
    /// The mean of `-ln p` of the tokens that were drawn.
    pub cross_entropy: bool,
    pub attention: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// `E mean_t KL(reference || p)` for each reference that was wanted, in order.
    pub references: Vec<Estimate>,
    /// `E mean_t -ln p(x_t)`, in nats.
    pub cross_entropy: Option<Estimate>,
    /// The same at each place `t = 0..T`.
    pub places: Vec<f64>,
    pub attention: Option<Attention>,
}

/// Test sequences with what is known about them, worked out when it is first asked for.
#[derive(Debug)]
pub struct Evaluation {
    pub chain: Arc<Chain>,
    /// The test sequences, one after the other.
    pub data: Vec<u16>,
    fit: Fit,
    fitted: Vec<OnceLock<Predictor>>,
    restricted: Option<Arc<dyn Windowed>>,
    /// What references say here, of those that were asked for.
    known: Mutex<BTreeMap<Reference, Arc<Stored>>>,
}

impl Evaluation {
    /// On sequences `data` of `chain`, with best predictors that are fitted as `fit` says.
    pub fn new(chain: Arc<Chain>, data: Vec<u16>, fit: Fit) -> Result<Self, Error> {
        count(&chain, &data, "test data")?;
        let fitted = (1..chain.groups.len()).map(|_| OnceLock::new()).collect();
        Ok(Self { chain, data, fit, fitted, restricted: None, known: Mutex::default() })
    }

    /// The same, with models to compare with that see a few tokens alone; each is trained when it is first asked for.
    #[must_use]
    pub fn with_restricted(self, restricted: Arc<dyn Windowed>) -> Self {
        Self { restricted: Some(restricted), ..self }
    }

    pub fn sequences(&self) -> usize {
        self.data.len() / self.chain.tokens()
    }

    /// The best predictor from the first `count` groups; none from all of them, which is the law.
    pub fn fitted(&self, count: usize) -> Result<Option<&Predictor>, Error> {
        self.ensure_known(Reference::Best(count))?;
        let Some(cell) = self.fitted.get(count - 1) else { return Ok(None) };
        once(cell, || self.fit.groups(&self.chain, count)).map(Some)
    }

    pub fn evaluate(&self, of: &dyn Predictions, want: &Want<'_>) -> Result<Measures, Error> {
        let against = want.references.iter().map(|&reference| self.reference(reference));
        let against: Vec<Arc<Stored>> = against.collect::<Result<_, Error>>()?;
        let shape = Shape::new(&self.chain, of.heads());
        let chunks = self.data.par_chunks(CHUNK * self.chain.tokens()).enumerate();
        let parts: Vec<Part> = chunks
            .map(|(index, data)| self.part(of, (want, &against, shape), index * CHUNK, data))
            .collect();
        let column = |place: usize| {
            let of = |part: &Part| {
                let column = part.divergences.iter().skip(place).step_by(against.len());
                column.copied().collect::<Vec<f64>>()
            };
            Estimate::of(parts.iter().flat_map(of))
        };
        let references = (0..against.len()).map(column).collect();
        let drawn = || Estimate::of(parts.iter().flat_map(|part| part.drawn.iter().copied()));
        let cross_entropy = want.cross_entropy.then(drawn);
        let mut places = vec![0.0; self.chain.length];
        for part in &parts {
            places.iter_mut().zip(&part.places).for_each(|(mean, sum)| *mean += sum);
        }
        places.iter_mut().for_each(|mean| *mean /= self.sequences() as f64);
        let sums: Vec<Sums> = parts.into_iter().filter_map(|part| part.attention).collect();
        let attention = want.attention.then(|| Sums::mean(&sums, shape, self.sequences()));
        Ok(Measures { references, cross_entropy, places, attention })
    }

    /// The sequences of one chunk, the first of which is number `first`.
    fn part(
        &self,
        of: &dyn Predictions,
        (want, against, shape): (&Want<'_>, &[Arc<Stored>], Shape),
        first: usize,
        data: &[u16],
    ) -> Part {
        let chain = &*self.chain;
        let mut logs = vec![0.0; stored::row_length(chain)];
        let mut part = Part {
            divergences: Vec::with_capacity(CHUNK * against.len()),
            drawn: Vec::with_capacity(CHUNK),
            places: vec![0.0; chain.length],
            attention: want.attention.then(|| Sums::new(shape)),
        };
        of.read(chain, data, &mut |index, seen| {
            if !against.is_empty() {
                stored::gather(chain, seen, &mut logs);
                let (number, divergences) = (first + index, &mut part.divergences);
                let places = chain.length;
                saddlescope::dispatch!(compare(against, number, &logs, places, divergences));
            }
            if want.cross_entropy {
                let drawn = &data[index * chain.tokens()..][chain.order..chain.tokens()];
                let mut sum = 0.0;
                for (t, &token) in drawn.iter().enumerate() {
                    let loss = -f64::from(seen.log_probabilities(t)[usize::from(token)]);
                    sum += loss;
                    part.places[t] += loss;
                }
                part.drawn.push(sum / chain.length as f64);
            }
            if let Some(attention) = &mut part.attention {
                attention.add(chain, seen);
            }
        });
        part
    }

    /// What a reference says here, made where it is not known, without holding the lock: see [`once`].
    fn reference(&self, reference: Reference) -> Result<Arc<Stored>, Error> {
        self.ensure_known(reference)?;
        let all = self.chain.groups.len();
        let reference = match reference {
            Reference::Rung(count) | Reference::Best(count) if count == all => Reference::Truth,
            other => other,
        };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&reference) {
            return Ok(Arc::clone(found));
        }
        let store = |of: &dyn Predictions| Stored::new(&self.chain, &self.data, of);
        let made = match reference {
            Reference::Truth => store(&self.chain.law),
            Reference::Rung(count) => store(&self.chain.rung(count)),
            Reference::Best(count) => store(self.fitted(count)?.unwrap_or(&self.chain.law)),
            Reference::Window(window) => {
                let restricted = self.restricted.as_ref().ok_or_else(|| {
                    let expected = "none: there are no restricted models here";
                    Error::value("window of a reference", window, expected)
                })?;
                store(&*restricted.predictions(window)?)
            }
        };
        Ok(Arc::clone(known().entry(reference).or_insert_with(|| Arc::new(made))))
    }

    fn ensure_known(&self, reference: Reference) -> Result<(), Error> {
        let (Reference::Rung(count) | Reference::Best(count)) = reference else { return Ok(()) };
        let groups = self.chain.groups.len();
        if (1..=groups).contains(&count) {
            return Ok(());
        }
        Err(Error::value(
            "number of groups that a reference reads",
            count,
            format!("1 to {groups}"),
        ))
    }
}

/// What a chunk of sequences gives.
struct Part {
    /// Sequence, reference.
    divergences: Vec<f64>,
    drawn: Vec<f64>,
    places: Vec<f64>,
    attention: Option<Sums>,
}

#[inline(always)]
fn compare(
    against: &[Arc<Stored>],
    index: usize,
    logs: &[f32],
    places: usize,
    divergences: &mut Vec<f64>,
) {
    for stored in against {
        divergences.push(stored.divergence(index, logs, places));
    }
}

/// What is in `cell`, made where it is empty. It is made outside of the cell's lock: threads that share work also take up
/// other work while they wait, and one that came upon a lock of its own would wait for ever. Whoever is first, it is the
/// same.
pub(crate) fn once<T>(
    cell: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, Error>,
) -> Result<&T, Error> {
    match cell.get() {
        Some(there) => Ok(there),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}

#[cfg(test)]
#[path = "evaluation_tests.rs"]
mod tests;
