//! Linear systems `(shift I - J) x = b` of the stiff methods, for several shifts of one Jacobian.
//!
//! Fields whose Jacobian is symmetric up to rates ([`FieldEvaluator::symmetric_rates`]) have it brought
//! to tridiagonal form once; then a new step size costs `O(n)`. Others pay a dense factorisation per
//! shift.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{MatMut, MatRef, Par};

use super::stepper::{Point, Problem};
use super::tridiagonal::Tridiagonal;
use crate::dispatch;
use crate::prelude::*;

/// Vectors of the solvers are padded with zeros to whole lanes; no more shifts than lanes.
pub(super) const LANES: usize = 8;

/// The length of a padded vector with `n` entries.
pub(super) const fn padded(n: usize) -> usize {
    n.next_multiple_of(LANES)
}

/// A shift: the real and the imaginary part.
pub(super) type Shift = (f64, f64);

/// A Jacobian, ready to be shifted.
pub(super) struct Jacobian {
    /// Column after column.
    columns: Vec<f64>,
    symmetric: Option<Tridiagonal>,
}

impl Jacobian {
    /// Room for the Jacobian of a field.
    pub(super) fn new(field: &dyn FieldEvaluator) -> Self {
        let n = field.blocks().len();
        Self { columns: vec![0.0; n * n], symmetric: field.symmetric_rates().map(Tridiagonal::new) }
    }

    /// The Jacobian at a point.
    pub(super) fn renew(&mut self, problem: &mut Problem<'_>, point: &Point) -> Result<(), Fault> {
        problem.jacobian(point, &mut self.columns)?;
        if let Some(symmetric) = &mut self.symmetric {
            symmetric.reduce(&self.columns);
        }
        Ok(())
    }

    /// Whether new shifts cost little beside a Newton iteration.
    pub(super) fn shifts_are_cheap(&self) -> bool {
        self.symmetric.is_some()
    }
}

/// The systems `(scale * shift I - J) x = b` of one Jacobian and a list of shifts, factored.
///
/// The first shift may be real and has one right side; the others are complex, stand for themselves
/// and their conjugates, and have two: real and imaginary part.
pub(super) struct ShiftedSystems {
    n: usize,
    shifts: Vec<Shift>,
    sweeps: Sweeps,
    /// A factored matrix per shift, where the Jacobian has no symmetry.
    dense: Vec<Lu>,
    inner: Vec<f64>,
}

impl ShiftedSystems {
    /// Room for the systems of `shifts`, the first of them real.
    pub(super) fn new(jacobian: &Jacobian, n: usize, shifts: &[Shift]) -> Self {
        assert!(shifts.len() <= LANES, "no more shifts than lanes");
        let (tridiagonal, dense) = match jacobian.symmetric {
            Some(_) => (n, 0),
            None => (0, shifts.len()),
        };
        Self {
            n,
            shifts: shifts.to_vec(),
            sweeps: Sweeps::new(tridiagonal),
            dense: (0..dense).map(|place| Lu::new(n, if place == 0 { 1 } else { 2 })).collect(),
            inner: vec![0.0; (2 * shifts.len() - 1) * padded(n)],
        }
    }

    /// Factors the systems for a Jacobian; `false` when one is singular.
    pub(super) fn factor(&mut self, jacobian: &Jacobian, scale: f64) -> bool {
        if let Some(symmetric) = &jacobian.symmetric {
            // Lanes without a shift of their own repeat the first.
            let shifts = std::array::from_fn(|lane| {
                let (re, im) = *self.shifts.get(lane).unwrap_or(&self.shifts[0]);
                (scale * re, scale * im)
            });
            return dispatch!(self.sweeps.factor(symmetric, &shifts));
        }
        for (lu, &(re, im)) in self.dense.iter_mut().zip(&self.shifts) {
            lu.factor((scale * re, scale * im), &jacobian.columns);
        }
        true
    }

    /// Solves all systems in place; the right sides follow each other, padded.
    pub(super) fn solve(&mut self, jacobian: &Jacobian, sides: &mut [f64]) {
        if let Some(symmetric) = &jacobian.symmetric {
            symmetric.enter(sides, &mut self.inner);
            dispatch!(self.sweeps.solve(&mut self.inner, self.shifts.len()));
            symmetric.leave(&self.inner, sides);
            return;
        }
        let stride = padded(self.n);
        let (first, pairs) = sides.split_at_mut(stride);
        self.solve_first(jacobian, first);
        for (lu, pair) in self.dense[1..].iter_mut().zip(pairs.chunks_exact_mut(2 * stride)) {
            lu.solve(pair, stride);
        }
    }

