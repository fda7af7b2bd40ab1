//! Sparse attention on Markov chains through the program: runs, certificates.

use crate::bases::base;
use crate::program::{Folder, changed, run};

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
