use super::*;
use crate::Blocks;

/// A staircase of loss: a jump of width 1 at each power of ten from 10 on.
fn staircase(time: f64) -> f64 {
    (1..=4).map(|d| 0.25 / (1.0 + (time - 10f64.powi(d)).exp())).sum()
}

fn run(budget: usize) -> Trajectory {
    let observables =
        Observables::built_in(&Blocks::new().with("x", &[2], 1.0)).select(&["loss", "x"]).unwrap();
    let mut recording = Recording::new(observables, Sampling::adaptive(budget));
    let mut times = Vec::new();
    let mut before = 0.0;
    let show = |recording: &mut Recording, time: f64, step| {
        let state = [time, -time];
        recording.record(&Moment {
            time,
            step,
            loss: staircase(time),
            state: &state,
            gradient: &[0.0; 2],
        });
    };
    show(&mut recording, 0.0, 0);
    let mut step = 0;
    while before < 2e4 {
        step += 1;
        let after = before + 0.05 + before * 1e-4;
        times.clear();
        let glimpse = |time| Glimpse { time, loss: staircase(time) };
        let _ = recording.plan(glimpse(before), glimpse(after), &mut times);
        for &time in &times {
            assert!(time > before && time <= after);
            show(&mut recording, time, step);
        }
        before = after;
    }
    show(&mut recording, before, step);
    recording.finish()
}

#[test]
fn adaptive_sampling_keeps_its_budget_and_is_denser_at_jumps() {
    for budget in [3, 10, 64, 400] {
        let trajectory = run(budget);
        assert!(trajectory.rows() <= budget, "{} > {budget}", trajectory.rows());
        assert!(trajectory.rows() * 3 >= budget, "{} of {budget}", trajectory.rows());
        assert_eq!(trajectory.time()[0], 0.0);
        assert!(trajectory.time().windows(2).all(|pair| pair[0] < pair[1]));
        let x = trajectory.get("x").unwrap();
        for (row, &time) in trajectory.time().iter().enumerate() {
            assert_eq!(x.row(row), [time, -time], "thinning keeps rows whole");
        }
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
        let observables = Observables::built_in(&Blocks::new().with("x", &[], 1.0));
        let observables = observables.select(&["loss", "x"]).unwrap();
        let mut recording = Recording::new(observables, Sampling::adaptive(budget));
        let glimpse = |time: f64| Glimpse { time, loss: 1.0 / (1.0 + time) };
        let mut times = vec![0.0];
        let mut before = 0.0;
        for step in 0..=steps {
            for &time in &times {
                let (state, gradient) = ([-time], [0.0]);
                let loss = glimpse(time).loss;
                recording.record(&Moment { time, step, loss, state: &state, gradient: &gradient });
            }
            let after = 10f64.powi(3 * i32::try_from(step).unwrap());
            times.clear();
            let _ = recording.plan(glimpse(before), glimpse(after), &mut times);
            times.push(after);
            before = after;
        }
        let last = before;
        for &time in &times {
            let (state, gradient) = ([-time], [0.0]);
            let loss = glimpse(time).loss;
            let step = steps + 1;
            recording.record(&Moment { time, step, loss, state: &state, gradient: &gradient });
        }
        let trajectory = recording.finish();
        assert!(trajectory.rows() <= budget, "{} of {budget}", trajectory.rows());
        assert_eq!((trajectory.time()[0], *trajectory.time().last().unwrap()), (0.0, last));
        let x = trajectory.get("x").unwrap().data();
        assert!(x.iter().zip(trajectory.time()).all(|(x, time)| *x == -time));
    }
}

#[test]
fn snapshots_hold_the_state_at_their_times() {
    let observables =
        Observables::built_in(&Blocks::new().with("x", &[], 1.0)).select(&["loss"]).unwrap();
    let mut recording =
        Recording::new(observables, Sampling::Every(1000)).with_snapshots(vec![0.5, 2.0]);
    let mut times = Vec::new();
    for step in 0..3u64 {
        let (from, to) = (step as f64, step as f64 + 1.0);
        times.clear();
        let glimpse = |time| Glimpse { time, loss: 0.0 };
        let _ = recording.plan(glimpse(from), glimpse(to), &mut times);
        for &time in &times {
            let state = [10.0 * time];
            recording.record(&Moment { time, step, loss: 0.0, state: &state, gradient: &[0.0] });
        }
    }
    let trajectory = recording.finish();
    let kept: Vec<_> = trajectory.snapshots().iter().map(|s| (s.time, s.state[0])).collect();
    assert_eq!(kept, [(0.5, 5.0), (2.0, 20.0)]);
}
