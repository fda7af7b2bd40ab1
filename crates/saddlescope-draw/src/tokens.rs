//! Rows of tokens as boxes, in groups with braces; what is too long for the page goes on below or loses its middle.

use saddlescope_spec::sketch::{Sketch, Token, TokenRow, TokenShape};

use super::cells::cut;
use super::legend::Layout;
use super::prelude::*;

/// The tint of a token's ground.
const TINT: f64 = 0.2;

/// A sketch of a task.
pub(crate) struct TokensContent<'a> {
    style: &'a Style,
    sketch: &'a Sketch,
    has_legend: bool,
    legend: Option<Layout>,
}

/// Sizes of boxes and gaps, in points.
struct Sizes {
    text: f64,
    /// Height of a token, and its least width.
    high: f64,
    /// Between a token's text and its sides.
    pad: f64,
    /// Between tokens of a group.
    gap: f64,
    /// Between groups.
    apart: f64,
    /// Size of the words under a brace.
    note: f64,
    /// Room of a brace and its words.
    brace: f64,
}

/// A row of the sketch with what is in each of its lines.
struct RowLines<'a> {
    row: &'a TokenRow,
    lines: Vec<Vec<Group<'a>>>,
}

impl Sizes {
    fn new(style: &Style) -> Self {
        let text = style.text;
        Self {
            text,
            high: 1.9 * text,
            pad: 0.5 * text,
            gap: 0.22 * text,
            apart: 1.1 * text,
            note: style.tick,
            brace: 0.75 * text + 1.1 * style.tick,
        }
    }

    fn line_height(&self, line: &[Group<'_>]) -> f64 {
        let braced = line.iter().any(|group| !group.label.is_empty());
        self.high + if braced { self.brace } else { 0.0 }
    }
}

impl<'a> TokensContent<'a> {
    pub(crate) fn new(sketch: &'a Sketch, context: &Context<'a>) -> Self {
        let Context { style, has_legend, .. } = *context;
        Self { style, sketch, has_legend, legend: None }
    }

    /// Room for the names of rows.
    fn names_room(&self, wide: f64) -> f64 {
        let widest = self.sketch.rows.iter().map(|row| width(&row.label, self.style.text));
        let widest = widest.fold(0.0, f64::max).min(0.3 * wide);
        if widest > 0.0 { widest + 1.2 * self.style.text } else { 0.0 }
    }

    fn row_lines(&self, wide: f64) -> Vec<RowLines<'_>> {
        let sizes = Sizes::new(self.style);
        let room = wide - self.names_room(wide) - self.style.unit;
        let lines_of = |row| RowLines { row, lines: lines(row, room, &sizes) };
        self.sketch.rows.iter().map(lines_of).collect()
    }

    fn ink(&self, role: usize) -> Ink {
        Ink { width: 0.8, ..Ink::line(Colour::Series(role)) }
    }

    fn shape(&self, role: usize) -> TokenShape {
        self.sketch.roles.get(role).map_or(TokenShape::Box, |role| role.shape)
    }

    fn draw_group(&self, group: &Group<'_>, (left, top): (f64, f64), drawing: &mut Drawing) {
        let sizes = Sizes::new(self.style);
        let baseline = top + 0.5 * sizes.high + 0.5 * font::CAP_HEIGHT * sizes.text;
        let look = self.style.look(Role::Cell, Align::Centre).sized(sizes.text);
        let mut x = left + group.indent();
        for piece in &group.pieces {
            let middle = (x + 0.5 * piece.wide, baseline);
            match piece.token {
                Some(token) => {
                    let rect = Rect::new(x, top, piece.wide, sizes.high);
                    drawing.token(&rect, &self.ink(token.role), self.shape(token.role));
                    let room = piece.wide - 2.0 * sizes.pad;
                    drawing.write(&cut(&token.text, room, sizes.text), middle, look);
                }
                None => drawing.write("…", middle, look.coloured(FAINT)),
            }
            x += piece.wide + sizes.gap;
        }
        if !group.label.is_empty() {
            let (from, to) = (left + group.indent(), left + group.indent() + group.tokens);
            let start = top + sizes.high + 0.25 * sizes.text;
            let end = start + 0.3 * sizes.text;
            let brace = open(&[(from, start), (from, end), (to, end), (to, start)]);
            drawing.stroke(brace, Stroke::solid(FAINT, self.style.hairline()));
            let at = (0.5 * (from + to), end + sizes.note);
            drawing.write_fitted(group.label, at, look.sized(sizes.note), group.wide);
        }
    }
}

