//! What is known in closed form: plateaus, times of jumps, the conserved quantity of a jump.

use crate::task::{Context, factorial};
use crate::{Objective, Shape, Task};

pub mod late;
pub mod stitching;

/// The loss with `m` tokens matched: `L_m = (1 - 1/R)(1 - 1/(k - m)!)`.
///
/// `L_{k-1}` is zero: `k - 1` matched tokens leave one permutation, so only `k - 1` heads are useful.
pub fn plateau(task: &Task, m: usize) -> f64 {
    task.guess() * (1.0 - 1.0 / factorial(task.order.saturating_sub(m)))
}

/// The plateaus that so many heads can reach, from the start down.
pub fn plateaus(task: &Task, heads: usize) -> Vec<f64> {
    (0..=heads.min(task.order - 1)).map(|m| plateau(task, m)).collect()
}

/// The loss with the last `m` tokens of the query matched where every position competes, without (A3).
///
/// Of the `(k - m + 1)!` positions that follow these tokens, `(k - m)!` are responses: the tokens also
/// occur inside other permutations. So all `k` tokens must be matched, and there are `k` drops.
pub fn plateau_everywhere(task: &Task, m: usize) -> f64 {
    1.0 - (1.0 + (factorial(task.order - m) - 1.0) / task.responses as f64) / followers(task, m)
}

/// Positions that follow the last `m` tokens of the query; all of them where `m` is zero.
fn followers(task: &Task, m: usize) -> f64 {
    if m == 0 { task.length() } else { factorial(task.order - m + 1) }
}

/// How many other words of a context end with the last `m` tokens of the query, with their probabilities: of all
/// words but the query so many do, and the context has so many of them.
fn rivals(task: &Task, m: usize) -> Vec<(f64, f64)> {
    let alike = match task.context {
        Context::Repeating(_) => (task.order as f64).powi((task.order - m) as i32),
        _ => factorial(task.order - m),
    } - 1.0;
    let (all, drawn) = (task.words() - 1.0, task.entries() - 1.0);
    let least = (alike + drawn - all).max(0.0);
    // The hypergeometric law, by the ratio of neighbours from its least value on, in logarithms.
    let (mut law, mut found, mut weight) = (Vec::new(), least, 0.0_f64);
    while found <= alike.min(drawn) {
        law.push((found, weight));
        let others = all - alike - drawn + found + 1.0;
        weight += ((alike - found) * (drawn - found) / ((found + 1.0) * others)).ln();
        found += 1.0;
    }
    let top = law.iter().map(|(_, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
    law.iter_mut().for_each(|(_, weight)| *weight = (*weight - top).exp());
    let sum: f64 = law.iter().map(|(_, weight)| weight).sum();
    law.iter_mut().for_each(|(_, weight)| *weight /= sum);
    law
}

/// The plateaus with contexts that need not have all permutations, and with (A3).
fn drawn_plateaus(shape: &Shape, objective: Objective) -> Vec<f64> {
    let (task, k) = (&shape.task, shape.task.order);
    // The last of a permutation's tokens follows from the others; a word's does not.
    let useful = if matches!(task.context, Context::Repeating(_)) { k } else { k - 1 };
    let of_rivals = |others: f64| match objective {
        Objective::DotProduct => task.guess() * (1.0 - 1.0 / (1.0 + others)),
        Objective::CrossEntropy => entropy_among(task, 1.0 + others),
    };
    let level =
        |m| rivals(task, m).into_iter().map(|(others, weight)| weight * of_rivals(others)).sum();
    (0..=shape.heads.min(useful)).map(level).collect()
}

/// The plateaus of a model, from the start down, in its own loss; none where they are not known.
pub fn levels(shape: &Shape, objective: Objective) -> Vec<f64> {
    let (task, heads) = (&shape.task, shape.heads);
    if !matches!(task.context, Context::Complete | Context::Shuffled) {
        let known = shape.simplified.responses;
        return if known { drawn_plateaus(shape, objective) } else { Vec::new() };
    }
    match (shape.simplified.responses, objective) {
        (true, Objective::DotProduct) => plateaus(task, heads),
        (true, Objective::CrossEntropy) => entropy_plateaus(task, heads),
        (false, Objective::DotProduct) => {
            (0..=heads).map(|m| plateau_everywhere(task, m)).collect()
        }
        (false, Objective::CrossEntropy) => {
            // The right responses share what all followers have, instead of what the responses have.
            let more = |m: usize| (followers(task, m) / factorial(task.order - m)).ln();
            (0..=heads).map(|m| entropy_plateau(task, m) + more(m)).collect()
        }
    }
}

/// Half way between neighbouring plateaus.
pub fn mid_levels(task: &Task, heads: usize) -> Vec<f64> {
    plateaus(task, heads).windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect()
}

/// The cross entropy with `m` tokens matched: `-E ln((1 + B)/n)` with `n = (k - m)!` and `B` binomial of
/// `n - 1` trials with probability `1/R`.
pub fn entropy_plateau(task: &Task, m: usize) -> f64 {
    entropy_among(task, factorial(task.order.saturating_sub(m)))
}

fn entropy_among(task: &Task, n: f64) -> f64 {
    let p = 1.0 / task.responses as f64;
    let (mut weight, mut sum) = ((n - 1.0) * (-p).ln_1p(), 0.0);
    let mut matches = 0.0;
    while matches < n {
        sum -= weight.exp() * ((1.0 + matches) / n).ln();
        // The next binomial weight, in logarithms.
        weight += ((n - 1.0 - matches) / (matches + 1.0) * p / (1.0 - p)).ln();
        matches += 1.0;
    }
    sum
}

/// The cross entropies of all plateaus that so many heads can reach.
pub fn entropy_plateaus(task: &Task, heads: usize) -> Vec<f64> {
    (0..=heads.min(task.order - 1)).map(|m| entropy_plateau(task, m)).collect()
}

/// `f(alpha)` of Theorem 3.1(d): `f(alpha) - beta^2/4` is conserved while one head moves.
///
/// 001: the theorem has a minus before the second bracket, the last line of its proof a plus, which is right.
pub fn potential(order: usize, alpha: f64) -> f64 {
    let (odd, bend) = brackets(order, alpha);
    odd + bend
}

/// The same as the theorem prints it, which is not conserved.
pub fn potential_printed(order: usize, alpha: f64) -> f64 {
    let (odd, bend) = brackets(order, alpha);
    odd - bend
}

/// The two terms of `f`.
fn brackets(order: usize, alpha: f64) -> (f64, f64) {
    let k = order as f64;
    // sinh(a) - a and e^-a + a - 1 lose all digits to cancellation near zero.
    let odd = if alpha.abs() < 0.1 { series(alpha, 3) } else { alpha.sinh() - alpha };
    let bend = if alpha.abs() < 0.1 {
        // (cosh a - 1) - (sinh a - a)
        series(alpha, 2) - odd
    } else {
        (-alpha).exp_m1() + alpha
    };
    (2.0 * (k - 1.0) / (k * k) * odd, (k - 1.0) / k * bend)
}

/// `x^n/n! + x^(n+2)/(n+2)! + ...`
fn series(x: f64, n: u32) -> f64 {
    let mut term = x.powi(n as i32) / factorial(n as usize);
    let mut sum = 0.0;
    for j in 0..6 {
        sum += term;
        let next = f64::from(n + 2 * j);
        term *= x * x / ((next + 1.0) * (next + 2.0));
    }
    sum
}

#[cfg(test)]
#[path = "theory_tests.rs"]
mod tests;
