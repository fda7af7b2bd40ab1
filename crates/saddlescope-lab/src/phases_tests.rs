use super::*;

/// The problem of a `[system]` section with the settings of a `[dynamics]` section.
fn prepared(system: &str, dynamics: &str) -> (Problem, Settings) {
    let text = format!("[system]\nname = \"linear-attention\"\n{system}\n[dynamics]\n{dynamics}");
    let experiment = Experiment::from_text("mine", &text, &[], &ALL).unwrap();
    let problem = experiment.system.problem(&experiment.settings, &experiment.start, 0).unwrap();
    (problem, experiment.dynamics[0].clone())
}

#[test]
fn the_smallest_cut_of_a_rate_is_that_of_pytorch() {
    for rate in [1e-9, 0.01, 3.0] {
        let text = format!("kind = \"gd\"\nrate = {rate:e}\nsteps = 1\nschedule = \"plateau\"\n");
        let (problem, settings) = prepared("", &text);
        let Motion::Descent(steps) = phase(&settings, &problem, &[]).unwrap().motion else {
            unreachable!("a descent");
        };
        let ScheduleKind::Plateau(plateau) = steps.schedule else { unreachable!("a plateau") };
        assert!((plateau.least_change * rate - 1e-8).abs() < 1e-22, "{plateau:?}");
    }
}

#[test]
fn the_length_of_a_segment_is_declared_for_a_model_whatever_its_sizes() {
    let steps = |system: &str| prepared(system, "").0.segment_steps;
    assert_eq!((steps(""), steps("heads = 9\nrank = 3")), (1_000_000, 1_000_000));
    for sequences in [10, 2000] {
        let sequences = format!("loss = \"empirical\"\nsequences = {sequences}\n");
        assert_eq!(steps(&format!("attention = \"softmax\"\n{sequences}")), 2_000);
        assert_eq!(steps(&format!("attention = \"full\"\n{sequences}")), 10_000);
    }
}

#[test]
fn a_theory_ends_where_it_knows_its_minimum_whatever_the_loss() {
    let batches = "loss = \"online\"\nbatch = 8";
    let (problem, settings) = prepared(batches, "kind = \"reduced\"");
    let phase = phase(&settings, &problem, &[]).unwrap();
    let Motion::Reduced { theory, flow } = phase.motion else { unreachable!("a theory") };
    assert_eq!((theory.as_str(), flow.until), ("staged", f64::INFINITY));
    let [event] = &*phase.events else { panic!("{:?}", phase.events) };
    let Condition::Converged { floor, .. } = event.condition else { panic!("{event:?}") };
    assert_eq!(Some(&floor), problem.levels.last());
}

#[test]
fn a_theory_that_cannot_be_had_says_why() {
    let said = |system: &str, dynamics: &str| {
        let (problem, settings) = prepared(system, &format!("kind = \"reduced\"\n{dynamics}"));
        phase(&settings, &problem, &[]).unwrap_err().to_string()
    };
    for (system, dynamics, words) in [
        (
            "",
            "theory = \"scalar\"",
            "`dynamics.theory` cannot be had: no theory is called `scalar`",
        ),
        ("", "theory = \"scalar\"", "there are `staged`, `scalar-law`"),
        (
            "rank = 2",
            "theory = \"scalar-law\"",
            "`scalar-law` does not apply: rank is 2, expected 1",
        ),
        ("attention = \"full\"\nloss = \"empirical\"\nsequences = 9", "", "does not apply"),
        ("", "freeze = [\"head.*.key\"]", "`dynamics.freeze` does not go with"),
        ("", "stop_below_gradient = 1e-3", "`dynamics.stop_below_gradient` does not go with"),
    ] {
        let said = said(system, dynamics);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn descents_can_end_where_a_flow_would_have_converged() {
    let descent = "kind = \"gd\"\nrate = 0.1\nsteps = 10\nstop_converged = true\n";
    for (system, is_known) in [
        ("", true),
        ("loss = \"empirical\"\nsequences = 100\n", true),
        // Three directions are less than any `Theta` needs.
        ("loss = \"empirical\"\nsequences = 100\nheads = 3\n", false),
    ] {
        let (problem, settings) = prepared(system, descent);
        let found = phase(&settings, &problem, &[]);
        if !is_known {
            let error = found.unwrap_err().to_string();
            assert!(
                error.contains("`dynamics.stop_converged` is true, but the minimum"),
                "{error}"
            );
            continue;
        }
        let phase = found.unwrap();
        let [event] = &*phase.events else { panic!("{:?}", phase.events) };
        let Condition::Converged { floor, .. } = event.condition else { panic!("{event:?}") };
        assert_eq!((Some(floor), event.stops), (problem.least_loss, true));
    }
}

#[test]
fn only_a_single_number_can_be_stopped_on() {
    let stop = |of: &str| {
        let lines = format!("kind = \"gd\"\nrate = 0.1\nsteps = 1\nstop_on = \"{of}\"\n");
        let (problem, settings) = prepared("", &lines);
        phase(&settings, &problem, &[]).map(|phase| phase.early_stop.unwrap())
    };
    let early = stop("norm.head.0.key").unwrap();
    assert_eq!((early.every, early.patience, early.threshold), (100, 10, 0.0));
    let said = |of: &str| stop(of).unwrap_err().to_string();
    let words = "`dynamics.stop_on` is \"head.0.key\", which is more than a single number";
    assert!(said("head.0.key").contains(words), "{}", said("head.0.key"));
    let words = "`dynamics.stop_on` is \"los\", which is no observable; did you mean `loss`?";
    assert!(said("los").contains(words), "{}", said("los"));
}
