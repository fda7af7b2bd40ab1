//! A reduced theory as a motion of the whole model: its own flow, lifted.

use super::segment::{PhaseProgress, flow_on};
use super::{Checkpoint, Phase};
use crate::prelude::*;
use crate::theory::AnyTheory;

/// Takes at most `left` steps of a theory's flow, from where it sees the parameters.
pub(super) fn reduced_segment<L: Landscape>(
    landscape: &L,
    (phase, theory, flow): (&Phase, &AnyTheory<'_>, &Flow),
    at: &mut Checkpoint,
    left: u64,
    seed: u64,
    recorder: &mut dyn Recorder,
) -> PhaseProgress {
    ensure_reducible(phase, flow)?;
    let (mut state, mut memory) = (theory.project(&at.state), at.under_way.take());
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
    let (mut state, end) = flow_on(theory, (phase, flow), at, (&state, memory), left, &mut lifted)?;
    if let Some((time, fault)) = lifted.fault {
        return Err(FlowError::Fault { time, fault }.into());
    }
    let (whole, expected) = (theory.lift(&state), at.state.len());
    if whole.len() != expected {
        return Err(MemoryError::length("parameters of the theory", whole.len(), expected).into());
    }
    at.state = whole;
    if let Some(memory) = &mut at.under_way {
        memory.list("theory", &mut state)?;
    }
    Ok(end)
}

/// Blocks, parameters and gradients belong to the whole model; a theory has variables of its own.
fn ensure_reducible(phase: &Phase, flow: &Flow) -> Result<(), PhaseError> {
    let events = || flow.events.iter().chain(&phase.events);
    let watches = |fits: fn(&Condition) -> bool| events().any(|event| fits(&event.condition));
    let what = if !phase.freeze.is_empty() {
        "blocks to freeze"
    } else if !phase.rates.is_empty() {
        "blocks with rates"
    } else if phase.early_stop.is_some() {
        "observables to stop on"
    } else if watches(|condition| matches!(condition, Condition::ParameterCrosses { .. })) {
        "parameters to watch"
    } else if watches(|condition| matches!(condition, Condition::GradientBelow(_))) {
        "gradient to watch"
    } else {
        return Ok(());
    };
    Err(PhaseError::OnlyWhole { what })
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
