//! What CI runs, and what takes longer than CI should.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::page;
use crate::parts::Parts;
use crate::python;
use crate::shell::{cargo, cargo_program, environment, printed, saddlescope, today};

/// Set where tests that have a long form should take it.
pub(crate) const FULL: &str = "SADDLESCOPE_FULL";

/// Where logs of full tests are kept.
const LOGS: &str = "tests/full";

/// Property tests draw the same cases each time in CI, so that a change is judged by what it changes; a plain `cargo test`
/// draws others.
const SAME_CASES: [(&str, &str); 1] = [("PROPTEST_RNG_SEED", "1")];

/// Many cases, others each time.
const MANY_CASES: [(&str, &str); 2] = [("PROPTEST_CASES", "4000"), (FULL, "1")];

pub(crate) fn test() -> Result<()> {
    let parts = Parts::new();
    let outcome = checks(&parts, &SAME_CASES, &mut String::new());
    eprintln!("\n{}", parts.table());
    outcome
}

/// The same with more cases, then what takes long; its log is kept.
pub(crate) fn full() -> Result<()> {
    let (parts, mut results) = (Parts::new(), String::new());
    let outcome = checks(&parts, &MANY_CASES, &mut results)
        .and_then(|()| parts.time("all figures", figures))
        .and_then(|()| busily(|| tests(&parts, "busy: ", &SAME_CASES, &mut results)));
    eprintln!("\n{}", parts.table());
    let end = match &outcome {
        Ok(()) => "all passed".to_owned(),
        Err(error) => format!("FAILED: {error:#}"),
    };
    log(&format!("{end}\n\n{}\n{results}", parts.table()))?;
    outcome
}

/// One optimised profile serves tests and the program. The reference cases are verified by the tests of the command line,
/// through the public command.
///
/// Packages of Python and of the page come while the compiler works; what needs one core at a time goes side by side.
fn checks(parts: &Parts, variables: &[(&str, &str)], results: &mut String) -> Result<()> {
    let is_full = variables.iter().any(|(name, _)| *name == FULL);
    let python = beside(parts, "install Python's packages", || {
        environment("target/python", "tests/python/requirements.txt")
    });
    let page = beside(parts, "install and build the page", page::prepare);
    parts.time("format", || cargo(&["fmt", "--all", "--check"], &[]))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--release", "--", "-D", "warnings"];
    parts.time("build: clippy", || cargo(&clippy, &[]))?;
    tests(parts, "", variables, results)?;
    let (python, page) = (join(python)?, join(page)?);
    let page =
        beside(parts, "page", move || page.map_or(Ok(()), |browser| page::test(&browser, is_full)));
    parts.time("Python: opens what runs leave", || python::open_from_python(&python))?;
    parts.time("build: the Python package", || python::install(&python))?;
    let package = beside(parts, "Python: its tests", move || python::package(&python, is_full));
    parts.time("docs", || docs(is_full))?;
    join(page)?;
    join(package)
}

/// The documentation of all crates, or of all but the systems.
fn docs(is_full: bool) -> Result<()> {
    let mut words: Vec<String> =
        ["doc", "--workspace", "--no-deps", "--release"].map(str::to_owned).to_vec();
    if !is_full {
        let systems = std::fs::read_dir("systems").context("cannot read systems")?.flatten();
        let names = systems.map(|system| system.file_name().to_string_lossy().into_owned());
        for name in names.chain(["evidence".to_owned()]) {
            words.extend(["--exclude".to_owned(), format!("saddlescope-{name}")]);
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    cargo(&words, &[("RUSTDOCFLAGS", "-D warnings")])
}

/// All tests in Rust, each binary a part; the line of each with its result goes to `results`.
fn tests(
    parts: &Parts,
    prefix: &str,
    variables: &[(&str, &str)],
    results: &mut String,
) -> Result<()> {
    // Both streams in one, so that lines come in their order.
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\" 2>&1"]).arg(cargo_program());
    command.args(["test", "--workspace", "--release"]).envs(variables.iter().copied());
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let printed = child.stdout.take().context("cargo prints nothing")?;
    let (mut part, mut began) = (format!("{prefix}build: tests"), Instant::now());
    for line in BufReader::new(printed).lines() {
        let line = line.context("cannot read what cargo prints")?;
        eprintln!("{line}");
        if let Some(next) = binary(&line) {
            parts.note(&part, began.elapsed().as_secs_f64());
            (part, began) = (format!("{prefix}{next}"), Instant::now());
        } else if line.starts_with("test result:") {
            let _ = writeln!(results, "{part}: {line}");
        }
    }
    parts.note(&part, began.elapsed().as_secs_f64());
    let status = child.wait().context("cannot wait for cargo")?;
    ensure!(status.success(), "failed ({status}): cargo test, in {part}");
    Ok(())
}

