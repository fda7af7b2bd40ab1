//! From checked settings to the phases that run.

use saddlescope::descent::Plateau;
use saddlescope::dynamics::{AdamSettings, Motion, Optimiser, ScheduleKind, Steps};
use saddlescope::early_stop::EarlyStop;
use saddlescope::event::{Condition, Event};
use saddlescope_spec::settings::dynamics::{self, Descent, Dynamics, Limits, Schedule, Until};

use crate::prelude::*;

/// Smallest cut of a rate that PyTorch's `ReduceLROnPlateau` makes: its `eps`, in units of the rate.
const LEAST_CUT: f64 = 1e-8;

/// How near the loss must come to its minimum to count as converged, as a part of its whole fall.
const CONVERGED: f64 = 1e-8;

type Read = Spanned<(Dynamics, Limits)>;

/// The phase that `settings`, a `[dynamics]` section, describes on `problem`; `levels` are losses
/// whose crossings are noted first, in this order.
pub fn phase(settings: &Settings, problem: &Problem, levels: &[f64]) -> Checked<Phase> {
    let read: Read = settings.read();
    let limits = &read.1;
    let mut phase = Phase::new(motion(&read, problem)?);
    phase.freeze.clone_from(&limits.freeze);
    phase.rates.clone_from(&limits.rates);
    for (name, patterns) in [
        ("freeze", phase.freeze.iter().collect::<Vec<_>>()),
        ("rates", phase.rates.iter().map(|(pattern, _)| pattern).collect()),
    ] {
        for pattern in patterns {
            if problem.blocks().matching(pattern).next().is_none() {
                let known = known(problem.blocks(), pattern);
                let message = format!("names `{pattern}`, which fits no block; {known}");
                return Err(read.wrong(name, message));
            }
        }
    }
    phase.events = levels.iter().map(|&level| Event::note(Condition::LossBelow(level))).collect();
    phase.events.extend(stops(&read, problem)?);
    phase.early_stop = early_stop(&read, problem)?;
    Ok(phase)
}

fn motion(read: &Read, problem: &Problem) -> Checked<Motion> {
    let (descent, rule) = match &read.0 {
        Dynamics::Flow(_) if !problem.loss.has_flow() => {
            let message = "is \"flow\", but this loss has no flow: that needs one loss for the whole \
                           run (no batches), in double precision";
            return Err(read.wrong("kind", message));
        }
        Dynamics::Flow(settings) => return Ok(Motion::Flow(flow(settings))),
        Dynamics::Reduced(theory, settings) => {
            let theory = reduced(read, theory.theory.as_deref(), problem)?;
            return Ok(Motion::Reduced { theory, flow: flow(settings) });
        }
        Dynamics::Sgd(_) if !problem.loss.draws_batches() => {
            let message = "is \"sgd\", but sgd needs a loss that draws batches: set system.loss to \
                           \"online\" or \"minibatch\", or use kind = \"gd\"";
            return Err(read.wrong("kind", message));
        }
        Dynamics::Gd(_) if problem.loss.draws_batches() => {
            let message = "is \"gd\", but gd needs the whole loss, and this one draws batches: set \
                           system.loss to \"population\" or \"empirical\", or use kind = \"sgd\"";
            return Err(read.wrong("kind", message));
        }
        Dynamics::Gd(descent) | Dynamics::Sgd(descent) => (descent, Optimiser::Gd),
        Dynamics::Momentum(descent, settings) => {
            let dynamics::Momentum { momentum, dampening, nesterov } = *settings;
            if nesterov && dampening != 0.0 {
                return Err(read.wrong("nesterov", "goes only with dampening = 0"));
            }
            let rule = if nesterov {
                Optimiser::Nesterov { momentum }
            } else {
                Optimiser::Momentum { momentum, dampening }
            };
            (descent, rule)
        }
        Dynamics::Adam(descent, settings) => (descent, Optimiser::Adam(adam(settings))),
        Dynamics::AdamW(descent, settings, decay) => {
            (descent, Optimiser::AdamW(adam(settings), decay.weight_decay))
        }
    };
    let steps = steps(read, descent, rule)?;
    // What is declared bounds each setting as the rule does; left over are combinations beyond the range of numbers.
    steps.check().map_err(|error| read.wrong("kind", format!("does not fit: {error}")))?;
    Ok(Motion::Descent(steps))
}

/// The name of a theory of the problem that goes without what only the whole model has.
fn reduced(read: &Read, name: Option<&str>, problem: &Problem) -> Checked<String> {
    let theories = &problem.theories;
    let (theory, _) = theories.find(name).map_err(|error| {
        let at = if name.is_some() { "theory" } else { "kind" };
        read.wrong(at, format!("cannot be had: {error}"))
    })?;
    let limits = &read.1;
    for (name, given) in [
        ("freeze", !limits.freeze.is_empty()),
        ("rates", !limits.rates.is_empty()),
        ("stop_below_gradient", limits.stop_below_gradient.is_some()),
        ("stop_parameter", limits.stop_parameter.is_some()),
        ("stop_on", limits.stop_on.is_some()),
    ] {
        if given {
            let message = "does not go with kind = \"reduced\": a theory has variables of its own";
            return Err(read.wrong(name, message));
        }
    }
    Ok(theory.to_owned())
}

