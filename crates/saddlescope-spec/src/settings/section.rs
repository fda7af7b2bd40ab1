//! Settings that belong together: one table of a file.

use super::resolve::default_value;
use super::{GivenValue, Input, Key, Kind, Parameter, Value, When, check, read_literal};
use crate::quantity::Quantity;
use crate::reference::CaseKind;
use crate::shipped::ShippedExperiment;
use crate::view::View;

/// Settings that belong together: one table of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    pub name: &'static str,
    /// What the section decides, as a sentence.
    pub about: &'static str,
    /// The settings that it has in any case.
    pub parameters: &'static [Parameter],
    /// Further settings that depend on the section's `kind`.
    pub variants: Option<Variants>,
    /// Settings that there were once, each with what to do instead, as a phrase.
    pub retired: &'static [(&'static str, &'static str)],
    /// Numbers that were once set otherwise, and are still read.
    pub renamed: &'static [Renamed],
}

/// A number that was once set under another name: `new = old + plus`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Renamed {
    pub old: &'static str,
    pub new: &'static str,
    pub plus: f64,
    /// What else is otherwise now, as a phrase.
    pub note: &'static str,
}

/// The kinds that a section comes in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variants {
    /// The kind that holds when none is given; without one, `kind` is required.
    pub default: Option<&'static str>,
    /// All kinds, the plainest first.
    pub list: &'static [Variant],
}

/// One kind of a section, with its own settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variant {
    pub name: &'static str,
    /// What it means, as a phrase without a full stop.
    pub about: &'static str,
    /// Its settings, in groups so that kinds can share some.
    pub parameters: &'static [&'static [Parameter]],
}

/// What a system declares about itself.
#[derive(Debug, Clone, Copy)]
pub struct SystemSchema {
    /// The system's name in files and commands: `linear-attention`.
    pub name: &'static str,
    /// The title of its paper; empty where it is of no one paper.
    pub title: &'static str,
    /// What the system is, as a sentence.
    pub about: &'static str,
    /// The kind of dynamics that new files of it begin with.
    pub dynamics: &'static str,
    /// The settings in `[system]`, besides `name`.
    pub system: Section,
    /// The settings in `[start]`.
    pub start: Section,
    /// What can be recorded, besides `loss`, `gradient.norm` and the norms of blocks: blocks and observables, in groups so that
    /// systems can share some.
    pub observables: &'static [&'static [Quantity]],
    /// What a run of it comes to.
    pub outcomes: &'static [Quantity],
    /// Who wrote the paper, `Family, Given` each; empty where the authors are withheld.
    pub authors: &'static [&'static str],
    /// How the page opens on it.
    pub view: View,
    /// The experiments that ship with it.
    pub experiments: &'static [ShippedExperiment],
    /// The kinds of reference cases that it can recompute.
    pub cases: &'static [CaseKind],
}

impl SystemSchema {
    /// What holds where a system declares nothing else: it flows, belongs to no paper and ships nothing.
    pub const EMPTY: Self = Self {
        name: "",
        title: "",
        about: "",
        dynamics: "flow",
        system: Section::plain("system", "Nothing to set.", &[]),
        start: Section::plain("start", "Nothing to set.", &[]),
        observables: &[],
        outcomes: &[],
        authors: &[],
        view: View::DEFAULT,
        experiments: &[],
        cases: &[],
    };

    /// Name and title: `linear-attention: Training Dynamics of ...`.
    pub fn heading(&self) -> String {
        let stroke = if self.title.is_empty() { "" } else { ": " };
        format!("{}{stroke}{}", self.name, self.title)
    }
}

impl Section {
    /// A section that comes in one kind only.
    pub const fn plain(
        name: &'static str,
        about: &'static str,
        parameters: &'static [Parameter],
    ) -> Self {
        Self { name, about, parameters, variants: None, retired: &[], renamed: &[] }
    }

    /// A section whose settings depend on its `kind`, by default `default`; `parameters` are those that all kinds share.
    pub const fn by_kind(
        name: &'static str,
        about: &'static str,
        default: &'static str,
        list: &'static [Variant],
        parameters: &'static [Parameter],
    ) -> Self {
        let variants = Some(Variants { default: Some(default), list });
        Self { name, about, parameters, variants, retired: &[], renamed: &[] }
    }

    /// The same section, which once had these settings: who sets one is told what to do instead.
    #[must_use]
    pub const fn retired(self, retired: &'static [(&'static str, &'static str)]) -> Self {
        Self { retired, ..self }
    }

    /// The same section, which still reads these numbers, and says so.
    #[must_use]
    pub const fn renamed(self, renamed: &'static [Renamed]) -> Self {
        Self { renamed, ..self }
    }

