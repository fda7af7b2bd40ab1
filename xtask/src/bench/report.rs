//! The table that people read.

use std::fmt::Write;

use super::outcome::{Best, Line};
use super::rows::Row;

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
