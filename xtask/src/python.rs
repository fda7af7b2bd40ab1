//! The Python package, in an environment of its own.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{output, run_beside};

/// What a run leaves behind opens in pandas, polars and safetensors as their users expect.
pub(crate) fn open_from_python(python: &Path) -> Result<()> {
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

pub(crate) fn install(python: &Path) -> Result<()> {
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run_beside(Command::new(python).args(install).args(["--no-deps", "--force-reinstall", "."]))
}

/// Its tests: types, words, bits, notebooks, a cluster; all of them, or without those that take long.
pub(crate) fn package(python: &Path, is_full: bool) -> Result<()> {
    let tests = ["-m", "pytest", "--quiet", "--durations=8", "crates/saddlescope-py/tests"];
    let short = (!is_full).then_some(["-m", "not full"]).into_iter().flatten();
    run_beside(Command::new(python).args(tests).args(short))
}
