//! Drawings as PNG: painted by `tiny-skia`, packed here.

use miniz_oxide::deflate::compress_to_vec_zlib;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Mask, Paint, PathBuilder, Pixmap, StrokeDash, Transform,
};

use super::colour::Rgb;
use super::font;
use super::scene::{Drawing, Item, Point, Step, Stroke, Words};

/// A picture that has no pixels or too many.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "a PNG of {width:.0} x {height:.0} points at {dots_per_inch} dots per inch has no pixels or too many; \
     the most is {MOST} in all"
)]
pub struct TooLarge {
    /// Width of the drawing in points.
    pub width: f64,
    /// Height of the drawing in points.
    pub height: f64,
    pub dots_per_inch: f64,
}

/// Most pixels of a picture.
const MOST: f64 = 2e8;

impl Drawing {
    /// The drawing as a PNG file with this many dots per inch, on white.
    ///
    /// # Errors
    /// When the picture would have no pixels, or more than two hundred million.
    pub fn png(&self, dots_per_inch: f64) -> Result<Vec<u8>, TooLarge> {
        let refused = TooLarge { width: self.width, height: self.height, dots_per_inch };
        let scale = dots_per_inch / 72.0;
        let (wide, high) = ((self.width * scale).round(), (self.height * scale).round());
        if !(wide >= 1.0 && high >= 1.0 && wide * high <= MOST) {
            return Err(refused);
        }
        let mut pixmap = Pixmap::new(wide as u32, high as u32).ok_or(refused)?;
        pixmap.fill(Color::WHITE);
        Painter { pixmap: &mut pixmap, scale: scale as f32 }.items(&self.items, None);
        Ok(packed(&pixmap, dots_per_inch))
    }
}

struct Painter<'a> {
    pixmap: &'a mut Pixmap,
    scale: f32,
}

impl Painter<'_> {
    fn items(&mut self, items: &[Item], mask: Option<&Mask>) {
        let to_pixels = Transform::from_scale(self.scale, self.scale);
        for item in items {
            match item {
                Item::Fill { path, colour, opacity } => {
                    self.fill(path, &paint(*colour, *opacity), to_pixels, mask);
                }
                Item::Stroke { path, stroke } => self.stroke(path, stroke, to_pixels, mask),
                Item::Words(words) => self.words(words, mask),
                Item::Clip { to, items } => {
                    let mut inner = Mask::new(self.pixmap.width(), self.pixmap.height());
                    if let (Some(inner), Some(path)) = (&mut inner, path(&to.path())) {
                        inner.fill_path(&path, FillRule::Winding, true, to_pixels);
                    }
                    self.items(items, inner.as_ref());
                }
            }
        }
    }

    fn fill(&mut self, steps: &[Step], paint: &Paint, to: Transform, mask: Option<&Mask>) {
        if let Some(path) = path(steps) {
            self.pixmap.fill_path(&path, paint, FillRule::Winding, to, mask);
        }
    }

    fn stroke(&mut self, steps: &[Step], stroke: &Stroke, to: Transform, mask: Option<&Mask>) {
        let Some(path) = path(steps) else { return };
        let looks = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(stroke.dash.iter().map(|&d| d as f32).collect(), 0.0),
            ..tiny_skia::Stroke::default()
        };
        let paint = paint(stroke.colour, stroke.opacity);
        self.pixmap.stroke_path(&path, &paint, &looks, to, mask);
    }

    /// All glyphs of a line as one path.
    fn words(&mut self, words: &Words, mask: Option<&Mask>) {
        let to = Transform::from_scale(self.scale, self.scale)
            .pre_translate(words.at.0 as f32, words.at.1 as f32)
            .pre_rotate(-words.angle as f32);
        let mut path = Vec::new();
        for placed in &words.line.glyphs {
            let scale = placed.size / font::UNITS;
            let move_to = |(x, y): Point| (placed.x + x * scale, placed.y - y * scale);
            path.extend(font::outline(placed.glyph).iter().map(|step| step.moved(move_to)));
        }
        self.fill(&path, &paint(words.colour, 1.0), to, mask);
    }
}

fn paint(Rgb(r, g, b): Rgb, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, (opacity * 255.0).round() as u8);
    paint
}

fn path(steps: &[Step]) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    let f = |value: f64| value as f32;
    for step in steps {
        match *step {
            Step::Move((x, y)) => builder.move_to(f(x), f(y)),
            Step::Line((x, y)) => builder.line_to(f(x), f(y)),
            Step::Quad((a, b), (x, y)) => builder.quad_to(f(a), f(b), f(x), f(y)),
            Step::Cubic((a, b), (c, d), (x, y)) => {
                builder.cubic_to(f(a), f(b), f(c), f(d), f(x), f(y));
            }
            Step::Close => builder.close(),
        }
    }
    builder.finish()
}

/// A PNG file of opaque pixels: header, resolution, compressed rows.
fn packed(pixmap: &Pixmap, dots_per_inch: f64) -> Vec<u8> {
    let (wide, high) = (pixmap.width(), pixmap.height());
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    // Eight bits, red-green-blue, the standard compression and filters, not interlaced.
    let header = [&wide.to_be_bytes()[..], &high.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    chunk(&mut file, *b"IHDR", &header);
    let dots_per_metre = (dots_per_inch / 0.0254).round() as u32;
    let mut resolution = [dots_per_metre.to_be_bytes(); 2].concat();
    resolution.push(1);
    chunk(&mut file, *b"pHYs", &resolution);
    chunk(&mut file, *b"IDAT", &compress_to_vec_zlib(&rows(pixmap), 4));
    chunk(&mut file, *b"IEND", &[]);
    file
}

/// Rows of pixels, each as its difference from the row above: mostly zeros.
fn rows(pixmap: &Pixmap) -> Vec<u8> {
    let wide = pixmap.width() as usize;
    let mut above = vec![0; 3 * wide];
    let mut row = vec![0; 3 * wide];
    let mut rows = Vec::with_capacity((3 * wide + 1) * pixmap.height() as usize);
    for pixels in pixmap.data().chunks_exact(4 * wide) {
        for (to, from) in row.chunks_exact_mut(3).zip(pixels.chunks_exact(4)) {
            to.copy_from_slice(&from[..3]);
        }
        rows.push(2);
        rows.extend(
            row.iter().zip(&above).map(|(now, above): (&u8, &u8)| now.wrapping_sub(*above)),
        );
        std::mem::swap(&mut row, &mut above);
    }
    rows
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let check = checksum(&file[start..]);
    file.extend(check.to_be_bytes());
}

/// The cyclic redundancy check of PNG (polynomial 0xEDB88320), bit by bit.
fn checksum(data: &[u8]) -> u32 {
    let shift = |check: u32, _| (check >> 1) ^ if check & 1 == 1 { 0xEDB8_8320 } else { 0 };
    !data.iter().fold(!0, |check, &byte| (0..8).fold(check ^ u32::from(byte), shift))
}

#[cfg(test)]
#[path = "png_tests.rs"]
mod tests;
