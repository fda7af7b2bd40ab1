//! `fit`: a scaling law through the runs of a plan, or through a table of somebody else.

use saddlescope_lab::fits::{FitResult, sheet::Sheet};
use saddlescope_lab::plan::groups_without;
use saddlescope_spec::settings::fit::{Fit, LawChoice};

use crate::arguments::Choice;
use crate::common::*;

const LAWS: [Choice<LawChoice>; 4] = [
    (LawChoice::Power, "power", "y = C x^a"),
    (LawChoice::Offset, "offset", "y = y0 + C x^a"),
    (LawChoice::Log, "log", "y = C + b ln x"),
    (
        LawChoice::Auto,
        "auto",
        "Power or log, whichever is closer at values of x that were left out",
    ),
];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope fit runs/linear-attention/time-against-scale --x start.scale --y crossing.1
  saddlescope fit runs/linear-attention/fig4 --x start.scale --y crossing.* --range 0.01..0.2
  saddlescope fit runs/mine --x system.rank --y duration.2 --law log --only 'arm = flow'
  saddlescope fit theirs.csv --x width --y loss --seed run --group optimiser --law auto
  saddlescope fit theirs.csv --x width --y loss --json > fits.json

Every row is a point. Intervals (95 %) come from a bootstrap that draws rows of one seed together.
The exit code is 1 when nothing could be fitted.")]
pub(crate) struct FitArgs {
    /// The folder of a plan, or a file of comma-separated values with names in its first line
    #[arg(value_name = "FOLDER|CSV")]
    table: PathBuf,
    /// The column that y hangs on
    #[arg(long, value_name = "COLUMN")]
    x: String,
    /// Columns to fit, a law each; in the folder of a plan, * stands for one part of a name
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', required = true)]
    y: Vec<String>,
    /// The form of the law
    #[arg(long, value_parser = choice(LAWS), default_value = "power")]
    law: LawChoice,
    /// Columns that runs are kept apart by; of a plan, all that is varied besides x
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    group: Option<Vec<String>>,
    /// Which runs of a plan take part: 'arm = flow'
    #[arg(long, value_name = "KEY=VALUE")]
    only: Vec<String>,
    /// Which values of x take part: 0.01..1
    #[arg(long, value_name = "A..B")]
    range: Option<String>,
    /// The column of a file whose equal values stay together; `seed` where there is one
    #[arg(long, value_name = "COLUMN")]
    seed: Option<String>,
    /// How often seeds are drawn for the intervals
    #[arg(long, default_value_t = 2000, value_name = "N")]
    resamples: usize,
    /// Print everything as JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn fit(args: &FitArgs, registry: &Registry) -> Outcome {
    let path = &args.table;
    if !path.exists() {
        let words = format!("there is no folder and no file {}", path.display());
        return Err(Failure::input(words));
    }
    let (fitted, note) =
        if path.is_dir() { of_plan(args, path, registry)? } else { of_file(args, path)? };
    let failed = fitted.iter().all(|one| one.outcome.is_err());
    tell(args.json, || fits::json(&fitted), || format!("{}{note}", fits::text(&fitted)))?;
    Ok(if failed { Verdict::Failed } else { Verdict::Done })
}

fn spec(args: &FitArgs, group: Vec<String>) -> Result<Fit, Failure> {
    let (x, y, only) = (args.x.clone(), args.y.clone(), args.only.clone());
    let x_range = args.range.as_deref().map(range).transpose()?;
    let (law, group, resamples) = (args.law, Some(group), args.resamples);
    Ok(Fit { x, y, law, only, group, x_range, resamples, ..Fit::defaults() })
}

/// `0.01..1`, both ends included.
fn range(text: &str) -> Result<(f64, f64), Failure> {
    let ends = text.split_once("..").and_then(|(low, high)| {
        Some((low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?))
    });
    match ends {
        Some((low, high)) if low < high => Ok((low, high)),
        _ => Err(Failure::input(format!(
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
        let words = "--seed is for tables of other people: runs know their seeds";
        return Err(Failure::input(words));
    }
    let plan = keep::plan(folder, registry)?;
    let results = keep::read(folder, &plan, registry);
    let group = args.group.clone().unwrap_or_else(|| groups_without(&plan, &args.x));
    let known = groups_without(&plan, "");
    if let Some(key) = group.iter().find(|key| !known.contains(key)) {
        let known = if known.is_empty() { "the seed alone".to_owned() } else { known.join(", ") };
        return Err(Failure::input(format!("--group {key}: runs differ in {known}")));
    }
    let spec = spec(args, group)?;
    let mut all = Vec::new();
    for y in &args.y {
        all.extend(results.fit(|runs| runs.fit(&spec, y)).map_err(Failure::input)?);
    }
    if all.is_empty() {
        return Err(Failure::input(format!("no run fits --only {}", args.only.join(" --only "))));
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
        return Err(Failure::input(format!("--only is for folders of runs; {name} is a file")));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
    let wrong = |error| Failure::input(format!("{name}: {error}"));
    let sheet = Sheet::read(&text).map_err(wrong)?;
    let usual = sheet.has("seed").then_some("seed");
    let seed = args.seed.as_deref().or(usual);
    let spec = spec(args, args.group.clone().unwrap_or_default())?;
    let mut all = Vec::new();
    for y in &args.y {
        all.extend(sheet.fit(&spec, y, seed).map_err(wrong)?);
    }
    if all.is_empty() {
        let range = args.range.as_deref().unwrap_or("all numbers");
        return Err(Failure::input(format!("{name}: no row has `{}` within {range}", args.x)));
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
