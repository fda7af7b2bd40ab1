//! Whatever is thrown at the reader: it never panics, every error has a place, and what it
//! accepts reads back equal.

use proptest::prelude::*;
use proptest::sample::select;

use super::toy::{TOY, TOYS, read};
use crate::error::Error;
use crate::experiment::{Experiment, starter_text};

/// What is accepted is written and reads back equal; what is not has errors with places.
pub(crate) fn behaves<T: PartialEq + std::fmt::Debug>(
    result: Result<T, Error>,
    write: impl Fn(&T) -> String,
    read: impl Fn(&str) -> Result<T, Error>,
) -> Result<(), TestCaseError> {
    match result {
        Ok(accepted) => {
            let text = write(&accepted);
            let back = read(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            prop_assert_eq!(&back, &accepted);
            prop_assert_eq!(write(&back), text);
        }
        Err(all) if !all.settings().is_empty() => {
            for error in all.settings() {
                let Some(place) = error.origin.place() else {
                    return Err(TestCaseError::fail(format!("no place: {error}")));
                };
                prop_assert!(place.line() >= 1 && place.column() >= 1);
                prop_assert!(place.line() <= place.source().text().matches('\n').count() + 1);
                prop_assert!(error.to_string().contains('^'), "{error}");
            }
            prop_assert!(!all.to_string().is_empty());
        }
        // A file whose [vary] was switched on is a sound plan.
        Err(other) => {
            let words = other.to_string();
            let known = ["is not UTF-8 text", "runs (its seeds, arms and what is varied)"];
            prop_assert!(known.iter().any(|known| words.contains(known)), "{words}");
        }
    }
    Ok(())
}

fn one_behaves(result: Result<Experiment, Error>) -> Result<(), TestCaseError> {
    behaves(result, Experiment::to_toml, |text| read(text, &[]))
}

/// Bits of files, sound and not.
const SNIPPETS: [&str; 36] = [
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "\"",
    "'",
    "\"\"\"",
    "=",
    ".",
    ",",
    "#",
    "\n",
    "\r\n",
    "\\u12",
    "\u{0}",
    "é",
    "nan",
    "-inf",
    "1e999",
    "-1",
    "99999999999999999999",
    "0xfff",
    "1979-05-27",
    "true",
    "[dynamics]",
    "[[dynamics]]",
    "[record]",
    "kind = \"adam\"",
    "kind = \"given\"",
    "heads = 3",
    "system.heads = 4",
    "sampling = \"listed\"",
    "[[[1, 2]], [[3]]]",
    "\"random\"",
];

/// One change to a text.
#[derive(Debug, Clone)]
enum Edit {
    Insert(prop::sample::Index, &'static str),
    Delete(prop::sample::Index, usize),
    SwapLines(prop::sample::Index, prop::sample::Index),
    SwitchOn(prop::sample::Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        (place(), select(&SNIPPETS[..])).prop_map(|(at, text)| Edit::Insert(at, text)),
        (place(), 1..9_usize).prop_map(|(at, count)| Edit::Delete(at, count)),
        (place(), place()).prop_map(|(a, b)| Edit::SwapLines(a, b)),
        place().prop_map(Edit::SwitchOn),
    ]
}

fn apply(text: &str, edit: &Edit) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut lines: Vec<&str> = text.split('\n').collect();
    match edit {
        Edit::Insert(at, snippet) => {
            let at = at.index(chars.len() + 1);
            chars.splice(at..at, snippet.chars());
            chars.into_iter().collect()
        }
        Edit::Delete(at, count) => {
            let at = at.index(chars.len() + 1);
            chars.drain(at..(at + count).min(chars.len()));
            chars.into_iter().collect()
        }
        Edit::SwapLines(a, b) => {
            let (a, b) = (a.index(lines.len()), b.index(lines.len()));
            lines.swap(a, b);
            lines.join("\n")
        }
        Edit::SwitchOn(line) => {
            let line = line.index(lines.len());
            lines[line] = lines[line].trim_start_matches('#');
            lines.join("\n")
        }
    }
}

const KEYS: [&str; 26] = [
    "name",
    "about",
    "seed",
    "system",
    "start",
    "dynamics",
    "record",
    "kind",
    "heads",
    "dimension",
    "eigenvectors",
    "noise",
    "noise_size",
    "scale",
    "value",
    "key",
    "rate",
    "steps",
    "until",
    "rates",
    "freeze",
    "sampling",
    "times",
    "points",
    "crossings",
    "stop_value",
];
const WORDS: [&str; 9] =
    ["toy-attention", "recall", "gd", "flow", "adam", "given", "random", "listed", "converged"];

fn key() -> impl Strategy<Value = String> {
    prop_oneof![9 => select(&KEYS[..]).prop_map(str::to_owned), 1 => ".{0,6}"]
}

fn value() -> impl Strategy<Value = toml::Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(toml::Value::from),
        (0..5_i64).prop_map(toml::Value::from),
        any::<f64>().prop_map(toml::Value::from),
        any::<bool>().prop_map(toml::Value::from),
        select(&WORDS[..]).prop_map(toml::Value::from),
        ".{0,9}".prop_map(toml::Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(toml::Value::Array),
            prop::collection::hash_map(key(), inner, 0..5)
                .prop_map(|map| toml::Value::Table(map.into_iter().collect())),
        ]
    })
}

fn document() -> impl Strategy<Value = String> {
    prop::collection::hash_map(key(), value(), 0..6).prop_map(|map| {
        let mut table: toml::Table = map.into_iter().collect();
        if let Some(toml::Value::Table(system)) = table.get_mut("system") {
            system.insert("name".into(), "toy-attention".into());
        }
        table.to_string()
    })
}

fn change() -> impl Strategy<Value = String> {
    prop_oneof![
        (key(), key(), value()).prop_map(|(a, b, value)| format!("{a}.{b}={value}")),
        (0..3_u8, key(), select(&WORDS[..])).prop_map(|(n, k, w)| format!("dynamics.{n}.{k}={w}")),
        prop::collection::vec(select(&SNIPPETS[..]), 0..5).prop_map(|parts| parts.concat()),
        ".{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let none: [&str; 0] = [];
        one_behaves(Experiment::from_bytes("any", bytes, &none, &TOYS))?;
    }

    #[test]
    fn any_text(text in "\\PC{0,200}|[\\[\\]{}=\"'.,#\n a-c0-9-]{0,80}") {
        one_behaves(read(&text, &[]))?;
    }

    #[test]
    fn any_snippets(parts in prop::collection::vec(select(&SNIPPETS[..]), 0..40)) {
        one_behaves(read(&parts.concat(), &[]))?;
    }

    #[test]
    fn changed_files(edits in prop::collection::vec(edit(), 0..6)) {
        let text = edits.iter().fold(starter_text(&TOY), |text, edit| apply(&text, edit));
        one_behaves(read(&text, &[]))?;
    }

    #[test]
    fn any_table(text in document()) {
        one_behaves(read(&text, &[]))?;
    }

    #[test]
    fn any_override(changes in prop::collection::vec(change(), 0..4)) {
        let changes: Vec<_> = changes.iter().map(String::as_str).collect();
        one_behaves(read("[system]\nname = \"toy-attention\"\n[[dynamics]]\n", &changes))?;
    }
}
