//! The factored Newton matrix `I - c J` of the stiff method.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{MatMut, MatRef, Par};

/// `I - c J`, factored in place; its buffers are reused from one factorisation to the next.
pub(super) struct NewtonMatrix {
    n: usize,
    factors: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    scratch: MemBuffer,
}

impl NewtonMatrix {
    pub(super) fn new(n: usize) -> Self {
        let space = factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default())
            .or(solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq));
        Self {
            n,
            factors: vec![0.0; n * n],
            forward: vec![0; n],
            inverse: vec![0; n],
            scratch: MemBuffer::new(space),
        }
    }

    /// Factors `I - c J`, where `jacobian` holds the columns of `J`.
    pub(super) fn factor(&mut self, c: f64, jacobian: &[f64]) {
        for (entry, &derivative) in self.factors.iter_mut().zip(jacobian) {
            *entry = -c * derivative;
        }
        for diagonal in self.factors.iter_mut().step_by(self.n + 1) {
            *diagonal += 1.0;
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

    /// Solves `(I - c J) x = b` in place.
    pub(super) fn solve(&mut self, b: &mut [f64]) {
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
