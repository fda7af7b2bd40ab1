//! Known saddles, and the ways between them: found by integration, and walked by starts.

use std::collections::BTreeMap;

use crate::prelude::*;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// What it is called: `{1,2}`.
    pub label: String,
    /// How far learning has come there, counted in steps.
    pub rank: usize,
    pub loss: f64,
    /// Of what kind it is, in words.
    pub kind: String,
    /// Order at which the loss leaves it; missing where it does not fall.
    pub order: Option<u32>,
    pub index: Option<usize>,
}

/// A way from one saddle to the next that the flow takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub count: usize,
}

/// A sequence of saddles that starts have walked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// Numbers of the saddles, in order.
    pub nodes: Vec<usize>,
    pub count: usize,
}

/// The saddles of a problem and the ways between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SaddleGraph {
    pub nodes: Vec<Node>,
    ways: BTreeMap<(usize, usize), usize>,
    paths: BTreeMap<Vec<usize>, usize>,
}

impl SaddleGraph {
    /// Saddles without ways between them.
    pub fn new(nodes: Vec<Node>) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Counts flows out of one saddle into another.
    pub fn add_way(&mut self, from: usize, to: usize, count: usize) {
        *self.ways.entry((from, to)).or_insert(0) += count;
    }

    /// Counts starts that walked along `nodes`.
    pub fn add_path(&mut self, nodes: Vec<usize>, count: usize) {
        *self.paths.entry(nodes).or_insert(0) += count;
    }

    /// The ways out of saddles that integration found, in the order of the saddles.
    pub fn ways(&self) -> Vec<Edge> {
        edges(&self.ways)
    }

    /// The paths of the starts, the most walked first.
    pub fn paths(&self) -> Vec<Path> {
        let path = |(nodes, &count): (&Vec<usize>, &usize)| Path { nodes: nodes.clone(), count };
        let mut paths: Vec<Path> = self.paths.iter().map(path).collect();
        paths.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.nodes.cmp(&b.nodes)));
        paths
    }

    pub fn starts(&self) -> usize {
        self.paths.values().sum()
    }

    /// The steps of all paths: how many starts went from one saddle to the next.
    pub fn walked(&self) -> Vec<Edge> {
        let mut steps: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (nodes, count) in &self.paths {
            for pair in nodes.windows(2) {
                *steps.entry((pair[0], pair[1])).or_insert(0) += count;
            }
        }
        edges(&steps)
    }

    /// How many starts came by each saddle.
    pub fn visits(&self) -> Vec<usize> {
        let mut visits = vec![0; self.nodes.len()];
        for (nodes, count) in &self.paths {
            let mut seen = nodes.clone();
            seen.sort_unstable();
            seen.dedup();
            seen.iter().for_each(|&node| visits[node] += count);
        }
        visits
    }
}

fn edges(counts: &BTreeMap<(usize, usize), usize>) -> Vec<Edge> {
    counts.iter().map(|(&(from, to), &count)| Edge { from, to, count }).collect()
}
