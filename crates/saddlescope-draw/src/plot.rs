//! Plots: marks between axes, with a legend and, where colours stand for numbers, a colour bar.

use super::colour_bar::Colours;
use super::legend::PanelLegend;
use super::prelude::*;

/// What stands between the axes of a plot.
pub(crate) trait Marks {
    /// Room that the marks' own names need: beside that of the axes, and in place of an axis that is missing.
    fn margins(&self, _wide: f64) -> Margins {
        Margins::default()
    }

    fn entries(&self) -> Vec<Entry>;

    /// Places that a legend should not cover.
    fn busy(&self, area: &Rect) -> Vec<Point> {
        legend::everywhere(area)
    }

    /// Draws what lies under the axes.
    fn draw(&self, area: &Rect, drawing: &mut Drawing);

    /// Draws what lies over the axes.
    fn draw_over(&self, _area: &Rect, _drawing: &mut Drawing) {}
}

/// The ticks of an axis of a height.
type Ticks<'a> = Box<dyn Fn(f64) -> Vec<Tick> + 'a>;

pub(crate) struct Side<'a> {
    pub(crate) label: &'a str,
    pub(crate) ticks: Ticks<'a>,
}

impl<'a> Side<'a> {
    pub(crate) fn numbers(mapping: Mapping, axis: &'a Axis, style: &'a Style) -> Self {
        let ticks = Box::new(move |high| style.vertical_ticks(&mapping, high));
        Self { label: &axis.label, ticks }
    }
}

/// The axes of a plot, as far as it has them: the horizontal one with its label, and the vertical one.
pub(crate) type Sides<'a> = (Option<(Mapping, &'a str)>, Option<Side<'a>>);

/// Marks with what stands around them.
pub(crate) struct Plot<'a> {
    pub(crate) style: &'a Style,
    pub(crate) sides: Sides<'a>,
    pub(crate) marks: Box<dyn Marks + 'a>,
    pub(crate) legend: PanelLegend<'a>,
    /// Whether faint lines cross the area at the ticks of the vertical axis.
    pub(crate) grid: bool,
    /// Whether the vertical axis has neither numbers nor label.
    pub(crate) quiet: bool,
    pub(crate) colours: Option<Colours<'a>>,
    /// A line above the area; may be empty.
    pub(crate) note: String,
}

impl<'a> Plot<'a> {
    pub(crate) fn new(context: &Context<'a>, sides: Sides<'a>, marks: impl Marks + 'a) -> Self {
        Self {
            style: context.style,
            sides,
            legend: PanelLegend::new(context, marks.entries()),
            marks: Box::new(marks),
            grid: false,
            quiet: false,
            colours: None,
            note: String::new(),
        }
    }

    fn horizontal(&self, wide: f64) -> Vec<Tick> {
        let ticks = |(x, _): &(Mapping, _)| self.style.horizontal_ticks(x, wide);
        self.sides.0.as_ref().map(ticks).unwrap_or_default()
    }

    fn vertical(&self, high: f64) -> Vec<Tick> {
        self.sides.1.as_ref().map(|side| (side.ticks)(high)).unwrap_or_default()
    }

    /// Room between the area and what stands above it.
    fn top(&self, own: &Margins) -> f64 {
        own.top + if self.sides.1.is_some() { 0.5 * self.style.tick } else { 0.0 }
    }

    fn note_room(&self) -> f64 {
        if self.note.is_empty() { 0.0 } else { 1.25 * self.style.tick }
    }
}

impl Content for Plot<'_> {
    fn room(&mut self, wide: f64, high: f64) -> Margins {
        let (area, style) = (Rect::new(0.0, 0.0, wide, high), self.style);
        let legend = self.legend.fit(&area, || self.marks.busy(&area));
        let own = self.marks.margins(wide);
        let left = match &self.sides.1 {
            None => 2.0 * style.unit,
            Some(_) if self.quiet => style.tick_length(),
            Some(side) => style.left_room(&self.vertical(high), side.label),
        };
        let bar = self.colours.as_ref().map_or(0.0, |colours| colours.room(high, style));
        let right = style.right_room(&self.horizontal(wide), wide);
        let bottom = self.sides.0.as_ref().map(|(_, label)| style.bottom_room(label));
        Margins {
            left: left.max(own.left),
            right: right.max(own.right).max(bar),
            top: self.top(&own) + self.note_room() + legend,
            bottom: bottom.unwrap_or(own.bottom),
        }
    }

    fn entries(&self) -> Vec<Entry> {
        self.marks.entries()
    }

    fn draw(&self, area: Rect, _usual: f64, drawing: &mut Drawing) {
        let vertical = self.vertical(area.height());
        if self.grid {
            drawing.grid(&area, &vertical);
        }
        self.marks.draw(&area, drawing);
        if let Some(side) = &self.sides.1 {
            drawing.vertical_axis(&area, &vertical, side.label, self.quiet);
        }
        if let Some((_, label)) = &self.sides.0 {
            drawing.horizontal_axis(&area, &self.horizontal(area.width()), label);
        }
        self.marks.draw_over(&area, drawing);
        if let Some(colours) = &self.colours {
            let bar = self.style.bar_beside(&area);
            drawing.colour_bar(&bar, &colours.ticks(area.height(), self.style), colours);
        }
        let own = self.marks.margins(area.width());
        if !self.note.is_empty() {
            let look = self.style.look(Role::Legend, Align::Left).sized(self.style.tick);
            let at = (area.left, area.top - self.top(&own) - 0.3 * self.style.tick);
            drawing.write_fitted(&self.note, at, look.coloured(FAINT), area.width());
        }
        let above = own.top + self.note_room();
        self.legend.draw(&area, above, drawing, || self.marks.busy(&area));
    }
}
