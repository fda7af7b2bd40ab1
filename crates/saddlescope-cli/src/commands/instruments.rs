//! `compare`, `attribute`, `invariants`: instruments on runs and experiments.

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};
use saddlescope_draw::plain;
use saddlescope_lab::ledger::Rates;
use saddlescope_lab::plan::{Changes, Member};
use saddlescope_lab::registry::Registry;
use saddlescope_lab::run::Run;
use saddlescope_lab::{attribute, compare, ledger, report};
use serde_json::Value;

use super::run::read;
use crate::arguments::{AttributeArgs, CompareArgs, InvariantsArgs};
use crate::{Failure, Verdict, print};

pub(crate) fn compare(args: &CompareArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let waiting = waiting("comparing");
    let comparison = compare::compare(&args.first, &args.second, args.draws, registry);
    waiting.finish_and_clear();
    let comparison = comparison.map_err(Failure::input)?;
    if args.json {
        print_json(&compare::json(&comparison))?;
    } else {
        let names = [&args.first, &args.second].map(|path| path.display().to_string());
        print(&compare::text(&comparison, [&names[0], &names[1]]))?;
    }
    Ok(Verdict::Done)
}

pub(crate) fn attribute(args: &AttributeArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let plan = read(&args.experiment, &Changes::set(&args.overrides), &args.text, registry)?;
    let mut training = Vec::new();
    for member in &plan.members {
        let run = prepared(member)?;
        if attribute::is_training(&run.experiment) {
            training.push((member, run));
        }
    }
    if training.is_empty() {
        return Err(Failure::input(anyhow!(
            "no run of `{}` is training: its dynamics are flows; give it steps, such as --set \
             dynamics.kind=gd --set dynamics.rate=0.1 --set dynamics.steps=100000",
            args.experiment
        )));
    }
    let mut all = Vec::new();
    for (member, run) in &training {
        let waiting = waiting(&title(member));
        let explained = attribute::explain(run, args.draws);
        waiting.finish_and_clear();
        let explained = explained
            .map_err(|error| Failure::computation(anyhow!("{}: {error}", member.label)))?;
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

pub(crate) fn invariants(args: &InvariantsArgs, registry: &Registry) -> Result<Verdict, Failure> {
    for (name, value) in [("rate", args.rate.unwrap_or(1.0)), ("adam", args.adam)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Failure::input(anyhow!("--{name} is {value}, expected a number above 0")));
        }
    }
    if !(0.0..1.0).contains(&args.momentum) {
        let found = args.momentum;
        return Err(Failure::input(anyhow!("--momentum is {found}, expected 0 or more, below 1")));
    }
    let plan = read(&args.experiment, &Changes::set(&args.overrides), &args.text, registry)?;
    let Some(member) = plan.members.first() else { return Ok(Verdict::Done) };
    let run = prepared(member)?;
    let rates = Rates { descent: args.rate, momentum: args.momentum, adam: args.adam };
    let waiting = waiting("keeping the books");
    let ledger = ledger::ledger(&run, rates);
    waiting.finish_and_clear();
    let ledger = ledger.map_err(Failure::computation)?;
    if args.json {
        print_json(&ledger::json(&ledger))?;
    } else {
        let others = match plan.members.len() {
            1 => String::new(),
            all => format!(" (the first of {all} runs)"),
        };
        print(&format!("{}{others}\n\n{}", title(member), ledger::text(&ledger)))?;
    }
    Ok(Verdict::Done)
}

fn prepared(member: &Member) -> Result<Run, Failure> {
    Run::new(&member.experiment).map_err(Failure::input)
}

fn title(member: &Member) -> String {
    member.arm.as_deref().map_or_else(|| member.label.clone(), plain)
}

/// A sign of life on a terminal while something runs whose length is not known.
fn waiting(what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise}  {spinner}  {msg}") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn print_json(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}
