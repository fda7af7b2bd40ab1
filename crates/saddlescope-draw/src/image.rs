//! Images: a vector over time as coloured cells, with a colour bar and the instants of theory.

use super::cells::cut;
use super::colour_bar::Colours;
use super::prelude::*;
use super::tiles::{even, mean};

/// Cells, columns and rows of cells, at most: about a megabyte where no two neighbours have one colour.
const MOST: (usize, usize, usize) = (14_000, 320, 160);
/// Narrowest and lowest cell, in points.
const FINEST: f64 = 0.5;
/// Longest name of an entry, in sizes of type.
const LONGEST: f64 = 12.0;

struct ImageMarks<'a> {
    style: &'a Style,
    image: &'a Image,
    x: Mapping,
    colours: Colours<'a>,
    /// Places of the samples as parts of the horizontal axis, ascending, with their numbers.
    samples: Vec<(f64, usize)>,
}

pub(crate) fn plot<'a>(image: &'a Image, context: &Context<'a>) -> Plot<'a> {
    let style = context.style;
    let x = Mapping::new(&image.x, image.at.iter().copied(), 0.0);
    let (mapping, diverging) = colours(&image.colours, &image.values);
    let colours = Colours { mapping, diverging, label: &image.colours.label, rounded: true };
    let place = |(number, &at): (usize, &f64)| Some((x.part(at)?, number));
    let mut samples: Vec<(f64, usize)> = image.at.iter().enumerate().filter_map(place).collect();
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    let side = Side { label: &image.y_label, ticks: Box::new(|high| ticks(image, high, style)) };
    let sides = (Some((x, image.x.label.as_str())), Some(side));
    let marks = ImageMarks { style, image, x, colours, samples };
    Plot { colours: Some(colours), ..Plot::new(context, sides, marks) }
}

impl ImageMarks<'_> {
    /// Samples in a part of the horizontal axis, or the one nearest to its middle; none where none were taken.
    fn taken(&self, from: f64, to: f64) -> &[(f64, usize)] {
        let before = |end: f64| self.samples.partition_point(|(part, _)| *part < end);
        let (start, end) = (before(from), before(to));
        if start < end {
            return &self.samples[start..end];
        }
        if start == 0 || start == self.samples.len() {
            return &[];
        }
        let middle = 0.5 * (from + to);
        let before = middle - self.samples[start - 1].0 < self.samples[start].0 - middle;
        let nearest = if before { start - 1 } else { start };
        &self.samples[nearest..=nearest]
    }

    /// Rows and columns of cells in an area.
    fn grain(&self, area: &Rect) -> (usize, usize) {
        let most = |length: f64| (length / FINEST).floor().max(1.0) as usize;
        let rows = self.image.entries.clamp(1, MOST.2).min(most(area.height()));
        (rows, MOST.1.min(MOST.0 / rows).min(most(area.width())))
    }

    /// Each cell in the colour of the mean of what it covers; none where there is no sample.
    fn draw_cells(&self, area: &Rect, drawing: &mut Drawing) {
        let (rows, columns) = self.grain(area);
        let all = self.image.entries;
        let part = |column: usize| column as f64 / columns as f64;
        let taken: Vec<_> = (0..columns).map(|i| self.taken(part(i), part(i + 1))).collect();
        let edges = (even(area.left, area.width(), columns), even(area.top, area.height(), rows));
        drawing.tiles((&edges.0, &edges.1), area, |row, column| {
            taken[column].first()?;
            let entries = row * all / rows..(row + 1) * all / rows;
            let values = taken[column].iter().filter_map(|&(_, sample)| {
                let first = sample * all;
                self.image.values.get(first + entries.start..first + entries.end)
            });
            Some(self.colours.of(mean(values.flatten())))
        });
    }

    /// Lines between the rows of a matrix, where they can be seen.
    fn draw_groups(&self, area: &Rect, drawing: &mut Drawing) {
        let Image { group, entries, .. } = *self.image;
        let high = area.height() * group as f64 / entries.max(1) as f64;
        if group == 0 || high < 4.0 * self.style.unit {
            return;
        }
        for line in 1..entries.div_ceil(group) {
            let y = area.top + high * line as f64;
            let stroke = Stroke::solid(WHITE, 0.8 * self.style.unit);
            drawing.segment((area.left, y), (area.right, y), stroke);
        }
    }

    fn draw_instants(&self, area: &Rect, drawing: &mut Drawing) {
        for (value, ink, _) in &self.image.instants {
            let part = self.x.part(*value).filter(|part| (0.0..=1.0).contains(part));
            let Some(x) = part.map(|part| area.x(part)) else { continue };
            let ends = ((x, area.top), (x, area.bottom));
            // A pale line below, so that dashes are seen on dark colours.
            let ground = Ink { width: ink.width + 1.0, opacity: 0.65, ..*ink }.dashed(Dash::Solid);
            drawing.segment(ends.0, ends.1, Stroke { colour: WHITE, ..self.style.stroke(&ground) });
            drawing.segment(ends.0, ends.1, self.style.stroke(ink));
        }
    }
}

