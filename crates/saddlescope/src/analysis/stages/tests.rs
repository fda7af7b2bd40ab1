use proptest::prelude::*;

use super::align::align;
use super::moved::{Movement, note_moved};
use super::score::Score;
use super::synthetic::{Shape, Staircase};
use super::*;
use crate::symmetry::Symmetry;
use crate::trajectory::{Series, Snapshot};

fn found(times: &[f64], values: &[f64]) -> Stages {
    detect(times, values, &Settings::default()).unwrap()
}

fn log_times(rows: u32) -> Vec<f64> {
    (0..rows).map(|row| 10_f64.powf(f64::from(row) * 5.0 / f64::from(rows))).collect()
}

fn logistic(time: f64, middle: f64, duration: f64) -> f64 {
    1.0 / (1.0 + (81_f64.ln() * (time - middle) / duration).exp())
}

#[test]
fn staircases_with_known_truth_are_found() {
    let mut score = Score::default();
    for index in 0..200 {
        let truth = Staircase::mixed(1, index);
        let stages = found(&truth.times, &truth.values);
        score.add_stages(&truth, &stages);
        if matches!(truth.shape, Shape::Constant | Shape::PowerLaw) {
            assert!(stages.transitions.is_empty(), "{index}: {:?} has no jumps", truth.shape);
        }
    }
    assert!(score.there > 400);
    assert!(score.recall() > 0.97, "recall {}", score.recall());
    assert!(score.precision() > 0.97, "precision {}", score.precision());
    assert!(score.whole() > 0.9, "whole {}", score.whole());
    assert!(score.time_error() < 0.05, "time error {}", score.time_error());
    assert!(score.coverage() > 0.9, "coverage {}", score.coverage());
}

#[test]
fn without_noise_heights_times_and_durations_are_the_true_ones() {
    let times = log_times(2000);
    let value =
        |&time: &f64| 0.3 + 0.5 * logistic(time, 100.0, 8.0) + 0.2 * logistic(time, 3e3, 200.0);
    let values: Vec<f64> = times.iter().map(value).collect();
    let stages = found(&times, &values);
    let heights: Vec<f64> = stages.plateaus.iter().map(|plateau| plateau.height).collect();
    assert_eq!(heights.len(), 3);
    for (height, truth) in heights.iter().zip([1.0, 0.5, 0.3]) {
        assert!((height - truth).abs() < 1e-6, "{height} for {truth}");
    }
    for (jump, (time, duration)) in stages.transitions.iter().zip([(100.0, 8.0), (3e3, 200.0)]) {
        assert!((jump.time / time - 1.0).abs() < 1e-3, "{jump:?}");
        assert!((jump.duration / duration - 1.0).abs() < 0.03, "{jump:?}");
        assert!((jump.time - time).abs() < 3.0 * jump.time_error, "{jump:?}");
    }
    assert!(stages.begins_flat && stages.ends_flat);
    assert_eq!(stages.plateaus[0].from, 1.0);
    // 9/10 of the first jump, and 1/10 of the second.
    assert!((stages.plateaus[1].from - 104.0).abs() < 0.5, "{}", stages.plateaus[1].from);
    assert!((stages.plateaus[1].to - 2900.0).abs() < 10.0, "{}", stages.plateaus[1].to);
}

/// Late plateaus are short in log time; their jumps are shorter still.
#[test]
fn late_plateaus_count_by_their_jumps() {
    let times: Vec<f64> = (0..20_000).map(f64::from).collect();
    let value = |&time: &f64| {
        0.1 + [8000.0, 9000.0, 10_000.0, 11_000.0]
            .iter()
            .map(|&at| logistic(time, at, 60.0))
            .sum::<f64>()
    };
    let values: Vec<f64> = times.iter().map(value).collect();
    let jumps: Vec<f64> = found(&times, &values).transitions.iter().map(|jump| jump.time).collect();
    assert_eq!(jumps.len(), 4, "{jumps:?}");
    for (jump, truth) in jumps.iter().zip([8e3, 9e3, 1e4, 1.1e4]) {
        assert!((jump - truth).abs() < 1.0, "{jumps:?}");
    }
}

