//! The task: Markov chains of order `w` in which groups of past tokens count differently.

use saddlescope::numeric::random::{Purpose, Stream};

use crate::Error;
use crate::task::predictor::Predictor;
use saddlescope::numeric::decompose::random_rotation;

/// A set `I(k)` of lags that one feature matrix reads together, with their weights. 000, Eq. (1).
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// How far back each of its tokens lies: 1 is the token before.
    pub lags: Vec<usize>,
    /// `alpha_i` of each, which add up to one.
    pub weights: Vec<f64>,
}

impl Group {
    pub fn even(lags: &[usize]) -> Self {
        let weight = 1.0 / lags.len().max(1) as f64;
        Self { lags: lags.to_vec(), weights: vec![weight; lags.len()] }
    }

    /// `count` groups of `size` neighbouring lags each, the nearest first. 000, Eq. (2).
    pub fn contiguous(count: usize, size: usize) -> Vec<Self> {
        let lags = |k: usize| (1..=size).map(|i| k * size + i).collect::<Vec<_>>();
        (0..count).map(|k| Self::even(&lags(k))).collect()
    }
}

/// How far the weights of a group may be from adding up to one.
const WEIGHT_ERROR: f64 = 1e-9;

/// The most tokens that a vocabulary may have: tokens are stored in 16 bits.
const LARGEST: usize = 1 << 16;

/// `x_t ~ softmax(sum_k A_k sum_{i in I(k)} alpha_i x_{t-i})` for `t = 1..T`, after `w` tokens drawn evenly. 000, Eq. (1).
///
/// The paper counts lags from 0 there, which would let a token depend on itself; its Table 4 and Eq. (3) count from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// `d`.
    pub vocabulary: usize,
    /// `w`.
    pub order: usize,
    /// `T`: tokens that follow the law.
    pub length: usize,
    /// `I(1), I(2), ...`.
    pub groups: Vec<Group>,
    /// `A_k`, `d x d` row after row: the column of a token is what it adds to the logits.
    pub features: Vec<Vec<f64>>,
    /// The law of the next token, as tables.
    pub law: Predictor,
}

impl Chain {
    /// Sequences of `length` drawn tokens in a chain with these groups and feature matrices, of order `order` or of
    /// the largest lag where none is given.
    pub fn new(
        groups: Vec<Group>,
        features: Vec<Vec<f64>>,
        (length, order): (usize, Option<usize>),
    ) -> Result<Self, Error> {
        Error::ensure_counts(length, "T")?;
        Error::ensure(!groups.is_empty(), "number of lag groups", 0, "at least 1")?;
        let longest = groups.iter().flat_map(|group| group.lags.iter().copied()).max().unwrap_or(0);
        let order = order.unwrap_or(longest);
        for (k, group) in groups.iter().enumerate() {
            group.check(k, order)?;
        }
        let found = features.len();
        if found != groups.len() {
            let expected = format!("{} (one per lag group)", groups.len());
            return Err(Error::Length { what: "feature matrices".to_owned(), found, expected });
        }
        let vocabulary = features[0].len().isqrt();
        let expected =
            "at least 2, and at most 65536: with a single token there is nothing to predict";
        Error::ensure((2..=LARGEST).contains(&vocabulary), "vocabulary", vocabulary, expected)?;
        for (k, feature) in features.iter().enumerate() {
            let what = format!("feature matrix {}", k + 1);
            Error::ensure_length(feature, vocabulary * vocabulary, &what, "vocabulary squared")?;
            Error::ensure_finite(feature, &what)?;
        }
        let law = Predictor::of_groups(vocabulary, order, &groups, &features);
        Ok(Self { vocabulary, order, length, groups, features, law })
    }

    /// Feature matrices `m_k O_k` with `O_k` uniform on the orthogonal group, keyed by `seed`. 000, section 2.2.
    pub fn orthogonal_features(vocabulary: usize, scales: &[f64], seed: u64) -> Vec<Vec<f64>> {
        let feature = |(k, &scale): (usize, &f64)| {
            let mut stream = Stream::new(seed, Purpose::Data, FEATURES).substream(k as u64);
            let rotation = random_rotation(vocabulary, &mut stream);
            rotation.into_iter().map(|entry| scale * entry).collect()
        };
        scales.iter().enumerate().map(feature).collect()
    }

