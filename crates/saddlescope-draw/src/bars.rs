//! Groups of bars with error bars and the ticks of theory.

use super::cells::cut;
use super::prelude::*;

/// Part of a group's width that its bars fill.
const FILLED: f64 = 0.78;
/// Angle of group names that are too long to stand side by side, in degrees.
const SLANT: f64 = 35.0;

struct BarMarks<'a> {
    style: &'a Style,
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

pub(crate) fn plot<'a>(bars: &'a Bars, context: &Context<'a>) -> Plot<'a> {
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
    let style = context.style;
    let sides = (None, Some(Side::numbers(y, &bars.y, style)));
    Plot { grid: true, ..Plot::new(context, sides, BarMarks { style, bars, y }) }
}

impl BarMarks<'_> {
    /// Width of a group in this room.
    fn share(&self, room: f64) -> f64 {
        room / self.bars.groups.len().max(1) as f64
    }

    /// Left end and width of a bar.
    fn bar(&self, group: usize, series: usize, area: &Rect) -> (f64, f64) {
        let share = self.share(area.width());
        let wide = FILLED * share / self.bars.series.len().max(1) as f64;
        let start = area.left + share * group as f64 + (1.0 - FILLED) / 2.0 * share;
        (start + wide * series as f64, wide)
    }

    /// Height of a value in the area, cut to it.
    fn height(&self, value: f64, area: &Rect) -> Option<f64> {
        // On a logarithmic axis, bars without height.
        let flat = || (self.y.scale == Scale::Log && value <= 0.0).then_some(0.0);
        Some(area.y(self.y.part(value).or_else(flat)?.clamp(-0.01, 1.01)))
    }

    /// Where bars start: zero, or the bottom where zero is not shown.
    fn ground(&self, area: &Rect) -> f64 {
        area.y(self.y.part(0.0).unwrap_or(0.0).clamp(0.0, 1.0))
    }

    /// Height of what a list has for a group.
    fn end(&self, values: &[Option<f64>], group: usize, area: &Rect) -> Option<f64> {
        let value = values.get(group).copied().flatten().filter(|value| !value.is_nan());
        self.height(value?, area)
    }

    fn draw_series(&self, number: usize, area: &Rect, drawing: &mut Drawing) {
        let series = &self.bars.series[number];
        let (mut path, mut errors) = (Vec::new(), Vec::new());
        for group in 0..self.bars.groups.len() {
            let (left, wide) = self.bar(group, number, area);
            let room = (0.06 * wide).min(0.6 * self.style.unit);
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
        drawing.stroke(errors, Stroke::solid(INK, 0.7 * self.style.unit));
    }

    /// Short dashed lines over groups or bars.
    fn draw_theory(&self, area: &Rect, drawing: &mut Drawing) {
        let (groups, series) = (self.bars.groups.len(), self.bars.series.len());
        let per_bar = self.bars.theory.len() > groups;
        let mut path = Vec::new();
        for (number, expected) in self.bars.theory.iter().enumerate() {
            let (group, first, last) = match per_bar {
                true => (number / series.max(1), number % series.max(1), number % series.max(1)),
                false => (number, 0, series.max(1) - 1),
            };
            let Some(y) = expected.and_then(|v| self.height(v, area)) else { continue };
            if group < groups {
                let (left, _) = self.bar(group, first, area);
                let (right, wide) = self.bar(group, last, area);
                let over = 1.5 * self.style.unit;
                path.extend(segment((left - over, y), (right + wide + over, y)));
            }
        }
        drawing.stroke(path, Stroke { colour: THEORY, ..self.style.stroke(&theory_ink()) });
    }

    /// Names of the groups: in lines that fit below their bars, else slanted.
    fn names(&self, wide: f64) -> Names {
        let (groups, size) = (self.bars.groups.iter(), self.style.tick);
        let room = self.share(wide) - 0.4 * size;
        let lines: Vec<_> = groups.clone().map(|name| broken(name, room, size)).collect();
        let fits = |lines: &Vec<String>| {
            lines.len() <= 3 && lines.iter().all(|line| width(line, size) <= room)
        };
        match lines.iter().all(fits) {
            true => Names::Straight(lines),
            false => {
                let most = 75.0 * self.style.unit;
                Names::Slanted(groups.map(|name| cut(name, most, size)).collect())
            }
        }
    }

    fn draw_names(&self, area: &Rect, drawing: &mut Drawing) {
        let share = self.share(area.width());
        let x = |group: usize| area.left + share * (group as f64 + 0.5);
        let y = area.bottom + 2.4 * self.style.unit + 0.80 * self.style.tick;
        match self.names(area.width()) {
            Names::Straight(names) => {
                let look = self.style.look(Role::TickX, Align::Centre);
                for (group, lines) in names.iter().enumerate() {
                    for (number, line) in lines.iter().enumerate() {
                        let down = 1.15 * self.style.tick * number as f64;
                        drawing.write(line, (x(group), y + down), look);
                    }
                }
            }
            Names::Slanted(names) => {
                let look = self.style.look(Role::TickX, Align::Right).turned(SLANT);
                // Names that would touch are left out.
                let stride = (1.8 * self.style.tick / share).ceil().max(1.0) as usize;
                for (group, name) in names.iter().enumerate().step_by(stride) {
                    drawing.write(name, (x(group) + 0.3 * self.style.tick, y), look);
                }
            }
        }
    }

    /// Room below the area with the names of groups and the axis's own.
    fn names_room(&self, wide: f64) -> f64 {
        let label = if self.bars.x_label.is_empty() { 0.0 } else { 1.35 * self.style.text };
        let names = match self.names(wide) {
            Names::Straight(names) => {
                let lines = names.iter().map(Vec::len).max().unwrap_or(1).max(1);
                1.15 * self.style.tick * lines as f64
            }
            Names::Slanted(names) => {
                let longest = names.iter().map(|g| width(g, self.style.tick)).fold(0.0, f64::max);
                1.15 * self.style.tick + longest * SLANT.to_radians().sin()
            }
        };
        2.4 * self.style.unit + names + label
    }
}

