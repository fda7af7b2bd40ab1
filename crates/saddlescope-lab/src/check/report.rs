//! Checked claims in words and numbers: a table for people, JSON for programs.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use saddlescope_draw::plain;
use saddlescope_spec::claim::{Agreement, Evidence, Measurement, Relation, Scale, Verdict};

use super::ClaimCheck;
use crate::report;
use crate::table::Table;

/// One row per claim: name, verdict, place, and the numbers of the measurement that says most.
pub fn table(all: &[ClaimCheck]) -> Table {
    let mut table =
        Table::new(&["claim", "verdict", "predicted", "measured", "error / allowed", "place"]);
    let several = all.iter().any(|checked| checked.claim.system() != all[0].claim.system());
    for checked in all {
        let name = if several { &checked.claim.id } else { checked.claim.name() };
        let mut row = vec![name.to_owned(), verdict_words(checked)];
        match checked.worst().map(numbers) {
            Some([predicted, measured, error, allowed]) => {
                row.extend([predicted, measured, format!("{error} / {allowed}")]);
            }
            None => row.extend(std::iter::repeat_n(String::new(), 3)),
        }
        row.push(shortened(&checked.claim.place));
        table.row(row);
    }
    table
}

fn shortened(place: &str) -> String {
    const MOST: usize = 26;
    if place.chars().count() <= MOST {
        return place.to_owned();
    }
    place.chars().take(MOST - 1).chain(['…']).collect()
}

fn verdict_words(checked: &ClaimCheck) -> String {
    let words = checked.verdict.words();
    if checked.as_recorded() {
        return words.to_owned();
    }
    format!("{} (ON RECORD: {})", words.to_uppercase(), checked.claim.recorded.words())
}

fn numbers(measurement: &Measurement) -> [String; 4] {
    let sign = match measurement.relation {
        Relation::Equal => "",
        Relation::AtLeast => ">= ",
        Relation::AtMost => "<= ",
    };
    [
        format!("{sign}{}", short(measurement.predicted)),
        short(measurement.measured),
        scaled(measurement.error, measurement.scale),
        scaled(bound(measurement), measurement.scale),
    ]
}

fn bound(measurement: &Measurement) -> f64 {
    match measurement.agreement() {
        Agreement::Within => measurement.tolerance,
        _ => measurement.looser.unwrap_or(measurement.tolerance),
    }
}

/// An error in its units: parts of the predicted number as per cent, where they are not tiny.
fn scaled(error: f64, scale: Scale) -> String {
    match scale {
        Scale::Relative if error >= 1e-4 => format!("{}%", short(100.0 * error)),
        Scale::Relative if error > 0.0 => format!("{} rel.", short(error)),
        _ => short(error),
    }
}

fn short(value: f64) -> String {
    rounded(value, 4)
}

/// A number in that many digits; very small and large ones with a power of ten.
pub(super) fn rounded(value: f64, count: usize) -> String {
    report::digits(value, count, 6, (1e5, 1))
}

/// The table in lines of at most `width` characters, with the corrected form under each claim that is
/// false, and the reason under each that was not settled.
pub fn text(all: &[ClaimCheck], width: usize) -> String {
    let (table, hidden) = table(all).fitted(width);
    let table = table.to_string();
    let mut lines = table.lines();
    let mut text = format!("{}\n", lines.next().unwrap_or_default());
    for (line, checked) in lines.zip(all) {
        let _ = writeln!(text, "{line}");
        for remark in remarks(checked) {
            let _ = writeln!(text, "{}", wrapped(&plain(&remark), width, "    "));
        }
    }
    if hidden > 0 {
        let _ = writeln!(text, "a wider terminal shows {hidden} more columns");
    }
    text
}

