//! The paper's definitions taken at their word: every map, every query, every token.
//!
//! This is the slow, plain path that claims are checked against. It shares nothing with the landscape:
//! sequences are written out token by token (section 2.1), the simplified model is Eq. (9) on them, the
//! transformer is that of section 2.2, and an expectation is a mean over all maps and queries.

use super::*;

/// `<e_a, I~ e_b>` for tokens of permutations: one number where they are the same, one where not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inner {
    pub(super) same: f64,
    pub(super) other: f64,
}

/// `gamma = 0`.
pub(super) const PLAIN: Inner = Inner::used(0.0);

impl Inner {
    /// 001, line 455: `(1 + gamma) I - gamma 11^T`.
    pub(super) const fn used(gamma: f64) -> Self {
        Self { same: 1.0, other: -gamma }
    }

    fn of(self, a: usize, b: usize) -> f64 {
        if a == b { self.same } else { self.other }
    }
}

/// One sequence: its tokens, the responses to all permutations, which one is asked for.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) tokens: Vec<usize>,
    pub(super) map: Vec<usize>,
    pub(super) query: usize,
}

/// What a model makes of a sequence.
#[derive(Debug, Clone)]
pub(super) struct Forward {
    /// Scores before the softmax.
    pub(super) scores: Vec<f64>,
    /// `s`.
    pub(super) shares: Vec<f64>,
    /// `p`, over all tokens.
    pub(super) output: Vec<f64>,
}

/// The task with everything listed.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) order: usize,
    pub(super) responses: usize,
    pub(super) permutations: Vec<Vec<usize>>,
    /// Every map with every query, of [`Listed::whole`].
    pub(super) samples: Vec<Sample>,
}

/// Order 3 with two responses: 64 maps, 6 queries.
pub(super) static SMALL: LazyLock<Listed> = LazyLock::new(|| Listed::whole(3, 2));

impl Listed {
    /// Without samples, which are too many for larger orders.
    pub(super) fn new(order: usize, responses: usize) -> Self {
        let mut permutations = vec![Vec::new()];
        for _ in 0..order {
            let longer = |begun: &Vec<usize>| {
                let begun = begun.clone();
                let left: Vec<usize> = (0..order).filter(|token| !begun.contains(token)).collect();
                left.into_iter().map(move |token| [begun.as_slice(), &[token]].concat())
            };
            permutations = permutations.iter().flat_map(longer).collect();
        }
        Self { order, responses, permutations, samples: Vec::new() }
    }

    pub(super) fn whole(order: usize, responses: usize) -> Self {
        let mut task = Self::new(order, responses);
        let n = task.permutations.len();
        let map = |number: usize| -> Vec<usize> {
            (0..n).map(|t| number / responses.pow(t as u32) % responses).collect()
        };
        let pairs = crossed(0..responses.pow(n as u32), 0..n);
        task.samples = pairs.map(|(number, query)| task.sample(&map(number), query)).collect();
        task
    }

    /// The tokens of the sequence with the responses `map` that asks for permutation `query`.
    pub(super) fn sample(&self, map: &[usize], query: usize) -> Sample {
        let mut tokens = Vec::new();
        for (permutation, response) in self.permutations.iter().zip(map) {
            tokens.extend(permutation);
            tokens.push(self.order + response);
        }
        tokens.extend(&self.permutations[query]);
        Sample { tokens, map: map.to_vec(), query }
    }

    /// Eq. (9) with weights `theta`, head after head `beta_h, w^h_1, ..., w^h_k`.
    pub(super) fn forward(&self, sample: &Sample, theta: &[f64], inner: Inner) -> Forward {
        let (k, length) = (self.order, sample.tokens.len());
        let places: Vec<usize> = (0..length).filter(|&t| sample.tokens[t] >= k).collect();
        let attention: Vec<Vec<f64>> =
            theta.chunks_exact(k + 1).map(|head| softmax(&head[1..])).collect();
        let score = |&t: &usize| -> f64 {
            let of_head = |(h, head): (usize, &[f64])| -> f64 {
                let asked = sample.tokens[length - 1 - h];
                let seen = (1..=k)
                    .map(|lag| attention[h][lag - 1] * inner.of(asked, sample.tokens[t - lag]));
                head[0] * head[0] * seen.sum::<f64>()
            };
            theta.chunks_exact(k + 1).enumerate().map(of_head).sum()
        };
        let scores: Vec<f64> = places.iter().map(score).collect();
        let shares = softmax(&scores);
        let mut output = vec![0.0; k + self.responses];
        for (share, &t) in shares.iter().zip(&places) {
            output[sample.tokens[t]] += share;
        }
        Forward { scores, shares, output }
    }

    pub(super) fn answer(&self, sample: &Sample) -> usize {
        self.order + sample.map[sample.query]
    }

