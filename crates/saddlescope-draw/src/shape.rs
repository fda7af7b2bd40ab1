//! Marks as places in the unit square of a chart, with no more points than can be seen.

use super::figure::Mark;
use super::scale::Mapping;
use super::scene::{Point, Rect};
use super::thin::{columns, thinned};

/// Columns over the width of a chart in which curves keep only their extremes: a quarter point on the widest slide.
const COLUMNS: f64 = 4096.0;
/// Places further outside than this many heights are drawn there.
const FAR: f64 = 1e6;

/// A mark with its places as parts of the axes, from the lower left corner.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Pieces between gaps.
    Curve(Vec<Vec<Point>>),
    /// Pieces between gaps: lower and upper edge.
    Band(Vec<(Vec<Point>, Vec<Point>)>),
    /// Single places.
    Points(Vec<Point>),
    /// Part of the vertical axis.
    Level(Option<f64>),
    /// Part of the horizontal axis.
    Instant(Option<f64>),
}

impl Shape {
    pub(crate) fn new(mark: &Mark, x: &Mapping, y: &Mapping) -> Self {
        let part = |mapping: &Mapping, value| mapping.part(value).map(|p| p.clamp(-FAR, FAR));
        let place = |(&across, &up): (&f64, &f64)| Some((part(x, across)?, part(y, up)?));
        match mark {
            Mark::Line { x: across, y: up, .. } => {
                let places: Vec<_> = across.iter().zip(up).map(place).collect();
                Self::Curve(pieces(&places).map(|piece| columns(&piece, 1.0 / COLUMNS)).collect())
            }
            Mark::Band { x: across, low, high, .. } => {
                let place = |((&across, &low), &high): ((&f64, &f64), &f64)| {
                    let across = part(x, across)?;
                    Some(((across, edge(y, low)?), (across, edge(y, high)?)))
                };
                let places: Vec<_> = across.iter().zip(low).zip(high).map(place).collect();
                let thin = |piece: Vec<(Point, Point)>| {
                    let (low, high): (Vec<Point>, Vec<Point>) = piece.into_iter().unzip();
                    (columns(&low, 1.0 / COLUMNS), columns(&high, 1.0 / COLUMNS))
                };
                Self::Band(pieces(&places).map(thin).collect())
            }
            Mark::Points { x: across, y: up, .. } => {
                Self::Points(across.iter().zip(up).filter_map(place).collect())
            }
            Mark::Level { value, .. } => Self::Level(part(y, *value).filter(is_inside)),
            Mark::Instant { value, .. } => Self::Instant(part(x, *value).filter(is_inside)),
        }
    }

    /// The polylines of the shape in an area: curves, both edges of bands, levels and instants.
    pub(crate) fn lines(&self, area: &Rect) -> Vec<Vec<Point>> {
        let placed = |piece: &Vec<Point>| placed(piece, area);
        match self {
            Self::Curve(pieces) => pieces.iter().map(placed).collect(),
            Self::Band(pieces) => {
                pieces.iter().flat_map(|(low, high)| [placed(low), placed(high)]).collect()
            }
            Self::Points(_) | Self::Level(None) | Self::Instant(None) => Vec::new(),
            Self::Level(Some(part)) => vec![vec![at(area, (0.0, *part)), at(area, (1.0, *part))]],
            Self::Instant(Some(part)) => vec![vec![at(area, (*part, 0.0)), at(area, (*part, 1.0))]],
        }
    }
}

/// Parts of the axes as a place in an area.
pub(crate) fn at(area: &Rect, (across, up): Point) -> Point {
    (area.left + across * area.width(), area.bottom - up * area.height())
}

/// A piece in its area, with the points that show.
pub(crate) fn placed(piece: &[Point], area: &Rect) -> Vec<Point> {
    thinned(&piece.iter().map(|&part| at(area, part)).collect::<Vec<_>>())
}

fn is_inside(part: &f64) -> bool {
    (0.0..=1.0).contains(part)
}

/// Part of the axis of an edge of a band: what a logarithmic axis cannot show lies below it, what is endless beyond it.
fn edge(mapping: &Mapping, value: f64) -> Option<f64> {
    match mapping.part(value) {
        Some(part) => Some(part.clamp(-FAR, FAR)),
        None if value.is_nan() => None,
        None if value > 0.0 => Some(2.0),
        None => Some(-1.0),
    }
}

/// What lies between gaps.
fn pieces<T: Copy>(places: &[Option<T>]) -> impl Iterator<Item = Vec<T>> + '_ {
    let pieces = places.split(Option::is_none).filter(|piece| !piece.is_empty());
    pieces.map(|piece| piece.iter().flatten().copied().collect())
}
