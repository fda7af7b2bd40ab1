//! From measured seconds to ratios, the best of all rounds at equal achieved error; and the table that people read.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value, json};

use super::Row;

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
    fn ratios(&self) -> Vec<Option<f64>> {
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

/// The lines of a row as a Markdown table under a heading.
pub(crate) fn table(row: &Row, lines: &[Line], notes: &[String]) -> String {
    let mut out =
        format!("### {}\n\n{}. Bar: {} x.\n\n", row.name, capitalised(&row.what), row.bar);
    let mut head = "| case | error at most | ours |".to_owned();
    let mut rule = "|---|---|---|".to_owned();
    for peer in &row.peers {
        let mark = if peer.judged { " (judged)" } else { "" };
        let _ = write!(head, " {}{mark} | ratio |", peer.name);
        rule += "---|---|";
    }
    let _ = writeln!(out, "{head} bar met |\n{rule}---|");
    for line in lines {
        let _ = write!(out, "| {} | {} | {} |", line.case, allowed(line.allowed), side(&line.ours));
        for (peer, ratio) in line.peers.iter().zip(line.ratios()) {
            let ratio = ratio.map_or_else(|| "-".to_owned(), times);
            let _ = write!(out, " {} | **{ratio}** |", side(peer));
        }
        let _ = writeln!(out, " {} |", if line.is_met(row) { "yes" } else { "**no**" });
    }
    for note in notes {
        let _ = write!(out, "\n- {note}");
    }
    out + if notes.is_empty() { "\n" } else { "\n\n" }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn allowed(error: f64) -> String {
    if error.is_finite() { format!("{error:.0e}") } else { "not compared".into() }
}

/// `1.23 ms (Radau, rtol 1e-7; error 3.1e-8)`.
fn side(best: &Option<Best>) -> String {
    let Some(Best { variant, seconds, error }) = best else { return "does not get there".into() };
    let error = error.filter(|error| *error > 0.0).map(|error| format!("; error {error:.1e}"));
    format!("{} ({variant}{})", duration(*seconds), error.unwrap_or_default())
}

/// Three digits with their unit.
pub(crate) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (1e3 * s, "ms"),
        s => (1e6 * s, "us"),
    };
    format!("{} {unit}", digits(value))
}

fn times(ratio: f64) -> String {
    format!("{} x", digits(ratio))
}

fn digits(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_a_unit() {
        assert_eq!(duration(123.4), "123 s");
        assert_eq!(duration(0.01234), "12.3 ms");
        assert_eq!(duration(1.234e-6), "1.23 us");
    }
}
