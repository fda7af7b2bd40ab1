//! The transformer of section 2.2 on one sequence: forward and back, with any of the simplifications.

use saddlescope::numeric::elementary::exp_all;
use saddlescope::numeric::packed;
use saddlescope::{Fault, dispatch};

use crate::loss::expectation::{Average, Scratch};
use crate::{Error, Objective, Shape};

/// The two-layer transformer on literal sequences. 001, section 2.2 and appendix A.2.
///
/// Scores are `s_t = sum_h G^h . R^h_t`: what head `h` sees at position `t` against a vector `G^h` that the
/// last position asks with. Since tokens are one-hot, `G^h . R^h_t` is a convolution of `G^h[x_j]` with the
/// attention over lags, and nothing of size vocabulary is ever multiplied out per position.
#[derive(Debug, Clone)]
pub struct Transformer {
    pub shape: Shape,
    /// Tokens of a sequence.
    pub length: usize,
    /// Positions that compete in the second softmax.
    positions: Vec<usize>,
    /// Where the responses stand among them.
    responses: Vec<usize>,
}

/// How a sequence's prediction is judged.
#[derive(Debug, Clone, Copy)]
pub enum Judge<'a> {
    /// Against the response to the query, which is this token.
    Literal(Objective, u16),
    /// In expectation over all maps: right are the response at place `own` of the list, and any other with
    /// probability `1/R`. For models whose scores do not see responses.
    Mean(&'a Average, usize),
}

#[derive(Debug, Clone)]
pub struct Work {
    /// For each head, `e^w` over the lags, the last lag first, and its slope.
    raised: Vec<f64>,
    raised_slope: Vec<f64>,
    /// For each head, the sums of `e^w` that positions see, and their slopes.
    sums: Vec<f64>,
    sum_slopes: Vec<f64>,
    /// What each block sees at the last position, and its slope: `(heads + 1) x vocabulary`.
    last: Vec<f64>,
    last_slope: Vec<f64>,
    /// What each block is asked for: `G`, and its slope.
    asked: Vec<f64>,
    asked_slope: Vec<f64>,
    /// `Q r` of the last position, and its slope.
    middle: Vec<f64>,
    middle_slope: Vec<f64>,
    /// `G^h[x_j]` over the positions, and its slope.
    found: Vec<f64>,
    found_slope: Vec<f64>,
    /// Each head's part of each score.
    parts: Vec<f64>,
    /// Softmax over `positions`, and the slope of the loss in each score.
    pub(crate) shares: Vec<f64>,
    slopes: Vec<f64>,
    /// For averages over maps.
    average: Scratch,
}

impl Transformer {
    pub fn new(shape: Shape) -> Result<Self, Error> {
        let task = &shape.task;
        task.list()?;
        let (k, length) = (task.order, task.length() as usize);
        let responses: Vec<usize> = (k..length - k).step_by(k + 1).collect();
        let (positions, responses) = if shape.simplified.responses {
            let places = (0..responses.len()).collect();
            (responses, places)
        } else {
            ((0..length).collect(), responses)
        };
        Ok(Self { shape, length, positions, responses })
    }

    pub fn work(&self) -> Work {
        let (heads, width) = (self.shape.heads, self.shape.width());
        let zeros = |count: usize| vec![0.0; count];
        let (lags, length, positions) = (self.shape.lags(), self.length, self.positions.len());
        Work {
            raised: zeros(heads * lags),
            raised_slope: zeros(heads * lags),
            sums: zeros(heads * length),
            sum_slopes: zeros(heads * length),
            last: zeros(width),
            last_slope: zeros(width),
            asked: zeros(width),
            asked_slope: zeros(width),
            middle: zeros(width),
            middle_slope: zeros(width),
            found: zeros(length),
            found_slope: zeros(length),
            parts: zeros(heads * positions),
            shares: zeros(positions),
            slopes: zeros(positions),
            average: Scratch::new(self.responses.len()),
        }
    }

    pub fn predict(&self, theta: &[f64], sequence: &[u16]) -> Vec<f64> {
        let mut prediction = vec![0.0; self.shape.task.vocabulary()];
        for (&token, share) in sequence.iter().zip(self.attention(theta, sequence)) {
            prediction[usize::from(token)] += share;
        }
        prediction
    }

