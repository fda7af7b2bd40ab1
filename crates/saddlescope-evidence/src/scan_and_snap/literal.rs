//! The paper's definitions taken at their word: sequences token by token, decoders entry by entry, matrices as such.
//!
//! This is the slow, plain path that claims are checked along. It shares nothing with the landscape: attention has a
//! weight per place, not per token, and the decoder has all its columns.

use super::*;

/// A sequence as section 3 counts it: `x_1 .. x_{T-1}`, the query `x_T`, the next token `x_{T+1}`.
#[derive(Debug, Clone)]
pub(super) struct Sequence {
    pub(super) context: Vec<usize>,
    pub(super) query: usize,
    pub(super) next: usize,
}

impl Sequence {
    /// `X`, a row per place.
    pub(super) fn x(&self, vocabulary: usize) -> Matrix {
        Matrix::new(self.context.len(), vocabulary, |t, l| one_hot(self.context[t], l))
    }

    /// 004, Eq. (1): `b_T`, where `z` holds the logits of all pairs of tokens.
    pub(super) fn weights(&self, z: &Matrix) -> Vec<f64> {
        let scores: Vec<f64> = self.context.iter().map(|&token| z[(self.query, token)]).collect();
        softmax(&scores)
    }

    /// `X^T b_T`: the weights of all places, added up by token.
    pub(super) fn seen(&self, z: &Matrix) -> Vec<f64> {
        let mut seen = vec![0.0; z.columns];
        for (&token, weight) in self.context.iter().zip(self.weights(z)) {
            seen[token] += weight;
        }
        seen
    }

    /// What the decoder says: `alpha`.
    pub(super) fn answer(&self, y: &Matrix, z: &Matrix) -> Vec<f64> {
        softmax(&y.transposed().apply(&unit(&self.seen(z))))
    }

    /// 004, Eqs. (2) and (15): `J`.
    pub(super) fn objective(&self, y: &Matrix, z: &Matrix) -> f64 {
        self.answer(y, z)[self.next].ln()
    }

    /// What it should have said less that: `x_{T+1} - alpha`.
    pub(super) fn error(&self, y: &Matrix, z: &Matrix) -> Vec<f64> {
        minus(&axis(self.next, z.columns), &self.answer(y, z))
    }

    /// `X^T diag(w) X`.
    pub(super) fn squares(&self, weights: &[f64], vocabulary: usize) -> Matrix {
        let x = self.x(vocabulary);
        x.transposed() * Matrix::diagonal(weights) * x
    }

    /// 004, Eq. (3) as printed: the rates of `Y` and `Z` at learning rates of one.
    pub(super) fn rates(&self, y: &Matrix, z: &Matrix) -> (Matrix, Matrix) {
        let (m, seen) = (z.columns, self.seen(z));
        let error = Matrix::column(&self.error(y, z));
        let by_y = Matrix::column(&unit(&seen)) * error.transposed();
        let row = error.transposed() * y.transposed() * across_unit(&seen);
        let query = Matrix::column(&axis(self.query, m));
        (by_y, query * (row * self.squares(&self.weights(z), m)))
    }
}

/// `P_v = I - v v^T/|v|^2`.
pub(super) fn across(v: &[f64]) -> Matrix {
    let square = dot(v, v);
    Matrix::new(v.len(), v.len(), |i, j| one_hot(i, j) - v[i] * v[j] / square)
}

/// `P_v/|v|`.
pub(super) fn across_unit(v: &[f64]) -> Matrix {
    across(v) * (1.0 / norm(v))
}

/// 1 where two places are the same.
pub(super) fn one_hot(place: usize, at: usize) -> f64 {
    f64::from(place == at)
}

/// `LN(v)`.
pub(super) fn unit(v: &[f64]) -> Vec<f64> {
    let length = norm(v);
    v.iter().map(|v| v / length).collect()
}

