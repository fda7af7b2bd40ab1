//! Associative recall through the program: runs, instruments.

use crate::bases::base;
use crate::program::{Folder, changed, experiment};

fn good() -> String {
    base("associative-recall")
}

#[test]
fn the_start_is_degenerate_and_the_plateaus_lie_at_infinity() {
    let text = changed(&good(), &[("until = 400.0", "until = 4000.0")]);
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
    let text =
        changed(&good(), &[("[0.3, 0.2]", "[0.02, 0.3]"), ("until = 400.0", "until = 40000.0")]);
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
        let text = changed(&good(), &[(flow, dynamics)]);
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
    let text = changed(&good(), &[("heads = 2", "heads = 1"), ("[0.3, 0.2]", "[0.3]")]);
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
    let out = Folder::with("mine.toml", good()).run("invariants mine.toml").done();
    assert!(out.contains("head.1.sum_w") && !out.contains("quarter"), "{out}");
}
