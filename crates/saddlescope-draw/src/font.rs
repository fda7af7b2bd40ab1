//! The one embedded font: glyphs, advances, kerning and outlines.

use std::sync::{LazyLock, OnceLock};

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::scene::{Point, Step};

static FILE: &[u8] = include_bytes!("../fonts/saddlescope-sans.ttf");

static FONT: LazyLock<Font> = LazyLock::new(|| {
    let face = Face::parse(FILE, 0).expect("the embedded font is whole");
    let outlines = (0..face.number_of_glyphs()).map(|_| OnceLock::new()).collect();
    Font { face, outlines }
});

/// Units of the outlines and advances per em.
pub(crate) const UNITS: f64 = 1000.0;
/// Height of capitals and digits, in ems.
pub(crate) const CAP_HEIGHT: f64 = 0.689;
/// Height of the small x, in ems.
pub(crate) const X_HEIGHT: f64 = 0.527;

struct Font {
    face: Face<'static>,
    outlines: Vec<OnceLock<Vec<Step>>>,
}

pub(crate) fn glyph(character: char) -> Option<u16> {
    FONT.face.glyph_index(character).map(|id| id.0)
}

/// Advance of a glyph, in ems.
pub(crate) fn advance(glyph: u16) -> f64 {
    f64::from(FONT.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0)) / UNITS
}

/// Change of the left glyph's advance before the right one, in ems.
pub(crate) fn kerning(left: u16, right: u16) -> f64 {
    let tables = FONT.face.tables();
    let pair = tables.kern.and_then(|kern| {
        kern.subtables.into_iter().find_map(|t| t.glyphs_kerning(GlyphId(left), GlyphId(right)))
    });
    pair.map_or(0.0, |units| f64::from(units) / UNITS)
}

/// Top and bottom of a glyph above the baseline, in ems; nothing for a blank.
pub(crate) fn extent(glyph: u16) -> Option<(f64, f64)> {
    let bounds = FONT.face.glyph_bounding_box(GlyphId(glyph))?;
    Some((f64::from(bounds.y_max) / UNITS, f64::from(bounds.y_min) / UNITS))
}

/// Outline of a glyph in font units, upwards; empty for a blank.
pub(crate) fn outline(glyph: u16) -> &'static [Step] {
    let Some(cell) = FONT.outlines.get(usize::from(glyph)) else { return &[] };
    cell.get_or_init(|| {
        let mut path = Outline(Vec::new());
        FONT.face.outline_glyph(GlyphId(glyph), &mut path);
        path.0
    })
}

struct Outline(Vec<Step>);

fn point(x: f32, y: f32) -> Point {
    (f64::from(x), f64::from(y))
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.push(Step::Move(point(x, y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.push(Step::Line(point(x, y)));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.push(Step::Quad(point(x1, y1), point(x, y)));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.push(Step::Cubic(point(x1, y1), point(x2, y2), point(x, y)));
    }

    fn close(&mut self) {
        self.0.push(Step::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_equally_wide_and_pairs_are_kerned() {
        let id = |c| glyph(c).expect("in the font");
        assert!("0123456789".chars().all(|c| advance(id(c)) == advance(id('0'))));
        assert!(kerning(id('A'), id('V')) < -0.01);
        assert_eq!(kerning(id('n'), id('n')), 0.0);
    }

    #[test]
    fn the_sizes_that_layout_relies_on_are_the_fonts() {
        let top = |c| extent(glyph(c).expect("in the font")).expect("drawn").0;
        assert!((top('H') - CAP_HEIGHT).abs() < 0.002);
        assert!((top('x') - X_HEIGHT).abs() < 0.002);
        assert_eq!(f64::from(FONT.face.units_per_em()), UNITS);
        assert!(outline(glyph(' ').expect("in the font")).is_empty());
    }

    #[test]
    fn the_licence_of_the_font_lies_beside_it() {
        assert!(include_str!("../fonts/OFL.txt").contains("SIL OPEN FONT LICENSE Version 1.1"));
    }
}
