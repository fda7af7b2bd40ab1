//! `sweep` and `merge`: many members, one table.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::anyhow;
use saddlescope_lab::error::{Error, ErrorKind};
use saddlescope_lab::plan::Executor;
use saddlescope_lab::registry::Registry;
use saddlescope_lab::sweep::{Folder, MergedTable, Shard, Sweep, SweepResult, SweepTable};
use saddlescope_lab::table::Table;
use saddlescope_spec::settings::{Choice, render_value};
use serde_json::json;

use super::run::{changes, folder, read};
use crate::arguments::{MergeArgs, Place, SweepArgs};
use crate::progress::Progress;
use crate::{Failure, Verdict, interrupt, print};

/// The Python that runs members on Ray, unless this variable names another.
const PYTHON: (&str, &str) = ("SADDLESCOPE_PYTHON", "python3");

/// Failed members that are looked at for their reasons.
const LOOKED_AT: usize = 10_000;

pub(crate) fn sweep(args: &SweepArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let plan = read(&args.experiment, &changes(&args.changes).swept(), &args.text, registry)?;
    let sweep = Sweep::new(plan, registry).map_err(Failure::input)?;
    sweep.check().map_err(|why| Failure::input(anyhow!("{why}")))?;
    let shard: Option<Shard> =
        args.shard.as_deref().map(str::parse).transpose().map_err(Failure::input)?;
    if !args.json {
        print(&heading(&sweep))?;
    }
    if args.dry_run {
        print(&first_members(&sweep))?;
        return Ok(Verdict::Done);
    }
    let place = folder(&args.out, &sweep.plan)?;
    let place = Folder::claim(&place, &sweep, args.force).map_err(failure)?;
    let range = shard.map_or(0..sweep.len(), |shard| shard.members(sweep.len()));
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

pub(crate) fn merge(args: &MergeArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let sweep = Folder::sweep(&args.folders[0], registry).map_err(Failure::input)?;
    let mut folders = Vec::new();
    for path in &args.folders {
        folders.push(Folder::of_same(path, &sweep).map_err(Failure::input)?);
    }
    let others = folders.split_off(1);
    let merged = folders[0].merge(&sweep, &others, args.partial).map_err(failure)?;
    conclude(&sweep, &folders[0], &merged, (None, args.json))
}

/// What is wrong with a folder: a disk, or what it holds.
fn failure(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Disk => Failure::computation(error),
        _ => Failure::input(error),
    }
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
        Failure::input(anyhow!(
            "--on ray: cannot start {name}: {error}\n  help: members run on Ray through Python: pip install \
             'saddlescope[ray]'; {} names the Python to use",
            PYTHON.0
        ))
    })?;
    if status.success() || status.code() == Some(interrupt::EXIT_CODE.into()) {
        return Ok(status.success());
    }
    Err(Failure::computation(anyhow!(
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
    let (name, members) = (plan.name().unwrap_or(plan.system.name()), sweep.len());
    format!("{name}: {members} members ({design}): {}\n", parts.join(", "))
}

/// The first members, as a table.
fn first_members(sweep: &Sweep) -> String {
    const SHOWN: usize = 10;
    let keys: Vec<&str> = sweep.plan.vary.iter().map(|varied| varied.key.as_str()).collect();
    let heads = [&["member", "arm"], &keys[..], &["seed"]].concat();
    let mut table = Table::new(&heads);
    for index in 0..sweep.len().min(SHOWN) {
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

fn shard_over(
    args: &SweepArgs,
    (shard, done): (Shard, &SweepResult),
    place: &Folder,
) -> Result<Verdict, Failure> {
    let folder = place.path().display();
    if args.json {
        print(&format!(
            "{:#}\n",
            json!({ "folder": folder.to_string(), "ran": done.ran, "before": done.before, "failed": done.failed })
        ))?;
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
) -> Result<Verdict, Failure> {
    let table = SweepTable::open(&merged.table).map_err(Failure::computation)?;
    let (failed, named) = table.failures(LOOKED_AT).map_err(Failure::computation)?;
    let drawn = place.draw(sweep, &table).map_err(Failure::computation)?;
    if json {
        let failures: Vec<_> =
            named.iter().map(|(member, why)| json!({ "member": member, "reason": why })).collect();
        print(&format!(
            "{:#}\n",
            json!({
                "table": merged.table.display().to_string(),
                "rows": merged.rows,
                "members": merged.members,
                "failed": failed,
                "failures": failures,
                "columns": table.names(),
                "simd": merged.simd,
                "fits": saddlescope_lab::fits::json(&drawn.fits),
                "figure": drawn.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
            })
        ))?;
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
            text += &format!("\n{}\n", saddlescope_lab::fits::text(&drawn.fits));
        }
        text += &format!(
            "{}: {} rows, {} columns\n",
            merged.table.display(),
            merged.rows,
            table.names().len()
        );
        text +=
            &drawn.files.first().map_or_else(String::new, |file| format!("{}\n", file.display()));
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
