//! Thinning: the picture stays, the points go.

use super::*;
use proptest::prelude::*;

/// Distance of a point from the nearest part of a polyline.
fn distance(point: Point, line: &[Point]) -> f64 {
    let to_segment = |pair: &[Point]| {
        let (from, to) = (pair[0], pair[1]);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx * dx + dy * dy;
        let along = ((point.0 - from.0) * dx + (point.1 - from.1) * dy) / length;
        let part = if length > 0.0 { along.clamp(0.0, 1.0) } else { 0.0 };
        (point.0 - from.0 - part * dx).hypot(point.1 - from.1 - part * dy)
    };
    line.windows(2).map(to_segment).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_million_points_keep_every_column_s_extremes() {
    let count = 1_000_000;
    let spiky = |i: usize| {
        if i.is_multiple_of(99_991) { 90.0 } else { 40.0 + 10.0 * (i as f64 * 0.7).sin() }
    };
    let points: Vec<Point> =
        (0..count).map(|i| (i as f64 * 200.0 / count as f64, spiky(i))).collect();
    let kept = thinned(&points);
    assert!(kept.len() < 4 * 800 + 4, "{} points", kept.len());
    assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[count - 1]));
    let spikes = |points: &[Point]| points.iter().filter(|p| p.1 == 90.0).count();
    assert_eq!(spikes(&kept), spikes(&points));
    let extremes = columns(&points, COLUMN);
    for (all, few) in points.chunk_by(same_column).zip(extremes.chunk_by(same_column)) {
        let ends = |run: &[Point]| {
            run.iter().fold((f64::MAX, f64::MIN), |(low, high), p| (low.min(p.1), high.max(p.1)))
        };
        assert_eq!(ends(all), ends(few));
    }
}

fn same_column(a: &Point, b: &Point) -> bool {
    (a.0 / COLUMN).floor() == (b.0 / COLUMN).floor()
}

#[test]
fn a_smooth_curve_needs_few_points_and_a_straight_one_two() {
    let curve: Vec<Point> =
        (0..5000).map(|i| f64::from(i) / 25.0).map(|x| (x, 50.0 * (x / 20.0).sin())).collect();
    assert!(thinned(&curve).len() < 250, "{}", thinned(&curve).len());
    let line: Vec<Point> = (0..5000).map(|i| (f64::from(i) / 25.0, f64::from(i) / 50.0)).collect();
    assert_eq!(thinned(&line).len(), 2);
}

#[test]
fn turning_back_keeps_the_turn() {
    let there_and_back = [(0.0, 0.0), (10.0, 0.0), (5.0, 0.0), (12.0, 0.0)];
    assert_eq!(straightened(&there_and_back), there_and_back);
    assert_eq!(thinned(&[(1.0, 1.0)]), [(1.0, 1.0)]);
    assert!(thinned(&[]).is_empty());
}

proptest! {
    #[test]
    fn nothing_moves_further_than_the_tolerance(
        steps in prop::collection::vec((-3.0..3.0f64, -3.0..3.0f64), 2..200),
    ) {
        let walk: Vec<Point> = steps.iter().scan((0.0, 0.0), |at, step| {
            *at = (at.0 + step.0, at.1 + step.1);
            Some(*at)
        }).collect();
        let kept = straightened(&walk);
        for &point in &walk {
            prop_assert!(distance(point, &kept) < 2.0 * TOLERANCE, "{point:?}");
        }
        prop_assert!(kept.iter().all(|p| walk.contains(p)));
    }
}
