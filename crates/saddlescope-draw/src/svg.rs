//! Drawings as SVG: text written by hand, small, with the same bytes every time.
//!
//! Names of clips and glyphs say what they hold, so that several drawings can stand in one page.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::colour::Rgb;
use super::font;
use super::scene::{Drawing, Item, Point, Rect, Step, Stroke, Words};

/// Decimals of coordinates: a hundredth of a point is 3.5 micrometres.
const HUNDRED: f64 = 100.0;

impl Drawing {
    /// The drawing as an SVG document, with its size in millimetres.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let millimetres = |points: f64| number((points * 25.4 / 72.0 * 100.0).round() as i64);
        let hundredths = |points: f64| number(rounded(points));
        let (wide, high) = (millimetres(self.width), millimetres(self.height));
        let view = format!("0 0 {} {}", hundredths(self.width), hundredths(self.height));
        svg += "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" ";
        let _ = writeln!(
            svg,
            "width=\"{wide}mm\" height=\"{high}mm\" viewBox=\"{view}\" role=\"img\">"
        );
        let _ = writeln!(svg, "<title>{}</title>", escaped(&self.title));
        let _ = writeln!(svg, "<desc>{}</desc>", escaped(&self.description));
        self.definitions(&mut svg);
        svg += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
        // One colour per path: what is stroked is not filled.
        svg += "<g stroke-linejoin=\"round\" fill=\"none\">\n";
        write_items(&self.items, &mut svg);
        svg += "</g>\n</svg>\n";
        svg
    }

    /// Outlines of the glyphs that occur, and the clips.
    fn definitions(&self, svg: &mut String) {
        let glyphs: BTreeSet<u16> = self
            .words()
            .iter()
            .flat_map(|words| words.line.glyphs.iter().map(|g| g.glyph))
            .collect();
        *svg += "<defs>\n";
        for glyph in glyphs {
            let _ = write!(svg, "<path id=\"saddlescope-{glyph}\" d=\"");
            write_path(font::outline(glyph), 1.0, svg);
            *svg += "\"/>\n";
        }
        let mut clips = BTreeSet::new();
        collect_clips(&self.items, &mut clips);
        for clip in clips {
            let [x, y, wide, high] = clip;
            let name = clip_name(clip);
            let [x, y, wide, high, back] = [x, y, wide, high, -wide].map(number);
            let path = format!("M{x} {y}h{wide}v{high}h{back}z");
            let _ = writeln!(svg, "<clipPath id=\"{name}\"><path d=\"{path}\"/></clipPath>");
        }
        *svg += "</defs>\n";
    }
}

/// A clip in hundredths of a point: left, top, width, height.
type Clip = [i64; 4];

fn clip_of(rect: &Rect) -> Clip {
    let (left, top) = (rounded(rect.left), rounded(rect.top));
    [left, top, rounded(rect.right) - left, rounded(rect.bottom) - top]
}

fn clip_name([x, y, wide, high]: Clip) -> String {
    format!("saddlescope-clip-{x}-{y}-{wide}-{high}")
}

fn collect_clips(items: &[Item], clips: &mut BTreeSet<Clip>) {
    for item in items {
        if let Item::Clip { to, items } = item {
            clips.insert(clip_of(to));
            collect_clips(items, clips);
        }
    }
}

fn write_items(items: &[Item], svg: &mut String) {
    for item in items {
        match item {
            Item::Fill { path, colour, opacity } => {
                let _ = write!(svg, "<path fill=\"{}\"", hex(*colour));
                write_opacity("fill", *opacity, svg);
                write_data(path, svg);
            }
            Item::Stroke { path, stroke } => write_stroke(path, stroke, svg),
            Item::Words(words) => write_words(words, svg),
            Item::Clip { to, items } => {
                let _ = writeln!(svg, "<g clip-path=\"url(#{})\">", clip_name(clip_of(to)));
                write_items(items, svg);
                *svg += "</g>\n";
            }
        }
    }
}

fn write_stroke(path: &[Step], stroke: &Stroke, svg: &mut String) {
    let (colour, width) = (hex(stroke.colour), number(rounded(stroke.width)));
    let _ = write!(svg, "<path stroke=\"{colour}\" stroke-width=\"{width}\"");
    write_opacity("stroke", stroke.opacity, svg);
    if !stroke.dash.is_empty() {
        let dash: Vec<String> = stroke.dash.iter().map(|&d| number(rounded(d))).collect();
        let _ = write!(svg, " stroke-dasharray=\"{}\"", dash.join(" "));
    }
    write_data(path, svg);
}

fn write_opacity(of: &str, opacity: f64, svg: &mut String) {
    if opacity < 1.0 {
        let _ = write!(svg, " {of}-opacity=\"{}\"", number(rounded(opacity)));
    }
}

/// The end of a path element.
fn write_data(path: &[Step], svg: &mut String) {
    *svg += " d=\"";
    write_path(path, HUNDRED, svg);
    *svg += "\"/>\n";
}

