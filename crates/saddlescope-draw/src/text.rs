//! Lines of text as glyphs in their places.

use super::colour::Rgb;
use super::font;
use super::pieces::{Piece, pieces};
use super::scene::{Drawing, Item, Point, Role, Words};

/// Size of a script relative to what carries it, and the smallest size relative to the line's.
const SCRIPT: f64 = 0.70;
const SMALLEST: f64 = 0.55;

/// A glyph relative to the start of its line's baseline, down positive, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Glyph {
    pub(crate) glyph: u16,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
}

/// A label as glyphs, with its size in points.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Line {
    pub(crate) glyphs: Vec<Glyph>,
    pub(crate) width: f64,
    pub(crate) ascent: f64,
    pub(crate) descent: f64,
    pub(crate) missing: Vec<char>,
}

/// A label as glyphs of this size in points.
pub(crate) fn line(label: &str, size: f64) -> Line {
    let mut pen = Pen { line: Line::default(), smallest: size * SMALLEST, x: 0.0 };
    pen.pieces(&pieces(label), size, 0.0);
    pen.line.width = pen.x.max(0.0);
    pen.line.ascent = pen.line.ascent.max(font::CAP_HEIGHT * size);
    pen.line
}

/// Width of a label of this size in points.
pub(crate) fn width(label: &str, size: f64) -> f64 {
    line(label, size).width
}

struct Pen {
    line: Line,
    smallest: f64,
    x: f64,
}

impl Pen {
    fn pieces(&mut self, pieces: &[Piece], size: f64, y: f64) {
        for piece in pieces {
            match piece {
                Piece::Glyphs(text) => self.text(text, size, y),
                Piece::Space(ems) => self.x += ems * size,
                Piece::Scripts { below, above } => self.scripts(below, above, size, y),
                Piece::Accent { sign, over } => self.accent(*sign, over, size, y),
            }
        }
    }

    fn text(&mut self, text: &str, size: f64, y: f64) {
        let mut before = None;
        for c in text.chars() {
            let glyph = font::glyph(c).unwrap_or_else(|| {
                self.line.missing.push(c);
                0
            });
            if let Some(before) = before {
                self.x += font::kerning(before, glyph) * size;
            }
            self.put(glyph, self.x, y, size);
            self.x += font::advance(glyph) * size;
            before = Some(glyph);
        }
    }

    fn put(&mut self, glyph: u16, x: f64, y: f64, size: f64) {
        if let Some((top, bottom)) = font::extent(glyph) {
            self.line.ascent = self.line.ascent.max(top * size - y);
            self.line.descent = self.line.descent.max(y - bottom * size);
            self.line.glyphs.push(Glyph { glyph, x, y, size });
        }
    }

    /// Both scripts start at the same place; what follows starts after the longer one.
    fn scripts(&mut self, below: &[Piece], above: &[Piece], size: f64, y: f64) {
        let small = (size * SCRIPT).max(self.smallest.min(size));
        let start = self.x;
        self.x = start + 0.02 * size;
        self.pieces(below, small, y + 0.19 * size);
        let end = self.x;
        // Slanted letters lean into what stands above.
        self.x = start + 0.06 * size;
        self.pieces(above, small, y - 0.36 * size);
        self.x = if above.is_empty() { end } else { self.x.max(end) } + 0.03 * size;
    }

    fn accent(&mut self, sign: char, over: &[Piece], size: f64, y: f64) {
        let (start, first) = (self.x, self.line.glyphs.len());
        self.pieces(over, size, y);
        let top = self.line.glyphs[first..]
            .iter()
            .filter_map(|g| font::extent(g.glyph).map(|(top, _)| top * g.size - (g.y - y)))
            .fold(font::X_HEIGHT * size, f64::max);
        let Some(glyph) = font::glyph(sign) else { return };
        // Signs stand over a small x in the font; slanted letters lean to the right.
        let x = (start + self.x - font::advance(glyph) * size) / 2.0 + 0.05 * size;
        self.put(glyph, x, y - (top - font::X_HEIGHT * size), size);
    }
}

/// Where a line stands relative to its anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Centre,
    Right,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) role: Role,
    pub(crate) size: f64,
    pub(crate) colour: Rgb,
    pub(crate) align: Align,
    /// Degrees against the clock.
    pub(crate) angle: f64,
}

impl Drawing {
    /// Writes a label with its baseline through `at`.
    pub(crate) fn write(&mut self, label: &str, at: Point, look: Look) {
        let line = line(label, look.size);
        let back = match look.align {
            Align::Left => 0.0,
            Align::Centre => line.width / 2.0,
            Align::Right => line.width,
        };
        let (sin, cos) = look.angle.to_radians().sin_cos();
        self.missing.extend(&line.missing);
        self.items.push(Item::Words(Words {
            role: look.role,
            source: label.to_owned(),
            line,
            colour: look.colour,
            at: (at.0 - back * cos, at.1 + back * sin),
            angle: look.angle,
        }));
    }
}
