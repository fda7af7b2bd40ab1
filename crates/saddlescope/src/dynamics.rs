//! Stages one after the other on one landscape: flows and descents, on one clock.

use crate::descent::{
    Adam, AdamW, Clipped, Cosine, Descent, DescentEnd, DescentError, Frozen, Gd, Momentum,
    Nesterov, PerBlock, Plateau, ReduceOnPlateau, Rule, RuleError, Scheduled,
};
use crate::event::{Crossing, Event};
use crate::field::GradientFlow;
use crate::flow::{Ended, Flow, FlowEnd, FlowError, Work};
use crate::record::Recorder;
use crate::{Blocks, Landscape, Scalar};

/// One stage: how the parameters move, and which of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// How they move.
    pub motion: Motion,
    /// Patterns of blocks that do not move.
    pub freeze: Vec<String>,
    /// Patterns of blocks with factors on their rates; the last that fits counts.
    pub rates: Vec<(String, f64)>,
    /// What to watch for, after what the motion itself watches for.
    pub events: Vec<Event>,
}

/// How parameters move.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// By gradient flow.
    Flow(Flow),
    /// By the steps of a rule.
    Descent(Steps),
}

/// Steps of a rule, with what wraps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// The rule.
    pub rule: Optimiser,
    /// Its rate.
    pub rate: f64,
    /// How many steps.
    pub steps: u64,
    /// How the rate changes on the way.
    pub schedule: ScheduleKind,
    /// Bound on the gradient's norm, over all blocks.
    pub clip: Option<f64>,
}

/// The rules that a stage can follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Optimiser {
    /// Gradient descent; stochastic on landscapes that draw batches.
    Gd,
    /// Momentum, in PyTorch's convention.
    Momentum {
        /// Part of the velocity that is kept.
        momentum: f64,
        /// Part of the gradient that does not enter it.
        dampening: f64,
    },
    /// Nesterov's momentum, in PyTorch's convention.
    Nesterov {
        /// Part of the velocity that is kept.
        momentum: f64,
    },
    /// Adam.
    Adam(AdamSettings),
    /// Adam with decoupled weight decay.
    AdamW(AdamSettings, f64),
}

/// The settings that Adam and AdamW share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamSettings {
    /// Memories of mean and mean square.
    pub betas: (f64, f64),
    /// Added to the root of the mean square.
    pub epsilon: f64,
}

/// How a rate changes from step to step.
#[derive(Debug, Clone, PartialEq)]
pub enum ScheduleKind {
    /// Not at all.
    Constant,
    /// Half a cosine over all steps, down to `floor` times the rate.
    Cosine {
        /// Last factor on the rate.
        floor: f64,
    },
    /// Cut when the loss no longer falls.
    Plateau(Plateau),
}

/// How a stage ended.
#[derive(Debug, Clone, PartialEq)]
pub struct StageEnd {
    /// Time of the end.
    pub time: f64,
    /// Whether times are flow times; otherwise one unit per step.
    pub on_clock: bool,
    /// Steps taken so far: of the solver, or of the rule.
    pub step: u64,
    /// Loss at the end.
    pub loss: f64,
    /// Why it ended.
    pub ended: Ended,
    /// First crossing of each event of the stage.
    pub crossings: Vec<Option<Crossing>>,
    /// Work of the solver; `None` for descents.
    pub work: Option<Work>,
    /// When an automatic flow went over to the stiff method, if it did.
    pub stiff_from: Option<f64>,
}

/// What all stages together came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The stages, in order. Fewer than were asked for when the recorder stopped the run.
    pub stages: Vec<StageEnd>,
    /// Parameters at the end.
    pub state: Vec<f64>,
}

/// Why stages could not run to their end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StageError {
    /// A flow failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// A descent failed.
    #[error(transparent)]
    Descent(#[from] DescentError),
    /// A rule has wrong settings, or a pattern names no block.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// A flow was asked for on a landscape in single precision.
    #[error("a flow needs a landscape in double precision")]
    SinglePrecision,
}

