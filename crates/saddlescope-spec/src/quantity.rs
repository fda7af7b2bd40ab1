//! What a run records and what it comes to, declared once per system: name, meaning, unit and label of every column.

use std::fmt::Write as _;

use serde::Serialize;

/// A family of columns with one meaning: observables of a moment, or outcomes of a run.
///
/// Parts of a name in brackets are counted: `head.<h>.value`, where `<h>` stands for a number, or for `*` in a pattern;
/// `<NAME>`, in capitals, stands for any one word. `[<row>,<lag>]` behind it says what counts its elements. The label says
/// these numbers again, `<h+1>` from one; its part in `[...]` is only for single elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Quantity {
    pub name: &'static str,
    /// What it is, as a phrase without a full stop.
    pub about: &'static str,
    /// How figures call it, in the markup of labels; empty where its name is as good.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub label: &'static str,
    /// Empty for plain numbers.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unit: &'static str,
    /// The settings under which there is such a column, as a phrase; empty where there always is.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub when: &'static str,
}

impl Quantity {
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, label: "", unit: "", when: "" }
    }

    #[must_use]
    pub const fn label(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    #[must_use]
    pub const fn when(self, when: &'static str) -> Self {
        Self { when, ..self }
    }

    /// How many indices its elements have, at most.
    pub fn rank(&self) -> usize {
        split(self.name).1.map_or(0, |indices| indices.split(',').count())
    }

    /// Its name without what counts its elements.
    pub fn path(&self) -> &'static str {
        split(self.name).0
    }

    /// The letters of its name with what stands in their place in `column`; `None` for a column of another name.
    fn letters<'a>(&self, column: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
        let ((path, indices), (given, places)) = (split(self.name), split(column));
        let mut letters = Vec::new();
        let mut parts = given.split('.');
        for wanted in path.split('.') {
            let part = parts.next()?;
            match wanted.strip_prefix('<').and_then(|letter| letter.strip_suffix('>')) {
                Some(letter) if is_word(letter) || is_counted(part) => letters.push((letter, part)),
                None if wanted == part => {}
                _ => return None,
            }
        }
        if parts.next().is_some() {
            return None;
        }
        if let Some(places) = places {
            // The first of several indices may be missing.
            let mut named = indices?.rsplit(',').map(|index| index.trim_matches(['<', '>']));
            for place in places.rsplit(',') {
                letters.push((named.next()?, place));
            }
        }
        Some(letters)
    }

    /// Its label for `column`, one of its columns.
    fn labelled(&self, letters: &[(&str, &str)], is_element: bool) -> Option<String> {
        if self.label.is_empty() {
            return None;
        }
        let (mut text, mut rest) = (String::new(), self.label);
        while let Some(at) = rest.find(['<', '[', ']']) {
            text.push_str(&rest[..at]);
            let (sign, after) = rest[at..].split_at(1);
            rest = match sign {
                "[" if !is_element => after.split_once(']')?.1,
                "<" => {
                    let (letter, after) = after.split_once('>')?;
                    let (letter, first) = match letter.strip_suffix("+1") {
                        Some(letter) => (letter, 1),
                        None => (letter, 0),
                    };
                    let (_, found) = letters.iter().find(|(name, _)| *name == letter)?;
                    match found.parse::<usize>() {
                        Ok(number) => write!(text, "{}", number + first).ok()?,
                        Err(_) if *found == "*" => text.push_str(letter),
                        Err(_) => text.push_str(found),
                    }
                    after
                }
                _ => after,
            };
        }
        Some(text + rest)
    }
}

/// Letters in capitals stand for words.
fn is_word(letter: &str) -> bool {
    letter.chars().all(|letter| letter.is_ascii_uppercase())
}

fn is_counted(part: &str) -> bool {
    part == "*" || part.parse::<usize>().is_ok()
}

/// A column's name without brackets, and what they hold.
fn split(column: &str) -> (&str, Option<&str>) {
    match column.split_once('[') {
        Some((path, places)) => (path, Some(places.trim_end_matches(']'))),
        None => (column, None),
    }
}

/// What every system has.
const BUILT_IN: &[Quantity] = &[
    Quantity::new("loss", "the loss that is minimised").label("loss"),
    Quantity::new("gradient.norm", "Euclidean norm of its gradient").label("norm of the gradient"),
];

