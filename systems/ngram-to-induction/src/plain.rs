//! The six-parameter model on one sequence, written out place by place, for tests: 002, Eqs. (1) to (3), (5) and (6).

use saddlescope::numeric::vector::dot;

use crate::{Attention, Coupling, First, Partial, Parts, Shape, Task};

/// Models of a task with every first layer, coupling and part.
pub(crate) fn shapes(task: Task) -> Vec<Shape> {
    let mut all = Vec::new();
    for first in [First::Previous, First::Trained] {
        for coupling in [Coupling::Tied, Coupling::Untied] {
            for parts in [Parts::Both, Parts::Gram, Parts::Induction] {
                all.push(Shape::new(task).first(first).coupling(coupling).parts(parts));
            }
        }
    }
    all
}

pub(crate) fn softmax(scores: &[f64]) -> Vec<f64> {
    let raised: Vec<f64> = scores.iter().map(|score| score.exp()).collect();
    let total: f64 = raised.iter().sum();
    raised.iter().map(|x| x / total).collect()
}

pub(crate) fn mean(shares: &[f64], vectors: &[Vec<f64>]) -> Vec<f64> {
    let coordinate = |a: usize| shares.iter().zip(vectors).map(|(s, v)| s * v[a]).sum();
    (0..vectors[0].len()).map(coordinate).collect()
}

/// `factor` times the tokens `x_2..x_{L-1}`, weighed by how much the tokens `keys` before them are like what is `asked`.
fn recalled(
    task: &Task,
    (factor, asked): (f64, &[f64]),
    keys: &[Vec<f64>],
    x: &[Vec<f64>],
) -> Vec<f64> {
    let scores: Vec<f64> = keys.iter().map(|key| dot(asked, key)).collect();
    let weights = match task.attention {
        Attention::Softmax => softmax(&scores),
        Attention::Exponential => {
            scores.iter().map(|score| score.exp() / task.places() as f64).collect()
        }
    };
    mean(&weights, &x[1..task.length - 1]).into_iter().map(|x| factor * x).collect()
}

/// The answer: `D` coordinates for the 4-gram, `D` for the induction head; zeros for a head that the model lacks.
pub(crate) fn answer(shape: &Shape, theta: &[f64], x: &[Vec<f64>]) -> Vec<f64> {
    let (task, read) = (&shape.task, shape.read(theta));
    let length = task.length;
    // Places and tokens count from one, as in print.
    let y = |s: usize| match read.p_tilde {
        None => x[s - 2].clone(),
        Some(p_tilde) => {
            let scores: Vec<f64> = (1..s).map(|tau| -p_tilde * (s - 1 - tau) as f64).collect();
            mean(&softmax(&scores), &x[..s - 1])
        }
    };
    let ys: Vec<Vec<f64>> = (2..length).map(y).collect();
    let zeros = || vec![0.0; task.dimension];
    let mut answer = read.gram.map_or_else(zeros, |[p, g]| {
        let scores: Vec<f64> = (2..length).map(|s| -p * (length - 1 - s) as f64).collect();
        mean(&softmax(&scores), &ys).into_iter().map(|y| g * y).collect()
    });
    answer.extend(read.induction.map_or_else(zeros, |(query, key, h)| {
        let asked: Vec<f64> =
            x[length - 1].iter().zip(query).zip(key).map(|((x, q), k)| x * q * k).collect();
        recalled(task, (h, &asked), &ys, x)
    }));
    answer
}

/// What the answer should be.
pub(crate) fn target(task: &Task, x: &[Vec<f64>]) -> Vec<f64> {
    let length = task.length;
    let mut target: Vec<f64> = x[length - 3].iter().map(|x| task.gram_weight() * x).collect();
    let asked: Vec<f64> = x[length - 1].iter().map(|x| task.product() * x).collect();
    target.extend(recalled(task, (task.induction_weight(), &asked), &x[..length - 2], x));
    target
}

/// The two halves of the loss of an answer.
pub(crate) fn halves(task: &Task, answer: &[f64], x: &[Vec<f64>]) -> Partial {
    let scale = 0.5 * task.coordinates() / task.dimension as f64;
    let errors: Vec<f64> = answer.iter().zip(target(task, x)).map(|(a, b)| a - b).collect();
    let (gram, induction) = errors.split_at(task.dimension);
    Partial { gram: scale * dot(gram, gram), induction: scale * dot(induction, induction) }
}

/// The two halves of the model's loss; zero for a head that it lacks.
pub(crate) fn losses(shape: &Shape, theta: &[f64], x: &[Vec<f64>]) -> Partial {
    let both = halves(&shape.task, &answer(shape, theta, x), x);
    Partial {
        gram: if shape.has_gram() { both.gram } else { 0.0 },
        induction: if shape.has_induction() { both.induction } else { 0.0 },
    }
}
