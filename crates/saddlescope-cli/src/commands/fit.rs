//! `fit`: a scaling law through the runs of a plan, or through a table of somebody else.

use std::path::Path;

use anyhow::anyhow;
use saddlescope_lab::fits::{self, FitResult, sheet::Sheet};
use saddlescope_lab::keep;
use saddlescope_lab::plan::groups_without;
use saddlescope_lab::registry::Registry;
use saddlescope_spec::settings::fit::{Fit, LawChoice};

use crate::arguments::{FitArgs, Law};
use crate::{Failure, Verdict, print};

pub(crate) fn fit(args: &FitArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let path = &args.table;
    if !path.exists() {
        return Err(Failure::input(anyhow!("there is no folder and no file {}", path.display())));
    }
    let (fitted, note) =
        if path.is_dir() { of_plan(args, path, registry)? } else { of_file(args, path)? };
    let failed = fitted.iter().all(|one| one.outcome.is_err());
    if args.json {
        print(&format!("{:#}\n", fits::json(&fitted)))?;
    } else {
        print(&format!("{}{note}", fits::text(&fitted)))?;
    }
    Ok(if failed { Verdict::Failed } else { Verdict::Done })
}

fn spec(args: &FitArgs, group: Vec<String>) -> Result<Fit, Failure> {
    let law = match args.law {
        Law::Power => LawChoice::Power,
        Law::Offset => LawChoice::Offset,
        Law::Log => LawChoice::Log,
        Law::Auto => LawChoice::Auto,
    };
    let (x, y, only) = (args.x.clone(), args.y.clone(), args.only.clone());
    let x_range = args.range.as_deref().map(range).transpose()?;
    let (group, resamples) = (Some(group), args.resamples);
    Ok(Fit { x, y, law, only, group, x_range, resamples, ..Fit::defaults() })
}

/// `0.01..1`, both ends included.
fn range(text: &str) -> Result<(f64, f64), Failure> {
    let ends = text.split_once("..").and_then(|(low, high)| {
        Some((low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?))
    });
    match ends {
        Some((low, high)) if low < high => Ok((low, high)),
        _ => Err(Failure::input(anyhow!(
            "--range {text}: expected two numbers, the lower one first, such as 0.01..1"
        ))),
    }
}

/// Laws through the runs of a plan's folder, and what is to be said of them.
fn of_plan(
    args: &FitArgs,
    folder: &Path,
    registry: &Registry,
) -> Result<(Vec<FitResult>, String), Failure> {
    if args.seed.is_some() {
        return Err(Failure::input(anyhow!(
            "--seed is for tables of other people: runs know their seeds"
        )));
    }
    let plan = keep::plan(folder, registry).map_err(Failure::input)?;
    let results = keep::read(folder, &plan, registry);
    let group = args.group.clone().unwrap_or_else(|| groups_without(&plan, &args.x));
    let known = groups_without(&plan, "");
    if let Some(key) = group.iter().find(|key| !known.contains(key)) {
        let known = if known.is_empty() { "the seed alone".to_owned() } else { known.join(", ") };
        return Err(Failure::input(anyhow!("--group {key}: runs differ in {known}")));
    }
    let spec = spec(args, group)?;
    let mut all = Vec::new();
    for y in &args.y {
        all.extend(results.fit(|runs| runs.fit(&spec, y)).map_err(Failure::input)?);
    }
    if all.is_empty() {
        return Err(Failure::input(anyhow!("no run fits --only {}", args.only.join(" --only "))));
    }
    let (there, members) = (results.carried().count(), results.members.len());
    let note = match there < members {
        true => format!("  {there} of {members} runs are there; the others count as missing\n"),
        false => String::new(),
    };
    Ok((all, note))
}

/// Laws through a file of comma-separated values.
fn of_file(args: &FitArgs, path: &Path) -> Result<(Vec<FitResult>, String), Failure> {
    let name = path.display();
    if !args.only.is_empty() {
        return Err(Failure::input(anyhow!("--only is for folders of runs; {name} is a file")));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::input(anyhow!("cannot read {name}: {e}")))?;
    let sheet = Sheet::read(&text).map_err(|e| Failure::input(anyhow!("{name}: {e}")))?;
    let usual = sheet.has("seed").then_some("seed");
    let seed = args.seed.as_deref().or(usual);
    let spec = spec(args, args.group.clone().unwrap_or_default())?;
    let mut all = Vec::new();
    for y in &args.y {
        all.extend(sheet.fit(&spec, y, seed).map_err(|e| Failure::input(anyhow!("{name}: {e}")))?);
    }
    if all.is_empty() {
        let range = args.range.as_deref().unwrap_or("all numbers");
        return Err(Failure::input(anyhow!("{name}: no row has `{}` within {range}", args.x)));
    }
    let mut note = String::new();
    if seed.is_none() {
        note += "  every row counts as a seed of its own; --seed COLUMN keeps rows together\n";
    }
    if args.group.is_none() && sheet.has("arm") {
        note += "  rows of every `arm` are fitted together; --group arm keeps them apart\n";
    }
    Ok((all, note))
}
