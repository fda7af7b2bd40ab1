//! `run`: an experiment, its summary, its runs and its figure.

use saddlescope_lab::campaign;
use saddlescope_lab::frame::Frame;
use saddlescope_lab::guard::{self, GuardedRun};
use saddlescope_lab::plan::Execution;
use saddlescope_lab::stages::{self, cases};
use saddlescope_lab::store::Origin;
use terminal_size::{Width, terminal_size_of};

use super::output::Output;
use super::plan::{carry_out, changes, folder, read};
use super::stages::case_text;
use crate::common::*;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope run linear-attention/fig1                          as it ships
  saddlescope run linear-attention --set start.scale=0.01        the system's defaults, but for one
  saddlescope run linear-attention/fig1 --seeds 6 --out runs     keep the numbers and the figure
  saddlescope run linear-attention/fig1 --size paper             as large as the paper has it
  saddlescope run mine.toml --set system.rank=2 --set start.scale=0.01
  saddlescope run mine.toml --vary start.scale=0.01..1:log8 --vary system.rank=1,2,4
  saddlescope run mine.toml --json > result.json
  saddlescope run mine.toml --out result.csv                     one file instead of a folder
  saddlescope run scan-and-snap/fig7 --train wiki.train.txt --valid wiki.valid.txt

With --out FOLDER, a run that was interrupted goes on where it was when the same command is given
again, and one that is finished is not run again. With several [[dynamics]], --set
dynamics.0.rate=0.1 addresses the first of them.")]
pub(crate) struct RunArgs {
    /// A TOML file, a shipped experiment by name, or a system by name: its defaults
    experiment: String,
    #[command(flatten)]
    changes: ChangeArgs,
    /// Keep runs, table and figure in this folder; or write the numbers to one file: .csv or .json
    #[arg(long, value_name = "FOLDER|FILE")]
    out: Option<PathBuf>,
    /// Replace runs or a file that exist
    #[arg(long, requires = "out")]
    force: bool,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Run again with other last bits and tolerances: which jumps were seeded by rounding?
    #[arg(long)]
    guard: bool,
    /// How many rows of the trajectory to print; 0 for all
    #[arg(long, default_value_t = 16, value_name = "N")]
    rows: usize,
    #[command(flatten)]
    text: TextArgs,
}

pub(crate) fn run(args: &RunArgs, registry: &Registry) -> Outcome {
    let plan = read(&args.experiment, &changes(&args.changes), &args.text, registry)?;
    campaign::check(&plan).map_err(Failure::input)?;
    let file = match &args.out {
        Some(path) if Output::is_file(path)? => Some(Output::new(path, args.force)?),
        _ => None,
    };
    let folder = match (&args.out, &file) {
        (Some(out), None) => Some(folder(out, &plan)?),
        _ => None,
    };
    if let Some(folder) = &folder {
        keep::claim(folder, &plan, args.force, registry)?;
    }
    if !args.json {
        print(&heading(&plan))?;
    }
    let results = carry_out(&plan, folder.as_deref(), args.force, registry);
    if let Some(error) = failure(&results) {
        return Err(error);
    }
    let guarded = (args.guard && !results.interrupted()).then(|| guard::guard(&results));
    if args.json {
        print_json(&numbers(&results, guarded.as_deref()))?;
    } else {
        print(&words(&results, args.rows))?;
        print(&guarded.as_deref().map_or_else(String::new, guard::text))?;
    }
    if let Some(file) = file {
        write_file(&file, &results, !args.json)?;
    }
    let kept = match &folder {
        Some(folder) if !results.interrupted() => keep::write(folder, &results).map(|_| ()),
        _ => Ok(()),
    };
    if !args.json {
        print(&saved_where(args, folder.as_deref(), &results))?;
    }
    // That a run failed says more than that its figure did.
    let verdict = verdict(&results)?;
    kept.map_err(Failure::computation)?;
    Ok(verdict)
}

