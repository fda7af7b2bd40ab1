//! `stages`: the plateaus and jumps of runs, of anybody's log, or of anybody's checkpoints.

use std::path::Path;

use anyhow::anyhow;
use saddlescope::analysis::stages::align::CommonStages;
use saddlescope::analysis::stages::{Settings, detect};
use saddlescope_lab::campaign::Results;
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::log_file::{self, Log};
use saddlescope_lab::plan::Member;
use saddlescope_lab::registry::Registry;
use saddlescope_lab::staircase::{Staircase, aligned_text, side_by_side};
use saddlescope_lab::{checkpoints, keep, report};
use saddlescope_spec::settings::render_value;
use serde_json::{Value, json};

use crate::arguments::StagesArgs;
use crate::{Failure, Verdict, print};

pub(crate) fn stages(args: &StagesArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let settings = settings(args)?;
    let mut all = Vec::new();
    for path in &args.paths {
        let found = if path.is_dir() && !log_file::tensorboard::has_events(path) {
            of_folder(path, &settings, args, registry)?
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            vec![of_checkpoints(path, &settings, args)?]
        } else {
            vec![of_file(path, &settings, args)?]
        };
        for one in found {
            if !args.json {
                print(&format!("{}\n{}\n", one.name, one.text))?;
            }
            all.push(one.json);
        }
    }
    if args.json {
        print(&(serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"))?;
    }
    Ok(Verdict::Done)
}

/// The stages of one thing, for people and for programs.
struct StageReport {
    name: String,
    text: String,
    json: Value,
}

fn settings(args: &StagesArgs) -> Result<Settings, Failure> {
    for (flag, value, holds, expected) in [
        ("--least-drop", args.least_drop, (0.0..1.0).contains(&args.least_drop), "0 to 1"),
        ("--least-stay", args.least_stay, args.least_stay > 0.0, "a number above 0"),
        ("--significance", args.significance, args.significance >= 0.0, "0 or more"),
    ] {
        if !holds {
            return Err(Failure::input(anyhow!("{flag} is {value}, expected {expected}")));
        }
    }
    Ok(Settings {
        least_drop: args.least_drop,
        least_stay: args.least_stay,
        least_rows: args.least_rows,
        significance: args.significance,
    })
}

fn of_file(path: &Path, settings: &Settings, args: &StagesArgs) -> Result<StageReport, Failure> {
    let log =
        log_file::read(path, args.time.as_deref(), args.loss.as_deref()).map_err(Failure::input)?;
    let stages = detect(&log.times, &log.values, settings)
        .map_err(|error| Failure::input(anyhow!("{}: {error}", path.display())))?;
    let found = Staircase::of_series(stages, *settings);
    let mut json = report::value(&found);
    describe(&mut json, path, &log);
    let name = format!("{}: {}", path.display(), words(&log));
    Ok(StageReport { name, text: found.text() + &remarks(&log.notes), json })
}

/// The stages of a loss with the tensors that moved, from a list of checkpoints.
fn of_checkpoints(
    path: &Path,
    settings: &Settings,
    args: &StagesArgs,
) -> Result<StageReport, Failure> {
    let all = checkpoints::read(path, args.time.as_deref(), args.loss.as_deref())
        .map_err(Failure::input)?;
    let (found, mut notes) = all.staircase(settings).map_err(Failure::input)?;
    let mut json = report::value(&found);
    json["file"] = path.display().to_string().into();
    if args.json {
        json["checkpoints"] = all.json().map_err(Failure::input)?;
    }
    notes.splice(0..0, all.notes.iter().cloned());
    let mut name = format!(
        "{}: {} checkpoints of {} tensors",
        path.display(),
        all.all.len(),
        all.tensors.len()
    );
    if let Some(log) = &all.log {
        describe(&mut json, path, log);
        name += &format!(", {}", words(log));
        notes.extend(log.notes.iter().cloned());
    }
    json["notes"] = notes.clone().into();
    Ok(StageReport { name, text: found.text() + &remarks(&notes), json })
}

/// What was read of a log: `loss` over `step`, 1000 rows.
fn words(log: &Log) -> String {
    let skipped = match log.skipped {
        0 => String::new(),
        rows => format!(" ({rows} more that are not finite are left out)"),
    };
    format!("`{}` over `{}`, {} rows{skipped}", log.value, log.time, log.times.len())
}

fn describe(json: &mut Value, path: &Path, log: &Log) {
    json["skipped_rows"] = log.skipped.into();
    json["file"] = path.display().to_string().into();
    json["time_column"] = log.time.clone().into();
    json["value_column"] = log.value.clone().into();
    json["notes"] = log.notes.clone().into();
}

fn remarks(notes: &[String]) -> String {
    notes.iter().map(|note| format!("({note})\n")).collect()
}

fn of_folder(
    path: &Path,
    settings: &Settings,
    args: &StagesArgs,
    registry: &Registry,
) -> Result<Vec<StageReport>, Failure> {
    if args.time.is_some() || args.loss.is_some() {
        return Err(Failure::input(anyhow!(
            "--time and --loss name columns of a log, but {}: {}",
            path.display(),
            log_file::tensorboard::no_events(path)
        )));
    }
    let plan = keep::plan(path, registry).map_err(|error| {
        let hint = log_file::tensorboard::no_events(path);
        let error = anyhow::Error::from(error);
        // Whoever has event files there does not look for runs of this program.
        Failure::Input(if hint.contains("name one of") {
            anyhow!("{}: {hint}", path.display())
        } else {
            error
        })
    })?;
    let mut results = keep::read(path, &plan, registry);
    if *settings != Settings::default() {
        results.search_stages(settings);
    }
    for (label, reason) in results.failures() {
        if !args.json {
            print(&format!("{label}: {reason}\n"))?;
        }
    }
    if results.carried().next().is_none() {
        return Err(Failure::input(anyhow!("{}: none of its runs can be read", path.display())));
    }
    let folder = path.display().to_string();
    if let ([_], Some((_, member, run))) = (plan.members.as_slice(), results.carried().next()) {
        let (text, json) = (one_text(run), one_json(member, run));
        return Ok(vec![StageReport { name: folder, text, json }]);
    }
    let found = cases(&results).into_iter().map(|case| StageReport {
        name: format!("{folder}{}", case.heading()),
        text: case.text(),
        json: case.json(&folder),
    });
    Ok(found.collect())
}

/// The stages of a run, or why there are none.
fn one_text(run: &RunResult) -> String {
    match run.facts.stages() {
        Ok(stages) => stages.text(),
        Err(why) => format!("no stages: {why}\n"),
    }
}

fn one_json(member: &Member, run: &RunResult) -> Value {
    let mut json = match run.facts.stages() {
        Ok(stages) => report::value(stages),
        Err(why) => json!({ "no_stages": why }),
    };
    json["run"] = member.label.clone().into();
    json
}

/// The runs of a plan that differ in their seeds alone.
pub(crate) struct Case<'a> {
    runs: Vec<(&'a Member, &'a RunResult)>,
    aligned: CommonStages,
}

/// The cases of a plan, in its order, each with its runs side by side.
pub(crate) fn cases<'a>(results: &'a Results<'_>) -> Vec<Case<'a>> {
    let mut cases: Vec<Vec<(&Member, &RunResult)>> = Vec::new();
    for (_, member, run) in results.carried() {
        let same = |case: &&mut Vec<(&Member, &RunResult)>| {
            case.iter().all(|(other, _)| other.arm == member.arm && other.varied == member.varied)
        };
        match cases.iter_mut().find(same) {
            Some(case) => case.push((member, run)),
            None => cases.push(vec![(member, run)]),
        }
    }
    let case = |runs: Vec<(&'a Member, &'a RunResult)>| {
        let found: Vec<&Staircase> =
            runs.iter().filter_map(|(_, run)| run.facts.stages.as_ref()).collect();
        let (_, first) = runs[0];
        let aligned = side_by_side(&found, &first.facts.theory.plateaus, &first.problem.symmetry);
        Case { runs, aligned }
    };
    cases.into_iter().map(case).collect()
}

impl Case<'_> {
    /// What the case is: `, system.rank = 2`.
    fn heading(&self) -> String {
        let (member, _) = self.runs[0];
        let arm = member.arm.iter().map(|arm| format!(", {arm}"));
        let varied = member.varied.iter().map(|(key, value)| {
            format!(", {key} = {}", render_value(value).split_whitespace().collect::<String>())
        });
        arm.chain(varied).collect()
    }

    /// Of a single run its own table; of several, what they share, and those that have none.
    pub(crate) fn text(&self) -> String {
        if let [(_, run)] = self.runs.as_slice() {
            return one_text(run);
        }
        let mut text = aligned_text(&self.aligned);
        for (member, run) in &self.runs {
            if let Err(why) = run.facts.stages() {
                text += &format!("{}: {why}\n", member.label);
            }
        }
        text
    }

    fn json(&self, folder: &str) -> Value {
        let mut json = report::value(&self.aligned);
        json["folder"] = folder.into();
        json["case"] = self.heading().trim_start_matches(", ").into();
        let each = self.runs.iter().map(|(member, run)| one_json(member, run));
        json["each"] = each.collect::<Vec<_>>().into();
        json
    }
}
