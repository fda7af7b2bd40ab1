use saddlescope::dynamics::{Motion, Optimiser, Phase, ScheduleKind, Steps};
use saddlescope::flow::Flow;
use saddlescope::record::{Moment, Recording, Sampling, Silent};
use saddlescope_spec::analysis::invariants::account;
use saddlescope_spec::outcome::OutcomeValue;
use saddlescope_spec::settings::Input;
use saddlescope_spec::system::System;

use super::*;
use crate::{Outputs, ScanAndSnap, Synthetic};

type Pairs<'a> = &'a [(&'a str, Input)];

fn text(word: &str) -> Input {
    Input::Text(word.to_owned())
}

fn prepared(system: Pairs<'_>, start: Pairs<'_>) -> Result<Problem, SettingsError> {
    let schema = ScanAndSnap.schema();
    let system = schema.system.resolve_program(system).map_err(|mut errors| errors.remove(0))?;
    let start = schema.start.resolve_program(start).map_err(|mut errors| errors.remove(0))?;
    assert!(ScanAndSnap.bytes(&system) > 0);
    ScanAndSnap.problem(&system, &start, 3)
}

fn embedding(dimension: i64, normalised: &str) -> Vec<(&'static str, Input)> {
    vec![
        ("model", text("embedding")),
        ("dimension", Input::Integer(dimension)),
        ("normalised", text(normalised)),
    ]
}

fn read(problem: &Problem, name: &str, state: &[f64]) -> f64 {
    let observable = problem.observables.iter().find(|one| one.name == name).unwrap();
    let mut value = vec![0.0; observable.width()];
    let moment = Moment { time: 0.0, step: 0, loss: 0.0, state, gradient: state };
    observable.compute(&moment, &mut value);
    value[0]
}

fn momentum((rate, steps): (f64, u64), freeze: &[&str]) -> Phase {
    let rule = Optimiser::Momentum { momentum: 0.9, dampening: 0.0 };
    let schedule = ScheduleKind::Constant;
    let motion = Motion::Descent(Steps { rule, rate, steps, schedule, clip: None });
    let freeze = freeze.iter().map(|&name| name.to_owned()).collect();
    Phase { freeze, ..Phase::new(motion) }
}

/// Orthonormal embeddings that stay, and matrices that start at zero: the decoder learns as it does in `Y`.
#[test]
fn a_run_of_the_value_matrix_alone_is_one_of_y() {
    let start = [("kind", text("orthogonal")), ("scale", Input::Number(0.0))];
    let pairwise = prepared(&[], &[]).unwrap();
    for normalised in ["weights", "embedding"] {
        let problem = prepared(&embedding(40, normalised), &start).unwrap();
        let one =
            problem.run(&[momentum((1.0, 12), &["u", "w_k", "w_q"])], 0, &mut Silent).unwrap();
        let two = pairwise.run(&[momentum((1.0, 12), &["z"])], 0, &mut Silent).unwrap();
        assert!((one.phases[0].loss / two.phases[0].loss - 1.0).abs() < 1e-11);
        assert!(one.phases[0].loss < 0.1);
        let names = ["entropy", "attention.common", "z.dominant", "overlap"];
        for name in names.into_iter().chain((normalised == "weights").then_some("lead")) {
            let apart = read(&problem, name, &one.state) - read(&pairwise, name, &two.state);
            assert!(apart.abs() < 1e-11, "{name}: {apart}");
        }
        assert!((read(&problem, "stretch", &one.state) - 1.0).abs() < 1e-14);
        assert!(read(&problem, "coherence", &one.state) < 1e-14);
        let outcome = |problem: &Problem, state: &[f64], name: &str| {
            let trajectory = Recording::new(Observables::default(), Sampling::adaptive(4)).finish();
            let seen = RunData { trajectory: &trajectory, crossings: &[], state };
            let found = problem.outcomes(seen);
            match found.iter().find(|one| one.name == name).map(|one| &one.value) {
                Some(OutcomeValue::Number(number)) => Some(*number),
                _ => None,
            }
        };
        for name in ["exact_loss", "entropy", "common"] {
            let values =
                (outcome(&problem, &one.state, name), outcome(&pairwise, &two.state, name));
            assert!((values.0.unwrap() / values.1.unwrap() - 1.0).abs() < 1e-11, "{name}");
        }
    }
}

#[test]
fn the_ledger_of_a_flow_is_balanced() {
    for (normalised, dimension, count) in
        [("weights", 4, 20), ("embedding", 4, 10), ("weights", 12, 2)]
    {
        let problem =
            prepared(&embedding(dimension, normalised), &[("kind", text("random"))]).unwrap();
        let stage = Phase::new(Motion::Flow(Flow::default().until(10.0)));
        let account = account(&problem, &stage, 0).unwrap();
        assert_eq!(account.entries.len(), count);
        let worst = account.worst().unwrap();
        assert!(worst.most < 1e-8, "{worst:?}");
        assert!(account.loss < 0.1, "{}", account.loss);
    }
}

/// Symmetries move the state, not the loss; and linear maps of embeddings are none where the embedded vector is
/// normalised.
#[test]
fn the_loss_is_level_along_symmetries() {
    for (normalised, count) in [("weights", 2 * 16), ("embedding", 16 + 6)] {
        let problem = prepared(&embedding(4, normalised), &[("kind", text("random"))]).unwrap();
        let state = &problem.init;
        let mut gradient = vec![0.0; state.len()];
        problem.surface().unwrap().probe().evaluate(state, &mut gradient).unwrap();
        let slope = |direction: &[f64]| -> f64 {
            direction.iter().zip(&gradient).map(|(a, b)| a * b).sum()
        };
        let directions = problem.symmetry_directions(state);
        assert_eq!(directions.len(), count);
        for direction in &directions {
            assert!(slope(direction).abs() < 1e-14);
            assert!(direction.iter().any(|x| x.abs() > 1e-3));
        }
        if normalised == "embedding" {
            let embedding = Embedding::new(
                Shape::new(Synthetic::authors(2, 1).task().unwrap(), Outputs::All),
                4,
            )
            .unwrap();
            let linear = embedding.symmetry_directions(state, true).unwrap();
            assert!(linear.iter().any(|direction| slope(direction).abs() > 1e-3));
        }
    }
}

/// Drawn sequences: the loss is that of the implied parameters on the same draws, and nears that of endless ones.
#[test]
fn drawn_sequences_are_seen_through_the_embedding() {
    let sampled = [("loss", text("empirical")), ("sequences", Input::Integer(4000))];
    let mut system = embedding(12, "weights");
    system.extend(sampled.clone());
    let start = [("kind", text("random")), ("scale", Input::Number(2.0))];
    let problem = prepared(&system, &start).unwrap();
    let shape = Shape::new(Synthetic::authors(2, 1).task().unwrap(), Outputs::All);
    let inner = Embedding::new(shape, 12).unwrap().implied(&problem.init).unwrap();
    let pairwise = prepared(&sampled, &[]).unwrap();
    let loss = |problem: &Problem, state: &[f64]| {
        let mut gradient = vec![0.0; state.len()];
        let loss = problem.surface().unwrap().probe().evaluate(state, &mut gradient).unwrap();
        (loss, gradient)
    };
    let (one, gradient) = loss(&problem, &problem.init);
    let (two, _) = loss(&pairwise, &inner);
    assert!((one - two).abs() < 1e-13, "{one} {two}");
    let (exact, _) = loss(&problem.without_data().unwrap(), &problem.init);
    assert!((one - exact).abs() < 0.1 && one != exact, "{one} {exact}");
    let mut state = problem.init.to_vec();
    for k in (0..state.len()).step_by(37) {
        let before = state[k];
        let mut at = |place: f64| {
            state[k] = place;
            loss(&problem, &state).0
        };
        let difference = (at(before + 1e-5) - at(before - 1e-5)) / 2e-5;
        state[k] = before;
        assert!((gradient[k] - difference).abs() < 1e-9, "{k}: {} {difference}", gradient[k]);
    }
    system.retain(|(name, _)| *name != "loss" && *name != "sequences");
    system.push(("loss", text("online")));
    let online = prepared(&system, &start).unwrap();
    assert!(online.loss.draws_batches() && online.surface().is_none());
    assert_eq!(loss(&online.without_noise().unwrap(), &problem.init).0, exact);
    let end = online.run(&[momentum((0.01, 60), &[])], 1, &mut Silent).unwrap();
    assert!(end.phases[0].loss < 0.5 * exact, "{}", end.phases[0].loss);
}

#[test]
fn what_does_not_fit_is_refused_by_the_setting() {
    let error = |system: Pairs<'_>, start: Pairs<'_>| {
        prepared(system, start).err().map(|error| error.problem.to_string()).unwrap_or_default()
    };
    let random = [("kind", text("random"))];
    let with = |extra: (&'static str, Input)| {
        let mut all = embedding(8, "weights");
        all.push(extra);
        all
    };
    let message = error(&embedding(8, "weights"), &[]);
    assert!(message.contains("`start.kind` is \"zero\""), "{message}");
    let message = error(&[], &random);
    assert!(message.contains("`start.kind` is \"random\""), "{message}");
    let message = error(&embedding(33, "weights"), &[("kind", text("orthogonal"))]);
    assert!(message.contains("dimension is 33, expected at least 34"), "{message}");
    let message = error(&with(("outputs", text("used"))), &random);
    assert!(message.contains("`system.outputs` does not fit"), "{message}");
    let mut late = embedding(8, "embedding");
    late.push(("loss", text("online")));
    let message = error(&late, &random);
    assert!(message.contains("`system.loss` is \"online\""), "{message}");
    let message = error(&with(("eta_y", Input::Number(2.0))), &random);
    assert!(message.contains("eta_y") && message.contains("pairwise"), "{message}");
}
