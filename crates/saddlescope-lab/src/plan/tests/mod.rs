//! What plans accept, refuse, become and do.

mod execute;
mod extends;
mod fuzz;
mod members;
mod messages;
mod swept;
mod table;

use super::*;
use crate::experiment::tests::toy::TOYS;

const TOP: &str = "[system]\nname = \"toy-attention\"\n";

fn read(text: &str, changes: &Changes) -> Result<Plan, Error> {
    Plan::from_text("toy.toml", text, changes, &TOYS)
}

fn plan(text: &str) -> Plan {
    changed(text, &Changes::default())
}

fn changed(text: &str, changes: &Changes) -> Plan {
    read(text, changes).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Changes in the order --set, --vary, --seeds.
fn with(set: &[&str], vary: &[&str], seeds: Option<&str>) -> Changes {
    Changes {
        vary: vary.iter().map(ToString::to_string).collect(),
        seeds: seeds.map(str::to_owned),
        ..Changes::set(set)
    }
}

fn paper() -> Changes {
    Changes { size: Size::Paper, ..Changes::default() }
}

fn labels(plan: &Plan) -> Vec<&str> {
    plan.members.iter().map(|member| member.label.as_str()).collect()
}
