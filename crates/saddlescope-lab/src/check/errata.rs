//! The errata page of a paper, written from its claims and what a check found.

use std::fmt::Write;

use saddlescope_spec::claim::{Agreement, Measurement, Relation, Scale, Verdict};
use saddlescope_spec::system::System;

use super::ClaimCheck;
use super::report::{self, summary};

/// The page for one system: what is false or only approximate, with the numbers that show it, then every
/// claim with its verdict. Markdown with formulas between dollar signs.
///
/// Numbers are rounded, and errors within their tolerance are given as that tolerance, so that the page
/// is the same on every machine.
pub fn errata(system: &dyn System, all: &[ClaimCheck]) -> String {
    let own: Vec<&ClaimCheck> =
        all.iter().filter(|checked| checked.claim.system() == system.name()).collect();
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
    let checked: Vec<ClaimCheck> = own.iter().map(|&checked| checked.clone()).collect();
    let _ = writeln!(page, "{}.\n", summary(&checked).trim_start_matches("check: "));
    for (verdict, heading) in [
        (Verdict::FalseAsPrinted, "False as printed"),
        (Verdict::AssumptionNotMet, "Used where its assumptions do not hold"),
        (Verdict::Approximately, "True approximately"),
        (Verdict::Inconclusive, "Not settled"),
        (Verdict::NotTested, "Not tested"),
    ] {
        let some: Vec<&ClaimCheck> =
            own.iter().copied().filter(|checked| checked.verdict == verdict).collect();
        if some.is_empty() {
            continue;
        }
        let _ = writeln!(page, "## {heading}\n");
        some.iter().for_each(|checked| section(&mut page, checked));
    }
    let _ = writeln!(page, "## All claims\n\n| claim | place | verdict |\n|---|---|---|");
    for checked in own {
        let claim = checked.claim;
        let _ = writeln!(
            page,
            "| `{}` | {} | {} |",
            claim.name(),
            claim.place,
            checked.verdict.words()
        );
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
    let number = |x: f64| if x.abs() <= grain { "0".to_owned() } else { rounded(x) };
    let error = match (measurement.agreement(), measurement.scale) {
        (Agreement::Within, _) if measurement.tolerance == 0.0 => "0".to_owned(),
        (Agreement::Within, Scale::Absolute) => format!("< {}", rounded(measurement.tolerance)),
        (Agreement::Within, Scale::Relative) => {
            format!("< {} %", rounded(100.0 * measurement.tolerance))
        }
        (_, Scale::Absolute) => rounded(measurement.error),
        (_, Scale::Relative) => format!("{} %", rounded(100.0 * measurement.error)),
    };
    [
        format!("{sign}{}", number(measurement.predicted)),
        number(measurement.measured),
        error,
        measurement.what.replace('|', "\\|"),
    ]
}

fn rounded(value: f64) -> String {
    report::rounded(value, 3)
}
