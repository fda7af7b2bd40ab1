//! The loop over phases, segment by segment.

use super::reduced::reduced_segment;
use super::{Checkpoint, Motion, Outcome, Phase, PhaseEnd, Steps};
use crate::GradientFlow;
use crate::descent::Descent;
use crate::flow::FlowSegment;
use crate::prelude::*;
use crate::theory::Theories;

#[derive(Debug, Clone, PartialEq)]
pub enum SegmentEnd {
    Ended(Outcome),
    /// The steps of the segment are over; the next segment goes on from here.
    Paused(Checkpoint),
}

/// What a run goes through.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    pub phases: &'a [Phase],
    pub theories: &'a Theories<'a>,
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

/// Runs one phase after the other, each from where the last one ended and those that are flows by `flow`, until `steps`
/// steps are taken.
fn segment<L: Landscape>(
    landscape: &L,
    course: Course<'_>,
    mut at: Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
    flow: impl Fn((&Phase, &Flow), &mut Checkpoint, u64, &mut dyn Recorder) -> PhaseProgress,
) -> Result<SegmentEnd, PhaseError> {
    ensure_same_run(&at, landscape.blocks(), course.phases)?;
    let pause = at.step.saturating_add(steps.max(1));
    while let Some(phase) = course.phases.get(at.finished.len()) {
        if at.step >= pause {
            return Ok(SegmentEnd::Paused(at));
        }
        let (left, seed) = (pause - at.step, course.seed);
        let end = match &phase.motion {
            Motion::Flow(settings) => flow((phase, settings), &mut at, left, recorder),
            Motion::Descent(rule) => {
                descent_segment(landscape, (phase, rule), &mut at, left, seed, recorder)
            }
            Motion::Reduced { theory, flow } => {
                let (_, theory) = course.theories.find(Some(theory))?;
                reduced_segment(landscape, (phase, theory, flow), &mut at, left, seed, recorder)
            }
        };
        let Some(end) = end? else { return Ok(SegmentEnd::Paused(at)) };
        let stopped = end.ended == Termination::ByRecorder;
        (at.time, at.step, at.under_way) = (end.time, end.step, None);
        at.finished.push(end);
        if stopped {
            break;
        }
    }
    Ok(SegmentEnd::Ended(Outcome { phases: at.finished, state: at.state }))
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

fn flow_segment<L: Landscape<Scalar = f64>>(
    landscape: &L,
    (phase, flow): (&Phase, &Flow),
    at: &mut Checkpoint,
    steps: u64,
    recorder: &mut dyn Recorder,
) -> PhaseProgress {
    let factors = phase.factors(landscape.blocks())?;
    let field = GradientFlow::new(landscape).with_factors(&factors);
    let (start, memory) = (at.state.clone(), at.under_way.take());
    let (state, end) = flow_on(&field, (phase, flow), at, (&start, memory), steps, recorder)?;
    at.state = state;
    Ok(end)
}

/// Takes at most `steps` steps of a flow from `start`; returns its state, and the end of the phase where it has come to it.
pub(super) fn flow_on<F: VectorField + ?Sized>(
    field: &F,
    (phase, flow): (&Phase, &Flow),
    at: &mut Checkpoint,
    (start, memory): (&[f64], Option<Memory>),
    steps: u64,
    recorder: &mut dyn Recorder,
) -> Result<(Vec<f64>, Option<PhaseEnd>), FlowError> {
    let (from, first_step) = at.phase_began();
    // On the clock of the run, with what its phase watches for.
    let events = [&*flow.events, &*phase.events].concat();
    let early_stop = phase.early_stop.clone().or_else(|| flow.early_stop.clone());
    let flow = Flow { events, early_stop, until: from + flow.until, first_step, ..*flow };
    match flow.segment(field, at.time, start, memory, steps, recorder)? {
        FlowSegment::Ended(end) => {
            let phase_end = PhaseEnd {
                time: end.time,
                on_clock: true,
                step: first_step + end.work.steps,
                loss: end.loss,
                ended: end.ended,
                crossings: end.crossings,
                work: Some(end.work),
                stiff_from: end.stiff_from,
                best: end.best,
            };
            Ok((end.state, Some(phase_end)))
        }
        FlowSegment::Paused { time, state, steps, memory } => {
            (at.time, at.step, at.under_way) = (time, first_step + steps, Some(memory));
            Ok((state, None))
        }
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
    let factors = phase.factors(blocks)?;
    let still = blocks.iter().zip(&factors).filter(|(_, factor)| **factor == 0.0);
    // Flow time goes on from the time of the phase before, also where that one counted its steps.
    let (from, first_step) = at.phase_began();
    let descent = Descent {
        steps: steps.steps,
        seed,
        first_step,
        from,
        still: still.map(|(block, _)| block.range()).collect(),
        events: phase.events.clone(),
        early_stop: phase.early_stop.clone(),
    };
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

#[cfg(test)]
#[path = "segment_tests.rs"]
mod tests;
