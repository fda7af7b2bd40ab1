//! Axes: their ticks, labels, lines, and the room that they need.

use super::prelude::*;
use super::ticks::{labelled, ticks};

/// Room around a plotting area, in points.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Margins {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// Length of a labelled tick.
pub(crate) fn tick_length(style: &Style) -> f64 {
    2.6 * style.unit
}

/// Gap between a tick and its label.
fn tick_gap(style: &Style) -> f64 {
    1.8 * style.unit
}

/// Ticks of a vertical axis of this height.
pub(crate) fn vertical(mapping: &Mapping, height: f64, style: &Style) -> Vec<Tick> {
    let room = 2.1 * style.tick / height.max(1.0);
    ticks(mapping, |ticks| {
        let parts: Vec<f64> = labelled(ticks).map(|(part, _)| part).collect();
        parts.windows(2).all(|pair| (pair[1] - pair[0]).abs() >= room)
    })
}

/// Ticks of a horizontal axis of this width.
pub(crate) fn horizontal(mapping: &Mapping, length: f64, style: &Style) -> Vec<Tick> {
    ticks(mapping, |ticks| {
        let mut end = f64::NEG_INFINITY;
        labelled(ticks).all(|(part, label)| {
            let half = width(label, style.tick) / 2.0;
            let fits = part * length - half >= end;
            end = part * length + half + 1.8 * style.tick;
            fits
        })
    })
}

/// Room to the left of a vertical axis.
pub(crate) fn left_room(ticks: &[Tick], label: &str, style: &Style) -> f64 {
    let widest = labelled(ticks).map(|(_, label)| width(label, style.tick));
    let numbers = tick_length(style) + tick_gap(style) + widest.fold(0.0, f64::max);
    numbers + if label.is_empty() { 0.0 } else { 1.55 * style.text }
}

/// Room to the right of a horizontal axis for its last label.
pub(crate) fn right_room(ticks: &[Tick], length: f64, style: &Style) -> f64 {
    let over = labelled(ticks)
        .map(|(part, label)| part * length + width(label, style.tick) / 2.0 - length);
    over.fold(2.0 * style.unit, f64::max)
}

/// Room below a horizontal axis.
pub(crate) fn bottom_room(label: &str, style: &Style) -> f64 {
    let numbers = tick_length(style) + tick_gap(style) + 1.05 * style.tick;
    numbers + if label.is_empty() { 0.0 } else { 1.35 * style.text }
}

impl Drawing {
    /// Faint lines across the area at labelled ticks.
    pub(crate) fn grid(&mut self, area: &Rect, vertical: &[Tick], style: &Style) {
        let mut path = Vec::new();
        for (part, _) in labelled(vertical) {
            let y = area.bottom - part * area.height();
            path.extend(segment((area.left, y), (area.right, y)));
        }
        self.stroke(path, Stroke::solid(GRID, style.hairline()));
    }

    /// The vertical axis at the left of the area; `quiet` leaves out numbers and label.
    pub(crate) fn vertical_axis(
        &mut self,
        area: &Rect,
        ticks: &[Tick],
        label: &str,
        quiet: bool,
        style: &Style,
    ) {
        let mut path = segment((area.left, area.top), (area.left, area.bottom)).to_vec();
        for tick in ticks {
            let y = area.bottom - tick.part * area.height();
            let long = if tick.label.is_some() { 1.0 } else { 0.55 };
            let end = area.left - long * tick_length(style);
            path.extend(segment((end, y), (area.left, y)));
            if let Some(label) = tick.label.as_ref().filter(|_| !quiet) {
                let at = (
                    area.left - tick_length(style) - tick_gap(style),
                    y + font::CAP_HEIGHT / 2.0 * style.tick,
                );
                self.write(label, at, style.look(Role::TickY, Align::Right));
            }
        }
        self.stroke(path, Stroke::solid(INK, style.hairline()));
        if !quiet && !label.is_empty() {
            let x = area.left - left_room(ticks, label, style) + 0.8 * style.text;
            let at = (x, (area.top + area.bottom) / 2.0);
            let room = area.height() + 1.5 * style.text;
            self.write_fitted(label, at, style.look(Role::Axis, Align::Centre).turned(90.0), room);
        }
    }

    /// The horizontal axis at the bottom of the area.
    pub(crate) fn horizontal_axis(
        &mut self,
        area: &Rect,
        ticks: &[Tick],
        label: &str,
        style: &Style,
    ) {
        let mut path = segment((area.left, area.bottom), (area.right, area.bottom)).to_vec();
        for tick in ticks {
            let x = area.left + tick.part * area.width();
            let long = if tick.label.is_some() { 1.0 } else { 0.55 };
            let end = area.bottom + long * tick_length(style);
            path.extend(segment((x, area.bottom), (x, end)));
            if let Some(label) = &tick.label {
                let y = area.bottom + tick_length(style) + tick_gap(style) + 0.80 * style.tick;
                self.write(label, (x, y), style.look(Role::TickX, Align::Centre));
            }
        }
        self.stroke(path, Stroke::solid(INK, style.hairline()));
        self.horizontal_label(area, label, bottom_room(label, style), style);
    }

    /// The name of a horizontal axis that takes `room` below the area.
    pub(crate) fn horizontal_label(&mut self, area: &Rect, label: &str, room: f64, style: &Style) {
        if !label.is_empty() {
            let at = ((area.left + area.right) / 2.0, area.bottom + room - 0.24 * style.text);
            let most = area.width() + 3.0 * style.text;
            self.write_fitted(label, at, style.look(Role::Axis, Align::Centre), most);
        }
    }

    /// Writes a label, smaller where it would be longer than `room`, but never tiny.
    pub(crate) fn write_fitted(
        &mut self,
        label: &str,
        at: (f64, f64),
        look: super::text::Look,
        room: f64,
    ) -> f64 {
        let wanted = line(label, look.size).width;
        let factor = if wanted > room { (room / wanted).max(0.6) } else { 1.0 };
        self.write(label, at, look.sized(look.size * factor))
    }
}