    /// `w + T`: all tokens of a sequence.
    pub fn tokens(&self) -> usize {
        self.order + self.length
    }

    /// `f_{A_{1:count}}`: what the first `count` groups alone would predict. 000, Eq. (3).
    pub fn rung(&self, count: usize) -> Predictor {
        let count = count.min(self.groups.len());
        let (groups, features) = (&self.groups[..count], &self.features[..count]);
        Predictor::of_groups(self.vocabulary, self.order, groups, features)
    }

    /// The lags of the first `count` groups, the nearest first.
    pub fn lags(&self, count: usize) -> Vec<usize> {
        let groups = self.groups.iter().take(count);
        let mut lags: Vec<usize> = groups.flat_map(|group| group.lags.iter().copied()).collect();
        lags.sort_unstable();
        lags.dedup();
        lags
    }

    /// Draws a sequence: `w` even tokens, then `T` by the law.
    pub fn draw(&self, stream: &mut Stream, work: &mut DrawWork, sequence: &mut [u16]) {
        let (first, _) = sequence.split_at_mut(self.order);
        for token in first {
            *token = stream.below(self.vocabulary as u64) as u16;
        }
        stream.fill_uniform(&mut work.uniforms);
        for t in 0..self.length {
            let place = self.order + t;
            let token = self.law.pick(&sequence[..place], work.uniforms[t], &mut work.weights);
            sequence[place] = token;
        }
    }

    pub fn draw_work(&self) -> DrawWork {
        DrawWork { uniforms: vec![0.0; self.length], weights: vec![0.0; self.law.stride()] }
    }

    /// `count` sequences, one after the other, keyed by `seed`; the same on any number of threads.
    pub fn data_set(&self, count: usize, (seed, stream): (u64, u64)) -> Vec<u16> {
        use rayon::prelude::*;
        let mut all = vec![0; count * self.tokens()];
        let draw = |work: &mut DrawWork, (index, sequence): (usize, &mut [u16])| {
            let mut stream = Stream::new(seed, Purpose::Data, stream).substream(index as u64);
            self.draw(&mut stream, work, sequence);
        };
        all.par_chunks_exact_mut(self.tokens())
            .enumerate()
            .for_each_init(|| self.draw_work(), draw);
        all
    }
}

/// Which stream of the data's seed draws feature matrices, and which draws training and test sequences.
const FEATURES: u64 = 0;
pub const TRAINING: u64 = 1;
pub const TEST: u64 = 2;

#[derive(Debug, Clone)]
pub struct DrawWork {
    uniforms: Vec<f32>,
    weights: Vec<f32>,
}

impl Group {
    fn check(&self, k: usize, order: usize) -> Result<(), Error> {
        let name = format!("lag group {}", k + 1);
        Error::ensure(!self.lags.is_empty(), &name, "empty", "at least one lag")?;
        for (place, &lag) in self.lags.iter().enumerate() {
            let expected = format!("1 to {order} (the order w): lag 1 is the token before");
            let what = format!("a lag of {name}");
            Error::ensure((1..=order).contains(&lag), &what, lag, expected)?;
            Error::ensure(!self.lags[..place].contains(&lag), what, lag, "each lag once")?;
        }
        let what = format!("alpha of {name}");
        Error::ensure_length(&self.weights, self.lags.len(), &what, "one weight per lag")?;
        Error::ensure_finite(&self.weights, &what)?;
        if let Some(negative) = self.weights.iter().find(|weight| **weight < 0.0) {
            return Err(Error::value(what, negative, "weights of 0 or more"));
        }
        let sum: f64 = self.weights.iter().sum();
        Error::ensure((sum - 1.0).abs() <= WEIGHT_ERROR, format!("sum of {what}"), sum, "1")
    }
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