    /// How the second layer attends from the last position to each: `s`, zero where nothing competes.
    pub fn attention(&self, theta: &[f64], sequence: &[u16]) -> Vec<f64> {
        let mut work = self.work();
        self.raise(theta, &mut work);
        self.forward(theta, sequence, &mut work);
        let mut attention = vec![0.0; self.length];
        for (&position, share) in self.positions.iter().zip(&work.shares) {
            attention[position] = *share;
        }
        attention
    }

    /// Prepares scratch for parameters `theta`: once for many sequences.
    pub fn raise(&self, theta: &[f64], work: &mut Work) {
        let (lags, first) = (self.shape.lags(), self.shape.first_lag());
        let rows = work.raised.chunks_exact_mut(lags).zip(work.sums.chunks_exact_mut(self.length));
        for (head, (raised, sums)) in self.shape.iter(theta).zip(rows) {
            let top = head.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (raised, w) in raised.iter_mut().rev().zip(head.weights) {
                *raised = w - top;
            }
            exp_all(raised);
            // Position t sees the lags first..=t, as far as there are weights.
            let mut sum = 0.0;
            for (t, entry) in sums.iter_mut().enumerate() {
                if t >= first && t - first < lags {
                    sum += raised[lags - 1 - (t - first)];
                }
                *entry = sum;
            }
        }
    }

    /// Where head `h`'s view from position `t` lies: a range of `raised` and the positions that it meets.
    #[inline]
    fn view(&self, t: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let (lags, first) = (self.shape.lags(), self.shape.first_lag());
        // Weight `raised[lags - 1 - i]` is that of lag `first + i`, at position t - first - i.
        let seen = if t < first { 0 } else { (t - first + 1).min(lags) };
        let end = (t + 1).saturating_sub(first);
        (lags - seen..lags, end - seen..end)
    }

    /// Scores and their softmax.
    fn forward(&self, theta: &[f64], sequence: &[u16], work: &mut Work) {
        let (heads, vocabulary) = (self.shape.heads, self.shape.task.vocabulary());
        self.see_last(sequence, work);
        self.ask(theta, work);
        let strengths = self.shape.simplified.strengths;
        work.shares.fill(0.0);
        if !strengths {
            // The skip connection takes part: block 0.
            for (share, &t) in work.shares.iter_mut().zip(&self.positions) {
                *share = work.asked[usize::from(sequence[t])];
            }
        }
        for h in 0..heads {
            let asked = &work.asked[(h + 1) * vocabulary..(h + 2) * vocabulary];
            for (found, &token) in work.found.iter_mut().zip(sequence) {
                *found = asked[usize::from(token)];
            }
            let raised = &work.raised[h * self.shape.lags()..(h + 1) * self.shape.lags()];
            let sums = &work.sums[h * self.length..(h + 1) * self.length];
            let parts = &mut work.parts[h * self.positions.len()..(h + 1) * self.positions.len()];
            let rows = parts.iter_mut().zip(&mut work.shares).zip(&self.positions);
            for ((part, share), &t) in rows {
                let (own, met) = self.view(t);
                *part = if met.is_empty() {
                    0.0
                } else {
                    dot(&raised[own], &work.found[met]) / sums[t]
                };
                *share += *part;
            }
        }
        let top = work.shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        work.shares.iter_mut().for_each(|share| *share -= top);
        exp_all(&mut work.shares);
        let sum: f64 = work.shares.iter().sum();
        work.shares.iter_mut().for_each(|share| *share /= sum);
    }

    /// What the blocks hold at the last position: the query's tokens (A2), or what the heads see there.
    fn see_last(&self, sequence: &[u16], work: &mut Work) {
        let vocabulary = self.shape.task.vocabulary();
        let last = self.length - 1;
        work.last.fill(0.0);
        work.last[usize::from(sequence[last])] = 1.0;
        for h in 0..self.shape.heads {
            let row = &mut work.last[(h + 1) * vocabulary..(h + 2) * vocabulary];
            if self.shape.simplified.solution {
                row[usize::from(sequence[last - 1 - h])] = 1.0;
                continue;
            }
            let (own, met) = self.view(last);
            let raised = &work.raised[h * self.shape.lags()..(h + 1) * self.shape.lags()];
            let sum = work.sums[h * self.length + last];
            for (raised, &token) in raised[own].iter().zip(&sequence[met]) {
                row[usize::from(token)] += raised / sum;
            }
        }
    }

