//! From measured seconds to ratios: the best of all rounds, at equal achieved error.

use serde::Serialize;
use serde_json::{Value, json};

use super::rows::Row;

/// The fastest way to a result that is good enough.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Best {
    pub(crate) variant: String,
    pub(crate) seconds: f64,
    pub(crate) error: Option<f64>,
}

/// One line of the table: a case at one error.
pub(crate) struct Line {
    pub(crate) case: String,
    pub(crate) allowed: f64,
    pub(crate) ours: Option<Best>,
    /// In the order of the row's peers.
    pub(crate) peers: Vec<Option<Best>>,
}

/// All lines of `row`, from the results of our side and of each peer over all rounds.
pub(crate) fn lines(row: &Row, ours: &[Value], peers: &[Vec<Value>]) -> Vec<Line> {
    let mut cases: Vec<&str> = Vec::new();
    for result in ours {
        let case = result["case"].as_str().unwrap_or_default();
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    let line = |case: &str, allowed: f64| Line {
        case: case.to_owned(),
        allowed,
        ours: best(ours, case, allowed),
        peers: peers.iter().map(|peer| best(peer, case, allowed)).collect(),
    };
    cases.iter().flat_map(|case| row.errors.iter().map(move |&error| line(case, error))).collect()
}

fn best(results: &[Value], case: &str, allowed: f64) -> Option<Best> {
    let fits = |result: &&Value| {
        result["case"] == case && result["error"].as_f64().is_none_or(|error| error <= allowed)
    };
    let seconds = |result: &Value| result["seconds"].as_f64().unwrap_or(f64::INFINITY);
    let found = results.iter().filter(fits).min_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
    Some(Best {
        variant: found["variant"].as_str().unwrap_or_default().to_owned(),
        seconds: seconds(found),
        error: found["error"].as_f64(),
    })
}

impl Line {
    /// How many times as fast we are as each peer; `None` where a side does not get there.
    pub(crate) fn ratios(&self) -> Vec<Option<f64>> {
        let ours = self.ours.as_ref().map(|ours| ours.seconds);
        let ratio = |peer: &Option<Best>| Some(peer.as_ref()?.seconds / ours?);
        self.peers.iter().map(ratio).collect()
    }

    /// Whether the bar is met against every judged peer that gets there, and one does.
    pub(crate) fn is_met(&self, row: &Row) -> bool {
        let judged = self.ratios().into_iter().zip(&row.peers).filter(|(_, peer)| peer.judged);
        let ratios: Vec<f64> = judged.filter_map(|(ratio, _)| ratio).collect();
        !ratios.is_empty() && ratios.iter().all(|&ratio| ratio >= row.bar)
    }

    pub(crate) fn json(&self, row: &Row) -> Value {
        let peers = row.peers.iter().zip(&self.peers).zip(self.ratios());
        let peers = peers.map(|((peer, best), ratio)| {
            json!({ "name": peer.name, "judged": peer.judged, "best": best, "ratio": ratio })
        });
        json!({
            "case": self.case, "allowed_error": self.allowed, "ours": self.ours,
            "peers": peers.collect::<Vec<_>>(), "bar": row.bar, "met": self.is_met(row),
        })
    }
}
