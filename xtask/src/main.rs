//! The habits of the project as commands: test, bench.

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
cargo xtask test          everything that CI runs: format, lints, tests, reference cases, docs
cargo xtask bench         our speed beside the peers' (Python 3 with the packages of
                          benches/peers/requirements.txt, in an environment of its own)";

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("test") => test(),
        Some("bench") => bench(),
        _ => {
            eprintln!("{USAGE}");
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
/// of the command line, through the public command.
fn test() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--release", "--", "-D", "warnings"], &[])?;
    cargo(&["test", "--workspace", "--release"], &[])?;
    cargo(&["doc", "--workspace", "--no-deps", "--release"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    Ok(())
}

/// The peers run first and are handed to our side, which measures itself and prints both.
fn bench() -> Result<()> {
    let environment = std::path::Path::new("target/peers");
    let python = environment.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
    }
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--requirement"])
        .arg("benches/peers/requirements.txt"))?;
    cargo(
        &["bench", "--package", "saddlescope-systems", "--bench", "peers"],
        &[(
            "SADDLESCOPE_PEER_PYTHON",
            python.to_str().context("the path of the environment is not UTF-8")?,
        )],
    )
}

fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(program).args(arguments).envs(variables.iter().copied()))
}

fn run(command: &mut Command) -> Result<()> {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    let words = words.join(" ");
    eprintln!("\nxtask: {words}");
    let began = Instant::now();
    let status = command.status().with_context(|| format!("cannot start: {words}"))?;
    if !status.success() {
        bail!("failed ({status}): {words}");
    }
    eprintln!("xtask: done in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}
