//! Systems through the program, one after the other: runs, laws, instruments.

use crate::bases::base;
use crate::program::{Folder, changed, experiment, run};

const RECALL: &str = "associative-recall";
const NGRAM: &str = "ngram-to-induction";
const SCAN: &str = "scan-and-snap";

// Associative recall.

#[test]
fn the_start_is_degenerate_and_the_plateaus_lie_at_infinity() {
    let text = changed(&base(RECALL), &[("until = 400.0", "until = 4000.0")]);
    let out = Folder::with("mine.toml", text).run("saddles mine.toml --all").done();
    let line = |start: &str| out.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    assert!(line("start").contains("degenerate of order 3"), "{out}");
    assert!(line("M({})").contains("degenerate of order 3"), "{out}");
    for place in ["M({1})", "M({2})", "M({1,2})", "end"] {
        assert!(line(place).contains("at infinity"), "{place}: {out}");
    }
}

#[test]
fn a_run_says_in_which_order_heads_were_learned() {
    let text = changed(
        &base(RECALL),
        &[("[0.3, 0.2]", "[0.02, 0.3]"), ("until = 400.0", "until = 40000.0")],
    );
    let text = format!("{text}[record]\nobservables = [\"loss\", \"head.*.beta\"]\n");
    let run = experiment(text);
    assert_eq!(run["outcomes"]["order"], "2-1", "{run}");
}

/// A step of momentum is as long in flow time as a plain one of rate/(1 - momentum), so the shift that is put
/// down to the step size is that of plain descent at that rate; what is left is the rule's.
#[test]
fn attribution_sets_momentum_beside_plain_steps_of_the_same_time() {
    let flow = "kind = \"flow\"\nuntil = 400.0";
    let explained = |dynamics: &str| {
        let text = changed(&base(RECALL), &[(flow, dynamics)]);
        let folder = Folder::with("mine.toml", text);
        let found = folder.run("attribute mine.toml --json").json();
        let jump = &found[0]["jumps"][0];
        let shift = |cause: &str| {
            let shares = jump["shares"].as_array().unwrap();
            let share = shares.iter().find(|share| share["cause"] == cause)?;
            share["shift"].as_f64()
        };
        let late = jump["training"].as_f64().unwrap() - jump["flow"].as_f64().unwrap();
        (shift("step size").unwrap(), shift("rule"), late)
    };
    let momentum = explained("kind = \"momentum\"\nmomentum = 0.9\nrate = 0.05\nsteps = 800");
    let plain = explained("kind = \"gd\"\nrate = 0.5\nsteps = 800");
    assert!((momentum.0 - plain.0).abs() < 1e-6 && plain.1.is_none(), "{momentum:?} {plain:?}");
    assert!((plain.0 - plain.2).abs() < 1e-6, "{plain:?}");
    let rule = momentum.1.unwrap();
    assert!(rule > 1.0 && (momentum.0 + rule - momentum.2).abs() < 1e-6, "{momentum:?}");
}

/// 001, Theorem 3.1(d): while one head moves, the flow keeps its law, and descent breaks it by its steps' length.
#[test]
fn the_law_of_a_lonely_head_is_kept_by_the_flow_and_not_by_descent() {
    let text = changed(&base(RECALL), &[("heads = 2", "heads = 1"), ("[0.3, 0.2]", "[0.3]")]);
    let folder = Folder::with("mine.toml", text);
    let books = folder.run("invariants mine.toml --json").json();
    let law = |page: usize| {
        let entries = books["pages"][page]["invariants"].as_array().unwrap();
        let of = |name: &str| entries.iter().find(|entry| entry["name"] == name).unwrap();
        let largest = |name: &str| of(name)["largest"].as_f64().unwrap();
        (largest("head.0.f_minus_quarter_beta_squared"), largest("head.0.sum_w"))
    };
    let (flow, descent) = (law(0), law(1));
    assert!(flow.0 < 1e-9 && flow.1 < 1e-12, "{flow:?}");
    assert!(descent.0 > 1e-6 && descent.1 < 1e-10, "{descent:?}");
    // Two heads that move together have no such law.
    let out = Folder::with("mine.toml", base(RECALL)).run("invariants mine.toml").done();
    assert!(out.contains("head.1.sum_w") && !out.contains("quarter"), "{out}");
}

// Sparse attention on Markov chains.

