//! Checked claims in words and numbers: a table for people, JSON for programs.

use saddlescope_draw::plain;
use saddlescope_spec::claim::{Agreement, Relation, Scale};
use serde_json::Value;

use super::*;
use crate::report;

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
fn rounded(value: f64, count: usize) -> String {
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

fn as_recorded(all: &[ClaimCheck]) -> usize {
    all.iter().filter(|checked| checked.as_recorded()).count()
}

/// How many claims came to each verdict.
fn counts(all: &[ClaimCheck]) -> impl Iterator<Item = (Verdict, usize)> {
    let count = |verdict| all.iter().filter(|checked| checked.verdict == verdict).count();
    Verdict::ALL.into_iter().map(move |verdict| (verdict, count(verdict)))
}

pub fn summary(all: &[ClaimCheck]) -> String {
    let words = |verdict| match verdict {
        Verdict::Holds => "hold",
        Verdict::Approximately => "approximately",
        other => other.words(),
    };
    let parts = counts(all).filter(|(_, count)| *count > 0);
    let parts: Vec<String> =
        parts.map(|(verdict, count)| format!("{count} {}", words(verdict))).collect();
    let (recorded, parts) = (as_recorded(all), parts.join(", "));
    format!("check: {recorded} of {} verdicts as recorded ({parts})", all.len())
}

pub fn json(all: &[ClaimCheck]) -> Value {
    let claims: Vec<Value> = all.iter().map(claim_json).collect();
    let verdicts = counts(all).map(|(verdict, count)| (verdict.words().to_owned(), count.into()));
    let verdicts: Map<String, Value> = verdicts.collect();
    json!({ "claims": claims, "as_recorded": as_recorded(all), "verdicts": verdicts })
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

// The errata page of a paper, written from its claims and what a check found.

/// The page for one system: what is false or only approximate, with the numbers that show it, then every
/// claim with its verdict. Markdown with formulas between dollar signs.
///
/// Numbers are rounded, and errors within their tolerance are given as that tolerance, so that the page
/// is the same on every machine.
pub fn errata(system: &dyn System, all: &[ClaimCheck]) -> String {
    let own = all.iter().filter(|checked| checked.claim.system() == system.name());
    let own: Vec<ClaimCheck> = own.cloned().collect();
    let name = system.name();
    let mut page = format!("# Errata: {name}\n\n");
    let authors = match system.schema().authors {
        [] => "authors withheld".to_owned(),
        authors => authors.join("; "),
    };
    let _ = writeln!(
        page,
        "The paper: \"{}\" ({authors}).\n\n\
         This page is written by `saddlescope check --errata {name}`, which recomputes every number on it. \
         Statements are in our own words. Equations are checked along paths of their own: the whole model \
         with expectations as sums or by quadrature, differences of losses, sampling with standard errors, a \
         second solver. Statements about training are measured on flows of the exact loss. What the paper does not \
         say, and we found beside it, is marked as added.\n",
        system.schema().title
    );
    let _ = writeln!(page, "{}.\n", summary(&own).trim_start_matches("check: "));
    for (verdict, heading) in [
        (Verdict::FalseAsPrinted, "False as printed"),
        (Verdict::AssumptionNotMet, "Used where its assumptions do not hold"),
        (Verdict::Approximately, "True approximately"),
        (Verdict::Inconclusive, "Not settled"),
        (Verdict::NotTested, "Not tested"),
    ] {
        let mut some = own.iter().filter(|checked| checked.verdict == verdict).peekable();
        if some.peek().is_some() {
            let _ = writeln!(page, "## {heading}\n");
        }
        some.for_each(|checked| section(&mut page, checked));
    }
    let _ = writeln!(page, "## All claims\n\n| claim | place | verdict |\n|---|---|---|");
    for checked in own {
        let (claim, words) = (checked.claim, checked.verdict.words());
        let _ = writeln!(page, "| `{}` | {} | {words} |", claim.name(), claim.place);
    }
    page
}

fn section(page: &mut String, checked: &ClaimCheck) {
    let claim = checked.claim;
    let _ = writeln!(page, "### {} (`{}`)\n\n{}\n", claim.place, claim.name(), claim.text);
    if let Some(correction) = &claim.correction {
        let _ = writeln!(page, "**Right:** {correction}.\n");
    }
    let evidence = match &checked.evidence {
        Ok(evidence) => evidence,
        Err(error) => {
            let _ = writeln!(page, "The check failed: {error}.\n");
            return;
        }
    };
    for assumption in &evidence.assumptions {
        let met = if assumption.met { "met" } else { "not met" };
        let _ = writeln!(page, "Assumption {met}: {}.\n", assumption.what);
    }
    if let Some(reason) = &evidence.untested {
        let _ = writeln!(page, "{reason}\n");
    }
    let lists = [("printed", &evidence.printed), ("right", &evidence.corrected)];
    if lists.iter().any(|(_, list)| !list.is_empty()) {
        let _ = writeln!(page, "| | predicted | measured | off by | what |\n|---|---|---|---|---|");
    }
    for (form, list) in lists {
        for measurement in list {
            let _ = writeln!(page, "| {form} | {} |", cells(measurement).join(" | "));
        }
    }
    if evidence.untested.is_none() {
        page.push('\n');
    }
    for note in &evidence.notes {
        let _ = writeln!(page, "{note}\n");
    }
}

/// Predicted, measured, error and what was measured, the same on every machine.
fn cells(measurement: &Measurement) -> [String; 4] {
    let sign = match measurement.relation {
        Relation::Equal => "",
        Relation::AtLeast => "at least ",
        Relation::AtMost => "at most ",
    };
    // Digits beyond the tolerance, such as a rounded zero, are those of one machine.
    let grain = match measurement.scale {
        Scale::Absolute => measurement.tolerance,
        Scale::Relative => 0.0,
    };
    let number = |x: f64| if x.abs() <= grain { "0".to_owned() } else { rounded(x, 3) };
    let error = match (measurement.agreement(), measurement.scale) {
        (Agreement::Within, _) if measurement.tolerance == 0.0 => "0".to_owned(),
        (Agreement::Within, Scale::Absolute) => format!("< {}", rounded(measurement.tolerance, 3)),
        (Agreement::Within, Scale::Relative) => {
            format!("< {} %", rounded(100.0 * measurement.tolerance, 3))
        }
        (_, Scale::Absolute) => rounded(measurement.error, 3),
        (_, Scale::Relative) => format!("{} %", rounded(100.0 * measurement.error, 3)),
    };
    [
        format!("{sign}{}", number(measurement.predicted)),
        number(measurement.measured),
        error,
        measurement.what.replace('|', "\\|"),
    ]
}
