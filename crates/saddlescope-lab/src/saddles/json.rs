//! Certificates and graphs, as programs read them; and a graph back from its file.

use saddlescope::analysis::saddle::{
    Certificate, Counts, Departure, Edge, Escape, Node, Path, Point, Runaway, SaddleGraph,
};
use serde::{Deserialize, Serialize, Serializer};

use super::{Certified, Place};

/// What a state is near. Lengths in `departure` and `escape` are those of the flow.
#[derive(Debug, Serialize)]
pub struct CertificateFacts<'a> {
    kind: String,
    doubt: Option<&'a str>,
    loss: f64,
    gradient: f64,
    point: Option<&'a Point>,
    counts: Option<CountFacts<'a>>,
    curvature: Option<Curvature>,
    escape: Option<&'a Escape>,
    departure: Option<Departure>,
    runaway: Option<&'a Runaway>,
}

/// How many curvatures there are of each sign.
#[derive(Debug, Serialize)]
struct CountFacts<'a> {
    #[serde(flatten)]
    counts: &'a Counts,
    /// Whether a gap separates the zeros from the others.
    clear: bool,
}

/// The ends of a spectrum.
#[derive(Debug, Serialize)]
struct Curvature {
    lowest: f64,
    highest: f64,
}

/// A certificate, and where it was asked for.
#[derive(Debug, Serialize)]
pub struct CertifiedFacts<'a> {
    #[serde(flatten)]
    certificate: CertificateFacts<'a>,
    #[serde(rename = "where")]
    place: &'static str,
    time: Option<f64>,
    /// The saddle of theory that it is.
    saddle: Option<&'a str>,
    near: Option<Near<'a>>,
}

/// The saddle of theory that is nearest.
#[derive(Debug, Serialize)]
struct Near<'a> {
    saddle: &'a str,
    distance: f64,
}

impl<'a> CertificateFacts<'a> {
    /// One certificate, of whatever surface.
    pub fn new(found: &'a Certificate) -> Self {
        let counts = found.counts.as_ref();
        Self {
            kind: found.kind.words(),
            doubt: found.doubt.as_deref(),
            loss: found.loss,
            gradient: found.gradient,
            point: found.point.as_ref(),
            counts: counts.map(|counts| CountFacts { counts, clear: counts.clear() }),
            curvature: found.curvature.map(|(lowest, highest)| Curvature { lowest, highest }),
            escape: found.escape.as_ref(),
            departure: found.departure,
            runaway: found.runaway.as_ref(),
        }
    }
}

impl<'a> CertifiedFacts<'a> {
    /// What was certified.
    pub fn new(certified: &'a Certified) -> Self {
        let (place, time, saddle) = match &certified.place {
            Place::Start => ("start", Some(0.0), None),
            Place::Plateau(time) => ("slowest", Some(*time), None),
            Place::End(time) => ("end", Some(*time), None),
            Place::Snapshot(time) => ("snapshot", Some(*time), None),
            Place::Known(label) => ("known", None, Some(label.as_str())),
        };
        let near = certified.near.as_ref();
        Self {
            certificate: CertificateFacts::new(&certified.certificate),
            place,
            time,
            saddle,
            near: near.map(|(saddle, distance)| Near { saddle, distance: *distance }),
        }
    }
}

impl Serialize for Certified {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        CertifiedFacts::new(self).serialize(serializer)
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