/// `text` in lines of at most `width` characters, each after `indent`. Words are never cut.
pub(super) fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut lines = vec![indent.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        let fresh = line == indent.len();
        if !fresh && line.saturating_add(1 + word.chars().count()) > width {
            lines.push(indent.to_owned());
        }
        if let Some(line) = lines.last_mut() {
            if line.len() > indent.len() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

fn remarks(checked: &ClaimCheck) -> Vec<String> {
    let evidence = match &checked.evidence {
        Ok(evidence) => evidence,
        Err(error) => return vec![format!("failed: {error}")],
    };
    match checked.verdict {
        Verdict::FalseAsPrinted => {
            let right = checked.claim.correction.as_deref().unwrap_or("see the evidence");
            let error = checked
                .worst_corrected()
                .map_or_else(String::new, |m| format!(" (off by {})", scaled(m.error, m.scale)));
            vec![format!("right: {right}{error}")]
        }
        Verdict::AssumptionNotMet => {
            let unmet = evidence.assumptions.iter().filter(|assumption| !assumption.met);
            unmet.map(|assumption| format!("not met: {}", assumption.what)).collect()
        }
        Verdict::NotTested => evidence.untested.iter().cloned().collect(),
        Verdict::Inconclusive => vec![open(evidence)],
        Verdict::Holds | Verdict::Approximately => Vec::new(),
    }
}

fn open(evidence: &Evidence) -> String {
    let refuted = evidence.printed.iter().any(|m| m.agreement() == Agreement::Outside);
    let words = match (evidence.printed.is_empty(), refuted, evidence.corrected.is_empty()) {
        (true, ..) => "nothing was measured",
        (false, true, true) => "the print is off, and there is no corrected form",
        (false, true, false) => "the print is off, and the corrected form is not confirmed",
        (false, false, _) => "the noise is too large for the tolerance",
    };
    words.to_owned()
}

/// Everything about each claim: its words, assumptions, all measurements, notes.
pub fn details(all: &[ClaimCheck], width: usize) -> String {
    let mut text = String::new();
    for checked in all {
        let claim = checked.claim;
        let heading = format!("{} ({}): {}", claim.id, claim.place, verdict_words(checked));
        let _ = writeln!(text, "{heading}");
        let mut say = |words: &str| {
            let _ = writeln!(text, "{}", wrapped(&plain(words), width, "  "));
        };
        say(&claim.text);
        claim.assumptions.iter().for_each(|assumption| say(&format!("Assumes: {assumption}")));
        remarks(checked).iter().for_each(|remark| say(remark));
        let Ok(evidence) = &checked.evidence else {
            text.push('\n');
            continue;
        };
        for assumption in &evidence.assumptions {
            let met = if assumption.met { "met" } else { "not met" };
            say(&format!("Assumption {met}: {}", assumption.what));
        }
        for note in &evidence.notes {
            say(note);
        }
        text += &measurements(evidence, width);
        text.push('\n');
    }
    text
}

fn measurements(evidence: &Evidence, width: usize) -> String {
    let mut table = Table::new(&["", "predicted", "measured", "error", "allowed", "what"]);
    for (form, list) in [("  printed", &evidence.printed), ("  corrected", &evidence.corrected)] {
        for measurement in list {
            let mut row = vec![form.to_owned()];
            row.extend(numbers(measurement));
            row.push(plain(&measurement.what));
            table.row(row);
        }
    }
    if table.is_empty() { String::new() } else { table.fitted(width).0.to_string() }
}

pub fn summary(all: &[ClaimCheck]) -> String {
    let as_recorded = all.iter().filter(|checked| checked.as_recorded()).count();
    let count = |verdict| all.iter().filter(|checked| checked.verdict == verdict).count();
    let words = |verdict| match verdict {
        Verdict::Holds => "hold",
        Verdict::Approximately => "approximately",
        other => other.words(),
    };
    let parts: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|&verdict| count(verdict) > 0)
        .map(|verdict| format!("{} {}", count(verdict), words(verdict)))
        .collect();
    format!("check: {as_recorded} of {} verdicts as recorded ({})", all.len(), parts.join(", "))
}

pub fn json(all: &[ClaimCheck]) -> Value {
    let claims: Vec<Value> = all.iter().map(claim_json).collect();
    let mut counts = Map::new();
    for verdict in Verdict::ALL {
        let count = all.iter().filter(|checked| checked.verdict == verdict).count();
        counts.insert(verdict.words().to_owned(), count.into());
    }
    json!({
        "claims": claims,
        "as_recorded": all.iter().filter(|checked| checked.as_recorded()).count(),
        "verdicts": counts,
    })
}

fn claim_json(checked: &ClaimCheck) -> Value {
    let claim = checked.claim;
    let mut facts = json!({
        "id": claim.id,
        "place": claim.place,
        "kind": claim.kind.word(),
        "statement": claim.text,
        "assumes": claim.assumptions,
        "verdict": checked.verdict.words(),
        "recorded": claim.recorded.words(),
        "correction": claim.correction,
        "seconds": checked.elapsed.as_secs_f64(),
    });
    let found = match &checked.evidence {
        Ok(evidence) => report::value(evidence),
        Err(error) => json!({ "error": error.to_string() }),
    };
    if let (Value::Object(facts), Value::Object(found)) = (&mut facts, found) {
        facts.extend(found);
    }
    facts
}
