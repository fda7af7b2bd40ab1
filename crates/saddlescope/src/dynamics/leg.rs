//! The loop over stages, leg by leg.

use super::reduced::reduced_leg;
use super::{Checkpoint, Motion, Outcome, Stage, StageEnd, StageError, Steps};
use crate::descent::{Descent, DescentEnd, RuleError};
use crate::field::GradientFlow;
use crate::flow::{Ended, Flow, FlowEnd, FlowLeg};
use crate::memory::{Memory, MemoryError};
use crate::record::Recorder;
use crate::theory::Theories;
use crate::{Blocks, Landscape, Scalar};

/// How a leg of a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum LegEnd {
    /// The run is over.
    Ended(Outcome),
    /// The steps of the leg are over; the next leg goes on from here.
    Paused(Checkpoint),
}

/// What a run goes through.
#[derive(Debug, Clone, Copy)]
pub struct Course<'a> {
    /// The stages, in order.
    pub stages: &'a [Stage],
    /// The theories that stages may name.
    pub theories: &'a Theories<'a>,
    /// Seed of the batches.
    pub seed: u64,
}

/// Floating-point operations that a leg should take: some seconds of one core, so that little is lost
/// with a leg, and little time goes into storing where it ended.
const LEG_OPERATIONS: f64 = 2e10;

/// Steps per leg where a gradient takes so many floating-point operations.
pub fn leg_steps(operations_per_step: f64) -> u64 {
    ((LEG_OPERATIONS / operations_per_step) as u64).clamp(100, 1_000_000)
}

/// Runs stages on a landscape in double precision, in one leg.
pub fn run<L: Landscape<Scalar = f64>>(
    landscape: &L,
    stages: &[Stage],
    start: &[f64],
    seed: u64,
    recorder: &mut dyn Recorder,
) -> Result<Outcome, StageError> {
    let course = Course { stages, theories: &Theories::none(), seed };
    to_the_end(Checkpoint::start(start), |from| {
        run_leg(landscape, course, from, u64::MAX, recorder)
    })
}

/// Runs stages on a landscape in either precision, in one leg; flows are refused.
pub fn train<L: Landscape>(
    landscape: &L,
    stages: &[Stage],
    start: &[f64],
    seed: u64,
    recorder: &mut dyn Recorder,
) -> Result<Outcome, StageError> {
    let course = Course { stages, theories: &Theories::none(), seed };
    to_the_end(Checkpoint::start(start), |from| {
        train_leg(landscape, course, from, u64::MAX, recorder)
    })
}

/// Runs leg after leg until the run is over.
pub(crate) fn to_the_end(
    mut from: Checkpoint,
    mut leg: impl FnMut(Checkpoint) -> Result<LegEnd, StageError>,
) -> Result<Outcome, StageError> {
    loop {
        match leg(from)? {
            LegEnd::Ended(outcome) => return Ok(outcome),
            LegEnd::Paused(checkpoint) => from = checkpoint,
        }
    }
}

/// Runs stages on a landscape in double precision, at most `steps` steps on `from`.
///
/// Descents have the same bits however they are cut into legs; for flows, where legs end is part of
/// what fixes the bits. The recorder sees each instant once, whatever the legs.
pub fn run_leg<L: Landscape<Scalar = f64>>(
    landscape: &L,
    course: Course<'_>,
    from: Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
) -> Result<LegEnd, StageError> {
    unless_of_another_run(&from, landscape.blocks(), course.stages)?;
    sequence(course.stages, from, steps, |stage, at, left| match &stage.motion {
        Motion::Flow(flow) => flow_leg(landscape, (stage, flow), at, left, recorder),
        Motion::Descent(rule) => {
            descent_leg(landscape, (stage, rule), at, left, course.seed, recorder)
        }
        Motion::Reduced { theory, flow } => {
            let (_, theory) = course.theories.find(Some(theory))?;
            reduced_leg(landscape, (stage, theory, flow), at, left, course.seed, recorder)
        }
    })
}

/// Runs stages on a landscape in either precision, at most `steps` steps on `from`; flows are refused.
pub fn train_leg<L: Landscape>(
    landscape: &L,
    course: Course<'_>,
    from: Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
) -> Result<LegEnd, StageError> {
    unless_of_another_run(&from, landscape.blocks(), course.stages)?;
    sequence(course.stages, from, steps, |stage, at, left| match &stage.motion {
        Motion::Flow(_) => Err(StageError::SinglePrecision),
        Motion::Descent(rule) => {
            descent_leg(landscape, (stage, rule), at, left, course.seed, recorder)
        }
        Motion::Reduced { theory, flow } => {
            let (_, theory) = course.theories.find(Some(theory))?;
            reduced_leg(landscape, (stage, theory, flow), at, left, course.seed, recorder)
        }
    })
}

