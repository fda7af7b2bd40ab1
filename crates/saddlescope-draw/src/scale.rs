//! From values to places along an axis.

use super::figure::{Axis, Scale};

/// A range narrower than this part of its larger end is shown as one value.
const NARROWEST: f64 = 1e-12;

/// Maps values to parts of an axis: 0 at its start, 1 at its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mapping {
    pub(crate) scale: Scale,
    /// Start: the value, or its decimal logarithm.
    pub(crate) low: f64,
    /// End, above the start by a width that divides well.
    pub(crate) high: f64,
    /// Whether only whole numbers have ticks.
    pub(crate) whole: bool,
}

impl Mapping {
    /// The axis's own range, or that of the data widened by `padding` of its width at each end.
    pub(crate) fn new(axis: &Axis, data: impl Iterator<Item = f64>, padding: f64) -> Self {
        let own = axis.range.and_then(|(low, high)| {
            let ends = (forward(axis.scale, low)?, forward(axis.scale, high)?);
            (ends.0 < ends.1 && !is_narrow(axis.scale, ends)).then_some(ends)
        });
        let (low, high) = own.unwrap_or_else(|| {
            // Logarithms keep the order: only the ends need theirs.
            let shown = data.filter(|&v| v.is_finite() && (axis.scale == Scale::Linear || v > 0.0));
            let ends = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            let place = |end| forward(axis.scale, end).unwrap_or(end);
            let ends = (place(ends.0), place(ends.1));
            widened(axis.scale, ends, padding)
        });
        Self { scale: axis.scale, low, high, whole: axis.whole }
    }

    /// Place of a value as a part of the axis; nothing where the axis cannot show it.
    pub(crate) fn part(&self, value: f64) -> Option<f64> {
        forward(self.scale, value).map(|place| self.part_of(place))
    }

    /// As `part`, from the value or its logarithm. Halves keep the widest ranges finite.
    pub(crate) fn part_of(&self, place: f64) -> f64 {
        (place / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
    }

    /// Half the width of the range, of values or logarithms.
    pub(crate) fn half_width(&self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }
}

/// The value, or its decimal logarithm; nothing where there is none.
fn forward(scale: Scale, value: f64) -> Option<f64> {
    let place = match scale {
        Scale::Linear => value,
        Scale::Log if value > 0.0 => value.log10(),
        Scale::Log => return None,
    };
    place.is_finite().then_some(place)
}

/// Whether two ends are one value for all that can be labelled.
fn is_narrow(scale: Scale, (low, high): (f64, f64)) -> bool {
    let width = high / 2.0 - low / 2.0;
    match scale {
        Scale::Linear => width <= NARROWEST * low.abs().max(high.abs()) || width < 1e-290,
        Scale::Log => width < 1e-10,
    }
}

/// Ends with padding; something sensible where there is no data or only one value.
fn widened(scale: Scale, (low, high): (f64, f64), padding: f64) -> (f64, f64) {
    if low > high {
        return (0.0, 1.0);
    }
    if is_narrow(scale, (low, high)) {
        return match scale {
            Scale::Log => (low - 0.5, high + 0.5),
            Scale::Linear if high.abs() < 1e-280 => (-1.0, 1.0),
            Scale::Linear => {
                let room = 0.1 * high.abs();
                (bounded(low - room), bounded(high + room))
            }
        };
    }
    // In this order, so that no padding of the widest range is none.
    let room = 2.0 * ((high / 2.0 - low / 2.0) * padding);
    (bounded(low - room), bounded(high + room))
}

fn bounded(value: f64) -> f64 {
    value.clamp(-f64::MAX, f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(axis: &Axis, data: &[f64]) -> (f64, f64) {
        let mapping = Mapping::new(axis, data.iter().copied(), 0.05);
        (mapping.low, mapping.high)
    }

    #[test]
    fn ranges_come_from_finite_data_with_padding() {
        let axis = Axis::linear("");
        assert_eq!(mapped(&axis, &[0.0, f64::NAN, 100.0, f64::INFINITY]), (-5.0, 105.0));
        assert_eq!(mapped(&axis, &[]), (0.0, 1.0));
        assert_eq!(mapped(&axis, &[0.0]), (-1.0, 1.0));
        assert_eq!(mapped(&axis, &[10.0, 10.0]), (9.0, 11.0));
        let log = Axis::log("");
        assert_eq!(mapped(&log, &[0.0, -3.0, 10.0]), (0.5, 1.5));
        let (low, high) = mapped(&log, &[1.0, 100.0, 0.0]);
        assert!((low + 0.1).abs() < 1e-12 && (high - 2.1).abs() < 1e-12);
    }

    #[test]
    fn an_impossible_range_gives_way_to_the_data() {
        for range in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            let axis = Axis { range: Some(range), ..Axis::linear("") };
            assert_eq!(mapped(&axis, &[0.0, 100.0]), (-5.0, 105.0), "{range:?}");
        }
        let axis = Axis { range: Some((0.0, 10.0)), ..Axis::log("") };
        assert_eq!(mapped(&axis, &[10.0]), (0.5, 1.5));
        let axis = Axis { range: Some((0.0, 10.0)), ..Axis::linear("") };
        assert_eq!(mapped(&axis, &[55.0]), (0.0, 10.0));
    }

    #[test]
    fn the_widest_and_narrowest_ranges_have_finite_places() {
        for data in [[-f64::MAX, f64::MAX], [f64::MIN_POSITIVE, 0.0], [1.0, 1.0 + 1e-15]] {
            for axis in [Axis::linear(""), Axis::log("")] {
                let mapping = Mapping::new(&axis, data.into_iter(), 0.05);
                for value in data {
                    if let Some(part) = mapping.part(value) {
                        assert!((0.0..=1.0).contains(&part), "{axis:?} {data:?} {part}");
                    }
                }
            }
        }
    }
}
