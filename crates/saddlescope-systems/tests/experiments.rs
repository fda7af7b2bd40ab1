//! What ships draws the whole of its runs at both sizes.

use std::collections::BTreeSet;

use saddlescope::analysis::stages::{Settings, Transition};
use saddlescope::record::Control;
use saddlescope_lab::experiment::Experiment;
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::plan::{Changes, Plan, Size};
use saddlescope_lab::registry::Registry;
use saddlescope_lab::run::Run;
use saddlescope_lab::stages;
use saddlescope_spec::figure::{Axes, Contents, Instants, PanelSpec};
use saddlescope_spec::outcome::OutcomeValue;
use saddlescope_spec::settings::{self, Value};
use saddlescope_systems::ALL;

/// Panels that show a part of their runs on purpose, or runs that end before their time is over.
const ON_PURPOSE: &[(&str, &str)] = &[
    // Keys and queries take off at the beginning.
    ("ngram-to-induction/fig2", "(d) keys and queries take off"),
];

/// How long a run is planned to be, in steps or in steps by their rate; what that is in time does not matter here.
fn length(experiment: &Experiment, in_steps: bool) -> f64 {
    let phase = |settings: &settings::Settings| {
        let number = |name: &str| match settings.find(name)? {
            Value::Integer(value) => Some(value as f64),
            value => value.as_number(),
        };
        match (number("steps"), number("rate"), settings.kind()) {
            (Some(steps), Some(rate), Some("gd" | "sgd" | "momentum")) if !in_steps => steps * rate,
            (Some(steps), ..) => steps,
            (None, ..) => number("until").unwrap_or(f64::INFINITY),
        }
    };
    experiment.dynamics.iter().map(phase).sum()
}

fn longest(plan: &Plan, in_steps: bool) -> f64 {
    plan.members.iter().map(|member| length(&member.experiment, in_steps)).fold(0.0, f64::max)
}

/// What a panel pins to numbers, where these are of time or of steps.
fn pinned(panel: &PanelSpec) -> Option<(&'static str, bool)> {
    let ranged = |axes: &Axes| axes.x_range.is_some();
    match &panel.contents {
        Contents::Lines(lines) if ranged(&panel.axes) => match lines.x.as_str() {
            "time" => Some(("x_range", false)),
            "step" => Some(("x_range", true)),
            _ => None,
        },
        Contents::Evolution(_) if ranged(&panel.axes) => Some(("x_range", false)),
        Contents::Heatmap(map) => match (&map.at, &map.at_steps, &map.at_parts) {
            (_, _, Some(_)) => None,
            (_, Some(steps), _) if steps.len() > 1 => Some(("at_steps", true)),
            (Instants::Times(times), None, _) if times.len() > 1 => Some(("at", false)),
            _ => None,
        },
        _ => None,
    }
}

/// Panels of an experiment that show no more of its longer runs at the paper's size, by their titles, and how.
fn short_panels(name: &str, text: &str, registry: &Registry) -> Vec<(String, String)> {
    let [quick, paper] = [Size::Quick, Size::Paper].map(|size| {
        let changes = Changes { size, ..Changes::default() };
        let plan = Plan::from_text(name, text, &changes, registry).or_else(|_| {
            let changes = Changes { sweep: true, ..changes };
            Plan::from_text(name, text, &changes, registry)
        });
        plan.unwrap()
    });
    let mut short = Vec::new();
    for panel in paper.figure.iter().flat_map(|figure| &figure.spec.panels) {
        let Some((what, in_steps)) = pinned(panel) else { continue };
        let times = longest(&paper, in_steps) / longest(&quick, in_steps);
        if times > 1.01 {
            let title = panel.title.clone().unwrap_or_default();
            let how = format!(
                "{what} is the same for runs {times:.1} times as long: use x_from or at_parts"
            );
            short.push((title, how));
        }
    }
    short
}

#[test]
fn figures_follow_the_size() {
    let registry = Registry::new(&[ALL]).unwrap();
    let (mut wrong, mut excused) = (Vec::new(), BTreeSet::new());
    for shipped in registry.experiments() {
        for (title, how) in short_panels(shipped.name, shipped.text, &registry) {
            if ON_PURPOSE.contains(&(shipped.name, &*title)) {
                excused.insert((shipped.name, title));
            } else {
                wrong.push(format!("{}, {title}: {how}", shipped.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(excused.len(), ON_PURPOSE.len(), "an exception that is none: {excused:?}");

    for (name, follows, pinned) in [
        ("sparse-markov/fig1", "x_from = 3.0", "x_range = [3.0, 2000.0]"),
        (
            "sparse-markov/fig6",
            "at_parts = [0.0, 0.075, 0.3, 1.0]",
            "at_steps = [0, 150, 600, 2000]",
        ),
    ] {
        let text = registry.experiment(name).unwrap().text.replacen(follows, pinned, 1);
        assert_eq!(short_panels(name, &text, &registry).len(), 1, "{name}");
    }
}

/// At the paper's size the file says how it departs from the paper; at the quick size nothing is claimed.
#[test]
fn departures_from_the_paper_are_said_at_its_size() {
    let registry = Registry::new(&[ALL]).unwrap();
    let said = |name: &str, size: Size| {
        let changes = Changes { size, ..Changes::default() };
        let text = registry.experiment(name).unwrap().text;
        Plan::from_text(name, text, &changes, &registry).unwrap().departure()
    };
    assert_eq!(said("sparse-markov/fig1", Size::Quick), None);
    let longer = "4000 steps for the paper's 2000, without the schedule of Table 2";
    assert_eq!(said("sparse-markov/fig4", Size::Paper).as_deref(), Some(longer));
    // `differs = ""` takes back what the extended file says.
    assert_eq!(said("sparse-markov/fig18", Size::Paper), None);
    let text = said("ngram-to-induction/fig2", Size::Paper).unwrap();
    assert!(text.contains("built-in text"), "{text}");
}

/// 002, Fig. 1: the whole loss hides the emergence of the induction head behind the 4-gram; its own part shows it.
#[test]
fn the_induction_head_emerges_in_a_transition_of_its_own_loss() {
    let registry = Registry::new(&[ALL]).unwrap();
    let shipped = registry.experiment("ngram-to-induction/fig1").unwrap();
    let plan = Plan::from_text(shipped.name, shipped.text, &Changes::default(), &registry).unwrap();
    let flow = plan.members.iter().find(|member| member.arm.as_deref() == Some("flow")).unwrap();
    let run = Run::new(&flow.experiment).unwrap();
    let result = RunResult::new(&run, run.execute(|_, _| Control::Continue));
    let found = result.find_stages("loss.ih", &Settings::default()).unwrap();
    // The system reads off the same column when half of the plateau is left, by its known height.
    let half = result.facts.outcomes.iter().find(|one| one.name == "T_half_plateau").unwrap();
    let OutcomeValue::Number(half) = half.value else { panic!("{half:?}") };
    let near = |one: &Transition| (one.half_done() / half - 1.0).abs() < 0.02;
    assert!(found.transitions.iter().any(near), "{half}\n{}", stages::text(&found));
    let why = result.find_stages("loss.ig", &Settings::default()).unwrap_err();
    assert!(why.contains("did you mean `loss.ih`?"), "{why}");
}
