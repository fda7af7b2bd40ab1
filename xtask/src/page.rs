//! The observatory's page: built from its sources, and tested in a real browser.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell::{program, run_beside};
use crate::test::FULL;

/// Where the sources of the page are.
const SOURCES: &str = "crates/saddlescope-web/web";

/// Names under which Chromium goes.
const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Set to `required` where the tests must not pass without a browser, as in CI.
const BROWSER: &str = "SADDLESCOPE_BROWSER";

/// Checks the page's sources and that the built page is theirs. The browser to test it in, where there is one; says loudly
/// when there is none.
pub(crate) fn prepare() -> Result<Option<PathBuf>> {
    if on_path("npm").is_none() {
        return nothing("Node.js with npm");
    }
    npm(&["ci", "--no-audit", "--no-fund", "--silent"])?;
    npm(&["run", "--silent", "check"])?;
    npm(&["run", "--silent", "fresh"]).context(
        "the built page is not that of its sources; `npm run build` in crates/saddlescope-web/web builds it",
    )?;
    // CI installs a browser while this runs.
    let patience = if required() { Duration::from_secs(600) } else { Duration::ZERO };
    let began = Instant::now();
    loop {
        if let Some(browser) = BROWSERS.iter().find_map(|name| on_path(name)) {
            return Ok(Some(browser));
        }
        if began.elapsed() >= patience {
            return nothing("Chromium");
        }
        std::thread::sleep(Duration::from_secs(2));
    }
}

fn required() -> bool {
    std::env::var_os(BROWSER).is_some_and(|word| word == "required")
}

fn nothing(missing: &str) -> Result<Option<PathBuf>> {
    if required() {
        bail!("{BROWSER}=required, but there is no {missing} here");
    }
    let line = "=".repeat(78);
    eprintln!(
        "\n{line}\nxtask: THE PAGE IS NOT TESTED: there is no {missing} on this machine.\n\
         On Debian: apt-get install chromium nodejs npm\n{line}"
    );
    Ok(None)
}

/// Tests the page in a real browser, against the program that was built last; all of it, or without what takes long.
pub(crate) fn test(browser: &Path, is_full: bool) -> Result<()> {
    let program = std::path::absolute(program()).context("cannot tell where the program is")?;
    let mut command = Command::new("npm");
    command.args(["run", "--silent", "test"]).current_dir(SOURCES);
    command.envs(is_full.then_some((FULL, "1")));
    run_beside(command.env("SADDLESCOPE", program).env("CHROMIUM", browser))
}

/// The picture of the page in README and book.
pub(crate) fn picture() -> Result<()> {
    npm(&["ci", "--no-audit", "--no-fund", "--silent"])?;
    npm(&["run", "--silent", "picture"])
}

fn npm(arguments: &[&str]) -> Result<()> {
    run_beside(Command::new("npm").args(arguments).current_dir(SOURCES))
}

/// The program of that name, where the path has one.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