fn unless_of_another_run(
    from: &Checkpoint,
    blocks: &Blocks,
    stages: &[Stage],
) -> Result<(), MemoryError> {
    let length = |name: &str, found, expected| {
        Err(MemoryError::Length { name: name.to_owned(), found, expected })
    };
    if from.state.len() != blocks.len() {
        return length("state", from.state.len(), blocks.len());
    }
    if from.finished.len() > stages.len() {
        return length("finished", from.finished.len(), stages.len());
    }
    Ok(())
}

/// Runs one stage after the other, each from where the last one ended, until `steps` steps are taken.
/// `run` takes steps of a stage and leaves the checkpoint after them; it returns the stage's end when
/// it has come to it.
fn sequence(
    stages: &[Stage],
    mut at: Checkpoint,
    steps: u64,
    mut run: impl FnMut(&Stage, &mut Checkpoint, u64) -> Result<Option<StageEnd>, StageError>,
) -> Result<LegEnd, StageError> {
    let pause = at.step.saturating_add(steps.max(1));
    while let Some(stage) = stages.get(at.finished.len()) {
        if at.step >= pause {
            return Ok(LegEnd::Paused(at));
        }
        let left = pause - at.step;
        let Some(end) = run(stage, &mut at, left)? else { return Ok(LegEnd::Paused(at)) };
        let stopped = end.ended == Ended::ByRecorder;
        at.finish_stage(end);
        if stopped {
            break;
        }
    }
    Ok(LegEnd::Ended(Outcome { stages: at.finished, state: at.state }))
}

fn flow_leg<L: Landscape<Scalar = f64>>(
    landscape: &L,
    (stage, flow): (&Stage, &Flow),
    at: &mut Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
) -> Result<Option<StageEnd>, StageError> {
    let factors = stage.factors(landscape.blocks())?;
    let field = GradientFlow::new(landscape).with_factors(&factors);
    let first_step = at.stage_began().1;
    let flow = placed(stage, flow, at);
    let memory = at.under_way.take();
    match flow.leg(&field, at.time, &at.state, memory, steps, recorder)? {
        FlowLeg::Ended(end) => {
            at.state.copy_from_slice(&end.state);
            Ok(Some(end_of_flow(end, first_step)))
        }
        FlowLeg::Paused { time, state, steps, memory } => {
            (at.time, at.state, at.step) = (time, state, first_step + steps);
            at.under_way = Some(memory);
            Ok(None)
        }
    }
}

/// A flow on the clock of the run, with what its stage watches for.
pub(super) fn placed(stage: &Stage, flow: &Flow, at: &Checkpoint) -> Flow {
    let (from, first_step) = at.stage_began();
    Flow {
        events: [&*flow.events, &*stage.events].concat(),
        until: from + flow.until,
        first_step,
        ..*flow
    }
}

fn descent_leg<L: Landscape>(
    landscape: &L,
    (stage, steps): (&Stage, &Steps),
    at: &mut Checkpoint,
    left: u64,
    seed: u64,
    recorder: &mut dyn Recorder,
) -> Result<Option<StageEnd>, StageError> {
    let blocks = landscape.blocks();
    let descent = descent(stage, steps, blocks, seed, at.stage_began())?;
    let mut rule = steps.rule(stage, blocks)?;
    let mut theta: Vec<L::Scalar> = at.state.iter().map(|&x| L::Scalar::from_f64(x)).collect();
    let mut progress = descent.begin(blocks, &theta);
    if let Some(mut memory) = at.under_way.take() {
        progress.load(&mut memory)?;
        memory.within("rule", |memory| rule.load(memory))?;
        memory.finish()?;
    }
    let end = descent.leg(landscape, &mut *rule, &mut theta, &mut progress, left, recorder)?;
    for (state, theta) in at.state.iter_mut().zip(&theta) {
        *state = theta.to_f64();
    }
    if let Some(end) = end {
        return Ok(Some(end_of_descent(end)));
    }
    (at.time, at.step) = (progress.time(), descent.first_step + progress.taken());
    let mut memory = Memory::default();
    progress.save(&mut memory);
    memory.within("rule", |memory| rule.save(memory));
    at.under_way = Some(memory);
    Ok(None)
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

pub(super) fn end_of_flow(end: FlowEnd, earlier: u64) -> StageEnd {
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

#[cfg(test)]
#[path = "leg_tests.rs"]
mod tests;
