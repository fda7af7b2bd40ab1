//! Certificates as a table for people.

use saddlescope::analysis::saddle::{Certificate, Law};

use super::{CertifiedState, Place};
use crate::report::short;
use crate::table::Table;

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
    let mut table = Table::new(&headings);
    for certified in all {
        table.row(row(certified));
    }
    table
}

fn row(certified: &CertifiedState) -> Vec<String> {
    let found = &certified.certificate;
    let count = |pick: fn(&saddlescope::analysis::saddle::Counts) -> usize| {
        found.counts.as_ref().map_or_else(String::new, |counts| pick(counts).to_string())
    };
    let point = |pick: fn(&saddlescope::analysis::saddle::Point) -> f64| {
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