/// The part that begins with a line of cargo's: a test binary by its name, or tests of documentation.
fn binary(line: &str) -> Option<String> {
    let line = line.trim_start();
    if line.starts_with("Doc-tests ") {
        return Some("doc tests".to_owned());
    }
    let file = line.strip_prefix("Running ")?.split_once('(')?.1.trim_end_matches(')');
    let (name, _) = Path::new(file).file_name()?.to_str()?.rsplit_once('-')?;
    Some(format!("tests: {name}"))
}

/// Every figure at its quick size, with verdicts as recorded, and without a number that is none.
fn figures() -> Result<()> {
    let folder = Path::new("target/full");
    saddlescope(&["reproduce", "--all", "--force", "--out", "target/full"])?;
    let mut count = 0;
    for system in std::fs::read_dir(folder)?.flatten() {
        for figure in std::fs::read_dir(system.path()).into_iter().flatten().flatten() {
            let file = figure.path().join("figure.svg");
            let svg = std::fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let none = ["NaN", "\"inf", "-inf"].iter().any(|word| svg.contains(word));
            ensure!(!none, "{} shows what is no number", file.display());
            count += 1;
        }
    }
    eprintln!("xtask: {count} figures");
    Ok(())
}

/// Does something while every core has something else to do.
fn busily<T>(work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = work();
        over.store(true, Ordering::Relaxed);
        done
    })
}

/// Keeps what came of the full tests under their day and commit.
fn log(text: &str) -> Result<()> {
    let (day, commit) = (today()?, printed("git", &["rev-parse", "--short", "HEAD"])?);
    let changed = printed("git", &["status", "--porcelain"])?;
    let changed = if changed.is_empty() { "" } else { ", changed" };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let file = Path::new(LOGS).join(format!("{day}-{commit}.log"));
    let head = format!("commit {commit}{changed}, {day}, {cores} cores\n");
    std::fs::write(&file, head + text)
        .with_context(|| format!("cannot write {}", file.display()))?;
    eprintln!("xtask: the log is {}", file.display());
    Ok(())
}

/// A part that goes beside the rest.
fn beside<T: Send + 'static>(
    parts: &Parts,
    name: &'static str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> JoinHandle<Result<T>> {
    let parts = parts.clone();
    std::thread::spawn(move || parts.time(name, work))
}

fn join<T>(thread: JoinHandle<Result<T>>) -> Result<T> {
    let Ok(outcome) = thread.join() else { bail!("a thread of xtask failed") };
    outcome
}

#[cfg(test)]
mod tests {
    use super::binary;

    #[test]
    fn binaries_have_names() {
        let line = "     Running unittests src/lib.rs (target/release/deps/saddlescope_lab-e07)";
        assert_eq!(binary(line).as_deref(), Some("tests: saddlescope_lab"));
        assert_eq!(binary("   Doc-tests saddlescope").as_deref(), Some("doc tests"));
        assert_eq!(binary("running 6 tests"), None);
    }
}
