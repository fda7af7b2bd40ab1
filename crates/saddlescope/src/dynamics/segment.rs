//! The loop over phases, segment by segment.

use super::reduced::reduced_segment;
use super::{Checkpoint, Motion, Outcome, Phase, PhaseEnd, PhaseError, Steps};
use crate::descent::{Descent, RuleError};
use crate::field::GradientFlow;
use crate::flow::{Flow, FlowEnd, FlowSegment, Termination};
use crate::memory::{Memory, MemoryError};
use crate::record::Recorder;
use crate::theory::Theories;
use crate::{Blocks, Landscape, Scalar};

/// How a segment of a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmentEnd {
    /// The run is over.
    Ended(Outcome),
    /// The steps of the segment are over; the next segment goes on from here.
    Paused(Checkpoint),
}

/// What a run goes through.
#[derive(Debug, Clone, Copy)]
pub struct Course<'a> {
    /// The phases, in order.
    pub phases: &'a [Phase],
    /// The theories that phases may name.
    pub theories: &'a Theories<'a>,
    /// Seed of the batches.
    pub seed: u64,
}

/// Steps of a segment where a model declares no other number.
///
/// A segment takes some seconds at most, so that little is lost with one, and little time goes into storing where it
/// ended. Where segments end fixes the last bits of flows, so their length is declared, and never estimated.
pub const SEGMENT_STEPS: u64 = 10_000;

/// Runs phases on a landscape in either precision, in one segment; flows are refused.
pub fn train<L: Landscape>(
    landscape: &L,
    phases: &[Phase],
    start: &[f64],
    seed: u64,
    recorder: &mut dyn Recorder,
) -> Result<Outcome, PhaseError> {
    let course = Course { phases, theories: &Theories::none(), seed };
    run_to_end(Checkpoint::start(start), |from| {
        train_segment(landscape, course, from, u64::MAX, recorder)
    })
}

/// Runs segment after segment until the run is over. `segment` runs one, and keeps what it wants to keep of where it ended.
pub fn run_to_end<E>(
    mut from: Checkpoint,
    mut segment: impl FnMut(Checkpoint) -> Result<SegmentEnd, E>,
) -> Result<Outcome, E> {
    loop {
        match segment(from)? {
            SegmentEnd::Ended(outcome) => return Ok(outcome),
            SegmentEnd::Paused(checkpoint) => from = checkpoint,
        }
    }
}

/// Runs phases on a landscape in double precision, at most `steps` steps on `from`.
///
/// Descents have the same bits however they are cut into segments; for flows, where segments end is part of
/// what fixes the bits. The recorder sees each instant once, whatever the segments.
pub fn run_segment<L: Landscape<Scalar = f64>>(
    landscape: &L,
    course: Course<'_>,
    from: Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
) -> Result<SegmentEnd, PhaseError> {
    segment(landscape, course, from, steps, recorder, |phase, at, left, recorder| {
        flow_segment(landscape, phase, at, left, recorder)
    })
}

/// Runs phases on a landscape in either precision, at most `steps` steps on `from`; flows are refused.
pub fn train_segment<L: Landscape>(
    landscape: &L,
    course: Course<'_>,
    from: Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
) -> Result<SegmentEnd, PhaseError> {
    segment(landscape, course, from, steps, recorder, |_, _, _, _| Err(PhaseError::SinglePrecision))
}

/// Runs phases, those that are flows by `flow`, at most `steps` steps on `from`.
fn segment<L: Landscape>(
    landscape: &L,
    course: Course<'_>,
    from: Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
    flow: impl Fn((&Phase, &Flow), &mut Checkpoint, u64, &mut dyn Recorder) -> PhaseProgress,
) -> Result<SegmentEnd, PhaseError> {
    ensure_same_run(&from, landscape.blocks(), course.phases)?;
    sequence(course.phases, from, steps, |phase, at, left| match &phase.motion {
        Motion::Flow(settings) => flow((phase, settings), at, left, recorder),
        Motion::Descent(rule) => {
            descent_segment(landscape, (phase, rule), at, left, course.seed, recorder)
        }
        Motion::Reduced { theory, flow } => {
            let (_, theory) = course.theories.find(Some(theory))?;
            reduced_segment(landscape, (phase, theory, flow), at, left, course.seed, recorder)
        }
    })
}

/// The end of a phase; `None` where more steps are to come.
pub(super) type PhaseProgress = Result<Option<PhaseEnd>, PhaseError>;

