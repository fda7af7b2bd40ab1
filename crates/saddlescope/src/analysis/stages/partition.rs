//! The best cut of a series into straight pieces.
//!
//! Optimal partitioning (Jackson et al., "An algorithm for optimal partitioning of data on an
//! interval", 2005): squares in units of the noise, plus a penalty per piece that grows with the
//! logarithm of the number of bins, as the Bayesian information criterion has it. Pieces are straight
//! and not constant, so that a noisy slope is one piece and not a staircase.

use super::tidy::{Bin, Tidy};

/// Penalty of a piece, in logarithms of the number of bins: a place, a height and a slope.
const PENALTY: f64 = 3.0;

/// Neighbouring bins that one line fits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) first: usize,
    /// The bin behind the last.
    pub(super) end: usize,
    /// Value in the middle of its log time.
    pub(super) height: f64,
    /// Standard error of `height` by noise.
    pub(super) error: f64,
    /// Change of the value per log time.
    pub(super) slope: f64,
    /// Where `height` is taken.
    middle: f64,
}

impl Piece {
    /// The fitted value at log time `x`.
    pub(super) fn at(&self, x: f64) -> f64 {
        self.height + self.slope * (x - self.middle)
    }
}

/// Weighted sums over the first bins, by which any piece is fitted at once.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    w: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Sums {
    fn with(self, w: f64, x: f64, y: f64) -> Self {
        Self {
            w: self.w + w,
            x: self.x + w * x,
            y: self.y + w * y,
            xx: self.xx + w * x * x,
            xy: self.xy + w * x * y,
            yy: self.yy + w * y * y,
        }
    }

    /// Sums of squares about the means: of x, of both, of y.
    #[inline(always)]
    fn between(&self, before: &Self) -> (f64, f64, f64) {
        let w = self.w - before.w;
        let (x, y) = (self.x - before.x, self.y - before.y);
        (
            (self.xx - before.xx) - x * x / w,
            (self.xy - before.xy) - x * y / w,
            ((self.yy - before.yy) - y * y / w).max(0.0),
        )
    }
}

pub(super) fn partition(tidy: &Tidy) -> Vec<Piece> {
    let bins = &tidy.bins;
    let count = bins.len();
    let penalty = PENALTY * (count as f64).ln();
    let sums = sums(tidy);
    let mut least = vec![f64::INFINITY; count + 1];
    let mut from = vec![0; count + 1];
    least[0] = 0.0;
    for end in 1..=count {
        for first in 0..end {
            // No piece costs less than its penalty.
            if least[first] + penalty >= least[end] {
                continue;
            }
            let (xx, xy, yy) = sums[end].between(&sums[first]);
            let off = if end - first > 2 { yy - xy * xy / xx.max(f64::MIN_POSITIVE) } else { 0.0 };
            let cost = least[first] + off.max(0.0) + penalty;
            if cost < least[end] {
                (least[end], from[end]) = (cost, first);
            }
        }
    }
    let mut pieces = Vec::new();
    let mut end = count;
    while end > 0 {
        pieces.push(piece(tidy, &sums, from[end]..end));
        end = from[end];
    }
    pieces.reverse();
    pieces
}

fn sums(tidy: &Tidy) -> Vec<Sums> {
    // About their middles, so that little cancels.
    let bins = &tidy.bins;
    let (x0, y0) = centre(tidy);
    let mut sums = Vec::with_capacity(bins.len() + 1);
    let mut all = Sums::default();
    sums.push(all);
    for bin in bins {
        let weight = 1.0 / (bin.noise * bin.noise + tidy.resolution * tidy.resolution);
        all = all.with(weight, bin.x - x0, bin.y - y0);
        sums.push(all);
    }
    sums
}

fn centre(tidy: &Tidy) -> (f64, f64) {
    let bins = &tidy.bins;
    let count = bins.len() as f64;
    let sum = |part: fn(&Bin) -> f64| bins.iter().map(part).sum::<f64>();
    (sum(|bin| bin.x) / count, sum(|bin| bin.y) / count)
}

fn piece(tidy: &Tidy, sums: &[Sums], bins: std::ops::Range<usize>) -> Piece {
    let (x0, y0) = centre(tidy);
    let (all, before) = (&sums[bins.end], &sums[bins.start]);
    let weight = all.w - before.w;
    let (x, y) = ((all.x - before.x) / weight, (all.y - before.y) / weight);
    let (xx, xy, _) = all.between(before);
    let slope = if bins.len() > 1 { xy / xx.max(f64::MIN_POSITIVE) } else { 0.0 };
    let inside = &tidy.bins[bins.clone()];
    let middle = 0.5 * (inside[0].x + inside[inside.len() - 1].x);
    Piece {
        first: bins.start,
        end: bins.end,
        height: y0 + y + slope * (middle - x0 - x),
        error: tidy.error(bins),
        slope,
        middle,
    }
}
