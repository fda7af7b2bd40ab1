//! The habits of the project as commands: test, docs, bench.

mod bench;
mod page;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread::JoinHandle;
use std::time::Instant;

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
cargo xtask test          everything that CI runs: format, lints, tests, reference cases, docs, the observatory's
                          page in Chromium (where there is one), and the Python package with its tests
                          (in an environment of its own: target/python)
cargo xtask docs          writes the generated pages and pictures of the book anew";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(2).collect();
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("test") => test(),
        Some("docs") => docs(),
        Some("bench") => bench::bench(&words),
        _ => {
            eprintln!("{USAGE}\n{}", bench::USAGE);
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// One optimised profile serves tests and the program. The reference cases are verified by the tests
/// of the command line, through the public command. Property tests draw the same cases each time here, so
/// that a change is judged by what it changes; a plain `cargo test` draws others.
///
/// Packages of Python and of the page come while the compiler works; what needs one core at a time goes side by side.
fn test() -> Result<()> {
    let python = spawn(|| environment("target/python", "tests/python/requirements.txt"));
    let page = spawn(page::prepare);
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--release", "--", "-D", "warnings"], &[])?;
    cargo(&["test", "--workspace", "--release"], &[("PROPTEST_RNG_SEED", "1")])?;
    let (python, page) = (join(python)?, join(page)?);
    let page = spawn(move || page.map_or(Ok(()), |browser| page::test(&browser)));
    open_from_python(&python)?;
    install(&python)?;
    let package = spawn(move || package(&python));
    cargo(&["doc", "--workspace", "--no-deps", "--release"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    join(page)?;
    join(package)
}

/// Work beside the rest.
fn spawn<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> JoinHandle<Result<T>> {
    std::thread::spawn(work)
}

fn join<T>(thread: JoinHandle<Result<T>>) -> Result<T> {
    let Ok(outcome) = thread.join() else { bail!("a thread of xtask failed") };
    outcome
}

/// What a run leaves behind opens in pandas, polars and safetensors as their users expect.
fn open_from_python(python: &Path) -> Result<()> {
    let folder = Path::new("target/python-runs");
    if folder.exists() {
        std::fs::remove_dir_all(folder).context("cannot clear target/python-runs")?;
    }
    let experiment = ["run", "linear-attention/fig1", "--seeds", "1", "--json"];
    let snapshots = ["--set", "record.snapshots=[10.0, 1000.0]", "--out", "target/python-runs"];
    let printed = output(&[experiment.as_slice(), &snapshots].concat())?;
    let file = folder.join("printed.json");
    std::fs::write(&file, printed).context("cannot write target/python-runs/printed.json")?;
    let place = folder.join("linear-attention/fig1");
    run_beside(Command::new(python).arg("tests/python/open_run.py").args([place, file]))
}

/// The Python package as its users install it.
fn install(python: &Path) -> Result<()> {
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run_beside(Command::new(python).args(install).args(["--no-deps", "--force-reinstall", "."]))
}

/// Its tests: types, words, bits, notebooks, a cluster.
fn package(python: &Path) -> Result<()> {
    let tests = ["-m", "pytest", "--quiet", "crates/saddlescope-py/tests"];
    run_beside(Command::new(python).args(tests))
}

/// The book's pictures and errata pages, written by the program itself; README shows one of the pictures.
fn docs() -> Result<()> {
    cargo(&["build", "--release", "--package", "saddlescope-cli"], &[])?;
    let pictures = Path::new("docs/book/src/pictures");
    std::fs::create_dir_all(pictures).context("cannot create docs/book/src/pictures")?;
    let shown = ["reproduce", "--force", "--out", "target/book"];
    saddlescope(&[shown.as_slice(), &PICTURES].concat())?;
    for figure in PICTURES {
        let from = Path::new("target/book").join(figure).join("figure.svg");
        let to = pictures.join(figure.replace('/', "-") + ".svg");
        std::fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    saddlescope(&["sweep", "examples/sweeps/apart.toml", "--force", "--out", "target/book"])?;
    std::fs::copy(
        "target/book/linear-attention/apart/figure.svg",
        pictures.join("sweep-apart.svg"),
    )
    .context("cannot copy the figure of the sweep")?;
    page::picture()?;
    for system in SYSTEMS {
        let page = output(&["check", "--errata", system])?;
        let path = format!("docs/book/src/errata/{system}.md");
        std::fs::write(&path, page).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

/// Systems whose papers have an errata page.
const SYSTEMS: [&str; 5] = [
    "linear-attention",
    "associative-recall",
    "ngram-to-induction",
    "scan-and-snap",
    "sparse-markov",
];

/// Figures that the book shows.
const PICTURES: [&str; 31] = [
    "linear-attention/fig1",
    "linear-attention/fig2",
    "linear-attention/fig4",
    "linear-attention/one-axis",
    "linear-attention/saddle-graph",
    "linear-attention/time-against-lambda",
    "linear-attention/time-against-rank",
    "linear-attention/time-against-scale",
    "associative-recall/fig1",
    "associative-recall/fig2",
    "associative-recall/order-map",
    "associative-recall/relaxations",
    "ngram-to-induction/fig1",
    "ngram-to-induction/fig2",
    "ngram-to-induction/joint",
    "ngram-to-induction/phase-one",
    "ngram-to-induction/time-against-scale",
    "scan-and-snap/fig3",
    "scan-and-snap/fig4",
    "scan-and-snap/fig6",
    "scan-and-snap/fig7",
    "scan-and-snap/fig10",
    "scan-and-snap/one-clock",
    "sparse-markov/fig1",
    "sparse-markov/fig2",
    "sparse-markov/fig3",
    "sparse-markov/fig10",
    "sparse-markov/fig18",
    "sparse-markov/fig5-minimal",
    "sparse-markov/flow-noise",
    "sparse-markov/theorem-4",
];

/// The Python of an environment that has the packages that `requirements` lists.
fn environment(folder: &str, requirements: &str) -> Result<PathBuf> {
    let python = Path::new(folder).join("bin/python");
    if !python.exists() {
        run_beside(Command::new("python3").args(["-m", "venv", folder]))
            .context("Python 3 with its module venv is needed here")?;
    }
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    run_beside(Command::new(&python).args(install).arg(requirements))?;
    Ok(python)
}

/// The program itself.
fn saddlescope(arguments: &[&str]) -> Result<()> {
    run(Command::new(program()).args(arguments))
}

/// What the program prints.
fn output(arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program()).args(arguments).output()?;
    if !output.status.success() {
        bail!("failed ({}): saddlescope {}", output.status, arguments.join(" "));
    }
    Ok(output.stdout)
}

/// The program that was built last. Building it here would build its dependencies anew after tests, which
/// use them with other features.
fn program() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    target.join("release").join("saddlescope")
}

fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(program).args(arguments).envs(variables.iter().copied()))
}

/// Runs a command beside others: what it prints comes in one piece, when it is over.
fn run_beside(command: &mut Command) -> Result<()> {
    let words = words(command);
    let began = Instant::now();
    let output = command.output().with_context(|| format!("cannot start: {words}"))?;
    let seconds = began.elapsed().as_secs_f64();
    let said = [output.stdout, output.stderr].concat();
    eprintln!("\nxtask: {words}\n{}xtask: done in {seconds:.1} s", String::from_utf8_lossy(&said));
    if !output.status.success() {
        bail!("failed ({}): {words}", output.status);
    }
    Ok(())
}

fn words(command: &Command) -> String {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

fn run(command: &mut Command) -> Result<()> {
    let words = words(command);
    eprintln!("\nxtask: {words}");
    let began = Instant::now();
    let status = command.status().with_context(|| format!("cannot start: {words}"))?;
    if !status.success() {
        bail!("failed ({status}): {words}");
    }
    eprintln!("xtask: done in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}
