//! A factored matrix `shift I - J` of a Jacobian without structure.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{MatMut, MatRef, Par};

use super::shifted::Shift;

/// `shift I - J`, factored in place; its buffers are reused from one factorisation to the next.
///
/// A complex shift `a + i b` is a real matrix of twice the size, `[a I - J, -b I; b I, a I - J]`, for real and imaginary part: the
/// systems without symmetry are small, and complex matrix products would be megabytes of program.
pub(super) struct Lu {
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
    pub(super) fn new(n: usize, parts: usize) -> Self {
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
    pub(super) fn factor(&mut self, (re, im): Shift, jacobian: &[f64]) {
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
    pub(super) fn solve(&mut self, b: &mut [f64], stride: usize) {
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
