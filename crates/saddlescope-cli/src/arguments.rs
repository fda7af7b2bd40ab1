//! What can be typed behind `saddlescope`, and its help.

mod checks;
mod examples;
mod instruments;
mod kept;
mod runs;
mod serve;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use checks::{CheckArgs, VerifyArgs};
pub(crate) use instruments::{AttributeArgs, CompareArgs, InvariantsArgs, SaddlesArgs, StagesArgs};
pub(crate) use kept::{FitArgs, Law, PlotArgs, Scale, Seeds};
pub(crate) use runs::{MergeArgs, Place, ReproduceArgs, RunArgs, SweepArgs};
pub(crate) use serve::ServeArgs;

/// Watch a transformer learn, one saddle at a time.
///
/// Saddlescope runs small attention models exactly (as gradient flow) or with the optimisers that
/// people use, and shows the stages in which they learn beside what theory predicts.
#[derive(Debug, Parser)]
#[command(name = "saddlescope", version, after_help = examples::ALL)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List systems and shipped experiments, one line each
    List,
    /// Print a commented experiment file to start from
    New {
        /// Name of the system: linear-attention
        system: String,
    },
    /// Explain all that can be set in an experiment file
    Schema {
        /// Name of the system: linear-attention
        system: String,
    },
    /// Run an experiment: print its numbers, keep its runs and its figure
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    /// Make the papers' figures, with data and the verdicts on their claims
    #[command(after_help = examples::REPRODUCE)]
    Reproduce(ReproduceArgs),
    /// Run as many members as it takes: one table, on all cores or on many machines
    #[command(after_help = examples::SWEEP)]
    Sweep(SweepArgs),
    /// Open the observatory: a page on this machine to play with the systems, browse runs, read the papers
    #[command(after_help = examples::SERVE)]
    Serve(ServeArgs),
    /// Make one table of the parts of a sweep that was run in shards
    #[command(after_help = examples::MERGE)]
    Merge(MergeArgs),
    /// Certify the saddles that a run comes by: kind, curvatures, law and time of escape
    #[command(after_help = examples::SADDLES)]
    Saddles(SaddlesArgs),
    /// Draw columns of runs that were kept
    #[command(after_help = examples::PLOT)]
    Plot(PlotArgs),
    /// Fit a scaling law to runs that were kept, or to any table, with intervals over seeds
    #[command(after_help = examples::FIT)]
    Fit(FitArgs),
    /// Lay two runs side by side: settings, jumps, distances, and what causes the difference
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArgs),
    /// Explain when training jumps: how much is step size, noise, finite data, theory
    #[command(after_help = examples::ATTRIBUTE)]
    Attribute(AttributeArgs),
    /// Keep the books of conserved quantities under flow, descent, momentum and Adam
    #[command(after_help = examples::INVARIANTS)]
    Invariants(InvariantsArgs),
    /// Find the plateaus and jumps of a loss: of runs, or in a CSV or Parquet log of any training
    #[command(after_help = examples::STAGES)]
    Stages(StagesArgs),
    /// Check the papers' claims by number; exit code 1 when a verdict is not the one on record
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Recompute reference cases and print every deviation; exit code 1 on any
    #[command(after_help = examples::VERIFY)]
    Verify(VerifyArgs),
    /// Print what a shell needs to complete commands: saddlescope completions bash
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Say how to cite the program and the papers, as text and BibTeX
    Cite {
        /// Name of a system: only its paper
        system: Option<String>,
    },
}

/// How large an experiment is run.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Size {
    /// Seconds
    Quick,
    /// As large as the paper has it
    Paper,
}

/// Text of one's own, for systems that train on text.
#[derive(Debug, Default, Args)]
pub(crate) struct TextArgs {
    /// Train on the text of this file instead of the small one inside the program
    #[arg(long, value_name = "FILE", requires = "valid")]
    pub(crate) train: Option<PathBuf>,
    /// Measure on the text of this file
    #[arg(long, value_name = "FILE", requires = "train")]
    pub(crate) valid: Option<PathBuf>,
}

/// What `run` and `sweep` change about a file.
#[derive(Debug, Args)]
pub(crate) struct ChangeArgs {
    /// How large
    #[arg(long, value_enum, default_value = "quick")]
    pub(crate) size: Size,
    /// Change a setting of the file: --set system.rank=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Run with several values of a setting: 1,2,4 or 0..1:5 or 0.01..1:log8; in sweeps that draw also 0..1 or 0.01..1:log
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) vary: Vec<String>,
    /// How many seeds, or which: 6 or 3..8
    #[arg(long, value_name = "N|A..B")]
    pub(crate) seeds: Option<String>,
}
