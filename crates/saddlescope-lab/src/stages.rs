//! From checked settings to the stages that run.

use saddlescope::Blocks;
use saddlescope::descent::{Plateau, RuleError};
use saddlescope::dynamics::{AdamSettings, Motion, Optimiser, ScheduleKind, Stage, Steps};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, Method};
use saddlescope::settings::{Settings, SettingsError, Value};
use saddlescope::system::World;

use crate::nearest::{families, nearest};

/// Smallest cut of a rate that PyTorch's `ReduceLROnPlateau` makes: its `eps`, in units of the rate.
const LEAST_CUT: f64 = 1e-8;

/// How near the loss must come to its minimum to count as converged, as a part of its whole fall.
const CONVERGED: f64 = 1e-8;

/// The stage that `settings`, a `[dynamics]` section, describes on `world`; `levels` are losses
/// whose crossings are noted first, in this order.
pub fn stage(
    settings: &Settings,
    world: &dyn World,
    levels: &[f64],
) -> Result<Stage, SettingsError> {
    let kind = settings.kind().unwrap_or("flow");
    let mut stage = Stage::new(match kind {
        "flow" => {
            unless_without_flow(settings, world)?;
            Motion::Flow(flow(settings))
        }
        "reduced" => reduced(settings, world)?,
        kind => Motion::Descent(descent(settings, kind, world)?),
    });
    stage.freeze = settings.texts("freeze").to_vec();
    stage.rates = settings.number_table("rates").to_vec();
    for (name, patterns) in [
        ("freeze", stage.freeze.iter().collect::<Vec<_>>()),
        ("rates", stage.rates.iter().map(|(pattern, _)| pattern).collect()),
    ] {
        for pattern in patterns {
            if world.blocks().matching(pattern).next().is_none() {
                let known = known(world.blocks(), pattern);
                let message = format!("names `{pattern}`, which fits no block; {known}");
                return Err(settings.wrong(name, message));
            }
        }
    }
    stage.events = levels.iter().map(|&level| Event::note(Condition::LossBelow(level))).collect();
    stage.events.extend(stops(settings, world)?);
    Ok(stage)
}

fn unless_without_flow(settings: &Settings, world: &dyn World) -> Result<(), SettingsError> {
    if world.has_flow() {
        return Ok(());
    }
    let message = "is \"flow\", but this loss has no flow: that needs one loss for the whole \
                   run (no batches), in double precision";
    Err(settings.wrong("kind", message))
}

/// A theory of the world that goes without what only the whole model has.
fn reduced(settings: &Settings, world: &dyn World) -> Result<Motion, SettingsError> {
    let name = settings.optional_word("theory");
    let (theory, _) = world.theories().find(name).map_err(|error| {
        let at = if name.is_some() { "theory" } else { "kind" };
        settings.wrong(at, format!("cannot be had: {error}"))
    })?;
    for (name, given) in [
        ("freeze", !settings.texts("freeze").is_empty()),
        ("rates", !settings.number_table("rates").is_empty()),
        ("stop_below_gradient", settings.given("stop_below_gradient")),
        ("stop_parameter", settings.given("stop_parameter")),
    ] {
        if given {
            let message = "does not go with kind = \"reduced\": a theory has variables of its own";
            return Err(settings.wrong(name, message));
        }
    }
    Ok(Motion::Reduced { theory: theory.to_owned(), flow: flow(settings) })
}

fn flow(settings: &Settings) -> Flow {
    let until = match settings.value("until") {
        Value::Number(time) => *time,
        _ => f64::INFINITY,
    };
    Flow {
        method: match settings.word("method") {
            "dop853" => Method::Dop853,
            "radau" => Method::Radau,
            "bdf" => Method::Bdf,
            _ => Method::Auto,
        },
        rtol: settings.number("rtol"),
        atol: settings.number("atol"),
        until,
        max_steps: settings.integer("max_steps").unsigned_abs(),
        ..Flow::default()
    }
}

/// The steps of a rule that goes with the loss and accepts its settings.
fn descent(settings: &Settings, kind: &str, world: &dyn World) -> Result<Steps, SettingsError> {
    let message = match (kind, world.draws_batches()) {
        ("sgd", false) => {
            "is \"sgd\", but sgd needs a loss that draws batches: set system.loss to \"online\" \
             or \"minibatch\", or use kind = \"gd\""
        }
        ("gd", true) => {
            "is \"gd\", but gd needs the whole loss, and this one draws batches: set system.loss \
             to \"population\" or \"empirical\", or use kind = \"sgd\""
        }
        _ => {
            let steps = steps(settings, kind)?;
            return match steps.check() {
                Ok(()) => Ok(steps),
                Err(error) => Err(refused(settings, &steps, &error)),
            };
        }
    };
    Err(settings.wrong("kind", message))
}

