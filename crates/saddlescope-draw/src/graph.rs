//! Graphs: named boxes on the levels of an axis, and ways between them as wide as they are walked.

use super::prelude::*;
use super::ticks::labelled;

/// Width of a way that all starts walk, in points of a column's figure.
const WIDEST: f64 = 7.0;
/// A share is written beside a way from here on.
const WRITTEN: f64 = 0.03;
/// The colour of what was walked.
const WALKED: Colour = Colour::Series(0);
/// Part of its length by which a way bends aside; one that passes saddles by keeps further away.
const BEND: f64 = 0.09;
const WIDE_BEND: f64 = 0.26;

struct GraphMarks<'a> {
    style: &'a Style,
    graph: &'a Graph,
    y: Mapping,
}

/// Sizes of type and boxes that let the fullest row stand side by side.
struct Sizes {
    name: f64,
    note: f64,
}

pub(crate) fn plot<'a>(graph: &'a Graph, context: &Context<'a>) -> Plot<'a> {
    let style = context.style;
    let y = Mapping::new(&graph.y, graph.nodes.iter().map(|node| node.y), 0.09);
    let sides = (None, Some(Side::numbers(y, &graph.y, style)));
    Plot::new(context, sides, GraphMarks { style, graph, y })
}

impl GraphMarks<'_> {
    fn sizes(&self, area: &Rect) -> Sizes {
        let mut places: Vec<f64> = self.graph.nodes.iter().map(|node| node.x).collect();
        places.sort_by(f64::total_cmp);
        let least = places.windows(2).map(|p| p[1] - p[0]).filter(|&gap| gap > 1e-6);
        let room = least.fold(1.0, f64::min) * 2.0 * area.width();
        let widest = |size: f64| {
            self.graph.nodes.iter().map(|node| width(&node.label, size)).fold(0.0, f64::max)
        };
        let full = self.style.text + 0.5 * self.style.unit;
        let name = (full * (room - 8.0 * self.style.unit) / widest(full)).clamp(0.6 * full, full);
        // Notes go where there is no room for them.
        let note = if name < 0.8 * full { 0.0 } else { 0.76 * self.style.tick };
        Sizes { name, note }
    }

    fn centre(&self, node: &GraphNode, area: &Rect) -> Point {
        let margin = 0.02 * area.width();
        let x = area.left + margin + node.x * (area.width() - 2.0 * margin);
        (x, area.y(self.y.part(node.y).unwrap_or(0.5)))
    }

    fn boxed(&self, node: &GraphNode, area: &Rect) -> Rect {
        let sizes = self.sizes(area);
        let (x, y) = self.centre(node, area);
        let words = width(&node.label, sizes.name).max(width(&node.note, sizes.note));
        let wide = words + 7.0 * self.style.unit;
        let high = 1.1 * sizes.name + 1.05 * sizes.note + 3.0 * self.style.unit;
        Rect::new(x - wide / 2.0, y - high / 2.0, wide, high)
    }

    fn draw_node(&self, node: &GraphNode, area: &Rect, drawing: &mut Drawing) {
        let (sizes, unit) = (self.sizes(area), self.style.unit);
        let rect = self.boxed(node, area);
        let visited = node.share > 0.0;
        let edge = if visited || self.graph.starts == 0 { INK } else { FAINT };
        let (ground, words) = match node.look {
            NodeLook::Filled => (WALKED.rgb(), WHITE),
            _ => (WHITE, edge),
        };
        let corner = 2.6 * unit;
        drawing.fill(rect.grown(1.6 * unit).rounded(corner + 1.6 * unit), WHITE, 1.0);
        drawing.fill(rect.rounded(corner), ground, 1.0);
        let line = Stroke::solid(edge, 0.8 * unit);
        let is_dashed = node.look == NodeLook::Dashed;
        let dash = if is_dashed { vec![2.4 * unit, 1.4 * unit] } else { Vec::new() };
        drawing.stroke(rect.rounded(corner), Stroke { dash, ..line.clone() });
        if node.look == NodeLook::Double {
            drawing.stroke(rect.grown(1.7 * unit).rounded(corner + 1.7 * unit), line);
        }
        let middle = (rect.left + rect.right) / 2.0;
        let text = sizes.name * font::CAP_HEIGHT;
        let block = text + if sizes.note > 0.0 { 1.25 * sizes.note } else { 0.0 };
        let baseline = (rect.top + rect.bottom) / 2.0 - block / 2.0 + text;
        let look = self.style.look(Role::Cell, Align::Centre).sized(sizes.name).coloured(words);
        drawing.write(&node.label, (middle, baseline), look);
        if sizes.note > 0.0 {
            let look = look.sized(sizes.note);
            drawing.write(&node.note, (middle, baseline + 1.25 * sizes.note), look);
        }
    }

    /// A way as a bent line from box to box: start, control, end.
    fn curve(&self, way: &Way, area: &Rect) -> Option<(Point, Point, Point)> {
        let (from, to) = (self.graph.nodes.get(way.from)?, self.graph.nodes.get(way.to)?);
        let (a, b) = (self.centre(from, area), self.centre(to, area));
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy).max(1e-9);
        // All ways bend to the same hand, so that longer ones pass beside what lies between.
        let side = if dx >= 0.0 { 1.0 } else { -1.0 };
        let aside = if way.known { BEND } else { WIDE_BEND } * length * side;
        let control =
            ((a.0 + b.0) / 2.0 + aside * dy / length, (a.1 + b.1) / 2.0 - aside * dx / length);
        let gap = if to.look == NodeLook::Double { 2.6 } else { 1.2 } * self.style.unit;
        let out = leave(a, control, &self.boxed(from, area));
        let into = leave(b, control, &self.boxed(to, area).grown(gap));
        Some((out, control, into))
    }

    fn draw_way(&self, way: &Way, area: &Rect, drawing: &mut Drawing) {
        let Some((from, control, to)) = self.curve(way, area) else { return };
        let (colour, wide): (Rgb, f64) = if way.share > 0.0 {
            (WALKED.rgb(), (WIDEST * way.share).max(0.6) * self.style.unit)
        } else {
            (Rgb(0xb4, 0xb4, 0xba), 0.45 * self.style.unit)
        };
        let head = (2.2 * wide).clamp(3.2 * self.style.unit, 9.0 * self.style.unit);
        let (dx, dy) = (to.0 - control.0, to.1 - control.1);
        let length = dx.hypot(dy).max(1e-9);
        let (ux, uy) = (dx / length, dy / length);
        let base = (to.0 - head * ux, to.1 - head * uy);
        let inside = (to.0 - 0.8 * head * ux, to.1 - 0.8 * head * uy);
        let unit = self.style.unit;
        let dash = if way.known { Vec::new() } else { vec![2.4 * unit, 1.8 * unit] };
        let stroke = Stroke { colour, opacity: 1.0, width: wide, dash };
        drawing.stroke(vec![Step::Move(from), Step::Quad(control, inside)], stroke);
        let half = (0.75 * wide).max(0.36 * head);
        let (dx, dy) = (half * uy, half * ux);
        let tip = [to, (base.0 - dx, base.1 + dy), (base.0 + dx, base.1 - dy)];
        drawing.fill(closed(&tip), colour, 1.0);
    }

    /// The share of starts, on a white ground in the middle of the way, or further along where another
    /// share stands already.
    fn write_share(&self, way: &Way, area: &Rect, taken: &mut Vec<Rect>, drawing: &mut Drawing) {
        let Some((from, control, to)) = self.curve(way, area) else { return };
        let percent = 100.0 * way.share;
        let words =
            if percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") };
        let size = self.style.tick;
        let (wide, high) = (width(&words, size) + 2.4 * self.style.unit, 1.15 * size);
        let place = |t: f64| {
            let (x, y) = along((from, control, to), t);
            Rect::new(x - wide / 2.0, y - high / 2.0, wide, high)
        };
        let free = |rect: &Rect| !taken.iter().any(|other| rect.overlaps(other));
        let tries = [0.46, 0.38, 0.54, 0.3, 0.62, 0.24, 0.7];
        let Some(rect) = tries.map(place).into_iter().find(free) else { return };
        drawing.fill(rect.rounded(1.5 * self.style.unit), WHITE, 0.88);
        let look = self.style.look(Role::Legend, Align::Centre).sized(size).coloured(INK);
        let at = ((rect.left + rect.right) / 2.0, rect.bottom - 0.5 * high + 0.36 * size);
        drawing.write(&words, at, look);
        taken.push(rect);
    }
}

