//! What a figure shows, as plain data.

pub use saddlescope_spec::figure::{LegendPlace, Scale, Width};
use saddlescope_spec::sketch::Sketch;

use super::colour::Colour;

/// A figure: panels in a grid, row by row, with an optional title and a small caption.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// A line above everything; also the title of the file.
    pub title: Option<String>,
    /// Panels side by side; at least one.
    pub columns: usize,
    pub width: Width,
    /// Height of a panel's plotting area over its width.
    pub aspect: f64,
    /// Where the labels of curves and bars are explained.
    pub legend: LegendPlace,
    /// A word before the entries of the legend, such as `$\lambda$`.
    pub legend_title: Option<String>,
    pub panels: Vec<Panel>,
    /// A small grey line at the bottom: name and hash of what was drawn. Nothing when empty.
    pub caption: String,
}

impl Default for Figure {
    /// One column wide, one panel per row, legends in the panels, nothing drawn.
    fn default() -> Self {
        Self {
            title: None,
            columns: 1,
            width: Width::Column,
            aspect: 0.62,
            legend: LegendPlace::Panels,
            legend_title: None,
            panels: Vec::new(),
            caption: String::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    pub title: Option<String>,
    /// How many columns of the figure it takes; at least one, at most all.
    pub span: usize,
    pub body: Body,
}

impl Panel {
    /// A panel of one column without a title.
    pub fn new(body: Body) -> Self {
        Self { title: None, span: 1, body }
    }

    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    Chart(Chart),
    Bars(Bars),
    Heatmaps(Heatmaps),
    Image(Image),
    Graph(Graph),
    Map(Map),
    Phase(Phase),
    Tokens(Sketch),
    Table(Cells),
}

/// Curves, bands and points over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    pub x: Axis,
    pub y: Axis,
    /// What is drawn: bands first, theory last, else in this order.
    pub marks: Vec<Mark>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub label: String,
    pub scale: Scale,
    /// First and last value shown; from the data when missing or impossible.
    pub range: Option<(f64, f64)>,
    /// Whether a linear axis has ticks at whole numbers only, as for what is counted.
    pub whole: bool,
}

impl Axis {
    /// An axis with ticks at any round numbers.
    pub fn new(label: impl Into<String>, scale: Scale, range: Option<(f64, f64)>) -> Self {
        Self { label: label.into(), scale, range, whole: false }
    }

    /// A linear axis that takes its range from the data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Linear, None)
    }

    /// A logarithmic axis that takes its range from the data.
    pub fn log(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Log, None)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub shape: Shape,
    pub ink: Ink,
    /// Its name in the legend; what shares a name shares an entry. A level or an instant whose name no other has is
    /// named at the edge.
    pub label: Option<String>,
}

/// Where a mark is. Entries that are not finite leave gaps; lists of different lengths end with the shortest.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A curve through points, in order.
    Line { x: Vec<f64>, y: Vec<f64> },
    /// The area between two curves.
    Band { x: Vec<f64>, low: Vec<f64>, high: Vec<f64> },
    /// Single points; the width of the ink is the stroke of crosses, and scales the others.
    Points { x: Vec<f64>, y: Vec<f64>, marker: Marker },
    /// A horizontal line over the whole panel.
    Level(f64),
    /// A vertical line over the whole panel.
    Instant(f64),
}

impl Mark {
    pub fn new(shape: Shape, ink: Ink) -> Self {
        Self { shape, ink, label: None }
    }

    pub fn line(x: Vec<f64>, y: Vec<f64>, ink: Ink) -> Self {
        Self::new(Shape::Line { x, y }, ink)
    }

    pub fn band(x: Vec<f64>, low: Vec<f64>, high: Vec<f64>, ink: Ink) -> Self {
        Self::new(Shape::Band { x, low, high }, ink)
    }

    pub fn points(x: Vec<f64>, y: Vec<f64>, marker: Marker, ink: Ink) -> Self {
        Self::new(Shape::Points { x, y, marker }, ink)
    }

