//! Matrices as coloured cells without seams, with one colour bar.

use super::colour_bar::Colours;
use super::prelude::*;
use super::tiles::{even, mean};

/// Cells smaller than this, in points, are averaged.
const FINEST: f64 = 0.3;

pub(crate) struct HeatmapsContent<'a> {
    style: &'a Style,
    maps: &'a [Heatmap],
    colours: Colours<'a>,
}

/// Where everything stands, relative to the upper left corner of the area.
struct Plan<'a> {
    maps: Vec<PlacedMap<'a>>,
    bar: Rect,
    height: f64,
    /// Ticks of the colour bar.
    ticks: Vec<Tick>,
}

struct PlacedMap<'a> {
    map: &'a Heatmap,
    rect: Rect,
    /// Whether the names of its columns are turned: they do not fit side by side, but do when turned.
    turned: bool,
}

impl<'a> HeatmapsContent<'a> {
    pub(crate) fn new(maps: &'a Heatmaps, context: &Context<'a>) -> Self {
        let values = || maps.maps.iter().flat_map(|m| &m.values).copied().filter(|v| v.is_finite());
        let axis = Axis::linear("");
        let mapping = if maps.symmetric {
            let largest = values().fold(0.0, |largest: f64, v| largest.max(v.abs()));
            let ends = if largest > 0.0 { [-largest, largest] } else { [-1.0, 1.0] };
            Mapping::new(&axis, ends.into_iter(), 0.0)
        } else {
            Mapping::new(&axis, values().chain([0.0]), 0.0)
        };
        let colours = Colours::ramp(mapping, &maps.label);
        let colours = Colours { diverging: maps.symmetric, ..colours };
        Self { style: context.style, maps: &maps.maps, colours }
    }

    /// Places for all, with the ticks that the bar has room for.
    fn plan(&self, wide: f64, usual: f64) -> Plan<'a> {
        let placed = |ticks: Vec<Tick>| {
            self.placed(wide - self.style.bar_room(&ticks, self.colours.label), usual, ticks)
        };
        let guess = placed(self.colours.ticks(usual, self.style));
        placed(self.colours.ticks(guess.bar.height(), self.style))
    }

    /// Rows of maps, as many side by side as stay large enough to be read.
    fn placed(&self, room: f64, usual: f64, ticks: Vec<Tick>) -> Plan<'a> {
        let (maps, Style { unit, tick, .. }) = (self.maps, *self.style);
        let gap = 7.0 * unit;
        let side = maps.iter().map(|map| row_names_room(map, self.style)).fold(0.0, f64::max);
        let each = |count: usize| (room - gap * (count - 1) as f64) / count as f64 - side;
        let count = (1..=maps.len()).rev().find(|&n| each(n) >= 44.0 * unit).unwrap_or(1);
        // Rows as even as they can be.
        let rows = maps.len().div_ceil(count).max(1);
        let count = maps.len().div_ceil(rows).max(1);
        let most = each(count).max(10.0 * unit);
        let titles = if maps.iter().any(|m| !m.title.is_empty()) { 1.3 * tick } else { 0.0 };
        let (mut y, mut right, mut height) = (0.0, 0.0_f64, 0.0);
        let mut all = Vec::new();
        for line in maps.chunks(count) {
            let (mut x, mut tallest, mut names) = (0.0, 0.0_f64, 0.0_f64);
            for map in line {
                let aspect = (map.rows.max(1) as f64 / map.columns.max(1) as f64).clamp(0.25, 3.0);
                let high = (most * aspect).min(1.25 * usual);
                let wide = (high / aspect).min(most);
                let rect = Rect::new(x + side, y + titles, wide, high);
                let is_word = |name: &String| name.parse::<f64>().is_err();
                let needed = longest(&map.column_labels, self.style) + 0.5 * tick;
                let turned = needed > wide / map.columns.max(1) as f64
                    && map.column_labels.iter().any(is_word);
                let placed = PlacedMap { map, rect, turned };
                names = names.max(placed.column_names_room(self.style));
                all.push(placed);
                right = right.max(rect.right);
                tallest = tallest.max(high);
                x += side + wide + gap;
            }
            height = y + titles + tallest;
            y += titles + tallest + names + 5.0 * unit;
        }
        let top = if maps.is_empty() { 0.0 } else { titles };
        let beside = Rect { right, top, bottom: height.max(top + 10.0 * unit), ..Rect::default() };
        Plan { maps: all, bar: self.style.bar_beside(&beside), height, ticks }
    }

    /// The cells of a map, as many as can be seen.
    fn draw_cells(&self, map: &Heatmap, rect: &Rect, drawing: &mut Drawing) {
        let most = |length: f64| (length / FINEST).floor().max(1.0) as usize;
        let rows = map.rows.clamp(1, most(rect.height()));
        let columns = map.columns.clamp(1, most(rect.width()));
        let edges = (even(rect.left, rect.width(), columns), even(rect.top, rect.height(), rows));
        drawing.tiles((&edges.0, &edges.1), rect, |row, column| {
            let covered = |cell: usize, cells: usize, all: usize| {
                cell * all / cells..(cell + 1) * all / cells
            };
            let across = covered(column, columns, map.columns);
            let entries = covered(row, rows, map.rows).flat_map(|row| {
                across.clone().filter_map(move |column| map.values.get(row * map.columns + column))
            });
            Some(self.colours.of(mean(entries)))
        });
        drawing.stroke(rect.path(), Stroke::solid(INK, 0.5));
    }

    fn draw_names(&self, map: &Heatmap, rect: &Rect, turned: bool, drawing: &mut Drawing) {
        let style = self.style;
        let (gap, half) = (2.0 * style.unit, font::CAP_HEIGHT / 2.0 * style.tick);
        let high = rect.height() / map.rows.max(1) as f64;
        let stride = (1.15 * style.tick / high).ceil().max(1.0) as usize;
        for (row, name) in map.row_labels.iter().take(map.rows).enumerate().step_by(stride) {
            let y = rect.top + high * (row as f64 + 0.5) + half;
            drawing.write(name, (rect.left - gap, y), style.look(Role::TickY, Align::Right));
        }
        let wide = rect.width() / map.columns.max(1) as f64;
        let longest = longest(&map.column_labels, style);
        let needed = if turned { 1.15 * style.tick } else { longest + 0.35 * style.tick };
        let stride = (needed / wide).ceil().max(1.0) as usize;
        for (column, name) in map.column_labels.iter().take(map.columns).enumerate().step_by(stride)
        {
            let x = rect.left + wide * (column as f64 + 0.5);
            if turned {
                let look = style.look(Role::TickX, Align::Right).turned(90.0);
                drawing.write(name, (x + half, rect.bottom + gap), look);
            } else {
                let at = (x, rect.bottom + gap + 0.8 * style.tick);
                drawing.write(name, at, style.look(Role::TickX, Align::Centre));
            }
        }
        if !map.title.is_empty() {
            let at = (rect.left, rect.top - 0.45 * style.tick);
            let look = style.look(Role::Title, Align::Left).sized(style.tick);
            drawing.write_fitted(&map.title, at, look, rect.width() + 5.0 * style.unit);
        }
    }
}

