//! Coloured cells without seams, what they show of many values, and hatching.

use super::prelude::*;

/// Edges of `count` equal cells.
pub(crate) fn even(from: f64, length: f64, count: usize) -> Vec<f64> {
    (0..=count).map(|i| from + length * i as f64 / count as f64).collect()
}

/// The mean of those values that are finite; not a number where none is.
pub(crate) fn mean<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    // Half the mean, which stays finite.
    let (mut half, mut count) = (0.0, 0.0);
    for value in values.filter(|value| value.is_finite()) {
        count += 1.0;
        half += (value / 2.0 - half) / count;
    }
    if count > 0.0 { 2.0 * half } else { f64::NAN }
}

impl Drawing {
    /// Rows of cells from the top between edges, neighbours of one colour in one; a cell without a colour is left out. What was
    /// drawn, row by row.
    pub(crate) fn tiles(
        &mut self,
        (x, y): (&[f64], &[f64]),
        area: &Rect,
        colour: impl Fn(usize, usize) -> Option<Rgb>,
    ) -> Vec<(Rect, Rgb)> {
        // Each cell reaches under the next ones, so that no viewer shows the ground between them.
        let under =
            |edges: &[f64], end: usize| (0.5 * (edges[end] - edges[end - 1])).clamp(0.0, 0.5);
        let mut drawn = Vec::new();
        for row in 0..y.len().saturating_sub(1) {
            let (top, bottom) = (y[row], y[row + 1]);
            let colours: Vec<_> =
                (0..x.len().saturating_sub(1)).map(|column| colour(row, column)).collect();
            let mut end = 0;
            for alike in colours.chunk_by(|a, b| a == b) {
                let cell = Rect { left: x[end], top, right: x[end + alike.len()], bottom };
                end += alike.len();
                let Some(colour) = alike[0].filter(|_| cell.width() > 0.0 && cell.height() > 0.0)
                else {
                    continue;
                };
                let right = (cell.right + under(x, end)).min(area.right);
                let bottom = (bottom + under(y, row + 1)).min(area.bottom);
                self.fill(Rect { right, bottom, ..cell }.path(), colour, 1.0);
                drawn.push((cell, colour));
            }
        }
        drawn
    }

    /// Strokes from the lower left to the upper right through rectangles, on lines that all of them share.
    pub(crate) fn hatch(&mut self, rects: &[Rect]) {
        let gap = 4.0 * self.style.unit;
        let mut path = Vec::new();
        for rect in rects {
            // On a line the sum of x and y is the same: a multiple of the gap.
            let first = ((rect.left + rect.top) / gap).ceil() as i64;
            let last = ((rect.right + rect.bottom) / gap).floor() as i64;
            for line in first..=last {
                let sum = line as f64 * gap;
                let from = (sum - rect.bottom).max(rect.left);
                let to = (sum - rect.top).min(rect.right);
                if to > from {
                    path.extend(segment((from, sum - from), (to, sum - to)));
                }
            }
        }
        self.stroke(path, Stroke::solid(FAINT, self.style.hairline()));
    }
}
