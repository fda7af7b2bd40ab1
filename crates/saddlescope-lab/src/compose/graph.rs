//! A saddle graph as a drawing: places by loss and by set, ways by how many starts walked them.

use std::collections::BTreeMap;

use saddlescope::analysis::saddle::{Node, SaddleGraph};

use crate::draw::{Axis, Graph, GraphNode, NodeLook, Way};

/// The drawing of a saddle graph.
pub(super) fn graph(found: &SaddleGraph) -> Graph {
    let starts = found.starts();
    let share = |count: usize| if starts == 0 { 0.0 } else { count as f64 / starts as f64 };
    let visits = found.visits();
    let places = places(&found.nodes);
    let nodes = found.nodes.iter().zip(places).zip(visits).map(|((node, x), visits)| GraphNode {
        label: words(&node.label),
        note: note(node),
        x,
        y: node.loss,
        look: match (node.order, node.index) {
            (None, _) => NodeLook::Filled,
            (Some(2), _) => NodeLook::Plain,
            (Some(_), _) => NodeLook::Double,
        },
        share: share(visits),
    });
    let mut ways: BTreeMap<(usize, usize), (f64, bool)> = BTreeMap::new();
    for way in found.ways() {
        ways.insert((way.from, way.to), (0.0, true));
    }
    for step in found.walked() {
        ways.entry((step.from, step.to)).or_insert((0.0, false)).0 = share(step.count);
    }
    Graph {
        y: Axis::linear("loss $\\mathcal{L}$"),
        nodes: nodes.collect(),
        ways: ways
            .iter()
            .map(|(&(from, to), &(share, known))| Way { from, to, share, known })
            .collect(),
        starts,
    }
}

/// A set as a reader would write it: nothing learned is the empty set.
fn words(label: &str) -> String {
    if label == "{}" { "∅".to_owned() } else { label.to_owned() }
}

fn note(node: &Node) -> String {
    match (node.order, node.index) {
        (None, _) => "minimum".to_owned(),
        (Some(2), Some(index)) => format!("index {index}"),
        (Some(order), _) => format!("order {order}"),
    }
}

/// Places from left to right: sets of one size side by side, in their order, about the middle. A node
/// stands further to the right the further down its row it is, and rows differ in length, so that few
/// stand above each other.
fn places(nodes: &[Node]) -> Vec<f64> {
    let count = |rank: usize| nodes.iter().filter(|node| node.rank == rank).count();
    let most = nodes.iter().map(|node| count(node.rank)).max().unwrap_or(1) as f64;
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    let mut place = |node: &Node| {
        let number = seen.entry(node.rank).or_insert(0);
        let from_middle = *number as f64 - 0.5 * (count(node.rank) as f64 - 1.0);
        *number += 1;
        0.5 + from_middle / most
    };
    nodes.iter().map(|node| place(node)).collect()
}