    /// `G`: with (A1) the permutation's tokens, compared by `gain I - gamma 11^T`, times strengths, else `K^T Q r`.
    fn ask(&self, theta: &[f64], work: &mut Work) {
        let shape = &self.shape;
        let (vocabulary, k) = (shape.task.vocabulary(), shape.task.order);
        work.asked.fill(0.0);
        if shape.simplified.strengths {
            for (h, head) in shape.iter(theta).enumerate() {
                // Block h - 1 of the last position meets block h: 001, the matrix B of A.2.
                let held = &work.last[h * vocabulary..h * vocabulary + k];
                let shared = shape.gamma * held.iter().sum::<f64>();
                let asked = &mut work.asked[(h + 1) * vocabulary..(h + 1) * vocabulary + k];
                for (asked, held) in asked.iter_mut().zip(held) {
                    *asked = head.beta * head.beta * (shape.gain * held - shared);
                }
            }
            return;
        }
        let n = shape.width();
        let (query, key) = theta[shape.heads * shape.head_len()..].split_at(n * n);
        let rows = query.chunks_exact(n).zip(key.chunks_exact(n)).zip(&mut work.middle);
        for ((query, key), middle) in rows {
            *middle = dot(query, &work.last);
            add_times(&mut work.asked, *middle, key);
        }
    }

    /// Adds the gradient of one sequence to `gradient` and returns its loss; [`Transformer::raise`] before.
    pub fn add(
        &self,
        theta: &[f64],
        sequence: &[u16],
        judge: Judge<'_>,
        work: &mut Work,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        self.forward(theta, sequence, work);
        let loss = self.judge(sequence, judge, work);
        self.back(theta, sequence, work, gradient);
        Fault::ensure_finite(loss, "loss of a sequence")
    }

    /// The loss, and its slopes in the scores.
    fn judge(&self, sequence: &[u16], judge: Judge<'_>, work: &mut Work) -> f64 {
        let Work { shares, slopes, average, .. } = work;
        let loss = match judge {
            Judge::Literal(objective, target) => {
                let right = |t: usize| f64::from(u8::from(sequence[t] == target));
                let sum = self.positions.iter().zip(&*shares).map(|(&t, share)| right(t) * share);
                let found: f64 = sum.sum();
                let (loss, slope) = match objective {
                    Objective::DotProduct => (1.0 - found, -1.0),
                    Objective::CrossEntropy => (-found.ln(), -1.0 / found),
                };
                for (out, &t) in slopes.iter_mut().zip(&self.positions) {
                    *out = slope * right(t);
                }
                loss
            }
            Judge::Mean(mean, own) => mean.loss_at(own, &self.responses, shares, slopes, average),
        };
        let mean: f64 = slopes.iter().zip(&*shares).map(|(slope, share)| slope * share).sum();
        for (slope, share) in slopes.iter_mut().zip(&*shares) {
            *slope = share * (*slope - mean);
        }
        loss
    }

    /// From slopes in the scores to slopes in the parameters.
    fn back(&self, theta: &[f64], sequence: &[u16], work: &mut Work, gradient: &mut [f64]) {
        let shape = &self.shape;
        let (vocabulary, lags) = (shape.task.vocabulary(), shape.lags());
        work.asked_slope.fill(0.0);
        work.last_slope.fill(0.0);
        work.raised_slope.fill(0.0);
        work.sum_slopes.fill(0.0);
        if !shape.simplified.strengths {
            for (slope, &t) in work.slopes.iter().zip(&self.positions) {
                work.asked_slope[usize::from(sequence[t])] += slope;
            }
        }
        for h in 0..shape.heads {
            let asked = &work.asked[(h + 1) * vocabulary..(h + 2) * vocabulary];
            for (found, &token) in work.found.iter_mut().zip(sequence) {
                *found = asked[usize::from(token)];
            }
            work.found_slope.fill(0.0);
            let raised = &work.raised[h * lags..(h + 1) * lags];
            let raised_slope = &mut work.raised_slope[h * lags..(h + 1) * lags];
            let sums = &work.sums[h * self.length..(h + 1) * self.length];
            let sum_slopes = &mut work.sum_slopes[h * self.length..(h + 1) * self.length];
            let parts = &work.parts[h * self.positions.len()..(h + 1) * self.positions.len()];
            for ((&slope, &part), &t) in work.slopes.iter().zip(parts).zip(&self.positions) {
                let (own, met) = self.view(t);
                if met.is_empty() {
                    continue;
                }
                let slope = slope / sums[t];
                add_times(&mut work.found_slope[met.clone()], slope, &raised[own.clone()]);
                add_times(&mut raised_slope[own], slope, &work.found[met]);
                sum_slopes[t] -= slope * part;
            }
            let asked_slope = &mut work.asked_slope[(h + 1) * vocabulary..(h + 2) * vocabulary];
            for (slope, &token) in work.found_slope.iter().zip(sequence) {
                asked_slope[usize::from(token)] += slope;
            }
        }
        self.ask_back(theta, work, gradient);
        if !shape.simplified.solution {
            self.see_last_back(sequence, work);
        }
        self.lower(work, gradient);
    }

