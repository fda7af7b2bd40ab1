//! What a descent watches for, and what it shows.

use std::ops::Range;

use super::Descent;
use crate::Scalar;
use crate::event::{Action, Crossing, Event};
use crate::memory::{Memory, MemoryError};
use crate::record::{Glimpse, Moment, Recorder};

/// Events and the view of the parameters in double precision that observables see.
pub(super) struct Watch<'a> {
    events: &'a [Event],
    sides: Vec<f64>,
    pub(super) crossings: Vec<Option<Crossing>>,
    needs_gradient: bool,
    needs_state: bool,
    still: &'a [Range<usize>],
    state: Vec<f64>,
    gradient: Vec<f64>,
}

impl<'a> Watch<'a> {
    pub(super) fn new<S: Scalar>(descent: &'a Descent, theta: &[S]) -> Self {
        let events = &descent.events;
        let state: Vec<f64> = theta.iter().map(|x| x.to_f64()).collect();
        Self {
            sides: events.iter().map(|event| event.condition.side(&state)).collect(),
            crossings: vec![None; events.len()],
            needs_gradient: events.iter().any(|event| event.condition.needs_gradient()),
            needs_state: events.iter().any(|event| !event.condition.needs_rate()),
            still: &descent.still,
            gradient: vec![0.0; state.len()],
            state,
            events,
        }
    }

    /// Remembers what later steps depend on.
    pub(super) fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        memory.list("sides", &mut self.sides)?;
        Crossing::remember(&mut self.crossings, false, memory)
    }

    fn convert<S: Scalar>(&mut self, theta: &[S], gradient: &[S]) {
        for (to, from) in self.state.iter_mut().zip(theta) {
            *to = from.to_f64();
        }
        for (to, from) in self.gradient.iter_mut().zip(gradient) {
            *to = from.to_f64();
        }
        for range in self.still {
            self.gradient[range.clone()].fill(0.0);
        }
    }

    /// Notes what happens here for the first time; returns the event that ends the run, if any.
    pub(super) fn look<S: Scalar>(
        &mut self,
        now: Glimpse,
        theta: &[S],
        gradient: &[S],
    ) -> Option<usize> {
        if self.crossings.iter().all(Option::is_some) {
            return None;
        }
        if self.needs_gradient || self.needs_state {
            self.convert(theta, gradient);
        }
        let norm = if self.needs_gradient {
            self.gradient.iter().map(|x| x * x).sum::<f64>().sqrt()
        } else {
            f64::NAN
        };
        let mut ended = None;
        for (index, event) in self.events.iter().enumerate() {
            let side = self.sides[index];
            let margin = || event.condition.margin(now.loss, &self.state, norm, side);
            if self.crossings[index].is_none() && margin() <= 0.0 {
                self.crossings[index] = Some(Crossing { time: now.time, loss: now.loss });
                if event.action == Action::Stop {
                    ended.get_or_insert(index);
                }
            }
        }
        ended
    }

    pub(super) fn show<S: Scalar>(
        &mut self,
        recorder: &mut dyn Recorder,
        now: Glimpse,
        step: u64,
        theta: &[S],
        gradient: &[S],
    ) {
        self.convert(theta, gradient);
        let Glimpse { time, loss } = now;
        let (state, gradient) = (&*self.state, &*self.gradient);
        recorder.record(&Moment { time, step, loss, state, gradient });
    }
}
