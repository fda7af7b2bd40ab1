//! Certificates and graphs as JSON, and a graph back from it.

use saddlescope::analysis::saddle::{Certificate, Law, Node, SaddleGraph};
use serde_json::{Value, json};

use super::{Certified, Place};

/// Certificates for programs. Lengths in `departure` and `escape` are those of the flow.
pub fn certificates_json(all: &[Certified]) -> Value {
    all.iter().map(certified).collect()
}

fn certified(certified: &Certified) -> Value {
    let (place, time, saddle) = match &certified.place {
        Place::Start => ("start", Some(0.0), None),
        Place::Plateau(time) => ("slowest", Some(*time), None),
        Place::End(time) => ("end", Some(*time), None),
        Place::Snapshot(time) => ("snapshot", Some(*time), None),
        Place::Known(label) => ("known", None, Some(label)),
    };
    let near = certified.near.as_ref();
    let mut value = certificate_json(&certified.certificate);
    value["where"] = json!(place);
    value["time"] = json!(time);
    value["saddle"] = json!(saddle);
    value["near"] =
        json!(near.map(|(label, distance)| json!({"saddle": label, "distance": distance})));
    value
}

/// One certificate, of whatever surface.
pub fn certificate_json(found: &Certificate) -> Value {
    let counts = found.counts.map(|counts| {
        json!({
            "negative": counts.negative, "zero": counts.zero, "symmetry": counts.symmetry,
            "positive": counts.positive, "threshold": counts.threshold,
            "largest_zero": counts.largest_zero, "smallest_other": counts.smallest_other,
            "clear": counts.clear(),
        })
    });
    let point = found.point.as_ref().map(|point| {
        json!({
            "state": point.state, "loss": point.loss, "residual": point.residual,
            "distance": point.distance,
        })
    });
    let escape = found.escape.as_ref().map(|escape| {
        let law = match escape.law {
            Law::Exponential { rate } => json!({"kind": "exponential", "rate": rate}),
            Law::Algebraic { order, coefficient } => {
                json!({"kind": "algebraic", "order": order, "coefficient": coefficient})
            }
        };
        json!({"law": law, "direction": escape.direction})
    });
    let departure = found.departure.map(|departure| {
        json!({
            "from": departure.from, "to": departure.to, "predicted": departure.predicted,
            "measured": departure.measured,
        })
    });
    let runaway = found.runaway.as_ref().map(|runaway| {
        let growth: serde_json::Map<String, Value> =
            runaway.growth.iter().map(|(name, rate)| (name.clone(), json!(rate))).collect();
        json!({
            "growth": growth, "gradient": runaway.gradient, "loss": runaway.loss,
            "ratio": runaway.ratio, "direction": runaway.direction,
        })
    });
    json!({
        "kind": found.kind.words(), "doubt": found.doubt, "loss": found.loss,
        "gradient": found.gradient, "point": point, "counts": counts,
        "curvature": found.curvature.map(|(low, high)| json!({"lowest": low, "highest": high})),
        "escape": escape, "departure": departure, "runaway": runaway,
    })
}

/// A graph as JSON.
pub fn graph_json(graph: &SaddleGraph) -> Value {
    let node = |node: &Node| {
        json!({
            "label": node.label, "rank": node.rank, "loss": node.loss, "kind": node.kind,
            "order": node.order, "index": node.index,
        })
    };
    let way = |way: saddlescope::analysis::saddle::Edge| json!({"from": way.from, "to": way.to, "count": way.count});
    let path = |path: saddlescope::analysis::saddle::Path| json!({"nodes": path.nodes, "count": path.count});
    json!({
        "nodes": graph.nodes.iter().map(node).collect::<Vec<_>>(),
        "ways": graph.ways().into_iter().map(way).collect::<Vec<_>>(),
        "paths": graph.paths().into_iter().map(path).collect::<Vec<_>>(),
    })
}

/// A graph back from [`graph_json`]; `None` where the value is none.
pub fn graph_from_json(value: &Value) -> Option<SaddleGraph> {
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let mut nodes = Vec::new();
    for node in value["nodes"].as_array()? {
        nodes.push(Node {
            label: node["label"].as_str()?.to_owned(),
            rank: number(&node["rank"])?,
            loss: node["loss"].as_f64()?,
            kind: node["kind"].as_str()?.to_owned(),
            order: node["order"].as_u64().and_then(|order| u32::try_from(order).ok()),
            index: number(&node["index"]),
        });
    }
    let known = |node: usize| (node < nodes.len()).then_some(node);
    let mut ways = Vec::new();
    for way in value["ways"].as_array()? {
        ways.push((
            known(number(&way["from"])?)?,
            known(number(&way["to"])?)?,
            number(&way["count"])?,
        ));
    }
    let mut paths = Vec::new();
    for path in value["paths"].as_array()? {
        let nodes = path["nodes"].as_array()?.iter().map(|n| known(number(n)?));
        paths.push((nodes.collect::<Option<Vec<usize>>>()?, number(&path["count"])?));
    }
    let mut graph = SaddleGraph::new(nodes);
    ways.into_iter().for_each(|(from, to, count)| graph.add_ways(from, to, count));
    paths.into_iter().for_each(|(nodes, count)| graph.add_paths(nodes, count));
    Some(graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_survives_its_file() {
        let node = |label: &str, order| Node {
            label: label.to_owned(),
            rank: 1,
            loss: 0.25,
            kind: "minimum".to_owned(),
            order,
            index: Some(2),
        };
        let mut graph = SaddleGraph::new(vec![node("{}", Some(3)), node("{1}", None)]);
        graph.add_ways(0, 1, 7);
        graph.add_paths(vec![0, 1], 5);
        graph.add_paths(vec![1], 2);
        assert_eq!(graph_from_json(&graph_json(&graph)), Some(graph));
        assert_eq!(
            graph_from_json(&json!({"nodes": [], "ways": [{"from": 3}], "paths": []})),
            None
        );
    }
}
