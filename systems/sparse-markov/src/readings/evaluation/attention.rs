//! Where heads look, in the mean over sequences.

use saddlescope::numeric::elementary;

use crate::Chain;
use crate::readings::evaluation::Estimate;
use crate::readings::evaluation::predictions::Sight;

/// Mean attention of each head of each layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    shape: Shape,
    /// Layer, head, column, query.
    maps: Vec<f64>,
    /// Layer, head, group.
    groups: Vec<Estimate>,
    /// Layer, head; none where it was not asked for.
    entropies: Vec<Estimate>,
}

impl Attention {
    /// Layers, and heads of each.
    pub fn heads(&self) -> (usize, usize) {
        (self.shape.layers, self.shape.heads)
    }

    /// The mean share of each column (row) for each query (entry of the row) of a head: `n x T`.
    pub fn map(&self, layer: usize, head: usize) -> &[f64] {
        let size = self.shape.columns * self.shape.queries;
        &self.maps[self.shape.index(layer, head) * size..][..size]
    }

    /// The share that a head gives the token `lag` before the one to come, in the mean over queries. Column `j` lies
    /// `p + 1 - j` before what query column `p` predicts.
    pub fn lag(&self, layer: usize, head: usize, lag: usize) -> f64 {
        let (queries, map) = (self.shape.queries, self.map(layer, head));
        let column = |t: usize| (self.shape.order + t).checked_sub(lag).filter(|_| lag > 0);
        let share = |t: usize| column(t).map_or(0.0, |column| map[column * queries + t]);
        (0..queries).map(share).sum::<f64>() / queries as f64
    }

    /// Number of lags that the last query has, `n`.
    pub fn lags(&self) -> usize {
        self.shape.columns
    }

    /// The share that a head gives the lags of group `k = 0..`.
    pub fn group(&self, layer: usize, head: usize, k: usize) -> Estimate {
        self.groups[self.shape.index(layer, head) * self.shape.groups + k]
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.shape.groups
    }

    /// The head of a layer that gives group `k = 0..` most, the first of several.
    pub fn owner(&self, layer: usize, k: usize) -> usize {
        let share = |head: &usize| self.group(layer, *head, k).mean;
        (0..self.shape.heads)
            .reduce(|best, head| if share(&head) > share(&best) { head } else { best })
            .unwrap_or(0)
    }

    /// The entropy of a head's shares, in the mean over queries, where it was asked for.
    pub fn entropy(&self, layer: usize, head: usize) -> Option<Estimate> {
        self.entropies.get(self.shape.index(layer, head)).copied()
    }
}

/// The sizes that sums have.
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

    fn index(&self, layer: usize, head: usize) -> usize {
        layer * self.heads + head
    }

    fn count(&self) -> usize {
        self.layers * self.heads
    }
}

/// Attention of some sequences, added up.
#[derive(Debug)]
pub(crate) struct Sums {
    shape: Shape,
    /// Layer, head, query, column.
    maps: Vec<f32>,
    /// A row per sequence: mean over queries for each layer, head, group.
    groups: Vec<f64>,
    /// A row per sequence: mean over queries for each layer, head.
    entropies: Vec<f64>,
    entropy: bool,
}

impl Sums {
    pub(crate) fn new(shape: Shape, entropy: bool) -> Self {
        let maps = vec![0.0; shape.count() * shape.queries * shape.columns];
        Self { shape, maps, groups: Vec::new(), entropies: Vec::new(), entropy }
    }

    /// Takes in a sequence.
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
                if self.entropy {
                    entropy += f64::from(saddlescope::dispatch!(disorder(&shares[..order + t])));
                }
            }
            if self.entropy {
                self.entropies.push(entropy / queries as f64);
            }
            for group in &chain.groups {
                let mut sum = 0.0;
                for t in 0..queries {
                    let shares = seen.attention(layer, head, t);
                    for lag in &group.lags {
                        sum += f64::from(shares[order + t - lag]);
                    }
                }
                self.groups.push(sum / queries as f64);
            }
        }
    }

    /// The means of `count` sequences, from the sums of their parts in order.
    pub(crate) fn mean(parts: &[Self], shape: Shape, count: usize) -> Attention {
        let (columns, queries) = (shape.columns, shape.queries);
        let size = columns * queries;
        let mut maps = vec![0.0; shape.count() * size];
        for part in parts {
            for (place, sum) in part.maps.iter().enumerate() {
                let (head, t, column) = (place / size, place % size / columns, place % columns);
                maps[head * size + column * queries + t] += f64::from(*sum) / count as f64;
            }
        }
        let estimates = |rows: &dyn Fn(&Self) -> &[f64], width: usize| {
            let column = |place: usize| {
                let of = |part| rows(part).iter().skip(place).step_by(width.max(1)).copied();
                Estimate::of(parts.iter().flat_map(of))
            };
            (0..width).map(column).collect::<Vec<Estimate>>()
        };
        let entropy = parts.iter().any(|part| part.entropy);
        Attention {
            shape,
            maps,
            groups: estimates(&|part| &part.groups, shape.count() * shape.groups),
            entropies: estimates(&|part| &part.entropies, if entropy { shape.count() } else { 0 }),
        }
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
