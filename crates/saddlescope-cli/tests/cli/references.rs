//! `verify` on cases of the known kinds that no file ships: each held to the plain model.

use std::slice::from_ref;

use serde_json::{Value, json};

use crate::model::{Head, Model, levels, rotated};
use crate::verify::{case, verify};

/// Asserts that the program agrees with `expected`, all within `rtol`.
#[track_caller]
fn agrees(kind: &str, inputs: &Value, expected: &[(&str, Value)], rtol: f64) {
    let within = |value: &Value| json!({ "value": value, "rtol": rtol, "atol": 1e-3 * rtol });
    let expected: serde_json::Map<_, _> =
        expected.iter().map(|(name, value)| ((*name).to_owned(), within(value))).collect();
    let count = expected.len();
    let out = verify(&case(kind, inputs, &expected.into())).done();
    let last = format!("verify: {count} of {count} values within tolerance\n");
    assert!(out.ends_with(&last), "{out}");
}

#[track_caller]
fn deviates(kind: &str, inputs: &Value, expected: &Value) {
    let ran = verify(&case(kind, inputs, expected));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.ends_with("verify: 0 of 1 values within tolerance\n"), "{}", ran.out);
}

/// Two heads of rank two in a rotated plane.
fn plane(tau: f64) -> (Model, Value, Vec<Head>) {
    let (covariance, columns) = rotated([0.7, 0.4], 0.5);
    let heads = vec![
        Head {
            value: 0.3,
            key: vec![vec![0.2, 0.1], vec![-0.1, 0.3]],
            query: vec![vec![0.25, 0.05], vec![-0.2, 0.1]],
        },
        Head {
            value: -0.2,
            key: vec![vec![0.1, -0.3], vec![0.2, 0.1]],
            query: vec![vec![-0.1, 0.35], vec![0.15, 0.3]],
        },
    ];
    (Model { covariance, inverse_mean: 0.2, tau }, json!(columns), heads)
}

/// A column of the heads: one entry per head.
fn of_heads<T: Into<Value>>(heads: &[Head], part: impl Fn(&Head) -> T) -> Value {
    heads.iter().map(part).map(Into::into).collect()
}

#[test]
fn fixed_points_of_any_spectrum() {
    for (eigenvalues, context, inverse_mean) in [
        (vec![0.9, 0.5, 0.2], json!({ "N": 4 }), 0.25),
        (vec![0.5, 0.5, 0.5], json!({ "E_inv_N": 0.13 }), 0.13),
        (vec![2.0], json!({ "N": 1 }), 1.0),
    ] {
        let expected = levels(&eigenvalues, inverse_mean);
        let values: Vec<f64> = expected.gains.iter().map(|gain| gain.cbrt()).collect();
        let mut inputs = context;
        inputs["eigenvalues"] = json!(eigenvalues);
        let expected = [
            ("L_m", json!(expected.plateaus)),
            ("a_d", json!(expected.moments)),
            ("theta_star_diag", json!(expected.gains)),
            ("v_star", json!(values)),
        ];
        agrees("static_fixed_points", &inputs, &expected, 1e-13);
    }
}

#[test]
fn loss_and_rates_of_rank_two_in_a_rotated_plane() {
    for tau in [1.0, 2.0] {
        let (model, _, heads) = plane(tau);
        let rates = crate::model::shaped(&model.rate(&heads), &heads);
        let inputs = json!({
            "Lambda": model.covariance, "N": 5, "tau": tau,
            "v": of_heads(&heads, |h| h.value),
            "K": of_heads(&heads, |h| json!(h.key)),
            "Q": of_heads(&heads, |h| json!(h.query)),
        });
        let kind = "population_loss_and_flow_rhs";
        let exact =
            [("E_Lhat2", json!(model.second_moment())), ("loss", json!(model.loss(&heads)))];
        agrees(kind, &inputs, &exact, 1e-13);
        let rates = [
            ("vdot", of_heads(&rates, |h| h.value)),
            ("kdot", of_heads(&rates, |h| json!(h.key))),
            ("qdot", of_heads(&rates, |h| json!(h.query))),
        ];
        agrees(kind, &inputs, &rates, 1e-9);
    }
}

fn flow_inputs(columns: &Value, heads: &[Head], tau: f64) -> Value {
    json!({
        "eigenvalues": [0.7, 0.4], "eigenvectors_columns": columns, "N": 5, "tau": tau,
        "v0": of_heads(heads, |h| h.value),
        "K0": of_heads(heads, |h| json!(h.key)),
        "Q0": of_heads(heads, |h| json!(h.query)),
    })
}

#[test]
fn flows_of_rank_two_in_a_rotated_plane() {
    let (model, columns, start) = plane(2.0);
    let times = [0.0, 20.0, 7.5];
    let losses: Vec<f64> =
        times.iter().map(|&time| model.loss(&model.flow(&start, time, 400))).collect();
    let end = model.flow(&start, 30.0, 600);
    let square = |rows: &[Vec<f64>]| rows.iter().flatten().map(|x| x * x).sum::<f64>();
    let rows = |h: &Head| -> Value {
        let pairs = h.key.iter().zip(&h.query);
        pairs.map(|(k, q)| square(from_ref(k)) - square(from_ref(q))).collect()
    };
    let mut inputs = flow_inputs(&columns, &start, 2.0);
    inputs["times"] = json!(times);
    inputs["Tmax"] = json!(30.0);
    let expected = [
        ("loss_at_times", json!(losses)),
        ("loss_final", json!(model.loss(&end))),
        ("v_final", of_heads(&end, |h| h.value)),
        ("conserved_kk_minus_qq", of_heads(&start, rows)),
        ("conserved_kk_minus_vv", of_heads(&start, |h| square(&h.key) - h.value * h.value)),
        ("L_m", json!(levels(&[0.7, 0.4], 0.2).plateaus)),
    ];
    agrees("gradient_flow", &inputs, &expected, 1e-7);

    // Without an end, times that were asked for are reached all the same.
    inputs.as_object_mut().unwrap().remove("Tmax");
    agrees("gradient_flow", &inputs, &expected[..1], 1e-7);
}

