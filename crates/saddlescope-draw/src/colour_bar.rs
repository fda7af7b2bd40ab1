//! The bar that says which number a colour stands for.

use super::colour::{INK, Rgb};
use super::font;
use super::frame;
use super::scene::{Drawing, Rect, Role, Step, Stroke};
use super::style::Style;
use super::text::Align;
use super::ticks::Tick;

/// Colours along the bar.
const SHADES: usize = 96;

/// Width of a bar.
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
    /// A bar with its ticks and its name at the right; `shade` has the colour of each part of it.
    pub(crate) fn colour_bar(
        &mut self,
        bar: &Rect,
        ticks: &[Tick],
        label: &str,
        shade: impl Fn(f64) -> Rgb,
        style: &Style,
    ) {
        let high = bar.height() / SHADES as f64;
        for step in 0..SHADES {
            let part = 1.0 - (step as f64 + 0.5) / SHADES as f64;
            let top = bar.top + high * step as f64;
            let bottom = (top + high + 0.5).min(bar.bottom);
            self.fill(Rect { top, bottom, ..*bar }.path(), shade(part), 1.0);
        }
        let mut path = bar.path();
        let length = 0.8 * frame::tick_length(style);
        for tick in ticks {
            let y = bar.bottom - tick.part * bar.height();
            path.extend([Step::Move((bar.right, y)), Step::Line((bar.right + length, y))]);
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
