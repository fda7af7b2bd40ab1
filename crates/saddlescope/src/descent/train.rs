//! The loop that a rule descends in: draw, gradient, step, clock, record.

use std::ops::Range;

use super::{Clock, Rule, Step};
use crate::event::{Action, Crossing, Event};
use crate::record::{Control, Glimpse, Moment, Recorder};
use crate::{Blocks, Draw, Fault, Landscape, Scalar};

/// A number of steps on a landscape, with what to watch for.
///
/// A landscape at step `k` sees [`Draw`] `(seed, first_step + k)`: online landscapes draw a fresh
/// batch, exact ones ignore it.
#[derive(Debug, Clone, PartialEq)]
pub struct Descent {
    /// Steps to take.
    pub steps: u64,
    /// Seed of the batches.
    pub seed: u64,
    /// Steps that earlier stages have taken.
    pub first_step: u64,
    /// Time at which the first step starts.
    pub from: f64,
    /// Parameters that do not move, as ranges: their gradient is not counted, as under flow.
    pub still: Vec<Range<usize>>,
    /// What to watch for. An event is noted at the first step where its condition holds.
    pub events: Vec<Event>,
}

/// Where descent ended, and what it met.
#[derive(Debug, Clone, PartialEq)]
pub struct DescentEnd {
    /// Time of the end: flow time where the rule has it, else one unit per step.
    pub time: f64,
    /// Whether `time` is flow time.
    pub on_clock: bool,
    /// Steps taken, those of earlier stages included.
    pub step: u64,
    /// Loss at the end.
    pub loss: f64,
    /// Index of the event that ended it, if one did.
    pub ended_by: Option<usize>,
    /// Whether the recorder said stop.
    pub stopped: bool,
    /// First crossing of each event.
    pub crossings: Vec<Option<Crossing>>,
}

/// Why descent has no end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DescentError {
    /// The parameters left for infinity.
    #[error(
        "training blew up at step {step} (time {time}): {fault}; largest parameter {name} = \
         {value:e}; a smaller rate may help"
    )]
    BlewUp {
        /// The step at which the loss could not be evaluated.
        step: u64,
        /// Its time.
        time: f64,
        /// What the landscape said.
        fault: Fault,
        /// Name of the largest parameter.
        name: String,
        /// Its value.
        value: f64,
    },
}

impl Descent {
    /// `steps` steps from time 0, without events.
    pub fn new(steps: u64) -> Self {
        Self { steps, seed: 0, first_step: 0, from: 0.0, still: Vec::new(), events: Vec::new() }
    }

    /// Descends from `theta`, which is left at the end, showing the way to `recorder`.
    ///
    /// # Panics
    /// When `theta` has not the length of the landscape's parameters.
    pub fn run<L: Landscape, R: Rule<L::Scalar> + ?Sized>(
        &self,
        landscape: &L,
        rule: &mut R,
        theta: &mut [L::Scalar],
        recorder: &mut dyn Recorder,
    ) -> Result<DescentEnd, DescentError> {
        let blocks = landscape.blocks();
        assert_eq!(theta.len(), blocks.len(), "the start has the length of the parameters");
        let mut work = landscape.work();
        let mut gradient = vec![L::Scalar::ZERO; theta.len()];
        let mut step = Step::new(blocks);
        let mut clock = Clock::new(blocks);
        let mut watch = Watch::new(self, theta);
        let mut wanted = Vec::new();
        let mut control = Control::Continue;
        let mut before: Option<Glimpse> = None;
        let mut time = self.from;
        let mut taken = 0;
        loop {
            let index = self.first_step + taken;
            let draw = Draw { seed: self.seed, step: index };
            let loss = landscape
                .evaluate(theta, draw, &mut work, &mut gradient)
                .and_then(|loss| Fault::unless_finite(loss, "the loss"))
                .map_err(|fault| blew_up(blocks, theta, index, time, fault))?;
            let now = Glimpse { time, loss };
            wanted.clear();
            if let Some(before) = before {
                control = recorder.plan(before, now, &mut wanted);
            }
            let ended_by = watch.look(now, theta, &gradient);
            let stopped = control == Control::Stop;
            let last = taken == self.steps || ended_by.is_some() || stopped;
            if before.is_none() || last || !wanted.is_empty() {
                watch.show(recorder, now, index, theta, &gradient);
            }
            if last {
                return Ok(DescentEnd {
                    time,
                    on_clock: clock.time().is_some(),
                    step: index,
                    loss,
                    ended_by,
                    stopped: stopped && ended_by.is_none(),
                    crossings: watch.crossings,
                });
            }
            rule.advance(step.begin(loss), theta, &mut gradient);
            taken += 1;
            let flow_time = clock.tick(rule.time_per_step(), &step);
            time = self.from + flow_time.unwrap_or(taken as f64);
            before = Some(now);
        }
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
        }
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

