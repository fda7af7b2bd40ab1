//! A saddle graph as a drawing: places by loss and by set, ways by how many starts walked them.

use saddlescope::analysis::saddle::{Kind, Node};
use saddlescope_draw::{Graph, GraphNode, NodeLook, Way};

use super::*;

pub(super) fn graph(found: &SaddleGraph) -> Graph {
    let starts = found.starts();
    let share = |count: usize| if starts == 0 { 0.0 } else { count as f64 / starts as f64 };
    let visits = found.visits();
    let places = places(&found.nodes);
    let nodes = found.nodes.iter().zip(places).zip(visits).map(|((node, x), visits)| GraphNode {
        // Nothing learned is the empty set, as a reader would write it.
        label: if node.label == "{}" { "∅" } else { &node.label }.to_owned(),
        note: note(node),
        x,
        y: node.loss,
        look: match node.order {
            None if node.kind == Kind::AtInfinity.words() => NodeLook::Dashed,
            None => NodeLook::Filled,
            Some(2) => NodeLook::Plain,
            Some(_) => NodeLook::Double,
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

fn note(node: &Node) -> String {
    match (node.order, node.index) {
        (None, _) if node.kind == Kind::AtInfinity.words() => "at infinity".to_owned(),
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
    let place = |node: &Node| {
        let number = seen.entry(node.rank).or_insert(0);
        let from_middle = *number as f64 - 0.5 * (count(node.rank) as f64 - 1.0);
        *number += 1;
        0.5 + from_middle / most
    };
    nodes.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope_draw::{Body, Figure, Panel, Width};

    /// The saddles of linear attention in dimension `d`, each learned eigenvector lowering the loss.
    fn subsets(d: usize) -> SaddleGraph {
        let mut sets: Vec<Vec<usize>> = (0..1_usize << d)
            .map(|bits| (1..=d).filter(|e| bits >> (e - 1) & 1 == 1).collect())
            .collect();
        sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        let node = |set: &Vec<usize>| Node {
            label: format!(
                "{{{}}}",
                set.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
            ),
            rank: set.len(),
            loss: 1.0 - set.iter().map(|&e| 0.8 / (d as f64 * e as f64)).sum::<f64>(),
            kind: String::new(),
            order: (set.len() < d).then_some(if set.len() == 1 { 2 } else { 3 }),
            index: Some(0),
        };
        let mut graph = SaddleGraph::new(sets.iter().map(node).collect());
        graph.add_way(0, 1, 1);
        graph.add_path(vec![0, 1, d + 1, (1 << d) - 1], 3);
        graph.add_path(vec![0, d + 1, (1 << d) - 1], 1);
        graph
    }

    #[test]
    fn shares_are_of_all_starts() {
        let drawn = graph(&subsets(4));
        let way =
            |from, to| *drawn.ways.iter().find(|way| (way.from, way.to) == (from, to)).unwrap();
        assert_eq!((way(0, 1).share, way(0, 1).known), (0.75, true));
        assert_eq!((way(0, 5).share, way(0, 5).known), (0.25, false));
        assert_eq!(way(5, 15).share, 1.0);
        assert_eq!((drawn.nodes[0].label.as_str(), drawn.nodes[15].look), ("∅", NodeLook::Filled));
        assert_eq!(drawn.nodes[1].note, "index 0");
    }

    #[test]
    fn names_inside_the_boxes_of_a_row_do_not_touch() {
        for d in 3..=6 {
            let body = Body::Graph(graph(&subsets(d)));
            let figure =
                Figure { panels: vec![Panel::new(body)], width: Width::Page, ..Figure::default() };
            let drawing = figure.draw();
            assert_eq!(drawing.missing().count(), 0);
            let names: Vec<_> = drawing
                .words()
                .into_iter()
                .filter(|words| words.source.starts_with('{') || words.source == "∅")
                .map(|words| words.bounds())
                .collect();
            assert_eq!(names.len(), 1 << d);
            let rank = |i: usize| subsets(d).nodes[i].rank;
            for (i, a) in names.iter().enumerate() {
                for (_, b) in names[..i].iter().enumerate().filter(|(j, _)| rank(*j) == rank(i)) {
                    let apart = a.0 >= b.2 || b.0 >= a.2 || a.1 >= b.3 || b.1 >= a.3;
                    assert!(apart, "D = {d}: {a:?} {b:?}");
                }
            }
        }
    }
}
