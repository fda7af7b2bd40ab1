//! A plan: its runs, the table of what they came to, and the laws fitted to it.

use super::glance::{Entry, RunCache, refused};
use super::place::is_own_file;
use super::table;
use crate::prelude::*;
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
    let plan = Plan::read(&folder.join("plan.toml"), &Changes::default(), &memory.registry);
    let plan = plan.map_err(refused(folder))?;
    let there = memory.members(folder);
    let member = |member: &Member| {
        let found = there.iter().find(|(name, _)| *name == member.label);
        let below = format!("{path}/runs/{}", member.label);
        json!({
            "label": member.label, "arm": member.arm, "seed": member.seed,
            "run": found.map(|(_, entry)| json!(entry.listed(&below, Some(path)))),
        })
    };
    let members: Vec<Value> = plan.members.iter().map(member).collect();
    let table = match text(&folder.join("table.csv")) {
        Some(text) => table::from_csv(&text),
        // Until all runs are over there is no other table.
        None => so_far(&there),
    };
    Ok(json!({
        "kind": "plan", "path": path, "entry": entry.listed(path, None), "about": plan.about(),
        "claims": plan.claims, "members": members,
        "table": { "columns": table.iter().map(table::whole).collect::<Vec<_>>() },
        "fits": read_json(&folder.join("fits.json")),
        "verdicts": read_json(&folder.join("claims.json")),
        "live": plan.members.first().and_then(|member| live(&member.experiment, &memory.registry)),
    }))
}

/// What is known of runs at a glance.
fn so_far(runs: &[(String, Entry)]) -> Vec<Column> {
    vec![
        Column::texts("run", runs.iter().map(|(name, _)| Some(name.clone()))),
        Column::integers("seed", runs.iter().map(|(_, run)| run.seed?.try_into().ok())),
        Column::texts("state", runs.iter().map(|(_, run)| Some(run.state.to_owned()))),
        Column::numbers("seconds", runs.iter().map(|(_, run)| run.seconds)),
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
