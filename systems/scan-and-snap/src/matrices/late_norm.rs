//! The loss of long sequences where the embedded vector is normalised, as is done in practice. 004, section 3.
//!
//! The decoder reads `LN(U^T X^T b)`, with a residual connection `LN(LN(U^T X^T b) + u_query)`. The length is that of
//! the embedded vector, so this is no function of `Y` and `Z`; where embeddings are orthonormal, it is the same model.

use saddlescope::landscape::tape::{Node, Tape};
use saddlescope::{Blocks, Draw, Fault, Landscape};

use crate::loss::answer;
use crate::matrices::{Embedding, OnTape};

/// The mean loss over all classes as `T` goes to infinity, with [`Normalised::Embedding`](crate::matrices::Normalised).
#[derive(Debug, Clone)]
pub struct LateNorm {
    embedding: Embedding,
    /// `ln P(l|n)`: a row per class over all tokens that occur.
    law: Vec<f64>,
}

impl LateNorm {
    pub fn new(embedding: Embedding) -> Self {
        let task = &embedding.shape.task;
        let mut law = vec![f64::NEG_INFINITY; task.classes.len() * task.tokens.len()];
        for (class, row) in task.classes.iter().zip(law.chunks_exact_mut(task.tokens.len())) {
            for (&l, p) in class.support.iter().zip(&class.probability) {
                row[l] = p.ln();
            }
        }
        Self { embedding, law }
    }

    pub fn losses(&self, theta: &[f64]) -> Vec<f64> {
        let mut tape = Tape::default();
        let (_, logits) = self.put(theta, &mut tape);
        self.answers(tape.value(logits)).into_iter().map(|(loss, _)| loss).collect()
    }

    /// All parameters on `tape`, and the logits of all classes.
    fn put(&self, theta: &[f64], tape: &mut Tape) -> (OnTape, Node) {
        let shape = &self.embedding.shape;
        let task = &shape.task;
        let on = self.embedding.put(theta, tape);
        let queries: Vec<usize> = task.classes.iter().map(|class| class.query).collect();
        let law = tape.matrix(&self.law, task.tokens.len());
        // What heads see is added up: that it is not their mean changes the length alone.
        let mut seen = None;
        for &z in &on.z {
            let scores = tape.rows_of(z, &queries);
            let scores = tape.sum(scores, law);
            let shares = tape.softmax(scores);
            seen = Some(seen.map_or(shares, |others| tape.sum(others, shares)));
        }
        let contexts = tape.rows_of(on.u, &task.tokens);
        let embedded = tape.product(seen.unwrap_or(law), contexts);
        let mut x = tape.units(embedded);
        // 004, section 7.
        if shape.residual {
            let asked: Vec<usize> = queries.iter().map(|&m| task.queries[m]).collect();
            let query = tape.rows_of(on.u, &asked);
            let sum = tape.sum(x, query);
            x = tape.units(sum);
        }
        let logits = self.embedding.decode(&on, x, tape);
        (on, logits)
    }

    /// The loss of each class with `e_n - alpha`.
    fn answers(&self, logits: &[f64]) -> Vec<(f64, Vec<f64>)> {
        let shape = &self.embedding.shape;
        let one = |(n, row): (usize, &[f64])| {
            let (mut logits, mut error) = (row.to_vec(), vec![0.0; row.len()]);
            (answer(shape, shape.column(n), &mut logits, &mut error), error)
        };
        logits.chunks_exact(shape.columns()).enumerate().map(one).collect()
    }
}

impl Landscape for LateNorm {
    type Scalar = f64;
    type Work = Tape;

    fn blocks(&self) -> &Blocks {
        &self.embedding.blocks
    }

    fn work(&self) -> Tape {
        Tape::default()
    }

    fn evaluate(
        &self,
        theta: &[f64],
        _draw: Draw,
        tape: &mut Tape,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let (on, logits) = self.put(theta, tape);
        let answers = self.answers(tape.value(logits));
        let share = 1.0 / answers.len() as f64;
        tape.begin_slopes();
        let rows = tape.slopes(logits).chunks_exact_mut(self.embedding.shape.columns());
        for (row, (_, error)) in rows.zip(&answers) {
            row.iter_mut().zip(error).for_each(|(slope, error)| *slope = -share * error);
        }
        self.embedding.slopes(&on, tape, gradient);
        Fault::ensure_finite(share * answers.iter().map(|(loss, _)| loss).sum::<f64>(), "loss")
    }
}
