//! `compare`, `attribute`, `invariants`: instruments on runs and experiments.

use indicatif::{ProgressBar, ProgressStyle};
use saddlescope_draw::plain;
use saddlescope_lab::ledger::{self, Rates};
use saddlescope_lab::run::Run;
use saddlescope_lab::{attribute, compare};

use super::plan::read;
use crate::common::*;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope reproduce linear-attention/one-axis
  saddlescope compare reproduction/linear-attention/one-axis/runs/arm-flow_seed-1 \\
                      reproduction/linear-attention/one-axis/runs/arm-gd-eta-0.5_seed-1
  saddlescope compare A B --json > comparison.json

Where a run is training (steps of a rule on the flow's clock), the command runs the ladder from its
exact flow to it, and says how much of each jump's shift is which cause.")]
pub(crate) struct CompareArgs {
    /// Folder of the first run
    #[arg(value_name = "RUN")]
    first: PathBuf,
    /// Folder of the second run
    #[arg(value_name = "RUN")]
    second: PathBuf,
    /// Draws of the batches over which noise is averaged; 0: do not ask for causes
    #[arg(long, default_value_t = 8, value_name = "N")]
    draws: u64,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope attribute linear-attention/one-axis
  saddlescope attribute linear-attention/fig1 --set dynamics.kind=gd --set dynamics.rate=0.1 \\
                                              --set dynamics.steps=100000
  saddlescope attribute mine.toml --draws 32 --json

From one start, runs lead from the exact flow of the population to the training run, each adding one
cause: finite data, step size, the rule's memory, noise. Shifts of jumps add up to the whole.")]
pub(crate) struct AttributeArgs {
    /// A TOML file, a shipped experiment by name, or a system by name: its defaults
    experiment: String,
    /// Change a setting of the file: --set dynamics.rate=0.1
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Draws of the batches over which noise is averaged, at least 1
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    draws: u64,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    text: TextArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope invariants linear-attention/fig1
  saddlescope invariants linear-attention/fig1 --rate 0.05 --adam 0.01
  saddlescope invariants mine.toml --json

What the flow keeps, descent keeps only as far as its steps are short, and rules whose steps leave the
gradient's direction do not keep at all. The ledger says which of the two broke a quantity.")]
pub(crate) struct InvariantsArgs {
    /// A TOML file, a shipped experiment by name, or a system by name: its defaults
    experiment: String,
    /// Change a setting of the file: --set system.rank=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Rate of descent; without it, a tenth of what is stable on the way of the flow
    #[arg(long, value_name = "ETA", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Momentum; its rate is such that a step takes as much flow time as one of descent
    #[arg(long, default_value_t = 0.9, value_name = "MU")]
    momentum: f64,
    /// Rate of Adam
    #[arg(long, default_value_t = 1e-3, value_name = "ETA")]
    adam: f64,
    /// Print everything as JSON instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    text: TextArgs,
}

pub(crate) fn compare(args: &CompareArgs, registry: &Registry) -> Outcome {
    let compare = || compare::compare(&args.first, &args.second, args.draws, registry);
    let comparison = waiting("comparing", compare)?;
    let names = [&args.first, &args.second].map(|path| path.display().to_string());
    let words = || compare::text(&comparison, [&names[0], &names[1]]);
    tell(args.json, || compare::json(&comparison), words)?;
    Ok(Verdict::Done)
}

pub(crate) fn attribute(args: &AttributeArgs, registry: &Registry) -> Outcome {
    let plan = read(&args.experiment, &Changes::set(&args.overrides), &args.text, registry)?;
    let mut training = Vec::new();
    for member in &plan.members {
        let run = Run::new(&member.experiment)?;
        if attribute::is_training(&run.experiment) {
            training.push((member, run));
        }
    }
    if training.is_empty() {
        return Err(Failure::input(format!(
            "no run of `{}` is training: its dynamics are flows; give it steps, such as --set \
             dynamics.kind=gd --set dynamics.rate=0.1 --set dynamics.steps=100000",
            args.experiment
        )));
    }
    let mut all = Vec::new();
    for (member, run) in &training {
        let explained = waiting(&title(member), || attribute::explain(run, args.draws));
        let explained = explained
            .map_err(|error| Failure::computation(format!("{}: {error}", member.label)))?;
        if args.json {
            let mut value = report::value(&explained);
            value["run"] = member.label.clone().into();
            all.push(value);
        } else {
            print(&format!("{}\n{}\n", title(member), attribute::text(&explained)))?;
        }
    }
    if args.json {
        print_json(&Value::Array(all))?;
    }
    Ok(Verdict::Done)
}

pub(crate) fn invariants(args: &InvariantsArgs, registry: &Registry) -> Outcome {
    for (name, value) in [("rate", args.rate.unwrap_or(1.0)), ("adam", args.adam)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Failure::input(format!("--{name} is {value}, expected a number above 0")));
        }
    }
    if !(0.0..1.0).contains(&args.momentum) {
        let words = format!("--momentum is {}, expected 0 or more, below 1", args.momentum);
        return Err(Failure::input(words));
    }
    let plan = read(&args.experiment, &Changes::set(&args.overrides), &args.text, registry)?;
    let Some(member) = plan.members.first() else { return Ok(Verdict::Done) };
    let run = Run::new(&member.experiment)?;
    let rates = Rates { descent: args.rate, momentum: args.momentum, adam: args.adam };
    let ledger = waiting("keeping the books", || ledger::ledger(&run, rates));
    let ledger = ledger.map_err(Failure::computation)?;
    let others = match plan.members.len() {
        1 => String::new(),
        all => format!(" (the first of {all} runs)"),
    };
    let words = || format!("{}{others}\n\n{}", title(member), ledger::text(&ledger));
    tell(args.json, || ledger::json(&ledger), words)?;
    Ok(Verdict::Done)
}

fn title(member: &Member) -> String {
    member.arm.as_deref().map_or_else(|| member.label.clone(), plain)
}

/// Does `work` of unknown length, with a sign of life on a terminal.
fn waiting<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise}  {spinner}  {msg}") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    let done = work();
    bar.finish_and_clear();
    done
}