impl Marks for GraphMarks<'_> {
    fn margins(&self, _wide: f64) -> Margins {
        Margins { bottom: 2.0 * self.style.unit, ..Margins::default() }
    }

    fn busy(&self, area: &Rect) -> Vec<Point> {
        let mut busy = Vec::new();
        for node in &self.graph.nodes {
            let rect = self.boxed(node, area);
            for i in 0..=4 {
                let x = rect.left + rect.width() * f64::from(i) / 4.0;
                busy.extend([(x, rect.top), (x, rect.bottom)]);
            }
        }
        for way in &self.graph.ways {
            let Some(curve) = self.curve(way, area) else { continue };
            busy.extend((0..=24).map(|i| along(curve, f64::from(i) / 24.0)));
        }
        busy
    }

    fn entries(&self) -> Vec<Entry> {
        let graph = self.graph;
        let ways = |of: fn(&Way) -> bool| graph.ways.iter().any(of);
        let looks = |look| graph.nodes.iter().any(|node| node.look == look);
        let ink = |colour, width| Ink { width, ..Ink::line(colour) };
        let walked = format!("walked, % of {} starts", graph.starts);
        let past = ink(WALKED, 1.2).dashed(Dash::Dashed);
        let edge = ink(Colour::Ink, 0.8).dashed(Dash::Dashed);
        let faint = Ink { opacity: 0.4, ..ink(Colour::Ink, 0.6) };
        let ring = Sample::Point(ink(Colour::Ink, 1.6), Marker::Ring);
        let passing = "walked past a saddle in between";
        let all = [
            (ways(|w| w.share > 0.0 && w.known), walked.as_str(), Sample::Line(ink(WALKED, 3.0))),
            (ways(|w| w.share > 0.0 && !w.known), passing, Sample::Line(past)),
            (ways(|w| w.share <= 0.0), "other ways out", Sample::Line(faint)),
            (looks(NodeLook::Double), "double edge: degenerate saddle", ring),
            (looks(NodeLook::Dashed), "dashed edge: at infinity", Sample::Line(edge)),
        ];
        let seen = all.into_iter().filter(|(is_seen, ..)| *is_seen);
        legend::entries(seen.map(|(_, label, sample)| (label, sample)))
    }

    fn draw(&self, area: &Rect, drawing: &mut Drawing) {
        for (part, _) in labelled(&self.style.vertical_ticks(&self.y, area.height())) {
            let (y, line) = (area.y(part), Stroke::solid(GRID, self.style.hairline()));
            drawing.segment((area.left, y), (area.right, y), line);
        }
        let mut ways: Vec<&Way> = self.graph.ways.iter().collect();
        ways.sort_by(|a, b| a.share.total_cmp(&b.share));
        ways.iter().for_each(|way| self.draw_way(way, area, drawing));
        self.graph.nodes.iter().for_each(|node| self.draw_node(node, area, drawing));
        let grown = |node: &GraphNode| self.boxed(node, area).grown(2.0 * self.style.unit);
        let mut taken: Vec<Rect> = self.graph.nodes.iter().map(grown).collect();
        for way in ways.iter().rev().filter(|way| way.share >= WRITTEN) {
            self.write_share(way, area, &mut taken, drawing);
        }
    }
}

/// A part of the way along a bent line.
fn along((from, control, to): (Point, Point, Point), t: f64) -> Point {
    let s = 1.0 - t;
    let along = |a: f64, c: f64, b: f64| s * s * a + 2.0 * s * t * c + t * t * b;
    (along(from.0, control.0, to.0), along(from.1, control.1, to.1))
}

/// Where the line from the middle of a box to `towards` leaves it.
fn leave(middle: Point, towards: Point, rect: &Rect) -> Point {
    let (dx, dy) = (towards.0 - middle.0, towards.1 - middle.1);
    let part = |half: f64, d: f64| if d == 0.0 { f64::INFINITY } else { half / d.abs() };
    let t = part(rect.width() / 2.0, dx).min(part(rect.height() / 2.0, dy)).min(1.0);
    (middle.0 + t * dx, middle.1 + t * dy)
}
