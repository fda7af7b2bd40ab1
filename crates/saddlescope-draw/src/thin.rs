//! Curves with fewer points that look the same.

use super::scene::Point;

/// Width of the columns, in points, in which only first, lowest, highest and last are kept: 1/288 inch.
const COLUMN: f64 = 0.25;
/// How far, in points, the drawn curve may pass beside a point that was left out: 7 micrometres.
const TOLERANCE: f64 = 0.02;

/// The curve without points that nobody could see.
pub(crate) fn thinned(points: &[Point]) -> Vec<Point> {
    straightened(&columns(points, COLUMN))
}

/// Keeps, of each run of points in one column, the first, the lowest, the highest and the last, in order.
pub(crate) fn columns(points: &[Point], width: f64) -> Vec<Point> {
    let column = |point: &Point| (point.0 / width).floor();
    let mut kept = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &usize, b: &usize| run[*a].1.total_cmp(&run[*b].1);
        let low = (0..run.len()).min_by(by_height).unwrap_or(0);
        let high = (0..run.len()).max_by(by_height).unwrap_or(0);
        let mut chosen = [0, low, high, run.len() - 1];
        chosen.sort_unstable();
        let mut before = None;
        for place in chosen {
            if before != Some(place) {
                kept.push(run[place]);
            }
            before = Some(place);
        }
    }
    kept
}

/// Leaves out points that lie on the way from a kept point to a later one, within the tolerance.
///
/// From each kept point, the directions that pass close enough to everything skipped so far form a cone that narrows;
/// a point outside it, or one that turns back, ends the stretch.
fn straightened(points: &[Point]) -> Vec<Point> {
    let Some((&first, rest)) = points.split_first() else { return Vec::new() };
    let mut kept = vec![first];
    let (mut anchor, mut before) = (first, first);
    let mut cone = Cone::default();
    for &point in rest {
        if before != anchor && !cone.allows(anchor, before, point) {
            kept.push(before);
            anchor = before;
            cone = Cone::default();
        }
        cone.narrow(anchor, point);
        before = point;
    }
    if before != anchor || kept.len() == 1 && points.len() > 1 {
        kept.push(before);
    }
    kept
}

/// Directions between two angles; all of them without these.
#[derive(Default)]
struct Cone {
    bounds: Option<(f64, f64)>,
}

impl Cone {
    fn allows(&self, anchor: Point, before: Point, point: Point) -> bool {
        let reach = |p: Point| (p.0 - anchor.0).hypot(p.1 - anchor.1);
        if reach(point) < reach(before) {
            return false;
        }
        self.bounds.is_none_or(|(low, high)| {
            let angle = near(direction(anchor, point), (low + high) / 2.0);
            low <= angle && angle <= high
        })
    }

    fn narrow(&mut self, anchor: Point, point: Point) {
        let distance = (point.0 - anchor.0).hypot(point.1 - anchor.1);
        if distance <= TOLERANCE {
            return;
        }
        let spread = (TOLERANCE / distance).asin();
        let angle = direction(anchor, point);
        self.bounds = Some(match self.bounds {
            None => (angle - spread, angle + spread),
            Some((low, high)) => {
                let angle = near(angle, (low + high) / 2.0);
                (low.max(angle - spread), high.min(angle + spread))
            }
        });
    }
}

fn direction(from: Point, to: Point) -> f64 {
    (to.1 - from.1).atan2(to.0 - from.0)
}

/// The angle, moved by whole turns to within half a turn of `middle`.
fn near(angle: f64, middle: f64) -> f64 {
    use std::f64::consts::TAU;
    angle - ((angle - middle) / TAU).round() * TAU
}

#[cfg(test)]
#[path = "thin_tests.rs"]
mod tests;
