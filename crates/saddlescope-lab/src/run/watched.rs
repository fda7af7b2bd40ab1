//! A recording that reports now and then how far it is.

use std::time::{Duration, Instant};

use saddlescope::record::{Control, Glimpse, Moment, Recorder, Recording};
use saddlescope::trajectory::Snapshot;

pub(crate) struct WatchedRecording<W> {
    pub(crate) recording: Recording,
    watch: W,
    steps: u64,
    pace: Pace,
    /// The last state that was recorded and is made of numbers: what is left of a run that blows up.
    pub(crate) last: Option<Snapshot>,
}

impl<W> WatchedRecording<W> {
    pub(crate) fn new(recording: Recording, watch: W) -> Self {
        Self { recording, watch, steps: 0, pace: Pace::new(Instant::now()), last: None }
    }
}

/// Time that passes at least between two reports of how far a run is.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Most steps between two looks at the clock on the wall.
const LONGEST_STRIDE: u64 = 1024;

/// When to report: the clock is looked at after every slow step, and seldom while steps are fast.
struct Pace {
    stride: u64,
    next_look: u64,
    looked: Instant,
    reported: Instant,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self { stride: 1, next_look: 1, looked: now, reported: now }
    }

    /// Whether a report is due after so many steps, on a clock that is read only now and then.
    fn is_due(&mut self, steps: u64, clock: impl FnOnce() -> Instant) -> bool {
        if steps < self.next_look {
            return false;
        }
        let now = clock();
        let passed = now.duration_since(self.looked);
        self.looked = now;
        if passed < REPORT_EVERY / 20 {
            self.stride = (2 * self.stride).min(LONGEST_STRIDE);
        } else if passed > REPORT_EVERY / 2 {
            self.stride = 1;
        }
        self.next_look = steps + self.stride;
        let due = now.duration_since(self.reported) >= REPORT_EVERY;
        if due {
            self.reported = now;
        }
        due
    }
}

impl<W: FnMut(&Recording, Glimpse, u64) -> Control> Recorder for WatchedRecording<W> {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        self.steps += 1;
        let planned = self.recording.plan(from, to, times);
        if self.pace.is_due(self.steps, Instant::now)
            && (self.watch)(&self.recording, to, self.steps) == Control::Stop
        {
            return Control::Stop;
        }
        planned
    }

    fn record(&mut self, moment: &Moment<'_>) {
        self.recording.record(moment);
        if moment.loss.is_finite() && moment.state.iter().all(|entry| entry.is_finite()) {
            let Moment { time, step, state, .. } = *moment;
            self.last = Some(Snapshot { time, step, state: state.into() });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Steps of the same length, on a clock of their own: how many reports are due, and how often the clock is read.
    fn walk(
        pace: &mut Pace,
        clock: &Cell<Instant>,
        steps: std::ops::RangeInclusive<u64>,
        length: Duration,
    ) -> (u64, u64) {
        let (mut reports, read) = (0, Cell::new(0));
        for step in steps {
            clock.set(clock.get() + length);
            let now = || {
                read.set(read.get() + 1);
                clock.get()
            };
            reports += u64::from(pace.is_due(step, now));
        }
        (reports, read.get())
    }

    #[test]
    fn slow_steps_are_reported_and_fast_ones_seldom() {
        let clock = Cell::new(Instant::now());
        let mut pace = Pace::new(clock.get());
        assert_eq!(
            walk(&mut pace, &clock, 1..=8, REPORT_EVERY * 3 / 5),
            (4, 8),
            "every other step"
        );

        let mut pace = Pace::new(clock.get());
        // A million steps in the time of ten reports.
        let (reports, read) = walk(&mut pace, &clock, 1..=1_000_000, REPORT_EVERY / 100_000);
        assert!((8..=10).contains(&reports), "{reports}");
        assert!(
            read < 1_000_000 / LONGEST_STRIDE + 20,
            "fast steps hardly look at the clock: {read}"
        );
        assert_eq!(pace.stride, LONGEST_STRIDE);
        // Steps that turn slow are soon looked at again.
        let slow = 1_000_001..=1_000_000 + LONGEST_STRIDE;
        assert!(walk(&mut pace, &clock, slow, REPORT_EVERY).0 >= 1 && pace.stride == 1);
    }
}
