//! A plan as a file that reads back to an equal plan.

use std::fmt::Write;

use saddlescope::settings::{Given, Input, Key, Settings, quote, render_key, render_value};

use super::Plan;
use super::cases::Case;
use super::draft::Draft;
use crate::experiment::reader::SECTIONS;

impl Plan {
    /// The plan as a file: size, `--set` and defaults are filled in. It reads back to an equal plan.
    ///
    /// Sections that arms change are written in each arm as a whole. Where a choice is varied
    /// (`dynamics.kind`), the section is written as it was given, because its defaults depend on it.
    pub fn to_toml(&self) -> String {
        let mut text = self.header.to_toml();
        let claims: Vec<_> = self.claims.iter().map(|claim| quote(claim)).collect();
        let _ = writeln!(text, "seeds = {}", self.seeds.len());
        let _ = writeln!(text, "headline = {}", self.headline);
        let _ = writeln!(text, "claims = [{}]", claims.join(", "));
        text += &self.body;
        if !self.vary.is_empty() {
            text += "\n[vary]\n";
        }
        for varied in &self.vary {
            let values: Vec<_> = varied.values.iter().map(render_value).collect();
            let _ = writeln!(text, "{} = [{}]", varied.key, values.join(", "));
        }
        for fit in &self.fits {
            let _ = write!(text, "\n[[fit]]\n{}", fit.to_toml());
        }
        if let Some(figure) = &self.figure {
            let _ = write!(text, "\n[figure]\n{}", figure.whole.to_toml());
            for panel in &figure.panels {
                let _ = write!(text, "\n[[figure.panel]]\n{}", panel.to_toml());
            }
        }
        text
    }
}

impl Draft {
    /// The sections, and the arms with those that they change.
    pub(super) fn body(&self) -> String {
        let changed = |section| (0..self.arms.len()).any(|arm| self.arm_changes(arm, section));
        let (own, shared): (Vec<_>, Vec<_>) = (0..SECTIONS.len()).partition(|&s| changed(s));
        let system = self.schema.map_or("", |schema| schema.name);
        let name = format!("name = {}\n", quote(system));
        let mut text = String::new();
        if own.contains(&0) {
            let _ = write!(text, "\n[system]\n{name}");
        }
        for section in shared {
            let first = if section == 0 { &name } else { "" };
            self.write_section(&mut text, "", section, None, first);
        }
        for (index, arm) in self.arms.iter().enumerate() {
            let _ = write!(text, "\n[[arm]]\nname = {}\n", quote(&arm.name));
            for &section in &own {
                self.write_section(&mut text, "arm.", section, Some(index), "");
            }
        }
        text
    }

    fn write_section(
        &self,
        text: &mut String,
        prefix: &str,
        section: usize,
        arm: Option<usize>,
        first: &str,
    ) {
        let name = SECTIONS[section];
        let stages: Vec<String> = match self.attempt(section, arm, &[]) {
            Case { settings: Ok(stages), .. } if !self.varies_choice(section) => {
                stages.iter().map(Settings::to_toml).collect()
            }
            // Something is missing that varies, or the defaults depend on what varies: then all
            // that is set fits every value, whether it fits the file or not.
            Case { live, .. } => {
                let sets = if self.varies_choice(section) { self.sets_in(section) } else { live };
                self.layered(section, arm, &sets, &[])
                    .map_or_else(|_| Vec::new(), |given| raw(given, section == 0))
            }
        };
        let header = match stages.len() {
            1 => format!("[{prefix}{name}]"),
            _ => format!("[[{prefix}{name}]]"),
        };
        for stage in stages {
            let _ = write!(text, "\n{header}\n{first}{stage}");
        }
    }
}

/// The stages as they were given.
fn raw(given: Option<Given>, is_system: bool) -> Vec<String> {
    let lines = |given: &Given| match &given.value {
        Input::Table(table) => {
            let own = table.iter().filter(|(key, _)| !(is_system && key.name == "name"));
            own.map(|entry| render_entry(entry) + "\n").collect()
        }
        _ => String::new(),
    };
    match given {
        None => vec![String::new()],
        Some(Given { value: Input::List(stages), .. }) => stages.iter().map(lines).collect(),
        Some(given) => vec![lines(&given)],
    }
}

fn render_entry((key, given): &(Key, Given)) -> String {
    format!("{} = {}", render_key(&key.name), render_input(&given.value))
}

/// A value as TOML.
fn render_input(value: &Input) -> String {
    match value {
        Input::Integer(value) => value.to_string(),
        Input::Number(value) => format!("{value:?}"),
        Input::Switch(value) => value.to_string(),
        Input::Text(text) => quote(text),
        Input::List(items) => {
            let items: Vec<_> = items.iter().map(|item| render_input(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Input::Table(table) => {
            let entries: Vec<_> = table.iter().map(render_entry).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Input::Other(_) => String::new(),
    }
}
