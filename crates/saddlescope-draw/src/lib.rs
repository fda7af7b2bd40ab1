//! Figures for print and screen: plain data in, one [`Drawing`] out, written as SVG, PNG and PDF with one embedded font.
//!
//! A [`Figure`] says what is to be seen, in numbers that somebody has already chosen. [`Figure::draw`] lays it out into
//! filled and stroked paths and glyphs, and three thin writers put the same primitives into the three formats.
//!
//! Labels are text with formulas between dollar signs: `loss $\mathcal{L}(t)$`, `$t_{1/2} \propto \lambda^{-2}$`.
//!
//! ```
//! use saddlescope_draw::{Axis, Body, Chart, Colour, Figure, Ink, Mark, Panel};
//!
//! let x: Vec<f64> = (0..100).map(f64::from).collect();
//! let y = x.iter().map(|t| (-t / 20.0).exp()).collect();
//! let curve = Mark::line(x, y, Ink::line(Colour::Series(0))).named("flow".to_owned());
//! let chart = Chart { x: Axis::linear("time $t$"), y: Axis::log("loss"), marks: vec![curve] };
//! let figure = Figure { panels: vec![Panel::new(Body::Chart(chart))], ..Figure::default() };
//! let drawing = figure.draw();
//! assert!(drawing.svg().starts_with("<svg"));
//! assert!(drawing.pdf().starts_with(b"%PDF"));
//! ```

#![allow(missing_docs)]

mod bars;
mod cells;
mod chart;
mod clip;
mod colour;
mod colour_bar;
mod figure;
mod font;
mod frame;
mod graph;
mod heatmap;
mod image;
mod layout;
mod legend;
mod map;
mod markup;
mod pdf;
mod phase;
mod pieces;
mod plain;
mod plot;
mod png;
mod scale;
mod scene;
mod style;
mod svg;
mod symbols;
mod text;
mod thin;
mod ticks;
mod tiles;
mod tokens;

/// What panels are drawn with.
mod prelude {
    pub(crate) use crate::colour::{Colour, FAINT, GRID, INK, NOTHING, Rgb, THEORY, WHITE};
    pub(crate) use crate::figure::*;
    pub(crate) use crate::font;
    pub(crate) use crate::frame::Margins;
    pub(crate) use crate::layout::{Content, Context};
    pub(crate) use crate::legend::{self, Entry, Sample};
    pub(crate) use crate::plot::{Marks, Plot, Side};
    pub(crate) use crate::scale::Mapping;
    pub(crate) use crate::scene::{
        Drawing, Point, Rect, Role, Step, Stroke, closed, open, segment,
    };
    pub(crate) use crate::style::{Style, opacity};
    pub(crate) use crate::text::{Align, width};
    pub(crate) use crate::ticks::Tick;
}

pub use colour::Colour;
pub use figure::{
    Axis, BarSeries, Bars, Body, Boundary, Cells, Chart, Dash, Figure, Graph, GraphNode, Ground,
    Heatmap, Heatmaps, Image, Ink, LegendPlace, Map, MapKind, Mark, Marker, NodeLook, Panel, Phase,
    Scale, Shape, Tints, Way, Width,
};
pub use markup::unknown_commands;
pub use plain::plain;
pub use png::TooLarge;
pub use scene::{Drawing, Role, Words};
pub use symbols::{Alphabet, COMMANDS, Class, Command};
