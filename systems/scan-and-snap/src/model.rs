//! The parameters of the one-layer transformer: the decoder `Y`, the attention logits `Z`, and where they start.

use std::sync::Arc;

use saddlescope_spec::prelude::*;

use crate::{Error, Task};

/// Which columns of `Y` are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outputs {
    /// One for each token of the vocabulary.
    #[default]
    All,
    /// One for each next token, and one for all others, which stay equal when they start so.
    ///
    /// The latter holds their value times the root of their number. Lengths are then those of all `M` columns, and so
    /// are flow, descent and momentum; rules that treat each number by itself, such as Adam, need all columns.
    Used,
}

/// The model of 004, Eqs. (1) and (2), in `Y` and `Z`.
///
/// Rows of `Y` are tokens that occur in contexts (with a residual connection queries, too), rows of `Z` are queries: no
/// other row is ever read or moved.
#[derive(Debug, Clone)]
pub struct Shape {
    pub task: Arc<Task>,
    pub outputs: Outputs,
    pub heads: usize,
    pub residual: bool,
    /// The rates of `Y` and `Z` under flow.
    pub eta_y: f64,
    pub eta_z: f64,
    /// The tokens that rows of `Y` belong to.
    pub inputs: Vec<usize>,
    /// The row of each query, where there is a residual connection.
    query_rows: Vec<usize>,
}

impl Shape {
    /// One head without residual connection, with rates of one.
    pub fn new(task: impl Into<Arc<Task>>, outputs: Outputs) -> Self {
        let task = task.into();
        let (inputs, query_rows) = (task.tokens.clone(), Vec::new());
        Self {
            task,
            outputs,
            heads: 1,
            residual: false,
            eta_y: 1.0,
            eta_z: 1.0,
            inputs,
            query_rows,
        }
    }

    /// The same model with `heads` rows of logits per query. What heads see is averaged before it is normalised.
    #[must_use]
    pub fn heads(mut self, heads: usize) -> Self {
        self.heads = heads.max(1);
        self
    }

    /// The same model whose decoder sees `LN(LN(u) + u_query)`. 004, section 7.
    #[must_use]
    pub fn residual(mut self) -> Self {
        self.residual = true;
        self.inputs = self.task.tokens.to_vec();
        self.query_rows.clear();
        for &query in &self.task.queries {
            let row = self.task.tokens.binary_search(&query).unwrap_or(self.inputs.len());
            if row == self.inputs.len() {
                self.inputs.push(query);
            }
            self.query_rows.push(row);
        }
        self
    }

    /// The same model with rates `eta_Y` and `eta_Z` of its flow.
    #[must_use]
    pub fn rates(self, eta_y: f64, eta_z: f64) -> Self {
        Self { eta_y, eta_z, ..self }
    }

    /// The row of `Y` that the query at place `m` adds to what the decoder sees.
    pub fn query_row(&self, m: usize) -> Option<usize> {
        self.query_rows.get(m).copied()
    }

    /// Outputs that are no next token: the last column where these share one.
    pub fn others(&self) -> usize {
        self.task.vocabulary - self.task.classes.len()
    }

    pub fn columns(&self) -> usize {
        match self.outputs {
            Outputs::All => self.task.vocabulary,
            Outputs::Used => self.task.classes.len() + usize::from(self.others() > 0),
        }
    }

    pub fn column(&self, n: usize) -> usize {
        match self.outputs {
            Outputs::All => self.task.classes[n].next,
            Outputs::Used => n,
        }
    }

    /// The column that all outputs without a class share, if they do.
    pub fn shared_column(&self) -> Option<usize> {
        (self.outputs == Outputs::Used && self.others() > 0).then(|| self.task.classes.len())
    }

    /// What a number of the shared column is divided by to be an entry of `Y`.
    pub fn shared_scale(&self) -> f64 {
        (self.others() as f64).sqrt()
    }

    /// Numbers in `Y`, after which `Z` begins.
    pub fn decoder_len(&self) -> usize {
        self.inputs.len() * self.columns()
    }

    /// Where row `m` of head `h` of `Z` begins.
    pub fn logits(&self, h: usize, m: usize) -> usize {
        self.decoder_len() + (h * self.task.queries.len() + m) * self.task.tokens.len()
    }

