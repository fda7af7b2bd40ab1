//! `sweep` and `merge`: many members, one table.

use std::collections::BTreeMap;
use std::process::Command;

use clap::ValueEnum;
use saddlescope_lab::plan::Executor;
use saddlescope_lab::sweep::{Folder, MergedTable, Shard, Sweep, SweepResult, SweepTable};
use saddlescope_spec::settings::{Choice, render_value};

use super::plan::{changes, folder, read};
use crate::common::*;
use crate::progress::Progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope sweep sweep.toml                       all members, on all cores; again: goes on, or says it is done
  saddlescope sweep linear-attention/fig1 --vary start.scale=1e-4..1:log40 --seeds 8
  saddlescope sweep sweep.toml --set sweep.design=latin-hypercube --set sweep.members=1000 \\
      --vary start.scale=1e-4..1:log --vary system.context=4..64
  saddlescope sweep sweep.toml --shard 3/16          one job of an array; then `saddlescope merge sweeps/...`
  saddlescope sweep sweep.toml --on ray --address auto")]
pub(crate) struct SweepArgs {
    /// A TOML file, a shipped experiment by name, or a system by name: its defaults
    experiment: String,
    #[command(flatten)]
    changes: ChangeArgs,
    /// Where the table and figures are kept, in <system>/<name>
    #[arg(long, value_name = "FOLDER", default_value = "sweeps")]
    out: PathBuf,
    /// Run one of several equal parts, for arrays of jobs; `saddlescope merge` makes the table
    #[arg(long, value_name = "I/N", conflicts_with_all = ["on", "force"])]
    shard: Option<String>,
    /// Where members run
    #[arg(long, value_enum, default_value = "here")]
    on: Place,
    /// Address of a Ray cluster that is there; without it, one is started on this machine
    #[arg(long, value_name = "ADDRESS")]
    address: Option<String>,
    /// How many members run at once; all cores without it
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Replace a sweep that is there
    #[arg(long)]
    force: bool,
    /// Say what would run, and stop
    #[arg(long)]
    dry_run: bool,
    /// Print what became of it as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    text: TextArgs,
}

/// Where the members of a sweep run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Place {
    /// On the cores of this machine
    Here,
    /// On a Ray cluster (needs Python 3 with the packages saddlescope and ray)
    Ray,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope merge sweeps/linear-attention/mine     after all shards wrote into one folder
  saddlescope merge node1/mine node2/mine            after each machine had its own")]
pub(crate) struct MergeArgs {
    /// Folders of the same sweep; the table goes into the first
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Make a table of what is there (partial.parquet), though members are missing
    #[arg(long)]
    partial: bool,
    /// Print what became of it as JSON
    #[arg(long)]
    json: bool,
}

/// The Python that runs members on Ray, unless this variable names another.
const PYTHON: (&str, &str) = ("SADDLESCOPE_PYTHON", "python3");

/// Failed members that are looked at for their reasons.
const LOOKED_AT: usize = 10_000;

pub(crate) fn sweep(args: &SweepArgs, registry: &Registry) -> Outcome {
    let plan = read(&args.experiment, &changes(&args.changes).swept(), &args.text, registry)?;
    let sweep = Sweep::new(plan, registry)?;
    sweep.check().map_err(Failure::input)?;
    let shard: Option<Shard> = args.shard.as_deref().map(str::parse).transpose()?;
    if !args.json {
        print(&heading(&sweep))?;
    }
    if args.dry_run {
        print(&first_members(&sweep))?;
        return Ok(Verdict::Done);
    }
    let place = folder(&args.out, &sweep.plan)?;
    let place = Folder::claim(&place, &sweep, args.force).map_err(Failure::by_kind)?;
    let range = shard.map_or(0..sweep.plan.len(), |shard| shard.members(sweep.plan.len()));
    if args.on == Place::Ray && !on_ray(args, &place)? {
        return Ok(Verdict::Interrupted);
    }
    let done = carry_out(args, &sweep, &place, range)?;
    if done.stopped {
        print(&format!(
            "interrupted; {} keeps what is done: the same command goes on\n",
            place.path().display()
        ))?;
        return Ok(Verdict::Interrupted);
    }
    if let (Some(shard), false) = (shard, place.table().exists()) {
        return shard_over(args, (shard, &done), &place);
    }
    let merged = place.merge(&sweep, &[], false).map_err(Failure::computation)?;
    // Of members that ran on Ray, Python has told.
    let done = Some(&done).filter(|_| args.on == Place::Here);
    conclude(&sweep, &place, &merged, (done, args.json))
}

