//! The parameters: heads with a strength and weights over lags, and where they start.

use saddlescope_spec::prelude::*;

use crate::task::Context;
use crate::{Error, Task};

/// Which of the paper's simplifications a model keeps. 001, appendix A.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simplified {
    /// (A0) Heads see the lags `1..=k` only; otherwise all lags from 0 on.
    pub window: bool,
    /// (A1) The second layer is `diag(beta^2)` times the identity of tokens; otherwise whole matrices `Q, K`.
    pub strengths: bool,
    /// (A2) The query's tokens stand in for what the heads see at the last position.
    pub solution: bool,
    /// (A3) Only responses take part in the softmax.
    pub responses: bool,
}

impl Simplified {
    /// All four: the model that the paper analyses.
    pub const ALL: Self = Self { window: true, strengths: true, solution: true, responses: true };
    /// (A1) alone: the transformer of section 2.2 with trainable strengths.
    pub const STRENGTHS: Self =
        Self { window: false, strengths: true, solution: false, responses: false };
    /// None: the transformer of section 2.2 with whole matrices.
    pub const NONE: Self =
        Self { window: false, strengths: false, solution: false, responses: false };
}

/// How large a model is, and which simplifications it keeps.
///
/// Parameters lie head after head: `beta_h` (with (A1)), then `w^h` over the lags. Without (A1) the matrices
/// `Q` and `K` follow, square of `(heads + 1)` blocks of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    pub task: Task,
    pub heads: usize,
    /// Tokens of the permutation are compared by the matrix `gain I - gamma 11^T`, all others by zero.
    pub gain: f64,
    pub gamma: f64,
    pub simplified: Simplified,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Head<'a> {
    /// `beta_h`; 1 in models without strengths.
    pub beta: f64,
    /// `w^h` over the lags.
    pub weights: &'a [f64],
}

/// Sequences longer than this are not built.
const LONGEST: f64 = 5e4;

impl Shape {
    /// The simplified model with `heads` heads, in which all that is left of `gamma` is the factor `1 + gamma` of all scores.
    pub fn new(task: Task, heads: usize, gamma: f64) -> Result<Self, Error> {
        Self::relaxed(task, heads, gamma, Simplified::ALL)
    }

    /// A model that keeps only some of the simplifications.
    ///
    /// 001, line 455 and the proofs: tokens are compared by 1 on the diagonal and `-gamma` off it, which is
    /// `(1 + gamma) I - gamma 11^T`. Line 307 prints `I - gamma 11^T`: [`Shape::as_printed`].
    pub fn relaxed(
        task: Task,
        heads: usize,
        gamma: f64,
        simplified: Simplified,
    ) -> Result<Self, Error> {
        let expected = format!(
            "from 1 to the order {}: head h looks for the h-th token of the query from its end",
            task.order
        );
        Error::ensure((1..=task.order).contains(&heads), "heads", heads, expected)?;
        let expected = "a number above -1: equal tokens must score higher than others";
        Error::ensure(gamma.is_finite() && gamma > -1.0, "gamma", gamma, expected)?;
        if simplified != Simplified::ALL && task.length() > LONGEST {
            let expected = format!(
                "at most 7 without the simplifications: sequences of order {} have {} tokens",
                task.order,
                task.length()
            );
            return Err(Error::value("order", task.order, expected));
        }
        Ok(Self { task, heads, gain: 1.0 + gamma, gamma, simplified })
    }

    /// The same model with `I - gamma 11^T` in place of `(1 + gamma) I - gamma 11^T`.
    #[must_use]
    pub fn as_printed(self) -> Self {
        Self { gain: 1.0, ..self }
    }

    /// Whether it is the model that the paper analyses, which does not see the order of a context's words.
    pub fn is_analysed(&self) -> bool {
        self.simplified == Simplified::ALL
            && matches!(self.task.context, Context::Complete | Context::Shuffled)
    }

    /// Whether expectations are known exactly, or can be listed.
    pub fn is_exact(&self) -> bool {
        self.is_analysed() || self.task.context == Context::Complete
    }

    /// How two of the permutation's tokens are compared.
    fn compared(&self, a: usize, b: usize) -> f64 {
        self.gain * f64::from(u8::from(a == b)) - self.gamma
    }

    /// How many lags a head has weights for.
    pub fn lags(&self) -> usize {
        if self.simplified.window { self.task.order } else { self.task.length() as usize }
    }

    /// The lag of a head's first weight.
    pub fn first_lag(&self) -> usize {
        usize::from(self.simplified.window)
    }

    /// Parameters of one head.
    pub fn head_len(&self) -> usize {
        usize::from(self.simplified.strengths) + self.lags()
    }

    /// Rows and columns of `Q` and `K`.
    pub fn width(&self) -> usize {
        (self.heads + 1) * self.task.vocabulary()
    }

    pub fn parameters(&self) -> usize {
        let matrices = if self.simplified.strengths { 0 } else { 2 * self.width().pow(2) };
        self.heads * self.head_len() + matrices
    }

