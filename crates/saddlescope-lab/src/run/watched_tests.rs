use super::*;

#[test]
fn slow_steps_are_reported_and_fast_ones_seldom() {
    let mut pace = Pace::new();
    let mut slow = |steps: std::ops::RangeInclusive<u64>| {
        let mut reports = 0;
        for step in steps {
            std::thread::sleep(REPORT_EVERY / 2 + REPORT_EVERY / 10);
            reports += u32::from(pace.is_due(step));
        }
        reports
    };
    assert!(slow(1..=8) >= 3);

    let mut pace = Pace::new();
    let began = Instant::now();
    let reports = (1..=1_000_000).filter(|&step| pace.is_due(step)).count() as u128;
    assert!(reports <= began.elapsed().as_millis() / REPORT_EVERY.as_millis());
    assert_eq!(pace.stride, LONGEST_STRIDE, "fast steps hardly look at the clock");
    // Steps that turn slow are soon looked at again.
    std::thread::sleep(REPORT_EVERY);
    assert!(pace.is_due(1_000_000 + LONGEST_STRIDE) && pace.stride == 1);
}
