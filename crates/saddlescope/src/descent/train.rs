//! The loop that a rule descends in: draw, gradient, step, clock, record.

use super::{Clock, Rule};
use crate::dynamics::PhaseEnd;
use crate::early_stop::{EarlyStop, EarlyStopWatch};
use crate::numeric::vector;
use crate::prelude::*;

/// A number of steps on a landscape, with what to watch for.
///
/// At step `k` the landscape sees [`Draw`] `(seed, first_step + k)`, which gives online ones a fresh batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Descent {
    pub steps: u64,
    pub seed: u64,
    /// Steps that earlier phases have taken.
    pub first_step: u64,
    /// Time at which the first step starts.
    pub from: f64,
    /// Parameters that do not move, as ranges: their gradient is not counted, as under flow.
    pub still: Vec<Range<usize>>,
    /// What to watch for. An event is noted at the first step where its condition holds.
    pub events: Vec<Event>,
    pub early_stop: Option<EarlyStop>,
}

/// Why descent has no end: the parameters left for infinity.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "training blew up at step {step} (time {time}): {fault}; largest parameter {name} = {value:e}; \
     a smaller rate may help"
)]
pub struct DescentError {
    pub step: u64,
    pub time: f64,
    pub fault: Fault,
    pub name: String,
    pub value: f64,
}

impl Descent {
    /// `steps` steps from time 0, without events.
    pub fn new(steps: u64) -> Self {
        let (still, events) = (Vec::new(), Vec::new());
        Self { steps, seed: 0, first_step: 0, from: 0.0, still, events, early_stop: None }
    }

    /// Descends from `theta`, all parameters of the landscape, which is left at the end, showing the way to `recorder`.
    pub fn run<L: Landscape>(
        &self,
        landscape: &L,
        rule: &mut Rule<L::Scalar>,
        theta: &mut [L::Scalar],
        recorder: &mut dyn Recorder,
    ) -> Result<PhaseEnd, DescentError> {
        let mut progress = self.begin(landscape.blocks(), theta);
        let end = self.segment(landscape, rule, theta, &mut progress, u64::MAX, recorder)?;
        Ok(end.unwrap_or_else(|| unreachable!("no descent takes so many steps")))
    }

    /// A descent before its first step, from `theta` with parameters in `blocks`.
    pub(crate) fn begin<S: Scalar>(&self, blocks: &Blocks, theta: &[S]) -> Progress<'_> {
        Progress {
            taken: 0,
            time: self.from,
            before: None,
            clock: Clock::new(blocks),
            watch: Watch::new(self, theta),
        }
    }

    /// Takes at most `steps` steps; the end, or `None` where more steps are to come. Descent in segments
    /// has the bits of descent in one piece: a segment ends between a step and the look at where it led.
    pub(crate) fn segment<L: Landscape>(
        &self,
        landscape: &L,
        rule: &mut Rule<L::Scalar>,
        theta: &mut [L::Scalar],
        progress: &mut Progress<'_>,
        steps: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<Option<PhaseEnd>, DescentError> {
        let blocks = landscape.blocks();
        assert_eq!(theta.len(), blocks.len(), "the start has the length of the parameters");
        let Progress { taken, time, before, clock, watch } = progress;
        let mut work = landscape.work();
        let mut gradient = vec![L::Scalar::ZERO; theta.len()];
        let mut wanted = Vec::new();
        let mut control = Control::Continue;
        let pause = taken.saturating_add(steps);
        while *taken < pause || *taken >= self.steps {
            let index = self.first_step + *taken;
            let draw = Draw { seed: self.seed, step: index };
            let loss = landscape
                .evaluate(theta, draw, &mut work, &mut gradient)
                .and_then(|loss| Fault::ensure_finite(loss, "the loss"))
                .map_err(|fault| {
                    let (name, value) = blocks.largest(theta);
                    DescentError { step: index, time: *time, fault, name, value }
                })?;
            let now = Glimpse { time: *time, loss };
            wanted.clear();
            if let Some(before) = *before {
                control = recorder.plan(before, now, &mut wanted);
            }
            let ended_by = watch.look(now, theta, &gradient);
            let stalled = watch.stalls((now, index), *taken, theta, &gradient);
            let stopped = control == Control::Stop;
            let last = *taken >= self.steps || ended_by.is_some() || stalled || stopped;
            if before.is_none() || last || !wanted.is_empty() {
                recorder.record(&watch.moment(now, index, theta, &gradient));
            }
            if last {
                let ended = match ended_by {
                    Some(event) => Termination::ByEvent(event),
                    None if stalled => Termination::Early,
                    None if stopped => Termination::ByRecorder,
                    None => Termination::AtTime,
                };
                return Ok(Some(PhaseEnd {
                    time: *time,
                    on_clock: clock.time.is_some(),
                    step: index,
                    loss,
                    ended,
                    crossings: watch.crossings.clone(),
                    work: None,
                    stiff_from: None,
                    best: watch.early.take().and_then(EarlyStopWatch::into_best),
                }));
            }
            rule.advance(loss, theta, &mut gradient);
            *taken += 1;
            let flow_time = clock.tick(rule);
            *time = self.from + flow_time.unwrap_or(*taken as f64);
            *before = Some(now);
        }
        Ok(None)
    }
}