    /// Solves the first, real system in place.
    pub(super) fn solve_first(&mut self, jacobian: &Jacobian, side: &mut [f64]) {
        if let Some(symmetric) = &jacobian.symmetric {
            let inner = &mut self.inner[..padded(self.n)];
            symmetric.enter(side, inner);
            dispatch!(self.sweeps.solve(inner, 1));
            symmetric.leave(inner, side);
        } else {
            self.dense[0].solve(side, padded(self.n));
        }
    }
}

/// `shift I - J`, factored in place; its buffers are reused from one factorisation to the next.
///
/// A complex shift `a + i b` is a real matrix of twice the size, `[a I - J, -b I; b I, a I - J]`, for real and imaginary part: the
/// systems without symmetry are small, and complex matrix products would be megabytes of program.
struct Lu {
    n: usize,
    /// Vectors of a right side: 2 where the shift is complex.
    parts: usize,
    factors: Vec<f64>,
    side: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    scratch: MemBuffer,
}

impl Lu {
    /// Room for Jacobians of size `n`, with right sides of `parts` vectors.
    fn new(n: usize, parts: usize) -> Self {
        let size = parts * n;
        let space =
            factor::lu_in_place_scratch::<usize, f64>(size, size, Par::Seq, Default::default())
                .or(solve::solve_in_place_scratch::<usize, f64>(size, 1, Par::Seq));
        Self {
            n,
            parts,
            factors: vec![0.0; size * size],
            side: vec![0.0; size],
            forward: vec![0; size],
            inverse: vec![0; size],
            scratch: MemBuffer::new(space),
        }
    }

