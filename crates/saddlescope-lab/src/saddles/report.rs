//! Certificates and graphs: tables for people, JSON for programs, and a graph back from its file.

use saddlescope::analysis::saddle::{Counts, Edge, Law, Node, Path, Point};
use serde_json::Value;

use super::*;
use crate::report;

/// A law that is off by more than this factor is said to be.
const FAR_OFF: f64 = 1.5;

/// Doubts that certificates carry, one line each; the table marks their kinds with a star. Below them, laws
/// of escape that the flow does not follow.
pub fn doubts(all: &[CertifiedState]) -> String {
    let line = |certified: &CertifiedState| {
        let doubt = certified.certificate.doubt.as_ref()?;
        Some(format!("* {}: {doubt}\n", place(&certified.place)))
    };
    let missed = |certified: &CertifiedState| {
        let departure = certified.certificate.departure?;
        let factor = departure.predicted / departure.measured?;
        let words = format!(
            "{}: the leading law misses the flow by a factor of {}; higher terms matter there\n",
            place(&certified.place),
            short(factor.max(1.0 / factor))
        );
        (!(1.0 / FAR_OFF..=FAR_OFF).contains(&factor)).then_some(words)
    };
    all.iter().filter_map(line).chain(all.iter().filter_map(missed)).collect()
}

pub fn table(all: &[CertifiedState]) -> Table {
    let headings = [
        "where", "loss", "near", "kind", "-", "0", "sym", "+", "distance", "residual", "escape",
        "grows", "law", "flow",
    ];
    Table::of(&headings, all.iter().map(row))
}

fn row(certified: &CertifiedState) -> Vec<String> {
    let found = &certified.certificate;
    let count = |pick: fn(&Counts) -> usize| {
        found.counts.as_ref().map_or_else(String::new, |counts| pick(counts).to_string())
    };
    let point = |pick: fn(&Point) -> f64| {
        found.point.as_ref().map_or_else(String::new, |point| scientific(pick(point)))
    };
    let departure = found.departure;
    vec![
        place(&certified.place),
        format!("{:.6}", found.loss),
        certified.near.as_ref().map_or_else(String::new, |(label, _)| label.clone()),
        kind(found),
        count(|counts| counts.negative),
        count(|counts| counts.zero),
        count(|counts| counts.symmetry),
        count(|counts| counts.positive),
        point(|point| point.distance),
        point(|point| point.residual),
        escape(found),
        departure.map_or_else(String::new, |d| format!("{} to {}", short(d.from), short(d.to))),
        departure.map_or_else(String::new, |d| format!("{:.4}", d.predicted)),
        departure.map_or_else(String::new, |d| match d.measured {
            Some(time) => format!("{time:.4}"),
            None => "not left".to_owned(),
        }),
    ]
}

fn place(place: &Place) -> String {
    match place {
        Place::Start => "start".to_owned(),
        Place::Plateau(time) => format!("slowest, t = {}", short(*time)),
        Place::End(time) => format!("end, t = {}", short(*time)),
        Place::Snapshot(time) => format!("snapshot, t = {}", short(*time)),
        Place::Known(label) => format!("M({label})"),
    }
}

fn kind(found: &Certificate) -> String {
    let words = found.kind.words();
    match &found.doubt {
        Some(_) => format!("{words} *"),
        None => words,
    }
}

fn escape(found: &Certificate) -> String {
    if let Some(runaway) = &found.runaway {
        // What grows fastest is what will leave the plateau, or what still runs to infinity.
        let fastest = runaway.growth.iter().filter(|(_, rate)| rate.is_finite());
        let fastest = fastest.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let block = fastest.map_or_else(String::new, |(name, rate)| {
            format!(", {name} {} at {}", way(*rate), short(rate.abs()))
        });
        let gradient = runaway.gradient;
        return format!("gradient {} at {}{block}", way(gradient), short(gradient.abs()));
    }
    match found.escape.as_ref().map(|escape| escape.law) {
        Some(Law::Exponential { rate }) => format!("exp({} t)", short(rate)),
        Some(Law::Algebraic { order, coefficient }) => {
            format!("s' = {} s^{}", short(f64::from(order) * coefficient), order - 1)
        }
        None => String::new(),
    }
}

fn way(rate: f64) -> &'static str {
    if rate < 0.0 { "falls" } else { "grows" }
}

fn scientific(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

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
        self.ways.into_iter().for_each(|way| graph.add_way(way.from, way.to, way.count));
        self.paths.into_iter().for_each(|path| graph.add_path(path.nodes, path.count));
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
        graph.add_way(0, 1, 7);
        graph.add_path(vec![0, 1], 5);
        graph.add_path(vec![1], 2);
        let text = serde_json::to_string(&GraphFacts::from(&graph)).unwrap();
        let back: GraphFacts = serde_json::from_str(&text).unwrap();
        assert_eq!(back.graph(), Some(graph));
        let lost = r#"{"nodes": [], "ways": [{"from": 3, "to": 0, "count": 1}], "paths": []}"#;
        assert_eq!(serde_json::from_str::<GraphFacts>(lost).unwrap().graph(), None);
    }
}
