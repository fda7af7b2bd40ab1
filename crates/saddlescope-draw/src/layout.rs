//! From a figure to its drawing: panels in a grid, their plotting areas equally wide and aligned.

use std::collections::BTreeSet;

use super::cells::CellsContent;
use super::heatmap::HeatmapsContent;
use super::prelude::*;
use super::tokens::TokensContent;
use super::{bars, chart, graph, image, map, phase};

/// What a panel shows, ready to be measured and drawn.
pub(crate) trait Content {
    /// Room around a plotting area of this width and height.
    fn room(&mut self, wide: f64, high: f64) -> Margins;

    /// Height of the plotting area at this width, where it is not the usual one.
    fn height(&self, _wide: f64, usual: f64) -> f64 {
        usual
    }

    /// Whether the plotting area is aligned with those above and below.
    fn is_aligned(&self) -> bool {
        true
    }

    /// What the legend explains.
    fn entries(&self) -> Vec<Entry> {
        Vec::new()
    }

    /// Draws into the plotting area and the room around it; `usual` is the height that charts have.
    fn draw(&self, area: Rect, usual: f64, drawing: &mut Drawing);
}

/// What the figure around a panel tells its content.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) style: &'a Style,
    /// Whether the panel has a legend of its own, and the word before its entries.
    pub(crate) has_legend: bool,
    pub(crate) legend_title: Option<&'a str>,
    /// Whether the axis at the left repeats that of the panel before.
    pub(crate) quiet: bool,
}

impl<'a> Context<'a> {
    /// With a title from what colours mean, where the figure has none.
    pub(crate) fn or_title(&self, tints: &'a Tints) -> Self {
        Self { legend_title: self.legend_title.or(tints.legend_title()), ..*self }
    }
}

struct GridPanel<'a> {
    panel: &'a Panel,
    content: Box<dyn Content + 'a>,
    row: usize,
    first: usize,
    last: usize,
    room: Margins,
}

impl Figure {
    pub fn draw(&self) -> Drawing {
        let style = Style::new(self.width);
        let grid = Grid::new(self, &style);
        let mut drawing = Drawing {
            width: style.width,
            height: 0.0,
            title: self.plain_title(),
            description: self.description(),
            items: Vec::new(),
            missing: BTreeSet::new(),
            style,
        };
        let mut y = style.outer();
        if let Some(title) = self.title.as_ref().filter(|title| !title.is_empty()) {
            let look = style.look(Role::Title, Align::Left).sized(style.title);
            let at = (style.outer(), y + 0.8 * style.title);
            drawing.write_fitted(title, at, look, style.inner());
            y += 1.45 * style.title;
        }
        if self.legend == LegendPlace::Shared {
            y += grid.shared_legend(self.legend_title.as_deref(), y, &mut drawing);
        }
        y = grid.draw(y, &mut drawing);
        if !self.caption.is_empty() {
            y += 1.2 * style.caption;
            let look = style.look(Role::Caption, Align::Left).coloured(FAINT);
            drawing.write_fitted(&self.caption, (style.outer(), y), look, style.inner());
            y += 0.2 * style.caption;
        }
        drawing.height = y + style.outer();
        drawing
    }

    fn plain_title(&self) -> String {
        let panels = || self.panels.iter().find_map(|panel| panel.title.clone());
        self.title.clone().or_else(panels).unwrap_or_else(|| self.caption.clone())
    }

    /// What the figure shows, in a sentence per panel, for readers who cannot see it.
    fn description(&self) -> String {
        let panel = |panel: &Panel| {
            let title = panel.title.as_ref().map_or(String::new(), |title| format!("{title}: "));
            format!("{title}{}.", panel.body.described())
        };
        self.panels.iter().map(panel).collect::<Vec<_>>().join(" ")
    }
}

