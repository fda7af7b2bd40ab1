//! `list`, `new`, `schema`: what there is and what can be set.

use clap::CommandFactory;
use clap_complete::Shell;
use saddlescope_lab::experiment::{schema_text, starter_text};
use saddlescope_lab::observables;

use crate::arguments::Cli;
use crate::common::*;
use crate::say;

/// What a newcomer sees who gives no command.
pub(crate) fn welcome() -> Outcome {
    say("Saddlescope: watch a transformer learn, one saddle at a time.\n\n\
         Try first:\n  \
         saddlescope run linear-attention/fig1           four jumps, one per principal component\n  \
         saddlescope serve                               a page to play with: move a slider, watch it learn\n  \
         saddlescope list                                systems and experiments\n  \
         saddlescope new linear-attention > mine.toml    a commented file to start from\n  \
         saddlescope --help                              all commands\n")
}

pub(crate) fn list(registry: &Registry) -> Outcome {
    let mut systems = Table::new(&["system", "about", "paper"]);
    for system in registry.systems() {
        let schema = system.schema();
        systems.row(vec![schema.name.into(), schema.about.into(), schema.title.into()]);
    }
    let mut experiments = Table::new(&["experiment", "about"]);
    for shipped in registry.experiments() {
        let plan = Plan::from_text(shipped.name, shipped.text, &Changes::default(), registry);
        let about = plan.ok().and_then(|plan| plan.about().map(str::to_owned)).unwrap_or_default();
        experiments.row(vec![shipped.name.into(), about]);
    }
    say(&format!("{systems}\n{experiments}"))
}

/// What a shell needs to complete commands.
pub(crate) fn completions(shell: Shell) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "saddlescope", &mut text);
    say(&String::from_utf8_lossy(&text))
}

pub(crate) fn new(name: &str, registry: &Registry) -> Outcome {
    say(&starter_text(registry.find(name)?.schema()))
}

pub(crate) fn schema(name: &str, registry: &Registry) -> Outcome {
    say(&schema_text(registry.find(name)?.schema()))
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope observables linear-attention                                   with its defaults
  saddlescope observables sparse-markov --set 'system.model=\"minimal\"'     with other settings
  saddlescope observables mine.toml --json                                   of the first run of a file")]
pub(crate) struct ObservablesArgs {
    /// A system, a shipped experiment, or a file
    #[arg(value_name = "SYSTEM|NAME|FILE")]
    name: String,
    /// Change a setting: --set system.rank=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn observables(args: &ObservablesArgs, registry: &Registry) -> Outcome {
    let changes = Changes { set: args.overrides.clone(), ..Changes::default() };
    let plan = super::plan::read(&args.name, &changes, &TextArgs::default(), registry)?;
    let listing = observables::listing(&plan)?;
    if args.json {
        print_json(&saddlescope_lab::report::value(&listing))?;
    } else {
        print(&listing.text())?;
    }
    Ok(Verdict::Done)
}