#[test]
fn crossings_lie_where_the_model_passes_the_level() {
    let (model, columns, start) = plane(1.0);
    let plateaus = levels(&[0.7, 0.4], 0.2).plateaus;
    let level = 0.5 * (plateaus[0] + plateaus[1]);
    let (mut low, mut high) = (0.0, 40.0);
    while high - low > 1e-6 {
        let middle = 0.5 * (low + high);
        let below = model.loss(&model.flow(&start, middle, 200)) < level;
        (low, high) = if below { (low, middle) } else { (middle, high) };
    }
    let mut inputs = flow_inputs(&columns, &start, 1.0);
    // Too short an end leaves the second level uncrossed: null, and nothing else fits it.
    inputs["Tmax"] = json!(low + 1.0);
    agrees("gradient_flow", &inputs, &[("t_mid_crossings", json!([low, null]))], 1e-5);
    let expect = |value: Value| json!({ "t_mid_crossings": { "value": value, "atol": 1e9 } });
    deviates("gradient_flow", &inputs, &expect(json!([low, 50.0])));
    deviates("gradient_flow", &inputs, &expect(json!([null, null])));

    // Time runs at 1 / tau.
    let mut slow = flow_inputs(&columns, &start, 2.0);
    slow["Tmax"] = json!(2.0 * low + 2.0);
    agrees("gradient_flow", &slow, &[("t_mid_crossings", json!([2.0 * low, null]))], 1e-5);
}

#[test]
fn a_flow_without_an_end_stops_at_the_last_level_that_its_heads_can_reach() {
    let one_head = json!({
        "eigenvalues": [0.6, 0.3], "N": 10,
        "v0": [0.1], "K0": [[[0.1, 0.02]]], "Q0": [[[0.1, 0.02]]],
    });
    let plateaus = levels(&[0.6, 0.3], 0.1).plateaus;
    let level = 0.5 * (plateaus[0] + plateaus[1]);
    agrees("gradient_flow", &one_head, &[("loss_final", json!(level))], 1e-7);
    let null = json!({ "t_mid_crossings": { "value": [null, null] } });
    deviates("gradient_flow", &one_head, &null);
}

#[test]
fn the_scalar_law_by_quadrature() {
    for (lambda, trace, inverse_mean, v0, tau) in
        [(0.4, 1.0, 0.1, 0.05, 1.0), (0.9, 2.5, 0.25, 0.1, 2.0)]
    {
        let a = lambda * lambda + inverse_mean * (lambda * lambda + trace * lambda);
        let optimum = f64::cbrt(lambda / a);
        // Half of the drop 2 x - x^2 (x = v^3 a / lambda) is at x = 1 - sqrt(1/2).
        let half = f64::cbrt((1.0 - 0.5_f64.sqrt()) * lambda / a);
        let pace = |v: f64| tau / (v * v * (lambda * lambda - a * lambda * v.powi(3)));
        // Simpson's rule in log v.
        let time = |to: f64| {
            let n = 4000;
            let h = (to / v0).ln() / f64::from(n);
            let f = |i: i32| {
                let v = v0 * (h * f64::from(i)).exp();
                let weight = if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                weight * v * pace(v)
            };
            (0..=n).map(f).sum::<f64>() * h / 3.0
        };
        let inputs = json!({
            "lambda_d": lambda, "trace": trace, "E_inv_N": inverse_mean, "v0": v0, "tau": tau,
        });
        let expected = [
            ("v_star", json!(optimum)),
            ("v_at_half_drop", json!(half)),
            ("t_half_drop", json!(time(half))),
            ("t_v_equals_0p9_vstar", json!(time(0.9 * optimum))),
        ];
        agrees("scalar_ode_eq7", &inputs, &expected, 1e-9);
    }
}

#[test]
fn a_prediction_and_regression_on_components() {
    let (_, columns, heads) = plane(1.0);
    let x = [[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]];
    let (w, query) = ([0.8, -0.6], [1.5, 0.5]);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let beta: Vec<f64> =
        (0..2).map(|i| x.iter().map(|x| dot(x, &w) * x[i]).sum::<f64>() / 3.0).collect();
    let slot = |h: &Head, r: usize| h.value * dot(&h.key[r], &beta) * dot(&h.query[r], &query);
    let prediction: f64 = heads.iter().map(|h| slot(h, 0) + slot(h, 1)).sum();
    let mut regression = vec![0.0];
    for (d, gain) in levels(&[0.7, 0.4], 1.0 / 3.0).gains.iter().enumerate() {
        let e: Vec<f64> = (0..2).map(|i| columns[i][d].as_f64().unwrap()).collect();
        regression.push(regression[d] + gain * dot(&beta, &e) * dot(&e, &query));
    }
    let inputs = json!({
        "x": x, "w": w, "x_q": query,
        "v": of_heads(&heads, |h| h.value),
        "K": of_heads(&heads, |h| json!(h.key)),
        "Q": of_heads(&heads, |h| json!(h.query)),
        "pcr_eigenvalues": [0.7, 0.4], "pcr_eigenvectors": columns,
    });
    let expected = [
        ("beta", json!(beta)),
        ("y_hat_q", json!(prediction)),
        ("y_q_true", json!(dot(&w, &query))),
        ("eq8_prediction_m0_to_D", json!(regression)),
    ];
    agrees("forward_and_pcr", &inputs, &expected, 1e-12);
}
