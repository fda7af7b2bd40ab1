//! Every column that a system records or comes to is declared with its meaning, and every declaration is of such a column.

use std::collections::{BTreeMap, BTreeSet};

use saddlescope_lab::observables;
use saddlescope_lab::plan::{Changes, Plan};
use saddlescope_lab::registry::Registry;
use saddlescope_spec::problem::Problem;
use saddlescope_spec::quantity::{self, Quantity};
use saddlescope_spec::settings::{Kind, Settings, Value};
use saddlescope_systems::{ALL, SYSTEMS};

/// What no experiment that ships has.
const MORE: [(&str, &[&str]); 4] = [
    ("linear-attention", &["system.attention=\"full\"", "system.loss=\"empirical\""]),
    ("linear-attention", &["system.attention=\"full-merged\"", "system.loss=\"empirical\""]),
    ("linear-attention", &["system.attention=\"cubic\"", "start.scale=0.01"]),
    ("sparse-markov", &["system.model=\"minimal\"", "system.contexts=[2]"]),
];

/// What decides which columns there are: words, switches and lists, whether there is one of something or are several, and
/// whether a share is nothing, the whole or a part.
fn form(settings: &Settings) -> String {
    let form = |(name, value): (&'static str, &Value)| match value {
        Value::Text(_) | Value::Texts(_) | Value::Switch(_) => Some(format!("{name}={value:?}")),
        Value::Integer(count) => Some(format!("{name}={}", (*count).clamp(0, 2))),
        Value::Number(share) => Some(format!("{name}={:?}", (*share > 0.0, *share == 1.0))),
        Value::Numbers(_) => Some(name.to_owned()),
        _ => None,
    };
    format!("{:?} {}", settings.kind(), settings.iter().filter_map(form).collect::<String>())
}

/// Name, text and changed settings of all shipped experiments, and of each word that a setting may be.
fn texts() -> Vec<(String, String, Vec<String>)> {
    let plain = |name: &str| format!("[system]\nname = \"{name}\"\n");
    let mut all = Vec::new();
    for schema in SYSTEMS.iter().map(|system| system.schema()) {
        all.push((schema.name.to_owned(), plain(schema.name), Vec::new()));
        for parameter in schema.system.parameters {
            if let Kind::Choice(words) = parameter.kind {
                let set = |word: &str| format!("system.{}=\"{word}\"", parameter.name);
                let with = |(word, _): &(&str, _)| (set(word), plain(schema.name), vec![set(word)]);
                all.extend(words.iter().map(with));
            }
        }
        for shipped in schema.experiments {
            all.push((shipped.name.to_owned(), shipped.text.to_owned(), Vec::new()));
        }
    }
    for (name, set) in MORE {
        all.push((name.to_owned(), plain(name), set.iter().map(ToString::to_string).collect()));
    }
    all
}

/// Their problems by system, those of one form once, each with its place.
fn problems() -> BTreeMap<&'static str, Vec<(String, Problem)>> {
    let registry = Registry::new(&[ALL]).unwrap();
    let (mut seen, mut all) = (BTreeSet::new(), BTreeMap::<_, Vec<_>>::new());
    for (name, text, set) in texts() {
        // One word alone may not go with the rest.
        let may_fail = set.len() == 1;
        let plan = Plan::from_text(&name, &text, &Changes { set, ..Changes::default() }, &registry);
        if may_fail && plan.is_err() {
            continue;
        }
        for member in plan.unwrap().members {
            let experiment = member.experiment;
            let (system, settings, start) =
                (experiment.system, &experiment.settings, &experiment.start);
            if seen.insert((system.name(), form(settings), form(start))) {
                match system.problem(settings, start, experiment.seed()) {
                    Ok(problem) => {
                        all.entry(system.name())
                            .or_default()
                            .push((format!("{name} {}", member.label), problem));
                    }
                    Err(error) => assert!(may_fail, "{name}: {error}"),
                }
            }
        }
    }
    all
}

#[test]
fn every_column_is_declared_and_every_declaration_is_of_a_column() {
    let (mut wrong, problems) = (BTreeMap::new(), problems());
    for schema in SYSTEMS.iter().map(|system| system.schema()) {
        let (mut observed, mut read) = (BTreeSet::new(), BTreeSet::new());
        for (place, problem) in &problems[schema.name] {
            for one in problem.observables.iter() {
                match quantity::find(schema.observables, &one.name) {
                    Some(found) if one.shape.len() <= found.rank => {
                        observed.insert(found.family);
                    }
                    Some(found) => {
                        wrong.insert(
                            format!(
                                "`{}` has shape {:?}, not as `{}`",
                                one.name, one.shape, found.family
                            ),
                            place,
                        );
                    }
                    None => {
                        wrong.insert(format!("observable `{}` is not declared", one.name), place);
                    }
                }
            }
            for name in &problem.outcome_names {
                match quantity::find(&[schema.outcomes], name) {
                    Some(found) => {
                        read.insert(found.family);
                    }
                    None => {
                        wrong.insert(format!("outcome `{name}` is not declared"), place);
                    }
                }
            }
        }
        let unused = |list: &[Quantity], seen: &BTreeSet<String>| -> Vec<String> {
            let unseen = list.iter().filter(|one| !seen.contains(one.name));
            unseen.map(|one| format!("{}: nothing is called `{}`", schema.name, one.name)).collect()
        };
        // Parameters of transformers are declared for all of them.
        assert_eq!(unused(schema.observables[0], &observed), Vec::<String>::new());
        assert_eq!(unused(schema.outcomes, &read), Vec::<String>::new());
    }
    let wrong: Vec<String> =
        wrong.into_iter().map(|(what, place)| format!("{what} ({place})")).collect();
    assert!(
        wrong.is_empty(),
        "declare it in the system's readings/quantities.rs:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_page_of_the_book_is_written_from_the_declarations() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/look-up/observables.md");
    let page = observables::page(SYSTEMS);
    if std::fs::read_to_string(path).unwrap_or_default() != page {
        std::fs::write(path, page).unwrap();
        panic!(
            "docs/book/src/look-up/observables.md was not what the systems declare; it is written again"
        );
    }
}
