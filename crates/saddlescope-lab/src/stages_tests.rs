use super::*;

const TOML: &str = include_str!("stages.toml");

fn run(changes: &[&str]) -> (Run, RunEnding) {
    let experiment = Experiment::from_text("test", TOML, changes, &ALL).unwrap();
    let run = Run::new(&experiment).unwrap();
    let finished = run.execute(|_, _| saddlescope::record::Control::Continue);
    (run, finished)
}

#[test]
fn the_stages_of_a_flow_are_those_of_the_theory() {
    let (run, finished) = run(&[]);
    let found = run.stages(&finished, &Settings::default()).unwrap();
    let theory = &run.problem.levels;
    assert_eq!(found.plateaus.len(), theory.len());
    for (plateau, level) in found.plateaus.iter().zip(theory) {
        let (value, error) = (plateau.height, plateau.height_error);
        assert!((value - level).abs() < 5.0 * error + 1e-3, "{value} ± {error} for {level}");
    }
    for (m, crossing) in finished.end.crossings.iter().enumerate() {
        let time = crossing.time.unwrap();
        let jump = &found.transitions[m];
        assert_eq!(jump.exact, Some(time));
        let off = (jump.time - time).abs();
        assert!(off < 4.0 * jump.time_error + 1e-3 * time, "{jump:?} for {time}");
        let learned = jump.moved.iter().find(|one| one.family == "learned.*").unwrap();
        assert_eq!(learned.name, format!("learned.{m}"));
        assert!(learned.share > 0.9, "{learned:?}");
    }
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["transitions"][1]["exact"], found.transitions[1].exact.unwrap());
    assert_eq!(serde_json::from_value::<Stages>(json).unwrap(), found);
    assert!(text(&found).contains("(exact)"), "{}", text(&found));
}

#[test]
fn crossings_of_a_batch_loss_are_not_exact() {
    let noisy = ["system.loss=\"online\"", "system.batch=2000", "dynamics.kind=\"sgd\""];
    let noisy = [&noisy[..], &["dynamics.rate=0.5", "dynamics.steps=1600"]].concat();
    let (run, finished) = run(&noisy);
    let found = run.stages(&finished, &Settings::default()).unwrap();
    assert!(found.transitions.iter().all(|jump| jump.exact.is_none()));
    assert_eq!(found.transitions.len(), 3, "{}", text(&found));
    for (jump, truth) in found.transitions.iter().zip([306.5, 545.8, 1230.6]) {
        assert!((jump.time / truth - 1.0).abs() < 0.05, "{jump:?} for {truth}");
    }
    assert!(found.noise > 0.0);
}

#[test]
fn what_cannot_be_looked_for_says_why() {
    let (run, finished) = run(&["record.observables=[\"gradient.norm\"]"]);
    let why = run.stages(&finished, &Settings::default()).unwrap_err();
    assert_eq!(why, "`loss` was not recorded; recorded are gradient.norm");
}

#[test]
fn errors_have_two_digits_and_values_as_many_as_they_leave() {
    for (value, error, words) in [
        (0.640_58, 0.004_7, "0.6406 ± 0.0047"),
        (605.572_7, 0.087_7, "605.573 ± 0.088"),
        (4870.48, 21.8, "4870 ± 22"),
        (1.0, 0.0, "1"),
        (1.0, 1e-9, "1"),
        (123_456.0, 2_500.0, "123456 ± 2.5e3"),
    ] {
        assert_eq!(with_error(value, error), words);
    }
}
