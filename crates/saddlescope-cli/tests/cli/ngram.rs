//! N-gram to induction head through the program: runs, saddles.

use crate::bases::base;
use crate::program::{Folder, changed, experiment, run};

fn good() -> String {
    base("ngram-to-induction")
}

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
        run(changed(&good(), &pairs)).shows(&["39 parameters", "off_surface"]);
    }
}

/// Beyond the closed form's range the run stops, and says where the other forms have no such limit.
#[test]
fn scores_that_leave_the_closed_form_stop_the_run_with_the_reason() {
    let text = changed(&good(), &[("scale = 0.1", "kind = \"given\"\nw_q = 0.8\nw_k = 0.8")]);
    run(text)
        .fails(1, &["w_q w_k is 0.64", "2 |w_q w_k| < 1", "softmax attention and boolean tokens"]);
}

/// The paper's times in the table of runs are those of the reference values, as far as rows allow.
#[test]
fn times_are_read_off_the_rows() {
    let text = changed(
        &good(),
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
        &good(),
        &[
            ("w_star = 0.3", "w_star = 0.49\nparts = \"induction\""),
            ("scale = 0.1", "scale = 0.001"),
            ("until = 50.0", "until = \"converged\""),
        ],
    );
    Folder::with("mine.toml", text).run("saddles mine.toml").shows(&["non-degenerate"]);
}
