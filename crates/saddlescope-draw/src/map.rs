//! Maps: a mark per run over two axes or in a triangle, coloured by a word or on a ramp.

use std::collections::HashSet;

use super::colour::{Colour, FAINT, ramp};
use super::colour_bar;
use super::figure::{Ink, Map, Marker, Tints};
use super::frame::{self, Margins};
use super::ground;
use super::layout::{Content, Explained};
use super::legend::{self, Entry, Sample};
use super::scale::Mapping;
use super::scene::{Drawing, Point, Rect, Role};
use super::style::Style;
use super::text::Align;
use super::ticks::Tick;

/// Part of where marks stand that all together cover, as far as their sizes allow.
const COVERED: f64 = 0.4;
/// Least and greatest radius of a mark, in points of a column's figure.
const RADII: (f64, f64) = (0.5, 2.5);
/// Shades of a ramp that marks are sorted into, a path each.
const SHADES: usize = 128;

/// Marks from which on those that would cover others of their kind are left out.
const MANY: usize = 20_000;

/// A map with its mappings.
pub(crate) struct MapContent<'a> {
    map: &'a Map,
    ground: ground::Placed<'a>,
    /// The ramp of numbers.
    ramp: Option<Mapping>,
    legend: Explained,
    note: String,
}

/// Marks that look alike.
struct Group {
    at: Vec<Point>,
    colour: Colour,
    marker: Marker,
}

impl<'a> MapContent<'a> {
    pub(crate) fn new(map: &'a Map, title: Option<&str>) -> Self {
        let ground = ground::Placed::new(&map.ground);
        let legend = Explained::new(entries(map), title.or(map.tints.legend_title()));
        let mut content = Self { map, ground, ramp: map.tints.ramp(), legend, note: String::new() };
        content.note = content.counted();
        content
    }

    /// The part of the ramp, or the number of the word, of a mark.
    fn tint(&self, mark: usize) -> Option<Colour> {
        match (&self.map.tints, &self.ramp) {
            (Tints::Numbers { of, .. }, Some(ramp)) => {
                let part = ramp.part(*of.get(mark)?)?.clamp(0.0, 1.0);
                Some(Colour::Ramp((part * SHADES as f64).round() / SHADES as f64))
            }
            (Tints::Words { kinds, of, .. }, _) => Some(kinds.get((*of.get(mark)?)?)?.colour),
            _ => None,
        }
    }

    fn marker(&self, mark: usize) -> Marker {
        match &self.map.tints {
            Tints::Words { kinds, of, .. } => {
                let kind = of.get(mark).copied().flatten().and_then(|kind| kinds.get(kind));
                kind.map_or(Marker::Disc, |kind| kind.marker)
            }
            Tints::Numbers { .. } => Marker::Disc,
        }
    }

    /// What of the runs cannot be seen as a coloured mark.
    fn counted(&self) -> String {
        let all = self.ground.places.len();
        let placed = |mark: &usize| self.ground.places[*mark].is_some();
        let nowhere = (0..all).filter(|mark| !placed(mark)).count();
        let grey = (0..all).filter(placed).filter(|&mark| self.tint(mark).is_none()).count();
        let runs = if all == 1 { "run" } else { "runs" };
        match (grey, nowhere) {
            (0, 0) => String::new(),
            (grey, 0) => format!("crosses: {grey} of {all} {runs} without a value"),
            (0, nowhere) => format!("{nowhere} of {all} {runs} without a place"),
            (grey, nowhere) => {
                format!(
                    "of {all} {runs}, {grey} without a value (crosses), {nowhere} without a place"
                )
            }
        }
    }

