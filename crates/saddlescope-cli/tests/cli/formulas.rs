//! Every TeX command that the program may print or draw is in the one table of them.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use saddlescope_draw::unknown_commands;
use saddlescope_lab::plan::{Changes, Plan};
use saddlescope_lab::registry::Registry;
use saddlescope_lab::run::Run;
use saddlescope_spec::prediction::Says;
use saddlescope_spec::shipped::ShippedExperiment;
use toml::Value;

static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| saddlescope_cli::registry(saddlescope_cli::Addition::default()).unwrap());

/// Checks the commands of a text, and counts its formulas.
fn checked(place: &str, text: &str) -> usize {
    let unknown = unknown_commands(text);
    assert!(unknown.is_empty(), "{place}: {unknown:?} in {text}");
    text.matches('$').count() / 2
}

#[test]
fn commands_in_claims_are_known() {
    let mut formulas = 0;
    for claim in REGISTRY.claims().unwrap() {
        let words = [&claim.place, &claim.text].into_iter();
        for text in words.chain(&claim.correction).chain(&claim.printed).chain(&claim.assumptions) {
            formulas += checked(&claim.id, text);
        }
    }
    assert!(formulas > 500, "only {formulas} formulas");
}

#[test]
fn commands_in_experiments_are_known() {
    fn count(name: &str, value: &Value) -> usize {
        match value {
            Value::String(text) => checked(name, text),
            Value::Array(values) => values.iter().map(|value| count(name, value)).sum(),
            Value::Table(table) => {
                table.iter().map(|(key, value)| checked(name, key) + count(name, value)).sum()
            }
            _ => 0,
        }
    }
    let one = |shipped: &ShippedExperiment| {
        count(shipped.name, &Value::Table(shipped.text.parse().expect("a file in TOML")))
    };
    let formulas: usize = REGISTRY.experiments().iter().map(one).sum();
    assert!(formulas > 100, "only {formulas} formulas");
}

/// Of the first run of each arm, after its first step.
#[test]
fn commands_in_labels_figures_and_predictions_are_known() {
    let stop = Arc::new(AtomicBool::new(true));
    let (mut labels, mut predictions) = (0, 0);
    for shipped in REGISTRY.experiments() {
        let (name, changes) = (shipped.name, Changes::default());
        let mut plan = Plan::from_text(name, shipped.text, &changes, &REGISTRY).unwrap();
        plan.members.dedup_by(|later, first| later.arm == first.arm);
        for member in &plan.members {
            let run = Run::new(&member.experiment).unwrap();
            let finished = run.execute_shown(&stop, |_, _, _| {});
            for prediction in run.predictions(&finished) {
                predictions += checked(name, &prediction.label);
                if let Says::Matrix { title, rows, .. } = &prediction.says {
                    predictions += checked(name, title);
                    predictions += rows.iter().map(|row| checked(name, row)).sum::<usize>();
                }
            }
            let names = run.problem.observables.iter().map(|observable| observable.name.clone());
            for column in names.chain(run.columns()).chain(run.problem.outcome_names.clone()) {
                labels += checked(name, &run.experiment.label(&column).unwrap_or_default());
            }
            for shown in
                [format!("{:?}", run.experiment.figure()), format!("{:?}", run.experiment.sketch())]
            {
                labels += checked(name, &shown.replace("\\\\", "\\"));
            }
        }
    }
    assert!(
        labels > 1000 && predictions > 100,
        "only {labels} formulas in labels and {predictions} in predictions"
    );
}
