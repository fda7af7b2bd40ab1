//! One declared setting.

use super::{Kind, Value, any_of};

/// One declared setting: everything that files, help, Python and sliders need to know of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The key in files, `snake_case`.
    pub name: &'static str,
    pub kind: Kind,
    /// Whether it must be given, and what holds when it is not.
    pub presence: Presence,
    /// What it means, as a phrase without a full stop.
    pub about: &'static str,
    /// The unit, empty for pure numbers.
    pub unit: &'static str,
    /// On what it depends whether the setting counts; `None` when it always does.
    pub when: Option<When>,
}

/// Whether a setting must be given. All literals are written as in a TOML file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must; the literal is a sensible example.
    Required(&'static str),
    /// It need not, and then has no value; the literal is a sensible example.
    Optional(&'static str),
    /// It need not, and then has this value.
    Default(&'static str),
}

/// The condition under which a setting counts. To give it otherwise is an error: it would do nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Another setting of the section is one of these words.
    Is(&'static str, &'static [&'static str]),
    /// Another setting of the section is given.
    Given(&'static str),
}

impl Parameter {
    /// The default or the example, as a TOML literal.
    pub fn literal(&self) -> &'static str {
        match self.presence {
            Presence::Required(text) | Presence::Optional(text) | Presence::Default(text) => text,
        }
    }

    /// Whether resolved settings hold a value of it in every case.
    pub const fn always_has_value(&self) -> bool {
        match self.presence {
            Presence::Default(_) => true,
            Presence::Required(_) => self.when.is_none(),
            Presence::Optional(_) => false,
        }
    }
}

impl When {
    /// The setting that the condition speaks of.
    pub fn on(&self) -> &'static str {
        match *self {
            Self::Is(name, _) | Self::Given(name) => name,
        }
    }

    /// Whether the condition holds, given the value of that setting.
    pub fn holds(&self, value: Option<&Value>) -> bool {
        match self {
            Self::Given(_) => value.is_some(),
            Self::Is(_, words) => {
                value.and_then(Value::as_word).is_some_and(|word| words.contains(&word))
            }
        }
    }

    /// The condition in words: `schedule = "plateau"`.
    pub fn phrase(&self) -> String {
        match self {
            Self::Given(name) => format!("`{name}`"),
            Self::Is(name, words) => {
                let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("{name} = {}", any_of(&words))
            }
        }
    }
}
