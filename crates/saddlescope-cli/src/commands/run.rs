//! `run`: an experiment, its summary, its runs and its figure.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use saddlescope_lab::campaign::{self, Campaign, Results};
use saddlescope_lab::error::{Error, ErrorKind};
use saddlescope_lab::frame::Frame;
use saddlescope_lab::guard::GuardedRun;
use saddlescope_lab::plan::{self, Changes, Execution, Plan};
use saddlescope_lab::registry::Registry;
use saddlescope_lab::store::Origin;
use saddlescope_lab::{fits, guard, keep, report};
use terminal_size::{Width, terminal_size_of};

use super::output::Output;
use super::text;
use crate::arguments::{ChangeArgs, RunArgs, Size, TextArgs};
use crate::progress::Progress;
use crate::{Failure, Verdict, interrupt, print};

pub(crate) fn run(args: &RunArgs, registry: &Registry) -> Result<Verdict, Failure> {
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
        keep::claim(folder, &plan, args.force, registry).map_err(Failure::input)?;
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
        print(&json(&results, guarded.as_deref()))?;
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

pub(crate) fn changes(args: &ChangeArgs) -> Changes {
    Changes {
        size: size(args.size),
        set: args.overrides.clone(),
        vary: args.vary.clone(),
        seeds: args.seeds.clone(),
        ..Changes::default()
    }
}

pub(crate) fn size(size: Size) -> plan::Size {
    match size {
        Size::Quick => plan::Size::Quick,
        Size::Paper => plan::Size::Paper,
    }
}

/// Runs the plan, with a bar, until it is done or Ctrl-C is pressed.
pub(crate) fn carry_out<'p>(
    plan: &'p Plan,
    folder: Option<&Path>,
    force: bool,
    registry: &Registry,
) -> Results<'p> {
    let progress = Progress::new(plan.name().unwrap_or("run"));
    let (stop, tell) = (interrupt::flag(), |at: &_| progress.show(at));
    let campaign = Campaign { registry, folder, force, stop, progress: &tell };
    let results = campaign.run(plan);
    progress.finish();
    results
}

/// Where the runs of a plan are kept: `FOLDER/<system>/<name>`, and `<name>-paper` in that size.
pub(crate) fn folder(out: &Path, plan: &Plan) -> Result<PathBuf, Failure> {
    let stem = Path::new(plan.source.name()).file_stem().map(|stem| stem.to_string_lossy());
    let name = plan.name().map(str::to_owned).or(stem.map(Into::into)).unwrap_or_default();
    // A name with a slash would leave the folder.
    let name = name.replace(['/', '\\'], "-");
    if name.trim_matches('.').trim().is_empty() {
        return Err(Failure::input(anyhow!(
            "`name` is \"{name}\", but runs are kept in a folder of that name: expected a word"
        )));
    }
    let size = match plan.size {
        plan::Size::Quick => "",
        plan::Size::Paper => "-paper",
    };
    Ok(out.join(plan.group()).join(name + size))
}

/// The error where nothing ran at all.
pub(crate) fn failure(results: &Results<'_>) -> Option<Failure> {
    let error = match results.members.first()? {
        Execution::Failed(error) if results.carried().next().is_none() => error,
        _ => return None,
    };
    let text = anyhow!("{error}");
    Some(match error.kind() {
        ErrorKind::Disk | ErrorKind::Folder => Failure::Computation(text),
        _ => Failure::Input(text),
    })
}

pub(crate) fn verdict(results: &Results<'_>) -> Result<Verdict, Failure> {
    if results.interrupted() {
        return Ok(Verdict::Interrupted);
    }
    match (results.members.as_slice(), results.failures().as_slice()) {
        (_, []) => Ok(Verdict::Done),
        ([_], [(_, reason)]) => Err(Failure::computation(anyhow!("{reason}"))),
        (all, failures) => {
            let reasons = failures.iter().map(|(label, reason)| format!("\n  {label}: {reason}"));
            let count = format!("{} of {} runs failed:", failures.len(), all.len());
            Err(Failure::computation(anyhow!("{count}{}", reasons.collect::<String>())))
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
    format!("{name}{about}\nsystem {}, {runs}\n\n", plan.system.name())
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
            Ok(stages) => format!("stages found in the loss:\n{}\n", stages.text()),
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
    if let [case] = super::stages::cases(results).as_slice()
        && plan.seeds.len() > 1
    {
        text += &format!("\nstages found in the loss, over seeds:\n{}\n", case.text());
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

fn json(results: &Results<'_>, guarded: Option<&[GuardedRun]>) -> String {
    let mut runs: Vec<_> =
        results.carried().map(|(_, member, run)| report::json(member, run)).collect();
    let mut value = match (runs.len(), results.members.len()) {
        (1, 1) => runs.remove(0),
        _ => serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "hash": results.hash.to_string(),
            "plan": results.plan.to_toml(),
            "table": results.table.to_json(),
            "fits": fits::json(&results.fits),
            "failures": results.failures().iter()
                .map(|(label, reason)| serde_json::json!({ "run": label, "reason": reason }))
                .collect::<Vec<_>>(),
            "runs": runs,
        }),
    };
    if let Some(guarded) = guarded {
        value["guard"] = report::value(&guarded);
    }
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}

/// One file with the numbers: the trajectory of a single run, or the table of several.
fn write_file(file: &Output, results: &Results<'_>, say: bool) -> Result<(), Failure> {
    let mut carried = results.carried();
    let only = carried.next().filter(|_| results.members.len() == 1);
    let text = match (only, file.is_json()) {
        (_, true) => json(results, None),
        (Some((_, _, run)), false) => Frame::of_trajectory(&run.trajectory).to_csv(),
        (None, false) => results.table.to_csv(),
    };
    if let Some((_, _, run)) = only
        && let Some(error) = &run.facts.end.error
    {
        let path = file.write_failed(&text)?;
        return Err(Failure::computation(anyhow!(
            "{error}\nthe run failed; what it had recorded is in {}",
            path.display()
        )));
    }
    file.write(&text)?;
    if say { print(&format!("written to {}\n", file.path().display())) } else { Ok(()) }
}

/// Reads a shipped experiment or a system by its name, or a file, to run on the text of `text` where it names one.
pub(crate) fn read(
    name: &str,
    changes: &Changes,
    text: &TextArgs,
    registry: &Registry,
) -> Result<Plan, Failure> {
    let plan = Plan::named(name, &on_text(changes, text)?, registry).map_err(unread)?;
    check_text(text, &plan, registry)?;
    Ok(plan)
}

/// The changes with the files of `text` for systems that read text.
pub(crate) fn on_text(changes: &Changes, text: &TextArgs) -> Result<Changes, Failure> {
    Ok(Changes { where_declared: text::settings(text)?, ..changes.clone() })
}

/// Refuses a text that the plan's system does not read.
fn check_text(text: &TextArgs, plan: &Plan, registry: &Registry) -> Result<(), Failure> {
    match text.train.is_some() && !text::is_read_by(plan.system) {
        true => Err(text::unread(plan.system.name(), registry)),
        false => Ok(()),
    }
}

fn unread(error: Error) -> Failure {
    Failure::Input(match error.kind() {
        ErrorKind::Unknown => anyhow!(
            "{error}\n  help: `saddlescope list` shows the systems and experiments that ship with the program"
        ),
        _ => error.into(),
    })
}