/// A column as its system declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub about: String,
    pub label: Option<String>,
    pub unit: &'static str,
    /// The name under which it is declared, with its letters.
    pub family: String,
    /// How many indices its elements have, at most.
    pub rank: usize,
}

/// What `declared` says of a column, or what is the same in every system; the norm of a block is that of what is declared.
pub fn find(declared: &[&[Quantity]], column: &str) -> Option<Declared> {
    let known = declared.iter().copied().flatten().chain(BUILT_IN);
    for quantity in known {
        if let Some(letters) = quantity.letters(column) {
            return Some(Declared {
                about: quantity.about.to_owned(),
                label: quantity.labelled(&letters, column.contains('[')),
                unit: quantity.unit,
                family: quantity.name.to_owned(),
                rank: quantity.rank(),
            });
        }
    }
    let block = column.strip_prefix("norm.")?;
    let of = find(declared, block)?;
    let path = split(&of.family).0;
    Some(Declared {
        about: format!("Euclidean norm of `{path}`"),
        label: Some(of.label.map_or_else(|| format!("norm of {block}"), |label| norm(&label))),
        unit: "",
        family: format!("norm.{path}"),
        rank: 0,
    })
}

/// A label between strokes: in mathematics where all of it is.
fn norm(label: &str) -> String {
    match label.strip_prefix('$').and_then(|rest| rest.strip_suffix('$')) {
        Some(formula) if !formula.contains('$') => format!("$|{formula}|$"),
        _ => format!("norm of {label}"),
    }
}

/// What every system has, and then its own.
pub fn all(declared: &'static [&'static [Quantity]]) -> impl Iterator<Item = &'static Quantity> {
    let own = || declared.iter().copied().flatten();
    BUILT_IN.iter().filter(move |one| !own().any(|other| other.name == one.name)).chain(own())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[&[Quantity]] = &[&[
        Quantity::new("loss", "cross entropy").unit("nats"),
        Quantity::new("head.<h>.value", "value weight").label("$v_{<h+1>}$"),
        Quantity::new("head.<h>.w[<lag>]", "weights").label("$w^{<h+1>}[_{<lag+1>}]$"),
        Quantity::new("kl.rung.<i>", "divergence").label("rung <i>").unit("nats"),
        Quantity::new("evaluate.<NAME>.loss", "the loss of another problem").label("<NAME>"),
    ]];

    fn label(column: &str) -> Option<String> {
        find(DECLARED, column).and_then(|found| found.label)
    }

    #[test]
    fn labels_say_the_numbers_of_a_name() {
        let cases = [
            ("head.0.value", Some("$v_{1}$")),
            ("head.*.value", Some("$v_{h}$")),
            ("head.2.w", Some("$w^{3}$")),
            ("head.2.w[0]", Some("$w^{3}_{1}$")),
            ("kl.rung.2", Some("rung 2")),
            ("evaluate.long.loss", Some("long")),
            ("norm.head.0.value", Some("$|v_{1}|$")),
            ("norm.kl.rung.1", Some("norm of rung 1")),
            ("gradient.norm", Some("norm of the gradient")),
            ("head.x.value", None),
            ("head.0.value.more", None),
            ("head.0.w[0,1]", None),
            ("loss", None),
        ];
        for (column, expected) in cases {
            assert_eq!(label(column).as_deref(), expected, "{column}");
        }
    }

    #[test]
    fn a_systems_own_words_come_before_those_of_all_systems() {
        assert_eq!(find(DECLARED, "loss").unwrap().about, "cross entropy");
        assert_eq!(find(DECLARED, "loss").unwrap().unit, "nats");
        let norm = find(DECLARED, "norm.head.3.w").unwrap();
        assert_eq!(
            (&*norm.about, &*norm.family),
            ("Euclidean norm of `head.<h>.w`", "norm.head.<h>.w")
        );
        assert!(find(DECLARED, "norm.nothing").is_none());
        let names: Vec<_> = all(DECLARED).map(|one| one.name).collect();
        assert_eq!(names[..2], ["gradient.norm", "loss"]);
    }
}