impl Body {
    fn described(&self) -> String {
        match self {
            Self::Chart(chart) => format!("{} against {}", chart.y.label, chart.x.label),
            Self::Bars(bars) => format!("bars of {} for {}", bars.y.label, bars.groups.join(", ")),
            Self::Heatmaps(maps) => format!("{} matrices of {}", maps.maps.len(), maps.label),
            Self::Image(Image { colours, entries, x, .. }) => {
                format!("{} of {entries} entries over {}", colours.label, x.label)
            }
            Self::Graph(graph) => {
                let names: Vec<&str> = graph.nodes.iter().map(|node| node.label.as_str()).collect();
                format!("the saddles {} on their levels of {}", names.join(" "), graph.y.label)
            }
            Self::Map(Map { ground: Ground::Axes { x, y, at }, tints }) => {
                let by = tints.label();
                format!("{} runs by {} and {}: {by}", at.len(), x.label, y.label)
            }
            Self::Map(Map { ground: Ground::Triangle { corners, at }, tints }) => {
                format!("{} runs between {}: {}", at.len(), corners.join(", "), tints.label())
            }
            Self::Phase(phase) => {
                let (by, x, y) = (phase.tints.label(), &phase.x.label, &phase.y.label);
                let (columns, rows) = phase.size();
                format!("{by} over {x} and {y}, in {columns} x {rows} cells")
            }
            Self::Tokens(sketch) => {
                let rows = sketch.rows.iter().map(|row| {
                    let tokens = row.tokens.iter().map(|token| token.text.as_str());
                    tokens.collect::<Vec<_>>().join(" ")
                });
                format!("tokens {}", rows.collect::<Vec<_>>().join("; "))
            }
            Self::Table(cells) => format!("a table of {}", cells.header.join(", ")),
        }
    }
}

impl Style {
    /// White edge around the figure.
    fn outer(&self) -> f64 {
        2.0 * self.unit
    }

    /// Width inside the edge.
    fn inner(&self) -> f64 {
        self.width - 2.0 * self.outer()
    }

    /// Gap between neighbouring panels.
    fn gap(&self) -> f64 {
        9.0 * self.unit
    }
}

struct Grid<'a> {
    style: &'a Style,
    panels: Vec<GridPanel<'a>>,
    columns: usize,
    /// Room at the left and right of each column's plotting areas.
    sides: Vec<(f64, f64)>,
    /// Width of the plotting area of one column.
    wide: f64,
    /// Usual height of a plotting area.
    high: f64,
}

impl<'a> Grid<'a> {
    fn new(figure: &'a Figure, style: &'a Style) -> Self {
        let columns = figure.columns.clamp(1, 12).min(figure.panels.len().max(1));
        let aspect = if figure.aspect.is_finite() { figure.aspect.clamp(0.05, 5.0) } else { 0.62 };
        let share = (style.inner() - style.gap() * (columns - 1) as f64) / columns as f64;
        let wide = (share - 34.0 * style.unit).max(0.3 * share);
        let mut grid = Self {
            style,
            panels: place(figure, columns, style),
            columns,
            sides: vec![(0.0, 0.0); columns],
            wide,
            high: aspect * wide,
        };
        grid.measure();
        grid.high = aspect * grid.wide;
        grid.sides.fill((0.0, 0.0));
        // Narrower axes may have other labels, which need other room: it only grows from here on, so that this ends.
        for _ in 0..8 {
            let before = grid.wide;
            grid.measure();
            if grid.wide == before {
                break;
            }
        }
        grid
    }

    /// Room around the panels at the present size, not less than there is, and with it the width of a column.
    fn measure(&mut self) {
        for placed in &mut self.panels {
            let wide = self.wide * (placed.last - placed.first + 1) as f64;
            let high = placed.content.height(wide, self.high);
            placed.room = placed.content.room(wide, high);
            if placed.content.is_aligned() {
                let left = &mut self.sides[placed.first].0;
                *left = left.max(placed.room.left);
                let right = &mut self.sides[placed.last].1;
                *right = right.max(placed.room.right);
            }
        }
        let sides: f64 = self.sides.iter().map(|(left, right)| left + right).sum();
        let gaps = self.style.gap() * (self.columns - 1) as f64;
        let share = (self.style.inner() - gaps) / self.columns as f64;
        self.wide = ((self.style.inner() - gaps - sides) / self.columns as f64).max(0.2 * share);
    }

    /// Left and right end of the plotting area of a panel.
    fn span(&self, placed: &GridPanel) -> (f64, f64) {
        let mut x = self.style.outer();
        let mut ends = (x, x);
        for (column, (left, right)) in self.sides.iter().enumerate() {
            let own = !placed.content.is_aligned();
            if column == placed.first {
                ends.0 = x + if own { placed.room.left } else { *left };
            }
            x += left + self.wide;
            if column == placed.last {
                ends.1 = if own { x + right - placed.room.right } else { x };
            }
            x += right + self.style.gap();
        }
        ends
    }