#[test]
fn the_regression_runs_with_matrices_and_under_its_laws() {
    let regression = base("sparse-markov-regression");
    let done = |from: &str, to: &str| drop(run(changed(&regression, &[(from, to)])).done());
    done(
        "positions = 5",
        "positions = 5\nmatrices = [[[2.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.5, 0.0]]]",
    );
    done("kind = \"uniform\"", "kind = \"offshoot\"");
    for theory in ["coupled", "cooperative", "two-scale"] {
        done("kind = \"flow\"", &format!("kind = \"reduced\"\ntheory = \"{theory}\""));
    }
}

#[test]
fn certificates_are_in_other_coordinates_and_say_so() {
    let folder = Folder::with("mine.toml", base("sparse-markov-regression"));
    let out = folder.run("saddles mine.toml --all").shows(&["Certified in (V, s)"]);
    // After one of two features with two heads: (h - n)(F - n) = 1 way down.
    let row = out.lines().find(|line| line.starts_with("M({1}) ")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(&words[3..5], ["non-degenerate", "1"], "{row}");
}

/// Each loss and form of the model takes the 12 steps of its base; the flow needs all sequences at once.
#[test]
fn both_trained_models_run_on_every_loss() {
    let more = |lines: &str| format!("batch = 20\n{lines}");
    let window = more("window = 1\ncontexts = [1, 2]\ncontext_steps = 5");
    let contexts = more("contexts = [1, 2]\ncontext_steps = 5");
    let parts = more("norm = \"none\"\nencoding = \"alibi\"\ntied = true");
    let normal = "\"normal\"\nfactors = { \"blocks.*.attn.W_Q\" = 0.0 }";
    let minimal = [
        ("batch = 20", more("layers = 2")),
        ("batch = 20", window),
        ("kind = \"adamw\"", "kind = \"momentum\"".to_owned()),
    ];
    let transformer = [
        ("batch = 20", more("blocks = 2")),
        ("batch = 20", contexts),
        ("batch = 20", parts),
        ("\"layers\"", normal.to_owned()),
        ("\"test\"", "\"sharpness\"".to_owned()),
    ];
    let rule = "kind = \"adamw\"\nrate = 0.01\nsteps = 12\nclip = 1.0";
    for (name, own, schedule, whole, flow) in [
        ("minimal", &minimal[..], "\nschedule = \"plateau\"", "", "until = 2.0"),
        ("transformer", &transformer, "", "\ndropout = 0", "until = 1.0"),
    ] {
        let good = base(&format!("sparse-markov-{name}"));
        let online = ("sequences = 60\n", "loss = \"online\"\n".to_owned());
        let double = ("batch = 20", more("precision = \"double\""));
        for (from, to) in [online, double].iter().chain(own) {
            run(changed(&good, &[(from, to)])).shows(&["step 12"]);
        }
        let all = format!("batch = 60\nprecision = \"double\"{whole}");
        let flow = format!("kind = \"flow\"\n{flow}");
        let rule = format!("{rule}{schedule}");
        run(changed(&good, &[("batch = 20", &all), (&rule, &flow)])).done();
    }
}

/// A rate at which training blows up ends the run with what went wrong, not with columns of NaN.
#[test]
fn a_transformer_that_diverges_says_so() {
    let text = changed(
        &base("sparse-markov-transformer"),
        &[("kind = \"adamw\"\nrate = 0.01", "kind = \"sgd\"\nrate = 1e30"), ("clip = 1.0\n", "")],
    );
    run(text).fails(1, &["loss"]);
}

// N-gram to induction head.

/// The transformer around the six parameters, disturbed, on a data set and on fresh batches.
#[test]
fn matrices_are_trained() {
    let steps = "kind = \"momentum\"\nmomentum = 0.9\nrate = 0.1\nsteps = 5\n[record]\nobservables = [\"loss\", \"off_surface\", \"p_tilde\"]";
    for loss in ["empirical\"\nsequences = 20", "online\"\nbatch = 20"] {
        let system = format!(
            "w_star = 0.3\nmodel = \"matrices\"\nattention = \"softmax\"\nfirst = \"trained\"\nloss = \"{loss}"
        );
        let pairs = [
            ("w_star = 0.3", system.as_str()),
            ("scale = 0.1", "scale = 0.1\nnoise = 0.01"),
            ("kind = \"flow\"\nuntil = 50.0", steps),
        ];
        run(changed(&base(NGRAM), &pairs)).shows(&["39 parameters", "off_surface"]);
    }
}

/// Beyond the closed form's range the run stops, and says where the other forms have no such limit.
#[test]
fn scores_that_leave_the_closed_form_stop_the_run_with_the_reason() {
    let text = changed(&base(NGRAM), &[("scale = 0.1", "kind = \"given\"\nw_q = 0.8\nw_k = 0.8")]);
    run(text)
        .fails(1, &["w_q w_k is 0.64", "2 |w_q w_k| < 1", "softmax attention and boolean tokens"]);
}

/// The paper's times in the table of runs are those of the reference values, as far as rows allow.
#[test]
fn times_are_read_off_the_rows() {
    let text = changed(
        &base(NGRAM),
        &[
            ("length = 12", "length = 40"),
            ("w_star = 0.3", "w_star = 0.49"),
            ("scale = 0.1", "scale = 0.01"),
            (
                "until = 50.0",
                "until = 4000.0\n[record]\nsampling = \"log\"\npoints = 1500\nobservables = [\"loss\", \"loss.*\", \"g\", \"h\", \"strength\"]",
            ),
        ],
    );
    let out = experiment(text);
    for (name, expected) in [
        ("T_1g", 9.866_375),
        ("T_I", 205.459_34),
        ("T_1h", 133.423_1),
        ("T_II", 171.307_2),
        ("T_III", 2574.505),
        ("left_at_T_I", 0.071_68),
    ] {
        let found = out["outcomes"][name].as_f64().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-3, "{name}: {found} {expected}");
    }
}

