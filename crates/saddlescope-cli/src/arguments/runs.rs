//! Arguments of commands that run experiments.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ChangeArgs, Size, TextArgs};

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A TOML file, a shipped experiment by name, or a system by name: its defaults
    pub(crate) experiment: String,
    #[command(flatten)]
    pub(crate) changes: ChangeArgs,
    /// Keep runs, table and figure in this folder; or write the numbers to one file: .csv or .json
    #[arg(long, value_name = "FOLDER|FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace runs or a file that exist
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Run again with other last bits and tolerances: which jumps were seeded by rounding?
    #[arg(long)]
    pub(crate) guard: bool,
    /// How many rows of the trajectory to print; 0 for all
    #[arg(long, default_value_t = 16, value_name = "N")]
    pub(crate) rows: usize,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// Systems or experiments; none: the headline figures of every system
    #[arg(value_name = "SYSTEM|NAME")]
    pub(crate) names: Vec<String>,
    /// Every shipped experiment
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    /// How large
    #[arg(long, value_enum, default_value = "quick")]
    pub(crate) size: Size,
    /// Where figures and runs are kept
    #[arg(long, value_name = "FOLDER", default_value = "reproduction")]
    pub(crate) out: PathBuf,
    /// Run everything anew
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Arguments of `sweep`.
#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    /// A TOML file, a shipped experiment by name, or a system by name: its defaults
    pub(crate) experiment: String,
    #[command(flatten)]
    pub(crate) changes: ChangeArgs,
    /// Where the table and figures are kept, in <system>/<name>
    #[arg(long, value_name = "FOLDER", default_value = "sweeps")]
    pub(crate) out: PathBuf,
    /// Run one of several equal parts, for arrays of jobs; `saddlescope merge` makes the table
    #[arg(long, value_name = "I/N", conflicts_with_all = ["on", "force"])]
    pub(crate) shard: Option<String>,
    /// Where members run
    #[arg(long, value_enum, default_value = "here")]
    pub(crate) on: Place,
    /// Address of a Ray cluster that is there; without it, one is started on this machine
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) address: Option<String>,
    /// How many members run at once; all cores without it
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Replace a sweep that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Say what would run, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print what became of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Where the members of a sweep run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Place {
    /// On the cores of this machine
    Here,
    /// On a Ray cluster (needs Python 3 with the packages saddlescope and ray)
    Ray,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Folders of the same sweep; the table goes into the first
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Make a table of what is there (partial.parquet), though members are missing
    #[arg(long)]
    pub(crate) partial: bool,
    /// Print what became of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
