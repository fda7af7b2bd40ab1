//! What colours stand for: words with a legend, or numbers with a bar beside what is coloured.

use super::colour::{diverging, ramp};
use super::prelude::*;

const SHADES: usize = 96;

/// Shades that cells are rounded to; few enough that calm regions are long cells.
const STEPS: f64 = 128.0;

/// Colours that stand for numbers.
#[derive(Clone, Copy)]
pub(crate) struct Colours<'a> {
    pub(crate) mapping: Mapping,
    pub(crate) label: &'a str,
    /// Whether colours diverge around the middle of the scale.
    pub(crate) diverging: bool,
    pub(crate) rounded: bool,
}

impl<'a> Colours<'a> {
    pub(crate) fn ramp(mapping: Mapping, label: &'a str) -> Self {
        Self { mapping, label, diverging: false, rounded: false }
    }

    fn shade(&self, part: f64) -> Rgb {
        let part = if self.rounded { rounded(part) } else { part };
        if self.diverging { diverging(2.0 * part - 1.0) } else { ramp(part) }
    }

    /// The colour of a value; grey where it has no place.
    pub(crate) fn of(&self, value: f64) -> Rgb {
        self.shade(self.mapping.part(value).unwrap_or(f64::NAN))
    }

    pub(crate) fn ticks(&self, high: f64, style: &Style) -> Vec<Tick> {
        style.vertical_ticks(&self.mapping, high)
    }

    /// Room for a bar of this height to the right of what is coloured.
    pub(crate) fn room(&self, high: f64, style: &Style) -> f64 {
        style.bar_room(&self.ticks(high, style), self.label)
    }
}

/// The nearest part of a scale that cells are coloured by.
fn rounded(part: f64) -> f64 {
    (part.clamp(0.0, 1.0) * STEPS).round() / STEPS
}

/// Width of the bar, and the gap between it and what is coloured, in points of a column's figure.
const WIDE: f64 = 6.0;
const GAP: f64 = 8.0;

impl Style {
    /// The bar at the right of what is coloured.
    pub(crate) fn bar_beside(&self, area: &Rect) -> Rect {
        let left = area.right + GAP * self.unit;
        Rect { left, right: left + WIDE * self.unit, ..*area }
    }

    /// Room to the right of what is coloured for the bar, its numbers and its name.
    pub(crate) fn bar_room(&self, ticks: &[Tick], label: &str) -> f64 {
        GAP * self.unit + WIDE * self.unit + self.left_room(ticks, label)
    }
}

impl Drawing {
    pub(crate) fn colour_bar(&mut self, bar: &Rect, ticks: &[Tick], colours: &Colours<'_>) {
        let (style, label) = (self.style, colours.label);
        let high = bar.height() / SHADES as f64;
        for step in 0..SHADES {
            let part = 1.0 - (step as f64 + 0.5) / SHADES as f64;
            let top = bar.top + high * step as f64;
            let bottom = (top + high + 0.5).min(bar.bottom);
            self.fill(Rect { top, bottom, ..*bar }.path(), colours.shade(part), 1.0);
        }
        let mut path = bar.path();
        let end = bar.right + 0.8 * style.tick_length();
        for tick in ticks {
            let y = bar.y(tick.part);
            path.extend(segment((bar.right, y), (end, y)));
            if let Some(label) = &tick.label {
                let at = (end + 1.8 * style.unit, y + font::CAP_HEIGHT / 2.0 * style.tick);
                self.write(label, at, style.look(Role::TickY, Align::Left));
            }
        }
        self.stroke(path, Stroke::solid(INK, 0.5 * style.unit));
        if !label.is_empty() {
            let x = bar.right + style.left_room(ticks, label) - 0.3 * style.text;
            let at = (x, (bar.top + bar.bottom) / 2.0);
            let look = style.look(Role::Axis, Align::Centre).turned(90.0);
            self.write_fitted(label, at, look, bar.height() + style.text);
        }
    }
}

impl Tints {
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Words { label, .. } => label,
            Self::Numbers { axis, .. } => &axis.label,
        }
    }

    pub(crate) fn legend_title(&self) -> Option<&str> {
        match self {
            Self::Words { label, .. } if !label.is_empty() => Some(label),
            _ => None,
        }
    }

    /// The looks that something has, each with its name.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &MapKind> {
        let (kinds, of) = match self {
            Self::Words { kinds, of, .. } => (kinds.as_slice(), of.as_slice()),
            Self::Numbers { .. } => (&[][..], &[][..]),
        };
        kinds
            .iter()
            .enumerate()
            .filter(|(number, _)| of.contains(&Some(*number)))
            .map(|kind| kind.1)
    }

    /// The ramp of numbers.
    pub(crate) fn colours(&self) -> Option<Colours<'_>> {
        match self {
            Self::Numbers { axis, of } => {
                let mapping = Mapping::new(axis, of.iter().copied(), 0.0);
                Some(Colours::ramp(mapping, &axis.label))
            }
            Self::Words { .. } => None,
        }
    }

    /// The word of a mark or cell.
    pub(crate) fn kind(&self, number: usize) -> Option<&MapKind> {
        match self {
            Self::Words { kinds, of, .. } => kinds.get((*of.get(number)?)?),
            Self::Numbers { .. } => None,
        }
    }

    /// The colour of a mark or cell, with the ramp of numbers.
    pub(crate) fn colour(&self, ramp: Option<&Colours<'_>>, number: usize) -> Option<Colour> {
        match self {
            Self::Numbers { of, .. } => {
                Some(Colour::Ramp(rounded(ramp?.mapping.part(*of.get(number)?)?)))
            }
            Self::Words { .. } => Some(self.kind(number)?.colour),
        }
    }
}
