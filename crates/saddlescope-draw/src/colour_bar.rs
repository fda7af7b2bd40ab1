//! What colours stand for: words with a legend, or numbers with a bar beside what is coloured.

use super::colour::{diverging, ramp};
use super::prelude::*;

/// Colours along the bar.
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
    /// A ramp of all shades.
    pub(crate) fn ramp(mapping: Mapping, label: &'a str) -> Self {
        Self { mapping, label, diverging: false, rounded: false }
    }

    /// The colour of a part of the scale.
    pub(crate) fn shade(&self, part: f64) -> Rgb {
        let part = if self.rounded { rounded(part) } else { part };
        if self.diverging { diverging(2.0 * part - 1.0) } else { ramp(part) }
    }

    pub(crate) fn ticks(&self, high: f64, style: &Style) -> Vec<Tick> {
        frame::vertical(&self.mapping, high, style)
    }
}

/// The nearest part of a scale that cells are coloured by.
pub(crate) fn rounded(part: f64) -> f64 {
    (part.clamp(0.0, 1.0) * STEPS).round() / STEPS
}

pub(crate) fn wide(style: &Style) -> f64 {
    6.0 * style.unit
}

/// Gap between what is coloured and its bar.
pub(crate) fn gap(style: &Style) -> f64 {
    8.0 * style.unit
}

/// The bar at the right of what is coloured.
pub(crate) fn beside(area: &Rect, style: &Style) -> Rect {
    let left = area.right + gap(style);
    Rect { left, right: left + wide(style), ..*area }
}

/// Room to the right of what is coloured for the bar, its numbers and its name.
pub(crate) fn room(ticks: &[Tick], label: &str, style: &Style) -> f64 {
    gap(style) + wide(style) + frame::left_room(ticks, label, style)
}

impl Drawing {
    /// A bar with its ticks and its name at the right.
    pub(crate) fn colour_bar(
        &mut self,
        bar: &Rect,
        ticks: &[Tick],
        colours: &Colours<'_>,
        style: &Style,
    ) {
        let label = colours.label;
        let high = bar.height() / SHADES as f64;
        for step in 0..SHADES {
            let part = 1.0 - (step as f64 + 0.5) / SHADES as f64;
            let top = bar.top + high * step as f64;
            let bottom = (top + high + 0.5).min(bar.bottom);
            self.fill(Rect { top, bottom, ..*bar }.path(), colours.shade(part), 1.0);
        }
        let mut path = bar.path();
        let length = 0.8 * frame::tick_length(style);
        for tick in ticks {
            let y = bar.bottom - tick.part * bar.height();
            path.extend(segment((bar.right, y), (bar.right + length, y)));
            if let Some(label) = &tick.label {
                let at = (
                    bar.right + length + 1.8 * style.unit,
                    y + font::CAP_HEIGHT / 2.0 * style.tick,
                );
                self.write(label, at, style.look(Role::TickY, Align::Left));
            }
        }
        self.stroke(path, Stroke::solid(INK, 0.5 * style.unit));
        if !label.is_empty() {
            let x = bar.right + frame::left_room(ticks, label, style) - 0.3 * style.text;
            let at = (x, (bar.top + bar.bottom) / 2.0);
            let look = style.look(Role::Axis, Align::Centre).turned(90.0);
            self.write_fitted(label, at, look, bar.height() + style.text);
        }
    }
}

impl Tints {
    /// What colours mean.
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Words { label, .. } => label,
            Self::Numbers { axis, .. } => &axis.label,
        }
    }

    /// The title of a legend of words.
    pub(crate) fn legend_title(&self) -> Option<&str> {
        match self {
            Self::Words { label, .. } if !label.is_empty() => Some(label),
            _ => None,
        }
    }

    /// A name for each word that something has.
    pub(crate) fn entries(&self, sample: impl Fn(&MapKind) -> Sample) -> Vec<Entry> {
        let mut entries = Vec::new();
        if let Self::Words { kinds, of, .. } = self {
            for (number, kind) in kinds.iter().enumerate() {
                if of.contains(&Some(number)) {
                    legend::enter(&mut entries, &kind.label, sample(kind));
                }
            }
        }
        entries
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
