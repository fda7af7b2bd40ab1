//! Arguments of what is made of runs that were kept.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `plot`.
#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// The folder of a run, or of several runs
    pub(crate) run: PathBuf,
    /// Columns to draw, a panel each; * stands for one part of a name. None: the experiment's figure
    #[arg(long, value_name = "COLUMN,...")]
    pub(crate) columns: Option<String>,
    /// What runs along the x axis: time, step or a column
    #[arg(long, default_value = "time", value_name = "COLUMN", requires = "columns")]
    pub(crate) x: String,
    /// How the x axis is divided
    #[arg(long, value_enum, default_value = "log", requires = "columns")]
    pub(crate) x_scale: Scale,
    /// How the y axis is divided
    #[arg(long, value_enum, default_value = "linear", requires = "columns")]
    pub(crate) y_scale: Scale,
    /// How several seeds are shown
    #[arg(long, value_enum, default_value = "each", requires = "columns")]
    pub(crate) seeds: Seeds,
    /// Predictions to draw beside, such as levels
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", requires = "columns")]
    pub(crate) theory: Vec<String>,
    /// Where the picture goes: .svg, .png or .pdf; without an ending, all three
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write over a file that exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// How an axis is divided.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Scale {
    /// Equal steps
    Linear,
    /// Equal ratios
    Log,
}

/// How several seeds are shown.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Seeds {
    /// A line each
    Each,
    /// Median and band
    Band,
    /// Mean and standard deviation
    Mean,
    /// Only the first
    First,
}

/// Arguments of `fit`.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// The folder of a plan, or a file of comma-separated values with names in its first line
    #[arg(value_name = "FOLDER|CSV")]
    pub(crate) table: PathBuf,
    /// The column that y hangs on
    #[arg(long, value_name = "COLUMN")]
    pub(crate) x: String,
    /// Columns to fit, a law each; in the folder of a plan, * stands for one part of a name
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', required = true)]
    pub(crate) y: Vec<String>,
    /// The form of the law
    #[arg(long, value_enum, default_value = "power")]
    pub(crate) law: Law,
    /// Columns that runs are kept apart by; of a plan, all that is varied besides x
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) group: Option<Vec<String>>,
    /// Which runs of a plan take part: 'arm = flow'
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) only: Vec<String>,
    /// Which values of x take part: 0.01..1
    #[arg(long, value_name = "A..B")]
    pub(crate) range: Option<String>,
    /// The column of a file whose equal values stay together; `seed` where there is one
    #[arg(long, value_name = "COLUMN")]
    pub(crate) seed: Option<String>,
    /// How often seeds are drawn for the intervals
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub(crate) resamples: usize,
    /// Print everything as JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// The form of a law.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Law {
    /// y = C x^a
    Power,
    /// y = y0 + C x^a
    Offset,
    /// y = C + b ln x
    Log,
    /// Power or log, whichever is closer at values of x that were left out
    Auto,
}
