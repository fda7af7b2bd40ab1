//! Why a training run jumps when it does: its distance from the exact flow, cause by cause.
//!
//! From one start, a ladder of runs leads from the flow of the population to the training run, and each
//! rung adds one cause: the finite data set, the length of the steps, the rule's memory, the noise of
//! the batches. What a jump's time shifts by from rung to rung is that cause's share; shares add up to
//! the whole shift. Causes that act together are counted where they enter, in this order. Beside the
//! ladder stands the reduced theory: how far it is from the flow that it is a theory of.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::problem::Problem;
use crate::words::worded;
use saddlescope::Fault;
use saddlescope::analysis::levels::LevelWatch;
use saddlescope::dynamics::{Motion, Optimiser, Phase, PhaseError, ScheduleKind, Steps};
use saddlescope::flow::{Flow, FlowError};
use saddlescope::record::Silent;
use saddlescope::surface::Surface;
use serde::Serialize;

worded! {
    /// What can shift a jump.
    pub enum Cause, words {
        /// The reduced theory is not the flow; it stands beside the sum.
        Theory = "theory",
        /// The data set is not the population.
        Data = "finite data",
        /// A step has a length.
        StepSize = "step size",
        /// The rule remembers earlier gradients.
        Rule = "rule",
        /// A batch is not the whole.
        Noise = "noise",
    }
}

/// The part of a shift that one cause has.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Share {
    pub cause: Cause,
    /// By how much it makes the jump later; `None` where one of the two runs has no such jump.
    pub shift: Option<f64>,
    /// Standard error of the shift, for noise.
    #[serde(rename = "standard_error")]
    pub error: Option<f64>,
}

/// One jump of the training run and what moved it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Jump {
    /// The loss half way down.
    pub level: f64,
    /// When the exact flow of the population crosses it.
    pub flow: Option<f64>,
    /// When training does: the mean over its batches' seeds.
    pub training: Option<f64>,
    /// Standard deviation over these seeds.
    pub spread: Option<f64>,
    pub shares: Vec<Share>,
    /// The power of the step size by which its share grows, from a run at half the step: 1 at first order.
    #[serde(rename = "step_size_order")]
    pub order: Option<f64>,
}

/// Why a training run jumps when it does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attribution {
    pub time_per_step: f64,
    pub theory: Option<String>,
    /// The jumps, in order of falling loss.
    pub jumps: Vec<Jump>,
}

/// Why nothing can be attributed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AttributionError {
    #[error("attribution explains a training run; this one is a flow: give it steps of a rule")]
    NoTraining,
    /// Steps without a flow time cannot be laid beside a flow.
    #[error("the steps of this rule have no flow time (as Adam's), so its jumps cannot be timed")]
    NoClock,
    #[error("attribution needs a constant rate without clipping")]
    NotConstant,
    #[error("this loss is not known exactly, not even without noise, so jumps cannot be timed")]
    NoExactLoss,
    #[error(
        "theory has no plateaus here, so there are no levels to time: list some in record.crossings"
    )]
    NoLevels,
    #[error("the run for {rung} failed: {error}")]
    Run { rung: &'static str, error: PhaseError },
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Explains the jumps of `training`, a phase of `problem` that takes steps, over the batches of `seeds`.
/// Flows have the tolerances of `flow`; `levels` are losses half way down each jump.
pub fn attribute(
    problem: &Problem,
    training: &Phase,
    seeds: &[u64],
    levels: &[f64],
    flow: &Flow,
) -> Result<Attribution, AttributionError> {
    if levels.is_empty() {
        return Err(AttributionError::NoLevels);
    }
    let steps = constant_steps(training)?;
    let exact = problem.without_noise();
    let exact: &Problem = exact.as_ref().unwrap_or(problem);
    let population = exact.without_data();
    let population: &Problem = population.as_ref().unwrap_or(exact);
    let surface = population.surface().ok_or(AttributionError::NoExactLoss)?;
    let ladder = Ladder { surface, levels, training };

    let time_per_step = ladder.time_per_step(exact, steps)?;
    // Plain steps as long in flow time as those of the rule: momentum's are 1/(1 - momentum) of its rate.
    let mut plain = Steps { rule: Optimiser::Gd, ..steps.clone() };
    plain.rate *= time_per_step / ladder.time_per_step(exact, &plain)?;
    let flow = Flow { until: time_per_step * steps.steps as f64, ..flow.clone() };
    let flowing = Motion::Flow(flow.clone());
    let half = Steps { rate: 0.5 * plain.rate, steps: 2 * steps.steps, ..plain.clone() };
    let has_data = exact.without_data().is_some();

    let mut runs: Vec<(Rung, &Problem, Motion, u64)> = vec![
        (Rung::Flow, population, flowing.clone(), 0),
        (Rung::Descent, exact, Motion::Descent(plain.clone()), 0),
        (Rung::Half, exact, Motion::Descent(half), 0),
    ];
    let theory = population.theories.find(None).ok().map(|(name, _)| name.to_owned());
    if let Some(theory) = theory.clone() {
        runs.push((Rung::Theory, population, Motion::Reduced { theory, flow }, 0));
    }
    if has_data {
        runs.push((Rung::DataFlow, exact, flowing, 0));
    }
    if steps.rule != Optimiser::Gd {
        runs.push((Rung::Rule, exact, Motion::Descent(steps.clone()), 0));
    }
    if problem.loss.draws_batches() {
        let noisy = |&seed: &u64| (Rung::Noise, problem, Motion::Descent(steps.clone()), seed);
        runs.extend(seeds.iter().map(noisy));
    }
    let times = runs
        .par_iter()
        .map(|(rung, problem, motion, seed)| ladder.times(*rung, problem, motion, *seed))
        .collect::<Result<Vec<_>, _>>()?;
    let mut timed = RungTimes(BTreeMap::new());
    for ((rung, ..), times) in runs.iter().zip(times) {
        timed.0.entry(*rung).or_default().push(times);
    }
    let jumps = levels.iter().enumerate().map(|(m, &level)| timed.jump(m, level)).collect();
    Ok(Attribution { jumps, time_per_step, theory })
}

fn constant_steps(training: &Phase) -> Result<&Steps, AttributionError> {
    let Motion::Descent(steps) = &training.motion else {
        return Err(AttributionError::NoTraining);
    };
    if steps.schedule != ScheduleKind::Constant || steps.clip.is_some() {
        return Err(AttributionError::NotConstant);
    }
    Ok(steps)
}

worded! {
    /// A run of the ladder.
    enum Rung, words {
        Theory = "the reduced theory",
        Flow = "the flow of the population",
        DataFlow = "the flow on the data set",
        Descent = "plain descent",
        Half = "plain descent at half the step",
        Rule = "the rule without noise",
        Noise = "training itself",
    }
}

/// What all runs of the ladder share.
struct Ladder<'a> {
    surface: &'a dyn Surface,
    levels: &'a [f64],
    training: &'a Phase,
}

