//! Sparse attention on Markov chains through the program: reference cases, runs, tasks that are refused.

use serde_json::json;

use crate::program::{Folder, changed, run};
use crate::verify::verify_cases;

/// The regression that tests start from.
const REGRESSION: &str = "[system]
name = \"sparse-markov\"
heads = 2
features = 2
positions = 5
[start]
kind = \"uniform\"
[dynamics]
kind = \"flow\"
until = 30.0
";

/// The minimal model that tests start from.
const MINIMAL: &str = "[system]
name = \"sparse-markov\"
model = \"minimal\"
heads = 2
features = 2
base = 3.0
vocabulary = 6
length = 5
group_size = 1
sequences = 60
batch = 20
test_sequences = 40
[start]
kind = \"uniform\"
[dynamics]
kind = \"adamw\"
rate = 0.01
steps = 12
clip = 1.0
schedule = \"plateau\"
[record]
observables = [\"loss\", \"excess\", \"test\", \"kl.*\", \"head.*.group.*\", \"head.*.lags\", \"map\", \"entropy\"]
";

/// The transformer that tests start from.
const TRANSFORMER: &str = "[system]
name = \"sparse-markov\"
model = \"transformer\"
heads = 2
features = 2
base = 3.0
vocabulary = 6
length = 5
group_size = 1
sequences = 60
batch = 20
test_sequences = 40
width = 8
feedforward = 6
[start]
kind = \"layers\"
[dynamics]
kind = \"adamw\"
rate = 0.01
steps = 12
clip = 1.0
[record]
observables = [\"loss\", \"excess\", \"test\", \"test.places\", \"kl.*\", \"head.*\", \"map\", \"entropy\", \"norm.*\"]
";

/// Other numbers of heads, features and positions; lags that overlap; a case that asks for part of what there is.
#[test]
fn other_inputs_of_the_same_kinds_are_recomputed() {
    let flow = json!({
        "m": [2.0], "h": 1, "T": 1, "pos_0based": [0], "V0_coeff": [[0.0]], "s0": [[1.0]], "Tmax": 1.0, "times": [1.0]
    });
    // One head, one position: V = 2 (1 - e^-t).
    let left = 2.0 * (-2.0_f64).exp();
    let chain = json!({
        "A_star": [[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]], "I_lags_1based": [[1, 2], [2, 3]],
        "alpha": [[0.5, 0.5], [0.3, 0.7]], "d": 2, "w": 3, "T": 2
    });
    let cases = json!([
        { "id": "flow", "kind": "full_flow_B4", "inputs": flow, "expected": {
            "loss_at_times": { "value": [left], "rtol": 1e-9 },
            "plateau_levels": { "value": [2.0, 0.0], "rtol": 1e-12 },
            "t_mid_crossings": { "value": [0.5 * 2.0_f64.ln()], "rtol": 1e-9 },
        }},
        { "id": "even", "kind": "markov_exact_entropy_excess", "inputs": chain, "expected": {
            "entropy_per_token_nats": { "value": 2.0_f64.ln(), "rtol": 1e-12 },
            "excess_loss_of_A_1_to_i": { "value": [0.0, 0.0], "atol": 1e-12 },
        }},
    ]);
    let out = verify_cases("sparse-markov", &cases).done();
    assert_eq!(out.lines().last(), Some("verify: 5 of 5 values within tolerance"));
}

#[test]
fn the_regression_runs_in_both_coordinates_and_under_its_laws() {
    let done = |text: String| run(text).done();
    done(REGRESSION.to_owned());
    let matrices = ("positions = 5", "positions = 5\ncoordinates = \"matrices\"\ndimension = 2");
    done(changed(REGRESSION, &[matrices]));
    done(changed(REGRESSION, &[("kind = \"uniform\"", "kind = \"offshoot\"")]));
    for theory in ["coupled", "cooperative", "two-scale"] {
        let dynamics = format!("kind = \"reduced\"\ntheory = \"{theory}\"");
        done(changed(REGRESSION, &[("kind = \"flow\"", &dynamics)]));
    }
    let later = "kind = \"reduced\"\ntheory = \"two-scale-2\"";
    let text = changed(REGRESSION, &[("kind = \"flow\"", later)]);
    run(text).fails(2, &["two-scale-2", "1 to 1"]);
}

#[test]
fn certificates_are_in_other_coordinates_and_say_so() {
    let folder = Folder::with("mine.toml", REGRESSION);
    let out = folder.run(&["saddles", "mine.toml", "--all"]).done();
    assert!(out.contains("Certified in (V, s)"), "{out}");
    // After one of two features with two heads: (h - n)(F - n) = 1 way down.
    let row = out.lines().find(|line| line.starts_with("M({1}) ")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(&words[3..5], ["non-degenerate", "1"], "{row}");
}

#[test]
fn the_minimal_model_runs_on_every_loss() {
    let steps = |pairs: &[(&str, &str)]| {
        let text = changed(MINIMAL, pairs);
        let out = run(text).done();
        assert!(out.contains("step 12"), "{out}");
    };
    let online = ("sequences = 60\n", "loss = \"online\"\n");
    let double = ("batch = 20", "batch = 20\nprecision = \"double\"");
    let layers = ("batch = 20", "batch = 20\nlayers = 2");
    let window = ("batch = 20", "batch = 20\nwindow = 1\ncontexts = [1, 2]\ncontext_steps = 5");
    let sgd = ("kind = \"adamw\"", "kind = \"momentum\"");
    for pairs in [&[][..], &[online], &[double], &[layers], &[window], &[sgd]] {
        steps(pairs);
    }
    let flow = [
        ("batch = 20", "batch = 60\nprecision = \"double\""),
        (
            "kind = \"adamw\"\nrate = 0.01\nsteps = 12\nclip = 1.0\nschedule = \"plateau\"",
            "kind = \"flow\"\nuntil = 2.0",
        ),
    ];
    run(changed(MINIMAL, &flow)).done();
}

#[test]
fn the_transformer_runs_on_every_loss() {
    let steps = |pairs: &[(&str, &str)]| {
        let text = changed(TRANSFORMER, pairs);
        let out = run(text).done();
        assert!(out.contains("step 12"), "{out}");
    };
    let online = ("sequences = 60\n", "loss = \"online\"\n");
    let double = ("batch = 20", "batch = 20\nprecision = \"double\"");
    let blocks = ("batch = 20", "batch = 20\nblocks = 2");
    let contexts = ("batch = 20", "batch = 20\ncontexts = [1, 2]\ncontext_steps = 5");
    let parts = ("batch = 20", "batch = 20\nnorm = \"none\"\nencoding = \"alibi\"\ntied = true");
    let normal = ("\"layers\"", "\"normal\"\nfactors = { \"blocks.*.attn.W_Q\" = 0.0 }");
    let sharp = ("\"test\"", "\"sharpness\"");
    for pairs in
        [&[][..], &[online], &[double], &[blocks], &[contexts], &[parts], &[normal], &[sharp]]
    {
        steps(pairs);
    }
    let flow = [
        ("batch = 20", "batch = 60\nprecision = \"double\"\ndropout = 0"),
        ("kind = \"adamw\"\nrate = 0.01\nsteps = 12\nclip = 1.0", "kind = \"flow\"\nuntil = 1.0"),
    ];
    run(changed(TRANSFORMER, &flow)).done();
}

#[test]
fn what_makes_no_transformer_is_refused_where_it_stands() {
    let cases: [(&str, &str, &[&str]); 8] = [
        ("width = 8", "width = 9", &["`system.width`", "9", "a multiple of the 2 heads"]),
        ("width = 8", "width = 8\ndropout = 1.0", &["`system.dropout` is 1"]),
        ("width = 8", "width = 8\nlayers = 2", &["system.layers", "model = \"minimal\""]),
        ("width = 8", "width = 8\ncontexts = [3]", &["`system.contexts`", "3", "at most 2"]),
        ("width = 8", "width = 8\ncontexts = [1.5]", &["`system.contexts`", "whole numbers"]),
        ("\"layers\"", "\"given\"", &["`start.kind`", "\"layers\""]),
        (
            "\"layers\"",
            "\"layers\"\nfactors = { nothing = 1.0 }",
            &["`start.factors`", "nothing", "embed.W_E"],
        ),
        (
            "kind = \"adamw\"\nrate = 0.01\nsteps = 12\nclip = 1.0",
            "kind = \"flow\"\nuntil = 1.0",
            &["`dynamics.kind`", "no flow", "double precision"],
        ),
    ];
    for (from, to, words) in cases {
        let text = changed(TRANSFORMER, &[(from, to)]);
        run(text).fails(2, words);
    }
    let minimal = changed(MINIMAL, &[("batch = 20", "batch = 20\nwidth = 8")]);
    let words = ["system.width", "model = \"transformer\""];
    run(minimal).fails(2, &words);
    let layers = changed(MINIMAL, &[("\"uniform\"", "\"layers\"")]);
    let words = ["`start.kind`", "model = \"transformer\""];
    run(layers).fails(2, &words);
}

/// A rate at which training blows up ends the run with what went wrong, not with columns of NaN.
#[test]
fn a_transformer_that_diverges_says_so() {
    let text = changed(
        TRANSFORMER,
        &[("kind = \"adamw\"\nrate = 0.01", "kind = \"sgd\"\nrate = 1e30"), ("clip = 1.0\n", "")],
    );
    run(text).fails(1, &["loss"]);
}

#[test]
fn what_makes_no_world_is_refused_where_it_stands() {
    let cases: [(&str, &str, &[&str]); 14] = [
        ("group_size = 1", "groups = [[1], []]", &["`system.groups`", "lag group 2 is empty"]),
        (
            "group_size = 1",
            "groups = [[1], [0]]",
            &["`system.groups`", "lag of lag group 2 is 0", "1 to 1"],
        ),
        (
            "group_size = 1",
            "groups = [[1], [7]]\norder = 3",
            &["`system.groups`", "is 7, expected 1 to 3"],
        ),
        ("group_size = 1", "groups = [[1]]", &["`system.groups`", "1 lists of lags", "2 features"]),
        (
            "group_size = 1",
            "groups = [[1, 1.5], [2]]",
            &["`system.groups`", "1.5", "whole numbers"],
        ),
        ("group_size = 1", "groups = [1, 2]", &["system.groups", "a list of lists of numbers"]),
        (
            "group_size = 1",
            "group_size = 2\nalpha = [[0.7, 0.4], [0.5, 0.5]]",
            &["`system.alpha`", "sum of alpha of lag group 1 is 1.1", "expected 1"],
        ),
        ("group_size = 1", "group_size = 1\nalpha = [[1.0]]", &["`system.alpha`", "1 lists"]),
        ("vocabulary = 6", "vocabulary = 1", &["`system.vocabulary` is 1", "from 2"]),
        ("length = 5", "length = 0", &["`system.length` is 0", "from 1"]),
        ("heads = 2", "heads = 0", &["`system.heads` is 0"]),
        ("batch = 20", "batch = 20\nlayers = 3", &["`system.layers` is 3"]),
        ("kind = \"uniform\"", "kind = \"offshoot\"", &["`start.kind`", "model = \"regression\""]),
        ("kind = \"adamw\"", "kind = \"sgd\"\nrates = { nothing = 1.0 }", &["nothing"]),
    ];
    for (from, to, words) in cases {
        let text = changed(MINIMAL, &[(from, to)]);
        run(text).fails(2, words);
    }
    let cases: [(&str, &str, &[&str]); 5] = [
        ("positions = 5", "positions = 0", &["`system.positions` is 0"]),
        (
            "positions = 5",
            "positions = 5\nplaces = [0, 5]",
            &["`system.places`", "is 5, expected 0 to 4"],
        ),
        (
            "positions = 5",
            "positions = 5\nplaces = [1, 1]",
            &["`system.places`", "a position of its own"],
        ),
        ("kind = \"uniform\"", "kind = \"uniform\"\nscale = 1.0", &["`start.scale`", "1/T = 0.2"]),
        (
            "kind = \"uniform\"",
            "kind = \"given\"\ns = [[0.5, 0.5, 0.0, 0.0, 0.1], [0.2, 0.2, 0.2, 0.2, 0.2]]",
            &["`start.s`", "sum 1.1"],
        ),
    ];
    for (from, to, words) in cases {
        let text = changed(REGRESSION, &[(from, to)]);
        run(text).fails(2, words);
    }
}
