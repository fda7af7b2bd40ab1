//! Early stopping: a phase ends where a quantity, read now and then, has not fallen for a while.

use crate::prelude::*;
use crate::record::Observable;
use crate::trajectory::Snapshot;

/// When a phase ends early. The quantity is read at the start of the phase and after every so many of its steps, whether or
/// not these are recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlyStop {
    /// A single number.
    pub of: Observable,
    /// Steps from one reading to the next.
    pub every: u64,
    /// Readings without progress that are let pass; the next one ends the phase.
    pub patience: u64,
    /// Progress is a fall below the best so far by more than this part of it.
    pub threshold: f64,
}

/// The least value that was read, and the parameters there.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    pub value: f64,
    pub at: Snapshot,
}

/// The mark that later values are measured against, and how many have made no progress since.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stall {
    pub(crate) mark: f64,
    pub(crate) stalled: u64,
}

/// An early stop at work.
pub(crate) struct EarlyStopWatch<'a> {
    rule: &'a EarlyStop,
    stall: Stall,
    best: Option<Best>,
}

impl Stall {
    pub(crate) const NEW: Self = Self { mark: f64::INFINITY, stalled: 0 };

    /// Takes a value; whether more than `patience` in a row are now without progress. What is no number makes none.
    pub(crate) fn outlasts(&mut self, patience: u64, value: f64, threshold: f64) -> bool {
        // Further down for marks of either sign.
        if value < self.mark * (1.0 - threshold.copysign(self.mark)) {
            *self = Self { mark: value, stalled: 0 };
        } else {
            self.stalled += 1;
        }
        self.stalled > patience
    }
}

impl Best {
    /// Remembers it as one list: step, time, value and state.
    pub(crate) fn remember(
        best: &mut Option<Self>,
        memory: &mut Memory,
    ) -> Result<(), MemoryError> {
        let mut list = best.as_ref().map(|Self { value, at }| {
            let numbers = [at.step as f64, at.time, *value];
            numbers.iter().chain(&*at.state).copied().collect()
        });
        memory.optional_list("best", &mut list)?;
        let Some(list) = list else { return Ok(()) };
        let &[step, time, value, ref state @ ..] = &*list else {
            return Err(memory.wrong("best", list.len() as f64, "three numbers and a state"));
        };
        *best = Some(Self { value, at: Snapshot { time, step: step as u64, state: state.into() } });
        Ok(())
    }
}

impl<'a> EarlyStopWatch<'a> {
    pub(crate) fn new(rule: &'a EarlyStop) -> Self {
        Self { rule, stall: Stall::NEW, best: None }
    }

    /// Whether the quantity is read after so many steps of the phase.
    pub(crate) fn is_due(&self, taken: u64) -> bool {
        taken.is_multiple_of(self.rule.every.max(1))
    }

    /// Reads the quantity; whether the phase ends here.
    pub(crate) fn read(&mut self, moment: &Moment<'_>) -> bool {
        let EarlyStop { of, patience, threshold, .. } = self.rule;
        let mut value = [f64::NAN];
        of.compute(moment, &mut value);
        let [value] = value;
        if self.best.as_ref().is_none_or(|best| value < best.value) && !value.is_nan() {
            self.best = Some(Best { value, at: moment.snapshot() });
        }
        self.stall.outlasts(*patience, value, *threshold)
    }

    /// Remembers what later readings depend on, where there is an early stop.
    pub(crate) fn remember(
        early: &mut Option<Self>,
        memory: &mut Memory,
    ) -> Result<(), MemoryError> {
        let Some(Self { stall: Stall { mark, stalled }, best, .. }) = early else { return Ok(()) };
        memory.within("early_stop", |memory| {
            memory.numbers("mark", [mark])?;
            memory.counts("stalled", [stalled])?;
            Best::remember(best, memory)
        })
    }

