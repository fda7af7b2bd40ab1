//! The ledger of invariants: one problem under flow, descent, momentum and Adam, and what each breaks.

use saddlescope::analysis::sharpness::sharpness;
use saddlescope::dynamics::{
    AdamSettings, Motion, Optimiser, PhaseEnd, PhaseError, ScheduleKind, Steps,
};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::FlowError;
use saddlescope::record::Silent;
use saddlescope_spec::analysis::invariants::{Account, Entry, account};
use serde_json::Value;

use crate::prelude::*;

const MOST_STATES: usize = 48;

/// The part of the stability bound `2/sharpness` that descent steps by when no rate is given.
const OF_THE_BOUND: f64 = 0.1;

/// Loss left at the end of Adam's run, as a part of the whole fall.
const NEARLY: f64 = 1e-3;

const MOST_STEPS: f64 = 1e7;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Rate of descent; found from the largest sharpness on the way of the flow where there is none.
    pub descent: Option<f64>,
    /// Momentum; its rate is such that a step is as long in flow time as one of descent.
    pub momentum: f64,
    pub adam: f64,
}

impl Default for Rates {
    fn default() -> Self {
        Self { descent: None, momentum: 0.9, adam: 1e-3 }
    }
}

/// The books of one kind of dynamics.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub name: String,
    pub account: Account,
    /// Whether it follows the gradient step by step.
    pub plain: bool,
    /// For descent: the power of the step size by which the worst drift grows.
    pub order: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    /// A page per kind of dynamics, the flow first.
    pub pages: Vec<Page>,
}

fn no_horizon() -> Error {
    Error::input(
        "the flow must come first: use an experiment whose (first) dynamics is a flow, or give it one with --set \
         dynamics.kind=flow --set dynamics.until=1000.0",
    )
}

fn failed<E: Display>(name: &str) -> impl Fn(E) -> Error {
    move |error| Error::new(ErrorKind::Computation, format!("{name} failed: {error}"))
}

/// Keeps the books of `run`'s problem, from its start, over the time that its flow takes.
pub fn ledger(run: &Run, rates: Rates) -> Result<Ledger> {
    let problem = &run.problem;
    if problem.invariants.is_empty() {
        return Err(Error::input("this problem declares no conserved quantity"));
    }
    let exact = problem.without_noise();
    let exact: &Problem = exact.as_ref().unwrap_or(problem);
    let surface = exact.surface().ok_or_else(|| {
        Error::input(
            "this loss is not known exactly, not even without noise, so there is no flow to compare with",
        )
    })?;
    let keep = |name: &str, problem: &Problem, stage: &Phase| {
        let account = account(problem, stage, run.seed).map_err(failed(name))?;
        let plain = matches!(&stage.motion, Motion::Descent(steps) if steps.rule == Optimiser::Gd);
        Ok::<_, Error>(Page { name: name.to_owned(), account, plain, order: None })
    };
    let flow = keep("flow", exact, &flowing(run, exact)?)?;
    let (time, loss) = (flow.account.end.time, flow.account.end.loss);

    let rate = match rates.descent {
        Some(rate) => rate,
        None => {
            let mut largest = 0.0_f64;
            for state in states(run, exact)? {
                let found = sharpness(surface, &state);
                let fault = |fault| PhaseError::Flow(FlowError::Fault { time, fault });
                let found =
                    found.map_err(fault).map_err(failed("the sharpness on the way of the flow"));
                largest = largest.max(found?);
            }
            rounded(OF_THE_BOUND * 2.0 / largest)
        }
    };
    let per_step = time_per_step(exact, rate)?;
    let steps = (time / per_step).ceil();
    if steps > MOST_STEPS {
        return Err(Error::input(format!(
            "{steps:.1e} steps of rate {rate} would be needed to come as far as the flow (time {time}); give a \
             larger --rate"
        )));
    }
    let mut whole = keep(&format!("GD {rate}"), exact, &plain(Optimiser::Gd, rate, steps))?;
    let half = 0.5 * rate;
    let half = keep(&format!("GD {half}"), exact, &plain(Optimiser::Gd, half, 2.0 * steps))?;
    let worst = |page: &Page| page.account.worst().map_or(0.0, |entry| entry.most);
    whole.order = Some((worst(&whole) / worst(&half)).log2()).filter(|order| order.is_finite());
    let mut pages = vec![flow, whole, half];
    if problem.loss.draws_batches() {
        pages.push(keep(&format!("SGD {rate}"), problem, &plain(Optimiser::Gd, rate, steps))?);
    }
    let mu = rates.momentum;
    let momentum = Optimiser::Momentum { momentum: mu, dampening: 0.0 };
    let name = format!("momentum {mu}");
    pages.push(keep(&name, exact, &plain(momentum, rate * (1.0 - mu), steps))?);
    let mut gradient = vec![0.0; exact.init.len()];
    let first = surface.probe().evaluate(&exact.init, &mut gradient).unwrap_or(f64::NAN);
    let adam = Optimiser::Adam(AdamSettings::default());
    let mut adam = plain(adam, rates.adam, steps.max(20.0 / rates.adam));
    adam.events.push(Event::stop(Condition::LossBelow(loss + NEARLY * (first - loss))));
    pages.push(keep(&format!("Adam {}", rates.adam), exact, &adam)?);
    Ok(Ledger { pages })
}