fn flow(settings: &dynamics::Flow) -> Flow {
    let dynamics::Flow { method, rtol, atol, max_steps, .. } = *settings;
    let until = match settings.until {
        Until::Time(time) => time,
        Until::Converged => f64::INFINITY,
    };
    Flow { method, rtol, atol, until, max_steps, ..Flow::default() }
}

fn adam(settings: &dynamics::Adam) -> AdamSettings {
    AdamSettings { betas: (settings.beta1, settings.beta2), epsilon: settings.epsilon }
}

fn steps(read: &Read, descent: &Descent, rule: Optimiser) -> Checked<Steps> {
    let Descent { rate, steps, clip, .. } = *descent;
    let schedule = match descent.schedule {
        Schedule::Constant => ScheduleKind::Constant,
        Schedule::Cosine => ScheduleKind::Cosine { floor: descent.schedule_floor },
        Schedule::Plateau => {
            let floor = descent.schedule_minimum / rate;
            if floor > 1.0 {
                return Err(read.wrong("schedule_minimum", "is above the rate itself"));
            }
            ScheduleKind::Plateau(Plateau {
                factor: descent.schedule_factor,
                patience: descent.schedule_patience,
                threshold: descent.schedule_threshold,
                floor,
                least_change: LEAST_CUT / rate,
            })
        }
    };
    Ok(Steps { rule, rate, steps, schedule, clip })
}

fn stops(read: &Read, problem: &Problem) -> Checked<Vec<Event>> {
    let (dynamics, limits) = &**read;
    let mut stops = Vec::new();
    if let Some(level) = limits.stop_below_loss {
        stops.push(Event::stop(Condition::LossBelow(level)));
    }
    if let Some(bound) = limits.stop_below_gradient {
        stops.push(Event::stop(Condition::GradientBelow(bound)));
    }
    if let (Some(name), Some(value)) = (&limits.stop_parameter, limits.stop_value) {
        let Some(index) = parameter(problem.blocks(), name) else {
            let message = match problem.blocks().get(name) {
                Some(block) => {
                    let [first, last] = [block.range().start, block.range().end - 1]
                        .map(|index| problem.blocks().parameter_name(index));
                    format!("is the whole block `{name}`; name an entry, {first} to {last}")
                }
                None => {
                    format!("is `{name}`, which is no parameter; {}", known(problem.blocks(), name))
                }
            };
            return Err(read.wrong("stop_parameter", message));
        };
        stops.push(Event::stop(Condition::ParameterCrosses { index, value }));
    }
    // The smallest loss that is known: of the system, or of the theory that moves in its place.
    let (least_loss, asked) = match dynamics {
        Dynamics::Flow(dynamics::Flow { until: Until::Converged, .. }) => {
            (problem.least_loss, "until")
        }
        Dynamics::Reduced(name, dynamics::Flow { until: Until::Converged, .. }) => {
            let theories = &problem.theories;
            let theory = theories.find(name.theory.as_deref());
            (theory.ok().and_then(|(_, theory)| theory.least_loss()), "until")
        }
        _ if limits.stop_converged => (problem.least_loss, "stop_converged"),
        _ => return Ok(stops),
    };
    match least_loss {
        Some(floor) => {
            let fall = problem.levels.first().map_or(floor.abs(), |first| first - floor);
            let tolerance = CONVERGED * fall.max(f64::MIN_POSITIVE);
            stops.push(Event::stop(Condition::Converged { floor, tolerance }));
        }
        None if stops.is_empty() && limits.stop_on.is_none() || limits.stop_converged => {
            let value = if asked == "until" { "\"converged\"" } else { "true" };
            let message = format!(
                "is {value}, but the minimum of this loss is not known: give a time or a number of \
                 steps, or stop_below_loss, stop_below_gradient or stop_on"
            );
            return Err(read.wrong(asked, message));
        }
        None => {}
    }
    Ok(stops)
}

fn early_stop(read: &Read, problem: &Problem) -> Checked<Option<EarlyStop>> {
    let Limits { stop_every: every, stop_patience: patience, stop_threshold: threshold, .. } =
        read.1;
    let Some(name) = &read.1.stop_on else { return Ok(None) };
    let Some(of) = problem.observables.iter().find(|one| one.name == *name) else {
        let known: Vec<&str> = problem.observables.iter().map(|one| one.name.as_str()).collect();
        let (near, all) = (question(name, &known), families(&known).join(", "));
        let message = format!("is {}, which is no observable; {near}there are {all}", quote(name));
        return Err(read.wrong("stop_on", message));
    };
    if !of.shape.is_empty() {
        let message = format!("is {}, which is more than a single number", quote(name));
        return Err(read.wrong("stop_on", message));
    }
    Ok(Some(EarlyStop { of: of.clone(), every, patience, threshold }))
}

/// The index of a parameter by its name: a block of one number, or a block with a place in brackets.
fn parameter(blocks: &Blocks, name: &str) -> Option<usize> {
    let wanted: String = name.chars().filter(|c| !c.is_whitespace()).collect();
    let block = blocks.get(wanted.split('[').next()?)?;
    block.range().find(|&index| blocks.parameter_name(index) == wanted)
}

/// The blocks there are, after the one that `found` most likely stands for.
fn known(blocks: &Blocks, found: &str) -> String {
    let names: Vec<&str> = blocks.iter().map(|block| block.name.as_str()).collect();
    let near = question(found, &names);
    format!("{near}the blocks are {}", families(&names).join(", "))
}

#[cfg(test)]
#[path = "phases_tests.rs"]
mod tests;
