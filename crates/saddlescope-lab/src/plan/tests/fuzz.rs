//! Whatever is thrown at the reader: no panic, every error has a place, and what is accepted reads back equal.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::experiment::starter_text;
use crate::experiment::tests::toy::{self, TOY, TOYS};
use crate::plan::Size;

/// What is accepted is written and reads back equal, and so does its first run; what is not has errors with places.
fn behaves(result: Result<Plan, Error>) -> Result<(), TestCaseError> {
    let wrong = |error: Error, text: &str| TestCaseError::fail(format!("{error}\n{text}"));
    match result {
        Ok(plan) => {
            let labels: HashSet<_> = plan.members.iter().map(|member| &member.label).collect();
            prop_assert_eq!(labels.len(), plan.members.len());
            let text = plan.to_toml();
            let back = read(&text, &Changes::default()).map_err(|error| wrong(error, &text))?;
            prop_assert_eq!(&back, &plan);
            prop_assert_eq!(back.to_toml(), text);
            let first = &plan.members[0].experiment;
            let text = first.to_toml();
            let back = toy::read(&text, &[]).map_err(|error| wrong(error, &text))?;
            prop_assert_eq!(&back, first);
            prop_assert_eq!(back.to_toml(), text);
        }
        Err(all) if all.settings().is_empty() => {
            prop_assert!(all.to_string().contains("is not UTF-8 text"), "{all}");
        }
        Err(all) => {
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
    }
    Ok(())
}

fn text_behaves(text: &str) -> Result<(), TestCaseError> {
    behaves(read(text, &Changes::default()))
}

fn any_line(lines: &'static str) -> impl Strategy<Value = &'static str> {
    select(lines.trim().lines().collect::<Vec<_>>())
}

fn any_word(words: &'static str) -> impl Strategy<Value = &'static str> {
    select(words.split_whitespace().collect::<Vec<_>>())
}

/// Bits of files, sound and not.
fn snippet() -> impl Strategy<Value = &'static str> {
    const BITS: &str = r#"
[ ] [[ ]] { } " ' """ = . , # \u12 é nan -inf 1e999 -1 99999999999999999999 0xfff 1979-05-27 true
[dynamics] [[dynamics]] [record] "random""#;
    prop_oneof![
        27 => any_word(BITS),
        6 => any_line(LINES),
        3 => select(&["\n", "\r\n", "\u{0}"][..]),
    ]
}

/// A text with a bit put in or taken out, lines swapped, or a comment switched on.
fn edited(text: &str, (kind, a, b, bit): &(u8, Index, Index, &str)) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut lines: Vec<&str> = text.split('\n').collect();
    let (place, count) = (a.index(chars.len() + 1), lines.len());
    match kind {
        0 => drop(chars.splice(place..place, bit.chars())),
        1 => drop(chars.drain(place..(place + b.index(9)).min(chars.len()))),
        2 => {
            lines.swap(a.index(count), b.index(count));
            return lines.join("\n");
        }
        _ => {
            let line = a.index(count);
            lines[line] = lines[line].trim_start_matches('#');
            return lines.join("\n");
        }
    }
    chars.into_iter().collect()
}

const KEYS: &str = "name about seed system start dynamics record kind heads dimension eigenvectors noise noise_size scale
    value key rate steps until rates freeze sampling times points crossings stop_value";
const WORDS: &str = "toy-attention recall gd flow adam given random listed converged";

fn key() -> impl Strategy<Value = String> {
    prop_oneof![9 => any_word(KEYS).prop_map(str::to_owned), 1 => ".{0,6}"]
}

fn value() -> impl Strategy<Value = toml::Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(toml::Value::from),
        (0..5_i64).prop_map(toml::Value::from),
        any::<f64>().prop_map(toml::Value::from),
        any::<bool>().prop_map(toml::Value::from),
        any_word(WORDS).prop_map(toml::Value::from),
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

fn change() -> impl Strategy<Value = String> {
    prop_oneof![
        (key(), key(), value()).prop_map(|(a, b, value)| format!("{a}.{b}={value}")),
        (0..3_u8, key(), any_word(WORDS)).prop_map(|(n, k, w)| format!("dynamics.{n}.{k}={w}")),
        prop::collection::vec(snippet(), 0..5).prop_map(|parts| parts.concat()),
        ".{0,20}",
    ]
}

/// Lines of plans, sound and not.
const LINES: &str = include_str!("lines.txt");

const SETS: &str =
    "dynamics.kind=gd dynamics.kind=adam dynamics.rate=0.5 dynamics.steps=5 dynamics.until=7
    dynamics.0.rtol=0.1 system.noise=normal start.scale=2 seeds=2 figure.columns=1";

const VARIES: &str =
    "dynamics.rate=0.1..1:log3 dynamics.kind=gd,flow system.heads=1..3 system.noise=none,normal
    system.noise_size=1,2 start.scale=0..1:2 dynamics.until=converged,4";

fn changes() -> impl Strategy<Value = Changes> {
    let list = |all| prop::collection::vec(any_word(all).prop_map(str::to_owned), 0..3);
    let seeds = select(vec![None, Some("2".to_owned()), Some("3..4".to_owned())]);
    (list(SETS), list(VARIES), seeds, select(&Size::ALL[..])).prop_map(
        |(set, vary, seeds, size)| Changes { size, set, vary, seeds, ..Changes::default() },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        behaves(Plan::from_text("any", &bytes, &Changes::default(), &TOYS))?;
    }

    #[test]
    fn any_text(text in "\\PC{0,200}|[\\[\\]{}=\"'.,#\n a-c0-9-]{0,80}") {
        text_behaves(&text)?;
    }

    #[test]
    fn any_snippets(parts in prop::collection::vec(snippet(), 0..40)) {
        text_behaves(&parts.concat())?;
    }

    #[test]
    fn changed_files(
        edits in prop::collection::vec((0..4_u8, any::<Index>(), any::<Index>(), snippet()), 0..6),
    ) {
        text_behaves(&edits.iter().fold(starter_text(&TOY), |text, edit| edited(&text, edit)))?;
    }

    #[test]
    fn any_table(entries in prop::collection::hash_map(key(), value(), 0..6)) {
        let mut table: toml::Table = entries.into_iter().collect();
        if let Some(toml::Value::Table(system)) = table.get_mut("system") {
            system.insert("name".into(), "toy-attention".into());
        }
        text_behaves(&table.to_string())?;
    }

    #[test]
    fn any_override(set in prop::collection::vec(change(), 0..4)) {
        behaves(read(&format!("{TOP}[[dynamics]]\n"), &Changes::set(&set)))?;
    }

    #[test]
    fn any_lines(lines in prop::collection::vec(any_line(LINES), 0..9), changes in changes()) {
        behaves(read(&format!("{TOP}{}\n", lines.join("\n")), &changes))?;
    }

    #[test]
    fn sound_base_with_any_layers(arms in 0..3_usize, changes in changes(), grid in prop::collection::vec(any_word(VARIES), 0..3)) {
        let mut text = format!("seeds = 2\n{TOP}[dynamics]\nuntil = 3\n[vary]\n");
        for line in grid {
            let (key, values) = line.split_once('=').unwrap_or_default();
            text += &format!("{key} = '{values}'\n");
        }
        for arm in 0..arms {
            text += &format!("[[arm]]\nname = 'arm {arm}'\n");
            text += ["", "dynamics = { kind = 'gd', rate = 1, steps = 1 }\n", "system.heads = 3\n"][arm];
        }
        behaves(read(&text, &changes))?;
    }

    #[test]
    fn any_words(spec in "[0-9.:,logx\\[\\]\"' -]{0,12}", key in any_word("system.heads start.scale system.noise dynamics.until record.observables")) {
        let vary = vec![format!("{key}={spec}")];
        behaves(read(TOP, &Changes { vary, ..Changes::default() }))?;
        text_behaves(&format!("{TOP}[vary]\n{key} = '''{spec} '''\n"))?;
        behaves(read(TOP, &Changes { seeds: Some(spec), ..Changes::default() }))?;
    }
}