/// The run's own flow, its tolerances and its end; on the exact loss.
fn flowing(run: &Run, exact: &Problem) -> Result<Phase> {
    match run.phases.as_slice() {
        [flow @ Phase { motion: Motion::Flow(_), .. }] => Ok(flow.clone()),
        [Phase { motion: Motion::Descent(steps), .. }] => {
            let until = time_per_step(exact, steps.rate)? * steps.steps as f64;
            Ok(Phase::new(Motion::Flow(Flow::default().until(until))))
        }
        _ => Err(no_horizon()),
    }
}

/// States on the way of the flow, evenly over the steps of its solver.
fn states(run: &Run, exact: &Problem) -> Result<Vec<Vec<f64>>> {
    let mut way = Way { states: Vec::new(), every: 1, seen: 0 };
    exact.run(&[flowing(run, exact)?], run.seed, &mut way).map_err(failed("flow"))?;
    Ok(way.states)
}

/// Keeps the state after every so many steps of a solver; twice as many whenever there are too many.
struct Way {
    states: Vec<Vec<f64>>,
    every: usize,
    seen: usize,
}

impl Recorder for Way {
    fn record(&mut self, moment: &Moment<'_>) {
        if self.seen.is_multiple_of(self.every) {
            self.states.push(moment.state.to_vec());
        }
        self.seen += 1;
        if self.states.len() > MOST_STATES {
            let mut place = 0;
            self.states.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every *= 2;
        }
    }
}

/// Steps of one length.
fn plain(rule: Optimiser, rate: f64, steps: f64) -> Phase {
    let (steps, schedule) = (steps as u64, ScheduleKind::Constant);
    Phase::new(Motion::Descent(Steps { rule, rate, steps, schedule, clip: None }))
}

fn time_per_step(exact: &Problem, rate: f64) -> Result<f64> {
    let outcome = exact.run(&[plain(Optimiser::Gd, rate, 1.0)], 0, &mut Silent);
    let outcome = outcome.map_err(failed("one step of descent"))?;
    match outcome.phases.first() {
        Some(end) if end.on_clock && end.time > 0.0 => Ok(end.time),
        _ => Err(no_horizon()),
    }
}

/// A rate in one digit, so that it can be said and typed again.
fn rounded(rate: f64) -> f64 {
    let size = 10.0_f64.powf(rate.log10().floor());
    let digit = (rate / size).floor();
    format!("{digit}e{}", size.log10().round()).parse().unwrap_or(rate)
}

/// Two tables: how far each quantity went, and what took it there.
pub fn text(ledger: &Ledger) -> String {
    let Some(flow) = ledger.pages.first() else { return String::new() };
    let names: Vec<&str> = ledger.pages.iter().map(|page| page.name.as_str()).collect();
    let headings = [&["conserved by the flow", "at the start"], &names[..]].concat();
    let rows = flow.account.entries.iter().enumerate().map(|(i, entry)| {
        let most = ledger.pages.iter().map(|page| page.account.entries[i].most);
        let own = [entry.name.clone(), short(entry.start)].into_iter();
        own.chain(most.map(|most| format!("{most:.1e}"))).collect()
    });
    let drifts = Table::of(&headings, rows);
    let headings = ["dynamics", "steps", "end time", "worst drift", "of it", "what breaks it"];
    let rows = ledger.pages.iter().filter_map(|page| {
        let (PhaseEnd { time, on_clock, step: steps, .. }, worst) =
            (&page.account.end, page.account.worst()?);
        Some(vec![
            page.name.clone(),
            steps.to_string(),
            if *on_clock { short(*time) } else { "no clock".to_owned() },
            format!("{:.1e}", worst.most),
            worst.name.clone(),
            blame(page, worst),
        ])
    });
    let causes = Table::of(&headings, rows);
    format!("largest distance from the start on the way:\n{drifts}\n{causes}")
}

fn blame(page: &Page, worst: &Entry) -> String {
    let Some(parts) = worst.parts else {
        return "rounding and the solver's tolerance".to_owned();
    };
    let whole = parts.direction.abs() + parts.length.abs();
    // Each step rounds a sum of weights of ordinary size.
    let rounding = 10.0 * f64::EPSILON * (1.0 + worst.start.abs()) * page.account.end.step as f64;
    if worst.most <= rounding {
        return "nothing but rounding".to_owned();
    }
    let order = page.order.map_or_else(String::new, |order| format!("; grows as step^{order:.2}"));
    if page.plain {
        // Plain descent follows the gradient: what the odd part holds is of third order in its steps.
        return format!("100 % their length{order}");
    }
    let [direction, length] =
        [parts.direction, parts.length].map(|part| 100.0 * part.abs() / whole);
    format!("{direction:.0} % steps off the gradient, {length:.0} % their length{order}")
}

pub fn json(ledger: &Ledger) -> Value {
    let entry = |entry: &Entry| {
        json!({
            "name": entry.name,
            "start": entry.start,
            "drift": entry.drift,
            "largest": entry.most,
            "by_direction": entry.parts.map(|parts| parts.direction),
            "by_length": entry.parts.map(|parts| parts.length),
        })
    };
    let page = |page: &Page| {
        json!({
            "dynamics": page.name,
            "steps": page.account.end.step,
            "time": page.account.end.time,
            "loss": page.account.end.loss,
            "order": page.order,
            "invariants": page.account.entries.iter().map(entry).collect::<Vec<_>>(),
        })
    };
    json!({ "pages": ledger.pages.iter().map(page).collect::<Vec<_>>() })
}
