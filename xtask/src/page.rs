//! The observatory's page: built from its sources, and tested in a real browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{program, run};

/// Where the sources of the page are.
const SOURCES: &str = "crates/saddlescope-web/web";

/// Names under which Chromium goes.
const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Set to `required` where the tests must not pass without a browser, as in CI.
const BROWSER: &str = "SADDLESCOPE_BROWSER";

/// Tests the page in Chromium where there is one, and says loudly when there is none.
pub(crate) fn test() -> Result<()> {
    let (node, browser) = (on_path("npm"), BROWSERS.iter().find_map(|name| on_path(name)));
    let missing = match (&node, &browser) {
        (None, _) => "Node.js with npm",
        (_, None) => "Chromium",
        _ => return in_browser(&browser.unwrap_or_default()),
    };
    if std::env::var_os(BROWSER).is_some_and(|word| word == "required") {
        bail!("{BROWSER}=required, but there is no {missing} here");
    }
    let line = "=".repeat(78);
    eprintln!(
        "\n{line}\nxtask: THE PAGE WAS NOT TESTED: there is no {missing} on this machine.\n\
         On Debian: apt-get install chromium nodejs npm\n{line}"
    );
    Ok(())
}

fn in_browser(browser: &Path) -> Result<()> {
    npm(&["ci", "--no-audit", "--no-fund", "--silent"])?;
    npm(&["run", "--silent", "check"])?;
    npm(&["run", "--silent", "fresh"]).context(
        "the built page is not that of its sources; `npm run build` in crates/saddlescope-web/web builds it",
    )?;
    let program = std::path::absolute(program()).context("cannot tell where the program is")?;
    let mut command = Command::new("npm");
    command.args(["run", "--silent", "test"]).current_dir(SOURCES);
    run(command.env("SADDLESCOPE", program).env("CHROMIUM", browser))
}

/// The picture of the page in README and book.
pub(crate) fn picture() -> Result<()> {
    npm(&["ci", "--no-audit", "--no-fund", "--silent"])?;
    npm(&["run", "--silent", "picture"])
}

fn npm(arguments: &[&str]) -> Result<()> {
    run(Command::new("npm").args(arguments).current_dir(SOURCES))
}

/// The program of that name, where the path has one.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
