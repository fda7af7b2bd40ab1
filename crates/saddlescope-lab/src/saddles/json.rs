//! Certificates and graphs, as programs read them; and a graph back from its file.

use saddlescope::analysis::saddle::{Certificate, Counts, Edge, Node, Path, SaddleGraph};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::{CertifiedState, Place};
use crate::report;

/// One certificate, of whatever surface. Lengths in `departure` and `escape` are those of the flow.
pub fn certificate_json(found: &Certificate) -> Value {
    let counts = |counts: &Counts| {
        let mut value = report::value(counts);
        value["clear"] = counts.clear().into();
        value
    };
    let ends = |(lowest, highest): (f64, f64)| json!({ "lowest": lowest, "highest": highest });
    json!({
        "kind": found.kind.words(),
        "doubt": found.doubt,
        "loss": found.loss,
        "gradient": found.gradient,
        "point": found.point,
        "counts": found.counts.as_ref().map(counts),
        "curvature": found.curvature.map(ends),
        "escape": found.escape,
        "departure": found.departure,
        "runaway": found.runaway,
    })
}

impl Serialize for CertifiedState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (place, time, saddle) = match &self.place {
            Place::Start => ("start", Some(0.0), None),
            Place::Plateau(time) => ("slowest", Some(*time), None),
            Place::End(time) => ("end", Some(*time), None),
            Place::Snapshot(time) => ("snapshot", Some(*time), None),
            Place::Known(label) => ("known", None, Some(label)),
        };
        let near =
            |(saddle, distance): &(String, f64)| json!({ "saddle": saddle, "distance": distance });
        let mut value = certificate_json(&self.certificate);
        value["where"] = place.into();
        value["time"] = time.into();
        // The saddle of theory that it is, and the one that is nearest.
        value["saddle"] = json!(saddle);
        value["near"] = self.near.as_ref().map_or(Value::Null, near);
        value.serialize(serializer)
    }
}

/// A graph, as its file has it.
#[derive(Debug, Serialize, Deserialize)]
pub struct GraphFacts {
    nodes: Vec<Node>,
    ways: Vec<Edge>,
    paths: Vec<Path>,
}

impl From<&SaddleGraph> for GraphFacts {
    fn from(graph: &SaddleGraph) -> Self {
        Self { nodes: graph.nodes.clone(), ways: graph.ways(), paths: graph.paths() }
    }
}

impl GraphFacts {
    /// The graph; none where ways lead to saddles that it does not have.
    pub fn graph(self) -> Option<SaddleGraph> {
        let count = self.nodes.len();
        let ends = self.ways.iter().flat_map(|way| [way.from, way.to]);
        let visits = self.paths.iter().flat_map(|path| path.nodes.iter().copied());
        if ends.chain(visits).any(|node| node >= count) {
            return None;
        }
        let mut graph = SaddleGraph::new(self.nodes);
        self.ways.into_iter().for_each(|way| graph.add_ways(way.from, way.to, way.count));
        self.paths.into_iter().for_each(|path| graph.add_paths(path.nodes, path.count));
        Some(graph)
    }
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
        let text = serde_json::to_string(&GraphFacts::from(&graph)).unwrap();
        let back: GraphFacts = serde_json::from_str(&text).unwrap();
        assert_eq!(back.graph(), Some(graph));
        let lost = r#"{"nodes": [], "ways": [{"from": 3, "to": 0, "count": 1}], "paths": []}"#;
        assert_eq!(serde_json::from_str::<GraphFacts>(lost).unwrap().graph(), None);
    }
}