/// Where a descent stands between two of its steps, parameters and rule apart.
pub(crate) struct Progress<'a> {
    pub(crate) taken: u64,
    /// Time at which the next step starts.
    pub(crate) time: f64,
    /// Where the last step started.
    before: Option<Glimpse>,
    clock: Clock,
    watch: Watch<'a>,
}

impl Progress<'_> {
    /// Remembers what later steps by `rule` depend on.
    pub(crate) fn remember<S: Scalar>(
        &mut self,
        rule: &mut Rule<S>,
        memory: &mut Memory,
    ) -> Result<(), MemoryError> {
        memory.counts("taken", [&mut self.taken])?;
        let Glimpse { mut time, mut loss } = self.before.unwrap_or(Glimpse::NONE);
        memory.numbers("descent", [&mut self.time, &mut time, &mut loss])?;
        self.before = Glimpse { time, loss }.known();
        self.clock.remember(memory)?;
        self.watch.remember(memory)?;
        EarlyStopWatch::remember(&mut self.watch.early, memory)?;
        memory.within("rule", |memory| rule.remember(memory))
    }
}

/// Events and the view of the parameters in double precision that observables see.
struct Watch<'a> {
    events: &'a [Event],
    sides: Vec<f64>,
    crossings: Vec<Option<Crossing>>,
    needs_gradient: bool,
    needs_state: bool,
    still: &'a [Range<usize>],
    state: Vec<f64>,
    gradient: Vec<f64>,
    early: Option<EarlyStopWatch<'a>>,
}

impl<'a> Watch<'a> {
    fn new<S: Scalar>(descent: &'a Descent, theta: &[S]) -> Self {
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
            early: descent.early_stop.as_ref().map(EarlyStopWatch::new),
        }
    }

    /// Remembers what later steps depend on.
    fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
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
    fn look<S: Scalar>(&mut self, now: Glimpse, theta: &[S], gradient: &[S]) -> Option<usize> {
        if self.crossings.iter().all(Option::is_some) {
            return None;
        }
        if self.needs_gradient || self.needs_state {
            self.convert(theta, gradient);
        }
        let norm = if self.needs_gradient { vector::norm(&self.gradient) } else { f64::NAN };
        let mut ended = None;
        for (index, event) in self.events.iter().enumerate() {
            let side = self.sides[index];
            let margin = || event.condition.margin(now.loss, &self.state, norm, side);
            if self.crossings[index].is_none() && margin() <= 0.0 {
                self.crossings[index] = Some(Crossing { time: now.time, loss: now.loss });
                if event.stops {
                    ended.get_or_insert(index);
                }
            }
        }
        ended
    }

    /// Whether the early stop ends the descent here, after so many of its steps, if it is read there.
    fn stalls<S: Scalar>(
        &mut self,
        (now, step): (Glimpse, u64),
        taken: u64,
        theta: &[S],
        gradient: &[S],
    ) -> bool {
        let Some(mut early) = self.early.take_if(|early| early.is_due(taken)) else { return false };
        let stalls = early.read(&self.moment(now, step, theta, gradient));
        self.early = Some(early);
        stalls
    }

    fn moment<S: Scalar>(
        &mut self,
        Glimpse { time, loss }: Glimpse,
        step: u64,
        theta: &[S],
        gradient: &[S],
    ) -> Moment<'_> {
        self.convert(theta, gradient);
        Moment { time, step, loss, state: &self.state, gradient: &self.gradient }
    }
}

#[cfg(test)]
#[path = "train_tests.rs"]
mod tests;