pub(crate) fn merge(args: &MergeArgs, registry: &Registry) -> Outcome {
    let sweep = Folder::sweep(&args.folders[0], registry)?;
    let folders = args.folders.iter().map(|path| Folder::of_same(path, &sweep));
    let mut folders = folders.collect::<Result<Vec<_>, _>>()?;
    let others = folders.split_off(1);
    let merged = folders[0].merge(&sweep, &others, args.partial).map_err(Failure::by_kind)?;
    conclude(&sweep, &folders[0], &merged, (None, args.json))
}

/// Runs what is missing on this machine.
fn carry_out(
    args: &SweepArgs,
    sweep: &Sweep,
    place: &Folder,
    range: std::ops::Range<usize>,
) -> Result<SweepResult, Failure> {
    let progress = Progress::new(sweep.plan.name().unwrap_or("sweep"));
    let (stop, tell) = (interrupt::flag(), |at: &_| progress.show(at));
    let mut executor = Executor { stop, progress: &tell, ..Executor::default() };
    executor.workers = args.workers.unwrap_or(executor.workers);
    let done = sweep.run(place, range, &executor);
    progress.finish();
    done.map_err(Failure::computation)
}

/// Hands the sweep over to Python, which knows Ray; what it leaves undone is run here. Whether nobody interrupted it.
fn on_ray(args: &SweepArgs, place: &Folder) -> Result<bool, Failure> {
    let python = std::env::var_os(PYTHON.0).unwrap_or_else(|| PYTHON.1.into());
    let mut command = Command::new(&python);
    command.args(["-m", "saddlescope.on_ray"]).arg(place.path());
    if let Some(address) = &args.address {
        command.args(["--address", address]);
    }
    if let Some(workers) = args.workers {
        command.args(["--workers", &workers.to_string()]);
    }
    let name = python.to_string_lossy();
    let status = command.status().map_err(|error| {
        Failure::input(format!(
            "--on ray: cannot start {name}: {error}\n  help: members run on Ray through Python: pip install \
             'saddlescope[ray]'; {} names the Python to use",
            PYTHON.0
        ))
    })?;
    if status.success() || status.code() == Some(interrupt::EXIT_CODE.into()) {
        return Ok(status.success());
    }
    Err(Failure::computation(format!(
        "--on ray: {name} -m saddlescope.on_ray ended with {status}; what is done is kept in {}: the same command goes \
         on",
        place.path().display()
    )))
}

/// What will run: `4000 members: start.scale (40 values), 100 seeds`.
fn heading(sweep: &Sweep) -> String {
    let plan = &sweep.plan;
    let mut parts = Vec::new();
    if plan.arms.len() > 1 {
        parts.push(format!("{} arms", plan.arms.len()));
    }
    for varied in &plan.vary {
        parts.push(match (varied.law, varied.values.len()) {
            (Some(law), _) => format!("{} in {law}", varied.key),
            (None, 1) => varied.key.clone(),
            (None, count) => format!("{} ({count} values)", varied.key),
        });
    }
    if plan.seeds.len() > 1 {
        parts.push(format!("{} seeds", plan.seeds.len()));
    }
    let design = plan.sweep.as_ref().map_or("grid", |sweep| sweep.design.word());
    let (name, members) = (plan.name().unwrap_or(plan.system.name()), sweep.plan.len());
    format!("{name}: {members} members ({design}): {}\n", parts.join(", "))
}

