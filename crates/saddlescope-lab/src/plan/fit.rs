//! What a `[[fit]]` asks for, checked before anything runs.

use super::*;
use saddlescope::analysis::scaling::Law;

/// What the fits of a plan keep runs apart by where they do not say: all that runs differ in, apart from `x` and the seed.
pub fn groups_without(plan: &Plan, x: &str) -> Vec<String> {
    keys(plan).into_iter().filter(|key| key != x && key != "seed").collect()
}

fn keys(plan: &Plan) -> Vec<String> {
    let arm = (!plan.arms.is_empty()).then(|| "arm".to_owned());
    arm.into_iter().chain(plan.varied()).chain(["seed".to_owned()]).collect()
}

/// What is wrong with the `[[fit]]`s of a plan, each once, as far as that is known before it runs.
pub(super) fn check(plan: &Plan) -> Vec<SettingsError> {
    distinct(plan.fits.iter().flat_map(|fit| check_one(plan, fit)))
}

fn check_one(plan: &Plan, fit: &Spanned<Fit>) -> Vec<SettingsError> {
    if let Err(error) = fit.source.check_range("x_range") {
        return vec![error];
    }
    let mut errors = Vec::new();
    errors.extend(check_x(plan, fit));
    if fit.y.is_empty() {
        errors.push(fit.wrong("y", "is empty, but a fit needs a column"));
    }
    let table = RunTable::new(plan, &[]);
    for pattern in &fit.y {
        if let Err(missing) = planned_columns(plan, &table, pattern) {
            let words = unknown("column of the table of runs", pattern, &missing.known);
            errors.push(fit.wrong("y", words));
        }
    }
    let known = keys(plan);
    for key in fit.group.iter().flatten().filter(|key| !known.contains(key)) {
        errors.push(fit.wrong("group", unknown("thing that runs differ in", key, &known)));
    }
    for text in &fit.only {
        let key = text.split('=').next().unwrap_or_default().trim().to_owned();
        if !text.contains('=') {
            let message = format!("has `{text}`, but expects a name, `=` and a value");
            errors.push(fit.wrong("only", message));
        } else if !known.contains(&key) {
            errors.push(fit.wrong("only", unknown("thing that runs differ in", &key, &known)));
        }
    }
    errors
}

fn check_x(plan: &Plan, fit: &Spanned<Fit>) -> Option<SettingsError> {
    let Some(varied) = plan.vary.iter().find(|varied| varied.key == fit.x) else {
        // A system may say numbers of its runs that laws are simpler in.
        let said = outcome_names(plan, |name| name == fit.x);
        if said.contains(&fit.x) {
            return None;
        }
        let known = [plan.varied(), said].concat();
        let what = "setting that is varied, nor a number that the system says of a run";
        return Some(fit.wrong("x", unknown(what, &fit.x, &known)));
    };
    let Some(values) = varied.numbers() else {
        let message = format!("is `{}`, whose values are no numbers", fit.x);
        return Some(fit.wrong("x", message));
    };
    if let Some(value) = values.iter().find(|value| **value <= 0.0) {
        let message =
            format!("is `{}`, which is varied over {value}: a law needs numbers > 0", fit.x);
        return Some(fit.wrong("x", message));
    }
    let inside = values.iter().filter(|&&x| fit.takes(x)).count();
    let least = fit.law.law().unwrap_or(Law::Power).least_values();
    (varied.law.is_none() && inside < least).then(|| {
        let words = if fit.x_range.is_some() { " within x_range" } else { "" };
        let message = format!(
            "is `{}`, which has {inside} values{words}, but a {} law needs {least} or more",
            fit.x,
            fit.law.word()
        );
        fit.wrong("x", message)
    })
}

fn unknown(what: &str, found: &str, known: &[String]) -> String {
    let near = question(found, known);
    let known = match known {
        [] => "there is none: [vary] is empty".to_owned(),
        known => format!("known: {}", families(known).join(", ")),
    };
    format!("names `{found}`, which is no {what}; {near}{known}")
}

/// The columns that fit a pattern in the `table` of a plan that has not run, as far as they are known; an error names what
/// there will be.
pub(crate) fn planned_columns(
    plan: &Plan,
    table: &RunTable,
    pattern: &str,
) -> Result<RunTable, NoColumn> {
    // How many levels are crossed, and how many stages there are, is not known yet.
    let open = super::outcome::names(plan).filter(|name| name.ends_with('.'));
    let open: Vec<String> =
        ["crossing.", "duration.", "stage"].map(str::to_owned).into_iter().chain(open).collect();
    if open.iter().any(|begin| pattern.starts_with(begin.as_str())) {
        return Ok(RunTable::default());
    }
    table.select(&[pattern]).or_else(|mut missing| {
        let said = outcome_names(plan, |name| name_matches(pattern, name));
        if said.iter().any(|name| name_matches(pattern, name)) {
            return Ok(RunTable::default());
        }
        missing.known.extend(["crossing.1", "duration.1"].map(str::to_owned));
        missing.known.extend(said);
        Err(missing)
    })
}

/// How many problems are asked, at most: to prepare one may take a while.
const ASKED: usize = 32;

/// Names of outcomes of the plan's problems, each once. Problems are asked until a name is the `wanted` one;
/// those that differ in their seed alone say the same names.
fn outcome_names(plan: &Plan, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names: Vec<String> = super::outcome::names(plan).collect();
    if names.iter().any(|name| wanted(name)) {
        return names;
    }
    let first = plan.members.first().map(|member| member.seed);
    let cases = plan.members.iter().filter(|member| Some(member.seed) == first);
    for member in cases.take(ASKED) {
        // One that cannot run says so itself.
        let Ok(run) = Run::new(&member.experiment) else { continue };
        for name in &run.problem.outcome_names {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        if names.iter().any(|name| wanted(name)) {
            break;
        }
    }
    names
}