/// Glyphs in font units inside groups that move, turn and scale them.
fn write_words(words: &Words, svg: &mut String) {
    let (role, label) = (words.role.name(), escaped(&words.source));
    let (x, y) = (number(rounded(words.at.0)), number(rounded(words.at.1)));
    let colour = hex(words.colour);
    let _ = write!(svg, "<g class=\"{role}\" aria-label=\"{label}\" fill=\"{colour}\"");
    let _ = write!(svg, " transform=\"translate({x} {y})");
    if words.angle != 0.0 {
        let _ = write!(svg, "rotate({})", number(rounded(-words.angle)));
    }
    *svg += "\">";
    for run in words.line.glyphs.chunk_by(|a, b| a.size == b.size) {
        let Some(first) = run.first() else { continue };
        // Font units have a thousand per em: six decimals of the scale are a thousandth of a point.
        let scale = format!("{:.6}", first.size / font::UNITS);
        let scale = scale.trim_start_matches('0').trim_end_matches('0');
        let _ = write!(svg, "<g transform=\"scale({scale} -{scale})\">");
        for glyph in run {
            let units = font::UNITS / first.size;
            let x = (glyph.x * units).round() as i64;
            let y = (-glyph.y * units).round() as i64;
            let _ = write!(svg, "<use xlink:href=\"#saddlescope-{}\"", glyph.glyph);
            for (name, value) in [("x", x), ("y", y)] {
                if value != 0 {
                    let _ = write!(svg, " {name}=\"{value}\"");
                }
            }
            *svg += "/>";
        }
        *svg += "</g>";
    }
    *svg += "</g>\n";
}

/// Path data in steps from point to point, rounded to parts of `unit` so that errors do not add up.
fn write_path(path: &[Step], unit: f64, svg: &mut String) {
    let round = |(x, y): Point| ((x * unit).round() as i64, (y * unit).round() as i64);
    let show = |value: i64| if unit == 1.0 { value.to_string() } else { number(value) };
    let mut at = (0, 0);
    let mut start = (0, 0);
    let mut letter = ' ';
    for step in path {
        let (name, points) = match *step {
            Step::Move(p) => ('m', vec![round(p)]),
            Step::Line(p) => ('l', vec![round(p)]),
            Step::Quad(c, p) => ('q', vec![round(c), round(p)]),
            Step::Cubic(c, d, p) => ('c', vec![round(c), round(d), round(p)]),
            Step::Close => ('z', Vec::new()),
        };
        let name = match (name, points.first()) {
            ('l', Some(p)) if p.1 == at.1 => 'h',
            ('l', Some(p)) if p.0 == at.0 => 'v',
            _ => name,
        };
        if name != letter || matches!(name, 'm' | 'z') {
            svg.push(name);
            letter = name;
        } else {
            svg.push(' ');
        }
        let steps = points.iter().map(|p| [p.0 - at.0, p.1 - at.1]);
        let values: Vec<i64> = match name {
            'h' => steps.map(|[x, _]| x).collect(),
            'v' => steps.map(|[_, y]| y).collect(),
            _ => steps.flatten().collect(),
        };
        for (number, &value) in values.iter().enumerate() {
            let value = show(value);
            if number > 0 && !value.starts_with('-') {
                svg.push(' ');
            }
            *svg += &value;
        }
        at = points.last().copied().unwrap_or(start);
        if name == 'm' {
            start = at;
        }
    }
}

fn rounded(value: f64) -> i64 {
    (value * HUNDRED).round() as i64
}

/// Hundredths as a decimal without idle zeros.
fn number(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, part) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    match (whole, part) {
        (_, 0) => format!("{sign}{whole}"),
        (0, _) => format!("{sign}.{part:02}").trim_end_matches('0').to_owned(),
        _ => format!("{sign}{whole}.{part:02}").trim_end_matches('0').to_owned(),
    }
}

fn hex(Rgb(r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text safe inside elements and attributes; characters that XML forbids become blanks.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\u{fffe}' | '\u{ffff}' => safe.push(' '),
            _ if c.is_control() => safe.push(' '),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [(0, "0"), (5, ".05"), (-50, "-.5"), (1234, "12.34"), (-700, "-7")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn paths_are_relative_and_rounding_does_not_add_up() {
        let mut svg = String::new();
        let third = 1.0 / 3.0;
        let path: Vec<Step> = std::iter::once(Step::Move((0.0, 1.0)))
            .chain((1..=3).map(|i| Step::Line((f64::from(i) * third, 1.0))))
            .chain([Step::Close, Step::Line((0.0, 2.0))])
            .collect();
        write_path(&path, HUNDRED, &mut svg);
        assert_eq!(svg, "m0 1h.33 .34 .33zv1");
    }

    #[test]
    fn labels_cannot_break_the_document() {
        assert_eq!(escaped("a<b & \"c\"\u{0}"), "a&lt;b &amp; &quot;c&quot; ");
    }
}