#[test]
fn what_is_no_staircase_has_no_jumps() {
    let times = log_times(600);
    let no_jump: [fn(f64) -> f64; 6] = [
        |_| 2.5,
        |time| time.powf(-0.1),
        |time| time.powf(-0.5),
        |time| 1.0 + 0.3 * time.powf(-1.0),
        |time| 10.0 - time.ln(),
        |time| (1.0 + time.ln()).recip(),
    ];
    for (index, shape) in no_jump.into_iter().enumerate() {
        let values: Vec<f64> = times.iter().map(|&time| shape(time)).collect();
        assert_eq!(found(&times, &values).transitions.len(), 0, "shape {index}");
    }
    // One relaxation is one jump on log time.
    let values: Vec<f64> = times.iter().map(|time| (-time / 500.0).exp()).collect();
    let stages = found(&times, &values);
    assert_eq!(stages.transitions.len(), 1);
    // Its first plateau slopes, and the error knows.
    let Transition { time: value, time_error: error, .. } = stages.transitions[0];
    assert!((value - 500.0 * 2_f64.ln()).abs() < 2.0 * error, "{value} ± {error}");
    assert!(error < 20.0, "{value} ± {error}");
}

/// A column that rises has the stages of its mirror image.
#[test]
fn what_rises_has_the_stages_of_what_falls() {
    let times = log_times(800);
    let stairs = |time: f64| 0.5 * logistic(time, 100.0, 8.0) + 0.2 * logistic(time, 3e3, 200.0);
    let down: Vec<f64> = times.iter().map(|&time| 0.3 + stairs(time)).collect();
    let up: Vec<f64> = down.iter().map(|value| 1.0 - value).collect();
    let [down, up] = [down, up].map(|values| found(&times, &values));
    assert_eq!((down.transitions.len(), up.transitions.len()), (2, 2), "{up:?}");
    for (fall, rise) in down.transitions.iter().zip(&up.transitions) {
        assert!((rise.time / fall.time - 1.0).abs() < 1e-9, "{rise:?} for {fall:?}");
    }
    for (high, low) in down.plateaus.iter().zip(&up.plateaus) {
        assert!((high.height + low.height - 1.0).abs() < 1e-9, "{low:?}");
    }
    let law: Vec<f64> = times.iter().map(|time| 1.0 - time.powf(-0.5)).collect();
    assert!(found(&times, &law).transitions.is_empty());
}

#[test]
fn a_fall_without_a_plateau_before_it_is_no_jump() {
    let times = log_times(800);
    let values: Vec<f64> =
        times.iter().map(|&time| 4.0 / time.sqrt() + logistic(time, 2e4, 1e3)).collect();
    let stages = found(&times, &values);
    assert_eq!(stages.transitions.len(), 1, "{stages:?}");
    assert!(!stages.begins_flat && stages.ends_flat);
}

#[test]
fn a_spike_that_is_taken_back_is_no_stage() {
    let times = log_times(600);
    let values: Vec<f64> = times
        .iter()
        .map(|&time| {
            logistic(time, 1e3, 50.0) + if (90.0..93.0).contains(&time) { 3.0 } else { 0.0 }
        })
        .collect();
    assert_eq!(found(&times, &values).transitions.len(), 1);
}

#[test]
fn a_jump_is_found_among_many_rows() {
    let times: Vec<f64> = (0..100_000).map(f64::from).collect();
    let values: Vec<f64> = times.iter().map(|&time| logistic(time, 3e4, 1e3)).collect();
    assert_eq!(found(&times, &values).transitions.len(), 1);
}

