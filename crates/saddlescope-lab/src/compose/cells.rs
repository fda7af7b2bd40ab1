//! Cells of a phase diagram: half way between the places of a grid, or bins of any other design.

use saddlescope_spec::figure::{Axes, MOST_BINS, Scale};

/// Runs that a bin should have.
const IN_A_BIN: usize = 6;
/// Fewest and most bins along an axis, where nobody says how many.
const BINS: (usize, usize) = (4, 64);

/// A row with a place: where it is, and what it came to.
pub(super) struct Placed {
    pub(super) at: (f64, f64),
    pub(super) value: Option<f64>,
}

/// Places along one axis, as a design has them.
pub(super) struct Side {
    /// The different places, ascending.
    values: Vec<f64>,
    /// Whether places come again and again.
    grid: bool,
    scale: Scale,
    ends: (f64, f64),
}

/// Cells along one axis.
pub(super) struct Edges {
    pub(super) edges: Vec<f64>,
    /// Whether each cell stands for a whole number.
    pub(super) whole: bool,
}

impl Side {
    fn new(
        placed: &[Placed],
        side: fn((f64, f64)) -> f64,
        scale: Scale,
        range: Option<(f64, f64)>,
    ) -> Self {
        let mut values: Vec<f64> = placed.iter().map(|row| side(row.at)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let own = (values.first().copied(), values.last().copied());
        let ends = range.unwrap_or((own.0.unwrap_or(0.0), own.1.unwrap_or(1.0)));
        let grid = values.len() <= MOST_BINS && 2 * values.len() <= placed.len();
        Self { values, grid, scale, ends }
    }

    /// Both axes of a design.
    pub(super) fn both(
        placed: &[Placed],
        (x_scale, y_scale): (Scale, Scale),
        axes: &Axes,
    ) -> [Self; 2] {
        let mut x = Self::new(placed, |at| at.0, x_scale, axes.x_range);
        let mut y = Self::new(placed, |at| at.1, y_scale, axes.y_range);
        let (across, along) = (x.values.len(), y.values.len());
        // Most combinations are there.
        if across.max(along) <= MOST_BINS && across * along <= 2 * placed.len() {
            (x.grid, y.grid) = (true, true);
        }
        [x, y]
    }

    /// Whether places come again and again, as on a grid.
    pub(super) fn is_grid(&self) -> bool {
        self.grid
    }

    /// Edges half way between places.
    fn half_way(&self) -> Edges {
        let forward = |value: f64| if self.scale == Scale::Log { value.ln() } else { value };
        let back = |place: f64| if self.scale == Scale::Log { place.exp() } else { place };
        let places: Vec<f64> = self.values.iter().map(|&value| forward(value)).collect();
        let middle = |a: f64, b: f64| a + 0.5 * (b - a);
        let edges = match places.as_slice() {
            [] => Vec::new(),
            &[only] => {
                let room = if self.scale == Scale::Log { 0.5 } else { 0.5 * only.abs().max(1.0) };
                vec![only - room, only + room]
            }
            [first, second, .., before, last] | [first, second @ before, last] => {
                let mut edges = vec![first - 0.5 * (second - first)];
                edges.extend(places.windows(2).map(|pair| middle(pair[0], pair[1])));
                edges.push(last + 0.5 * (last - before));
                edges
            }
            [first, last] => {
                let room = 0.5 * (last - first);
                vec![first - room, middle(*first, *last), last + room]
            }
        };
        let whole = self.values.iter().all(|value| value.fract() == 0.0);
        Edges { edges: edges.into_iter().map(back).collect(), whole }
    }

    /// So many equal parts of the axis.
    fn bins(&self, count: usize) -> Edges {
        let (low, high) = self.ends;
        if low >= high {
            return self.half_way();
        }
        let edge = |i: usize| {
            let part = i as f64 / count as f64;
            match self.scale {
                _ if i == 0 => low,
                _ if i == count => high,
                Scale::Log => (low.ln() + part * (high.ln() - low.ln())).exp(),
                Scale::Linear => low + part * (high - low),
            }
        };
        Edges { edges: (0..=count).map(edge).collect(), whole: false }
    }
}

/// A cell per place of a grid; else bins, as many as were asked for, or as the runs can fill.
pub(super) fn edges(bins: Option<(usize, usize)>, sides: [Side; 2], rows: usize) -> [Edges; 2] {
    if let Some((x, y)) = bins {
        let [across, along] = sides;
        return [across.bins(x), along.bins(y)];
    }
    let filled = rows / IN_A_BIN;
    let fitting = |other: &Side| match other.is_grid() {
        true => filled / other.values.len().max(1),
        false => (filled as f64).sqrt() as usize,
    };
    let own = |side: &Side, other: &Side| match side.is_grid() {
        true => side.half_way(),
        false => side.bins(fitting(other).clamp(BINS.0, BINS.1)),
    };
    [own(&sides[0], &sides[1]), own(&sides[1], &sides[0])]
}

/// The runs of one cell.
#[derive(Default, Clone)]
pub(super) struct Cell {
    pub(super) runs: usize,
    /// What they came to, ascending.
    pub(super) values: Vec<f64>,
}

/// Runs by cells, the lowest row of cells first, each from the left.
pub(super) fn cells(placed: &[Placed], (across, along): (&Edges, &Edges)) -> Vec<Cell> {
    let count = |edges: &Edges| edges.edges.len().saturating_sub(1);
    let place = |edges: &Edges, value: f64| {
        let behind = edges.edges.partition_point(|&edge| edge <= value);
        behind.saturating_sub(1).min(count(edges).saturating_sub(1))
    };
    let mut cells = vec![Cell::default(); count(across) * count(along)];
    for row in placed {
        let (x, y) = (place(across, row.at.0), place(along, row.at.1));
        let Some(cell) = cells.get_mut(y * count(across) + x) else { continue };
        cell.runs += 1;
        cell.values.extend(row.value);
    }
    cells.iter_mut().for_each(|cell| cell.values.sort_by(f64::total_cmp));
    cells
}