impl Content for HeatmapsContent<'_> {
    fn room(&mut self, wide: f64, high: f64) -> Margins {
        let plan = self.plan(wide, high);
        let names = plan.maps.iter().map(|placed| placed.column_names_room(self.style));
        let bottom = names.fold(0.5 * self.style.tick, f64::max);
        Margins { top: 0.5 * self.style.tick, bottom, ..Margins::default() }
    }

    fn height(&self, wide: f64, usual: f64) -> f64 {
        self.plan(wide, usual).height
    }

    fn is_aligned(&self) -> bool {
        false
    }

    fn draw(&self, area: Rect, usual: f64, drawing: &mut Drawing) {
        let plan = self.plan(area.width(), usual);
        let moved = |rect: &Rect| {
            Rect::new(rect.left + area.left, rect.top + area.top, rect.width(), rect.height())
        };
        for PlacedMap { map, rect, turned } in &plan.maps {
            let rect = moved(rect);
            self.draw_cells(map, &rect, drawing);
            self.draw_names(map, &rect, *turned, drawing);
        }
        if !plan.maps.is_empty() {
            drawing.colour_bar(&moved(&plan.bar), &plan.ticks, &self.colours);
        }
    }
}

impl PlacedMap<'_> {
    fn column_names_room(&self, style: &Style) -> f64 {
        match self.turned {
            _ if self.map.column_labels.is_empty() => 0.0,
            true => longest(&self.map.column_labels, style) + 3.0 * style.unit,
            false => 1.1 * style.tick + 2.0 * style.unit,
        }
    }
}

fn longest(names: &[String], style: &Style) -> f64 {
    names.iter().map(|name| width(name, style.tick)).fold(0.0, f64::max)
}

fn row_names_room(map: &Heatmap, style: &Style) -> f64 {
    if map.row_labels.is_empty() { 0.0 } else { longest(&map.row_labels, style) + 3.0 * style.unit }
}