/// Runs stages on a landscape in double precision.
pub fn run<L: Landscape<Scalar = f64>>(
    landscape: &L,
    stages: &[Stage],
    start: &[f64],
    seed: u64,
    recorder: &mut dyn Recorder,
) -> Result<Outcome, StageError> {
    let mut state = start.to_vec();
    sequence(stages, |stage, time, step| match &stage.motion {
        Motion::Flow(flow) => {
            let factors = stage.factors(landscape.blocks())?;
            let field = GradientFlow::new(landscape).with_factors(&factors);
            let flow = Flow {
                events: [&*flow.events, &*stage.events].concat(),
                until: time + flow.until,
                first_step: step,
                ..*flow
            };
            let end = flow.run(&field, time, &state, recorder)?;
            state.copy_from_slice(&end.state);
            Ok(end_of_flow(end, step))
        }
        Motion::Descent(steps) => {
            let plan = descent(stage, steps, landscape.blocks(), seed, (time, step))?;
            let mut rule = steps.rule(stage, landscape.blocks())?;
            Ok(end_of_descent(plan.run(landscape, &mut *rule, &mut state, recorder)?))
        }
    })
    .map(|stages| Outcome { stages, state })
}

/// Runs stages on a landscape in either precision; flows are refused.
pub fn train<L: Landscape>(
    landscape: &L,
    stages: &[Stage],
    start: &[f64],
    seed: u64,
    recorder: &mut dyn Recorder,
) -> Result<Outcome, StageError> {
    let mut state: Vec<L::Scalar> = start.iter().map(|&x| L::Scalar::from_f64(x)).collect();
    let stages = sequence(stages, |stage, time, step| match &stage.motion {
        Motion::Flow(_) => Err(StageError::SinglePrecision),
        Motion::Descent(steps) => {
            let plan = descent(stage, steps, landscape.blocks(), seed, (time, step))?;
            let mut rule = steps.rule(stage, landscape.blocks())?;
            Ok(end_of_descent(plan.run(landscape, &mut *rule, &mut state, recorder)?))
        }
    })?;
    Ok(Outcome { stages, state: state.iter().map(|x| x.to_f64()).collect() })
}

/// Runs one stage after the other, each from the time and step where the last one ended.
fn sequence(
    stages: &[Stage],
    mut run: impl FnMut(&Stage, f64, u64) -> Result<StageEnd, StageError>,
) -> Result<Vec<StageEnd>, StageError> {
    let mut ends: Vec<StageEnd> = Vec::with_capacity(stages.len());
    for stage in stages {
        let (time, step) = ends.last().map_or((0.0, 0), |end| (end.time, end.step));
        ends.push(run(stage, time, step)?);
        if ends.last().is_some_and(|end| end.ended == Ended::ByRecorder) {
            break;
        }
    }
    Ok(ends)
}

/// Flow time goes on from the time of the stage before, also where that one counted its steps.
fn descent(
    stage: &Stage,
    steps: &Steps,
    blocks: &Blocks,
    seed: u64,
    (from, first_step): (f64, u64),
) -> Result<Descent, RuleError> {
    let factors = stage.factors(blocks)?;
    let still = blocks.iter().zip(&factors).filter(|(_, factor)| **factor == 0.0);
    Ok(Descent {
        steps: steps.steps,
        seed,
        first_step,
        from,
        still: still.map(|(block, _)| block.range()).collect(),
        events: stage.events.clone(),
    })
}

fn end_of_flow(end: FlowEnd, earlier: u64) -> StageEnd {
    StageEnd {
        time: end.time,
        on_clock: true,
        step: earlier + end.work.steps,
        loss: end.loss,
        ended: end.ended,
        crossings: end.crossings,
        work: Some(end.work),
        stiff_from: end.stiff_from,
    }
}

