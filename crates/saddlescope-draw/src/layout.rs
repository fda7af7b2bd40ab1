//! From a figure to its drawing: panels in a grid, their plotting areas equally wide and aligned.

use super::cells::CellsContent;
use super::heatmap::HeatmapsContent;
use super::prelude::*;
use super::tokens::TokensContent;
use super::{bars, chart, graph, image, map, phase};

/// What a panel shows, ready to be measured and drawn.
pub(crate) trait Content {
    /// Room around a plotting area of this width and height.
    fn room(&mut self, wide: f64, high: f64, style: &Style) -> Margins;

    /// Height of the plotting area at this width, where it is not the usual one.
    fn height(&self, _wide: f64, usual: f64, _style: &Style) -> f64 {
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

    /// Leaves out the panel's own legend.
    fn hide_legend(&mut self) {}

    /// Draws into the plotting area and the room around it; `usual` is the height that charts have.
    fn draw(&self, area: Rect, usual: f64, style: &Style, drawing: &mut Drawing);
}

/// A panel in the grid.
struct GridPanel<'a> {
    panel: &'a Panel,
    content: Box<dyn Content + 'a>,
    row: usize,
    first: usize,
    last: usize,
    room: Margins,
}

impl Figure {
    /// Lays the figure out.
    pub fn draw(&self) -> Drawing {
        let style = Style::new(self.width);
        let grid = Grid::new(self, &style);
        let (title, description) = (self.plain_title(), self.description());
        let mut drawing = Drawing { width: style.width, title, description, ..Drawing::default() };
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
            Self::Image(image) => {
                format!(
                    "{} of {} entries over {}",
                    image.colours.label, image.entries, image.x.label
                )
            }
            Self::Graph(graph) => {
                let names: Vec<&str> = graph.nodes.iter().map(|node| node.label.as_str()).collect();
                format!("the saddles {} on their levels of {}", names.join(" "), graph.y.label)
            }
            Self::Map(map) => {
                let by = map.tints.label();
                match &map.ground {
                    Ground::Axes { x, y, at } => {
                        format!("{} runs by {} and {}: {by}", at.len(), x.label, y.label)
                    }
                    Ground::Triangle { corners, at } => {
                        format!("{} runs between {}: {by}", at.len(), corners.join(", "))
                    }
                }
            }
            Self::Phase(phase) => {
                let by = phase.tints.label();
                let (x, y) = (&phase.x.label, &phase.y.label);
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

impl Phase {
    /// Cells along the axes.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.across.len().saturating_sub(1), self.along.len().saturating_sub(1))
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

/// The panels with their sizes.
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
        let mut panels = place(figure, columns);
        if figure.legend != LegendPlace::Panels {
            panels.iter_mut().for_each(|panel| panel.content.hide_legend());
        }
        let share = (style.inner() - style.gap() * (columns - 1) as f64) / columns as f64;
        let wide = (share - 34.0 * style.unit).max(0.3 * share);
        let mut grid = Self {
            style,
            panels,
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
            let high = placed.content.height(wide, self.high, self.style);
            placed.room = placed.content.room(wide, high, self.style);
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
        let mut entries = Vec::new();
        for placed in &self.panels {
            for entry in placed.content.entries() {
                for sample in &entry.samples {
                    legend::enter(&mut entries, &entry.label, *sample);
                }
            }
        }
        if entries.is_empty() {
            return 0.0;
        }
        let left = self.sides.first().map_or(0.0, |side| side.0);
        let room = self.style.inner() - left;
        let layout = legend::wrapped(&entries, title, room, self.style);
        drawing.legend(&layout, (self.style.outer() + left, y), false, self.style);
        layout.height + 3.0 * self.style.unit
    }

    /// Draws the panels from `y` on, and returns where they end.
    fn draw(&self, mut y: f64, drawing: &mut Drawing) -> f64 {
        let rows = self.panels.last().map_or(0, |placed| placed.row + 1);
        for row in 0..rows {
            let panels = || self.panels.iter().filter(|placed| placed.row == row);
            let top = panels().map(|p| p.room.top + self.title_height(p)).fold(0.0, f64::max);
            let heights: Vec<f64> = panels()
                .map(|p| {
                    let (left, right) = self.span(p);
                    p.content.height(right - left, self.high, self.style)
                })
                .collect();
            let mut end = y;
            for (placed, high) in panels().zip(heights) {
                let (left, right) = self.span(placed);
                let area = Rect::new(left, y + top, right - left, high);
                self.title(placed, &area, y, drawing);
                placed.content.draw(area, self.high, self.style, drawing);
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
        let left =
            if placed.content.is_aligned() { area.left } else { area.left - placed.room.left };
        let room = area.right + placed.room.right - left;
        drawing.write_fitted(title, (left, baseline), look, room.max(line("m", look.size).width));
    }
}

/// Panels in their cells, row by row; a panel that does not fit into a row starts the next one.
fn place(figure: &Figure, columns: usize) -> Vec<GridPanel<'_>> {
    let mut placed: Vec<GridPanel> = Vec::new();
    let (mut row, mut column) = (0, 0);
    for panel in &figure.panels {
        let span = panel.span.clamp(1, columns);
        if column + span > columns {
            (row, column) = (row + 1, 0);
        }
        let before = placed.last().filter(|before| before.row == row).map(|before| before.panel);
        let quiet = before.is_some_and(|before| repeats_axis(before, panel));
        let title = figure.legend_title.as_deref();
        let content: Box<dyn Content> = match &panel.body {
            Body::Chart(chart) => Box::new(chart::plot(chart, quiet, title)),
            Body::Bars(bars) => Box::new(bars::plot(bars, title)),
            Body::Heatmaps(maps) => Box::new(HeatmapsContent::new(maps)),
            Body::Image(image) => Box::new(image::plot(image, title)),
            Body::Graph(graph) => Box::new(graph::plot(graph, title)),
            Body::Map(map) => Box::new(map::plot(map, title)),
            Body::Phase(phase) => Box::new(phase::plot(phase, title)),
            Body::Tokens(sketch) => Box::new(TokensContent::new(sketch)),
            Body::Table(cells) => Box::new(CellsContent::new(cells)),
        };
        let last = column + span - 1;
        placed.push(GridPanel {
            panel,
            content,
            row,
            first: column,
            last,
            room: Margins::default(),
        });
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
