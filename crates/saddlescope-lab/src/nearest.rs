//! The known name that a mistyped one most likely stands for, and known names in few words.

use crate::prelude::*;

/// No name is longer, so nothing longer resembles one.
const LONGEST: usize = 64;

/// The known name that is most likely meant: a few letters off, or one begins the other.
pub fn nearest<'a, N: AsRef<str>>(found: &str, known: &'a [N]) -> Option<&'a str> {
    let length = found.chars().count();
    if length > LONGEST {
        return None;
    }
    let found = found.to_lowercase();
    let names = || known.iter().map(AsRef::as_ref);
    let distance = |name: &str| strsim::damerau_levenshtein(&found, &name.to_lowercase());
    let near = names().map(|name| (distance(name), name)).min();
    let typo = near.filter(|(letters, _)| *letters <= (length / 3).max(1) && *letters < length);
    let begins = |name: &&str| name.starts_with(&found) || found.starts_with(name);
    typo.map(|(_, name)| name).or_else(|| names().find(begins).filter(|_| length >= 2))
}

/// ` (did you mean `loss`?)`, where a known name is near.
pub(crate) fn hint<N: AsRef<str>>(found: &str, known: &[N]) -> String {
    nearest(found, known).map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// The same as a sentence before others.
pub(crate) fn question<N: AsRef<str>>(found: &str, known: &[N]) -> String {
    nearest(found, known).map_or_else(String::new, |name| format!("did you mean `{name}`? "))
}

/// All names in few words: those that differ in one number only share an entry, as in
/// `head.{0..3}.value`.
pub fn families<N: AsRef<str>>(names: &[N]) -> Vec<String> {
    let parts = |name| match split_number(name) {
        Some((before, number, after)) => ((before, after), Some(number)),
        None => ((name, ""), None),
    };
    let words = |((before, after), numbers): ((&str, &str), Vec<Option<u64>>)| {
        let numbers = || numbers.iter().flatten();
        match (numbers().min(), numbers().max()) {
            (Some(first), Some(last)) if first < last => {
                format!("{before}{{{first}..{last}}}{after}")
            }
            (Some(only), _) => format!("{before}{only}{after}"),
            _ => before.to_owned(),
        }
    };
    let names = names.iter().map(AsRef::as_ref);
    grouped(names.map(parts)).into_iter().map(words).collect()
}

/// A dotted name around its first part that is a number.
fn split_number(name: &str) -> Option<(&str, u64, &str)> {
    let mut start = 0;
    for part in name.split('.') {
        let end = start + part.len();
        if let Ok(number) = part.parse() {
            return Some((&name[..start], number, &name[end..]));
        }
        start = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_and_a_beginning_are_recognised_and_nonsense_is_not() {
        let known = ["loss", "gradient.norm", "head.0.value"];
        assert_eq!(nearest("los", &known), Some("loss"));
        assert_eq!(nearest("Gradient.nrom", &known), Some("gradient.norm"));
        assert_eq!(nearest("grad", &known), Some("gradient.norm"));
        assert_eq!(nearest("xyz", &known), None);
    }

    #[test]
    fn names_that_differ_in_a_number_share_an_entry() {
        let names =
            ["loss", "head.0.value", "head.0.key", "head.1.value", "learned.3", "learned.12"];
        let expected = ["loss", "head.{0..1}.value", "head.0.key", "learned.{3..12}"];
        assert_eq!(families(&names), expected);
        assert_eq!(families(&[""; 0]), Vec::<String>::new());
    }
}