    #[must_use]
    pub fn named(self, label: impl Into<Option<String>>) -> Self {
        Self { label: label.into(), ..self }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    Disc,
    Ring,
    Square,
    Triangle,
    Diamond,
    Cross,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ink {
    pub colour: Colour,
    /// Width of the stroke in points, at the width of a column; slides draw it thicker.
    pub width: f64,
    pub dash: Dash,
    /// From 0, not seen, to 1, solid.
    pub opacity: f64,
}

impl Ink {
    /// A solid line, 1.2 points wide.
    pub fn line(colour: Colour) -> Self {
        Self { colour, width: 1.2, dash: Dash::Solid, opacity: 1.0 }
    }

    /// The thin grey dashes of theory.
    pub fn theory() -> Self {
        Self { colour: Colour::Theory, width: 0.7, dash: Dash::Dashed, opacity: 1.0 }
    }

    /// The pale filling of a band.
    pub fn band(colour: Colour) -> Self {
        Self { colour, width: 0.0, dash: Dash::Solid, opacity: 0.2 }
    }

    #[must_use]
    pub fn dashed(self, dash: Dash) -> Self {
        Self { dash, ..self }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    Solid,
    Dashed,
    Dotted,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The vertical axis; a linear one includes zero.
    pub y: Axis,
    /// Name of the horizontal axis; may be empty.
    pub x_label: String,
    pub groups: Vec<String>,
    /// The bars of each group, side by side.
    pub series: Vec<BarSeries>,
    /// What theory says, as a dashed tick: one entry per group, or one per bar (the bars of the first group first).
    pub theory: Vec<Option<f64>>,
}

/// One bar in each group.
#[derive(Debug, Clone, PartialEq)]
pub struct BarSeries {
    pub label: Option<String>,
    pub ink: Ink,
    pub values: Vec<Option<f64>>,
    /// Ends of the error bar per group; empty for none.
    pub low: Vec<Option<f64>>,
    pub high: Vec<Option<f64>>,
}

/// Matrices side by side with one scale of colours.
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmaps {
    pub maps: Vec<Heatmap>,
    /// Whether colours diverge around zero; else they run from the least to the greatest value.
    pub symmetric: bool,
    /// What the colours mean, beside the colour bar.
    pub label: String,
}

/// One matrix. Entries that are missing or not finite are grey.
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmap {
    /// A line above it; may be empty.
    pub title: String,
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f64>,
    /// Names of the rows, from the top, and of the columns; empty for none.
    pub row_labels: Vec<String>,
    pub column_labels: Vec<String>,
}

/// A vector over time, as colours: from left to right along an axis, its entries from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    pub x: Axis,
    pub at: Vec<f64>,
    /// Name of the vertical axis; may be empty.
    pub y_label: String,
    pub first: usize,
    pub entries: usize,
    /// Names of the entries, from the top; their numbers when empty.
    pub names: Vec<String>,
    /// Entries between two white lines, as the rows of a matrix are; 0 for no lines.
    pub group: usize,
    /// The entries of the first sample, then those of the next; what is not finite is grey.
    pub values: Vec<f64>,
    /// Name, scale and range of the colours; a linear scale of values on both sides of zero diverges there.
    pub colours: Axis,
    /// Vertical lines over it: their place, how they are drawn, and their name in the legend.
    pub instants: Vec<(f64, Ink, String)>,
}

/// Named places on levels, and ways between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    pub y: Axis,
    pub nodes: Vec<GraphNode>,
    /// The ways; wide ones are drawn above narrow ones.
    pub ways: Vec<Way>,
    /// How many starts the shares of the ways are of; 0 where none walked.
    pub starts: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct GraphNode {
    pub label: String,
    /// A few small words under its name; may be empty.
    pub note: String,
    /// Its place from left, 0, to right, 1.
    pub x: f64,
    /// Its place along the vertical axis.
    pub y: f64,
    pub look: NodeLook,
    /// Part of all starts that came by, from 0 to 1.
    pub share: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeLook {
    Plain,
    Double,
    Filled,
    Dashed,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    pub from: usize,
    pub to: usize,
    /// Part of all starts that took it; 0 for a way that only exists.
    pub share: f64,
    /// Whether the flow is known to lead this way; one that starts took without visiting what lies
    /// between is dashed.
    pub known: bool,
}

/// A mark per run, coloured by what it came to. Entries that are not finite have no place or no colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    pub ground: Ground,
    pub tints: Tints,
}

/// What runs came to over two axes: cells between edges, each in the colour of its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// The axes; without a range, from the first edge to the last.
    pub x: Axis,
    pub y: Axis,
    /// Edges of the cells along the axes, ascending; one more than there are cells.
    pub across: Vec<f64>,
    pub along: Vec<f64>,
    /// Colours of the cells, the lowest row first, each from the left. Words have no markers here.
    pub tints: Tints,
    /// Whether any run is in each cell: one with runs but without a value is hatched, one without is pale.
    pub filled: Vec<bool>,
    pub boundary: Vec<Boundary>,
}

/// A line between cells below a value and cells not below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    pub label: String,
    /// Whether each cell is below; nothing where that cannot be said.
    pub below: Vec<Option<bool>>,
}

/// What the marks of a map stand on.
#[derive(Debug, Clone, PartialEq)]
pub enum Ground {
    Axes {
        x: Axis,
        y: Axis,
        at: Vec<(f64, f64)>,
    },
    /// A triangle, in which a mark is as near to a corner as that corner's share in the sum is large.
    Triangle {
        /// Names of the corners, at the left, at the right and at the top.
        corners: [String; 3],
        /// Parts of each corner; none may be negative.
        at: Vec<[f64; 3]>,
    },
}

/// What the colours of a map's marks mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Tints {
    /// A look for each word.
    Words {
        /// What the words are; may be empty.
        label: String,
        kinds: Vec<MapKind>,
        /// The place in `kinds` of each mark.
        of: Vec<Option<usize>>,
    },
    /// Numbers on a ramp with a colour bar.
    Numbers { axis: Axis, of: Vec<f64> },
}

/// A look of a map's marks.
#[derive(Debug, Clone, PartialEq)]
pub struct MapKind {
    pub label: String,
    pub colour: Colour,
    pub marker: Marker,
}

/// A table; columns of numbers are aligned to the right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    pub header: Vec<String>,
    /// Rows; missing cells are empty.
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
#[path = "figure_tests.rs"]
pub(crate) mod tests;