#[test]
fn series_that_cannot_be_are_told_apart() {
    let good: Vec<f64> = (0..20).map(f64::from).collect();
    let with = |row: usize, value: f64| {
        let mut series = good.clone();
        series[row] = value;
        series
    };
    let settings = Settings::default();
    for (times, values, words) in [
        (good[..5].to_vec(), good[..5].to_vec(), "5 rows is too short"),
        (good.clone(), good[..9].to_vec(), "20 times, but 9 values"),
        (good.clone(), with(3, f64::NAN), "row 3 (from 0) has value NaN"),
        (with(0, -1.0), good.clone(), "starts at time -1"),
        (with(7, 6.0), good.clone(), "row 7 (from 0) is at time 6, after 6"),
    ] {
        let message = detect(&times, &values, &settings).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]

    /// Units of time and value do not matter.
    #[test]
    fn scaling_changes_nothing_but_the_numbers(index in 0_u64..60, time in 1e-3..1e3_f64, value in 1e-3..1e3_f64) {
        let truth = Staircase::mixed(5, index);
        let plain = found(&truth.times, &truth.values);
        let times: Vec<f64> = truth.times.iter().map(|t| t * time).collect();
        let values: Vec<f64> = truth.values.iter().map(|v| v * value).collect();
        let scaled = found(&times, &values);
        prop_assert_eq!(plain.transitions.len(), scaled.transitions.len());
        for (a, b) in plain.transitions.iter().zip(&scaled.transitions) {
            prop_assert!((a.time * time / b.time - 1.0).abs() < 1e-6);
            prop_assert!((a.change * value / b.change - 1.0).abs() < 1e-6);
        }
    }

    /// Whatever comes in, what comes out is in order.
    #[test]
    fn plateaus_and_jumps_alternate(values in prop::collection::vec(-5.0..5.0_f64, 8..200)) {
        let times: Vec<f64> = (0..values.len()).map(|row| row as f64).collect();
        let stages = found(&times, &values);
        prop_assert_eq!(stages.transitions.len() + 1, stages.plateaus.len().max(1));
        for plateau in &stages.plateaus {
            prop_assert!(plateau.from <= plateau.to);
            prop_assert!(plateau.height.is_finite() && plateau.height_error.is_finite());
        }
        for pair in stages.plateaus.windows(2) {
            prop_assert!(pair[0].to <= pair[1].from);
        }
    }
}

/// Two heads learn two directions, one at each jump.
fn two_heads(first: usize) -> (Trajectory, Stages) {
    let times = log_times(400);
    let way = |at: f64| times.iter().map(move |&time| 1.0 - logistic(time, at, 0.05 * at));
    let (early, late): (Vec<f64>, Vec<f64>) = (way(100.0).collect(), way(5e3).collect());
    let loss: Vec<f64> = early.iter().zip(&late).map(|(a, b)| 1.0 - 0.6 * a - 0.3 * b).collect();
    let mut heads = [early.clone(), late.clone()];
    if first == 1 {
        heads.swap(0, 1);
    }
    let series = vec![
        Series::new("loss", vec![], loss.clone()),
        Series::new("learned.0", vec![], early),
        Series::new("learned.1", vec![], late),
        Series::new("head.0.value", vec![], heads[0].iter().map(|v| 2.0 * v).collect()),
        Series::new("head.1.value", vec![], heads[1].iter().map(|v| -2.0 * v).collect()),
    ];
    let mut stages = found(&times, &loss);
    let step = (0..times.len() as u64).collect();
    let trajectory = Trajectory::new(times, step, series, Vec::new());
    note_moved(&mut stages, &trajectory, &Blocks::new());
    (trajectory, stages)
}

#[test]
fn who_moved_is_told_by_shares() {
    let (_, stages) = two_heads(1);
    let first = |jump: usize, family: &str| -> Movement {
        let moved = &stages.transitions[jump].moved;
        moved.iter().find(|one| one.family == family).unwrap().clone()
    };
    assert_eq!(stages.transitions.len(), 2);
    for (jump, learned, head) in
        [(0, "learned.0", "head.1.value"), (1, "learned.1", "head.0.value")]
    {
        let one = first(jump, "learned.*");
        assert_eq!(one.name, learned);
        assert!(one.share > 0.98 && (one.change - 1.0).abs() < 0.02, "{one:?}");
        assert_eq!(first(jump, "head.*.value").name, head);
    }
}

