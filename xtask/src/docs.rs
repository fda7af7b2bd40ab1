//! The generated pages and pictures of the book.

use std::path::Path;

use anyhow::{Context, Result};

use crate::page;
use crate::shell::{cargo, output, saddlescope};

/// The book's pictures and errata pages, written by the program itself; README shows one of the pictures.
pub(crate) fn docs() -> Result<()> {
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
    for (system, path) in errata() {
        let page = output(&["check", "--errata", system])?;
        std::fs::write(&path, page).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

/// Systems with the errata pages of their papers.
pub(crate) fn errata() -> impl Iterator<Item = (&'static str, String)> {
    SYSTEMS.into_iter().map(|system| (system, format!("docs/book/src/errata/{system}.md")))
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
