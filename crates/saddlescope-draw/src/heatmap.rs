//! Matrices as coloured cells without seams, with one colour bar.

use super::colour_bar::{self, Colours};
use super::prelude::*;

/// Cells smaller than this, in points, are averaged.
const FINEST: f64 = 0.3;

/// Matrices with the mapping of their colours.
pub(crate) struct HeatmapsContent<'a> {
    maps: &'a Heatmaps,
    colours: Colours<'a>,
}

/// Where everything stands, relative to the upper left corner of the area.
#[derive(Default)]
struct Plan {
    maps: Vec<Rect>,
    bar: Rect,
    height: f64,
    /// Whether the names of columns are turned, map by map.
    turned: Vec<bool>,
    /// Ticks of the colour bar.
    ticks: Vec<Tick>,
}

impl<'a> HeatmapsContent<'a> {
    pub(crate) fn new(maps: &'a Heatmaps) -> Self {
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
        Self { maps, colours: Colours { diverging: maps.symmetric, ..colours } }
    }

    /// Places for all, with the ticks that the bar has room for.
    fn plan(&self, wide: f64, usual: f64, style: &Style) -> Plan {
        let placed = |ticks: &[Tick]| {
            self.placed(wide - colour_bar::room(ticks, &self.maps.label, style), usual, style)
        };
        let guess = placed(&self.colours.ticks(usual, style));
        let ticks = self.colours.ticks(guess.bar.height(), style);
        Plan { ticks: ticks.clone(), ..placed(&ticks) }
    }

    /// Rows of maps, as many side by side as stay large enough to be read.
    fn placed(&self, room: f64, usual: f64, style: &Style) -> Plan {
        let maps = &self.maps.maps;
        let gap = 7.0 * style.unit;
        let side = maps.iter().map(|map| row_names_room(map, style)).fold(0.0, f64::max);
        let each = |count: usize| (room - gap * (count - 1) as f64) / count as f64 - side;
        let count = (1..=maps.len()).rev().find(|&n| each(n) >= 44.0 * style.unit).unwrap_or(1);
        // Rows as even as they can be.
        let rows = maps.len().div_ceil(count).max(1);
        let count = maps.len().div_ceil(rows).max(1);
        let most = each(count).max(10.0 * style.unit);
        let titles = if maps.iter().any(|m| !m.title.is_empty()) { 1.3 * style.tick } else { 0.0 };
        let (mut y, mut right) = (0.0, 0.0_f64);
        let mut plan = Plan::default();
        for line in maps.chunks(count) {
            let (mut x, mut tallest, mut names) = (0.0, 0.0_f64, 0.0_f64);
            for map in line {
                let aspect = map.rows.max(1) as f64 / map.columns.max(1) as f64;
                let high = (most * aspect.clamp(0.25, 3.0)).min(1.25 * usual);
                let wide = (high / aspect.clamp(0.25, 3.0)).min(most);
                let rect = Rect::new(x + side, y + titles, wide, high);
                let turned = column_names_turn(map, wide, style);
                names = names.max(column_names_room(map, turned, style));
                plan.turned.push(turned);
                plan.maps.push(rect);
                right = right.max(rect.right);
                tallest = tallest.max(high);
                x += side + wide + gap;
            }
            plan.height = y + titles + tallest;
            y += titles + tallest + names + 5.0 * style.unit;
            plan.bar.top = titles;
        }
        plan.bar = Rect {
            left: right + colour_bar::gap(style),
            right: right + colour_bar::gap(style) + colour_bar::wide(style),
            bottom: plan.height.max(plan.bar.top + 10.0 * style.unit),
            ..plan.bar
        };
        plan
    }

    fn draw_cells(&self, map: &Heatmap, rect: &Rect, drawing: &mut Drawing) {
        let cells = Grain::new(map, rect);
        drawing.cells(rect, (cells.rows, cells.columns), |row, column| {
            let part = self.colours.mapping.part(cells.value(row, column));
            Some(self.colours.shade(part.unwrap_or(f64::NAN)))
        });
        drawing.stroke(rect.path(), Stroke::solid(INK, 0.5));
    }