    /// The kinds, none for a plain section.
    pub fn kinds(&self) -> &'static [Variant] {
        self.variants.map_or(&[], |variants| variants.list)
    }

    pub fn variant(&self, name: &str) -> Option<&'static Variant> {
        self.kinds().iter().find(|variant| variant.name == name)
    }

    /// The kind that was `written`, or the one that holds where none was.
    pub(super) fn written_kind(&self, written: Option<&GivenValue>) -> Option<&'static Variant> {
        let word = match written {
            None => self.variants?.default?,
            Some(GivenValue { value: Input::Text(word), .. }) => word,
            Some(_) => return None,
        };
        self.variant(word)
    }

    /// The settings of the section when it is of that kind: the kind's own, then the shared ones.
    pub fn parameters_of(&self, kind: Option<&Variant>) -> Vec<&'static Parameter> {
        let own = kind.map_or(&[][..], |variant| variant.parameters);
        own.iter().copied().flatten().chain(self.parameters).collect()
    }

    /// The kinds that have a setting of that name to themselves.
    pub fn kinds_with(&self, name: &str) -> Vec<&'static str> {
        let has = |variant: &&Variant| variant.own().any(|parameter| parameter.name == name);
        self.kinds().iter().filter(has).map(|variant| variant.name).collect()
    }

    /// Whether the section, in any kind, has a setting of that name.
    pub fn declares(&self, name: &str) -> bool {
        (name == "kind" && self.variants.is_some())
            || self.parameters.iter().any(|parameter| parameter.name == name)
            || !self.kinds_with(name).is_empty()
    }

    /// What is wrong with the declaration itself; empty when all is well. A test of every section
    /// should ask, because a default that does not fit its kind panics when it is first needed.
    pub fn audit(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(default) = self.variants.and_then(|variants| variants.default)
            && self.variant(default).is_none()
        {
            faults.push(format!("{}: the default kind \"{default}\" is not declared", self.name));
        }
        let kinds: Vec<Option<&Variant>> = match self.kinds() {
            [] => vec![None],
            kinds => kinds.iter().map(Some).collect(),
        };
        for kind in kinds {
            let label = kind.map_or(String::new(), |kind| format!(" \"{}\"", kind.name));
            audit_list(&self.parameters_of(kind), |fault| {
                faults.push(format!("{}{label}: {fault}", self.name));
            });
        }
        faults
    }

    /// Whether other settings depend on this one: it is the `kind`, or a condition speaks of it.
    pub fn is_choice(&self, name: &str) -> bool {
        let own = self.kinds().iter().flat_map(Variant::own);
        let mut all = self.parameters.iter().chain(own);
        (name == "kind" && self.variants.is_some())
            || all.any(|parameter| parameter.when.is_some_and(|when| when.on() == name))
    }

    /// Whether a setting of that name would count beside what is written in `table`: the kind has
    /// it, and its condition holds. Where the kind is wrong, everything might.
    pub fn counts(&self, name: &str, table: &[(Key, GivenValue)]) -> bool {
        let written = |name: &str| table.iter().rev().find(|(key, _)| key.name == name);
        let kind = self.written_kind(written("kind").map(|(_, given)| given));
        if kind.is_none() && self.variants.is_some() {
            return true;
        }
        let parameters = self.parameters_of(kind);
        let named = |name: &str| parameters.iter().find(|parameter| parameter.name == name);
        let holds = |when: When| {
            let value = match written(when.on()) {
                Some((_, GivenValue { value: Input::Text(word), .. })) => {
                    Some(Value::Text(word.clone()))
                }
                Some(_) => Some(Value::Switch(true)),
                None => named(when.on()).and_then(|on| default_value(on)),
            };
            when.holds(value.as_ref())
        };
        named(name).is_some_and(|parameter| parameter.when.is_none_or(holds))
    }
}

impl Variant {
    /// The kind's own settings.
    pub fn own(&self) -> impl Iterator<Item = &'static Parameter> {
        self.parameters.iter().copied().flatten()
    }
}

fn audit_list(parameters: &[&'static Parameter], mut fault: impl FnMut(String)) {
    for (index, parameter) in parameters.iter().enumerate() {
        let name = parameter.name;
        if name == "kind" || parameters[..index].iter().any(|earlier| earlier.name == name) {
            fault(format!("`{name}` is declared twice"));
        }
        match read_literal(parameter.literal()) {
            Err(message) => fault(format!("`{name}`: {message}")),
            Ok(given) => {
                if let Err(error) = check::check(&parameter.kind, name, &given) {
                    fault(error.problem.to_string());
                }
            }
        }
        let Some(when) = parameter.when else { continue };
        let Some(other) = parameters.iter().find(|other| other.name == when.on()) else {
            fault(format!("`{name}` depends on `{}`, which is not declared", when.on()));
            continue;
        };
        if let When::Is(on, words) = when {
            let known = other.kind.words();
            for word in words.iter().filter(|word| !known.iter().any(|(have, _)| have == *word)) {
                fault(format!("`{name}` depends on {on} = \"{word}\", which is no choice"));
            }
        }
        if matches!(other.kind, Kind::Switch | Kind::Lists { .. } | Kind::Tensor { .. }) {
            fault(format!("`{name}` depends on `{}`, which holds no words", other.name));
        }
    }
}
