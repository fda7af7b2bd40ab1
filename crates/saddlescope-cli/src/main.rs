//! The `saddlescope` command: arguments and words for the laboratory, no science.

mod commands;
mod progress;

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Args, Parser, Subcommand};

/// Watch a transformer learn, one saddle at a time.
///
/// Saddlescope runs small attention models exactly (as gradient flow) or with the optimisers that
/// people use, and shows the stages in which they learn beside what theory predicts.
#[derive(Debug, Parser)]
#[command(name = "saddlescope", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  saddlescope list                                   what there is
  saddlescope run linear-attention/fig1              a shipped experiment
  saddlescope new linear-attention > mine.toml       a commented file to start from
  saddlescope run mine.toml --set system.rank=2      your own question
  saddlescope schema linear-attention                all that can be set
  saddlescope check linear-attention                 the paper's claims, each with its verdict
  saddlescope verify tests/oracle/linear-attention.json

Exit codes: 0 done, 1 a check or a computation failed, 2 wrong usage or input.";

#[derive(Debug, Subcommand)]
enum Command {
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
    /// Run an experiment and print its numbers
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Check the papers' claims by number; exit code 1 when a verdict is not the one on record
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Recompute reference cases and print every deviation; exit code 1 on any
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Say how to cite the program and the papers, as text and BibTeX
    Cite {
        /// Name of a system: only its paper
        system: Option<String>,
    },
}

const RUN_EXAMPLES: &str = "\
Examples:
  saddlescope run linear-attention/fig1
  saddlescope run mine.toml --set system.rank=2 --set start.scale=0.01
  saddlescope run mine.toml --set dynamics.rtol=1e-12 --rows 0
  saddlescope run mine.toml --json > result.json
  saddlescope run mine.toml --out result.csv

With several [[dynamics]], --set dynamics.0.rate=0.1 addresses the first of them.";

const CHECK_EXAMPLES: &str = "\
Examples:
  saddlescope check                            all claims of all papers
  saddlescope check linear-attention           those of one paper
  saddlescope check eq-24c --details           one claim with all its evidence
  saddlescope check --json > verdicts.json
  saddlescope check --errata linear-attention > errata.md

Verdicts: holds, holds approximately (within a stated looser bound), false as printed (with the
corrected form, which is checked, too), assumption not met, inconclusive, not tested.";

const VERIFY_EXAMPLES: &str = "\
Examples:
  saddlescope verify tests/oracle/linear-attention.json
  saddlescope verify cases/*.json --all";

/// Arguments of `run`.
#[derive(Debug, Args)]
struct RunArgs {
    /// A TOML file, or the name of a shipped experiment
    experiment: String,
    /// Change a setting of the file: --set system.rank=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Also write the numbers to this file: .csv or .json
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write over a file that exists
    #[arg(long, requires = "out")]
    force: bool,
    /// How many rows of the trajectory to print; 0 for all
    #[arg(long, default_value_t = 16, value_name = "N")]
    rows: usize,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
struct CheckArgs {
    /// Systems and claims: linear-attention, linear-attention/eq-24c, eq-24c; all when none is named
    #[arg(value_name = "SYSTEM|CLAIM")]
    names: Vec<String>,
    /// Print each claim's words, assumptions and all that was measured
    #[arg(long, alias = "all")]
    details: bool,
    /// Print everything as JSON instead of tables
    #[arg(long, conflicts_with = "details")]
    json: bool,
    /// Print the errata page of a system's paper, in Markdown
    #[arg(long, value_name = "SYSTEM", conflicts_with_all = ["names", "details", "json"])]
    errata: Option<String>,
    /// Seed of the random weights, tasks and samples; verdicts do not depend on it
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
struct VerifyArgs {
    /// Files of reference cases
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print every value, not only those that deviate
    #[arg(long)]
    all: bool,
}

/// What a command came to: the exit code that it asks for.
enum Verdict {
    /// All is well.
    Done,
    /// A check failed.
    Failed,
}

/// An error with the exit code that it deserves.
enum Failure {
    /// Wrong usage or input: exit code 2.
    Input(anyhow::Error),
    /// A computation that failed, or whose result cannot be written: exit code 1.
    Computation(anyhow::Error),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = saddlescope::numeric::simd::requested() {
        return complain(&error, 2);
    }
    let outcome = match cli.command {
        None => commands::list::welcome(),
        Some(Command::List) => commands::list::list(),
        Some(Command::New { system }) => commands::list::new(&system),
        Some(Command::Schema { system }) => commands::list::schema(&system),
        Some(Command::Run(args)) => commands::run::run(&args),
        Some(Command::Check(args)) => commands::check::check(&args),
        Some(Command::Cite { system }) => commands::cite::cite(system.as_deref()),
        Some(Command::Verify(args)) => commands::verify::verify(&args),
    };
    match outcome {
        Ok(Verdict::Done) => ExitCode::SUCCESS,
        Ok(Verdict::Failed) => ExitCode::from(1),
        Err(Failure::Input(error)) => complain(&error, 2),
        Err(Failure::Computation(error)) => complain(&error, 1),
    }
}

/// Prints an error, whose message names its cause, and passes on the exit code.
fn complain(error: &impl Display, code: u8) -> ExitCode {
    // A standard error that cannot be written to leaves nobody to tell.
    let _ = writeln!(std::io::stderr(), "error: {error}");
    ExitCode::from(code)
}

/// Prints to standard output; a reader that has gone away (`| head`) is no error.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Computation(anyhow!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
