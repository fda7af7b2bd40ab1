//! What is compared: the rows of `benches/peers/rows.toml`, which explains them.

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// What both sides do.
    pub(crate) what: String,
    /// Our side must be at least so many times as fast as the peers that are judged.
    pub(crate) bar: f64,
    /// Largest relative error that counts as the same result; one line of the table for each.
    pub(crate) errors: Vec<f64>,
    pub(crate) peers: Vec<Peer>,
}

/// A peer: a script in `benches/peers` with its mode. In the file it is a list of these four.
#[derive(Deserialize)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) script: String,
    pub(crate) mode: String,
    /// Whether the bar is measured against this one.
    pub(crate) judged: bool,
}

/// All rows, in the order of the table.
pub(crate) fn rows() -> Result<Vec<Row>> {
    #[derive(Deserialize)]
    struct File {
        row: Vec<Row>,
    }
    let file: File = toml::from_str(include_str!("../../../benches/peers/rows.toml"))
        .context("benches/peers/rows.toml")?;
    Ok(file.row)
}