pub(super) fn slopes(f: impl Fn(&Matrix) -> f64, at: &Matrix) -> Matrix {
    Matrix::new(at.rows, at.columns, |i, j| derivative(|x| f(&at.with(i, j, x)), at[(i, j)]))
}

/// Which way a step moves the decoder, given `x_{T+1} = n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Update {
    /// Along `f_n`: gradient descent, 004, Eq. (7).
    Plain,
    /// Along `f_n - F E' e_n` with `E' = I - (I + E)^{-1}`, as Lemma 14 has it: 004, Eq. (26).
    Modified,
    /// The same with `E' = (I + E)^{-1} - I`, as D.1 has it.
    OtherSign,
}

/// A decoder that sees each class along one direction which stays: `X^T b_T` is fixed, as in section 4.
#[derive(Debug, Clone)]
pub(super) struct Decoder {
    /// `F`: a column per class.
    pub(super) f: Matrix,
    /// `Y`.
    pub(super) y: Matrix,
    along: Matrix,
    eta: f64,
}

impl Decoder {
    /// `Y = 0` over a vocabulary of that size.
    pub(super) fn new(f: &Matrix, vocabulary: usize, eta: f64, update: Update) -> Self {
        let modification = f * e_prime(f);
        let along = match update {
            Update::Plain => f.clone(),
            Update::Modified => f - modification,
            Update::OtherSign => f + modification,
        };
        Self { f: f.clone(), y: Matrix::zeros(f.rows, vocabulary), along, eta }
    }

    /// `W = F^T Y`.
    pub(super) fn w(&self) -> Matrix {
        self.f.transposed() * &self.y
    }

    /// `e_n - alpha_n`.
    pub(super) fn error(&self, n: usize) -> Vec<f64> {
        let alpha = softmax(&self.y.transposed_apply(&self.f.get_column(n)));
        minus(&axis(n, alpha.len()), &alpha)
    }

    /// One step of batch size 1 on class `n`.
    pub(super) fn step(&mut self, n: usize) {
        let error = self.error(n);
        for i in 0..self.y.rows {
            let part = self.eta * self.along[(i, n)];
            self.y.row_mut(i).iter_mut().zip(&error).for_each(|(y, error)| *y += part * error);
        }
    }

    /// One step on a class as the paper samples it: uniformly. Which that was.
    pub(super) fn random_step(&mut self, stream: &mut Stream) -> usize {
        let n = stream.below(self.f.columns as u64) as usize;
        self.step(n);
        n
    }

    /// So many rounds in which every class appears once.
    pub(super) fn rounds(&mut self, count: usize) {
        for _ in 0..count {
            (0..self.f.columns).for_each(|n| self.step(n));
        }
    }

    /// `g = Y (e_n - alpha_n)`.
    pub(super) fn pull(&self, n: usize) -> Vec<f64> {
        self.y.apply(&self.error(n))
    }

    /// The weights with which `g` is made of the directions, by solving for them.
    pub(super) fn parts(&self, n: usize) -> Vec<f64> {
        self.f.gram().inverse().apply(&self.f.transposed_apply(&self.pull(n)))
    }

    /// The rates of the logits of class `n`'s query at `T = infinity`, `diag(f_n) P_{f_n} g`: (4) with Lemma 2.
    pub(super) fn logit_rates(&self, n: usize) -> Vec<f64> {
        let f = self.f.get_column(n);
        across(&f).apply(&self.pull(n)).iter().zip(&f).map(|(pull, f)| f * pull).collect()
    }
}

/// `E = F^T F - I`.
pub(super) fn overlaps(f: &Matrix) -> Matrix {
    f.gram() - Matrix::identity(f.columns)
}

/// 004, Lemma 14: `E' = I - (I + E)^{-1}`.
pub(super) fn e_prime(f: &Matrix) -> Matrix {
    Matrix::identity(f.columns) - f.gram().inverse()
}

/// `F (I - E')`: the transposed pseudo-inverse of `F`.
pub(super) fn dual(f: &Matrix) -> Matrix {
    f * (Matrix::identity(f.columns) - e_prime(f))
}
