use super::*;

/// What is kept of a state `x = (t, -t)` and its loss, on steps that end at `ends`.
fn recorded(
    sampling: Sampling,
    snapshots: &[f64],
    loss: impl Fn(f64) -> f64,
    ends: impl IntoIterator<Item = f64>,
) -> Trajectory {
    let observables = Observables::built_in(&Blocks::new().with("x", &[2], 1.0));
    let observables = observables.select(&["loss", "x"]).unwrap();
    let mut recording = Recording::new(observables, sampling).with_snapshots(snapshots.to_vec());
    let show = |recording: &mut Recording, time: f64, step| {
        let (loss, state) = (loss(time), [time, -time]);
        recording.record(&Moment { time, step, loss, state: &state, gradient: &[0.0; 2] });
    };
    show(&mut recording, 0.0, 0);
    let (mut step, mut before, mut times) = (0, 0.0, Vec::new());
    for after in ends {
        step += 1;
        times.clear();
        let glimpse = |time| Glimpse { time, loss: loss(time) };
        let _ = recording.plan(glimpse(before), glimpse(after), &mut times);
        for &time in &times {
            assert!(time > before && time <= after);
            show(&mut recording, time, step);
        }
        before = after;
    }
    show(&mut recording, before, step);
    let trajectory = recording.finish();
    assert_eq!((trajectory.time()[0], *trajectory.time().last().unwrap()), (0.0, before));
    let x = trajectory.get("x").unwrap();
    for (row, &time) in trajectory.time().iter().enumerate() {
        assert_eq!(x.row(row), [time, -time], "thinning keeps rows whole");
    }
    trajectory
}

#[test]
fn adaptive_sampling_keeps_its_budget_and_is_denser_at_jumps() {
    // A staircase of loss: a jump of width 1 at each power of ten from 10 on.
    let loss = |t: f64| (1..=4).map(|d| 0.25 / (1.0 + (t - 10f64.powi(d)).exp())).sum();
    let run = |budget| {
        let longer = |end: &f64| (*end < 2e4).then(|| end + 0.05 + end * 1e-4);
        recorded(Sampling::adaptive(budget), &[], loss, std::iter::successors(Some(0.05), longer))
    };
    for budget in [3, 10, 64, 400] {
        let trajectory = run(budget);
        assert!(trajectory.rows() <= budget, "{} > {budget}", trajectory.rows());
        assert!(trajectory.rows() * 3 >= budget, "{} of {budget}", trajectory.rows());
        assert!(trajectory.time().windows(2).all(|pair| pair[0] < pair[1]));
    }
    let trajectory = run(400);
    let inside = |from: f64, to: f64| {
        trajectory.time().iter().filter(|&&time| from < time && time < to).count()
    };
    assert!(inside(995.0, 1005.0) >= 20, "{} in the jump", inside(995.0, 1005.0));
    assert!(inside(2000.0, 9000.0) <= 40, "{} on the plateau", inside(2000.0, 9000.0));
}

#[test]
fn the_budget_holds_when_few_steps_do_much() {
    for (budget, steps) in [(2, 5), (3, 4), (10, 3), (100, 7), (400, 2)] {
        let ends = (0..=steps).map(|step| 1e3_f64.powi(step));
        let trajectory = recorded(Sampling::adaptive(budget), &[], |t| 1.0 / (1.0 + t), ends);
        assert!(trajectory.rows() <= budget, "{} of {budget}", trajectory.rows());
    }
}

#[test]
fn snapshots_hold_the_state_at_their_times() {
    let trajectory = recorded(Sampling::Every(1000), &[0.5, 2.0], |_| 0.0, [1.0, 2.0, 3.0]);
    let kept: Vec<_> = trajectory.snapshots().iter().map(|s| (s.time, s.state[1])).collect();
    assert_eq!(kept, [(0.5, -0.5), (2.0, -2.0)]);
}

/// A part of rows at these times.
fn part(times: &[f64], thinnings: u32) -> Part {
    let double = times.iter().flat_map(|time| [2.0 * time, -time]).collect();
    let series = vec![Series::new("pair", vec![2], double)];
    let steps = times.iter().map(|&time| time as u64).collect();
    Part { rows: Trajectory::new(times.to_vec(), steps, series, Vec::new()), thinnings }
}

#[test]
fn what_is_left_is_what_thinning_the_whole_would_have_left() {
    // Rows 0 to 4; then 5 and 6 come, all are thinned to 0 2 4 6, and 7 comes; then another thinning
    // leaves 0 4 7, and 8 comes.
    let parts = [part(&[0.0, 1.0, 2.0, 3.0, 4.0], 0), part(&[6.0, 7.0], 1), part(&[8.0], 1)];
    let joined = join(&parts);
    assert_eq!(joined.time(), [0.0, 4.0, 7.0, 8.0]);
    assert_eq!(joined.step(), [0, 4, 7, 8]);
    assert_eq!(joined.get("pair").unwrap().row(2), [14.0, -7.0]);
    assert_eq!(join(&parts[..2]).time(), [0.0, 2.0, 4.0, 6.0, 7.0]);
}

#[test]
fn parts_may_be_empty_and_thinnings_many() {
    assert_eq!(join(&[]).rows(), 0);
    let parts = [part(&[], 0), part(&[1.0, 2.0], 0), part(&[], 70), part(&[3.0], 0)];
    assert_eq!(join(&parts).time(), [1.0, 3.0]);
}