    /// Names, shapes and rates. The flow is `d theta/dt = -dL/d theta`.
    pub fn blocks(&self) -> Blocks {
        let mut blocks = Blocks::new();
        for h in 0..self.heads {
            if self.simplified.strengths {
                blocks = blocks.with(format!("head.{h}.beta"), &[], 1.0);
            }
            blocks = blocks.with(format!("head.{h}.w"), &[self.lags()], 1.0);
        }
        if !self.simplified.strengths {
            let square = [self.width(); 2];
            blocks = blocks.with("second.query", &square, 1.0).with("second.key", &square, 1.0);
        }
        blocks
    }

    pub fn iter<'a>(&self, theta: &'a [f64]) -> impl Iterator<Item = Head<'a>> + use<'a> {
        let strengths = self.simplified.strengths;
        theta[..self.heads * self.head_len()].chunks_exact(self.head_len()).map(move |head| {
            if strengths {
                Head { beta: head[0], weights: &head[1..] }
            } else {
                Head { beta: 1.0, weights: head }
            }
        })
    }

    /// `softmax(w^h)` of a head over its lags.
    pub fn attention(weights: &[f64]) -> Vec<f64> {
        let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let raised: Vec<f64> = weights.iter().map(|w| (w - top).exp()).collect();
        let sum: f64 = raised.iter().sum();
        raised.iter().map(|e| e / sum).collect()
    }

    /// `Q^T K` of the second layer, row-major, rows for the last position and columns for the others.
    ///
    /// 001, section 2.2: with strengths, block `(h - 1, h)` is `beta_h^2` times the matrix that compares the
    /// permutation's tokens. The print puts the blocks below the diagonal.
    pub fn query_key(&self, theta: &[f64]) -> Vec<f64> {
        if self.simplified.strengths {
            return self.blocks_of(|h| {
                let beta = self.iter(theta).nth(h).map_or(0.0, |head| head.beta);
                beta * beta
            });
        }
        let n = self.width();
        let mut product = vec![0.0; n * n];
        let (query, key) = theta[self.heads * self.head_len()..].split_at(n * n);
        for (query, key) in query.chunks_exact(n).zip(key.chunks_exact(n)) {
            for (row, &q) in product.chunks_exact_mut(n).zip(query) {
                row.iter_mut().zip(key).for_each(|(entry, k)| *entry += q * k);
            }
        }
        product
    }

    /// The matrix whose block `(h, h + 1)` is `strength(h)` times that which compares the permutation's tokens.
    pub(crate) fn blocks_of(&self, strength: impl Fn(usize) -> f64) -> Vec<f64> {
        let (n, vocabulary, k) = (self.width(), self.task.vocabulary(), self.task.order);
        let mut product = vec![0.0; n * n];
        for h in 0..self.heads {
            let strength = strength(h);
            for a in 0..k {
                let row = &mut product[(h * vocabulary + a) * n + (h + 1) * vocabulary..][..k];
                for (b, entry) in row.iter_mut().enumerate() {
                    *entry = strength * self.compared(a, b);
                }
            }
        }
        product
    }

    /// A start with these strengths, and weights over the lags `1..=k` (head after head) or none.
    ///
    /// Without (A1), `Q` and `K` are set so that their product is that of the strengths, each taking a
    /// square root of it.
    pub fn given_start(&self, beta: &[f64], weights: Option<&[f64]>) -> Result<Vec<f64>, Error> {
        let k = self.task.order;
        let why = format!("{} heads, a strength for each", self.heads);
        Error::ensure_length(beta, self.heads, "beta", &why)?;
        Error::ensure_finite(beta, "beta")?;
        if let Some(weights) = weights {
            let why = format!("heads {} x lags {k}", self.heads);
            Error::ensure_length(weights, self.heads * k, "w", &why)?;
            Error::ensure_finite(weights, "w")?;
        }
        let mut theta = vec![0.0; self.parameters()];
        let (first, strengths) = (1 - self.first_lag(), self.simplified.strengths);
        let heads = theta[..self.heads * self.head_len()].chunks_exact_mut(self.head_len());
        for (h, head) in heads.enumerate() {
            if strengths {
                head[0] = beta[h];
            }
            if let Some(weights) = weights {
                let from = usize::from(strengths) + first;
                head[from..from + k].copy_from_slice(&weights[h * k..(h + 1) * k]);
            }
        }
        if !strengths {
            self.set_matrices(beta, &mut theta);
        }
        Ok(theta)
    }

    /// `Q` and `K` with `Q^T K` as that of the strengths `beta`: row block `h` of both is used by head `h`.
    ///
    /// Both are square roots of the matrix that compares tokens, which is `gain` across the ones and
    /// `gain - k gamma` along them; where that is negative, `K` takes the sign.
    fn set_matrices(&self, beta: &[f64], theta: &mut [f64]) {
        let (n, vocabulary, k) = (self.width(), self.task.vocabulary(), self.task.order);
        let (query, key) = theta[self.heads * self.head_len()..].split_at_mut(n * n);
        let (across, along) = (self.gain.sqrt(), self.gain - k as f64 * self.gamma);
        let root = along.abs().sqrt();
        let shared = [root, root.copysign(along)].map(|root| (root - across) / k as f64);
        for (h, beta) in beta.iter().enumerate() {
            for (a, b) in (0..k).flat_map(|a| (0..k).map(move |b| (a, b))) {
                let (row, same) = ((h + 1) * vocabulary + a, f64::from(u8::from(a == b)));
                query[row * n + h * vocabulary + b] = beta * (across * same + shared[0]);
                key[row * n + (h + 1) * vocabulary + b] = beta * (across * same + shared[1]);
            }
        }
    }

    /// A start drawn by `seed`: `|beta_h|` of size `scale`, weights of size `spread`.
    pub fn random_start(&self, scale: f64, spread: f64, seed: u64) -> Result<Vec<f64>, Error> {
        let k = self.task.order;
        let (mut beta, mut weights) = (vec![0.0_f64; self.heads], vec![0.0; self.heads * k]);
        Stream::new(seed, Purpose::Start, 0).fill_normal(&mut beta);
        Stream::new(seed, Purpose::Start, 1).fill_normal(&mut weights);
        beta.iter_mut().for_each(|beta| *beta = scale * beta.abs());
        weights.iter_mut().for_each(|w: &mut f64| *w *= spread);
        self.given_start(&beta, Some(&weights))
    }

    /// Adds Gaussian noise of that size to `Q` and `K`, where the model has them.
    pub fn disturb(&self, theta: &mut [f64], noise: f64, seed: u64) {
        let matrices = &mut theta[self.heads * self.head_len()..];
        let mut drawn = vec![0.0; matrices.len()];
        Stream::new(seed, Purpose::Start, 2).fill_normal(&mut drawn);
        matrices.iter_mut().zip(drawn).for_each(|(entry, x): (_, f64)| *entry += noise * x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope_spec::testing::assert_close;

    #[test]
    fn whole_matrices_begin_with_the_product_of_the_strengths() {
        let task = Task::new(3, 2).unwrap();
        let beta = [0.3, -0.2];
        let weights = [0.1, 0.2, 0.3, -0.1, -0.2, -0.3];
        let theta = |shape: Shape| shape.given_start(&beta, Some(&weights)).unwrap();
        let model = |kept, gamma| Shape::relaxed(task, 2, gamma, kept).unwrap();
        // Along the ones the matrix is positive, zero and negative.
        for gamma in [-0.4, 0.0, 0.3, 0.5, 0.7, 2.0] {
            let [strengths, whole] =
                [Simplified::STRENGTHS, Simplified::NONE].map(|kept| model(kept, gamma));
            for (strengths, whole) in
                [(strengths, whole), (strengths.as_printed(), whole.as_printed())]
            {
                let product = strengths.query_key(&theta(strengths));
                assert_close(&whole.query_key(&theta(whole)), &product, 1e-15, gamma);
                assert_eq!(product.len(), 15 * 15);
                // Block (0, 1), tokens 2 and 2, 2 and 1; its place below the diagonal is empty.
                let [same, other] = [2, 1].map(|token| product[2 * 15 + 5 + token] / 0.09);
                assert!((same - (strengths.gain - gamma)).abs() < 1e-14, "{gamma}: {same}");
                assert!((other + gamma).abs() < 1e-14, "{gamma}: {other}");
                assert_eq!(product[(5 + 2) * 15 + 2], 0.0);
            }
        }
        let [strengths, whole] =
            [Simplified::STRENGTHS, Simplified::NONE].map(|kept| model(kept, 0.7));
        let head = whole.iter(&theta(whole)).next().unwrap().weights.to_vec();
        assert_eq!(&head[..5], &[0.0, 0.1, 0.2, 0.3, 0.0]);
        assert_eq!(whole.blocks().len(), whole.parameters());
        assert_eq!(strengths.blocks().len(), strengths.parameters());
    }

    #[test]
    fn what_fits_no_model_is_refused_by_value() {
        let task = Task::new(3, 2).unwrap();
        assert!(Shape::new(task, 4, 0.0).unwrap_err().to_string().contains("heads is 4"));
        assert!(Shape::new(task, 0, 0.0).unwrap_err().to_string().contains("heads is 0"));
        assert!(Shape::new(task, 2, -1.0).unwrap_err().to_string().contains("gamma is -1"));
        let shape = Shape::new(task, 2, 0.0).unwrap();
        let error = shape.given_start(&[0.1], None).unwrap_err().to_string();
        assert!(error.contains("beta has 1 entries, expected 2"), "{error}");
        let task = Task::new(8, 2).unwrap();
        assert!(Shape::new(task, 8, 0.0).is_ok());
        let error = Shape::relaxed(task, 8, 0.0, Simplified::NONE).unwrap_err().to_string();
        assert!(error.contains("362888 tokens"), "{error}");
    }
}
