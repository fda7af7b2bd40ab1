//! The paper's equations taken at their word: attention itself as the state, matrices with all their entries.
//!
//! This is the slow, plain path that claims are checked along. It shares nothing with the landscape and the laws, which keep
//! `q` and never write out `Pi`.

use super::*;

/// A head: its value in coordinates of the features, and its attention. Also the rates of both.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head {
    pub(super) v: Vec<f64>,
    pub(super) s: Vec<f64>,
}

impl Head {
    pub(super) fn new(v: &[f64], s: &[f64]) -> Self {
        Self { v: v.to_vec(), s: s.to_vec() }
    }

    /// The value `size` of feature `j` among `rank`, and all attention on its position.
    pub(super) fn on(j: usize, size: f64, rank: usize, positions: usize) -> Self {
        Self { v: times_each(size, &axis(j, rank)), s: axis(j, positions) }
    }

    /// Value and attention in one list.
    pub(super) fn flat(&self) -> Vec<f64> {
        [self.v.as_slice(), &self.s].concat()
    }

    /// What [`Head::flat`] wrote, with a value of `rank` coordinates.
    pub(super) fn of(flat: &[f64], rank: usize) -> Self {
        Self::new(&flat[..rank], &flat[rank..])
    }

    /// The same after a small step.
    pub(super) fn moved(&self, step: f64, rate: &Self) -> Self {
        Self { v: plus(&self.v, step, &rate.v), s: plus(&self.s, step, &rate.s) }
    }

    pub(super) fn normalised(mut self) -> Self {
        self.s = shares(&self.s);
        self
    }
}

/// All heads in one list.
pub(super) fn flat(heads: &[Head]) -> Vec<f64> {
    heads.iter().flat_map(Head::flat).collect()
}

/// What [`flat`] wrote, for heads of `len` numbers with values of `rank` coordinates.
pub(super) fn heads_of(flat: &[f64], rank: usize, len: usize) -> Vec<Head> {
    flat.chunks_exact(len).map(|head| Head::of(head, rank)).collect()
}

/// `G`, with feature `j` at position `j`: a row per feature, a column per position.
#[derive(Debug, Clone)]
pub(super) struct Plain {
    pub(super) m: Vec<f64>,
    pub(super) g: Matrix,
}

impl Plain {
    /// Features of strengths `m` at the first of so many positions.
    pub(super) fn new(m: &[f64], positions: usize) -> Self {
        let g = Matrix::new(m.len(), positions, |j, i| if i == j { m[j] } else { 0.0 });
        Self { m: m.to_vec(), g }
    }

    /// The paper's strengths at the first of so many positions, and a random head.
    pub(super) fn with_head(positions: usize, trial: Trial) -> (Self, Head) {
        let head = random_head(3, positions, &mut stream(trial, 0));
        (Self::new(&STRENGTHS, positions), head)
    }

    /// Number of features.
    pub(super) fn rank(&self) -> usize {
        self.g.rows
    }

    /// `T`.
    pub(super) fn positions(&self) -> usize {
        self.g.columns
    }

    /// `G s`.
    pub(super) fn at(&self, s: &[f64]) -> Vec<f64> {
        self.g.apply(s)
    }

    /// `V^T G`.
    pub(super) fn along(&self, v: &[f64]) -> Vec<f64> {
        self.g.transposed_apply(v)
    }

    /// The value with which `h` heads of attention `s` leave nothing: `G s/(h |s|^2)`.
    pub(super) fn best_value(&self, h: f64, s: &[f64]) -> Vec<f64> {
        self.at(s).iter().map(|x| x / (h * dot(s, s))).collect()
    }

    /// `G_(n)`: without the first `n` features.
    pub(super) fn left(&self, n: usize) -> Self {
        let mut left = self.clone();
        left.m[..n].fill(0.0);
        (0..n).for_each(|j| left.g.row_mut(j).fill(0.0));
        left
    }

    /// `G - P`.
    pub(super) fn residual(&self, heads: &[Head]) -> Matrix {
        let mut residual = self.g.clone();
        for head in heads {
            residual -= Matrix::outer(&head.v, &head.s);
        }
        residual
    }

    /// `|G - P|^2/2`, entry by entry.
    pub(super) fn loss(&self, heads: &[Head]) -> f64 {
        let residual = self.residual(heads);
        0.5 * (0..self.rank()).map(|j| dot(residual.row(j), residual.row(j))).sum::<f64>()
    }