impl Ladder<'_> {
    fn phase(&self, motion: &Motion) -> Phase {
        Phase { motion: motion.clone(), events: Vec::new(), ..self.training.clone() }
    }

    fn time_per_step(&self, exact: &Problem, steps: &Steps) -> Result<f64, AttributionError> {
        let one = self.phase(&Motion::Descent(Steps { steps: 1, ..steps.clone() }));
        let outcome = exact.run(std::slice::from_ref(&one), 0, &mut Silent);
        let outcome = outcome.map_err(|error| AttributionError::Run { rung: "one step", error })?;
        match outcome.phases.first() {
            Some(end) if end.on_clock => Ok(end.time),
            _ => Err(AttributionError::NoClock),
        }
    }

    /// First crossings of the levels, by the exact loss.
    fn times(
        &self,
        rung: Rung,
        problem: &Problem,
        motion: &Motion,
        seed: u64,
    ) -> Result<Vec<Option<f64>>, AttributionError> {
        let mut watch = LevelWatch::new(self.surface, self.levels);
        let mut phase = self.phase(motion);
        if matches!(motion, Motion::Reduced { .. }) {
            (phase.freeze, phase.rates) = (Vec::new(), Vec::new());
        }
        let phases = std::slice::from_ref(&phase);
        match problem.run(phases, seed, &mut watch) {
            // A flow that rests will cross no further level.
            Ok(_) | Err(PhaseError::Flow(FlowError::AtRest { .. })) => Ok(watch.finish()?),
            Err(error) => Err(AttributionError::Run { rung: rung.words(), error }),
        }
    }
}

/// The crossings of the levels by the runs of each rung: of training, by one for each seed.
struct RungTimes(BTreeMap<Rung, Vec<Vec<Option<f64>>>>);

impl RungTimes {
    fn jump(&self, m: usize, level: f64) -> Jump {
        // The outer option: whether the ladder has such a rung.
        let of = |rung: Rung| self.0.get(&rung).map(|runs| runs[0][m]);
        let [flow, descent, half] =
            [Rung::Flow, Rung::Descent, Rung::Half].map(|rung| of(rung).flatten());
        let shift = |from: Option<f64>, to: Option<f64>| Some(to? - from?);
        let mut shares = Vec::new();
        let mut add = |cause, from, to, error| {
            shares.push(Share { cause, shift: shift(from, to), error });
        };
        if let Some(theory) = of(Rung::Theory) {
            add(Cause::Theory, flow, theory, None);
        }
        let before = of(Rung::DataFlow).unwrap_or(flow);
        if of(Rung::DataFlow).is_some() {
            add(Cause::Data, flow, before, None);
        }
        add(Cause::StepSize, before, descent, None);
        let mut last = of(Rung::Rule).unwrap_or(descent);
        if of(Rung::Rule).is_some() {
            add(Cause::Rule, descent, last, None);
        }
        let mut spread = None;
        if let Some(runs) = self.0.get(&Rung::Noise) {
            let [mean, error, deviation] = over_seeds(runs.iter().map(|times| times[m]));
            add(Cause::Noise, last, mean, error);
            (last, spread) = (mean, deviation);
        }
        let order = match (shift(before, descent), shift(before, half)) {
            (Some(whole), Some(half)) if whole / half > 0.0 => Some((whole / half).log2()),
            _ => None,
        };
        Jump { level, flow, training: last, spread, shares, order }
    }
}

/// The mean, its standard error and the deviation; none unless all have crossed.
fn over_seeds(times: impl Iterator<Item = Option<f64>>) -> [Option<f64>; 3] {
    let Some(times) = times.collect::<Option<Vec<f64>>>() else { return [None; 3] };
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    if times.len() < 2 {
        return [Some(mean), None, None];
    }
    let squares: f64 = times.iter().map(|time| (time - mean) * (time - mean)).sum();
    let spread = (squares / (count - 1.0)).sqrt();
    [Some(mean), Some(spread / count.sqrt()), Some(spread)]
}