impl Content for TokensContent<'_> {
    fn room(&mut self, wide: f64, _high: f64) -> Margins {
        let entries = if self.has_legend { self.entries() } else { Vec::new() };
        let rows = (!entries.is_empty()).then(|| self.style.wrapped(&entries, None, wide));
        let above = rows.as_ref().map_or(0.0, |rows| rows.height + 5.0 * self.style.unit);
        self.legend = rows;
        let room = 0.3 * self.style.tick;
        Margins { top: room + above, bottom: room, ..Margins::default() }
    }

    fn height(&self, wide: f64, _usual: f64) -> f64 {
        let sizes = Sizes::new(self.style);
        let line = |line: &Vec<Group<'_>>| sizes.line_height(line) + 0.45 * sizes.text;
        let row = |row: &RowLines<'_>| row.lines.iter().map(line).sum::<f64>();
        let all = self.row_lines(wide);
        let gaps = 0.45 * sizes.text * all.len().saturating_sub(1) as f64;
        all.iter().map(row).sum::<f64>() + gaps
    }

    fn is_aligned(&self) -> bool {
        false
    }

    fn entries(&self) -> Vec<Entry> {
        let tokens = || self.sketch.rows.iter().flat_map(|row| &row.tokens);
        let roles = self.sketch.roles.iter().enumerate().filter(|(number, role)| {
            !role.name.is_empty() && tokens().any(|token| token.role == *number)
        });
        legend::entries(roles.map(|(number, role)| {
            (role.name.as_str(), Sample::Token(self.ink(number), role.shape))
        }))
    }

    fn draw(&self, area: Rect, _usual: f64, drawing: &mut Drawing) {
        let sizes = Sizes::new(self.style);
        let names = self.names_room(area.width());
        if let Some(legend) = &self.legend {
            let top = area.top - legend.height - 5.0 * self.style.unit;
            drawing.legend(legend, (area.left + names, top), false);
        }
        let mut y = area.top;
        for RowLines { row, lines } in self.row_lines(area.width()) {
            let at = (area.left, y + 0.5 * (sizes.high + font::CAP_HEIGHT * sizes.text));
            let look = self.style.look(Role::Axis, Align::Left);
            drawing.write_fitted(&row.label, at, look, names - 0.8 * self.style.text);
            for line in &lines {
                let mut x = area.left + names;
                for group in line {
                    self.draw_group(group, (x, y), drawing);
                    x += group.wide + sizes.apart;
                }
                y += sizes.line_height(line) + 0.45 * sizes.text;
            }
            y += 0.45 * sizes.text;
        }
    }
}

impl Drawing {
    /// The box of a token in the colour of its ink.
    pub(crate) fn token(&mut self, rect: &Rect, ink: &Ink, shape: TokenShape) {
        let corner = match shape {
            TokenShape::Box | TokenShape::Dashed => 0.12,
            TokenShape::Round => 0.5,
        };
        let outline = rect.rounded(corner * rect.height());
        let dash = if shape == TokenShape::Dashed { Dash::Dashed } else { Dash::Solid };
        let tint = if shape == TokenShape::Dashed { 0.0 } else { TINT };
        self.fill(outline.clone(), WHITE, 1.0);
        self.fill(outline.clone(), ink.colour.rgb(), tint);
        self.stroke(outline, self.style.stroke(&ink.dashed(dash)));
    }
}

