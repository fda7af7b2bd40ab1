//! Plots: marks between axes, with a legend and, where colours stand for numbers, a colour bar.

use super::colour_bar::{self, Colours};
use super::legend::PanelLegend;
use super::prelude::*;

/// What stands between the axes of a plot.
pub(crate) trait Marks {
    /// Room that the marks' own names need: beside that of the axes, and in place of an axis that is missing.
    fn margins(&self, _wide: f64, _style: &Style) -> Margins {
        Margins::default()
    }

    /// What the legend explains.
    fn entries(&self) -> Vec<Entry>;

    /// Places that a legend should not cover.
    fn busy(&self, area: &Rect, _style: &Style) -> Vec<Point> {
        legend::everywhere(area)
    }

    /// Draws what lies under the axes.
    fn draw(&self, area: &Rect, style: &Style, drawing: &mut Drawing);

    /// Draws what lies over the axes.
    fn draw_over(&self, _area: &Rect, _style: &Style, _drawing: &mut Drawing) {}
}

/// The ticks of an axis of a height.
type Ticks<'a> = Box<dyn Fn(f64, &Style) -> Vec<Tick> + 'a>;

/// A vertical axis.
pub(crate) struct Side<'a> {
    pub(crate) label: &'a str,
    pub(crate) ticks: Ticks<'a>,
}

impl<'a> Side<'a> {
    pub(crate) fn numbers(mapping: Mapping, label: &'a str) -> Self {
        Self { label, ticks: Box::new(move |high, style| frame::vertical(&mapping, high, style)) }
    }
}

/// The axes of a plot, as far as it has them: the horizontal one with its label, and the vertical one.
pub(crate) type Sides<'a> = (Option<(Mapping, &'a str)>, Option<Side<'a>>);

/// Marks with what stands around them.
pub(crate) struct Plot<'a> {
    pub(crate) sides: Sides<'a>,
    pub(crate) marks: Box<dyn Marks + 'a>,
    pub(crate) legend: PanelLegend,
    /// Whether faint lines cross the area at the ticks of the vertical axis.
    pub(crate) grid: bool,
    /// Whether the vertical axis has neither numbers nor label.
    pub(crate) quiet: bool,
    pub(crate) colours: Option<Colours<'a>>,
    /// A line above the area; may be empty.
    pub(crate) note: String,
}

impl<'a> Plot<'a> {
    pub(crate) fn new(sides: Sides<'a>, marks: impl Marks + 'a, title: Option<&str>) -> Self {
        Self {
            sides,
            legend: PanelLegend::new(marks.entries(), title),
            marks: Box::new(marks),
            grid: false,
            quiet: false,
            colours: None,
            note: String::new(),
        }
    }

    fn horizontal(&self, wide: f64, style: &Style) -> Vec<Tick> {
        self.sides.0.as_ref().map_or_else(Vec::new, |(x, _)| frame::horizontal(x, wide, style))
    }

    fn vertical(&self, high: f64, style: &Style) -> Vec<Tick> {
        self.sides.1.as_ref().map_or_else(Vec::new, |side| (side.ticks)(high, style))
    }

    /// Room between the area and what stands above it.
    fn top(&self, own: &Margins, style: &Style) -> f64 {
        let axis = if self.sides.1.is_some() { 0.5 * style.tick } else { 0.0 };
        axis + own.top
    }

    fn note_room(&self, style: &Style) -> f64 {
        if self.note.is_empty() { 0.0 } else { 1.25 * style.tick }
    }
}

impl Content for Plot<'_> {
    fn room(&mut self, wide: f64, high: f64, style: &Style) -> Margins {
        let area = Rect::new(0.0, 0.0, wide, high);
        let busy = if self.legend.is_empty() { Vec::new() } else { self.marks.busy(&area, style) };
        let legend = self.legend.fit(&area, style, &busy);
        let own = self.marks.margins(wide, style);
        let left = match &self.sides.1 {
            None => 2.0 * style.unit,
            Some(_) if self.quiet => frame::tick_length(style),
            Some(side) => frame::left_room(&self.vertical(high, style), side.label, style),
        };
        let bar = self.colours.as_ref().map_or(0.0, |colours| {
            colour_bar::room(&colours.ticks(high, style), colours.label, style)
        });
        let right = frame::right_room(&self.horizontal(wide, style), wide, style);
        Margins {
            left: left.max(own.left),
            right: right.max(own.right).max(bar),
            top: self.top(&own, style) + self.note_room(style) + legend,
            bottom: self
                .sides
                .0
                .as_ref()
                .map_or(own.bottom, |(_, label)| frame::bottom_room(label, style)),
        }
    }

    fn entries(&self) -> Vec<Entry> {
        self.marks.entries()
    }

    fn hide_legend(&mut self) {
        self.legend = PanelLegend::default();
    }

    fn draw(&self, area: Rect, _usual: f64, style: &Style, drawing: &mut Drawing) {
        let vertical = self.vertical(area.height(), style);
        if self.grid {
            drawing.grid(&area, &vertical, style);
        }
        self.marks.draw(&area, style, drawing);
        if let Some(side) = &self.sides.1 {
            drawing.vertical_axis(&area, &vertical, side.label, self.quiet, style);
        }
        if let Some((_, label)) = &self.sides.0 {
            let ticks = self.horizontal(area.width(), style);
            drawing.horizontal_axis(&area, &ticks, label, style);
        }
        self.marks.draw_over(&area, style, drawing);
        if let Some(colours) = &self.colours {
            let ticks = colours.ticks(area.height(), style);
            drawing.colour_bar(&colour_bar::beside(&area, style), &ticks, colours, style);
        }
        let own = self.marks.margins(area.width(), style);
        if !self.note.is_empty() {
            let look = style.look(Role::Legend, Align::Left).sized(style.tick).coloured(FAINT);
            let at = (area.left, area.top - self.top(&own, style) - 0.3 * style.tick);
            drawing.write_fitted(&self.note, at, look, area.width());
        }
        let above = own.top + self.note_room(style);
        self.legend.draw(&area, above, style, drawing, || self.marks.busy(&area, style));
    }
}
