//! The generated pages and pictures of the book.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::page;
use crate::shell::{cargo, output, saddlescope};

const PICTURES: &str = "docs/book/src/pictures";

/// The book's pictures and errata pages, written by the program itself; README shows one of the pictures.
///
/// Whatever has a file there is written anew: another figure is shown once there is an empty file with its name.
pub(crate) fn docs() -> Result<()> {
    cargo(&["build", "--release", "--package", "saddlescope-cli"], &[])?;
    let systems = stems("docs/book/src/errata")?;
    let figure = |picture: &String| {
        let of = |system: &String| Some((system.clone(), picture.strip_prefix(system)?));
        let (system, name) = systems.iter().find_map(of)?;
        Some(format!("{system}/{}", name.strip_prefix('-')?))
    };
    let figures: Vec<String> = stems(PICTURES)?.iter().filter_map(figure).collect();
    let shown = ["reproduce", "--force", "--out", "target/book"].into_iter();
    saddlescope(&shown.chain(figures.iter().map(String::as_str)).collect::<Vec<_>>())?;
    for figure in figures {
        shown_as(&figure.replace('/', "-"), &figure)?;
    }
    saddlescope(&["sweep", "examples/sweeps/apart.toml", "--force", "--out", "target/book"])?;
    shown_as("sweep-apart", "linear-attention/apart")?;
    page::picture()?;
    for system in systems {
        let path = format!("docs/book/src/errata/{system}.md");
        std::fs::write(&path, output(&["check", "--errata", &system])?)
            .with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

/// Names of the files in a folder, without their endings.
fn stems(folder: &str) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {folder}"))?;
    let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    Ok(paths.iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect())
}

/// Takes a figure over into the book.
fn shown_as(picture: &str, figure: &str) -> Result<()> {
    let from = Path::new("target/book").join(figure).join("figure.svg");
    std::fs::copy(&from, format!("{PICTURES}/{picture}.svg"))
        .with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}