/// The error where nothing ran at all.
fn failure(results: &Results<'_>) -> Option<Failure> {
    let error = match results.members.first()? {
        Execution::Failed(error) if results.carried().next().is_none() => error,
        _ => return None,
    };
    Some(match error.kind() {
        ErrorKind::Disk | ErrorKind::Folder => Failure::computation(error),
        _ => Failure::input(error),
    })
}

fn verdict(results: &Results<'_>) -> Outcome {
    if results.interrupted() {
        return Ok(Verdict::Interrupted);
    }
    match (results.members.as_slice(), results.failures().as_slice()) {
        (_, []) => Ok(Verdict::Done),
        ([_], [(_, reason)]) => Err(Failure::computation(reason)),
        (all, failures) => {
            let reasons = failures.iter().map(|(label, reason)| format!("\n  {label}: {reason}"));
            let count = format!("{} of {} runs failed:", failures.len(), all.len());
            Err(Failure::computation(count + &reasons.collect::<String>()))
        }
    }
}

fn heading(plan: &Plan) -> String {
    let name = plan.name().unwrap_or(plan.source.name());
    let about = plan.about().map_or_else(String::new, |about| format!(": {about}"));
    let runs = match plan.members.len() {
        1 => format!("seed {}", plan.seeds[0]),
        count => format!("{count} runs ({})", members_in_words(plan)),
    };
    let differs = plan.departure().map(|how| format!("not as in the paper: {how}\n"));
    format!(
        "{name}{about}\nsystem {}, {runs}\n{}\n",
        plan.system.name(),
        differs.unwrap_or_default()
    )
}

/// `5 arms, 4 values of system.rank, seeds 1 to 6`.
fn members_in_words(plan: &Plan) -> String {
    let mut parts = Vec::new();
    if plan.arms.len() > 1 {
        parts.push(format!("{} arms", plan.arms.len()));
    }
    for varied in &plan.vary {
        parts.push(format!("{} values of {}", varied.values.len(), varied.key));
    }
    match plan.seeds.as_slice() {
        [one] => parts.push(format!("seed {one}")),
        [first, .., last] => parts.push(format!("seeds {first} to {last}")),
        [] => {}
    }
    parts.join(", ")
}

/// Width of the terminal; without one, lines are as long as they get.
fn width() -> usize {
    terminal_size_of(std::io::stdout()).map_or(usize::MAX, |(Width(width), _)| width.into())
}

/// Tables for people: the trajectory and stages of a single run, or the table of runs.
fn words(results: &Results<'_>, rows: usize) -> String {
    let plan = results.plan;
    let mut carried = results.carried();
    if let (Some((_, member, run)), 1) = (carried.next(), plan.members.len()) {
        let trajectory = &run.trajectory;
        let (table, hidden) = report::trajectory_table(trajectory, rows).fitted(width());
        let summary = report::summary(&member.experiment, run);
        let shown = shown(rows, trajectory.rows(), hidden);
        let stages = match run.facts.stages() {
            Ok(stages) => format!("stages found in the loss:\n{}\n", stages::text(stages)),
            Err(_) => String::new(),
        };
        return format!("{} parameters\n\n{table}{shown}\n{stages}{summary}", run.facts.parameters);
    }
    let (table, hidden) = results.table.to_table().fitted(width());
    let mut text = format!("{table}");
    if hidden > 0 {
        text += &format!("({hidden} more columns; a wider terminal shows them)\n");
    }
    let mut theories = results.carried().map(|(_, _, run)| &run.facts.theory.plateaus);
    if let Some(first) = theories.next()
        && theories.all(|other| other == first)
    {
        text += &format!("\n{}", report::plateaus(first));
    }
    // Several settings have stages of their own: `saddlescope stages` shows them one by one.
    let cases = cases(results.carried().map(|(_, member, run)| (member, run)));
    if let ([case], true) = (cases.as_slice(), plan.seeds.len() > 1) {
        text += &format!("\nstages found in the loss, over seeds:\n{}\n", case_text(case));
    }
    if !results.fits.is_empty() {
        text += &format!("\n{}\n", fits::text(&results.fits));
    }
    text
}