    /// Factors `shift I - J`, where `jacobian` holds the columns of `J`.
    fn factor(&mut self, (re, im): Shift, jacobian: &[f64]) {
        let (n, size) = (self.n, self.side.len());
        self.factors.fill(0.0);
        for (j, column) in self.factors.chunks_exact_mut(size).enumerate() {
            let (part, j) = (j / n, j % n);
            let own = &mut column[part * n..(part + 1) * n];
            for (entry, derivative) in own.iter_mut().zip(&jacobian[j * n..(j + 1) * n]) {
                *entry = -derivative;
            }
            own[j] += re;
            if self.parts == 2 {
                column[(1 - part) * n + j] = if part == 0 { im } else { -im };
            }
        }
        factor::lu_in_place(
            MatMut::from_column_major_slice_mut(&mut self.factors, size, size),
            &mut self.forward,
            &mut self.inverse,
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
    }

    /// Solves `(shift I - J) x = b` in place; the vectors of `b` begin every `stride` entries.
    fn solve(&mut self, b: &mut [f64], stride: usize) {
        let (n, size) = (self.n, self.side.len());
        for (side, b) in self.side.chunks_exact_mut(n).zip(b.chunks(stride)) {
            side.copy_from_slice(&b[..n]);
        }
        let factors = MatRef::from_column_major_slice(&self.factors, size, size);
        solve::solve_in_place(
            factors,
            factors,
            PermRef::new_checked(&self.forward, &self.inverse, size),
            MatMut::from_column_major_slice_mut(&mut self.side, size, 1),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
        for (side, b) in self.side.chunks_exact(n).zip(b.chunks_mut(stride)) {
            b[..n].copy_from_slice(side);
        }
    }
}

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

/// `s I - T = L D L^T` for one shift `s` per SIMD lane: one sweep down, one sweep up.
///
/// It needs no pivoting: with a complex shift, the imaginary part of each pivot is at least that of
/// the shift; with a real one, the matrix is positive definite for steps below the time of growth.
struct Sweeps {
    rows: Vec<Row>,
}

impl Sweeps {
    fn new(n: usize) -> Self {
        Self { rows: vec![Row::default(); n] }
    }

    /// Factors; `false` when a pivot is lost to rounding.
    #[inline(always)]
    fn factor(&mut self, matrix: &Tridiagonal, shifts: &[Shift; LANES]) -> bool {
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
    fn solve(&mut self, vectors: &mut [f64], systems: usize) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toys::ToyField;

    fn wave(k: usize) -> f64 {
        (1.7 * k as f64 + 0.3).sin()
    }

    fn hessian(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..n * n).map(|k| entry(k / n, k % n)).collect()
    }

    fn rates(n: usize) -> Vec<f64> {
        (0..n).map(|i| if i % 5 == 3 { 0.0 } else { 1.0 + wave(i) }).collect()
    }

    /// The systems of a field at the origin, with the Jacobian and what computed it.
    fn origin(field: &ToyField, n: usize) -> (Problem<'_>, Jacobian) {
        let mut problem = Problem::new(field, &Flow::default().tolerances(1e-6, 1e-6));
        let point = Point { time: 0.0, state: vec![0.0; n], rate: vec![0.0; n], loss: 0.0 };
        let mut jacobian = Jacobian::new(&*problem.field);
        jacobian.renew(&mut problem, &point).unwrap();
        (problem, jacobian)
    }

    /// The largest residual of the solved systems, relative to the right sides.
    fn residual(hessian: Vec<f64>, rates: &[f64], tells: bool) -> f64 {
        let n = rates.len();
        let field = ToyField::linear(hessian, rates, tells);
        let (mut problem, jacobian) = origin(&field, n);
        let (shifts, scale, stride) = ([(3.0, 0.0), (2.0, -1.5), (0.4, 2.5)], 30.0, padded(n));
        let mut systems = ShiftedSystems::new(&jacobian, n, &shifts);
        assert!(systems.factor(&jacobian, scale));
        // Solvers never push on a parameter of rate 0.
        let side = |k: usize, i: usize| {
            if i < n && rates[i] > 0.0 { ((k + 2) * (i + 1)) as f64 % 7.0 - 3.0 } else { 0.0 }
        };
        let mut x: Vec<f64> = (0..5 * stride).map(|k| side(k / stride, k % stride)).collect();
        let mut first = x[..stride].to_vec();
        systems.solve(&jacobian, &mut x);
        systems.solve_first(&jacobian, &mut first);

        let mut worst = 0.0_f64;
        let mut product = vec![0.0; n];
        let parts = [(0, 0, 0), (1, 2, 1), (2, 1, 1), (3, 4, 2), (4, 3, 2)];
        for (own, other, system) in parts {
            let (re, im) = shifts[system];
            let turn = if own < other { -im } else { im };
            problem.rate(0.0, &x[own * stride..][..n], &mut product).unwrap();
            for i in 0..n {
                let (own_x, other_x) = (x[own * stride + i], x[other * stride + i]);
                let left = scale * (re * own_x + turn * other_x) - product[i];
                worst = worst.max((left - side(own, i)).abs());
            }
        }
        for i in 0..n {
            worst = worst.max((first[i] - x[i]).abs());
        }
        worst
    }

    #[test]
    fn solutions_solve_their_systems() {
        for n in [1, 2, 3, 7, 8, 9, 16, 36, 41] {
            for tells in [true, false] {
                let unit = |i, j| f64::from(u8::from(i == j));
                let hessian = hessian(n, |i, j| wave(i * j + 3 * (i + j)) + unit(i, j));
                let residual = residual(hessian, &rates(n), tells);
                assert!(residual < 1e-12, "n = {n}, symmetric {tells}: {residual}");
            }
        }
    }

    #[test]
    fn entries_whose_squares_vanish_do_no_harm() {
        for tiny in [1e-100, 1e-150, 1e-157, 1e-165, 1e-300] {
            for n in [3, 9] {
                let hessian = hessian(n, |i, j| if i == j && i < 2 { 1.0 } else { tiny });
                let residual = residual(hessian, &rates(n), true);
                assert!(residual < 1e-12, "n = {n}, {tiny}: {residual}");
            }
        }
    }

    #[test]
    fn a_shift_at_an_eigenvalue_is_refused() {
        for eigenvalue in [1.0, 2.0, 0.3] {
            let field = ToyField::linear(vec![-eigenvalue], &[1.0], true);
            let (_, jacobian) = origin(&field, 1);
            let mut systems = ShiftedSystems::new(&jacobian, 1, &[(1.0, 0.0)]);
            for scale in [0.3, 1.0, 1.1, 2.0] {
                assert_eq!(systems.factor(&jacobian, scale), scale != eigenvalue);
            }
        }
    }
}
