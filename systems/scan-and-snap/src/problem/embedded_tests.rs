use saddlescope::dynamics::{Optimiser, ScheduleKind, Steps};
use saddlescope::numeric::vector::dot;
use saddlescope::record::{Recording, Sampling};
use saddlescope_spec::analysis::invariants::account;
use saddlescope_spec::outcome::OutcomeValue;
use saddlescope_spec::testing::{self, assert_refused, observed};

use super::*;
use crate::{Outputs, ScanAndSnap, Synthetic};

const RANDOM: &str = r#"{ kind = "random" }"#;

fn prepared(layers: &[&str], start: &str) -> Result<Problem> {
    testing::problem(&ScanAndSnap, layers, start, 3)
}

fn embedding(dimension: usize, normalised: &str) -> String {
    format!(r#"{{ model = "embedding", dimension = {dimension}, normalised = "{normalised}" }}"#)
}

fn read(problem: &Problem, name: &str, state: &[f64]) -> f64 {
    observed(problem, name, state)[0]
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
    let start = r#"{ kind = "orthogonal", scale = 0.0 }"#;
    let pairwise = prepared(&[], "{}").unwrap();
    for normalised in ["weights", "embedding"] {
        let problem = prepared(&[&embedding(40, normalised)], start).unwrap();
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
        let problem = prepared(&[&embedding(dimension, normalised)], RANDOM).unwrap();
        let stage = Phase::new(Motion::Flow(Flow::default().until(10.0)));
        let account = account(&problem, &stage, 0).unwrap();
        assert_eq!(account.entries.len(), count);
        let worst = account.worst().unwrap();
        assert!(worst.most < 1e-8, "{worst:?}");
        assert!(account.end.loss < 0.1, "{}", account.end.loss);
    }
}

/// Symmetries move the state, not the loss; and linear maps of embeddings are none where the embedded vector is
/// normalised.
#[test]
fn the_loss_is_level_along_symmetries() {
    for (normalised, count) in [("weights", 2 * 16), ("embedding", 16 + 6)] {
        let problem = prepared(&[&embedding(4, normalised)], RANDOM).unwrap();
        let state = &problem.init;
        let mut gradient = vec![0.0; state.len()];
        problem.surface().unwrap().probe().evaluate(state, &mut gradient).unwrap();
        let directions = problem.symmetry_directions(state);
        assert_eq!(directions.len(), count);
        for direction in &directions {
            assert!(dot(direction, &gradient).abs() < 1e-14);
            assert!(direction.iter().any(|x| x.abs() > 1e-3));
        }
        if normalised == "embedding" {
            let embedding = Embedding::new(
                Shape::new(Synthetic::authors(2, 1).task().unwrap(), Outputs::All),
                4,
            )
            .unwrap();
            let linear = embedding.symmetry_directions(state, true).unwrap();
            assert!(linear.iter().any(|direction| dot(direction, &gradient).abs() > 1e-3));
        }
    }
}

/// Drawn sequences: the loss is that of the implied parameters on the same draws, and nears that of endless ones.
#[test]
fn drawn_sequences_are_seen_through_the_embedding() {
    let sampled = r#"{ loss = "empirical", sequences = 4000 }"#;
    let system = embedding(12, "weights");
    let start = r#"{ kind = "random", scale = 2.0 }"#;
    let problem = prepared(&[&system, sampled], start).unwrap();
    let shape = Shape::new(Synthetic::authors(2, 1).task().unwrap(), Outputs::All);
    let inner = Embedding::new(shape, 12).unwrap().implied(&problem.init).unwrap();
    let pairwise = prepared(&[sampled], "{}").unwrap();
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
    let some = gradient.iter().copied().enumerate().step_by(37);
    testing::assert_slopes(some, (&problem.init, 1e-4), |theta| loss(&problem, theta).0, 1e-9, ());
    let online = prepared(&[&system, r#"{ loss = "online" }"#], start).unwrap();
    assert!(online.loss.draws_batches() && online.surface().is_none());
    assert_eq!(loss(&online.without_noise().unwrap(), &problem.init).0, exact);
    let end = online.run(&[momentum((0.01, 60), &[])], 1, &mut Silent).unwrap();
    assert!(end.phases[0].loss < 0.5 * exact, "{}", end.phases[0].loss);
}

#[test]
fn what_does_not_fit_is_refused_by_the_setting() {
    let (weights, late) = (embedding(8, "weights"), embedding(8, "embedding"));
    for (layers, start, words) in [
        (&[&*weights][..], "{}", "`start.kind` is \"zero\""),
        (&[], RANDOM, "`start.kind` is \"random\""),
        (
            &[&embedding(33, "weights")],
            r#"{ kind = "orthogonal" }"#,
            "dimension is 33, expected at least 34",
        ),
        (&[&weights, r#"{ outputs = "used" }"#], RANDOM, "`system.outputs` does not fit"),
        (&[&late, r#"{ loss = "online" }"#], RANDOM, "`system.loss` is \"online\""),
        (&[&weights, "{ eta_y = 2.0 }"], RANDOM, "eta_y` counts only with model = \"pairwise\""),
    ] {
        assert_refused(prepared(layers, start), words);
    }
}
