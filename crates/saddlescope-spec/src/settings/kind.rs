//! What sort of value a setting takes, and how to say so.

use std::fmt;

/// What sort of value a setting takes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub enum Kind {
    /// A whole number from `min` to `max`, both allowed.
    Integer {
        min: i64,
        /// The largest one allowed; `i64::MAX` for no limit.
        max: i64,
    },
    /// A finite number in a range; whole ones may be written without a point.
    Number(Bounds),
    Switch,
    /// One of some words, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    Text,
    /// A list of strings, perhaps empty.
    Texts,
    Numbers {
        each: Bounds,
        min_len: usize,
    },
    /// Lists of numbers, which may be of different lengths, and empty.
    Lists {
        each: Bounds,
    },
    /// Numbers in lists of equally long lists: `depth` 2 for matrices, 3 for stacks of them.
    Tensor {
        depth: usize,
    },
    /// A table from names or patterns to numbers: `{ "head.*.value" = 0.5 }`.
    NumberTable {
        each: Bounds,
    },
    /// Settings of another section, which are checked against its declaration.
    Overlay,
    /// Any of some kinds, told apart by how the value is written.
    Either(&'static [Kind]),
}

impl Kind {
    /// Whole numbers >= `min`.
    pub const fn at_least(min: i64) -> Self {
        Self::Integer { min, max: i64::MAX }
    }

    /// What is wanted, in words that follow "must be".
    pub fn phrase(&self) -> String {
        match *self {
            Self::Integer { min: i64::MIN, max: i64::MAX } => "an integer".into(),
            Self::Integer { min, max: i64::MAX } => format!("an integer >= {min}"),
            Self::Integer { min: i64::MIN, max } => format!("an integer <= {max}"),
            Self::Integer { min, max } => format!("an integer from {min} to {max}"),
            Self::Number(bounds) => format!("a number{bounds}"),
            Self::Switch => "true or false".into(),
            Self::Choice(words) => one_of(words.iter().map(|(word, _)| *word)),
            Self::Text => "a string".into(),
            Self::Texts => "a list of strings".into(),
            Self::Numbers { each, min_len: 0 } => format!("a list of numbers{each}"),
            Self::Numbers { each, min_len } => format!("a list of {min_len} or more numbers{each}"),
            Self::Lists { each } => format!("a list of lists of numbers{each}"),
            Self::Tensor { depth: 2 } => {
                "a matrix (a list of equally long lists of numbers)".into()
            }
            Self::Tensor { depth } => {
                format!("a block of numbers (lists of equal length, nested {depth} deep)")
            }
            Self::NumberTable { each } => format!("a table of \"name\" = number{each}"),
            Self::Overlay => "settings, as in { context = 100 }".into(),
            Self::Either(kinds) => joined(kinds, Self::phrase),
        }
    }

    /// The type in a word or two, for tables: `integer`, `number or word`.
    pub fn type_name(&self) -> String {
        match self {
            Self::Integer { .. } => "integer".into(),
            Self::Number(_) => "number".into(),
            Self::Switch => "switch".into(),
            Self::Choice(_) => "word".into(),
            Self::Text => "text".into(),
            Self::Texts => "list of texts".into(),
            Self::Numbers { .. } => "list of numbers".into(),
            Self::Lists { .. } => "lists of numbers".into(),
            Self::Tensor { depth: 2 } => "matrix".into(),
            Self::Tensor { .. } => "block of numbers".into(),
            Self::NumberTable { .. } => "table of numbers".into(),
            Self::Overlay => "settings".into(),
            Self::Either(kinds) => joined(kinds, Self::type_name),
        }
    }

    /// The range in a few signs, for tables; empty where there is none: `1 to 64`, `> 0`.
    pub fn range(&self) -> String {
        match *self {
            Self::Integer { min: i64::MIN, max: i64::MAX } => String::new(),
            Self::Integer { min, max: i64::MAX } => format!(">= {min}"),
            Self::Integer { min: i64::MIN, max } => format!("<= {max}"),
            Self::Integer { min, max } => format!("{min} to {max}"),
            Self::Number(each)
            | Self::Numbers { each, .. }
            | Self::Lists { each }
            | Self::NumberTable { each } => each.to_string().trim_start().to_owned(),
            Self::Either(kinds) => joined(kinds, Self::range),
            _ => String::new(),
        }
    }

    /// The words of a choice (also of one among alternatives) with their meanings.
    pub fn words(&self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Choice(words) => words.to_vec(),
            Self::Either(kinds) => kinds.iter().flat_map(Self::words).collect(),
            _ => Vec::new(),
        }
    }
}

fn joined(kinds: &[Kind], part: fn(&Kind) -> String) -> String {
    let parts: Vec<_> = kinds.iter().map(part).filter(|part| !part.is_empty()).collect();
    parts.join(" or ")
}

/// One of some words, in words.
pub(super) fn one_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<_> = words.map(|word| format!("\"{word}\"")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        many => format!("one of {}", many.join(", ")),
    }
}

/// One end of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// No limit but finiteness.
    None,
    /// The limit itself is allowed.
    Closed(f64),
    /// The limit itself is refused.
    Open(f64),
}

/// The range a number may lie in. NaN and infinities lie in none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub low: Limit,
    pub high: Limit,
}

impl Bounds {
    /// Every finite number.
    pub const ANY: Self = Self { low: Limit::None, high: Limit::None };
    /// Numbers >= 0.
    pub const NOT_NEGATIVE: Self = Self { low: Limit::Closed(0.0), high: Limit::None };

    /// Whether `value` is finite and lies in the range.
    pub fn contain(&self, value: f64) -> bool {
        let low = match self.low {
            Limit::None => true,
            Limit::Closed(low) => value >= low,
            Limit::Open(low) => value > low,
        };
        let high = match self.high {
            Limit::None => true,
            Limit::Closed(high) => value <= high,
            Limit::Open(high) => value < high,
        };
        value.is_finite() && low && high
    }
}

/// The range in words that follow "number": empty, ` > 0`, ` >= 0 and < 1`.
impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low {
            Limit::None => {}
            Limit::Closed(low) => write!(f, " >= {}", plain(low))?,
            Limit::Open(low) => write!(f, " > {}", plain(low))?,
        }
        if self.low != Limit::None && self.high != Limit::None {
            f.write_str(" and")?;
        }
        match self.high {
            Limit::None => Ok(()),
            Limit::Closed(high) => write!(f, " <= {}", plain(high)),
            Limit::Open(high) => write!(f, " < {}", plain(high)),
        }
    }
}

/// A number as people write it: `1`, `0.5`, `1e-10`.
pub(super) fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e6 {
        format!("{value}")
    } else {
        format!("{value:?}")
    }
}