/// What of a trajectory the table above does not show.
fn shown(rows: usize, all: usize, hidden: usize) -> String {
    let mut notes = Vec::new();
    if rows != 0 && rows < all {
        notes.push(format!("{rows} of {all} rows (--rows 0 shows all)"));
    }
    if hidden > 0 {
        notes.push(format!("all but {hidden} columns (a wider terminal shows more)"));
    }
    if notes.is_empty() { String::new() } else { format!("({})\n", notes.join(", ")) }
}

/// Where everything is, and what was done before.
fn saved_where(args: &RunArgs, folder: Option<&Path>, results: &Results<'_>) -> String {
    let Some(folder) = folder else {
        return match &args.out {
            None if results.interrupted() => {
                "interrupted, and nothing was kept; with --out FOLDER it could go on later\n"
                    .to_owned()
            }
            None => "nothing was kept; --out FOLDER keeps runs and figure\n".to_owned(),
            Some(_) => String::new(),
        };
    };
    let place = folder.display();
    if results.interrupted() {
        return format!("interrupted; {place} keeps what is done: the same command goes on\n");
    }
    let found = |origin: fn(&Origin) -> bool| {
        results.carried().filter(|(_, _, run)| run.origin.as_ref().is_some_and(origin)).count()
    };
    let (before, resumed) = (
        found(|origin| matches!(origin, Origin::Found)),
        found(|origin| matches!(origin, Origin::Resumed { .. })),
    );
    let mut text = match (before, resumed, results.members.len()) {
        (0, 0, _) => String::new(),
        (1, _, 1) => "this run was done before; --force runs it again\n".to_owned(),
        (_, 1, 1) => "went on where it was interrupted\n".to_owned(),
        (before, resumed, all) => {
            let new = all - before - resumed;
            format!("of {all} runs, {before} were done before, {resumed} went on, {new} are new\n")
        }
    };
    text += &format!(
        "kept in {place}: figure.svg, figure.png, figure.pdf and the runs (hash {})\n",
        results.hash.short()
    );
    text
}

fn numbers(results: &Results<'_>, guarded: Option<&[GuardedRun]>) -> Value {
    let mut runs: Vec<_> =
        results.carried().map(|(_, member, run)| report::json(member, run)).collect();
    let failure = |(label, reason): &(_, _)| json!({ "run": label, "reason": reason });
    let mut value = match (runs.len(), results.members.len()) {
        (1, 1) => runs.remove(0),
        _ => json!({
            "version": env!("CARGO_PKG_VERSION"),
            "hash": results.hash.to_string(),
            "plan": results.plan.to_toml(),
            "table": results.table.to_json(),
            "fits": fits::json(&results.fits),
            "failures": results.failures().iter().map(failure).collect::<Vec<_>>(),
            "runs": runs,
        }),
    };
    if let Some(guarded) = guarded {
        value["guard"] = report::value(&guarded);
    }
    value
}

/// One file with the numbers: the trajectory of a single run, or the table of several.
fn write_file(file: &Output, results: &Results<'_>, say: bool) -> Result<(), Failure> {
    let mut carried = results.carried();
    let only = carried.next().filter(|_| results.members.len() == 1);
    let text = match (only, file.is_json()) {
        (_, true) => format!("{:#}\n", numbers(results, None)),
        (Some((_, _, run)), false) => Frame::of_trajectory(&run.trajectory).to_csv(),
        (None, false) => results.table.to_csv(),
    };
    if let Some((_, _, run)) = only
        && let Some(error) = &run.facts.end.error
    {
        let path = file.write_failed(&text)?;
        return Err(Failure::computation(format!(
            "{error}\nthe run failed; what it had recorded is in {}",
            path.display()
        )));
    }
    file.write(&text)?;
    if say { print(&format!("written to {}\n", file.path().display())) } else { Ok(()) }
}
