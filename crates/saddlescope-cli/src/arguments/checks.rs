//! Arguments of commands that check claims and reference cases.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Systems and claims: linear-attention, linear-attention/eq-24c, eq-24c; all when none is named
    #[arg(value_name = "SYSTEM|CLAIM")]
    pub(crate) names: Vec<String>,
    /// Print each claim's words, assumptions and all that was measured
    #[arg(long, alias = "all")]
    pub(crate) details: bool,
    /// Print everything as JSON instead of tables
    #[arg(long, conflicts_with = "details")]
    pub(crate) json: bool,
    /// Print the errata page of a system's paper, in Markdown
    #[arg(long, value_name = "SYSTEM", conflicts_with_all = ["names", "details", "json"])]
    pub(crate) errata: Option<String>,
    /// Seed of the random weights, tasks and samples; verdicts do not depend on it
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) seed: u64,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Files of reference cases
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print every value, not only those that deviate
    #[arg(long)]
    pub(crate) all: bool,
}
