//! Sizes of type and lines that go with a figure's width.

use super::colour::{INK, Rgb};
use super::figure::{Dash, Ink, Width};
use super::scene::{Role, Stroke};
use super::text::{Align, Look};

/// Points per millimetre.
const MILLIMETRE: f64 = 72.0 / 25.4;

/// Sizes in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    pub(crate) width: f64,
    /// Names of axes, legends, cells.
    pub(crate) text: f64,
    /// Numbers at ticks.
    pub(crate) tick: f64,
    pub(crate) title: f64,
    /// The line at the bottom.
    pub(crate) caption: f64,
    /// What one point of a column's figure is here, for lines and gaps.
    pub(crate) unit: f64,
}

impl Style {
    pub(crate) fn new(width: Width) -> Self {
        let paper = |millimetres: f64| Self {
            width: millimetres * MILLIMETRE,
            text: 7.5,
            tick: 6.8,
            title: 8.5,
            caption: 5.0,
            unit: 1.0,
        };
        match width {
            Width::Column => paper(86.0),
            Width::Page => paper(178.0),
            Width::Slide => Self {
                width: 254.0 * MILLIMETRE,
                text: 15.0,
                tick: 13.5,
                title: 18.0,
                caption: 8.0,
                unit: 1.9,
            },
        }
    }

    /// Width of the lines of axes and tables.
    pub(crate) fn hairline(&self) -> f64 {
        0.6 * self.unit
    }

    /// The stroke of an ink; a width that is not a number or not positive is a hairline.
    pub(crate) fn stroke(&self, ink: &Ink) -> Stroke {
        let width = if ink.width > 0.0 { ink.width.min(20.0) } else { 0.5 } * self.unit;
        let unit = width.max(0.8 * self.unit);
        let dash = match ink.dash {
            Dash::Solid => Vec::new(),
            Dash::Dashed => vec![3.6 * unit, 2.0 * unit],
            Dash::Dotted => vec![1.0 * unit, 1.6 * unit],
        };
        Stroke { colour: ink.colour.rgb(), opacity: opacity(ink), width, dash }
    }

    pub(crate) fn look(&self, role: Role, align: Align) -> Look {
        let size = match role {
            Role::TickX | Role::TickY => self.tick,
            Role::Caption => self.caption,
            Role::Title | Role::Axis | Role::Legend | Role::Cell => self.text,
        };
        Look { role, size, colour: INK, align, angle: 0.0 }
    }
}

/// Opacity of an ink; what is not a number is solid.
pub(crate) fn opacity(ink: &Ink) -> f64 {
    if ink.opacity.is_nan() { 1.0 } else { ink.opacity.clamp(0.0, 1.0) }
}

impl Look {
    pub(crate) fn coloured(self, colour: Rgb) -> Self {
        Self { colour, ..self }
    }

    pub(crate) fn sized(self, size: f64) -> Self {
        Self { size, ..self }
    }

    pub(crate) fn turned(self, angle: f64) -> Self {
        Self { angle, ..self }
    }
}