    /// Marks in their places by how they look: first those without a value, then rarer ones above others.
    fn groups(&self, area: &Rect) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let room = area.grown(0.1);
        let many = self.ground.places.len() > MANY;
        let mut seen = HashSet::new();
        for mark in 0..self.ground.places.len() {
            let Some(at) = self.ground.at(mark, area).filter(|&at| room.contains(at)) else {
                continue;
            };
            let (colour, marker) = match self.tint(mark) {
                Some(colour) => (colour, self.marker(mark)),
                None => (Colour::Faint, Marker::Cross),
            };
            let same = |group: &Group| group.colour == colour && group.marker == marker;
            let place = groups.iter().position(same).unwrap_or_else(|| {
                groups.push(Group { at: Vec::new(), colour, marker });
                groups.len() - 1
            });
            // Of many marks those that would cover others of their kind are left out.
            let cell = (place, at.0.round() as i64, at.1.round() as i64);
            if !many || seen.insert(cell) {
                groups[place].at.push(at);
            }
        }
        let rare = |group: &Group| std::cmp::Reverse(group.at.len());
        groups.sort_by_key(|group| (group.colour != Colour::Faint, rare(group)));
        groups
    }

    /// Radius of marks that together cover a part of where they stand.
    fn radius(&self, area: &Rect, style: &Style) -> f64 {
        let each = COVERED * self.ground.room_of_each(area);
        (each / std::f64::consts::PI).sqrt().clamp(RADII.0 * style.unit, RADII.1 * style.unit)
    }

    /// Ticks and name of the colour bar, where there is one.
    fn bar(&self, high: f64, style: &Style) -> Option<(Vec<Tick>, &str)> {
        let ticks = frame::vertical(self.ramp.as_ref()?, high, style);
        Some((ticks, self.map.tints.label()))
    }

    fn busy(&self, area: &Rect) -> Vec<Point> {
        let marks = 0..self.ground.places.len();
        marks.filter_map(|mark| self.ground.at(mark, area)).chain(self.ground.edge(area)).collect()
    }

    fn note_room(&self, style: &Style) -> f64 {
        if self.note.is_empty() { 0.0 } else { 1.25 * style.tick }
    }
}

impl Content for MapContent<'_> {
    fn room(&mut self, wide: f64, high: f64, style: &Style) -> Margins {
        let area = Rect::new(0.0, 0.0, wide, high);
        let busy = if self.legend.is_empty() { Vec::new() } else { self.busy(&area) };
        let legend = self.legend.settle(&area, style, &busy);
        let own = self.ground.room(wide, high, style);
        let bar = self.bar(high, style);
        let bar = bar.map_or(0.0, |(ticks, label)| colour_bar::room(&ticks, label, style));
        Margins { right: own.right.max(bar), top: own.top + self.note_room(style) + legend, ..own }
    }

    fn entries(&self) -> Vec<Entry> {
        entries(self.map)
    }

    fn mute(&mut self) {
        self.legend = Explained::default();
    }

    fn draw(&self, area: Rect, _usual: f64, style: &Style, drawing: &mut Drawing) {
        self.ground.draw(&area, style, drawing);
        let width = self.radius(&area, style) / (1.5 * style.unit);
        for group in self.groups(&area) {
            let cross = group.marker == Marker::Cross;
            let width = if cross { width.min(0.8) } else { width };
            let ink = Ink { width, ..Ink::line(group.colour) };
            drawing.markers(&group.at, &ink, group.marker, style);
        }
        if let Some((ticks, label)) = self.bar(area.height(), style) {
            drawing.colour_bar(&colour_bar::beside(&area, style), &ticks, label, ramp, style);
        }
        let above = self.ground.room(area.width(), area.height(), style).top;
        if !self.note.is_empty() {
            let look = style.look(Role::Legend, Align::Left).sized(style.tick).coloured(FAINT);
            let at = (area.left, area.top - above - 0.3 * style.tick);
            drawing.write_fitted(&self.note, at, look, area.width());
        }
        let above = if above > 0.6 * style.tick { above } else { 0.0 } + self.note_room(style);
        self.legend.draw(&area, above, style, drawing, || self.busy(&area));
    }
}

/// A name for each look that a mark has.
fn entries(map: &Map) -> Vec<Entry> {
    let mut entries = Vec::new();
    if let Tints::Words { kinds, of, .. } = &map.tints {
        for (number, kind) in kinds.iter().enumerate() {
            if of.contains(&Some(number)) {
                let ink = Ink { width: 1.6, ..Ink::line(kind.colour) };
                legend::enter(&mut entries, &kind.label, Sample::Point(ink, kind.marker));
            }
        }
    }
    entries
}
