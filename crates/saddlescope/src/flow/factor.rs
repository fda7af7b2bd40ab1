//! A factored matrix `shift I - J` of a Jacobian without structure.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{MatMut, MatRef, Par};

/// `shift I - J`, factored in place; its buffers are reused from one factorisation to the next.
pub(super) struct Lu<T> {
    n: usize,
    factors: Vec<T>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    scratch: MemBuffer,
}

impl<T> Lu<T>
where
    T: ComplexField + Copy + From<f64> + std::ops::AddAssign,
{
    pub(super) fn new(n: usize) -> Self {
        let space = factor::lu_in_place_scratch::<usize, T>(n, n, Par::Seq, Default::default())
            .or(solve::solve_in_place_scratch::<usize, T>(n, 1, Par::Seq));
        Self {
            n,
            factors: vec![T::from(0.0); n * n],
            forward: vec![0; n],
            inverse: vec![0; n],
            scratch: MemBuffer::new(space),
        }
    }

    /// Factors `shift I - J`, where `jacobian` holds the columns of `J`.
    pub(super) fn factor(&mut self, shift: T, jacobian: &[f64]) {
        for (entry, &derivative) in self.factors.iter_mut().zip(jacobian) {
            *entry = T::from(-derivative);
        }
        for diagonal in self.factors.iter_mut().step_by(self.n + 1) {
            *diagonal += shift;
        }
        factor::lu_in_place(
            MatMut::from_column_major_slice_mut(&mut self.factors, self.n, self.n),
            &mut self.forward,
            &mut self.inverse,
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
    }

    /// Solves `(shift I - J) x = b` in place.
    pub(super) fn solve(&mut self, b: &mut [T]) {
        let factors = MatRef::from_column_major_slice(&self.factors, self.n, self.n);
        solve::solve_in_place(
            factors,
            factors,
            PermRef::new_checked(&self.forward, &self.inverse, self.n),
            MatMut::from_column_major_slice_mut(b, self.n, 1),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}