    fn show<S: Scalar>(
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

fn blew_up<S: Scalar>(
    blocks: &Blocks,
    theta: &[S],
    step: u64,
    time: f64,
    fault: Fault,
) -> DescentError {
    let size = |index: &usize| {
        let value = theta[*index].to_f64().abs();
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let largest = (0..theta.len()).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0);
    let value = theta.get(largest).map_or(0.0, |x| x.to_f64());
    DescentError::BlewUp { step, time, fault, name: blocks.parameter_name(largest), value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::{Adam, Gd, Momentum};
    use crate::event::Condition;
    use crate::flow::Flow;
    use crate::record::{Observables, Recording, Sampling, Silent};
    use crate::{GradientFlow, Scalar};

    /// `(x^2 - 1)^2 + (x - y)^2 / 2`, in either precision; the flow runs at rate 1/2.
    struct Wells<S> {
        blocks: Blocks,
        precision: std::marker::PhantomData<S>,
    }

    fn wells<S: Scalar>() -> Wells<S> {
        Wells {
            blocks: Blocks::new().with("x", &[], 0.5).with("y", &[], 0.5),
            precision: std::marker::PhantomData,
        }
    }

    impl<S: Scalar> Landscape for Wells<S> {
        type Scalar = S;
        type Work = ();

        fn blocks(&self) -> &Blocks {
            &self.blocks
        }

        fn work(&self) {}

        fn evaluate(
            &self,
            theta: &[S],
            _draw: Draw,
            (): &mut (),
            gradient: &mut [S],
        ) -> Result<f64, Fault> {
            let [x, y] = [theta[0].to_f64(), theta[1].to_f64()];
            gradient[0] = S::from_f64(4.0 * x * (x * x - 1.0) + (x - y));
            gradient[1] = S::from_f64(y - x);
            Ok((x * x - 1.0).powi(2) + (x - y).powi(2) / 2.0)
        }
    }

    /// Distance between descent and flow at time 2, for a rule of this rate.
    fn distance(make: impl Fn(f64) -> Box<dyn Rule<f64>>, rate: f64, per_step: f64) -> f64 {
        let start = [0.1, -0.4];
        let landscape = wells::<f64>();
        let flow = Flow::default().tolerances(1e-12, 1e-13).until(2.0);
        let exact = flow.run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent).unwrap();
        let mut theta = start;
        let steps = (2.0 / per_step).round() as u64;
        let end =
            Descent::new(steps).run(&landscape, &mut *make(rate), &mut theta, &mut Silent).unwrap();
        assert!(end.on_clock && (end.time - 2.0).abs() < 1e-12, "{}", end.time);
        (theta[0] - exact.state[0]).hypot(theta[1] - exact.state[1])
    }

    #[test]
    fn gradient_descent_tends_to_the_flow_at_first_order() {
        // The flow runs at rate 1/2, so a step of size eta takes time 2 eta.
        let gd = |rate| Box::new(Gd::new(rate).unwrap()) as Box<dyn Rule<f64>>;
        let errors: Vec<f64> =
            [0.01, 0.005, 0.0025, 0.00125].map(|eta| distance(gd, eta, 2.0 * eta)).to_vec();
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((0.9..1.1).contains(&order), "{errors:?}");
        }
        let momentum = |rate| Box::new(Momentum::new(2, rate, 0.8).unwrap()) as Box<dyn Rule<f64>>;
        let coarse = distance(momentum, 0.0002, 0.002);
        let fine = distance(momentum, 0.0001, 0.001);
        assert!((0.85..1.15).contains(&(coarse / fine).log2()), "{coarse} {fine}");
    }

    #[test]
    fn events_are_noted_at_the_first_step_where_they_hold() {
        let mut theta = [0.1_f32, -0.4];
        let descent = Descent {
            events: vec![
                Event::note(Condition::LossBelow(0.5)),
                Event::note(Condition::ParameterCrosses { index: 1, value: 0.0 }),
                Event::stop(Condition::GradientBelow(1e-3)),
                Event::note(Condition::LossBelow(2.0)),
            ],
            ..Descent::new(100_000)
        };
        let observables = Observables::built_in(wells::<f32>().blocks()).select(&["*"]).unwrap();
        let mut recording = Recording::new(observables, Sampling::Every(1));
        let mut rule = Gd::new(0.01).unwrap();
        let end = descent.run(&wells::<f32>(), &mut rule, &mut theta, &mut recording).unwrap();
        let trajectory = recording.finish();
        let series = |name: &str| trajectory.get(name).unwrap().data().to_vec();
        let first = |holds: &dyn Fn(usize) -> bool| (0..trajectory.rows()).find(|&row| holds(row));
        let time = |row: usize| trajectory.time()[row];
        let (loss, y, norm) = (series("loss"), series("y"), series("gradient.norm"));
        let expected = [
            first(&|row| loss[row] <= 0.5).map(time),
            first(&|row| y[row] >= 0.0).map(time),
            first(&|row| norm[row] <= 1e-3).map(time),
            Some(0.0),
        ];
        assert_eq!(end.crossings.iter().map(|c| c.map(|c| c.time)).collect::<Vec<_>>(), expected);
        assert_eq!(end.ended_by, Some(2));
        assert_eq!(end.step, trajectory.rows() as u64 - 1);
        assert_eq!(*trajectory.step().last().unwrap(), end.step);
    }

    #[test]
    fn adam_counts_steps_where_there_is_no_flow_time() {
        let mut theta = [0.1, -0.4];
        let mut rule = Adam::new(2, 0.01).unwrap();
        let descent = Descent { from: 5.0, first_step: 7, ..Descent::new(30) };
        let end = descent.run(&wells::<f64>(), &mut rule, &mut theta, &mut Silent).unwrap();
        assert_eq!((end.on_clock, end.time, end.step), (false, 35.0, 37));
    }

    #[test]
    fn training_that_blows_up_says_when_and_where() {
        let mut theta = [3.0, 0.0];
        let mut rule = Gd::new(1.0).unwrap();
        let error =
            Descent::new(100).run(&wells::<f64>(), &mut rule, &mut theta, &mut Silent).unwrap_err();
        let DescentError::BlewUp { step, name, .. } = &error;
        assert!(*step < 10 && name == "x", "{error}");
        assert!(error.to_string().contains("a smaller rate may help"), "{error}");
    }
}
