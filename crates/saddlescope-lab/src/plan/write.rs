//! A plan as a file that reads back to an equal plan.

use super::cases::Case;
use super::draft::Draft;
use super::*;
use crate::experiment::{Pairs, entries};

impl Plan {
    /// The plan as a file: size, `--set` and defaults are filled in. It reads back to an equal plan.
    ///
    /// Sections that arms change are written in each arm as a whole. Where a choice is varied
    /// (`dynamics.kind`), the section is written as it was given, because its defaults depend on it.
    pub fn to_toml(&self) -> String {
        let mut text = self.header.source.to_toml();
        let claims: Vec<_> = self.claims.iter().map(|claim| quote(claim)).collect();
        let _ = writeln!(text, "seeds = {}", self.seeds.len());
        let _ = writeln!(text, "headline = {}", self.headline);
        let _ = writeln!(text, "claims = [{}]", claims.join(", "));
        if let Some(differs) = &self.differs {
            let _ = writeln!(text, "differs = {}", quote(differs));
        }
        text += &self.sections_toml();
        if let Some(sweep) = &self.sweep {
            let _ = write!(text, "\n[sweep]\n{}", sweep.source.to_toml());
        }
        for outcome in &self.outcomes {
            let _ = write!(text, "\n[[outcome]]\n{}", outcome.settings().to_toml());
        }
        for fit in &self.fits {
            let _ = write!(text, "\n[[fit]]\n{}", fit.source.to_toml());
        }
        if let Some(figure) = &self.figure {
            let _ = write!(text, "\n[figure]\n{}", figure.whole.to_toml());
            for panel in &figure.panels {
                let _ = write!(text, "\n[[figure.panel]]\n{}", panel.to_toml());
            }
        }
        text
    }

    /// How what runs departs from what the paper ran, in words: the file says so, or at the paper's size the text is not the
    /// paper's.
    pub fn departure(&self) -> Option<String> {
        let is_built_in = |member: &Member| {
            let settings = &member.experiment.settings;
            let reads =
                self.system.schema().system.parameters.iter().any(|one| one.name == "train");
            reads && settings.find("train").is_none()
        };
        let text = (self.size == Size::Paper && self.members.iter().any(is_built_in)).then(|| {
            "on the small built-in text: name the paper's with --train and --valid".to_owned()
        });
        let all: Vec<String> =
            self.differs.iter().filter(|words| !words.is_empty()).cloned().chain(text).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The part of the file that says what runs: sections, arms and what is varied.
    pub(crate) fn sections_toml(&self) -> String {
        let mut text = self.body.clone();
        if !self.vary.is_empty() {
            text += "\n[vary]\n";
        }
        for varied in &self.vary {
            let values: Vec<_> = varied.values.iter().map(render_value).collect();
            let values = match varied.law {
                Some(law) => quote(&law.to_string()),
                None => format!("[{}]", values.join(", ")),
            };
            let _ = writeln!(text, "{} = {values}", varied.key);
        }
        text
    }
}

impl Draft {
    /// The sections, and the arms with those that they change.
    pub(super) fn body(&self) -> String {
        let changed = |section| (0..self.arms.len()).any(|arm| self.arm_changes(arm, section));
        let (own, shared): (Vec<_>, Vec<_>) = (0..SECTIONS.len()).partition(|&s| changed(s));
        let mut text = String::new();
        if own.contains(&0) {
            let _ = write!(text, "\n[system]\n{}", self.system_line());
        }
        shared.into_iter().for_each(|section| self.write_section(&mut text, section, None));
        for (index, arm) in self.arms.iter().enumerate() {
            let _ = write!(text, "\n[[arm]]\nname = {}\n", quote(&arm.name));
            own.iter().for_each(|&section| self.write_section(&mut text, section, Some(index)));
        }
        text
    }

    fn system_line(&self) -> String {
        format!("name = {}\n", quote(self.system.map_or("", |system| system.name())))
    }

    /// Whether a setting, as a whole, is varied in a stage of a section.
    fn is_varied(&self, section: usize, stage: usize, name: &str) -> bool {
        self.varied_in(section).into_iter().any(|vary| match &self.vary[vary].path[1..] {
            [own] => stage == 0 && own.name == name,
            [index, own] => index.name.parse() == Ok(stage) && own.name == name,
            _ => false,
        })
    }

    fn write_section(&self, text: &mut String, section: usize, arm: Option<usize>) {
        let stages: Vec<Pairs> = match self.attempt(section, arm, &[]) {
            Case { settings: Ok(stages), .. } if !self.varies_choice(section) => {
                let owned = |(name, value): (&str, String)| (name.to_owned(), value);
                stages.iter().map(|settings| entries(settings).map(owned).collect()).collect()
            }
            // Something is missing that varies, or the defaults depend on what varies: then all
            // that is set fits every value, whether it fits the file or not.
            Case { live, .. } => {
                let sets = if self.varies_choice(section) { self.sets_in(section) } else { live };
                self.layered(section, arm, &sets, &[]).map_or_else(|_| Vec::new(), raw)
            }
        };
        let of_arm = if arm.is_some() { "arm." } else { "" };
        let name = format!("{of_arm}{}", SECTIONS[section]);
        let listed = stages.len() != 1 || SECTIONS[section] == "evaluate";
        let header = if !listed { format!("[{name}]") } else { format!("[[{name}]]") };
        let first = if name == "system" { self.system_line() } else { String::new() };
        for (stage, pairs) in stages.into_iter().enumerate() {
            let _ = write!(text, "\n{header}\n{first}");
            for (name, value) in pairs {
                // What is varied, an arm cannot give; the name of the system is written already.
                let varied = arm.is_some() && self.is_varied(section, stage, &name);
                if !(varied || section == 0 && name == "name") {
                    let _ = writeln!(text, "{} = {value}", render_key(&name));
                }
            }
        }
    }
}

/// The stages as they were given.
fn raw(given: Option<GivenValue>) -> Vec<Pairs> {
    let pairs = |given: GivenValue| match given.value {
        Input::Table(table) => {
            let pair = |(key, given): (Key, GivenValue)| (key.name, render_input(&given.value));
            table.into_iter().map(pair).collect()
        }
        _ => Pairs::new(),
    };
    match given {
        None => vec![Pairs::new()],
        Some(GivenValue { value: Input::List(stages), .. }) => {
            stages.into_iter().map(pairs).collect()
        }
        Some(given) => vec![pairs(given)],
    }
}
