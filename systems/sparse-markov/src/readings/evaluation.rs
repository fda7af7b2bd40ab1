//! What predictions are worth on a fixed set of test sequences, and where the heads behind them look.
//!
//! Losses are means of divergences from known laws, not of the logarithms of drawn tokens: the same mean without the luck
//! of the draw, and zero exactly where the law is learnt.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use saddlescope::numeric::elementary;
use saddlescope_spec::measure::Mean;

use crate::matrices::restricted::Windowed;
use crate::theory::fitted::{Fit, FittedPredictor};
use crate::{Chain, Error, Predictor};

mod attention;
mod predictions;
mod stored;

pub use attention::Attention;
pub use predictions::{Model, Predictions, Reads};
pub use stored::Stored;

use attention::{Shape, Sums};

/// A mean over sequences, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error; NaN for a single sequence.
    pub error: f64,
}

impl Estimate {
    /// Of one number per sequence.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut mean = Mean::default();
        numbers.into_iter().for_each(|number| mean.add(number));
        Self { mean: mean.mean(), error: mean.error() }
    }
}

/// `E mean_t KL(f || g)` over the sequences in `data`, which `chain` has drawn, from the logarithms of both.
pub fn divergence(chain: &Chain, (f, g): (&Predictor, &Predictor), data: &[u16]) -> Estimate {
    let readers = || (f.reader(chain), g.reader(chain));
    let d = f.vocabulary;
    let one = |(f, g): &mut (Box<dyn Reads + '_>, Box<dyn Reads + '_>), sequence: &[u16]| {
        f.read(sequence);
        g.read(sequence);
        let at = |t: usize| {
            let (f, g) = (f.log_probabilities(t), g.log_probabilities(t));
            saddlescope::dispatch!(divergence_at(&f[..d], &g[..d]))
        };
        (0..chain.length).map(at).sum::<f64>() / chain.length as f64
    };
    let numbers: Vec<f64> = data.par_chunks_exact(chain.tokens()).map_init(readers, one).collect();
    Estimate::of(numbers)
}

#[inline(always)]
fn divergence_at(f: &[f32], g: &[f32]) -> f64 {
    f.iter().zip(g).map(|(f, g)| f64::from(elementary::exp(*f) * (f - g))).sum()
}

/// Sequences that are worked on together.
const CHUNK: usize = 64;

/// A law that predictions are compared with, group counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// What an evaluation is to find out.
#[derive(Debug, Clone, Default)]
pub struct Want<'a> {
    /// Laws to compare with.
    pub references: &'a [Reference],
    /// Other predictions to compare with; see [`Evaluation::store`].
    pub stored: &'a [&'a Stored],
    /// The mean of `-ln p` of the tokens that were drawn.
    pub cross_entropy: bool,
    /// The same at each of the `T` places; counts where cross entropy is wanted.
    pub places: bool,
    /// Where heads look.
    pub attention: bool,
    /// How spread out their attention is; counts where attention is wanted.
    pub entropy: bool,
}

/// What an evaluation found.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// `E mean_t KL(reference || p)` for each reference that was wanted, in order.
    pub references: Vec<Estimate>,
    /// `E mean_t KL(stored || p)` for each of the others.
    pub stored: Vec<Estimate>,
    /// `E mean_t -ln p(x_t)`, in nats.
    pub cross_entropy: Option<Estimate>,
    /// The same at each place `t = 0..T`; nothing where it was not wanted.
    pub places: Vec<f64>,
    /// Where heads look.
    pub attention: Option<Attention>,
}

/// Test sequences with what is known about them, worked out when it is first asked for.
#[derive(Debug)]
pub struct Evaluation {
    /// The task.
    pub chain: Arc<Chain>,
    /// The test sequences, one after the other.
    pub data: Vec<u16>,
    fit: Fit,
    truth: OnceLock<Stored>,
    rungs: Vec<OnceLock<Stored>>,
    fitted: Vec<OnceLock<FittedPredictor>>,
    best: Vec<OnceLock<Stored>>,
    restricted: Option<Arc<dyn Windowed>>,
    windows: Vec<(usize, OnceLock<Stored>)>,
}

impl Evaluation {
    /// On sequences `data` of `chain`, with best predictors that are fitted as `fit` says.
    pub fn new(chain: Arc<Chain>, data: Vec<u16>, fit: Fit) -> Result<Self, Error> {
        let tokens = chain.tokens();
        if data.is_empty() || !data.len().is_multiple_of(tokens) {
            let expected = format!("sequences of {tokens} tokens (w + T), at least one");
            return Err(Error::value("number of test tokens", data.len(), expected));
        }
        if let Some(token) = data.iter().find(|&&token| usize::from(token) >= chain.vocabulary) {
            let expected = format!("below {} (the vocabulary)", chain.vocabulary);
            return Err(Error::value("a test token", token, expected));
        }
        let groups = chain.groups.len();
        let cells = || (1..groups).map(|_| OnceLock::new()).collect();
        let fitted = (1..groups).map(|_| OnceLock::new()).collect();
        Ok(Self {
            chain,
            data,
            fit,
            truth: OnceLock::new(),
            rungs: cells(),
            fitted,
            best: cells(),
            restricted: None,
            windows: Vec::new(),
        })
    }

