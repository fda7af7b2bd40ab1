//! The same file gives the same bits, at any number of threads.

use crate::folders::contents;
use crate::program::{Folder, Ran};

/// All that a run prints as JSON, digit by digit, without the time it took.
fn result(folder: &Folder, threads: &str) -> Vec<String> {
    let mut command = folder.command("run mine.toml --json");
    let out = Ran::of(command.env("RAYON_NUM_THREADS", threads)).done();
    let (timed, rest): (Vec<&str>, Vec<&str>) =
        out.lines().partition(|line| line.starts_with("  \"seconds\": "));
    assert_eq!(timed.len(), 1);
    rest.into_iter().map(str::to_owned).collect()
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let softmax = "attention = \"softmax\"\nloss = \"empirical\"\nsequences = 300";
    let double = format!("{softmax}\nprecision = \"double\"");
    for (system, steps) in [
        (softmax, 25),
        (&double, 25),
        ("attention = \"full\"\nloss = \"empirical\"\nsequences = 300", 25),
        ("loss = \"empirical\"\nsequences = 3000", 200),
        ("loss = \"minibatch\"\nsequences = 500\nbatch = 200", 50),
        ("loss = \"online\"\nbatch = 500\neigenvectors = \"random\"", 25),
        ("loss = \"population\"\nheads = 40", 100),
    ] {
        let text = format!(
            "seed = 7\n[system]\nname = \"linear-attention\"\n{system}\n[start]\nscale = 0.3\n\
             [dynamics]\nkind = \"adam\"\nrate = 0.01\nsteps = {steps}\n\
             [record]\nobservables = [\"loss\", \"gradient.norm\", \"head.*.key\"]\n"
        );
        let folder = Folder::with("mine.toml", text);
        let first = result(&folder, "1");
        for threads in ["1", "2", "3"] {
            // Numbers are printed in the shortest digits that read back to the same bits.
            assert!(result(&folder, threads) == first, "{system}, {threads} threads");
        }
    }
}

/// Every process shuffles its hash tables in another way, and members end in another order.
#[test]
fn files_have_the_same_bytes_in_every_process() {
    let files = |threads: &str| {
        let folder = Folder::new();
        let mut command = folder.command("run linear-attention/fig1 --seeds 3 --out .");
        Ran::of(command.env("RAYON_NUM_THREADS", threads)).done();
        contents(&folder, "linear-attention/fig1")
    };
    let (one, three) = (files("1"), files("3"));
    assert!(one.keys().eq(three.keys()), "{:?} and {:?}", one.keys(), three.keys());
    for name in ["figure.svg", "figure.png", "figure.pdf", "runs/seed-5/stages.json"] {
        assert!(one.contains_key(name), "{name} is not in {:?}", one.keys());
    }
    let timed = |name: &str| name.starts_with("table.") || name.ends_with("run.toml");
    for (name, bytes) in one.iter().filter(|(name, _)| !timed(name)) {
        assert!(three[name] == *bytes, "{name}");
    }
}

#[test]
fn another_seed_is_another_run() {
    let folder = Folder::new();
    let end = |seed: &str| {
        let run = format!("run linear-attention/fig6 --json --set seed={seed}");
        folder.run(run).json()["final"].take()
    };
    assert_eq!(end("5"), end("5"));
    assert_ne!(end("5"), end("6"));
}
