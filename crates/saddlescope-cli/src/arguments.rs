//! What can be typed behind `saddlescope`, and its help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) mod serve;

use serve::ServeArgs;

/// Watch a transformer learn, one saddle at a time.
///
/// Saddlescope runs small attention models exactly (as gradient flow) or with the optimisers that
/// people use, and shows the stages in which they learn beside what theory predicts.
#[derive(Debug, Parser)]
#[command(name = "saddlescope", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  saddlescope reproduce                              the headline figures, with verdicts
  saddlescope list                                   what there is
  saddlescope serve                                  a page to play with all of it
  saddlescope run linear-attention/fig1              a shipped experiment
  saddlescope new linear-attention > mine.toml       a commented file to start from
  saddlescope run mine.toml --set system.rank=2      your own question
  saddlescope schema linear-attention                all that can be set
  saddlescope sweep mine.toml --vary start.scale=1e-4..1:log40 --seeds 8     one table of many runs
  saddlescope saddles linear-attention/fig1          the saddles on its way, certified
  saddlescope fit theirs.csv --x width --y loss      a scaling law with its interval over seeds
  saddlescope stages log.csv                         the plateaus and jumps of any loss
  saddlescope check linear-attention                 the paper's claims, each with its verdict
  saddlescope verify tests/oracle/linear-attention.json

Exit codes: 0 done, 1 a check or a computation failed, 2 wrong usage or input, 130 interrupted.";

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
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Make the papers' figures, with data and the verdicts on their claims
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArgs),
    /// Run as many members as it takes: one table, on all cores or on many machines
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(SweepArgs),
    /// Open the observatory: a page on this machine to play with the worlds, browse runs, read the papers
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeArgs),
    /// Make one table of the parts of a sweep that was run in shards
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeArgs),
    /// Certify the saddles that a run comes by: kind, curvatures, law and time of escape
    #[command(after_help = SADDLES_EXAMPLES)]
    Saddles(SaddlesArgs),
    /// Draw columns of runs that were kept
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(PlotArgs),
    /// Fit a scaling law to runs that were kept, or to any table, with intervals over seeds
    #[command(after_help = FIT_EXAMPLES)]
    Fit(FitArgs),
    /// Lay two runs side by side: settings, jumps, distances, and what causes the difference
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Explain when training jumps: how much is step size, noise, finite data, theory
    #[command(after_help = ATTRIBUTE_EXAMPLES)]
    Attribute(AttributeArgs),
    /// Keep the books of conserved quantities under flow, descent, momentum and Adam
    #[command(after_help = INVARIANTS_EXAMPLES)]
    Invariants(InvariantsArgs),
    /// Find the plateaus and jumps of a loss: of runs, or in a CSV or Parquet log of any training
    #[command(after_help = STAGES_EXAMPLES)]
    Stages(StagesArgs),
    /// Check the papers' claims by number; exit code 1 when a verdict is not the one on record
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Recompute reference cases and print every deviation; exit code 1 on any
    #[command(after_help = VERIFY_EXAMPLES)]
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

const SWEEP_EXAMPLES: &str = "\
Examples:
  saddlescope sweep sweep.toml                       all members, on all cores; again: goes on, or says it is done
  saddlescope sweep linear-attention/fig1 --vary start.scale=1e-4..1:log40 --seeds 8
  saddlescope sweep sweep.toml --set sweep.design=latin-hypercube --set sweep.members=1000 \\
      --vary start.scale=1e-4..1:log --vary system.context=4..64
  saddlescope sweep sweep.toml --shard 3/16          one job of an array; then `saddlescope merge sweeps/...`
  saddlescope sweep sweep.toml --on ray --address auto";

const MERGE_EXAMPLES: &str = "\
Examples:
  saddlescope merge sweeps/linear-attention/mine     after all shards wrote into one folder
  saddlescope merge node1/mine node2/mine            after each machine had its own";

const RUN_EXAMPLES: &str = "\
Examples:
  saddlescope run linear-attention/fig1                          as it ships
  saddlescope run linear-attention/fig1 --seeds 6 --out runs     keep the numbers and the figure
  saddlescope run linear-attention/fig1 --size paper             as large as the paper has it
  saddlescope run mine.toml --set system.rank=2 --set start.scale=0.01
  saddlescope run mine.toml --vary start.scale=0.01..1:log8 --vary system.rank=1,2,4
  saddlescope run mine.toml --json > result.json
  saddlescope run mine.toml --out result.csv                     one file instead of a folder
  saddlescope run scan-and-snap/fig7 --train wiki.train.txt --valid wiki.valid.txt

With --out FOLDER, a run that was interrupted goes on where it was when the same command is given
again, and one that is finished is not run again. With several [[dynamics]], --set
dynamics.0.rate=0.1 addresses the first of them.";

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  saddlescope reproduce                              the headline figures of every system
  saddlescope reproduce linear-attention             all figures of one paper
  saddlescope reproduce linear-attention/fig2 --size paper
  saddlescope reproduce --all --out figures
  saddlescope reproduce ngram-to-induction/fig2 --train wiki.train.txt --valid wiki.valid.txt