    fn draw_names(
        &self,
        map: &Heatmap,
        rect: &Rect,
        turned: bool,
        style: &Style,
        drawing: &mut Drawing,
    ) {
        let gap = 2.0 * style.unit;
        let high = rect.height() / map.rows.max(1) as f64;
        let stride = (1.15 * style.tick / high).ceil().max(1.0) as usize;
        for (row, name) in map.row_labels.iter().take(map.rows).enumerate().step_by(stride) {
            let y = rect.top + high * (row as f64 + 0.5) + font::CAP_HEIGHT / 2.0 * style.tick;
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
                let at = (x + font::CAP_HEIGHT / 2.0 * style.tick, rect.bottom + gap);
                drawing.write(name, at, style.look(Role::TickX, Align::Right).turned(90.0));
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
    fn room(&mut self, wide: f64, high: f64, style: &Style) -> Margins {
        let plan = self.plan(wide, high, style);
        let names = self.maps.maps.iter().zip(&plan.turned);
        let names = names.map(|(map, &turned)| column_names_room(map, turned, style));
        let bottom = names.fold(0.5 * style.tick, f64::max);
        Margins { top: 0.5 * style.tick, bottom, ..Margins::default() }
    }

    fn height(&self, wide: f64, usual: f64, style: &Style) -> f64 {
        self.plan(wide, usual, style).height
    }

    fn is_aligned(&self) -> bool {
        false
    }

    fn draw(&self, area: Rect, usual: f64, style: &Style, drawing: &mut Drawing) {
        let plan = self.plan(area.width(), usual, style);
        let placed = |rect: &Rect| {
            Rect::new(rect.left + area.left, rect.top + area.top, rect.width(), rect.height())
        };
        for ((map, rect), &turned) in self.maps.maps.iter().zip(&plan.maps).zip(&plan.turned) {
            let rect = placed(rect);
            self.draw_cells(map, &rect, drawing);
            self.draw_names(map, &rect, turned, style, drawing);
        }
        if !plan.maps.is_empty() {
            drawing.colour_bar(&placed(&plan.bar), &plan.ticks, &self.colours, style);
        }
    }
}

fn longest(names: &[String], style: &Style) -> f64 {
    names.iter().map(|name| width(name, style.tick)).fold(0.0, f64::max)
}

fn row_names_room(map: &Heatmap, style: &Style) -> f64 {
    if map.row_labels.is_empty() { 0.0 } else { longest(&map.row_labels, style) + 3.0 * style.unit }
}

/// Whether names of columns do not fit side by side, but do when turned.
fn column_names_turn(map: &Heatmap, wide: f64, style: &Style) -> bool {
    let cell = wide / map.columns.max(1) as f64;
    let is_word = |name: &String| name.parse::<f64>().is_err();
    longest(&map.column_labels, style) + 0.5 * style.tick > cell
        && map.column_labels.iter().any(is_word)
}

fn column_names_room(map: &Heatmap, turned: bool, style: &Style) -> f64 {
    match () {
        () if map.column_labels.is_empty() => 0.0,
        () if turned => longest(&map.column_labels, style) + 3.0 * style.unit,
        () => 1.1 * style.tick + 2.0 * style.unit,
    }
}

/// A matrix with cells that can be seen: small ones are averaged, as far as they are finite.
struct Grain<'a> {
    map: &'a Heatmap,
    rows: usize,
    columns: usize,
}

impl<'a> Grain<'a> {
    fn new(map: &'a Heatmap, rect: &Rect) -> Self {
        let most = |length: f64| (length / FINEST).floor().max(1.0) as usize;
        Self {
            map,
            rows: map.rows.clamp(1, most(rect.height())),
            columns: map.columns.clamp(1, most(rect.width())),
        }
    }

    fn value(&self, row: usize, column: usize) -> f64 {
        let Heatmap { rows, columns, values, .. } = self.map;
        if self.rows == *rows && self.columns == *columns {
            return values.get(row * columns + column).copied().unwrap_or(f64::NAN);
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for r in row * rows / self.rows..(row + 1) * rows / self.rows {
            for c in column * columns / self.columns..(column + 1) * columns / self.columns {
                let value = values.get(r * columns + c).copied().unwrap_or(f64::NAN);
                if value.is_finite() {
                    sum += value;
                    count += 1.0;
                }
            }
        }
        sum / count
    }
}

impl Drawing {
    /// Rows of equal cells from the top, neighbours of one colour in one; a cell without a colour is left out.
    pub(crate) fn cells(
        &mut self,
        area: &Rect,
        (rows, columns): (usize, usize),
        colour: impl Fn(usize, usize) -> Option<Rgb>,
    ) {
        let x = |column: usize| area.left + area.width() * column as f64 / columns as f64;
        let y = |row: usize| area.top + area.height() * row as f64 / rows as f64;
        // Each cell reaches under the next ones, so that no viewer shows the ground between them.
        let under_x = (0.5 * area.width() / columns as f64).min(0.5);
        let under_y = (0.5 * area.height() / rows as f64).min(0.5);
        for row in 0..rows {
            let colours: Vec<Option<Rgb>> =
                (0..columns).map(|column| colour(row, column)).collect();
            let bottom = (y(row + 1) + under_y).min(area.bottom);
            let mut column = 0;
            for alike in colours.chunk_by(|a, b| a == b) {
                let end = column + alike.len();
                if let Some(colour) = alike[0] {
                    let right = (x(end) + under_x).min(area.right);
                    let cell = Rect { left: x(column), top: y(row), right, bottom };
                    self.fill(cell.path(), colour, 1.0);
                }
                column = end;
            }
        }
    }
}
