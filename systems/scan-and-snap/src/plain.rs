//! The model written out entry by entry over the whole vocabulary, with no thought of digits; and small tasks for tests.

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::numeric::vector::norm;
use saddlescope_spec::measure;

use crate::{ClassSpec, Embedding, Normalised, Outputs, Shape, Synthetic, Task};

/// Query, next token and law of a class.
pub(crate) type Class<'a> = (usize, usize, &'a [(usize, f64)]);

pub(crate) fn task(vocabulary: usize, classes: &[Class<'_>]) -> Task {
    let class = |&(query, next, law): &Class<'_>| ClassSpec { query, next, law: law.to_vec() };
    Task::new(vocabulary, &classes.iter().map(class).collect::<Vec<_>>()).unwrap()
}

/// Two queries, shared and distinct tokens, supports of several sizes; query 2 occurs in contexts, token 8 nowhere.
pub(crate) fn uneven() -> Task {
    let classes: [Class<'_>; 3] = [
        (7, 0, &[(0, 0.2), (1, 0.3), (2, 0.5)]),
        (7, 5, &[(0, 0.4), (3, 0.6)]),
        (2, 4, &[(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)]),
    ];
    task(9, &classes)
}

/// One head and several, with and without residual connection.
pub(crate) fn shapes(task: &Task, outputs: Outputs) -> [Shape; 4] {
    let shape = || Shape::new(task.clone(), outputs);
    [shape(), shape().heads(2), shape().residual(), shape().heads(3).residual()]
}

pub(crate) fn authors(queries: usize, per_query: usize) -> Shape {
    Shape::new(Synthetic::authors(queries, per_query).task().unwrap(), Outputs::All)
}

pub(crate) fn random(count: usize, scale: f64, seed: u64) -> Vec<f64> {
    measure::random(count, scale, &mut Stream::new(seed, Purpose::Perturbation, 0))
}

fn unit(x: &mut [f64]) {
    let length = norm(x);
    x.iter_mut().for_each(|x| *x /= length);
}

/// The mean loss of all classes, from the logit of attention of a query (its place) on a token (its place) in each head, and
/// from what the model makes of the mean weights of all tokens and the query.
fn loss(
    shape: &Shape,
    attend: impl Fn(usize, usize, usize) -> f64,
    read: impl Fn(Vec<f64>, usize) -> Vec<f64>,
) -> f64 {
    let task = &shape.task;
    let mut total = 0.0;
    for class in &task.classes {
        let mut weights = vec![0.0; task.vocabulary];
        for h in 0..shape.heads {
            let weight =
                |i: usize| class.probability[i] * attend(h, class.query, class.support[i]).exp();
            let each: Vec<f64> = (0..class.support.len()).map(weight).collect();
            for (weight, &l) in each.iter().zip(&class.support) {
                weights[task.tokens[l]] += weight / each.iter().sum::<f64>();
            }
        }
        let logits = read(weights, task.queries[class.query]);
        let all: f64 = logits.iter().map(|logit| logit.exp()).sum();
        total += all.ln() - logits[class.next];
    }
    total / task.classes.len() as f64
}

/// The weights as the decoder sees them: `LN`, and with a residual connection `LN(LN(u) + u_query)`.
fn normalised(shape: &Shape, mut weights: Vec<f64>, query: usize) -> Vec<f64> {
    unit(&mut weights);
    if shape.residual {
        weights[query] += 1.0;
        unit(&mut weights);
    }
    weights
}

/// The loss in `Y` and `Z`.
pub(crate) fn pairwise_loss(shape: &Shape, theta: &[f64]) -> f64 {
    let (task, columns) = (&shape.task, shape.columns());
    let entry = |row: usize, j: usize| {
        let class = task.classes.iter().position(|class| class.next == j);
        match (shape.outputs, class) {
            (Outputs::All, _) => theta[row * columns + j],
            (Outputs::Used, Some(n)) => theta[row * columns + n],
            (Outputs::Used, None) => {
                theta[row * columns + task.classes.len()] / shape.shared_scale()
            }
        }
    };
    let read = |weights, query| {
        let seen = normalised(shape, weights, query);
        let inputs = || shape.inputs.iter().enumerate();
        let logit = |j| inputs().map(|(row, &token)| seen[token] * entry(row, j)).sum();
        (0..task.vocabulary).map(logit).collect()
    };
    loss(shape, |h, m, l| theta[shape.logits(h, m) + l], read)
}

/// `u_left^T M u_right`.
pub(crate) fn form(
    embedding: &Embedding,
    theta: &[f64],
    (left, right): (usize, usize),
    matrix: impl Fn(usize, usize) -> f64,
) -> f64 {
    let d = embedding.dimension;
    let term = |a: usize, b: usize| theta[left * d + a] * matrix(a, b) * theta[right * d + b];
    (0..d).map(|a| (0..d).map(|b| term(a, b)).sum::<f64>()).sum()
}

/// 004, section 3.1: an entry of `Z = U W_Q W_K^T U^T/sqrt(d)`, of a query and a token in head `h`.
pub(crate) fn attention_logit(
    embedding: &Embedding,
    theta: &[f64],
    h: usize,
    pair: (usize, usize),
) -> f64 {
    let d = embedding.dimension;
    let (q, k) = (embedding.w_q(h).start, embedding.w_k(h).start);
    let product = |a: usize, b: usize| -> f64 {
        (0..d).map(|c| theta[q + a * d + c] * theta[k + b * d + c]).sum()
    };
    form(embedding, theta, pair, product) / (d as f64).sqrt()
}

/// The loss with embeddings, as Eqs. (1) and (2) have it, without `Y` and `Z`.
pub(crate) fn embedded_loss(embedding: &Embedding, normalise: Normalised, theta: &[f64]) -> f64 {
    let (shape, d) = (&embedding.shape, embedding.dimension);
    let (task, m) = (&shape.task, shape.task.vocabulary);
    let u = |k: usize, a: usize| theta[k * d + a];
    let embed =
        |x: &[f64]| -> Vec<f64> { (0..d).map(|a| (0..m).map(|k| x[k] * u(k, a)).sum()).collect() };
    let read = |weights: Vec<f64>, query: usize| {
        let seen = match normalise {
            Normalised::Weights => embed(&normalised(shape, weights, query)),
            Normalised::Embedding => {
                let mut seen = embed(&weights);
                unit(&mut seen);
                if shape.residual {
                    seen.iter_mut().enumerate().for_each(|(a, x)| *x += u(query, a));
                    unit(&mut seen);
                }
                seen
            }
        };
        let w_v = embedding.w_v().start;
        let value = |a: usize| (0..d).map(|b| theta[w_v + a * d + b] * seen[b]).sum::<f64>();
        let values: Vec<f64> = (0..d).map(value).collect();
        (0..m).map(|j| (0..d).map(|a| u(j, a) * values[a]).sum()).collect()
    };
    let attend = |h: usize, m: usize, l: usize| {
        attention_logit(embedding, theta, h, (task.queries[m], task.tokens[l]))
    };
    loss(shape, attend, read)
}
