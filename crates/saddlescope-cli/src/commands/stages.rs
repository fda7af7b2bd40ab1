//! `stages`: the plateaus and jumps of runs, of anybody's log, or of anybody's checkpoints.

use saddlescope::analysis::stages::{Settings, detect};
use saddlescope_lab::checkpoints;
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::log_file::{self, Log};
use saddlescope_lab::stages::{self, Case, aligned_text, cases};
use saddlescope_spec::settings::render_value;

use crate::common::*;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope stages runs/linear-attention/fig1                      over seeds, with what moved
  saddlescope stages runs/linear-attention/fig1/runs/seed-4          one run
  saddlescope stages log.csv                                         any log: columns are guessed
  saddlescope stages runs/ngram-to-induction/fig1 --column loss.ih   any recorded column
  saddlescope stages log.jsonl --time step --column train.loss --json
  saddlescope stages tensorboard/run-1 --column train/loss           a folder of event files
  saddlescope stages checkpoints.toml                                with the tensors that moved
  saddlescope stages log.csv --least-drop 0.002                      smaller jumps

Logs are CSV, Parquet, JSON (an object per line, a list, a trainer's log_history) or TensorBoard's event
files. checkpoints.toml lists safetensors files and says what the loss was:
  loss = \"log.csv\"                     or a number of each [[checkpoint]]
  files = \"step-*.safetensors\"         or [[checkpoint]] with step = 0, file = \"start.safetensors\"

A plateau lasts from 9/10 of the jump before it to 1/10 of the jump behind it; a jump is where the
value is half way between two plateaus. All lengths are compared on log time.")]
pub(crate) struct StagesArgs {
    /// Folders of runs or of plans, logs (CSV, Parquet, JSON, TensorBoard), or lists of checkpoints (TOML)
    #[arg(required = true, value_name = "RUN|FILE")]
    paths: Vec<PathBuf>,
    /// Column of a log that says when: step, time, epoch; of TensorBoard step or wall_time
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Column, key or tag that holds the loss, or anything else that may go in stages: of runs, what was recorded
    #[arg(long, aliases = ["loss", "value"], value_name = "COLUMN")]
    column: Option<String>,
    /// Smallest jump, as a part of the whole range of the loss
    #[arg(long, default_value_t = 0.01, value_name = "PART", allow_negative_numbers = true)]
    least_drop: f64,
    /// Shortest plateau, in durations of the jumps beside it
    #[arg(long, default_value_t = 1.0, value_name = "RATIO", allow_negative_numbers = true)]
    least_stay: f64,
    /// Fewest rows of a plateau
    #[arg(long, default_value_t = 4, value_name = "N")]
    least_rows: usize,
    /// Smallest jump, in standard errors
    #[arg(long, default_value_t = 5.0, value_name = "SIGMAS")]
    significance: f64,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn stages(args: &StagesArgs, registry: &Registry) -> Outcome {
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
        print_json(&all.into())?;
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
            return Err(Failure::input(format!("{flag} is {value}, expected {expected}")));
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
    let log = log_file::read(path, args.time.as_deref(), args.column.as_deref())?;
    let found = detect(&log.times, &log.values, settings)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    let mut json = report::value(&found);
    describe(&mut json, path, &log);
    let name = format!("{}: {}", path.display(), words(&log));
    Ok(StageReport { name, text: stages::text(&found) + &remarks(&log.notes), json })
}

/// The stages of a loss with the tensors that moved, from a list of checkpoints.
fn of_checkpoints(
    path: &Path,
    settings: &Settings,
    args: &StagesArgs,
) -> Result<StageReport, Failure> {
    let all = checkpoints::read(path, args.time.as_deref(), args.column.as_deref())?;
    let (found, mut notes) = all.stages(settings)?;
    let mut json = report::value(&found);
    json["file"] = path.display().to_string().into();
    if args.json {
        json["checkpoints"] = all.json()?;
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
    Ok(StageReport { name, text: stages::text(&found) + &remarks(&notes), json })
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
    if args.time.is_some() {
        return Err(Failure::input(format!(
            "--time names a column of a log, but {}: {}",
            path.display(),
            log_file::tensorboard::no_events(path)
        )));
    }
    let plan = keep::plan(path, registry).map_err(|error| {
        let hint = log_file::tensorboard::no_events(path);
        // A user who has event files there does not look for runs of this program.
        match hint.contains("name one of") {
            true => Failure::input(format!("{}: {hint}", path.display())),
            false => error.into(),
        }
    })?;
    let mut results = keep::read(path, &plan, registry);
    let column = args.column.as_deref().unwrap_or("loss");
    if *settings != Settings::default() || column != "loss" {
        results.search_stages(column, settings);
    }
    for (label, reason) in results.failures() {
        if !args.json {
            print(&format!("{label}: {reason}\n"))?;
        }
    }
    if results.carried().next().is_none() {
        return Err(Failure::input(format!("{}: none of its runs can be read", path.display())));
    }
    let folder = path.display().to_string();
    if let ([_], Some((_, member, run))) = (plan.members.as_slice(), results.carried().next()) {
        let (text, json) = (one_text(run), one_json(member, run));
        return Ok(vec![StageReport { name: folder, text, json }]);
    }
    let all = cases(results.carried().map(|(_, member, run)| (member, run)));
    let found = all.iter().map(|case| StageReport {
        name: format!("{folder}{}", heading(case)),
        text: case_text(case),
        json: case_json(case, &folder),
    });
    Ok(found.collect())
}

/// The stages of a run, or why there are none.
fn one_text(run: &RunResult) -> String {
    match run.facts.stages() {
        Ok(found) => stages::text(found),
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

/// What a case is: `, system.rank = 2`.
fn heading(case: &Case<'_>) -> String {
    let (member, _) = case.runs[0];
    let arm = member.arm.iter().map(|arm| format!(", {arm}"));
    let varied = member.varied.iter().map(|(key, value)| {
        format!(", {key} = {}", render_value(value).split_whitespace().collect::<String>())
    });
    arm.chain(varied).collect()
}

/// Of a single run its own table; of several, what they share, and those that have none.
pub(crate) fn case_text(case: &Case<'_>) -> String {
    if let [(_, run)] = case.runs.as_slice() {
        return one_text(run);
    }
    let mut text = aligned_text(&case.aligned);
    for (member, run) in &case.runs {
        if let Err(why) = run.facts.stages() {
            text += &format!("{}: {why}\n", member.label);
        }
    }
    text
}

fn case_json(case: &Case<'_>, folder: &str) -> Value {
    let mut json = report::value(&case.aligned);
    json["folder"] = folder.into();
    json["case"] = heading(case).trim_start_matches(", ").into();
    json["each"] = case.runs.iter().map(|(member, run)| one_json(member, run)).collect();
    json
}
