//! Where heads look, in the mean over sequences.

use saddlescope::numeric::elementary;

use crate::Chain;
use crate::readings::evaluation::Estimate;
use crate::readings::evaluation::predictions::Sight;

#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The mean share of each column (row) for each query (entry of the row): `n x T`.
    pub map: Vec<f64>,
    /// The share that it gives the lags of each group.
    pub groups: Vec<Estimate>,
    /// The entropy of its shares, in the mean over queries.
    pub entropy: Estimate,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    shape: Shape,
    /// Layer, head.
    all: Vec<Head>,
}

impl Attention {
    pub fn heads(&self) -> (usize, usize) {
        (self.shape.layers, self.shape.heads)
    }

    pub fn head(&self, layer: usize, head: usize) -> &Head {
        &self.all[layer * self.shape.heads + head]
    }

    /// The share that a head gives the token `lag` before the one to come, in the mean over queries. Column `j` lies
    /// `p + 1 - j` before what query column `p` predicts.
    pub fn lag(&self, layer: usize, head: usize, lag: usize) -> f64 {
        let (queries, map) = (self.shape.queries, &self.head(layer, head).map);
        let column = |t: usize| (self.shape.order + t).checked_sub(lag).filter(|_| lag > 0);
        let share = |t: usize| column(t).map_or(0.0, |column| map[column * queries + t]);
        (0..queries).map(share).sum::<f64>() / queries as f64
    }

    /// The share that a head gives the lags of group `k = 0..`.
    pub fn group(&self, layer: usize, head: usize, k: usize) -> Estimate {
        self.head(layer, head).groups[k]
    }

    /// The head of a layer that gives group `k = 0..` most, the first of several.
    pub fn owner(&self, layer: usize, k: usize) -> usize {
        let share = |head: &usize| self.group(layer, *head, k).mean;
        (0..self.shape.heads)
            .reduce(|best, head| if share(&head) > share(&best) { head } else { best })
            .unwrap_or(0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    layers: usize,
    heads: usize,
    columns: usize,
    queries: usize,
    order: usize,
    groups: usize,
}

impl Shape {
    pub(crate) fn new(chain: &Chain, (layers, heads): (usize, usize)) -> Self {
        let (columns, queries) = (chain.tokens() - 1, chain.length);
        Self { layers, heads, columns, queries, order: chain.order, groups: chain.groups.len() }
    }
}

/// Attention of some sequences, added up.
#[derive(Debug)]
pub(crate) struct Sums {
    shape: Shape,
    /// Layer, head, query, column.
    maps: Vec<f32>,
    /// A row per sequence: for each layer and head the means over queries of its shares of the groups, and of its entropy.
    rows: Vec<f64>,
}

impl Sums {
    pub(crate) fn new(shape: Shape) -> Self {
        let maps = vec![0.0; shape.layers * shape.heads * shape.queries * shape.columns];
        Self { shape, maps, rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, chain: &Chain, seen: &dyn Sight) {
        let Shape { layers, heads, columns, queries, order, .. } = self.shape;
        let mut maps = self.maps.chunks_exact_mut(columns);
        for (layer, head) in (0..layers).flat_map(|layer| (0..heads).map(move |h| (layer, h))) {
            let mut entropy = 0.0;
            for t in 0..queries {
                let shares = &seen.attention(layer, head, t)[..columns];
                let Some(map) = maps.next() else { break };
                for (map, share) in map.iter_mut().zip(shares) {
                    *map += share;
                }
                entropy += f64::from(saddlescope::dispatch!(disorder(&shares[..order + t])));
            }
            for group in &chain.groups {
                let mut sum = 0.0;
                for t in 0..queries {
                    let shares = seen.attention(layer, head, t);
                    for lag in &group.lags {
                        sum += f64::from(shares[order + t - lag]);
                    }
                }
                self.rows.push(sum / queries as f64);
            }
            self.rows.push(entropy / queries as f64);
        }
    }

    /// The means of `count` sequences, from the sums of their parts in order.
    pub(crate) fn mean(parts: &[Self], shape: Shape, count: usize) -> Attention {
        let Shape { columns, queries, groups, .. } = shape;
        let (size, all) = (columns * queries, shape.layers * shape.heads);
        let estimate = |place: usize| {
            let column = |part| Self::column(part, place, all * (groups + 1));
            Estimate::of(parts.iter().flat_map(column))
        };
        let head = |head: usize| {
            let mut map = vec![0.0; size];
            for part in parts {
                for (place, sum) in part.maps[head * size..][..size].iter().enumerate() {
                    let (t, column) = (place / columns, place % columns);
                    map[column * queries + t] += f64::from(*sum) / count as f64;
                }
            }
            let first = head * (groups + 1);
            let shares = (first..first + groups).map(estimate).collect();
            Head { map, groups: shares, entropy: estimate(first + groups) }
        };
        Attention { shape, all: (0..all).map(head).collect() }
    }

    /// An entry of each row, which has `width`.
    fn column(&self, place: usize, width: usize) -> impl Iterator<Item = f64> + '_ {
        self.rows.iter().skip(place).step_by(width).copied()
    }
}

/// `-sum a ln a`; a share of zero adds nothing.
#[inline(always)]
fn disorder(shares: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    let (vectors, rest) = shares.as_chunks::<16>();
    let mut last = [0.0; 16];
    last[..rest.len()].copy_from_slice(rest);
    for vector in vectors.iter().chain([&last]) {
        let mut logs = [0.0; 16];
        for lane in 0..16 {
            logs[lane] = elementary::ln(vector[lane] + f32::MIN_POSITIVE);
        }
        for lane in 0..16 {
            sums[lane] -= vector[lane] * logs[lane];
        }
    }
    sums.iter().sum()
}