    /// `pi_(t, k - i)`: the token of permutation `t` at lag `i`.
    pub(super) fn token(&self, t: usize, lag: usize) -> usize {
        self.permutations[t][self.order - lag]
    }

    /// Whether permutation `t` has at lag `lag` the query's token for head `head` (from 1).
    pub(super) fn matches(&self, sample: &Sample, head: usize, t: usize, lag: usize) -> bool {
        self.token(t, lag) == self.token(sample.query, head)
    }

    /// `l'_t`, the slope of the loss in the scores. 001, line 447.
    pub(super) fn score_slopes(&self, sample: &Sample, shares: &[f64]) -> Vec<f64> {
        let same = |t: usize| f64::from(sample.map[t] == sample.map[sample.query]);
        let sum: f64 = shares.iter().enumerate().map(|(j, share)| share * same(j)).sum();
        shares.iter().enumerate().map(|(t, share)| -share * (same(t) - sum)).collect()
    }

    /// `Delta_(h, i)` of one sequence, by Eq. (14); `head` from 1.
    pub(super) fn delta(&self, sample: &Sample, shares: &[f64], head: usize, lag: usize) -> f64 {
        let (mut both, mut same, mut there) = (0.0, 0.0, 0.0);
        for (t, share) in shares.iter().enumerate() {
            let alike = sample.map[t] == sample.map[sample.query];
            let found = self.matches(sample, head, t, lag);
            both += if alike && found { *share } else { 0.0 };
            same += if alike { *share } else { 0.0 };
            there += if found { *share } else { 0.0 };
        }
        -(both - same * there)
    }

    pub(super) fn mean(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        self.samples.iter().map(of).sum::<f64>() / self.samples.len() as f64
    }

    /// The mean of the loss (9e).
    pub(super) fn loss(&self, theta: &[f64], inner: Inner) -> f64 {
        self.mean(|sample| 1.0 - self.forward(sample, theta, inner).output[self.answer(sample)])
    }

    /// Its gradient, by differences.
    pub(super) fn gradient(&self, theta: &[f64], inner: Inner) -> Vec<f64> {
        gradient(|theta| self.loss(theta, inner), theta)
    }

    pub(super) fn entropy(&self, theta: &[f64]) -> f64 {
        self.mean(|sample| -self.forward(sample, theta, PLAIN).output[self.answer(sample)].ln())
    }

    /// `E Delta_(h, i)`; `head` from 1.
    pub(super) fn mean_delta(&self, theta: &[f64], inner: Inner, head: usize, lag: usize) -> f64 {
        self.mean(|sample| {
            self.delta(sample, &self.forward(sample, theta, inner).shares, head, lag)
        })
    }
}

/// Where `Q^T K` has its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Band {
    /// Query block `h - 1` meets key block `h`: `B` of A.2.
    Above,
    /// Query block `h` meets key block `h - 1`: the first sub-diagonal.
    Below,
}

impl Listed {
    /// Section 2.2 word by word: rows `R^0 = X, R^1, ..., R^k` of every position, all positions in the last
    /// softmax. `weights[h]` are over lags from 0, `strengths[h]` is `beta_h^2`.
    pub(super) fn transformer(
        &self,
        tokens: &[usize],
        strengths: &[f64],
        weights: &[Vec<f64>],
        band: Band,
    ) -> Forward {
        let (k, size) = (self.order, self.order + self.responses);
        let mut layers: Vec<Vec<Vec<f64>>> = vec![tokens.iter().map(|&x| axis(x, size)).collect()];
        for weights in weights {
            let row = |t: usize| first_layer(tokens, weights, t, size);
            layers.push((0..tokens.len()).map(row).collect());
        }
        let last = tokens.len() - 1;
        let score = |t: usize| -> f64 {
            let of_head = |(h, strength): (usize, &f64)| -> f64 {
                let (query, key) = match band {
                    Band::Above => (h, h + 1),
                    Band::Below => (h + 1, h),
                };
                let (query, key) = (&layers[query][last], &layers[key][t]);
                // I~_k is the identity of the first k tokens.
                strength * dot(&query[..k], &key[..k])
            };
            strengths.iter().enumerate().map(of_head).sum()
        };
        let scores: Vec<f64> = (0..tokens.len()).map(score).collect();
        let shares = softmax(&scores);
        let mut output = vec![0.0; size];
        for (share, &token) in shares.iter().zip(tokens) {
            output[token] += share;
        }
        Forward { scores, shares, output }
    }
}

/// `R^h_t = sum_i softmax(w)_i e_(x_(t-i))` over lags `0..=t`. 001, Eq. (1).
pub(super) fn first_layer(tokens: &[usize], weights: &[f64], t: usize, size: usize) -> Vec<f64> {
    let mut row = vec![0.0; size];
    for (lag, share) in softmax(&weights[..=t]).iter().enumerate() {
        row[tokens[t - lag]] += share;
    }
    row
}