fn first_members(sweep: &Sweep) -> String {
    const SHOWN: usize = 10;
    let keys: Vec<&str> = sweep.plan.vary.iter().map(|varied| varied.key.as_str()).collect();
    let heads = [&["member", "arm"], &keys[..], &["seed"]].concat();
    let mut table = Table::new(&heads);
    for index in 0..sweep.plan.len().min(SHOWN) {
        let Ok(member) = sweep.plan.member(index) else { continue };
        let value = |key: &&str| {
            let found = member.varied.iter().find(|(name, _)| name == key);
            let words = found.map(|(_, value)| render_value(value));
            words.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut cells = vec![index.to_string(), member.arm.clone().unwrap_or_default()];
        cells.extend(keys.iter().map(value));
        cells.push(member.seed.to_string());
        table.row(cells);
    }
    table.to_string()
}

fn shard_over(args: &SweepArgs, (shard, done): (Shard, &SweepResult), place: &Folder) -> Outcome {
    let folder = place.path().display();
    if args.json {
        print_json(&json!({
            "folder": folder.to_string(), "ran": done.ran, "before": done.before, "failed": done.failed
        }))?;
    } else {
        print(&format!(
            "shard {} of {}: {} members ran, {} had run before, {} failed\n{}once all shards are done: saddlescope merge {folder}\n",
            shard.number,
            shard.of,
            done.ran,
            done.before,
            done.failed,
            reasons(done.failed, done.reasons.iter()),
        ))?;
    }
    Ok(if done.failed > 0 { Verdict::Failed } else { Verdict::Done })
}

/// Says what became of everything, and draws it.
fn conclude(
    sweep: &Sweep,
    place: &Folder,
    merged: &MergedTable,
    (done, json): (Option<&SweepResult>, bool),
) -> Outcome {
    let table = SweepTable::open(&merged.table).map_err(Failure::computation)?;
    let (failed, named) = table.failures(LOOKED_AT).map_err(Failure::computation)?;
    let drawn = place.draw(sweep, &table).map_err(Failure::computation)?;
    if json {
        let failures: Vec<_> =
            named.iter().map(|(member, why)| json!({ "member": member, "reason": why })).collect();
        print_json(&json!({
            "table": merged.table.display().to_string(),
            "rows": merged.rows,
            "members": merged.members,
            "failed": failed,
            "failures": failures,
            "columns": table.names(),
            "simd": merged.simd,
            "fits": fits::json(&drawn.fits),
            "figure": drawn.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
        }))?;
    } else {
        let mut text = String::new();
        if let Some(done) = done {
            text += &match (done.ran, done.before) {
                (0, _) => "all members had run before; --force runs them again\n".to_owned(),
                (ran, 0) => format!("{ran} members ran\n"),
                (ran, before) => format!("{ran} members ran, {before} had run before\n"),
            };
        }
        text += &reasons(failed, named.iter().map(|(member, why)| (member, why)));
        if merged.simd.len() > 1 {
            text += &format!(
                "the members ran at different SIMD levels ({}): equal to rounding, not to the bit\n",
                merged.simd.join(", ")
            );
        }
        if !drawn.fits.is_empty() {
            text += &format!("\n{}\n", fits::text(&drawn.fits));
        }
        text += &format!(
            "{}: {} rows, {} columns\n",
            merged.table.display(),
            merged.rows,
            table.names().len()
        );
        text.extend(drawn.files.first().map(|file| format!("{}\n", file.display())));
        if let Some(why) = &drawn.undrawn {
            text += &format!("not drawn: {why}\n");
        }
        print(&text)?;
    }
    Ok(if failed > 0 { Verdict::Failed } else { Verdict::Done })
}

/// Why members failed: each reason once, whatever its numbers, with how many and which.
fn reasons<'a>(failed: usize, named: impl Iterator<Item = (&'a usize, &'a String)>) -> String {
    const SHOWN: usize = 5;
    let wordless = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let mut by_words: BTreeMap<String, (&str, Vec<usize>)> = BTreeMap::new();
    for (member, reason) in named {
        let words: Vec<&str> = reason.split_whitespace().filter(|word| !wordless(word)).collect();
        by_words.entry(words.join(" ")).or_insert((reason, Vec::new())).1.push(*member);
    }
    if failed == 0 {
        return String::new();
    }
    let mut all: Vec<_> = by_words.into_values().collect();
    all.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    let mut text = format!("{failed} members failed; the column `reason` says why:\n");
    for (reason, members) in all.iter().take(SHOWN) {
        let some: Vec<_> = members.iter().take(SHOWN).map(ToString::to_string).collect();
        let more = if members.len() > SHOWN { ", ..." } else { "" };
        let such = if members.len() > 1 { "such as: " } else { "" };
        let (count, some) = (members.len(), some.join(", "));
        text += &format!("  {count} of them ({some}{more}), {such}{reason}\n");
    }
    if all.len() > SHOWN {
        text += &format!("  and {} more reasons\n", all.len() - SHOWN);
    }
    text
}
