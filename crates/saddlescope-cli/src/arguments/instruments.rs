//! Arguments of the instruments.

use std::path::PathBuf;

use clap::Args;

use super::{Size, TextArgs};

/// Arguments of `saddles`.
#[derive(Debug, Args)]
pub(crate) struct SaddlesArgs {
    /// A TOML file, a shipped experiment by name, a system by name (its defaults), or the folder of a run
    pub(crate) target: String,
    /// Also certify every saddle that theory knows
    #[arg(long)]
    pub(crate) all: bool,
    /// The length of the search's first steps; a stationary point further away than this is not near. Where
    /// such points form a manifold, another length may lead to another of them
    #[arg(long, default_value_t = 1.0, value_name = "LENGTH", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) scale: f64,
    /// How large
    #[arg(long, value_enum, default_value = "quick")]
    pub(crate) size: Size,
    /// Change a setting of the file: --set system.rank=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Print everything as JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Arguments of `stages`.
#[derive(Debug, Args)]
pub(crate) struct StagesArgs {
    /// Folders of runs or of plans, logs (CSV, Parquet, JSON, TensorBoard), or lists of checkpoints (TOML)
    #[arg(required = true, value_name = "RUN|FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Column of a log that says when: step, time, epoch; of TensorBoard step or wall_time
    #[arg(long, value_name = "COLUMN")]
    pub(crate) time: Option<String>,
    /// Column, key or tag of a log that holds the loss
    #[arg(long, alias = "value", value_name = "COLUMN")]
    pub(crate) loss: Option<String>,
    /// Smallest jump, as a part of the whole range of the loss
    #[arg(long, default_value_t = 0.01, value_name = "PART", allow_negative_numbers = true)]
    pub(crate) least_drop: f64,
    /// Shortest plateau, in durations of the jumps beside it
    #[arg(long, default_value_t = 1.0, value_name = "RATIO", allow_negative_numbers = true)]
    pub(crate) least_stay: f64,
    /// Fewest rows of a plateau
    #[arg(long, default_value_t = 4, value_name = "N")]
    pub(crate) least_rows: usize,
    /// Smallest jump, in standard errors
    #[arg(long, default_value_t = 5.0, value_name = "SIGMAS")]
    pub(crate) significance: f64,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Folder of the first run
    #[arg(value_name = "RUN")]
    pub(crate) first: PathBuf,
    /// Folder of the second run
    #[arg(value_name = "RUN")]
    pub(crate) second: PathBuf,
    /// Draws of the batches over which noise is averaged; 0: do not ask for causes
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub(crate) draws: u64,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `attribute`.
#[derive(Debug, Args)]
pub(crate) struct AttributeArgs {
    /// A TOML file, a shipped experiment by name, or a system by name: its defaults
    pub(crate) experiment: String,
    /// Change a setting of the file: --set dynamics.rate=0.1
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Draws of the batches over which noise is averaged, at least 1
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) draws: u64,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Arguments of `invariants`.
#[derive(Debug, Args)]
pub(crate) struct InvariantsArgs {
    /// A TOML file, a shipped experiment by name, or a system by name: its defaults
    pub(crate) experiment: String,
    /// Change a setting of the file: --set system.rank=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Rate of descent; without it, a tenth of what is stable on the way of the flow
    #[arg(long, value_name = "ETA", allow_negative_numbers = true)]
    pub(crate) rate: Option<f64>,
    /// Momentum; its rate is such that a step takes as much flow time as one of descent
    #[arg(long, default_value_t = 0.9, value_name = "MU")]
    pub(crate) momentum: f64,
    /// Rate of Adam
    #[arg(long, default_value_t = 1e-3, value_name = "ETA")]
    pub(crate) adam: f64,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// A number above 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}
