//! What can be typed behind `saddlescope`, and its help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use clap_complete::Shell;

use crate::commands::{
    check, fit, instruments, list, plot, reproduce, run, saddles, serve, stages, sweep, verify,
};
use crate::common::*;

/// Watch a transformer learn, one saddle at a time.
///
/// Saddlescope runs small attention models exactly (as gradient flow) or with the optimisers that
/// people use, and shows the stages in which they learn beside what theory predicts.
#[derive(Debug, Parser)]
#[command(
    name = "saddlescope",
    version,
    after_help = "\
Examples:
  saddlescope reproduce                              the headline figures, with verdicts
  saddlescope list                                   what there is
  saddlescope serve                                  a page to play with all of it
  saddlescope run linear-attention/fig1              a shipped experiment
  saddlescope run linear-attention                   a system with its defaults; --set changes them
  saddlescope new linear-attention > mine.toml       a commented file to start from
  saddlescope run mine.toml --set system.rank=2      your own question
  saddlescope schema linear-attention                all that can be set
  saddlescope sweep mine.toml --vary start.scale=1e-4..1:log40 --seeds 8     one table of many runs
  saddlescope saddles linear-attention/fig1          the saddles on its way, certified
  saddlescope fit theirs.csv --x width --y loss      a scaling law with its interval over seeds
  saddlescope stages log.csv                         the plateaus and jumps of any loss
  saddlescope check linear-attention                 the paper's claims, each with its verdict
  saddlescope verify tests/oracle/linear-attention.json

Exit codes: 0 done, 1 a check or a computation failed, 2 wrong usage or input, 130 interrupted."
)]
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
    /// List all that a system can record and what its runs come to, with shape, unit and meaning
    Observables(list::ObservablesArgs),
    /// Run an experiment: print its numbers, keep its runs and its figure
    Run(run::RunArgs),
    /// Make the papers' figures, with data and the verdicts on their claims
    Reproduce(reproduce::ReproduceArgs),
    /// Run as many members as it takes: one table, on all cores or on many machines
    Sweep(sweep::SweepArgs),
    /// Open the observatory: a page on this machine to play with the systems, browse runs, read the papers
    Serve(serve::ServeArgs),
    /// Make one table of the parts of a sweep that was run in shards
    Merge(sweep::MergeArgs),
    /// Certify the saddles that a run comes by: kind, curvatures, law and time of escape
    Saddles(saddles::SaddlesArgs),
    /// Draw columns of runs that were kept
    Plot(plot::PlotArgs),
    /// Fit a scaling law to runs that were kept, or to any table, with intervals over seeds
    Fit(fit::FitArgs),
    /// Lay two runs side by side: settings, jumps, distances, and what causes the difference
    Compare(instruments::CompareArgs),
    /// Explain when training jumps: how much is step size, noise, finite data, theory
    Attribute(instruments::AttributeArgs),
    /// Keep the books of conserved quantities under flow, descent, momentum and Adam
    Invariants(instruments::InvariantsArgs),
    /// Find the plateaus and jumps of a loss: of runs, or in a CSV or Parquet log of any training
    Stages(stages::StagesArgs),
    /// Check the papers' claims by number; exit code 1 when a verdict is not the one on record
    Check(check::CheckArgs),
    /// Recompute reference cases and print every deviation; exit code 1 on any
    Verify(verify::VerifyArgs),
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

/// A value with the word that stands for it, and what that means.
pub(crate) type Choice<T> = (T, &'static str, &'static str);

/// How large an experiment is run.
pub(crate) const SIZES: [Choice<Size>; 2] =
    [(Size::Quick, "quick", "Seconds"), (Size::Paper, "paper", "As large as the paper has it")];

/// Reads one of several values by its word.
pub(crate) fn choice<T, const N: usize>(known: [Choice<T>; N]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let words = known.map(|(_, word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(words).map(move |found| {
        // The parser has let no other word pass.
        known.iter().find(|(_, word, _)| *word == found).unwrap_or(&known[0]).0
    })
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
    #[arg(long, value_parser = choice(SIZES), default_value = "quick")]
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