    /// Draws the legend of all panels from `y` on, and returns its height.
    fn shared_legend(&self, title: Option<&str>, y: f64, drawing: &mut Drawing) -> f64 {
        let all: Vec<Entry> =
            self.panels.iter().flat_map(|panel| panel.content.entries()).collect();
        let entries = legend::entries(all.iter().flat_map(|Entry { label, samples }| {
            samples.iter().map(move |sample| (label.as_str(), *sample))
        }));
        if entries.is_empty() {
            return 0.0;
        }
        let left = self.sides.first().map_or(0.0, |side| side.0);
        let room = self.style.inner() - left;
        let layout = self.style.wrapped(&entries, title, room);
        drawing.legend(&layout, (self.style.outer() + left, y), false);
        layout.height + 3.0 * self.style.unit
    }

    /// Draws the panels from `y` on, and returns where they end.
    fn draw(&self, mut y: f64, drawing: &mut Drawing) -> f64 {
        let rows = self.panels.last().map_or(0, |placed| placed.row + 1);
        for row in 0..rows {
            let panels = || self.panels.iter().filter(|placed| placed.row == row);
            let top = panels().map(|p| p.room.top + self.title_height(p)).fold(0.0, f64::max);
            let mut end = y;
            for placed in panels() {
                let (left, right) = self.span(placed);
                let high = placed.content.height(right - left, self.high);
                let area = Rect::new(left, y + top, right - left, high);
                self.title(placed, &area, y, drawing);
                placed.content.draw(area, self.high, drawing);
                end = end.max(area.bottom + placed.room.bottom);
            }
            y = end + if row + 1 < rows { 0.7 * self.style.gap() } else { 0.0 };
        }
        y
    }

    fn title_height(&self, placed: &GridPanel) -> f64 {
        if placed.panel.title.is_some() { 1.25 * self.style.text } else { 0.0 }
    }

    fn title(&self, placed: &GridPanel, area: &Rect, top: f64, drawing: &mut Drawing) {
        let Some(title) = &placed.panel.title else { return };
        let look = self.style.look(Role::Title, Align::Left);
        let baseline = top + 0.85 * self.style.text;
        let own = if placed.content.is_aligned() { 0.0 } else { placed.room.left };
        let left = area.left - own;
        let room = area.right + placed.room.right - left;
        drawing.write_fitted(title, (left, baseline), look, room.max(width("m", look.size)));
    }
}

/// Panels in their cells, row by row; a panel that does not fit into a row starts the next one.
fn place<'a>(figure: &'a Figure, columns: usize, style: &'a Style) -> Vec<GridPanel<'a>> {
    let mut placed: Vec<GridPanel> = Vec::new();
    let (mut row, mut column) = (0, 0);
    for panel in &figure.panels {
        let span = panel.span.clamp(1, columns);
        if column + span > columns {
            (row, column) = (row + 1, 0);
        }
        let before = placed.last().filter(|before| before.row == row).map(|before| before.panel);
        let context = Context {
            style,
            has_legend: figure.legend == LegendPlace::Panels,
            legend_title: figure.legend_title.as_deref(),
            quiet: before.is_some_and(|before| repeats_axis(before, panel)),
        };
        let content: Box<dyn Content> = match &panel.body {
            Body::Chart(chart) => Box::new(chart::plot(chart, &context)),
            Body::Bars(bars) => Box::new(bars::plot(bars, &context)),
            Body::Heatmaps(maps) => Box::new(HeatmapsContent::new(maps, &context)),
            Body::Image(image) => Box::new(image::plot(image, &context)),
            Body::Graph(graph) => Box::new(graph::plot(graph, &context)),
            Body::Map(map) => Box::new(map::plot(map, &context)),
            Body::Phase(phase) => Box::new(phase::plot(phase, &context)),
            Body::Tokens(sketch) => Box::new(TokensContent::new(sketch, &context)),
            Body::Table(cells) => Box::new(CellsContent { style, cells }),
        };
        let (first, last, room) = (column, column + span - 1, Margins::default());
        placed.push(GridPanel { panel, content, row, first, last, room });
        column += span;
    }
    placed
}

/// Whether a chart has the vertical axis of the one before it: the same name, scale and stated range.
fn repeats_axis(before: &Panel, panel: &Panel) -> bool {
    match (&before.body, &panel.body) {
        (Body::Chart(before), Body::Chart(chart)) => chart.y.range.is_some() && before.y == chart.y,
        _ => false,
    }
}