Each figure comes as SVG, PNG and PDF beside its data; a table of the papers' claims, each with its
verdict, ends the command.";

const SADDLES_EXAMPLES: &str = "\
Examples:
  saddlescope saddles linear-attention/fig1                     start, slowest points and end of its run
  saddlescope saddles linear-attention/fig1 --all               and every saddle that theory knows
  saddlescope saddles linear-attention/fig1 --set system.rank=2
  saddlescope saddles runs/linear-attention/fig1                the states that a folder of runs has kept
  saddlescope saddles mine.toml --json > certificates.json

Kinds: non-degenerate (negative curvature, exponential escape), degenerate of order p (no negative
curvature, the loss falls as the p-th power of the distance, algebraic escape), minimum, at infinity
(the stationary point runs away), none (no stationary point is near).";

const PLOT_EXAMPLES: &str = "\
Examples:
  saddlescope plot runs/linear-attention/fig1                            the figure again
  saddlescope plot runs/linear-attention/fig1 --columns loss,head.*.value
  saddlescope plot runs/linear-attention/fig1 --columns loss --seeds band --theory levels
  saddlescope plot runs/linear-attention/fig1/runs/seed-1 --columns head.0.value --out v.pdf";

const COMPARE_EXAMPLES: &str = "\
Examples:
  saddlescope reproduce linear-attention/one-axis
  saddlescope compare reproduction/linear-attention/one-axis/runs/arm-flow_seed-1 \\
                      reproduction/linear-attention/one-axis/runs/arm-gd-eta-0.5_seed-1
  saddlescope compare A B --json > comparison.json

Where a run is training (steps of a rule on the flow's clock), the command runs the ladder from its
exact flow to it, and says how much of each jump's shift is which cause.";

const ATTRIBUTE_EXAMPLES: &str = "\
Examples:
  saddlescope attribute linear-attention/one-axis
  saddlescope attribute linear-attention/fig1 --set dynamics.kind=gd --set dynamics.rate=0.1 \\
                                              --set dynamics.steps=100000
  saddlescope attribute mine.toml --draws 32 --json

From one start, runs lead from the exact flow of the population to the training run, each adding one
cause: finite data, step size, the rule's memory, noise. Shifts of jumps add up to the whole.";

const INVARIANTS_EXAMPLES: &str = "\
Examples:
  saddlescope invariants linear-attention/fig1
  saddlescope invariants linear-attention/fig1 --rate 0.05 --adam 0.01
  saddlescope invariants mine.toml --json

What the flow keeps, descent keeps only as far as its steps are short, and rules whose steps leave the
gradient's direction do not keep at all. The ledger says which of the two broke a quantity.";

const FIT_EXAMPLES: &str = "\
Examples:
  saddlescope fit runs/linear-attention/time-against-scale --x start.scale --y crossing.1
  saddlescope fit runs/linear-attention/fig4 --x start.scale --y crossing.* --range 0.01..0.2
  saddlescope fit runs/mine --x system.rank --y duration.2 --law log --only 'arm = flow'
  saddlescope fit theirs.csv --x width --y loss --seed run --group optimiser --law auto
  saddlescope fit theirs.csv --x width --y loss --json > fits.json

Every row is a point. Intervals (95 %) come from a bootstrap that draws rows of one seed together.
The exit code is 1 when nothing could be fitted.";

const STAGES_EXAMPLES: &str = "\
Examples:
  saddlescope stages runs/linear-attention/fig1                      over seeds, with what moved
  saddlescope stages runs/linear-attention/fig1/runs/seed-4          one run
  saddlescope stages log.csv                                         any log: columns are guessed
  saddlescope stages log.jsonl --time step --loss train.loss --json
  saddlescope stages tensorboard/run-1 --loss train/loss             a folder of event files
  saddlescope stages checkpoints.toml                                with the tensors that moved
  saddlescope stages log.csv --least-drop 0.002                      smaller jumps

Logs are CSV, Parquet, JSON (an object per line, a list, a trainer's log_history) or TensorBoard's event
files. checkpoints.toml lists safetensors files and says what the loss was:
  loss = \"log.csv\"                     or a number of each [[checkpoint]]
  files = \"step-*.safetensors\"         or [[checkpoint]] with step = 0, file = \"start.safetensors\"

A plateau lasts from 9/10 of the jump before it to 1/10 of the jump behind it; a jump is where the
value is half way between two plateaus. All lengths are compared on log time.";

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

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A TOML file, or the name of a shipped experiment
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
    /// A TOML file, or the name of a shipped experiment
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

/// Arguments of `saddles`.
#[derive(Debug, Args)]
pub(crate) struct SaddlesArgs {
    /// A TOML file, the name of a shipped experiment, or the folder of a run
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

/// A number above 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

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
    /// A TOML file, or the name of a shipped experiment
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
    /// A TOML file, or the name of a shipped experiment
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
