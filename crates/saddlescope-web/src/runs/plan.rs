//! A plan: its runs, the table of what they came to, and the laws fitted to it.

use std::fs;
use std::path::Path;

use saddlescope_lab::plan::{Changes, Plan};
use serde_json::{Value, json};

use super::glance::{Entry, RunCache, without};
use super::place::is_own_file;
use super::table;
use crate::answer::Refusal;
use crate::request::live;

/// Largest table and JSON file that is read, in bytes.
const LARGEST: u64 = 32 << 20;

/// The plan in `folder`, which is called `path`.
pub(super) fn plan(
    memory: &RunCache,
    folder: &Path,
    path: &str,
    entry: &Entry,
) -> Result<Value, Refusal> {
    let file = folder.join("plan.toml");
    let plan = Plan::read(&file, &Changes::default(), &memory.registry)
        .map_err(|error| Refusal::wrong(without(folder, &error.to_string())))?;
    let there = memory.members(folder);
    let members: Vec<Value> = plan
        .members
        .iter()
        .map(|member| {
            let found = there.iter().find(|(name, _)| *name == member.label);
            let below = format!("{path}/runs/{}", member.label);
            json!({
                "label": member.label, "arm": member.arm, "seed": member.seed,
                "run": found.map(|(_, entry)| entry.json(&below, Some(path))),
            })
        })
        .collect();
    let table = match text(&folder.join("table.csv")) {
        Some(text) => table::from_csv(&text),
        // Until all runs are over there is no other table.
        None => so_far(&there),
    };
    Ok(json!({
        "kind": "plan", "path": path, "entry": entry.json(path, None), "about": plan.about(),
        "claims": plan.claims, "members": members, "table": { "columns": table },
        "fits": read_json(&folder.join("fits.json")),
        "verdicts": read_json(&folder.join("claims.json")),
        "live": plan.members.first().and_then(|member| live(&member.experiment, &memory.registry)),
    }))
}

/// What is known of runs at a glance.
fn so_far(runs: &[(String, Entry)]) -> Vec<Value> {
    let column = |name: &str, kind: &str, value: &dyn Fn(&(String, Entry)) -> Value| json!({ "name": name, "type": kind, "values": runs.iter().map(value).collect::<Vec<_>>() });
    vec![
        column("run", "text", &|(name, _)| name.clone().into()),
        column("seed", "integer", &|(_, entry)| entry.seed.into()),
        column("state", "text", &|(_, entry)| entry.state.into()),
        column("seconds", "number", &|(_, entry)| entry.seconds.into()),
    ]
}

/// A text that is there and not too large.
pub(super) fn text(path: &Path) -> Option<String> {
    if !is_own_file(path) {
        return None;
    }
    let size = fs::metadata(path).ok()?.len();
    if size <= LARGEST { fs::read_to_string(path).ok() } else { None }
}

/// A JSON file; null where there is none.
pub(super) fn read_json(path: &Path) -> Value {
    text(path).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
