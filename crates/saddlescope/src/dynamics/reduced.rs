//! A reduced theory as a motion of the whole model: its own flow, lifted.

use super::segment::{end_of_flow, placed};
use super::{Checkpoint, Phase, PhaseEnd, PhaseError};
use crate::event::Condition;
use crate::flow::{Flow, FlowError, FlowSegment};
use crate::memory::MemoryError;
use crate::record::{Control, Glimpse, Moment, Recorder};
use crate::theory::AnyTheory;
use crate::{Draw, Fault, Landscape, Scalar};

/// Takes at most `left` steps of a theory's flow, from where it sees the parameters.
pub(super) fn reduced_segment<L: Landscape>(
    landscape: &L,
    (phase, theory, flow): (&Phase, &AnyTheory<'_>, &Flow),
    at: &mut Checkpoint,
    left: u64,
    seed: u64,
    recorder: &mut dyn Recorder,
) -> Result<Option<PhaseEnd>, PhaseError> {
    let first_step = at.phase_began().1;
    let flow = placed(phase, flow, at);
    ensure_reducible(phase, &flow)?;
    let mut memory = at.under_way.take();
    let mut state = theory.project(&at.state);
    if let Some(memory) = &mut memory {
        memory.take("theory", &mut state)?;
    }
    let mut lifted = LiftingRecorder {
        landscape,
        theory,
        seed,
        work: landscape.work(),
        gradient: vec![0.0; at.state.len()],
        fault: None,
        recorder,
    };
    let end = flow.segment(theory, at.time, &state, memory, left, &mut lifted)?;
    if let Some((time, fault)) = lifted.fault {
        return Err(FlowError::Fault { time, fault }.into());
    }
    match end {
        FlowSegment::Ended(end) => {
            at.state = whole(theory, &end.state, at.state.len())?;
            Ok(Some(end_of_flow(end, first_step)))
        }
        FlowSegment::Paused { time, mut state, steps, mut memory } => {
            at.state = whole(theory, &state, at.state.len())?;
            (at.time, at.step) = (time, first_step + steps);
            memory.list("theory", &mut state)?;
            at.under_way = Some(memory);
            Ok(None)
        }
    }
}

/// Blocks, parameters and gradients belong to the whole model; a theory has variables of its own.
fn ensure_reducible(phase: &Phase, flow: &Flow) -> Result<(), PhaseError> {
    let watches = |fits: fn(&Condition) -> bool| flow.events.iter().any(|e| fits(&e.condition));
    let what = if !phase.freeze.is_empty() {
        "blocks to freeze"
    } else if !phase.rates.is_empty() {
        "blocks with rates"
    } else if watches(|condition| matches!(condition, Condition::ParameterCrosses { .. })) {
        "parameters to watch"
    } else if watches(|condition| matches!(condition, Condition::GradientBelow(_))) {
        "gradient to watch"
    } else {
        return Ok(());
    };
    Err(PhaseError::OnlyWhole { what })
}

/// The parameters that a state of the theory stands for.
fn whole(theory: &AnyTheory<'_>, state: &[f64], expected: usize) -> Result<Vec<f64>, MemoryError> {
    let lifted = theory.lift(state);
    if lifted.len() == expected {
        return Ok(lifted);
    }
    Err(MemoryError::length("parameters of the theory", lifted.len(), expected))
}

/// A recorder of the whole model that is shown a theory: it sees the parameters that the theory lifts
/// its state to, the theory's own loss, and the landscape's gradient there.
struct LiftingRecorder<'a, L: Landscape> {
    landscape: &'a L,
    theory: &'a AnyTheory<'a>,
    seed: u64,
    work: L::Work,
    gradient: Vec<f64>,
    /// When and why the landscape had no gradient, if that happened.
    fault: Option<(f64, Fault)>,
    recorder: &'a mut dyn Recorder,
}

impl<L: Landscape> Recorder for LiftingRecorder<'_, L> {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        let control = self.recorder.plan(from, to, times);
        if self.fault.is_some() { Control::Stop } else { control }
    }

    fn record(&mut self, moment: &Moment<'_>) {
        let state = self.theory.lift(moment.state);
        let theta: Vec<L::Scalar> = state.iter().map(|&x| L::Scalar::from_f64(x)).collect();
        let mut gradient = vec![L::Scalar::ZERO; theta.len()];
        let draw = Draw { seed: self.seed, step: moment.step };
        match self.landscape.evaluate(&theta, draw, &mut self.work, &mut gradient) {
            Ok(_) => {
                for (to, from) in self.gradient.iter_mut().zip(&gradient) {
                    *to = from.to_f64();
                }
                self.recorder.record(&Moment {
                    state: &state,
                    gradient: &self.gradient,
                    ..*moment
                });
            }
            Err(fault) => {
                self.fault.get_or_insert((moment.time, fault));
            }
        }
    }
}

#[cfg(test)]
#[path = "reduced_tests.rs"]
mod tests;
