//! Exact binomial numbers by tables: an alias table for every number of trials that can be expected.

use std::collections::{HashMap, VecDeque};

use saddlescope::numeric::random::Stream;

use crate::kernel::LANES;

/// Alias tables of all splits, one after the other, a row for each number of trials.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// The threshold times 2^64, with the alias in place of its last 16 bits. That moves a chance by less than 2^-48 of
    /// a cell, which is less than what rounding does to it.
    entries: Vec<u64>,
    /// Where the rows of a chance and of a range of trials begin.
    known: HashMap<(u64, u32, u32), usize>,
}

/// How the tokens of one node of a tree are parted: each goes left with the same chance.
#[derive(Debug, Clone)]
pub(crate) struct Split {
    /// Where the number of tokens lies, and where those go that go right.
    places: [usize; 2],
    /// The largest number of trials that has a row; the least is none, but for the first split of all tokens.
    most: u32,
    /// Where the row of no trials would begin, and how far rows are apart.
    base: usize,
    stride: usize,
    /// The chance to go left, times 2^64.
    chance: u64,
}

/// Trials that rows are made for reach this many standard deviations, and as many more, above the mean. What lies beyond
/// happens once in 1e15 times, and is drawn trial by trial.
const DEVIATIONS: f64 = 8.0;

impl Tables {
    pub(crate) fn bytes(&self) -> usize {
        8 * self.entries.len()
    }

    /// The splits of `draws` tokens into those of a law, or nothing when tables would outgrow `limit` bytes.
    ///
    /// Tokens `from..to` are parted in the middle, and so on: the number of each comes to lie in its place.
    pub(crate) fn tree(&mut self, law: &[f64], draws: u32, limit: usize) -> Option<Vec<Split>> {
        let length = self.entries.len();
        let splits = self.splits(law, draws, limit);
        if splits.is_none() {
            self.entries.truncate(length);
            self.known.retain(|_, begin| *begin < length);
        }
        splits
    }

    fn splits(&mut self, law: &[f64], draws: u32, limit: usize) -> Option<Vec<Split>> {
        let mut splits = Vec::with_capacity(law.len());
        // Level by level, so that neighbours in the list need not wait for each other.
        let mut nodes = VecDeque::from([(0, law.len())]);
        while let Some((from, to)) = nodes.pop_front() {
            if to - from < 2 {
                continue;
            }
            let middle = from + (to - from) / 2;
            let [left, right] =
                [&law[from..middle], &law[middle..to]].map(|part| part.iter().sum());
            let is_root = to - from == law.len();
            let least = if is_root { draws } else { 0 };
            let most = if is_root { draws } else { most_expected(draws, left + right) };
            let stride = most as usize + 1;
            let begin = self.rows([left, right], (least, most), limit)?;
            splits.push(Split {
                places: [from, middle],
                most,
                base: begin.wrapping_sub(least as usize * stride),
                stride,
                chance: (left / (left + right) * 2f64.powi(64)) as u64,
            });
            nodes.extend([(from, middle), (middle, to)]);
        }
        Some(splits)
    }

    /// Makes the rows of `least..=most` trials, unless they are there, and says where they begin.
    fn rows(
        &mut self,
        [left, right]: [f64; 2],
        (least, most): (u32, u32),
        limit: usize,
    ) -> Option<usize> {
        let (begin, odds) = (self.entries.len(), left / right);
        if let Some(&begin) = self.known.get(&(odds.to_bits(), least, most)) {
            return Some(begin);
        }
        let stride = most as usize + 1;
        if self.bytes() + 8 * stride * ((most - least) as usize + 1) > limit {
            return None;
        }
        let mut weights = Vec::with_capacity(stride);
        for (row, n) in (least..=most).enumerate() {
            binomial(n, odds, left / (left + right), &mut weights);
            alias(&weights, |threshold, alias| {
                self.entries.push(threshold & !0xffff | alias as u64);
            });
            self.entries.resize(begin + (row + 1) * stride, 0);
        }
        self.known.insert((odds.to_bits(), least, most), begin);
        Some(begin)
    }
}

