//! Scan and snap through the program: runs, laws.

use crate::bases::base;
use crate::program::{Folder, changed, run};

fn good() -> String {
    base("scan-and-snap")
}

/// Each law of the paper runs in the model's place.
#[test]
fn theories_run_where_they_apply() {
    for theory in ["mean", "sum", "sum-as-printed", "modified", "theorem-4"] {
        let dynamics = format!("kind = \"reduced\"\ntheory = \"{theory}\"\nuntil = 20.0");
        let one = ("next_per_query = 2", "next_per_query = 2\ncommon = 1");
        let text = changed(&good(), &[("kind = \"flow\"\nuntil = 20.0", &dynamics), one]);
        run(text).done();
        let text = changed(
            &good(),
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
        &good(),
        &[
            ("next_per_query = 2", "next_per_query = 2\noutputs = \"used\""),
            ("kind = \"flow\"\nuntil = 20.0", adam),
        ],
    );
    run(text).fails(1, &["outputs", "Adam"]);
    let text = changed(&good(), &[("until = 20.0", "until = \"converged\"")]);
    run(text).shows(&["converged"]);
    let dynamics = "kind = \"reduced\"\ntheory = \"mean\"\nuntil = 20.0";
    let text = changed(
        &good(),
        &[("kind = \"zero\"", "kind = \"uniform\""), ("kind = \"flow\"\nuntil = 20.0", dynamics)],
    );
    run(text).fails(2, &["start with Y = 0"]);
}

/// Rows of Y and Z keep their sums under flow and under Adam's sign-like steps they do not.
#[test]
fn the_ledger_knows_row_sums() {
    Folder::with("mine.toml", good()).run("invariants mine.toml").shows(&["sum.y.0", "sum.z.30"]);
}
