//! The loop around a method: events, recording, and the switch to the stiff method.

use super::stepper::{self, Point, Problem, Solver};
use super::{FlowEnd, Method, Result};
use crate::early_stop::EarlyStopWatch;
use crate::numeric::root::{bracketed_root, dip};
use crate::numeric::vector;
use crate::prelude::*;

/// Larger states have Jacobians that are slow to factor; [`Method::Auto`] stays explicit there.
const LARGEST_STIFF: usize = 2048;

/// No flow that still goes anywhere takes that long.
const ENDLESS: f64 = 1e290;

pub(super) struct Driver<'f> {
    flow: &'f Flow,
    problem: Problem<'f>,
    solver: Solver,
    /// Whether the start has been shown.
    begun: bool,
    /// The instant under the lens: inside the last step, or at its end.
    lens: Point,
    gradient: Vec<f64>,
    /// Scratch for the gradient and its change along the flow.
    turn: [Vec<f64>; 2],
    watch: Watch,
    early: Option<EarlyStopWatch<'f>>,
}

/// What a flow watches for, and what it has met.
struct Watch {
    stiff_from: Option<f64>,
    /// For each event its side at the start, and the change of its margin (its sign counts) at the end of the last step.
    sides: Vec<[f64; 2]>,
    crossings: Vec<Option<Crossing>>,
}

impl Watch {
    fn remember(&mut self, work: &mut Work, memory: &mut Memory) -> Result<(), MemoryError> {
        memory.counts("work", work.counts())?;
        memory.optional("stiff_from", &mut self.stiff_from)?;
        memory.list("watches", self.sides.as_flattened_mut())?;
        Crossing::remember(&mut self.crossings, false, memory)
    }
}

impl<'f> Driver<'f> {
    /// The flow at time `from` and `start`: before its first step, or where a flow with the same settings wrote `memory`.
    pub(super) fn new(
        flow: &'f Flow,
        mut problem: Problem<'f>,
        from: f64,
        start: &[f64],
        mut memory: Option<&mut Memory>,
    ) -> Result<Self> {
        let sides = flow.events.iter().map(|event| [event.condition.side(start), 0.0]).collect();
        let crossings = vec![None; flow.events.len()];
        let mut watch = Watch { stiff_from: None, sides, crossings };
        let mut early = flow.early_stop.as_ref().map(EarlyStopWatch::new);
        if let Some(memory) = &mut memory {
            watch.remember(&mut problem.work, memory)?;
            EarlyStopWatch::remember(&mut early, memory)?;
        }
        let lens = point(&mut problem, from, start)?;
        let begun = memory.is_some();
        let solver = match memory {
            None => stepper::begin(flow.method, &mut problem, lens.clone(), flow.until)?,
            Some(memory) => {
                let method = if watch.stiff_from.is_some() { Method::Radau } else { flow.method };
                let mut solver = stepper::with_step(method, &problem, lens.clone(), 0.0);
                memory.within("solver", |memory| solver.remember(memory))?;
                solver
            }
        };
        let [gradient, bend, here] = [(); 3].map(|()| vec![0.0; start.len()]);
        let turn = [bend, here];
        Ok(Self { flow, problem, solver, begun, lens, gradient, turn, watch, early })
    }

