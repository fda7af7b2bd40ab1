//! Places in a triangle, against its corners, its middle and its sides.

use super::*;
use crate::Axis;

#[test]
fn shares_are_places_in_the_triangle() {
    assert_eq!(inside([1.0, 0.0, 0.0]), Some((0.0, 0.0)));
    assert_eq!(inside([0.0, 7.0, 0.0]), Some((1.0, 0.0)), "shares of the sum");
    assert_eq!(inside([0.0, 0.0, 2.0]), Some((0.5, 1.0)));
    let (x, y) = inside([0.2, 0.2, 0.2]).unwrap();
    assert!((x - 0.5).abs() < 1e-15 && (y - 1.0 / 3.0).abs() < 1e-15);
    for none in [[0.0; 3], [1.0, -0.1, 1.0], [f64::NAN, 1.0, 1.0], [f64::INFINITY, 1.0, 1.0]] {
        assert_eq!(inside(none), None);
    }
}

#[test]
fn a_share_is_the_distance_from_the_side_across() {
    let ground = Ground::Triangle {
        corners: ["a", "b", "c"].map(str::to_owned),
        at: vec![[0.5, 0.3, 0.2], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };
    let places = Places::new(&ground);
    for area in [Rect::new(3.0, 5.0, 200.0, 90.0), Rect::new(3.0, 5.0, 90.0, 200.0)] {
        let [mark, a, b, c] = [0, 1, 2, 3].map(|mark| places.at(mark, &area).unwrap());
        let apart = |p: Point, q: Point| (p.0 - q.0).hypot(p.1 - q.1);
        let side = apart(a, b);
        assert!((apart(b, c) - side).abs() < 1e-9 && (apart(c, a) - side).abs() < 1e-9);
        // Twice the area of the triangle from the mark to a side, over that of the whole.
        let twice = |p: Point, q: Point, r: Point| {
            ((q.0 - p.0) * (r.1 - p.1) - (r.0 - p.0) * (q.1 - p.1)).abs()
        };
        let share = |q: Point, r: Point| twice(mark, q, r) / twice(a, b, c);
        for (found, expected) in [(share(b, c), 0.5), (share(c, a), 0.3), (share(a, b), 0.2)] {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert!([a, b, c].into_iter().all(|corner| area.grown(1e-9).contains(corner)));
    }
}

#[test]
fn marks_that_crowd_have_less_room_and_repeated_ones_do_not() {
    let room = |at: Vec<Point>| {
        let axis = || Axis { range: Some((0.0, 1.0)), ..Axis::linear("") };
        let ground = Ground::Axes { x: axis(), y: axis(), at };
        Places::new(&ground).room_of_each(&Rect::new(0.0, 0.0, 100.0, 100.0))
    };
    let grid = |scale: f64| -> Vec<Point> {
        let place = |i: u32| scale * (f64::from(i) + 0.5) / 10.0;
        (0..100).map(|i| (place(i % 10), place(i / 10))).collect()
    };
    assert!((room(grid(1.0)) - 100.0).abs() < 1e-9, "{}", room(grid(1.0)));
    assert!((room(grid(0.5)) - 25.0).abs() < 1e-9, "{}", room(grid(0.5)));
    assert_eq!(room([grid(1.0), grid(1.0)].concat()), room(grid(1.0)));
    assert!(room(Vec::new()) > 0.0);
}