fn end_of_descent(end: DescentEnd) -> StageEnd {
    let ended = match end.ended_by {
        Some(event) => Ended::ByEvent(event),
        None if end.stopped => Ended::ByRecorder,
        None => Ended::AtTime,
    };
    StageEnd {
        time: end.time,
        on_clock: end.on_clock,
        step: end.step,
        loss: end.loss,
        ended,
        crossings: end.crossings,
        work: None,
        stiff_from: None,
    }
}

impl Stage {
    /// A stage that moves all blocks at their own rates and watches for nothing.
    pub fn new(motion: Motion) -> Self {
        Self { motion, freeze: Vec::new(), rates: Vec::new(), events: Vec::new() }
    }

    fn rate_factors(&self) -> Vec<(&str, f64)> {
        self.rates.iter().map(|(pattern, factor)| (pattern.as_str(), *factor)).collect()
    }

    /// The factor on each block's rate, 0 for frozen ones.
    fn factors(&self, blocks: &Blocks) -> Result<Vec<f64>, RuleError> {
        let still: Vec<(&str, f64)> = self.freeze.iter().map(|p| (p.as_str(), 0.0)).collect();
        let patterns = [self.rate_factors(), still].concat();
        Ok(PerBlock::new((), blocks, &patterns)?.factors().to_vec())
    }
}

impl Steps {
    /// Builds the rule once, for no parameters: whether all settings fit.
    pub fn check(&self) -> Result<(), RuleError> {
        let stage = Stage::new(Motion::Descent(self.clone()));
        self.rule::<f64>(&stage, &Blocks::new()).map(|_| ())
    }

    /// The rule with its wrappers. The gradient is clipped as a whole, frozen blocks included, as
    /// PyTorch does it.
    fn rule<S: Scalar>(
        &self,
        stage: &Stage,
        blocks: &Blocks,
    ) -> Result<Box<dyn Rule<S>>, RuleError> {
        let mut rule = self.optimiser(blocks.len())?;
        rule = match &self.schedule {
            ScheduleKind::Constant => rule,
            ScheduleKind::Cosine { floor } => {
                Box::new(Scheduled::new(rule, Cosine::new(self.steps, *floor)?))
            }
            ScheduleKind::Plateau(plateau) => {
                Box::new(Scheduled::new(rule, ReduceOnPlateau::new(plateau.clone())?))
            }
        };
        if !stage.rates.is_empty() {
            rule = Box::new(PerBlock::new(rule, blocks, &stage.rate_factors())?);
        }
        if !stage.freeze.is_empty() {
            let patterns: Vec<&str> = stage.freeze.iter().map(String::as_str).collect();
            rule = Box::new(Frozen::new(rule, blocks, &patterns)?);
        }
        Ok(match self.clip {
            Some(bound) => Box::new(Clipped::new(rule, bound)?),
            None => rule,
        })
    }

    fn optimiser<S: Scalar>(&self, parameters: usize) -> Result<Box<dyn Rule<S>>, RuleError> {
        let adam = |settings: AdamSettings| {
            let (beta1, beta2) = settings.betas;
            Adam::new(parameters, self.rate)?
                .with_betas(beta1, beta2)?
                .with_epsilon(settings.epsilon)
        };
        Ok(match self.rule {
            Optimiser::Gd => Box::new(Gd::new(self.rate)?),
            Optimiser::Momentum { momentum, dampening } => {
                Box::new(Momentum::new(parameters, self.rate, momentum)?.with_dampening(dampening)?)
            }
            Optimiser::Nesterov { momentum } => {
                Box::new(Nesterov::new(parameters, self.rate, momentum)?)
            }
            Optimiser::Adam(settings) => Box::new(adam(settings)?),
            Optimiser::AdamW(settings, decay) => Box::new(AdamW::new(adam(settings)?, decay)?),
        })
    }
}