#[test]
fn snapshots_tell_of_blocks() {
    let (trajectory, mut stages) = two_heads(0);
    let blocks = Blocks::new().with("head.0.key", &[2], 1.0).with("head.1.key", &[2], 1.0);
    let snapshot = |time: f64, state: [f64; 4]| Snapshot { time, step: 0, state: state.into() };
    let snapshots = vec![
        snapshot(1.5, [9.0, 9.0, 9.0, 9.0]),
        snapshot(10.0, [0.0, 0.0, 0.0, 1.0]),
        snapshot(1e3, [3.0, 4.0, 0.0, 2.0]),
    ];
    let series = trajectory.series().to_vec();
    let (time, step) = (trajectory.time().to_vec(), trajectory.step().to_vec());
    let trajectory = Trajectory::new(time, step, series, snapshots);
    note_moved(&mut stages, &trajectory, &blocks);
    let [first, second] = &*stages.transitions else { panic!("{stages:?}") };
    let keys: Vec<_> = first.moved.iter().filter(|one| one.family == "head.*.key").collect();
    assert_eq!((keys[0].name.as_str(), keys[0].change), ("head.0.key", 5.0));
    assert!((keys[0].share - 5.0 / 6.0).abs() < 1e-12);
    let none = second.moved.iter().all(|one| one.family != "head.*.key");
    assert!(none, "no snapshot on the last plateau");
}

#[test]
fn runs_are_aligned_whatever_their_heads_are_called() {
    let runs = [0, 1, 1].map(|first| two_heads(first).1);
    let seen = runs.each_ref();
    let blocks = Blocks::new().with("head.0.value", &[], 1.0).with("head.1.value", &[], 1.0);
    let owners = |symmetry: &Symmetry| -> Vec<Vec<(String, f64)>> {
        let aligned = align(&seen, &[], symmetry);
        assert_eq!((aligned.plateaus.len(), aligned.transitions.len()), (3, 2));
        let owners = |jump: &align::CommonTransition| {
            jump.owners.iter().map(|owner| (owner.name.clone(), owner.part)).collect()
        };
        aligned.transitions.iter().map(owners).collect()
    };
    let symmetry = Symmetry::none().numbered("head", &blocks);
    let expected = [("learned.0", "head.#1.value"), ("learned.1", "head.#2.value")];
    for (found, (learned, head)) in owners(&symmetry).iter().zip(expected) {
        assert_eq!(*found, [(learned.to_owned(), 1.0), (head.to_owned(), 1.0)]);
    }
    // By their numbers alone, the heads of three runs do not agree.
    assert_eq!(owners(&Symmetry::none())[0][1], ("head.1.value".to_owned(), 2.0 / 3.0));
}

#[test]
fn a_run_that_skips_a_plateau_is_aligned_by_heights() {
    let (_, whole) = two_heads(0);
    let mut skips = whole.clone();
    skips.plateaus.remove(1);
    skips.transitions.remove(0);
    let seen = [&whole, &skips, &whole];
    let aligned = align(&seen, &[], &Symmetry::none());
    let jumps: Vec<_> =
        aligned.transitions.iter().map(|jump| (jump.from, jump.to, jump.runs)).collect();
    assert_eq!(jumps, [(0, 1, 2), (0, 2, 1), (1, 2, 2)]);
    assert_eq!(aligned.plateaus.iter().map(|p| p.runs).collect::<Vec<_>>(), [3, 2, 3]);
    // Levels that no run stays at are left out.
    let levels = [1.0, 0.7, 0.4, 0.1];
    assert_eq!(align(&seen, &levels, &Symmetry::none()).plateaus.len(), 3);
}

/// Two steps that are each too small to count, on a fall that is not: the half of their way is anywhere
/// on the shelf between them, and the error says so.
#[test]
fn a_jump_with_a_shelf_inside_has_an_error_as_long_as_the_shelf() {
    let times: Vec<f64> = (0..2000).map(|row| 1.0 + 5.0 * f64::from(row)).collect();
    let step = |time: f64, at: f64| 0.05 * logistic(time, at, 5.0);
    let value = |&time: &f64| {
        3.0 + 7.0 * (-time / 20.0_f64).exp() + step(time, 1000.0) + step(time, 4000.0)
    };
    let values: Vec<f64> = times.iter().map(value).collect();
    let found = detect(&times, &values, &Settings::default()).unwrap();
    let late: Vec<_> = found.transitions.iter().filter(|jump| jump.time > 200.0).collect();
    assert!(!late.is_empty(), "{found:?}");
    for jump in late {
        let near = |at: f64| (jump.time - at).abs() <= 2.0 * jump.time_error + 10.0;
        assert!(near(1000.0) || near(4000.0), "{jump:?}");
    }
}
