//! What the program says of itself: welcome, help, lists, a starter file, the schema.

use std::io::Read;
use std::process::Stdio;

use crate::program::{Folder, Ran};

fn said(line: impl AsRef<str>) -> String {
    Folder::new().run(line).done()
}

#[test]
fn a_newcomer_is_told_what_to_try() {
    let welcome = said("");
    assert!(welcome.contains("saddlescope run linear-attention/fig1"), "{welcome}");
    assert!(welcome.lines().all(|line| line.chars().count() <= 100), "{welcome}");
    for command in ["", "run", "reproduce", "plot", "verify"] {
        let help = format!("{command} --help");
        Folder::new().run(help).shows(&["Examples:\n  saddlescope "]);
    }
    assert!(said("--help").contains("Exit codes: 0 done, 1 "));
    assert!(said("--version").starts_with("saddlescope "));
}

#[test]
fn list_names_systems_and_experiments_one_line_each() {
    let list = said("list");
    let line = |name: &str| list.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!(line("linear-attention  "), 1, "{list}");
    for name in ["fig1", "fig9", "one-axis"] {
        assert_eq!(line(&format!("linear-attention/{name} ")), 1, "{list}");
    }
}

#[test]
fn the_starter_file_runs_as_it_is() {
    let folder = Folder::with("mine.toml", said("new linear-attention"));
    folder.run("run mine.toml").shows(&["flow: converged at time"]);
    // The system's own figure goes with any recording, and with settings that theory is silent about.
    for (place, set) in [("a", "system.rank=2"), ("b", "dynamics.until=1"), ("c", "system.heads=2")]
    {
        folder.run(format!("run mine.toml --set name=mine --set {set} --out {place}")).done();
        assert!(folder.path(place).join("linear-attention/mine/figure.svg").exists(), "{set}");
    }
}

#[test]
fn the_schema_explains_every_section() {
    let words = ["[system]", "[start]", "[dynamics]", "[record]", "eigenvalues", "stop_below_loss"];
    Folder::new().run("schema linear-attention").shows(&words);
}

#[test]
fn wrong_usage_says_what_is_right() {
    let folder = Folder::new();
    let fails = |line: &str, words: &[&str]| folder.run(line).fails(2, words);
    fails("new linear-atention", &["there is no system `linear-atention`; did you mean"]);
    fails("schema xyz", &["there is no system `xyz`; the systems are linear-attention"]);
    fails("new", &["<SYSTEM>"]);
    fails("lst", &["unrecognized subcommand 'lst'", "'list'"]);
    fails("run linear-attention/fig1 --row 3", &["--rows"]);
    fails("run linear-attention/fig1 --rows x", &["'x'", "--rows"]);
    fails("run linear-attention/fig1 --force", &["--out"]);
    fails("run", &["<EXPERIMENT>"]);
}

#[test]
fn the_simd_level_is_pinned_and_recorded() {
    let folder = Folder::new();
    let at = |level: &str, line: &str| Ran::of(folder.command(line).env("SADDLESCOPE_SIMD", level));
    let run = "run linear-attention/fig6 --json";
    assert_eq!(at("baseline", run).json()["simd"], "baseline");
    let words = ["SADDLESCOPE_SIMD is `nonsense`; expected `baseline`, `v3` or `v4`"];
    at("nonsense", run).fails(2, &words);
    at("nonsense", "list").fails(2, &words);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    for line in ["schema linear-attention", "run linear-attention/fig1 --rows 0"] {
        let mut command = folder.command(line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_under_standard_output_is_an_error() {
    let folder = Folder::new();
    for line in ["list", "run linear-attention/fig1 --json"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = Ran::of(folder.command(line).stdout(full));
        ran.fails(1, &["cannot write to standard output"]);
    }
}

#[test]
fn shells_can_complete_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let text = said(format!("completions {shell}"));
        for word in ["reproduce", "plot", "--columns"] {
            assert!(text.contains(word.trim_start_matches('-')), "{word} for {shell}");
        }
    }
    Folder::new().run("completions cmd").fails(2, &["bash", "zsh"]);
}