/// Trials that a node with that share of all tokens sees at most, but for once in 1e15 times.
fn most_expected(draws: u32, share: f64) -> u32 {
    let n = f64::from(draws);
    let spread = DEVIATIONS * ((n * share * (1.0 - share)).max(0.0).sqrt() + 1.0);
    (n * share + spread).min(n) as u32
}

/// Chances of `0..=n` hits, up to a factor: from the likeliest number outwards, so that nothing overflows.
fn binomial(n: u32, odds: f64, chance: f64, weights: &mut Vec<f64>) {
    weights.clear();
    weights.resize(n as usize + 1, 0.0);
    let likeliest = ((f64::from(n) + 1.0) * chance).min(f64::from(n)) as usize;
    let ratio = |k: usize| (n as usize - k) as f64 / (k + 1) as f64 * odds;
    weights[likeliest] = 1.0;
    for k in likeliest..n as usize {
        weights[k + 1] = weights[k] * ratio(k);
    }
    for k in (0..likeliest).rev() {
        weights[k] = weights[k + 1] / ratio(k);
    }
}

/// Hands over the threshold, times 2^64, and the alias of each outcome. M. Vose's way, in order.
pub(crate) fn alias(weights: &[f64], mut entry: impl FnMut(u64, usize)) {
    let count = weights.len();
    let scale = count as f64 / weights.iter().sum::<f64>();
    let mut left: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
    let mut other: Vec<usize> = (0..count).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|&i| left[i] < 1.0);
    while let (Some(&few), Some(&many)) = (small.last(), large.last()) {
        small.pop();
        other[few] = many;
        left[many] -= 1.0 - left[few];
        if left[many] < 1.0 {
            large.pop();
            small.push(many);
        }
    }
    for (i, &left) in left.iter().enumerate() {
        // One that is left over is whole but for rounding: its alias is itself.
        entry((left * 2f64.powi(64)) as u64, other[i]);
    }
}

impl Split {
    /// Parts the tokens of the first `count` lanes by a word each.
    #[inline(always)]
    pub(crate) fn draw(
        &self,
        tables: &Tables,
        words: &[u64; LANES],
        count: usize,
        (rows, stream): (&mut [[u32; LANES]], &mut Stream),
    ) {
        let (before, after) = rows.split_at_mut(self.places[1]);
        let (left, right) = (&mut before[self.places[0]], &mut after[0]);
        // Most groups are whole ones, and compilers like to know.
        let largest = if count == LANES {
            self.part(&tables.entries, words, (left, right))
        } else {
            right.fill(0);
            let [left, right] = [&mut *left, &mut *right].map(|row| &mut row[..count]);
            self.part(&tables.entries, &words[..count], (left, right))
        };
        if largest > self.most {
            self.draw_rare(&mut left[..count], &mut right[..count], stream);
        }
    }

    /// Parts the numbers in `left`, and returns the largest of them.
    #[inline(always)]
    fn part(&self, entries: &[u64], words: &[u64], (left, right): (&mut [u32], &mut [u32])) -> u32 {
        let (most, mut largest) = (self.most, 0);
        for lane in 0..words.len() {
            let n = left[lane];
            largest = n.max(largest);
            let trials = n.min(most);
            // The cell that a word falls on, and where in it.
            let product = u128::from(words[lane]) * u128::from(trials + 1);
            let (cell, rest) = ((product >> 64) as usize, product as u64);
            let row = self.base.wrapping_add(trials as usize * self.stride);
            let entry = entries[row.wrapping_add(cell)];
            let hits = if rest < entry { cell as u32 } else { entry as u32 & 0xffff };
            left[lane] = hits;
            right[lane] = n.wrapping_sub(hits);
        }
        largest
    }

    #[cold]
    #[inline(never)]
    fn draw_rare(&self, left: &mut [u32], right: &mut [u32], stream: &mut Stream) {
        for (left, right) in left.iter_mut().zip(right) {
            let n = left.wrapping_add(*right);
            if n > self.most {
                *left = (0..n).map(|_| u32::from(stream.next_u64() < self.chance)).sum();
                *right = n - *left;
            }
        }
    }
}
