//! Choices: the kind of a section, and settings that decide whether others count.

use super::resolve::default_value;
use super::{Given, Input, Key, Section, Value, Variant, When};

impl Section {
    /// Whether other settings depend on this one: it is the `kind`, or a condition speaks of it.
    pub fn is_choice(&self, name: &str) -> bool {
        let own = self.kinds().iter().flat_map(Variant::own);
        let mut all = self.parameters.iter().chain(own);
        (name == "kind" && self.variants.is_some())
            || all.any(|parameter| parameter.when.is_some_and(|when| when.on() == name))
    }

    /// Whether a setting of that name would count beside what is written in `table`: the kind has
    /// it, and its condition holds. Where the kind is wrong, everything might.
    pub fn counts(&self, name: &str, table: &[(Key, Given)]) -> bool {
        let written = |name: &str| table.iter().rev().find(|(key, _)| key.name == name);
        let kind = match (self.variants, written("kind")) {
            (None, _) => None,
            (Some(variants), found) => {
                let word = match found {
                    Some((_, Given { value: Input::Text(word), .. })) => Some(word.as_str()),
                    Some(_) => None,
                    None => variants.default,
                };
                let Some(kind) = word.and_then(|word| self.variant(word)) else { return true };
                Some(kind)
            }
        };
        let parameters = self.parameters_of(kind);
        let named = |name: &str| parameters.iter().find(|parameter| parameter.name == name);
        let holds = |when: When| {
            let value = match written(when.on()) {
                Some((_, Given { value: Input::Text(word), .. })) => {
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
