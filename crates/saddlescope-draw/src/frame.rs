//! Axes: their ticks, labels, lines, and the room that they need.

use super::prelude::*;
use super::text::Look;
use super::ticks::{labelled, ticks};

/// Room around a plotting area, in points.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Margins {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Style {
    pub(crate) fn tick_length(&self) -> f64 {
        2.6 * self.unit
    }

    fn tick_gap(&self) -> f64 {
        1.8 * self.unit
    }

    pub(crate) fn vertical_ticks(&self, mapping: &Mapping, height: f64) -> Vec<Tick> {
        let room = 2.1 * self.tick / height.max(1.0);
        ticks(mapping, |ticks| {
            let parts: Vec<f64> = labelled(ticks).map(|(part, _)| part).collect();
            parts.windows(2).all(|pair| (pair[1] - pair[0]).abs() >= room)
        })
    }

    pub(crate) fn horizontal_ticks(&self, mapping: &Mapping, length: f64) -> Vec<Tick> {
        ticks(mapping, |ticks| {
            let mut end = f64::NEG_INFINITY;
            labelled(ticks).all(|(part, label)| {
                let half = width(label, self.tick) / 2.0;
                let fits = part * length - half >= end;
                end = part * length + half + 1.8 * self.tick;
                fits
            })
        })
    }

    pub(crate) fn left_room(&self, ticks: &[Tick], label: &str) -> f64 {
        let widest = labelled(ticks).map(|(_, label)| width(label, self.tick));
        let numbers = self.tick_length() + self.tick_gap() + widest.fold(0.0, f64::max);
        numbers + if label.is_empty() { 0.0 } else { 1.55 * self.text }
    }

    /// Room to the right of a horizontal axis for its last label.
    pub(crate) fn right_room(&self, ticks: &[Tick], length: f64) -> f64 {
        let over = labelled(ticks)
            .map(|(part, label)| part * length + width(label, self.tick) / 2.0 - length);
        over.fold(2.0 * self.unit, f64::max)
    }

    pub(crate) fn bottom_room(&self, label: &str) -> f64 {
        let numbers = self.tick_length() + self.tick_gap() + 1.05 * self.tick;
        numbers + if label.is_empty() { 0.0 } else { 1.35 * self.text }
    }
}

impl Drawing {
    /// Faint lines across the area at labelled ticks.
    pub(crate) fn grid(&mut self, area: &Rect, vertical: &[Tick]) {
        let line = |(part, _)| {
            let y = area.y(part);
            segment((area.left, y), (area.right, y))
        };
        let path = labelled(vertical).flat_map(line).collect();
        self.stroke(path, Stroke::solid(GRID, self.style.hairline()));
    }

    /// The vertical axis at the left of the area; `quiet` leaves out numbers and label.
    pub(crate) fn vertical_axis(&mut self, area: &Rect, ticks: &[Tick], label: &str, quiet: bool) {
        let style = self.style;
        let mut path = segment((area.left, area.top), (area.left, area.bottom)).to_vec();
        for tick in ticks {
            let y = area.y(tick.part);
            path.extend(segment((area.left - tick.length(&style), y), (area.left, y)));
            if let Some(label) = tick.label.as_ref().filter(|_| !quiet) {
                let x = area.left - style.tick_length() - style.tick_gap();
                let at = (x, y + font::CAP_HEIGHT / 2.0 * style.tick);
                self.write(label, at, style.look(Role::TickY, Align::Right));
            }
        }
        self.stroke(path, Stroke::solid(INK, style.hairline()));
        if !quiet && !label.is_empty() {
            let x = area.left - style.left_room(ticks, label) + 0.8 * style.text;
            let at = (x, (area.top + area.bottom) / 2.0);
            let room = area.height() + 1.5 * style.text;
            self.write_fitted(label, at, style.look(Role::Axis, Align::Centre).turned(90.0), room);
        }
    }

    pub(crate) fn horizontal_axis(&mut self, area: &Rect, ticks: &[Tick], label: &str) {
        let style = self.style;
        let mut path = segment((area.left, area.bottom), (area.right, area.bottom)).to_vec();
        for tick in ticks {
            let x = area.x(tick.part);
            path.extend(segment((x, area.bottom), (x, area.bottom + tick.length(&style))));
            if let Some(label) = &tick.label {
                let y = area.bottom + style.tick_length() + style.tick_gap() + 0.80 * style.tick;
                self.write(label, (x, y), style.look(Role::TickX, Align::Centre));
            }
        }
        self.stroke(path, Stroke::solid(INK, style.hairline()));
        self.horizontal_label(area, label, style.bottom_room(label));
    }

    /// The name of a horizontal axis that takes `room` below the area.
    pub(crate) fn horizontal_label(&mut self, area: &Rect, label: &str, room: f64) {
        if !label.is_empty() {
            let style = self.style;
            let at = ((area.left + area.right) / 2.0, area.bottom + room - 0.24 * style.text);
            let most = area.width() + 3.0 * style.text;
            self.write_fitted(label, at, style.look(Role::Axis, Align::Centre), most);
        }
    }

    /// Writes a label, smaller where it would be longer than `room`, but never tiny.
    pub(crate) fn write_fitted(&mut self, label: &str, at: Point, look: Look, room: f64) {
        let wanted = width(label, look.size);
        let factor = if wanted > room { (room / wanted).max(0.6) } else { 1.0 };
        self.write(label, at, look.sized(look.size * factor));
    }
}

impl Tick {
    fn length(&self, style: &Style) -> f64 {
        let part = if self.label.is_some() { 1.0 } else { 0.55 };
        part * style.tick_length()
    }
}
