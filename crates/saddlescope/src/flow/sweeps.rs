//! Shifted tridiagonal systems: one sweep down, one sweep up, with a shift in each SIMD lane.

use super::shifted::{LANES, Shift, padded};
use super::tridiagonal::Tridiagonal;

type Lanes = [f64; LANES];

/// Pivots smaller than this part of the shift are lost to rounding.
const LOST: f64 = 1e-10;

/// Row `i` of factored tridiagonal systems, one in each lane, as real and imaginary parts.
#[derive(Clone, Copy, Default)]
struct Row {
    /// Inverse of the pivot.
    pivot: [Lanes; 2],
    /// What a row passes on to its neighbour, as a part of itself.
    link: [Lanes; 2],
    /// The right side on its way through.
    value: [Lanes; 2],
}

/// `s I - T = L D L^T` for one shift `s` per lane.
///
/// It needs no pivoting: with a complex shift, the imaginary part of each pivot is at least that of
/// the shift; with a real one, the matrix is positive definite for steps below the time of growth.
pub(super) struct Sweeps {
    rows: Vec<Row>,
}

impl Sweeps {
    pub(super) fn new(n: usize) -> Self {
        Self { rows: vec![Row::default(); n] }
    }

    /// Factors; `false` when a pivot is lost to rounding.
    #[inline(always)]
    pub(super) fn factor(&mut self, matrix: &Tridiagonal, shifts: &[Shift; LANES]) -> bool {
        let shift: [Lanes; 2] = [shifts.map(|s| s.0), shifts.map(|s| s.1)];
        let (mut taken, mut smallest) = ([[0.0; LANES]; 2], [f64::INFINITY; LANES]);
        for (row, (&diagonal, &beside)) in
            self.rows.iter_mut().zip(matrix.diagonal.iter().zip(&matrix.beside))
        {
            for lane in 0..LANES {
                let re = shift[0][lane] - diagonal - taken[0][lane];
                let im = shift[1][lane] - taken[1][lane];
                let square = re * re + im * im;
                smallest[lane] = f64::min(smallest[lane], square);
                let (re, im) = (re / square, -im / square);
                let (link_re, link_im) = (beside * re, beside * im);
                taken[0][lane] = beside * link_re;
                taken[1][lane] = beside * link_im;
                row.pivot[0][lane] = re;
                row.pivot[1][lane] = im;
                row.link[0][lane] = link_re;
                row.link[1][lane] = link_im;
            }
        }
        let mut sound = true;
        for (smallest, shift) in smallest.iter().zip(shifts) {
            let size = LOST * shift.0.hypot(shift.1);
            sound &= *smallest > size * size;
        }
        sound
    }

    /// Solves the first `systems` in place: one vector for the first, which is real, two for the others.
    #[inline(always)]
    pub(super) fn solve(&mut self, vectors: &mut [f64], systems: usize) {
        if systems == 1 {
            self.solve_real(vectors);
        } else {
            self.solve_lanes(vectors, systems);
        }
    }

    #[inline(always)]
    fn solve_real(&mut self, vector: &mut [f64]) {
        let mut before = 0.0;
        for (row, x) in self.rows.iter().zip(vector.iter_mut()) {
            *x += before;
            before = row.link[0][0] * *x;
        }
        let mut after = 0.0;
        for (row, x) in self.rows.iter().zip(vector.iter_mut()).rev() {
            after = row.pivot[0][0] * *x + row.link[0][0] * after;
            *x = after;
        }
    }

    #[inline(always)]
    fn solve_lanes(&mut self, vectors: &mut [f64], systems: usize) {
        let stride = padded(self.rows.len());
        let mut y = [[0.0; LANES]; 2];
        let mut link = y;
        for (i, row) in self.rows.iter_mut().enumerate() {
            let mut side = [[0.0; LANES]; 2];
            side[0][0] = vectors[i];
            for lane in 1..systems {
                side[0][lane] = vectors[(2 * lane - 1) * stride + i];
                side[1][lane] = vectors[2 * lane * stride + i];
            }
            y = sum_product(&link, &y, &side);
            row.value = y;
            link = row.link;
        }
        let mut x = [[0.0; LANES]; 2];
        let none = x;
        for (i, row) in self.rows.iter().enumerate().rev() {
            let own = sum_product(&row.pivot, &row.value, &none);
            x = sum_product(&row.link, &x, &own);
            vectors[i] = x[0][0];
            for lane in 1..systems {
                vectors[(2 * lane - 1) * stride + i] = x[0][lane];
                vectors[2 * lane * stride + i] = x[1][lane];
            }
        }
    }
}

/// Complex `a b + c`.
#[inline(always)]
fn sum_product(a: &[Lanes; 2], b: &[Lanes; 2], c: &[Lanes; 2]) -> [Lanes; 2] {
    let mut out = [[0.0; LANES]; 2];
    for lane in 0..LANES {
        out[0][lane] = c[0][lane] + a[0][lane] * b[0][lane] - a[1][lane] * b[1][lane];
        out[1][lane] = c[1][lane] + a[0][lane] * b[1][lane] + a[1][lane] * b[0][lane];
    }
    out
}
