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
    assert_eq!(walk(&mut pace, &clock, 1..=8, REPORT_EVERY * 3 / 5), (4, 8), "every other step");

    let mut pace = Pace::new(clock.get());
    // A million steps in the time of ten reports.
    let (reports, read) = walk(&mut pace, &clock, 1..=1_000_000, REPORT_EVERY / 100_000);
    assert!((8..=10).contains(&reports), "{reports}");
    assert!(read < 1_000_000 / LONGEST_STRIDE + 20, "fast steps hardly look at the clock: {read}");
    assert_eq!(pace.stride, LONGEST_STRIDE);
    // Steps that turn slow are soon looked at again.
    let slow = 1_000_001..=1_000_000 + LONGEST_STRIDE;
    assert!(walk(&mut pace, &clock, slow, REPORT_EVERY).0 >= 1 && pace.stride == 1);
}