/// The plateau of the induction head alone is an ordinary saddle, left at the rate of theory.
#[test]
fn the_plateau_is_an_ordinary_saddle() {
    let text = changed(
        &base(NGRAM),
        &[
            ("w_star = 0.3", "w_star = 0.49\nparts = \"induction\""),
            ("scale = 0.1", "scale = 0.001"),
            ("until = 50.0", "until = \"converged\""),
        ],
    );
    Folder::with("mine.toml", text).run("saddles mine.toml").shows(&["non-degenerate"]);
}

// Scan and snap.

/// Each law of the paper runs in the model's place.
#[test]
fn theories_run_where_they_apply() {
    for theory in ["mean", "sum", "sum-as-printed", "modified", "theorem-4"] {
        let dynamics = format!("kind = \"reduced\"\ntheory = \"{theory}\"\nuntil = 20.0");
        let one = ("next_per_query = 2", "next_per_query = 2\ncommon = 1");
        let text = changed(&base(SCAN), &[("kind = \"flow\"\nuntil = 20.0", &dynamics), one]);
        run(text).done();
        let text = changed(
            &base(SCAN),
            &[
                ("kind = \"flow\"\nuntil = 20.0", &dynamics),
                ("next_per_query = 2", "next_per_query = 2\nheads = 2"),
            ],
        );
        run(text).fails(2, &["heads is 2, expected 1"]);
    }
}

/// A column that stands for many outputs is none for Adam; "converged" is an end that a loss without minimum comes to.
#[test]
fn what_would_be_wrong_is_refused_and_ends_are_near() {
    let adam = "kind = \"adam\"\nrate = 0.1\nsteps = 5";
    let text = changed(
        &base(SCAN),
        &[
            ("next_per_query = 2", "next_per_query = 2\noutputs = \"used\""),
            ("kind = \"flow\"\nuntil = 20.0", adam),
        ],
    );
    run(text).fails(1, &["outputs", "Adam"]);
    let text = changed(&base(SCAN), &[("until = 20.0", "until = \"converged\"")]);
    run(text).shows(&["converged"]);
    let dynamics = "kind = \"reduced\"\ntheory = \"mean\"\nuntil = 20.0";
    let text = changed(
        &base(SCAN),
        &[("kind = \"zero\"", "kind = \"uniform\""), ("kind = \"flow\"\nuntil = 20.0", dynamics)],
    );
    run(text).fails(2, &["start with Y = 0"]);
}

/// Rows of Y and Z keep their sums under flow and under Adam's sign-like steps they do not.
#[test]
fn the_ledger_knows_row_sums() {
    Folder::with("mine.toml", base(SCAN))
        .run("invariants mine.toml")
        .shows(&["sum.y.0", "sum.z.30"]);
}
