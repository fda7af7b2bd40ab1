//! Exact binomial numbers by tables: an alias table for every number of trials that can be expected.
//!
//! An entry holds the first 16 bits of its threshold beside its alias, so that what is read often stays small; the
//! other bits are looked up when these are not enough, once in 65,536 times.

use std::collections::HashMap;

use saddlescope::numeric::random::Stream;

use super::LANES;

/// Alias tables of all splits, one after the other.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Threshold in the high half, alias in the low one.
    short: Vec<u32>,
    /// All bits of the threshold.
    threshold: Vec<u64>,
    /// Where the rows of a chance and of a range of trials begin.
    known: HashMap<(u64, u32, u32), usize>,
}

/// How the tokens of one node of a tree are parted: each goes left with the same chance.
#[derive(Debug, Clone)]
pub(super) struct Split {
    /// Where the number of tokens lies, and where those go that go right.
    places: [usize; 2],
    /// Numbers of trials that have a row.
    least: u32,
    most: u32,
    /// Where the row of no trials would begin.
    base: usize,
    /// The chance to go left, times 2^64.
    chance: u64,
}

/// Trials that rows are made for reach this many standard deviations and some more from the mean. What lies beyond
/// happens once in 1e15 times, and is drawn trial by trial.
const DEVIATIONS: f64 = 8.0;

/// Bytes per entry of the tables.
const ENTRY: usize = 12;

/// Entries in the rows before that of `n` trials.
fn before(n: u32) -> usize {
    n as usize * (n as usize + 1) / 2
}

impl Tables {
    /// Bytes that the tables take.
    pub(super) fn bytes(&self) -> usize {
        ENTRY * self.short.len()
    }

    /// The splits of `draws` tokens into those of a law, or nothing when tables would outgrow `limit` bytes.
    ///
    /// Tokens `from..to` are parted in the middle, and so on: the number of each comes to lie in its place.
    pub(super) fn tree(&mut self, law: &[f64], draws: u32, limit: usize) -> Option<Vec<Split>> {
        let length = self.short.len();
        let splits = self.splits(law, draws, limit);
        if splits.is_none() {
            self.short.truncate(length);
            self.threshold.truncate(length);
            self.known.retain(|&(_, least, _), base| base.wrapping_add(before(least)) < length);
        }
        splits
    }

    fn splits(&mut self, law: &[f64], draws: u32, limit: usize) -> Option<Vec<Split>> {
        let mut splits = Vec::with_capacity(law.len());
        let mut nodes = vec![(0, law.len())];
        while let Some((from, to)) = nodes.pop() {
            if to - from < 2 {
                continue;
            }
            let middle = from + (to - from) / 2;
            let [left, right] =
                [&law[from..middle], &law[middle..to]].map(|part| part.iter().sum());
            let (least, most) =
                expected(draws, if to - from == law.len() { 1.0 } else { left + right });
            let base = self.rows([left, right], (least, most), limit)?;
            let chance = (left / (left + right) * 2f64.powi(64)) as u64;
            splits.push(Split { places: [from, middle], least, most, base, chance });
            nodes.extend([(middle, to), (from, middle)]);
        }
        Some(splits)
    }

    /// Makes the rows of `least..=most` trials, unless they are there.
    fn rows(
        &mut self,
        [left, right]: [f64; 2],
        (least, most): (u32, u32),
        limit: usize,
    ) -> Option<usize> {
        let odds = left / right;
        if let Some(&base) = self.known.get(&(odds.to_bits(), least, most)) {
            return Some(base);
        }
        let entries = before(most + 1) - before(least);
        if self.bytes() + ENTRY * entries > limit {
            return None;
        }
        let base = self.short.len().wrapping_sub(before(least));
        let mut weights = Vec::new();
        for n in least..=most {
            binomial(n, odds, left / (left + right), &mut weights);
            alias(&weights, |threshold, alias| {
                self.short.push((threshold >> 48 << 16) as u32 | alias as u32);
                self.threshold.push(threshold);
            });
        }
        self.known.insert((odds.to_bits(), least, most), base);
        Some(base)
    }
}

/// Trials that a node with that share of all tokens sees, but for once in 1e15 times.
fn expected(draws: u32, share: f64) -> (u32, u32) {
    let n = f64::from(draws);
    let spread = DEVIATIONS * ((n * share * (1.0 - share)).max(0.0).sqrt() + 1.0);
    if share >= 1.0 {
        return (draws, draws);
    }
    ((n * share - spread).max(0.0) as u32, (n * share + spread).min(n) as u32)
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
pub(super) fn alias(weights: &[f64], mut entry: impl FnMut(u64, usize)) {
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
    pub(super) fn draw(
        &self,
        tables: &Tables,
        words: &[u64; LANES],
        count: usize,
        (rows, stream): (&mut [[u32; LANES]], &mut Stream),
    ) {
        let whole = rows[self.places[0]];
        let mut left = [0; LANES];
        let mut rare = false;
        for lane in 0..count {
            let n = whole[lane];
            let trials = n.clamp(self.least, self.most);
            let (cell, rest, place) = self.look(trials, words[lane]);
            let entry = tables.short[place];
            let (threshold, top) = (entry >> 16, (rest >> 48) as u32);
            rare |= (threshold == top) | (trials != n);
            left[lane] = if top < threshold { cell } else { entry & 0xffff };
        }
        if rare {
            self.draw_rare(tables, words, (&whole[..count], &mut left), stream);
        }
        let mut right = whole;
        for lane in 0..LANES {
            right[lane] -= left[lane];
        }
        rows[self.places[0]] = left;
        rows[self.places[1]] = right;
    }

    /// The outcome that a word falls on, what is left of the word, and the place of that outcome's entry.
    #[inline(always)]
    fn look(&self, trials: u32, word: u64) -> (u32, u64, usize) {
        let product = u128::from(word) * u128::from(trials + 1);
        let cell = (product >> 64) as u32;
        let row = self.base.wrapping_add(before(trials));
        (cell, product as u64, row.wrapping_add(cell as usize))
    }

    #[cold]
    #[inline(never)]
    fn draw_rare(
        &self,
        tables: &Tables,
        words: &[u64; LANES],
        (whole, left): (&[u32], &mut [u32; LANES]),
        stream: &mut Stream,
    ) {
        for (lane, &n) in whole.iter().enumerate() {
            if (self.least..=self.most).contains(&n) {
                let (cell, rest, place) = self.look(n, words[lane]);
                let alias = tables.short[place] & 0xffff;
                left[lane] = if rest < tables.threshold[place] { cell } else { alias };
            } else {
                left[lane] = (0..n).map(|_| u32::from(stream.next_u64() < self.chance)).sum();
            }
        }
    }
}
