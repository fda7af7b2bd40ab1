//! `list`, `new`, `schema`: what there is and what can be set.

use clap::CommandFactory;
use clap_complete::Shell;
use saddlescope_lab::experiment::{schema_text, starter_text};
use saddlescope_lab::plan::{Changes, Plan};
use saddlescope_lab::registry::Registry;
use saddlescope_lab::table::Table;

use super::system;
use crate::arguments::Cli;
use crate::{Failure, Verdict, print};

/// What a newcomer sees who gives no command.
pub(crate) fn welcome() -> Result<Verdict, Failure> {
    print(
        "Saddlescope: watch a transformer learn, one saddle at a time.\n\n\
         Try first:\n  \
         saddlescope run linear-attention/fig1           four jumps, one per principal component\n  \
         saddlescope serve                               a page to play with: move a slider, watch it learn\n  \
         saddlescope list                                systems and experiments\n  \
         saddlescope new linear-attention > mine.toml    a commented file to start from\n  \
         saddlescope --help                              all commands\n",
    )?;
    Ok(Verdict::Done)
}

pub(crate) fn list(registry: &Registry) -> Result<Verdict, Failure> {
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
    print(&format!("{systems}\n{experiments}"))?;
    Ok(Verdict::Done)
}

/// What a shell needs to complete commands.
pub(crate) fn completions(shell: Shell) -> Result<Verdict, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "saddlescope", &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(Verdict::Done)
}

pub(crate) fn new(name: &str, registry: &Registry) -> Result<Verdict, Failure> {
    print(&starter_text(system(name, registry)?.schema()))?;
    Ok(Verdict::Done)
}

pub(crate) fn schema(name: &str, registry: &Registry) -> Result<Verdict, Failure> {
    print(&schema_text(system(name, registry)?.schema()))?;
    Ok(Verdict::Done)
}