/// Ticks at entries, by name or number, from the top.
fn ticks(image: &Image, high: f64, style: &Style) -> Vec<Tick> {
    let Image { first, entries, names, .. } = image;
    let count = *entries as f64;
    if !names.is_empty() {
        let stride = (1.15 * style.tick * count / high.max(1.0)).ceil().max(1.0) as usize;
        let named = names.iter().take(*entries).enumerate().step_by(stride);
        let tick = |(number, name): (usize, &String)| Tick {
            part: 1.0 - (number as f64 + 0.5) / count,
            label: Some(cut(name, LONGEST * style.tick, style.tick)),
        };
        return named.map(tick).collect();
    }
    let first = *first as f64;
    let range = Some((first - 0.5, first + count.max(1.0) - 0.5));
    let axis = Axis { whole: true, ..Axis::new("", Scale::Linear, range) };
    let mapping = Mapping::new(&axis, std::iter::empty(), 0.0);
    let ticks = style.vertical_ticks(&mapping, high);
    ticks.into_iter().map(|tick| Tick { part: 1.0 - tick.part, ..tick }).collect()
}

impl Marks for ImageMarks<'_> {
    /// A name for each kind of instant.
    fn entries(&self) -> Vec<Entry> {
        let named = self.image.instants.iter().filter(|(.., label)| !label.is_empty());
        legend::entries(named.map(|(_, ink, label)| (label.as_str(), Sample::Upright(*ink))))
    }

    fn draw(&self, area: &Rect, drawing: &mut Drawing) {
        self.draw_cells(area, drawing);
        self.draw_groups(area, drawing);
        self.draw_instants(area, drawing);
    }
}

/// The scale of the colours, and whether they diverge at zero, in its middle.
fn colours(axis: &Axis, values: &[f64]) -> (Mapping, bool) {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let greatest = finite().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
    let below = match axis.range {
        Some((low, _)) => low < 0.0,
        // A little below zero, as rounding leaves it, is not another side.
        None => finite().any(|value| value < -0.01 * greatest),
    };
    if axis.scale == Scale::Log || !below {
        // Colours of a linear scale start at zero unless a range is stated.
        let zero = (axis.scale == Scale::Linear).then_some(0.0);
        let shown = finite().filter(|value| axis.scale == Scale::Log || *value >= 0.0);
        return (Mapping::new(axis, shown.chain(zero), 0.0), false);
    }
    let shown = |(low, high): (f64, f64)| low.abs().max(high.abs());
    let end = axis.range.map_or(greatest, shown);
    let axis = Axis { range: Some((-end, end)), ..axis.clone() };
    (Mapping::new(&axis, [-1.0, 1.0].into_iter(), 0.0), true)
}