    /// 000, Eq. (6): rates of values and attention.
    pub(super) fn whole(&self, heads: &[Head]) -> Vec<Head> {
        let residual = self.residual(heads);
        let rate = |head: &Head| {
            let u = residual.transposed_apply(&head.v);
            Head { v: residual.apply(&head.s), s: pi_twice(&head.s, &u) }
        };
        heads.iter().map(rate).collect()
    }

    /// 000, section 3.2: rates of `h` heads that are one and the same.
    pub(super) fn coupled(&self, h: f64, head: &Head) -> Head {
        let (v, s) = (&head.v, &head.s);
        let of_v = plus(&self.at(s), -h * dot(s, s), v);
        let u = plus(&self.along(v), -h * dot(v, v), s);
        Head { v: of_v, s: pi_twice(s, &u) }
    }

    /// Where that flow comes to.
    pub(super) fn coupled_to(&self, h: f64, start: &Head, time: f64, steps: usize) -> Head {
        let rate = |_: f64, state: &[f64]| self.coupled(h, &Head::of(state, self.rank())).flat();
        Head::of(&stepped(rate, &start.flat(), time, steps), self.rank())
    }

    /// 000, Eq. (10): rates of the ensemble's value and of the head that leaves it.
    pub(super) fn cooperative(&self, h: f64, ensemble: &[f64], head: &Head) -> (Vec<f64>, Head) {
        let (v, s) = (&head.v, &head.s);
        let (first, others) = (s[0], h - 1.0);
        let target = self.g.get_column(0);
        let of_ensemble = sum(&[(1.0, &target), (-others, ensemble), (-first, v)]);
        let of_v = sum(&[(1.0, &self.at(s)), (-others * first, ensemble), (-dot(s, s), v)]);
        let mut u = plus(&self.along(v), -dot(v, v), s);
        u[0] -= others * dot(v, ensemble);
        (of_ensemble, Head { v: of_v, s: pi_twice(s, &u) })
    }

    /// 000, Eq. (11) and D.2: rates of the head that leaves after `n` features.
    pub(super) fn two_scale(&self, n: usize, head: &Head) -> Head {
        let (left, rest) = (self.left(n), without(&head.s, n));
        let of_v = plus(&left.at(&rest), -dot(&rest, &rest), &head.v);
        let u = plus(&left.along(&head.v), -dot(&head.v, &head.v), &rest);
        Head { v: of_v, s: pi_twice(&head.s, &u) }
    }

    /// Where that flow comes to after one feature.
    pub(super) fn two_scale_to(&self, start: &Head, time: f64) -> Head {
        let rate = |_: f64, state: &[f64]| self.two_scale(1, &Head::of(state, self.rank())).flat();
        Head::of(&stepped(rate, &start.flat(), time, 4000), self.rank())
    }
}

/// How fast a function of a head changes at that rate, by differences.
pub(super) fn change(f: impl Fn(&Head) -> f64, at: &Head, rate: &Head) -> f64 {
    derivative(|step| f(&at.moved(step, rate)), 0.0)
}

/// `s_(n)`: without the positions of the first `n` features.
pub(super) fn without(s: &[f64], n: usize) -> Vec<f64> {
    s.iter().enumerate().map(|(i, &s)| if i < n { 0.0 } else { s }).collect()
}

/// `Pi(s) = diag(s) - s s^T`.
pub(super) fn pi(s: &[f64]) -> Matrix {
    let entry = |i: usize, j: usize| if i == j { s[i] - s[i] * s[j] } else { -s[i] * s[j] };
    Matrix::new(s.len(), s.len(), entry)
}

/// `Pi(s)^2 u`.
pub(super) fn pi_twice(s: &[f64], u: &[f64]) -> Vec<f64> {
    let pi = pi(s);
    pi.apply(&pi.apply(u))
}

/// Vectors times their factors, added up.
pub(super) fn sum(parts: &[(f64, &[f64])]) -> Vec<f64> {
    let zero = vec![0.0; parts[0].1.len()];
    parts.iter().fold(zero, |sum, (factor, part)| plus(&sum, *factor, part))
}

/// Eigenvalues of a symmetric matrix, smallest first.
pub(super) fn eigenvalues(matrix: &Matrix) -> Outcome<Vec<f64>> {
    let matrix = faer::Mat::from_fn(matrix.rows, matrix.columns, |i, j| matrix[(i, j)]);
    decompose::eigenvalues(&matrix).ok_or_else(|| ClaimError::new("a matrix has no eigenvalues"))
}