    pub(crate) fn into_best(self) -> Option<Best> {
        self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::{
        Checkpoint, Course, Motion, Optimiser, Outcome, Phase, ScheduleKind, Steps, run_segment,
        run_to_end,
    };
    use crate::theory::Theories;

    /// Falls along the way into the well at (1, 1), and rises again before its end.
    fn unseen(moment: &Moment<'_>) -> f64 {
        (moment.state[1] - 0.2).powi(2) - 0.01
    }

    fn stop(every: u64, patience: u64, threshold: f64) -> EarlyStop {
        EarlyStop { of: Observable::scalar("unseen", unseen), every, patience, threshold }
    }

    fn descent() -> Phase {
        let (rule, schedule) = (Optimiser::Gd, ScheduleKind::Constant);
        Phase::new(Motion::Descent(Steps { rule, rate: 0.02, steps: 400, schedule, clip: None }))
    }

    fn flow() -> Phase {
        Phase::new(Motion::Flow(Flow::default().until(30.0)))
    }

    /// The outcome with an early stop, in segments of so many steps, and a row for every step until then.
    fn run(mut phase: Phase, early_stop: Option<EarlyStop>, steps: u64) -> (Outcome, Trajectory) {
        phase.early_stop = early_stop;
        let landscape = Toy::<f64>::valley(1.0, 0.0);
        let all = Observables::built_in(landscape.blocks()).with(stop(1, 0, 0.0).of);
        let observables = all.select(&["unseen", "x", "y"]).unwrap();
        let mut recording = Recording::new(observables, Sampling::Every(1));
        let course = Course { phases: &[phase], theories: &Theories::none(), seed: 0 };
        let outcome = run_to_end(Checkpoint::start(&[0.3, -0.4]), |from| {
            // As if each segment were read from a file.
            let from = Checkpoint::load(from.save()).unwrap();
            run_segment(&landscape, course, from, steps, &mut recording)
        });
        (outcome.unwrap(), recording.finish())
    }

    /// The row where a run ends, and that of its least value: a plain search in all values of a run without the stop.
    fn searched(values: &[f64], early: &EarlyStop) -> (usize, usize) {
        let read: Vec<usize> = (0..values.len()).step_by(early.every as usize).collect();
        let (mut mark, mut marked) = (f64::INFINITY, 0);
        for (place, &row) in read.iter().enumerate() {
            if mark - values[row] > early.threshold * mark.abs() || mark.is_infinite() {
                (mark, marked) = (values[row], place);
            }
            if place - marked > early.patience as usize {
                let least = |a: &&usize, b: &&usize| values[**a].total_cmp(&values[**b]);
                return (row, *read[..=place].iter().min_by(least).unwrap());
            }
        }
        panic!("the value rises for long enough: {values:?}");
    }

    #[test]
    fn a_phase_ends_where_a_plain_search_says() {
        for (phase, every) in [(descent(), 1), (descent(), 7), (flow(), 1), (flow(), 2)] {
            for (patience, threshold) in [(0, 0.0), (3, 0.0), (3, 0.3)] {
                let early = stop(every, patience, threshold);
                let (_, whole) = run(phase.clone(), None, u64::MAX);
                let column = |name: &str| whole.get(name).unwrap().data();
                let (last, least) = searched(column("unseen"), &early);
                assert!(last + 1 < whole.rows(), "{early:?} ends nothing");
                assert!(least < last || threshold > 0.0, "{early:?} stops while it falls");
                let (outcome, seen) = run(phase.clone(), Some(early), u64::MAX);
                let end = &outcome.phases[0];
                assert_eq!((end.ended, end.step), (Termination::Early, whole.step()[last]));
                assert_eq!(seen.time(), &whole.time()[..=last]);
                assert_eq!(outcome.state, [column("x")[last], column("y")[last]]);
                let best = end.best.as_ref().unwrap();
                assert_eq!(best.value, column("unseen")[least]);
                let (time, step) = (whole.time()[least], whole.step()[least]);
                let state = [column("x")[least], column("y")[least]].into();
                assert_eq!(best.at, Snapshot { time, step, state });
            }
        }
    }

    #[test]
    fn segments_change_nothing() {
        for phase in [descent(), flow()] {
            let whole = run(phase.clone(), Some(stop(3, 2, 0.0)), u64::MAX);
            let (mut outcome, seen) = run(phase, Some(stop(3, 2, 0.0)), 4);
            outcome.phases[0].work = whole.0.phases[0].work;
            assert_eq!((outcome, seen), whole);
        }
    }

    #[test]
    fn what_is_no_number_is_no_progress() {
        let mut stall = Stall::NEW;
        let values = [f64::NAN, -1.0, f64::NAN, -1.05, -1.2, f64::NAN, f64::NAN];
        let found = values.map(|value| stall.outlasts(1, value, 0.1));
        assert_eq!(found, [false, false, false, true, false, false, true]);
        assert_eq!(stall.mark, -1.2);
    }
}
