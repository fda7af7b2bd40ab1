//! The reference cases of linear attention that need no flow, recomputed.

use std::path::Path;

use saddlescope::{Draw, Landscape};
use saddlescope_systems::linear_attention::{
    Basis, Context, Population, ScalarLaw, Shape, Task, Theory,
};
use serde_json::Value;

fn cases(kind: &str) -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/linear-attention.json");
    let text = std::fs::read_to_string(path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let found: Vec<Value> = cases.iter().filter(|case| case["kind"] == kind).cloned().collect();
    assert!(!found.is_empty(), "no case of kind {kind}");
    found
}

/// All numbers in `value`, row after row.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn check(case: &Value, name: &str, got: &[f64]) {
    let expected = &case["expected"][name];
    let values = numbers(&expected["value"]);
    let tolerance = |key: &str| expected[key].as_f64().unwrap_or(0.0);
    assert_eq!(got.len(), values.len(), "{} {name}", case["id"]);
    for (got, value) in got.iter().zip(&values) {
        let room = tolerance("atol") + tolerance("rtol") * value.abs();
        assert!((got - value).abs() <= room, "{} {name}: {got} is not {value}", case["id"]);
    }
}

#[test]
fn levels_and_optima() {
    for case in cases("static_fixed_points") {
        let context = Context::InverseMean(number(&case["inputs"]["E_inv_N"]));
        let task = Task::new(&numbers(&case["inputs"]["eigenvalues"]), Basis::Axes, context);
        let task = task.unwrap();
        let theory = Theory::new(&task);
        check(&case, "L_m", &theory.levels());
        check(&case, "a_d", &task.second_moment_eigenvalues());
        check(&case, "theta_star_diag", &theory.optimal_gains());
        check(&case, "v_star", &theory.optimal_values());
    }
}

#[test]
fn loss_and_flow() {
    for case in cases("population_loss_and_flow_rhs") {
        let inputs = &case["inputs"];
        let pairs = inputs["N"].as_u64().unwrap() as usize;
        let lambda = numbers(&inputs["Lambda"]);
        let task = Task::with_covariance(&lambda, Context::Fixed(pairs)).unwrap();
        let (values, keys) = (numbers(&inputs["v"]), numbers(&inputs["K"]));
        let heads = values.len();
        let shape = Shape::new(3, heads, keys.len() / heads / 3).unwrap();
        let weights = shape.given_start(&values, &keys, &numbers(&inputs["Q"])).unwrap();
        let landscape = Population::new(&task, shape, number(&inputs["tau"])).unwrap();
        let mut gradient = vec![0.0; weights.len()];
        let mut work = landscape.work();
        let loss = landscape.evaluate(&weights, Draw::default(), &mut work, &mut gradient).unwrap();
        let rates = landscape.blocks().rates();
        let moved: Vec<f64> = gradient.iter().zip(&rates).map(|(g, rate)| -rate * g).collect();
        check(&case, "E_Lhat2", &task.second_moment());
        check(&case, "loss", &[loss]);
        for (name, block) in [("vdot", "value"), ("kdot", "key"), ("qdot", "query")] {
            let pattern = format!("head.*.{block}");
            let blocks = landscape.blocks().matching(&pattern);
            let rates: Vec<f64> = blocks.flat_map(|block| moved[block.range()].to_vec()).collect();
            check(&case, name, &rates);
        }
    }
}

#[test]
fn scalar_laws() {
    for case in cases("scalar_ode_eq7") {
        let input = |name: &str| number(&case["inputs"][name]);
        let law = ScalarLaw::new(input("lambda_d"), input("trace"), input("E_inv_N"), input("tau"))
            .unwrap();
        let start = input("v0");
        let time = |value: f64| law.time(start, value).unwrap();
        check(&case, "v_star", &[law.optimum()]);
        check(&case, "v_at_half_drop", &[law.half_drop()]);
        check(&case, "t_half_drop", &[time(law.half_drop())]);
        check(&case, "t_v_equals_0p9_vstar", &[time(0.9 * law.optimum())]);
        check(&case, "eq38_estimate", &[law.plateau_estimate(start)]);
    }
}

#[test]
fn prediction_and_component_regression() {
    for case in cases("forward_and_pcr") {
        let inputs = &case["inputs"];
        let (tokens, targets) = (numbers(&inputs["x"]), numbers(&inputs["y"]));
        let (query, pairs) = (numbers(&inputs["x_q"]), inputs["N"].as_u64().unwrap() as usize);
        let d = query.len();
        let beta: Vec<f64> = (0..d)
            .map(|a| (0..pairs).map(|n| targets[n] * tokens[n * d + a]).sum::<f64>() / pairs as f64)
            .collect();
        let (values, keys) = (numbers(&inputs["v"]), numbers(&inputs["K"]));
        let heads = values.len();
        let shape = Shape::new(d, heads, keys.len() / heads / d).unwrap();
        let weights = shape.given_start(&values, &keys, &numbers(&inputs["Q"])).unwrap();
        let basis = Basis::Columns(numbers(&inputs["pcr_eigenvectors"]));
        let eigenvalues = numbers(&inputs["pcr_eigenvalues"]);
        let task = Task::new(&eigenvalues, basis, Context::Fixed(pairs)).unwrap();
        check(&case, "beta", &beta);
        check(&case, "y_hat_q", &[shape.predict(&weights, &beta, &query)]);
        let regression = Theory::new(&task).component_regression(&beta, &query);
        check(&case, "eq8_prediction_m0_to_D", &regression);
    }
}
