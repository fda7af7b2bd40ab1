//! Programs that the commands call.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

/// The Python of an environment that has the packages that `requirements` lists.
pub(crate) fn environment(folder: &str, requirements: &str) -> Result<PathBuf> {
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

pub(crate) fn saddlescope(arguments: &[&str]) -> Result<()> {
    run(Command::new(program()).args(arguments))
}

/// What the program prints.
pub(crate) fn output(arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program()).args(arguments).output()?;
    let words = arguments.join(" ");
    ensure!(output.status.success(), "failed ({}): saddlescope {words}", output.status);
    Ok(output.stdout)
}

/// The program that was built last. Building it here would build its dependencies anew after tests, which
/// use them with other features.
pub(crate) fn program() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    target.join("release").join("saddlescope")
}

/// What another program prints, on one line.
pub(crate) fn printed(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.with_context(|| format!("cannot start {program}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The day in UTC, `2026-01-31`.
pub(crate) fn today() -> Result<String> {
    printed("date", &["-u", "+%F"])
}

pub(crate) fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

pub(crate) fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    run(Command::new(cargo_program()).args(arguments).envs(variables.iter().copied()))
}

/// Runs a command beside others: what it prints comes in one piece, when it is over.
pub(crate) fn run_beside(command: &mut Command) -> Result<()> {
    let words = words(command);
    let began = Instant::now();
    let output = command.output().with_context(|| format!("cannot start: {words}"))?;
    let seconds = began.elapsed().as_secs_f64();
    let said = [output.stdout, output.stderr].concat();
    eprintln!("\nxtask: {words}\n{}xtask: done in {seconds:.1} s", String::from_utf8_lossy(&said));
    ensure!(output.status.success(), "failed ({}): {words}", output.status);
    Ok(())
}

fn words(command: &Command) -> String {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

pub(crate) fn run(command: &mut Command) -> Result<()> {
    let words = words(command);
    eprintln!("\nxtask: {words}");
    let began = Instant::now();
    let status = command.status().with_context(|| format!("cannot start: {words}"))?;
    ensure!(status.success(), "failed ({status}): {words}");
    eprintln!("xtask: done in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}