impl<'a> Marks for BarMarks<'a> {
    fn margins(&self, wide: f64) -> Margins {
        // Slanted names reach to the left of their group.
        let left = match self.names(wide) {
            Names::Slanted(names) => names.first().map_or(0.0, |name| {
                width(name, self.style.tick) * SLANT.to_radians().cos() - self.share(wide) / 2.0
            }),
            Names::Straight(_) => 0.0,
        };
        Margins { left, bottom: self.names_room(wide), ..Margins::default() }
    }

    fn busy(&self, area: &Rect) -> Vec<Point> {
        let mut busy = Vec::new();
        let ground = self.ground(area);
        for (number, series) in self.bars.series.iter().enumerate() {
            for group in 0..self.bars.groups.len() {
                let ends = [&series.values, &series.high].into_iter();
                let tops = ends.filter_map(|values| self.end(values, group, area));
                let Some(top) = tops.reduce(f64::min) else { continue };
                let (left, wide) = self.bar(group, number, area);
                let steps = ((ground - top).abs() / (4.0 * self.style.unit)).ceil() as usize;
                for step in 0..=steps {
                    let y = top + (ground - top) * step as f64 / steps.max(1) as f64;
                    busy.extend([(left, y), (left + wide / 2.0, y), (left + wide, y)]);
                }
            }
        }
        busy
    }

    fn entries(&self) -> Vec<Entry> {
        let label =
            |series: &'a BarSeries| series.label.as_deref().filter(|label| !label.is_empty());
        let named = |series| Some((label(series)?, Sample::Area(series.ink)));
        let named: Vec<_> = self.bars.series.iter().filter_map(named).collect();
        let expected = self.bars.theory.iter().any(Option::is_some) && !named.is_empty();
        let theory = expected.then(|| ("theory", Sample::Line(theory_ink())));
        legend::entries(named.into_iter().chain(theory))
    }

    fn draw(&self, area: &Rect, drawing: &mut Drawing) {
        drawing.clipped(area.grown(0.5 * self.style.unit), |drawing| {
            for series in 0..self.bars.series.len() {
                self.draw_series(series, area, drawing);
            }
            self.draw_theory(area, drawing);
        });
    }

    fn draw_over(&self, area: &Rect, drawing: &mut Drawing) {
        let ground = self.ground(area);
        let line = Stroke::solid(INK, self.style.hairline());
        drawing.segment((area.left, ground), (area.right, ground), line);
        self.draw_names(area, drawing);
        let room = self.names_room(area.width());
        drawing.horizontal_label(area, &self.bars.x_label, room);
    }
}

fn theory_ink() -> Ink {
    Ink { width: 1.0, ..Ink::theory() }
}
