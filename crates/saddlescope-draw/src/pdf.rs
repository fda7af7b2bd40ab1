//! Drawings as PDF: one page of vector paths, compressed.

use std::collections::BTreeSet;

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, TextStr};

use super::colour::Rgb;
use super::font;
use super::scene::{Drawing, Item, Point, Step, Words};

impl Drawing {
    /// The drawing as a PDF document with one page of its size.
    pub fn pdf(&self) -> Vec<u8> {
        let mut writer = Writer { content: Content::new(), opacities: BTreeSet::new() };
        // Drawings count downwards, pages upwards.
        writer.content.transform([1.0, 0.0, 0.0, -1.0, 0.0, single(self.height)]);
        writer.content.set_line_join(LineJoinStyle::RoundJoin);
        writer.items(&self.items);
        let content = writer.content.finish();

        let (catalog, pages, page, stream, info) =
            (Ref::new(1), Ref::new(2), Ref::new(3), Ref::new(4), Ref::new(5));
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        let mut leaf = pdf.page(page);
        leaf.media_box(Rect::new(0.0, 0.0, single(self.width), single(self.height)));
        leaf.parent(pages).contents(stream);
        let mut resources = leaf.resources();
        let mut states = resources.ext_g_states();
        for &percent in &writer.opacities {
            let opacity = f32::from(percent) / 100.0;
            states
                .insert(Name(state(percent).as_bytes()))
                .start::<pdf_writer::writers::ExtGraphicsState>()
                .non_stroking_alpha(opacity)
                .stroking_alpha(opacity);
        }
        states.finish();
        resources.finish();
        leaf.finish();
        pdf.stream(stream, &compress_to_vec_zlib(content.as_slice(), 5))
            .filter(Filter::FlateDecode);
        pdf.document_info(info).title(TextStr(&self.title)).creator(TextStr("Saddlescope"));
        pdf.finish()
    }
}

/// Name of the graphics state of an opacity.
fn state(percent: u8) -> String {
    format!("A{percent}")
}

struct Writer {
    content: Content,
    /// Opacities that occur, in percent.
    opacities: BTreeSet<u8>,
}

impl Writer {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Fill { path, colour, opacity } => {
                    self.content.save_state();
                    self.opacity(*opacity);
                    self.fill_colour(*colour);
                    self.path(path, |p| p);
                    self.content.fill_nonzero();
                    self.content.restore_state();
                }
                Item::Stroke { path, stroke } => {
                    self.content.save_state();
                    self.opacity(stroke.opacity);
                    let [r, g, b] = parts(stroke.colour);
                    self.content.set_stroke_rgb(r, g, b);
                    self.content.set_line_width(single(stroke.width));
                    if !stroke.dash.is_empty() {
                        self.content.set_dash_pattern(stroke.dash.iter().map(|&d| single(d)), 0.0);
                    }
                    self.path(path, |p| p);
                    self.content.stroke();
                    self.content.restore_state();
                }
                Item::Words(words) => self.words(words),
                Item::Clip { to, items } => {
                    self.content.save_state();
                    self.content.rect(
                        single(to.left),
                        single(to.top),
                        single(to.width()),
                        single(to.height()),
                    );
                    self.content.clip_nonzero();
                    self.content.end_path();
                    self.items(items);
                    self.content.restore_state();
                }
            }
        }
    }

    fn words(&mut self, words: &Words) {
        let (sin, cos) = words.angle.to_radians().sin_cos();
        self.fill_colour(words.colour);
        for placed in &words.line.glyphs {
            let scale = placed.size / font::UNITS;
            let place = |(x, y): Point| {
                let (x, y) = (placed.x + x * scale, placed.y - y * scale);
                (words.at.0 + x * cos + y * sin, words.at.1 - x * sin + y * cos)
            };
            self.path(font::outline(placed.glyph), place);
        }
        if !words.line.glyphs.is_empty() {
            self.content.fill_nonzero();
        }
    }

    fn opacity(&mut self, opacity: f64) {
        if opacity < 1.0 {
            let percent = (opacity * 100.0).round() as u8;
            self.opacities.insert(percent);
            self.content.set_parameters(Name(state(percent).as_bytes()));
        }
    }

    fn fill_colour(&mut self, colour: Rgb) {
        let [r, g, b] = parts(colour);
        self.content.set_fill_rgb(r, g, b);
    }

    fn path(&mut self, path: &[Step], place: impl Fn(Point) -> Point) {
        let mut at = (0.0, 0.0);
        for step in path {
            // The cubic that is the same curve.
            let (step, end) = match *step {
                Step::Quad(c, p) => {
                    let towards = |from: Point| {
                        (from.0 + 2.0 / 3.0 * (c.0 - from.0), from.1 + 2.0 / 3.0 * (c.1 - from.1))
                    };
                    (Step::Cubic(towards(at), towards(p), p), p)
                }
                Step::Move(p) | Step::Line(p) | Step::Cubic(_, _, p) => (*step, p),
                Step::Close => (*step, at),
            };
            at = end;
            let f = single;
            match step.moved(&place) {
                Step::Move((x, y)) => self.content.move_to(f(x), f(y)),
                Step::Line((x, y)) => self.content.line_to(f(x), f(y)),
                Step::Cubic((a, b), (c, d), (x, y)) => {
                    self.content.cubic_to(f(a), f(b), f(c), f(d), f(x), f(y))
                }
                Step::Quad(..) | Step::Close => self.content.close_path(),
            };
        }
    }
}

/// A coordinate to a hundredth of a point, 3.5 micrometres.
fn single(value: f64) -> f32 {
    ((value * 100.0).round() / 100.0) as f32
}

fn parts(Rgb(r, g, b): Rgb) -> [f32; 3] {
    [r, g, b].map(|part| ((f64::from(part) / 255.0 * 10_000.0).round() / 10_000.0) as f32)
}

#[cfg(test)]
#[path = "pdf_tests.rs"]
mod tests;