    /// Slopes in `G` to strengths or matrices, and to what the last position holds.
    fn ask_back(&self, theta: &[f64], work: &mut Work, gradient: &mut [f64]) {
        let shape = &self.shape;
        let (vocabulary, k) = (shape.task.vocabulary(), shape.task.order);
        if shape.simplified.strengths {
            for (h, head) in shape.iter(theta).enumerate() {
                let held = &work.last[h * vocabulary..h * vocabulary + k];
                let slopes = &work.asked_slope[(h + 1) * vocabulary..(h + 1) * vocabulary + k];
                let sum = slopes.iter().sum::<f64>();
                let met =
                    shape.gain * dot(held, slopes) - shape.gamma * held.iter().sum::<f64>() * sum;
                gradient[h * shape.head_len()] += 2.0 * head.beta * met;
                let last_slope = &mut work.last_slope[h * vocabulary..h * vocabulary + k];
                for (out, slope) in last_slope.iter_mut().zip(slopes) {
                    *out += head.beta * head.beta * (shape.gain * slope - shape.gamma * sum);
                }
            }
            return;
        }
        let (n, matrices) = (shape.width(), shape.heads * shape.head_len());
        let (query, key) = theta[matrices..].split_at(n * n);
        let (query_slope, key_slope) = gradient[matrices..].split_at_mut(n * n);
        for i in 0..n {
            let row = i * n..(i + 1) * n;
            add_times(&mut key_slope[row.clone()], work.middle[i], &work.asked_slope);
            let slope = dot(&key[row.clone()], &work.asked_slope);
            work.middle_slope[i] = slope;
            add_times(&mut query_slope[row.clone()], slope, &work.last);
            add_times(&mut work.last_slope, slope, &query[row]);
        }
    }

    /// Slopes in what the heads see at the last position.
    fn see_last_back(&self, sequence: &[u16], work: &mut Work) {
        let (vocabulary, lags) = (self.shape.task.vocabulary(), self.shape.lags());
        let last = self.length - 1;
        let (own, met) = self.view(last);
        for h in 0..self.shape.heads {
            let block = (h + 1) * vocabulary..(h + 2) * vocabulary;
            let (held, slopes) = (&work.last[block.clone()], &work.last_slope[block]);
            let sum = work.sums[h * self.length + last];
            let raised_slope = &mut work.raised_slope[h * lags..(h + 1) * lags];
            for (slope, &token) in raised_slope[own.clone()].iter_mut().zip(&sequence[met.clone()])
            {
                *slope += slopes[usize::from(token)] / sum;
            }
            work.sum_slopes[h * self.length + last] -= dot(held, slopes) / sum;
        }
    }

    /// Slopes in `e^w` and its sums to slopes in `w`.
    fn lower(&self, work: &Work, gradient: &mut [f64]) {
        let shape = &self.shape;
        let (lags, first) = (shape.lags(), shape.first_lag());
        let strengths = usize::from(shape.simplified.strengths);
        for h in 0..shape.heads {
            let raised = &work.raised[h * lags..(h + 1) * lags];
            let raised_slope = &work.raised_slope[h * lags..(h + 1) * lags];
            let sum_slopes = &work.sum_slopes[h * self.length..(h + 1) * self.length];
            let from = h * shape.head_len() + strengths;
            // A lag is in the sums of all positions from it on.
            let mut sum: f64 = sum_slopes[(first + lags).min(self.length)..].iter().sum();
            for i in (0..lags).rev() {
                if first + i < self.length {
                    sum += sum_slopes[first + i];
                }
                let place = lags - 1 - i;
                gradient[from + i] += raised[place] * (raised_slope[place] + sum);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    dispatch!(packed::dot(a, b))
}

fn add_times(out: &mut [f64], factor: f64, numbers: &[f64]) {
    #[inline(always)]
    fn kernel(out: &mut [f64], factor: f64, numbers: &[f64]) {
        for (out, number) in out.iter_mut().zip(numbers) {
            *out += factor * number;
        }
    }
    dispatch!(kernel(out, factor, numbers));
}