    pub fn len(&self) -> usize {
        self.logits(self.heads, 0)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn blocks(&self) -> Blocks {
        let (queries, tokens) = (self.task.queries.len(), self.task.tokens.len());
        let z: &[usize] =
            if self.heads == 1 { &[queries, tokens] } else { &[self.heads, queries, tokens] };
        let y = [self.inputs.len(), self.columns()];
        Blocks::new().with("y", &y, self.eta_y).with("z", z, self.eta_z)
    }

    /// `Y = 0`, and logits that are zero but for normal numbers of size `noise`, by which heads differ.
    pub fn zero_start(&self, noise: f64, seed: u64) -> Vec<f64> {
        let mut theta = vec![0.0; self.len()];
        if noise > 0.0 {
            let logits = &mut theta[self.decoder_len()..];
            Stream::new(seed, Purpose::Start, 0).fill_normal(logits);
            logits.iter_mut().for_each(|logit| *logit *= noise);
        }
        theta
    }

    /// Every entry uniform between `-scale` and `scale`; `1/sqrt(M)` is what the authors' Syn-Medium starts with.
    ///
    /// A shared column has one value for all its outputs.
    pub fn uniform_start(&self, scale: f64, seed: u64) -> Result<Vec<f64>, Error> {
        Error::ensure(scale.is_finite() && scale >= 0.0, "scale", scale, "a number of 0 or more")?;
        let mut theta = vec![0.0; self.len()];
        Stream::new(seed, Purpose::Start, 0).fill_uniform(&mut theta);
        theta.iter_mut().for_each(|x| *x = scale * (2.0 * *x - 1.0));
        if let Some(column) = self.shared_column() {
            let scale = self.shared_scale();
            let rows = theta[..self.decoder_len()].chunks_mut(self.columns());
            rows.for_each(|row| row[column] *= scale);
        }
        Ok(theta)
    }

    /// Parameters from `Y` as `inputs x M` and `Z` as `heads x queries x tokens`. Shared outputs must have equal columns.
    pub fn given_start(&self, y: &[f64], z: &[f64]) -> Result<Vec<f64>, Error> {
        let m = self.task.vocabulary;
        let why = format!("{} tokens that occur x {m} outputs", self.inputs.len());
        Error::ensure_length(y, self.inputs.len() * m, "Y", &why)?;
        let (queries, tokens) = (self.task.queries.len(), self.task.tokens.len());
        let why = format!("{} heads x {queries} queries x {tokens} tokens that occur", self.heads);
        Error::ensure_length(z, self.heads * queries * tokens, "Z", &why)?;
        Error::ensure_finite(y, "Y")?;
        Error::ensure_finite(z, "Z")?;
        let mut theta = Vec::with_capacity(self.len());
        for (i, row) in y.chunks_exact(m).enumerate() {
            if self.outputs == Outputs::All {
                theta.extend_from_slice(row);
                continue;
            }
            theta.extend(self.task.classes.iter().map(|class| row[class.next]));
            let is_next = |j: usize| self.task.classes.iter().any(|class| class.next == j);
            let mut others = (0..m).filter(|&j| !is_next(j)).map(|j| row[j]);
            if let Some(value) = others.next() {
                if others.any(|other| other != value) {
                    let expected = "equal entries for all outputs that are no next token, which share a column";
                    return Err(Error::value(format!("row {i} of Y"), "uneven", expected));
                }
                theta.push(self.shared_scale() * value);
            }
        }
        theta.extend_from_slice(z);
        Ok(theta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Ids, Synthetic};

    #[test]
    fn parameters_are_those_that_can_move() {
        let task = Synthetic::authors(2, 1).task().unwrap();
        let all = Shape::new(task.clone(), Outputs::All);
        assert_eq!((all.inputs.len(), all.columns(), all.len()), (30, 34, 30 * 34 + 2 * 30));
        let used = Shape::new(task.clone(), Outputs::Used).heads(2);
        assert_eq!((used.columns(), used.shared_column(), used.others()), (3, Some(2), 32));
        assert_eq!(used.len(), 30 * 3 + 2 * 2 * 30);
        assert_eq!(used.logits(1, 1), 90 + 3 * 30);
        let residual = Shape::new(task, Outputs::All).residual();
        assert_eq!((residual.inputs.len(), residual.query_row(1)), (32, Some(31)));
        let printed = Synthetic { ids: Ids::Shared, ..Synthetic::authors(2, 1) }.task().unwrap();
        assert_eq!(Shape::new(printed, Outputs::All).residual().query_row(1), Some(1));
    }

    #[test]
    fn starts_are_of_the_size_that_was_asked_for() {
        let shape = Shape::new(Synthetic::authors(3, 2).task().unwrap(), Outputs::All);
        let scale = 1.0 / (shape.task.vocabulary as f64).sqrt();
        let start = shape.uniform_start(scale, 4).unwrap();
        assert!(start.iter().all(|x| x.abs() <= scale));
        let mean_square = start.iter().map(|x| x * x).sum::<f64>() / start.len() as f64;
        assert!((mean_square / (scale * scale / 3.0) - 1.0).abs() < 0.05);
        assert!(shape.zero_start(0.0, 0).iter().all(|x| *x == 0.0));
        assert!(shape.uniform_start(-1.0, 0).is_err());
        assert!(
            shape.given_start(&[0.0], &[]).unwrap_err().to_string().contains("Y has 1 entries")
        );
    }
}