/// What a rule refused, at the setting that it comes from.
fn refused(settings: &Settings, steps: &Steps, error: &RuleError) -> SettingsError {
    let RuleError::Setting { setting, value, expected, .. } = error else {
        return settings.wrong("kind", format!("does not fit: {error}"));
    };
    let name = match (*setting, &steps.schedule) {
        ("mu", _) => "momentum",
        ("decay", _) => "weight_decay",
        ("bound", _) => "clip",
        ("factor", _) => "schedule_factor",
        ("threshold", _) => "schedule_threshold",
        ("floor", ScheduleKind::Cosine { .. }) => "schedule_floor",
        ("floor", _) => "schedule_minimum",
        ("least_change", _) => "rate",
        (own, _) => own,
    };
    settings.wrong(name, format!("does not fit: {setting} would be {value}, expected {expected}"))
}

fn steps(settings: &Settings, kind: &str) -> Result<Steps, SettingsError> {
    let adam = || AdamSettings {
        betas: (settings.number("beta1"), settings.number("beta2")),
        epsilon: settings.number("epsilon"),
    };
    let rate = settings.number("rate");
    let rule = match kind {
        "momentum" if settings.switch("nesterov") => {
            if settings.number("dampening") != 0.0 {
                return Err(settings.wrong("nesterov", "goes only with dampening = 0"));
            }
            Optimiser::Nesterov { momentum: settings.number("momentum") }
        }
        "momentum" => Optimiser::Momentum {
            momentum: settings.number("momentum"),
            dampening: settings.number("dampening"),
        },
        "adam" => Optimiser::Adam(adam()),
        "adamw" => Optimiser::AdamW(adam(), settings.number("weight_decay")),
        _ => Optimiser::Gd,
    };
    let schedule = match settings.word("schedule") {
        "cosine" => ScheduleKind::Cosine { floor: settings.number("schedule_floor") },
        "plateau" => {
            let floor = settings.number("schedule_minimum") / rate;
            if floor > 1.0 {
                return Err(settings.wrong("schedule_minimum", "is above the rate itself"));
            }
            ScheduleKind::Plateau(Plateau {
                factor: settings.number("schedule_factor"),
                patience: settings.integer("schedule_patience").unsigned_abs(),
                threshold: settings.number("schedule_threshold"),
                floor,
                least_change: LEAST_CUT / rate,
                ..Plateau::default()
            })
        }
        _ => ScheduleKind::Constant,
    };
    let steps = settings.integer("steps").unsigned_abs();
    Ok(Steps { rule, rate, steps, schedule, clip: settings.optional_number("clip") })
}

/// The events that end a stage.
fn stops(settings: &Settings, world: &dyn World) -> Result<Vec<Event>, SettingsError> {
    let mut stops = Vec::new();
    if let Some(level) = settings.optional_number("stop_below_loss") {
        stops.push(Event::stop(Condition::LossBelow(level)));
    }
    if let Some(bound) = settings.optional_number("stop_below_gradient") {
        stops.push(Event::stop(Condition::GradientBelow(bound)));
    }
    if let Some(name) = settings.optional_word("stop_parameter") {
        let Some(index) = parameter(world.blocks(), name) else {
            let message = match world.blocks().get(name) {
                Some(block) => {
                    let [first, last] = [block.range().start, block.range().end - 1]
                        .map(|index| world.blocks().parameter_name(index));
                    format!("is the whole block `{name}`; name an entry, {first} to {last}")
                }
                None => {
                    format!("is `{name}`, which is no parameter; {}", known(world.blocks(), name))
                }
            };
            return Err(settings.wrong("stop_parameter", message));
        };
        let value = settings.optional_number("stop_value").unwrap_or_default();
        stops.push(Event::stop(Condition::ParameterCrosses { index, value }));
    }
    let flows = matches!(settings.kind(), Some("flow" | "reduced"));
    if flows && settings.value("until").as_word().is_some() {
        match least_loss(settings, world) {
            Some(floor) => {
                let fall = world.levels().first().map_or(floor.abs(), |first| first - floor);
                let tolerance = CONVERGED * fall.max(f64::MIN_POSITIVE);
                stops.push(Event::stop(Condition::Converged { floor, tolerance }));
            }
            None if stops.is_empty() => {
                let message = "is \"converged\", but the minimum of this loss is not known: \
                               give a time, or stop_below_loss, or stop_below_gradient";
                return Err(settings.wrong("until", message));
            }
            None => {}
        }
    }
    Ok(stops)
}

/// The smallest loss that is known: of the world, or of the theory that moves in its place.
fn least_loss(settings: &Settings, world: &dyn World) -> Option<f64> {
    if settings.kind() != Some("reduced") {
        return world.least_loss();
    }
    let theories = world.theories();
    let (_, theory) = theories.find(settings.optional_word("theory")).ok()?;
    theory.least_loss()
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
    let near =
        nearest(found, &names).map_or_else(String::new, |name| format!("did you mean `{name}`? "));
    format!("{near}the blocks are {}", families(&names).join(", "))
}

#[cfg(test)]
#[path = "stages_tests.rs"]
mod tests;