    /// Remembers what the flow needs to go on from the end of its last step.
    pub(super) fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        self.watch.remember(&mut self.problem.work, memory)?;
        EarlyStopWatch::remember(&mut self.early, memory)?;
        memory.within("solver", |memory| self.solver.remember(memory))
    }

    /// The end of the last step: its time and state.
    pub(super) fn end(&self) -> (f64, &[f64]) {
        let Point { time, ref state, .. } = *self.solver.end();
        (time, state)
    }

    pub(super) fn steps(&self) -> u64 {
        self.problem.work.steps
    }

    /// Takes at most `steps` steps; why the flow ended, or `None` where it has not.
    pub(super) fn advance(
        &mut self,
        steps: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<Option<Termination>> {
        if !self.begun {
            self.begun = true;
            self.show(recorder);
            let stalled = self.stalls()?;
            let ended = self.happen_at_start().or(stalled);
            if ended.is_some() {
                return Ok(ended);
            }
        }
        let pause = self.steps().saturating_add(steps);
        let mut wanted = Vec::new();
        let mut met = Vec::new();
        while self.solver.end().time < self.flow.until {
            if self.steps() >= pause {
                return Ok(None);
            }
            let from = self.glimpse();
            self.step()?;
            let to = self.glimpse();
            self.ensure_moving()?;
            self.meet_events(from.time, &mut met)?;
            let stops = |&(_, index): &(f64, usize)| self.flow.events[index].stops;
            let stop = met.iter().copied().find(stops);

            wanted.clear();
            let control = recorder.plan(from, to, &mut wanted);
            for &time in wanted.iter().filter(|&&time| stop.is_none_or(|stop| time < stop.0)) {
                self.look(time)?;
                self.show(recorder);
            }
            if let Some((time, index)) = stop {
                self.look(time)?;
                self.show(recorder);
                // Crossings that lie in this step, but after its end by an event, did not happen.
                for crossing in &mut self.watch.crossings {
                    *crossing = crossing.filter(|crossing| crossing.time <= time);
                }
                return Ok(Some(Termination::ByEvent(index)));
            }
            let stopped = (control == Control::Stop).then_some(Termination::ByRecorder);
            if let Some(ended) = self.stalls()?.or(stopped) {
                self.look(to.time)?;
                self.show(recorder);
                return Ok(Some(ended));
            }
        }
        self.look(self.flow.until)?;
        self.show(recorder);
        Ok(Some(Termination::AtTime))
    }

    fn step(&mut self) -> Result<()> {
        let limit = self.flow.until;
        let fits = self.lens.state.len() <= LARGEST_STIFF;
        if self.flow.method == Method::Auto && fits && self.solver.is_stiff() {
            let end = self.solver.end().clone();
            self.watch.stiff_from = Some(end.time);
            self.solver = stepper::begin(Method::Radau, &mut self.problem, end, limit)?;
        }
        stepper::step(&mut *self.solver, &mut self.problem, limit)
    }

    /// A flow without an end time that has come this far stands still.
    fn ensure_moving(&self) -> Result<()> {
        let Point { time, ref rate, loss, .. } = *self.solver.end();
        if self.flow.until.is_finite() || time < ENDLESS {
            return Ok(());
        }
        let rate = rate.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        Err(FlowError::AtRest { loss, rate })
    }

    fn glimpse(&self) -> Glimpse {
        let Point { time, loss, .. } = *self.solver.end();
        Glimpse { time, loss }
    }

    /// Puts the state at `time`, in the last step, under the lens, without its rate.
    fn look_at_state(&mut self, time: f64) -> Result<()> {
        self.lens.time = time;
        if time == self.solver.end().time {
            self.lens.state.copy_from_slice(&self.solver.end().state);
            return Ok(());
        }
        let state = &mut self.lens.state;
        self.solver.inside(&mut self.problem, time, state)
    }

    /// Puts the instant `time`, in the last step, under the lens.
    fn look(&mut self, time: f64) -> Result<()> {
        self.look_at_state(time)?;
        let end = self.solver.end();
        if time == end.time {
            self.lens.rate.copy_from_slice(&end.rate);
            self.lens.loss = end.loss;
            return Ok(());
        }
        let Point { state, rate, .. } = &mut self.lens;
        let fault = |fault| FlowError::Fault { time, fault };
        self.lens.loss = self.problem.rate(time, state, rate).map_err(fault)?;
        Ok(())
    }

    fn show(&mut self, recorder: &mut dyn Recorder) {
        recorder.record(&self.moment());
    }

    /// What is under the lens.
    fn moment(&mut self) -> Moment<'_> {
        let Point { time, ref state, ref rate, loss } = self.lens;
        self.problem.field.gradient(rate, &mut self.gradient);
        let step = self.flow.first_step + self.problem.work.steps;
        Moment { time, step, loss, state, gradient: &self.gradient }
    }

    /// Whether the early stop ends the flow at the end of the last step, if it is read there.
    fn stalls(&mut self) -> Result<Option<Termination>> {
        let steps = self.problem.work.steps;
        let Some(mut early) = self.early.take_if(|early| early.is_due(steps)) else {
            return Ok(None);
        };
        self.look(self.solver.end().time)?;
        let stalls = early.read(&self.moment());
        self.early = Some(early);
        Ok(stalls.then_some(Termination::Early))
    }

    /// The margin of event `index`, for what is under the lens or at the end of the last step.
    fn margin(&mut self, index: usize, at_end: bool) -> f64 {
        let point = if at_end { self.solver.end() } else { &self.lens };
        let condition = &self.flow.events[index].condition;
        let mut norm = f64::NAN;
        if condition.needs_gradient() {
            self.problem.field.gradient(&point.rate, &mut self.gradient);
            norm = vector::norm(&self.gradient);
        }
        condition.margin(point.loss, &point.state, norm, self.watch.sides[index][0])
    }

    /// Notes the events whose conditions hold at the start.
    fn happen_at_start(&mut self) -> Option<Termination> {
        let mut ended = None;
        for (index, event) in self.flow.events.iter().enumerate() {
            if let Condition::ParameterCrosses { index: parameter, .. } = event.condition {
                let [side, slope] = &mut self.watch.sides[index];
                *slope = *side * self.lens.rate[parameter];
            }
            if self.margin(index, false) <= 0.0 {
                let Point { time, loss, .. } = self.lens;
                self.watch.crossings[index] = Some(Crossing { time, loss });
                if event.stops {
                    ended.get_or_insert(Termination::ByEvent(index));
                }
            }
        }
        ended
    }

    /// Finds the events that first happen in the last step, in the order of their times.
    ///
    /// A margin that is positive at both ends of a step is followed inside where it falls at the
    /// first and rises at the second: what crosses and turns back within a step is found, too.
    fn meet_events(&mut self, from: f64, met: &mut Vec<(f64, usize)>) -> Result<()> {
        met.clear();
        for index in 0..self.flow.events.len() {
            if self.watch.crossings[index].is_some() {
                continue;
            }
            let (to, after) = (self.solver.end().time, self.margin(index, true));
            let mut beyond = (after <= 0.0).then_some((to, after));
            if beyond.is_none() {
                let slope = self.slope(index)?;
                let before = std::mem::replace(&mut self.watch.sides[index][1], slope);
                if before < 0.0 && slope > 0.0 {
                    beyond = dip(from, to, |time| self.margin_at(index, time))?;
                }
            }
            let Some((to, after)) = beyond else { continue };
            let time = bracketed_root(from, to, after, |time| self.margin_at(index, time))?;
            self.look(time)?;
            self.watch.crossings[index] = Some(Crossing { time, loss: self.lens.loss });
            met.push((time, index));
        }
        met.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(())
    }

    /// The margin of event `index` at a time inside the last step.
    fn margin_at(&mut self, index: usize, time: f64) -> Result<f64> {
        if self.flow.events[index].condition.needs_rate() {
            self.look(time)?;
        } else {
            self.look_at_state(time)?;
        }
        Ok(self.margin(index, false))
    }

    /// How the margin of event `index` changes at the end of the last step; 0 where that is not
    /// known, or where the margin cannot turn back.
    fn slope(&mut self, index: usize) -> Result<f64> {
        let end = self.solver.end();
        match self.flow.events[index].condition {
            Condition::ParameterCrosses { index: parameter, .. } => {
                Ok(self.watch.sides[index][0] * end.rate[parameter])
            }
            Condition::GradientBelow(_) => {
                let Point { time, state, rate, .. } = end;
                let ([bend, here], field) = (&mut self.turn, &mut self.problem.field);
                let fault = |fault| FlowError::Fault { time: *time, fault };
                // The rate changes along the flow as `J rate`.
                if !field.jacobian_product(*time, state, rate, bend).map_err(fault)? {
                    return Ok(0.0);
                }
                // d|g|^2/dt = 2 g . dg/dt, and g is linear in the rate.
                field.gradient(rate, here);
                field.gradient(bend, &mut self.gradient);
                Ok(vector::dot(here, &self.gradient))
            }
            Condition::LossBelow(_) | Condition::Converged { .. } => Ok(0.0),
        }
    }

    /// The end of the flow, at what is under the lens.
    pub(super) fn finish(self, ended: Termination) -> FlowEnd {
        FlowEnd {
            time: self.lens.time,
            state: self.lens.state,
            loss: self.lens.loss,
            ended,
            crossings: self.watch.crossings,
            work: self.problem.work,
            stiff_from: self.watch.stiff_from,
            best: self.early.and_then(EarlyStopWatch::into_best),
        }
    }
}

/// The point at which a flow starts, or starts again.
fn point(problem: &mut Problem<'_>, time: f64, start: &[f64]) -> Result<Point> {
    let n = problem.field.blocks().len();
    assert_eq!(start.len(), n, "the start has the length of the state");
    let mut rate = vec![0.0; n];
    let loss =
        problem.rate(time, start, &mut rate).map_err(|fault| FlowError::Fault { time, fault })?;
    Ok(Point { time, state: start.to_vec(), rate, loss })
}
