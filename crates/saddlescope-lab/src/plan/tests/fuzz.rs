//! Whatever is thrown at plans: no panic, every error has a place, what is accepted reads back.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::select;

use super::{TOP, read};
use crate::error::Error;
use crate::experiment::tests::fuzz::behaves;
use crate::plan::{Changes, Plan, Size};

fn plan_behaves(result: Result<Plan, Error>) -> Result<(), TestCaseError> {
    if let Ok(plan) = &result {
        let labels: HashSet<_> = plan.members.iter().map(|member| &member.label).collect();
        prop_assert_eq!(labels.len(), plan.members.len());
    }
    behaves(result, Plan::to_toml, |text| read(text, &Changes::default()))
}

/// Lines of files, sound and not.
const LINES: [&str; 40] = [
    "[vary]",
    "[[arm]]",
    "[paper]",
    "[[paper.arm]]",
    "[figure]",
    "[[figure.panel]]",
    "[dynamics]",
    "[[dynamics]]",
    "[start]",
    "[record]",
    "[arm.dynamics]",
    "[paper.vary]",
    "name = \"flow\"",
    "name = \"Adam, 0.1\"",
    "seeds = 3",
    "kind = \"gd\"",
    "kind = \"points\"",
    "x = \"start.scale\"",
    "y = [\"crossing.*\"]",
    "rate = 0.1",
    "steps = 5",
    "until = 5",
    "dynamics.kind = \"gd\"",
    "dynamics.kind = [\"gd\", \"flow\"]",
    "dynamics = { kind = \"adam\", rate = 0.1, steps = 3 }",
    "dynamics = [{ until = 1 }, { until = 2 }]",
    "dynamics.1.until = [1, 2]",
    "dynamics.rate = 0.5",
    "dynamics.rate = [0.5, 1]",
    "dynamics.rates.\"a.*\" = [0.5, 1]",
    "dynamics.steps = \"1..9\"",
    "\"start.scale\" = \"0.1..1:log3\"",
    "start.scale = 3",
    "start = { kind = \"given\", value = [1, 2] }",
    "system.heads = [1, 2]",
    "system.noise = [\"none\", \"normal\"]",
    "system.noise_size = 3",
    "system.eigenvectors = [\"identity\", [[1, 0], [0, 1]]]",
    "record.sampling = \"every\"",
    "columns = 3",
];

const SETS: [&str; 10] = [
    "dynamics.kind=gd",
    "dynamics.kind=adam",
    "dynamics.rate=0.5",
    "dynamics.steps=5",
    "dynamics.until=7",
    "dynamics.0.rtol=0.1",
    "system.noise=normal",
    "start.scale=2",
    "seeds=2",
    "figure.columns=1",
];

const VARIES: [&str; 7] = [
    "dynamics.rate=0.1..1:log3",
    "dynamics.kind=gd,flow",
    "system.heads=1..3",
    "system.noise=none,normal",
    "system.noise_size=1,2",
    "start.scale=0..1:2",
    "dynamics.until=converged,4",
];

fn lines() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&LINES[..]), 0..9)
        .prop_map(|lines| format!("{TOP}{}\n", lines.join("\n")))
}

fn changes() -> impl Strategy<Value = Changes> {
    let list = |all: &'static [&'static str]| {
        prop::collection::vec(select(all).prop_map(str::to_owned), 0..3)
    };
    let seeds = select(vec![None, Some("2".to_owned()), Some("3..4".to_owned())]);
    (list(&SETS), list(&VARIES), seeds, select(&Size::ALL[..])).prop_map(
        |(set, vary, seeds, size)| Changes { size, set, vary, seeds, ..Changes::default() },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_lines(text in lines(), changes in changes()) {
        plan_behaves(read(&text, &changes))?;
    }

    #[test]
    fn sound_base_with_any_layers(arms in 0..3_usize, changes in changes(), grid in prop::collection::vec(select(&VARIES[..]), 0..3)) {
        let mut text = format!("seeds = 2\n{TOP}[dynamics]\nuntil = 3\n[vary]\n");
        for line in grid {
            let (key, values) = line.split_once('=').unwrap_or_default();
            text += &format!("{key} = '{values}'\n");
        }
        for arm in 0..arms {
            text += &format!("[[arm]]\nname = 'arm {arm}'\n");
            text += ["", "dynamics = { kind = 'gd', rate = 1, steps = 1 }\n", "system.heads = 3\n"][arm];
        }
        plan_behaves(read(&text, &changes))?;
    }

    #[test]
    fn any_words(spec in "[0-9.:,logx\\[\\]\"' -]{0,12}", key in select(&["system.heads", "start.scale", "system.noise", "dynamics.until", "record.observables"][..])) {
        let vary = vec![format!("{key}={spec}")];
        plan_behaves(read(TOP, &Changes { vary, ..Changes::default() }))?;
        plan_behaves(read(&format!("{TOP}[vary]\n{key} = '''{spec} '''\n"), &Changes::default()))?;
        plan_behaves(read(TOP, &Changes { seeds: Some(spec), ..Changes::default() }))?;
    }
}