/// Lines that a row may take before groups in its middle are left out.
const MOST_LINES: usize = 3;

/// A token in its box, or the dots in place of tokens that are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece<'a> {
    token: Option<&'a Token>,
    wide: f64,
}

/// Tokens side by side over one brace.
#[derive(Debug, Clone, PartialEq)]
struct Group<'a> {
    label: &'a str,
    pieces: Vec<Piece<'a>>,
    /// Width of all tokens.
    tokens: f64,
    /// Width with the words under the brace, where these are wider.
    wide: f64,
}

impl Group<'_> {
    /// Where its first token begins.
    fn indent(&self) -> f64 {
        0.5 * (self.wide - self.tokens)
    }
}

/// The lines of a row in this room.
fn lines<'a>(row: &'a TokenRow, room: f64, sizes: &Sizes) -> Vec<Vec<Group<'a>>> {
    let together = row.tokens.chunk_by(|a, b| a.group == b.group);
    let groups: Vec<Group<'a>> = together
        .map(|tokens| {
            let label = tokens.first().and_then(|token| row.groups.get(token.group));
            group(tokens, label.map_or("", String::as_str), room, sizes)
        })
        .collect();
    let dots = Group { label: "", pieces: vec![dots(sizes)], tokens: sizes.high, wide: sizes.high };
    let chosen = |kept: &[Option<usize>]| -> Vec<Group<'a>> {
        kept.iter().map(|place| place.map_or(&dots, |place| &groups[place]).clone()).collect()
    };
    let kept = kept(groups.len(), |kept| broken(chosen(kept), room, sizes).len() <= MOST_LINES);
    broken(chosen(&kept), room, sizes)
}

/// As many groups in a line as fit.
fn broken<'a>(groups: Vec<Group<'a>>, room: f64, sizes: &Sizes) -> Vec<Vec<Group<'a>>> {
    let mut lines: Vec<Vec<Group<'a>>> = Vec::new();
    let mut x = 0.0;
    for group in groups {
        let end = x + sizes.apart + group.wide;
        match lines.last_mut().filter(|_| end <= room) {
            Some(line) => {
                x = end;
                line.push(group);
            }
            None => {
                x = group.wide;
                lines.push(vec![group]);
            }
        }
    }
    lines
}

fn group<'a>(tokens: &'a [Token], label: &'a str, room: f64, sizes: &Sizes) -> Group<'a> {
    let piece = |place: &Option<usize>| match place {
        Some(place) => {
            let token = &tokens[*place];
            let wide = width(&token.text, sizes.text) + 2.0 * sizes.pad;
            Piece { token: Some(token), wide: wide.max(sizes.high).min(room) }
        }
        None => dots(sizes),
    };
    let total = |kept: &[Option<usize>]| {
        let gaps = sizes.gap * kept.len().saturating_sub(1) as f64;
        kept.iter().map(|place| piece(place).wide).sum::<f64>() + gaps
    };
    let kept = kept(tokens.len(), |kept| total(kept) <= room);
    let wide = total(&kept).max(width(label, sizes.note).min(room));
    Group { label, pieces: kept.iter().map(piece).collect(), tokens: total(&kept), wide }
}

fn dots(sizes: &Sizes) -> Piece<'static> {
    Piece { token: None, wide: sizes.high }
}

/// All of `count` places where they fit; else as many as fit from both ends, with a gap between them.
fn kept(count: usize, fits: impl Fn(&[Option<usize>]) -> bool) -> Vec<Option<usize>> {
    let all: Vec<Option<usize>> = (0..count).map(Some).collect();
    if count < 2 || fits(&all) {
        return all;
    }
    let without_middle = |keep: usize| -> Vec<Option<usize>> {
        let first = keep.div_ceil(2);
        let ends = all[..first].iter().copied().chain([None]);
        ends.chain(all[count - (keep - first)..].iter().copied()).collect()
    };
    let most = (1..count).rev().map(without_middle).find(|kept| fits(kept));
    most.unwrap_or_else(|| without_middle(1))
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
