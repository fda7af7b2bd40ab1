//! Groups of bars with error bars and the ticks of theory.

use super::cells::cut;
use super::prelude::*;

/// Part of a group's width that its bars fill.
const FILLED: f64 = 0.78;
/// Angle of group names that are too long to stand side by side, in degrees.
const SLANT: f64 = 35.0;

struct BarMarks<'a> {
    bars: &'a Bars,
    y: Mapping,
}

/// Names of groups as they are drawn.
enum Names {
    /// One or more lines per group.
    Straight(Vec<Vec<String>>),
    /// One line per group.
    Slanted(Vec<String>),
}

/// Words of a name in lines no wider than `room`, as far as they allow; formulas are not broken.
fn broken(name: &str, room: f64, size: f64) -> Vec<String> {
    if name.contains('$') || width(name, size) <= room {
        return vec![name.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= room => {
                *line += " ";
                *line += word;
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

pub(crate) fn plot<'a>(bars: &'a Bars, title: Option<&str>) -> Plot<'a> {
    let values = || {
        let series = bars.series.iter().flat_map(|s| s.values.iter().chain(&s.low));
        series.chain(&bars.theory).flatten().copied()
    };
    let highest = bars.series.iter().flat_map(|s| &s.high).flatten().copied();
    let zero = (bars.y.scale == Scale::Linear).then_some(0.0);
    let mut y = Mapping::new(&bars.y, values().chain(highest).chain(zero), 0.06);
    let own_range = bars.y.scale == Scale::Linear && bars.y.range.is_none();
    // Bars stand on the axis: no room beyond zero where all lie on one side of it.
    if own_range && values().all(|v| v >= 0.0 || v.is_nan()) {
        y.low = 0.0;
    }
    let sides = (None, Some(Side::numbers(y, &bars.y.label)));
    Plot { grid: true, ..Plot::new(sides, BarMarks { bars, y }, title) }
}

impl BarMarks<'_> {
    /// Left end and width of a bar.
    fn bar(&self, group: usize, series: usize, area: &Rect) -> (f64, f64) {
        let share = area.width() / self.bars.groups.len().max(1) as f64;
        let wide = FILLED * share / self.bars.series.len().max(1) as f64;
        let start = area.left + share * group as f64 + (1.0 - FILLED) / 2.0 * share;
        (start + wide * series as f64, wide)
    }

    /// Height of a value in the area, cut to it.
    fn height(&self, value: f64, area: &Rect) -> Option<f64> {
        let part = self.y.part(value).map_or_else(
            // On a logarithmic axis, bars without height.
            || (self.y.scale == Scale::Log && value <= 0.0).then_some(0.0),
            Some,
        )?;
        Some(area.bottom - part.clamp(-0.01, 1.01) * area.height())
    }

    /// Where bars start: zero, or the bottom where zero is not shown.
    fn ground(&self, area: &Rect) -> f64 {
        let part = match self.y.scale {
            Scale::Linear => self.y.part(0.0).unwrap_or(0.0).clamp(0.0, 1.0),
            Scale::Log => 0.0,
        };
        area.bottom - part * area.height()
    }

    /// Height of what a list has for a group.
    fn end(&self, values: &[Option<f64>], group: usize, area: &Rect) -> Option<f64> {
        let value = values.get(group).copied().flatten().filter(|value| !value.is_nan());
        self.height(value?, area)
    }

    fn draw_series(&self, number: usize, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let series = &self.bars.series[number];
        let (mut path, mut errors) = (Vec::new(), Vec::new());
        for group in 0..self.bars.groups.len() {
            let (left, wide) = self.bar(group, number, area);
            let room = (0.06 * wide).min(0.6 * style.unit);
            if let Some(top) = self.end(&series.values, group, area) {
                let ground = self.ground(area);
                let (left, right) = (left + room, left + wide - room);
                let (top, bottom) = (top.min(ground), top.max(ground));
                path.extend(Rect { left, top, right, bottom }.path());
            }
            let ends = (self.end(&series.low, group, area), self.end(&series.high, group, area));
            if let (Some(low), Some(high)) = ends {
                let (x, cap) = (left + wide / 2.0, 0.14 * wide);
                errors.extend(segment((x, low), (x, high)));
                errors.extend([low, high].map(|y| segment((x - cap, y), (x + cap, y))).concat());
            }
        }
        drawing.fill(path, series.ink.colour.rgb(), opacity(&series.ink));
        drawing.stroke(errors, Stroke::solid(INK, 0.7 * style.unit));
    }

    /// Short dashed lines over groups or bars.
    fn draw_theory(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let (groups, series) = (self.bars.groups.len(), self.bars.series.len());
        let per_bar = self.bars.theory.len() > groups;
        let mut path = Vec::new();
        for (number, expected) in self.bars.theory.iter().enumerate() {
            let (group, first, last) = if per_bar {
                (number / series.max(1), number % series.max(1), number % series.max(1))
            } else {
                (number, 0, series.max(1) - 1)
            };
            let Some(y) = expected.and_then(|v| self.height(v, area)) else { continue };
            if group < groups {
                let (left, _) = self.bar(group, first, area);
                let (right, wide) = self.bar(group, last, area);
                let over = 1.5 * style.unit;
                path.extend(segment((left - over, y), (right + wide + over, y)));
            }
        }
        drawing.stroke(path, Stroke { colour: THEORY, ..style.stroke(&theory_ink()) });
    }

    /// Names of the groups: in lines that fit below their bars, else slanted.
    fn names(&self, wide: f64, style: &Style) -> Names {
        let share = wide / self.bars.groups.len().max(1) as f64 - 0.4 * style.tick;
        let lines: Vec<_> = self.bars.groups.iter().map(|g| broken(g, share, style.tick)).collect();
        let fits = |lines: &Vec<String>| {
            lines.len() <= 3 && lines.iter().all(|line| width(line, style.tick) <= share)
        };
        if lines.iter().all(fits) {
            return Names::Straight(lines);
        }
        let most = 75.0 * style.unit;
        Names::Slanted(self.bars.groups.iter().map(|g| cut(g, most, style.tick)).collect())
    }

    fn draw_names(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let share = area.width() / self.bars.groups.len().max(1) as f64;
        let x = |group: usize| area.left + share * (group as f64 + 0.5);
        let y = area.bottom + 2.4 * style.unit + 0.80 * style.tick;
        match self.names(area.width(), style) {
            Names::Straight(names) => {
                let look = style.look(Role::TickX, Align::Centre);
                for (group, lines) in names.iter().enumerate() {
                    for (number, line) in lines.iter().enumerate() {
                        let down = 1.15 * style.tick * number as f64;
                        drawing.write(line, (x(group), y + down), look);
                    }
                }
            }
            Names::Slanted(names) => {
                let look = style.look(Role::TickX, Align::Right).turned(SLANT);
                // Names that would touch are left out.
                let stride = (1.8 * style.tick / share).ceil().max(1.0) as usize;
                for (group, name) in names.iter().enumerate().step_by(stride) {
                    drawing.write(name, (x(group) + 0.3 * style.tick, y), look);
                }
            }
        }
    }

    /// Room below the area with the names of groups and the axis's own.
    fn names_room(&self, wide: f64, style: &Style) -> f64 {
        let label = if self.bars.x_label.is_empty() { 0.0 } else { 1.35 * style.text };
        let names = match self.names(wide, style) {
            Names::Straight(names) => {
                let lines = names.iter().map(Vec::len).max().unwrap_or(1).max(1);
                1.15 * style.tick * lines as f64
            }
            Names::Slanted(names) => {
                let longest = names.iter().map(|g| width(g, style.tick)).fold(0.0, f64::max);
                1.15 * style.tick + longest * SLANT.to_radians().sin()
            }
        };
        2.4 * style.unit + names + label
    }
}

impl Marks for BarMarks<'_> {
    fn margins(&self, wide: f64, style: &Style) -> Margins {
        let share = wide / self.bars.groups.len().max(1) as f64;
        // Slanted names reach to the left of their group.
        let left = match self.names(wide, style) {
            Names::Slanted(names) => names.first().map_or(0.0, |name| {
                width(name, style.tick) * SLANT.to_radians().cos() - share / 2.0
            }),
            Names::Straight(_) => 0.0,
        };
        Margins { left, bottom: self.names_room(wide, style), ..Margins::default() }
    }

    fn busy(&self, area: &Rect, style: &Style) -> Vec<Point> {
        let mut busy = Vec::new();
        let ground = self.ground(area);
        for (number, series) in self.bars.series.iter().enumerate() {
            for group in 0..self.bars.groups.len() {
                let ends = [&series.values, &series.high].into_iter();
                let tops = ends.filter_map(|values| self.end(values, group, area));
                let Some(top) = tops.reduce(f64::min) else { continue };
                let (left, wide) = self.bar(group, number, area);
                let steps = ((ground - top).abs() / (4.0 * style.unit)).ceil() as usize;
                for step in 0..=steps {
                    let y = top + (ground - top) * step as f64 / steps.max(1) as f64;
                    busy.extend([(left, y), (left + wide / 2.0, y), (left + wide, y)]);
                }
            }
        }
        busy
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for series in &self.bars.series {
            if let Some(label) = series.label.as_ref().filter(|label| !label.is_empty()) {
                legend::enter(&mut entries, label, Sample::Area(series.ink));
            }
        }
        if self.bars.theory.iter().any(Option::is_some) && !entries.is_empty() {
            legend::enter(&mut entries, "theory", Sample::Line(theory_ink()));
        }
        entries
    }

    fn draw(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        drawing.clipped(area.grown(0.5 * style.unit), |drawing| {
            for series in 0..self.bars.series.len() {
                self.draw_series(series, area, style, drawing);
            }
            self.draw_theory(area, style, drawing);
        });
    }

    fn draw_over(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let ground = self.ground(area);
        let line = Stroke::solid(INK, style.hairline());
        drawing.segment((area.left, ground), (area.right, ground), line);
        self.draw_names(area, style, drawing);
        let room = self.names_room(area.width(), style);
        drawing.horizontal_label(area, &self.bars.x_label, room, style);
    }
}

fn theory_ink() -> Ink {
    Ink { width: 1.0, ..Ink::theory() }
}
