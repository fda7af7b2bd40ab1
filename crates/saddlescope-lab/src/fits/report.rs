//! Fitted laws in words for people, and as JSON for programs.

use std::fmt::Write;

use saddlescope::analysis::scaling::{Agreement, Estimate, Fit, Law};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::FitResult;
use crate::report::{self, short};
use crate::table::Table;

/// The table of fitted laws, and what there is to say about them; empty where there are none.
pub fn text(fits: &[FitResult]) -> String {
    if fits.is_empty() {
        return String::new();
    }
    let headings =
        ["y", "x", "runs of", "law", "slope", "95 % interval", "theory", "verdict", "runs"];
    let mut table = Table::new(&headings);
    for fitted in fits {
        let Ok(fit) = &fitted.outcome else { continue };
        let theory = fitted.theory.as_ref().map_or_else(|| "-".to_owned(), |t| slope(t.slope));
        let verdict = fitted.agreement.unwrap_or(Agreement::Alone).words(fit.law);
        table.row(vec![
            fitted.y.clone(),
            fitted.x.clone(),
            Some(fitted.group_words()).filter(|w| !w.is_empty()).unwrap_or_else(|| "all".into()),
            fit.law.form().to_owned(),
            slope(fit.slope.value),
            interval(&fit.slope),
            theory,
            verdict.to_owned(),
            fit.points.to_string(),
        ]);
    }
    let mut text = "laws fitted to the table of runs, intervals over seeds:\n".to_owned();
    if !table.is_empty() {
        let _ = write!(text, "{table}");
    }
    for note in notes(fits) {
        let _ = writeln!(text, "  {note}");
    }
    text
}

/// What the table has no room for, each once.
fn notes(fits: &[FitResult]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut note = |text: String| {
        if !notes.contains(&text) {
            notes.push(text);
        }
    };
    for fitted in fits {
        let name = match fitted.group_words() {
            words if words.is_empty() => fitted.y.clone(),
            words => format!("{} ({words})", fitted.y),
        };
        let fit = match &fitted.outcome {
            Ok(fit) => fit,
            Err(error) => {
                note(format!("{name} against {}: no fit: {error}", fitted.x));
                continue;
            }
        };
        if let (Some(Agreement::NotALaw), Some(bend)) = (fitted.agreement, &fit.bend) {
            let interval = match interval(bend).as_str() {
                "-" => String::new(),
                words => format!(" {words}"),
            };
            let what = bend_words(fit.law);
            note(format!("{name}: {what} {}{interval} over the range of x", slope(bend.value)));
        }
        if let Some(offset) = &fit.offset {
            note(format!("{name}: y0 = {} {}", short(offset.value), interval(offset)));
        }
        if let Some(other) = &fitted.other {
            note(format!("{name}: {}", compared(fit, other)));
        }
        if fit.missing > 0 {
            note(format!(
                "{name}: {} of {} runs have no value and are left out",
                fit.missing,
                fit.missing + fit.points
            ));
        }
        if fit.slope.interval.is_none() {
            note(format!("{name}: one seed, so no interval (--seeds 6 runs more)"));
        }
        if let Some(theory) = &fitted.theory {
            note(format!("theory for {}: {} ({})", fitted.y, theory.source, theory.holds));
        }
    }
    notes
}

fn bend_words(law: Law) -> &'static str {
    match law {
        Law::Log => "relative to itself the slope changes by",
        Law::Power | Law::Offset => "the exponent changes by",
    }
}

fn compared(fit: &Fit, other: &Fit) -> String {
    let error = |fit: &Fit| match fit.left_out_error {
        Some(error) => format!("{:.2} %", 100.0 * error.exp_m1()),
        None => "no positive value".to_owned(),
    };
    format!(
        "where a value of x is left out, {} misses by {}, {} by {}",
        fit.law.form(),
        error(fit),
        other.law.form(),
        error(other)
    )
}

/// A slope in four digits after the point, or as few as it needs.
fn slope(value: f64) -> String {
    if value == 0.0 || (1e-3..1e3).contains(&value.abs()) {
        let text = format!("{value:.3}");
        // What rounds to nothing has no sign.
        if text == "-0.000" { "0.000".to_owned() } else { text }
    } else {
        format!("{value:.2e}")
    }
}

fn interval(estimate: &Estimate) -> String {
    match estimate.interval {
        Some((low, high)) => format!("[{}, {}]", slope(low), slope(high)),
        None => "-".to_owned(),
    }
}

pub fn json(fits: &[FitResult]) -> Value {
    let one = |fitted: &FitResult| {
        let fit = fitted.outcome.as_ref().ok();
        let words = |agreement: Agreement| Some(agreement.words(fit?.law));
        let group = fitted.group.iter().map(|(key, value)| (key.clone(), value.clone().into()));
        json!({
            "x": fitted.x,
            "y": fitted.y,
            "group": group.collect::<Map<_, _>>(),
            "fit": fit.map(fit_json),
            "other": fitted.other.as_ref().map(fit_json),
            "error": fitted.outcome.as_ref().err(),
            "theory": fitted.theory.as_ref().map(|theory| json!({
                "law": theory.law,
                "slope": theory.slope,
                "source": theory.source,
                "holds": theory.holds,
            })),
            "verdict": fitted.agreement.and_then(words),
        })
    };
    fits.iter().map(one).collect()
}

pub fn fit_json(fit: &Fit) -> Value {
    #[derive(Serialize)]
    struct FitFacts<'a> {
        law: Law,
        form: &'static str,
        #[serde(flatten)]
        fit: &'a Fit,
    }
    report::value(&FitFacts { law: fit.law, form: fit.law.form(), fit })
}
