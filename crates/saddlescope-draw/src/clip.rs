//! Lines and areas cut to a rectangle, so that places far outside never reach a file.

use super::scene::{Point, Rect};

/// The parts of a polyline inside the rectangle.
pub(crate) fn polyline(points: &[Point], to: &Rect) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    let mut open = false;
    for pair in points.windows(2) {
        let Some((from, end)) = segment(pair[0], pair[1], to) else {
            open = false;
            continue;
        };
        match parts.last_mut() {
            Some(part) if open => part.push(end),
            _ => parts.push(vec![from, end]),
        }
        open = end == pair[1];
    }
    parts
}

/// The part of a segment inside the rectangle (Liang and Barsky).
fn segment(from: Point, end: Point, to: &Rect) -> Option<(Point, Point)> {
    let (dx, dy) = (end.0 - from.0, end.1 - from.1);
    let (mut enter, mut leave) = (0.0, 1.0);
    for (slope, room) in [
        (-dx, from.0 - to.left),
        (dx, to.right - from.0),
        (-dy, from.1 - to.top),
        (dy, to.bottom - from.1),
    ] {
        if slope == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if slope < 0.0 {
            enter = f64::max(enter, room / slope);
        } else {
            leave = f64::min(leave, room / slope);
        }
    }
    if enter > leave {
        return None;
    }
    let at = |part: f64| match part {
        0.0 => from,
        1.0 => end,
        _ => (from.0 + part * dx, from.1 + part * dy),
    };
    Some((at(enter), at(leave)))
}

/// A polygon cut to the rectangle (Sutherland and Hodgman).
pub(crate) fn polygon(points: &[Point], to: &Rect) -> Vec<Point> {
    type Inside = fn(&Rect, Point) -> f64;
    let sides: [Inside; 4] =
        [|r, p| p.0 - r.left, |r, p| r.right - p.0, |r, p| p.1 - r.top, |r, p| r.bottom - p.1];
    let mut points = points.to_vec();
    for inside in sides {
        let mut kept = Vec::with_capacity(points.len());
        for i in 0..points.len() {
            let (from, end) = (points[i], points[(i + 1) % points.len()]);
            let (a, b) = (inside(to, from), inside(to, end));
            if a >= 0.0 {
                kept.push(from);
            }
            if (a >= 0.0) != (b >= 0.0) {
                let part = a / (a - b);
                kept.push((from.0 + part * (end.0 - from.0), from.1 + part * (end.1 - from.1)));
            }
        }
        points = kept;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Rect = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn a_line_that_leaves_and_returns_becomes_two_parts() {
        let line = [(5.0, 5.0), (5.0, -5.0), (15.0, 5.0), (5.0, 5.0)];
        let parts = polyline(&line, &BOX);
        assert_eq!(
            parts,
            vec![
                vec![(5.0, 5.0), (5.0, 0.0)],
                vec![(10.0, 0.0), (10.0, 0.0)],
                vec![(10.0, 5.0), (5.0, 5.0)]
            ]
        );
        assert!(polyline(&[(11.0, 0.0), (12.0, 9.0)], &BOX).is_empty());
        assert_eq!(polyline(&[(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)], &BOX).len(), 1);
    }

    #[test]
    fn a_polygon_around_the_box_becomes_the_box() {
        let around = [(-5.0, -5.0), (15.0, -5.0), (15.0, 15.0), (-5.0, 15.0)];
        let mut corners = polygon(&around, &BOX);
        corners.sort_by(|a, b| a.partial_cmp(b).expect("finite"));
        assert_eq!(corners, [(0.0, 0.0), (0.0, 10.0), (10.0, 0.0), (10.0, 10.0)]);
        assert!(polygon(&[(20.0, 0.0), (30.0, 0.0), (30.0, 5.0)], &BOX).is_empty());
    }
}