    /// The same, with models to compare with that see a few tokens alone; each is trained when it is first asked for.
    #[must_use]
    pub fn with_restricted(self, restricted: Arc<dyn Windowed>) -> Self {
        let windows = restricted.windows();
        let windows = windows.into_iter().map(|window| (window, OnceLock::new())).collect();
        Self { restricted: Some(restricted), windows, ..self }
    }

    /// How many there are.
    pub fn sequences(&self) -> usize {
        self.data.len() / self.chain.tokens()
    }

    /// The best predictor from the first `count` groups, with how well it was fitted; none from all of them, which is the
    /// law.
    pub fn fitted(&self, count: usize) -> Result<Option<&FittedPredictor>, Error> {
        self.ensure_known(Reference::Best(count))?;
        let Some(cell) = self.fitted.get(count - 1) else { return Ok(None) };
        once(cell, || self.fit.groups(&self.chain, count)).map(Some)
    }

    /// Keeps what `predictions` says here, for others to be compared with.
    pub fn store(&self, predictions: &dyn Predictions) -> Stored {
        Stored::new(&self.chain, &self.data, predictions)
    }

    /// Measures predictions, in one pass over the sequences.
    pub fn evaluate(&self, of: &dyn Predictions, want: &Want<'_>) -> Result<Measures, Error> {
        let mut against = Vec::with_capacity(want.references.len() + want.stored.len());
        for &reference in want.references {
            against.push(self.reference(reference)?);
        }
        against.extend_from_slice(want.stored);
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
        let mut references: Vec<Estimate> = (0..against.len()).map(column).collect();
        let stored = references.split_off(want.references.len());
        let drawn = || Estimate::of(parts.iter().flat_map(|part| part.drawn.iter().copied()));
        let cross_entropy = want.cross_entropy.then(drawn);
        let places = if want.places { self.places(&parts) } else { Vec::new() };
        let sums: Vec<Sums> = parts.into_iter().filter_map(|part| part.attention).collect();
        let attention = want.attention.then(|| Sums::mean(&sums, shape, self.sequences()));
        Ok(Measures { references, stored, cross_entropy, places, attention })
    }

    /// The mean at each place.
    fn places(&self, parts: &[Part]) -> Vec<f64> {
        let mut means = vec![0.0; self.chain.length];
        for part in parts {
            means.iter_mut().zip(&part.places).for_each(|(mean, sum)| *mean += sum);
        }
        means.iter_mut().for_each(|mean| *mean /= self.sequences() as f64);
        means
    }

    /// The sequences of one chunk, the first of which is number `first`.
    fn part(
        &self,
        of: &dyn Predictions,
        (want, against, shape): (&Want<'_>, &[&Stored], Shape),
        first: usize,
        data: &[u16],
    ) -> Part {
        let chain = &*self.chain;
        let mut reader = of.reader(chain);
        reader.expect(data);
        let mut logs = vec![0.0; stored::row_length(chain)];
        let mut part = Part {
            divergences: Vec::with_capacity(CHUNK * against.len()),
            drawn: Vec::with_capacity(CHUNK),
            places: vec![0.0; chain.length],
            attention: want.attention.then(|| Sums::new(shape, want.entropy)),
        };
        for (index, sequence) in data.chunks_exact(chain.tokens()).enumerate() {
            reader.read(sequence);
            if !against.is_empty() {
                stored::gather(chain, &*reader, &mut logs);
                let (logs, divergences) = (&logs, &mut part.divergences);
                saddlescope::dispatch!(compare(
                    against,
                    first + index,
                    logs,
                    chain.length,
                    divergences
                ));
            }
            if want.cross_entropy {
                let drawn = sequence[chain.order..].iter().enumerate();
                let mut sum = 0.0;
                for (t, &token) in drawn {
                    let loss = -f64::from(reader.log_probabilities(t)[usize::from(token)]);
                    sum += loss;
                    part.places[t] += loss;
                }
                part.drawn.push(sum / chain.length as f64);
            }
            if let Some(attention) = &mut part.attention {
                attention.add(chain, &*reader);
            }
        }
        part
    }

    fn reference(&self, reference: Reference) -> Result<&Stored, Error> {
        self.ensure_known(reference)?;
        let law = (&self.truth, &self.chain.law);
        let (cell, predictor) = match reference {
            Reference::Truth => law,
            Reference::Rung(count) => match self.rungs.get(count - 1) {
                None => law,
                Some(cell) => return once(cell, || Ok(self.store(&self.chain.rung(count)))),
            },
            Reference::Window(window) => return self.windowed(window),
            Reference::Best(count) => match (self.best.get(count - 1), self.fitted(count)?) {
                (Some(cell), Some(fitted)) => (cell, &fitted.predictor),
                _ => law,
            },
        };
        once(cell, || Ok(self.store(predictor)))
    }

    fn windowed(&self, window: usize) -> Result<&Stored, Error> {
        let Some(restricted) = &self.restricted else {
            let expected = "none: there are no restricted models here";
            return Err(Error::value("window of a reference", window, expected));
        };
        let cell = self.windows.iter().find(|(own, _)| *own == window).map(|(_, cell)| cell);
        let cell = cell.ok_or_else(|| Error::value("window", window, "one that has a model"))?;
        once(cell, || Ok(self.store(&*restricted.predictions(window)?)))
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
    /// Sums at each place.
    places: Vec<f64>,
    attention: Option<Sums>,
}

#[inline(always)]
fn compare(
    against: &[&Stored],
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
