//! Every optimiser, schedule and part of a rule walks the path that PyTorch's own took on the same function
//! (recorded by `data/torch_optimisers.py`).

use saddlescope::descent::{AdamSettings, Optimiser, Plateau, Rule, RuleError, ScheduleKind};
use saddlescope::{Blocks, Scalar};
use serde_json::Value;

const START: [f64; 6] = [0.9, -0.4, 0.3, 1.2, -0.7, 0.05];
const STIFFNESS: [f64; 6] = [0.3, 1.0, 0.1, 2.0, 0.5, 0.01];
const TARGET: [f64; 6] = [0.5, 0.2, -0.3, 1.0, 0.0, 2.0];
const CASES: usize = 12;

fn blocks() -> Blocks {
    Blocks::new().with("first", &[2], 1.0).with("second", &[3], 1.0).with("third", &[1], 1.0)
}

/// Loss and gradient of
/// `(theta_0 theta_1 theta_2 - 1)^2/2 + sum_i stiffness_i (theta_i - target_i)^2/2`.
fn evaluate<S: Scalar>(theta: &[S], gradient: &mut [S]) -> f64 {
    let product = theta[0] * theta[1] * theta[2] - S::ONE;
    let mut loss = product * product;
    for i in 0..6 {
        let away = theta[i] - S::from_f64(TARGET[i]);
        let pull = S::from_f64(STIFFNESS[i]) * away;
        loss += pull * away;
        gradient[i] = pull;
    }
    gradient[0] += product * theta[1] * theta[2];
    gradient[1] += product * theta[0] * theta[2];
    gradient[2] += product * theta[0] * theta[1];
    loss.to_f64() / 2.0
}

/// The rule that the script builds under the same name, and its base rate.
fn rule_of<S: Scalar>(name: &str) -> Result<(Rule<S>, f64), RuleError> {
    let blocks = blocks();
    let momentum = |dampening| Optimiser::Momentum { momentum: 0.9, dampening };
    let plateau =
        Plateau { factor: 0.5, patience: 1, threshold: 0.05, floor: 0.2, least_change: 1e-8 };
    let adam = AdamSettings::default();
    let (optimiser, rate) = match name.split_once('-').unwrap_or((name, "")) {
        ("gd", _) => (Optimiser::Gd, 0.1),
        ("momentum", "dampened") => (momentum(0.3), 0.05),
        ("momentum", "plateau") => (momentum(0.0), 0.2),
        ("momentum" | "clipped", _) => (momentum(0.0), 0.05),
        ("nesterov", _) => (Optimiser::Nesterov { momentum: 0.9 }, 0.05),
        ("adam", "other-settings") => {
            (Optimiser::Adam(AdamSettings { betas: (0.8, 0.95), epsilon: 1e-3 }), 0.05)
        }
        ("adam", _) => (Optimiser::Adam(adam), 0.05),
        ("adamw", _) => (Optimiser::AdamW(adam, 0.3), 0.05),
        _ => panic!("the recording has a case `{name}` that this test does not know"),
    };
    let rule = Rule::new(optimiser, rate, &blocks)?;
    let rule = match name {
        "adamw-cosine" => rule.scheduled(ScheduleKind::Cosine { floor: 0.1 }, 10)?,
        "momentum-plateau" => rule.scheduled(ScheduleKind::Plateau(plateau), 0)?,
        "momentum-clipped" => rule.clipped(0.4)?,
        "momentum-per-block" => rule.with_factors(&blocks, &[("second", 0.01), ("third", 3.0)])?,
        "clipped-then-frozen" => rule.frozen(&blocks, &["second"])?.clipped(0.4)?,
        _ => rule,
    };
    Ok((rule, rate))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Follows every recorded path of one precision, each number within `tolerance` of its size.
fn follow<S: Scalar>(precision: &str, tolerance: f64) {
    let recording: Value =
        serde_json::from_str(include_str!("../data/torch_optimisers.json")).unwrap();
    let cases = recording["cases"].as_object().unwrap();
    assert_eq!(cases.len(), CASES);
    for (name, case) in cases {
        let (mut rule, base_rate) = rule_of::<S>(name).unwrap();
        let mut theta = START.map(S::from_f64);
        let mut gradient = [S::ZERO; 6];
        let (path, rates) = (case[precision].as_array().unwrap(), numbers(&case["rate"]));
        assert_eq!((path.len(), rates.len()), (15, 15));
        for (index, (expected, rate)) in path.iter().map(numbers).zip(rates).enumerate() {
            let loss = evaluate(&theta, &mut gradient);
            rule.advance(loss, &mut theta, &mut gradient);
            let applied = base_rate * rule.scale;
            assert!(
                (applied - rate).abs() <= 1e-14,
                "{name}, step {index}: rate {applied}, {rate}"
            );
            for (found, expected) in theta.iter().map(|theta| theta.to_f64()).zip(expected) {
                assert!(
                    (found - expected).abs() <= tolerance * expected.abs().max(1.0),
                    "{name}, step {index}: {found}, PyTorch has {expected}"
                );
            }
        }
    }
}

#[test]
fn double_precision_follows_torch() {
    follow::<f64>("double", 1e-12);
}

#[test]
fn single_precision_follows_torch() {
    follow::<f32>("single", 1e-6);
}