fn ensure_same_run(
    from: &Checkpoint,
    blocks: &Blocks,
    phases: &[Phase],
) -> Result<(), MemoryError> {
    if from.state.len() != blocks.len() {
        return Err(MemoryError::length("state", from.state.len(), blocks.len()));
    }
    if from.finished.len() > phases.len() {
        return Err(MemoryError::length("finished", from.finished.len(), phases.len()));
    }
    Ok(())
}

/// Runs one phase after the other, each from where the last one ended, until `steps` steps are taken.
/// `run` takes steps of a phase and leaves the checkpoint after them; it returns the phase's end when
/// it has come to it.
fn sequence(
    phases: &[Phase],
    mut at: Checkpoint,
    steps: u64,
    mut run: impl FnMut(&Phase, &mut Checkpoint, u64) -> PhaseProgress,
) -> Result<SegmentEnd, PhaseError> {
    let pause = at.step.saturating_add(steps.max(1));
    while let Some(phase) = phases.get(at.finished.len()) {
        if at.step >= pause {
            return Ok(SegmentEnd::Paused(at));
        }
        let left = pause - at.step;
        let Some(end) = run(phase, &mut at, left)? else { return Ok(SegmentEnd::Paused(at)) };
        let stopped = end.ended == Termination::ByRecorder;
        at.finish_phase(end);
        if stopped {
            break;
        }
    }
    Ok(SegmentEnd::Ended(Outcome { phases: at.finished, state: at.state }))
}

fn flow_segment<L: Landscape<Scalar = f64>>(
    landscape: &L,
    (phase, flow): (&Phase, &Flow),
    at: &mut Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
) -> PhaseProgress {
    let factors = phase.factors(landscape.blocks())?;
    let field = GradientFlow::new(landscape).with_factors(&factors);
    let first_step = at.phase_began().1;
    let flow = placed(phase, flow, at);
    let memory = at.under_way.take();
    match flow.segment(&field, at.time, &at.state, memory, steps, recorder)? {
        FlowSegment::Ended(end) => {
            at.state.copy_from_slice(&end.state);
            Ok(Some(end_of_flow(end, first_step)))
        }
        FlowSegment::Paused { time, state, steps, memory } => {
            (at.time, at.state, at.step) = (time, state, first_step + steps);
            at.under_way = Some(memory);
            Ok(None)
        }
    }
}

/// A flow on the clock of the run, with what its phase watches for.
pub(super) fn placed(phase: &Phase, flow: &Flow, at: &Checkpoint) -> Flow {
    let (from, first_step) = at.phase_began();
    Flow {
        events: [&*flow.events, &*phase.events].concat(),
        until: from + flow.until,
        first_step,
        ..*flow
    }
}

fn descent_segment<L: Landscape>(
    landscape: &L,
    (phase, steps): (&Phase, &Steps),
    at: &mut Checkpoint,
    left: u64,
    seed: u64,
    recorder: &mut dyn Recorder,
) -> PhaseProgress {
    let blocks = landscape.blocks();
    let descent = descent(phase, steps, blocks, seed, at.phase_began())?;
    let mut rule = steps.rule(phase, blocks)?;
    let mut theta: Vec<L::Scalar> = at.state.iter().map(|&x| L::Scalar::from_f64(x)).collect();
    let mut progress = descent.begin(blocks, &theta);
    if let Some(memory) = at.under_way.take() {
        memory.restore(|memory| progress.remember(&mut rule, memory))?;
    }
    let end = descent.segment(landscape, &mut rule, &mut theta, &mut progress, left, recorder)?;
    for (state, theta) in at.state.iter_mut().zip(&theta) {
        *state = theta.to_f64();
    }
    if end.is_some() {
        return Ok(end);
    }
    (at.time, at.step) = (progress.time, descent.first_step + progress.taken);
    at.under_way = Some(Memory::of(|memory| progress.remember(&mut rule, memory)));
    Ok(None)
}

/// Flow time goes on from the time of the phase before, also where that one counted its steps.
fn descent(
    phase: &Phase,
    steps: &Steps,
    blocks: &Blocks,
    seed: u64,
    (from, first_step): (f64, u64),
) -> Result<Descent, RuleError> {
    let factors = phase.factors(blocks)?;
    let still = blocks.iter().zip(&factors).filter(|(_, factor)| **factor == 0.0);
    Ok(Descent {
        steps: steps.steps,
        seed,
        first_step,
        from,
        still: still.map(|(block, _)| block.range()).collect(),
        events: phase.events.clone(),
    })
}

pub(super) fn end_of_flow(end: FlowEnd, earlier: u64) -> PhaseEnd {
    PhaseEnd {
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

#[cfg(test)]
#[path = "segment_tests.rs"]
mod tests;
