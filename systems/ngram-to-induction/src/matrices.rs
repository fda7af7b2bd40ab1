//! The two-layer transformer with its matrices, in which the six-parameter model sits. 002, section 3.1.2.
//!
//! A token enters as `z = (x, 0)` in `R^{2D}`. Position `i` gives position `j < i` the score
//! `<W_Q z_i, W_K z_j> - p (i - j - 1)` in every head. The one head of the first layer writes next to what it reads,
//! `X1 = X0 + SA(X0)`; the answer is the sum of the two heads of the second layer at the last position. Its first `D`
//! coordinates are the 4-gram's, its last `D` the induction head's.
//!
//! The second layer looks at the positions `2..L-1`, as the target and (6) do, not at `1..L-1`, as `SA(X1)` literally says:
//! the first one has no first-layer output and would take part with `(x_1, 0)`, so that head 1 would give it a share for
//! nothing and head 2 recall `x_1`, which the target never does.
//!
//! There is no output matrix: section 2 prints `W_O`, which section 3 and appendix C.1 leave out.

use saddlescope_spec::prelude::*;

use crate::{Attention, Error, Shape, Task};

mod corpus;
mod folded;
mod pass;
#[cfg(test)]
#[path = "matrices/surface_tests.rs"]
mod surface;

pub use corpus::{Corpus, CorpusWork, Sequences};

/// Sequences side by side.
const LANES: usize = 8;
/// One number per sequence.
type Lanes = saddlescope::numeric::packed::Lanes<f64, LANES>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Head {
    /// That of the first layer, which hands on `y_s`.
    First,
    /// Head 1 of the second layer, for the 4-gram.
    Gram,
    /// Head 2 of the second layer, for the induction head.
    Induction,
}

impl Head {
    /// All heads, in the order of their parameters.
    pub const ALL: [Self; 3] = [Self::First, Self::Gram, Self::Induction];

    fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Gram => "second.0",
            Self::Induction => "second.1",
        }
    }
}

/// One of the three matrices of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Matrix {
    /// `W_Q`.
    Query,
    /// `W_K`.
    Key,
    /// `W_V`.
    Value,
}

/// The parameters of the transformer: for each head `W_Q, W_K, W_V` (`2D x 2D`, row after row) and `p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matrices {
    pub task: Task,
}

impl Matrices {
    /// The transformer for that `task`, whose attention must be the softmax.
    pub fn new(task: Task) -> Result<Self, Error> {
        if task.attention != Attention::Softmax {
            let expected = "softmax: the transformer with matrices has no other; \
                            the simplification exp(score)/(L - 2) is made for the six-parameter model";
            return Err(Error::value("attention", "\"exponential\"", expected));
        }
        Ok(Self { task })
    }

    /// `2D`.
    pub fn width(&self) -> usize {
        2 * self.task.dimension
    }

    /// Parameters of a head.
    fn head_len(&self) -> usize {
        3 * self.width() * self.width() + 1
    }

    pub fn parameters(&self) -> usize {
        Head::ALL.len() * self.head_len()
    }

    /// Where the entry in `row` and `column` of a matrix lies.
    pub fn entry(&self, head: Head, matrix: Matrix, [row, column]: [usize; 2]) -> usize {
        let n = self.width();
        head as usize * self.head_len() + (matrix as usize * n + row) * n + column
    }

    /// Where the `p` of a head lies.
    pub fn slope(&self, head: Head) -> usize {
        (head as usize + 1) * self.head_len() - 1
    }

    /// Names, shapes and rates. The flow is `d theta/dt = -dL/d theta`.
    pub fn blocks(&self) -> Blocks {
        let square = [self.width(); 2];
        Head::ALL.into_iter().map(Head::name).fold(Blocks::new(), |blocks, head| {
            ["query", "key", "value"]
                .into_iter()
                .fold(blocks, |blocks, matrix| {
                    blocks.with(format!("{head}.{matrix}"), &square, 1.0)
                })
                .with(format!("{head}.p"), &[], 1.0)
        })
    }

    /// Which entries each parameter of the six-parameter model stands in, in the order of `shape`. 002, appendix C.1,
    /// with the value matrix of head 2 in its second row: the print has it in the first, where it would answer the
    /// 4-gram.
    ///
    /// `W_Q` and `W_K` of head 2 are not printed. Their product with the query's `x` on one side and `y_s` on the other
    /// is all that counts; both write the first `D` coordinates here, and any rotation of both would do as well.
    pub fn places(&self, shape: &Shape) -> Result<Vec<Vec<usize>>, Error> {
        self.ensure_surface(shape)?;
        let d = self.task.dimension;
        let diagonal = |head: Head, matrix: Matrix, [row, column]: [usize; 2]| -> Vec<usize> {
            (0..d).map(|i| self.entry(head, matrix, [row + i, column + i])).collect()
        };
        let mut places = vec![Vec::new(); shape.parameters()];
        places[0].push(self.slope(Head::First));
        places[shape.gram()].push(self.slope(Head::Gram));
        places[shape.gram() + 1] = diagonal(Head::Gram, Matrix::Value, [0, d]);
        let query = diagonal(Head::Induction, Matrix::Query, [0, 0]);
        let key = diagonal(Head::Induction, Matrix::Key, [0, d]);
        for (i, (query, key)) in query.into_iter().zip(key).enumerate() {
            places[shape.query() + i].push(query);
            places[shape.key() + i].push(key);
        }
        places[shape.h()] = diagonal(Head::Induction, Matrix::Value, [d, 0]);
        Ok(places)
    }

    /// The parameters that compute what the six-parameter model of `shape` computes at `six`.
    pub fn embed(&self, shape: &Shape, six: &[f64]) -> Result<Vec<f64>, Error> {
        let places = self.places(shape)?;
        Error::ensure_length(six, shape.parameters(), "six-parameter state", "those of its shape")?;
        Error::ensure_finite(six, "six-parameter state")?;
        let (mut theta, d) = (vec![0.0; self.parameters()], self.task.dimension);
        // The first layer hands y_s on beside x_s.
        for i in 0..d {
            theta[self.entry(Head::First, Matrix::Value, [d + i, i])] = 1.0;
        }
        for (&value, places) in six.iter().zip(&places) {
            places.iter().for_each(|&place| theta[place] = value);
        }
        Ok(theta)
    }

    /// A start near the six-parameter model: the embedded state, and normal noise of size `noise` on every parameter.
    pub fn noisy_start(
        &self,
        shape: &Shape,
        six: &[f64],
        (noise, seed): (f64, u64),
    ) -> Result<Vec<f64>, Error> {
        let expected = "a finite number, 0 or above";
        Error::ensure(noise.is_finite() && noise >= 0.0, "noise", noise, expected)?;
        let (mut theta, mut drawn) = (self.embed(shape, six)?, vec![0.0; self.parameters()]);
        Stream::new(seed, Purpose::Start, 0).fill_normal(&mut drawn);
        theta.iter_mut().zip(&drawn).for_each(|(theta, drawn)| *theta += noise * drawn);
        Ok(theta)
    }

    fn ensure_surface(&self, shape: &Shape) -> Result<(), Error> {
        if shape.task != self.task {
            let expected = format!("that of the transformer, {:?}", self.task);
            return Err(Error::value("task of the shape", format!("{:?}", &shape.task), expected));
        }
        let expected = "\"trained\": no slope of the transformer is p~ = infinity";
        Error::ensure(shape.is_first_trained(), "first", "\"previous\"", expected)?;
        let expected = "both: the transformer answers both halves of the target";
        Error::ensure(shape.has_gram() && shape.has_induction(), "parts", "one of two", expected)?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
