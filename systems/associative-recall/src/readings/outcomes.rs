//! What a run came to, in a few words: the order of learning, beside the shares of the start.

use saddlescope_spec::prelude::*;

use crate::Shape;

/// Strength from which a head counts as learned.
const STRONG: f64 = 1.0;
/// Attention on its own lag from which it does in a model without strengths.
const ATTENTIVE: f64 = 0.5;

/// Attention that tells a lag from an equal share of them all.
const MORE_THAN_EQUAL: f64 = 1.1;

/// `order`: the heads in the order in which they are [`learned`], such as `1-2-3`, and `order.by_strength`: whether it is
/// that of the strengths at the start, `incomplete` where not all were (both where what says so was recorded); `lags`:
/// what each head attends to at the end, such as `1+2, 2+3, none`; `start.escape`: the time `T*` of the head that jumps
/// first, where theory gives it; `start.share.h`: the part that head `h` has of all strengths at the start.
pub(crate) fn outcomes(
    shape: &Shape,
    start: &[f64],
    escape: Option<f64>,
    seen: RunData<'_>,
) -> Vec<Outcome> {
    let mut all = Vec::new();
    if let Some(times) = learned(shape, seen) {
        let mut order: Vec<(usize, f64)> =
            times.iter().enumerate().filter_map(|(h, time)| Some((h, (*time)?))).collect();
        order.sort_by(|a, b| a.1.total_cmp(&b.1));
        all.push(Outcome::new("order", words(&order)));
        if shape.simplified.strengths {
            let found: Vec<usize> = order.iter().map(|(h, _)| *h).collect();
            let as_strengths = match found.len() < shape.heads.min(shape.task.order - 1) {
                true => "incomplete",
                false if found == by_strength(shape, start, found.len()) => "yes",
                false => "no",
            };
            all.push(Outcome::new("order.by_strength", as_strengths));
        }
    }
    all.extend(lags(shape, seen).map(|lags| Outcome::new("lags", lags)));
    if !shape.simplified.strengths {
        return all;
    }
    if let Some(time) = escape {
        all.push(Outcome::new("start.escape", time));
    }
    let beta: Vec<f64> = shape.iter(start).map(|head| head.beta.abs()).collect();
    let sum: f64 = beta.iter().sum();
    if sum > 0.0 {
        let share =
            |(h, beta): (usize, &f64)| Outcome::new(format!("start.share.{}", h + 1), beta / sum);
        all.extend(beta.iter().enumerate().map(share));
    }
    all
}

/// So many heads, the strongest at the start first.
fn by_strength(shape: &Shape, start: &[f64], count: usize) -> Vec<usize> {
    let beta: Vec<f64> = shape.iter(start).map(|head| head.beta.abs()).collect();
    let mut heads: Vec<usize> = (0..beta.len()).collect();
    heads.sort_by(|&a, &b| beta[b].total_cmp(&beta[a]));
    heads.truncate(count);
    heads
}

/// Times nearer than this part of themselves are one time.
const TIE: f64 = 1e-6;

/// Heads counted from 1: `2-1` one after the other, `1=2` at once.
fn words(order: &[(usize, f64)]) -> String {
    let Some((first, _)) = order.first() else { return "none".to_owned() };
    let mut words = (first + 1).to_string();
    for pair in order.windows(2) {
        let tie = pair[1].1 - pair[0].1 <= TIE * pair[1].1;
        words += &format!("{}{}", if tie { "=" } else { "-" }, pair[1].0 + 1);
    }
    words
}

pub(crate) fn names(shape: &Shape) -> Vec<String> {
    let heads = if shape.simplified.strengths { shape.heads } else { 0 };
    let shares = (1..=heads).map(|h| format!("start.share.{h}"));
    let all = ["order", "lags", "order.by_strength", "start.escape"];
    let own = if heads > 0 { &all[..] } else { &all[..2] };
    own.iter().map(ToString::to_string).chain(shares).collect()
}

/// For each head the lags that get more of its attention at the end than an equal share, the largest first.
fn lags(shape: &Shape, seen: RunData<'_>) -> Option<String> {
    let k = shape.task.order;
    let of_head = |h: usize| {
        let series = seen.trajectory.get(&format!("head.{h}.attention"))?;
        let last = series.data().chunks_exact(k).next_back()?;
        let mut lags: Vec<usize> =
            (0..k).filter(|&lag| last[lag] * k as f64 > MORE_THAN_EQUAL).collect();
        lags.sort_by(|&a, &b| last[b].total_cmp(&last[a]));
        let words: Vec<String> = lags.iter().map(|lag| (lag + 1).to_string()).collect();
        Some(if words.is_empty() { "none".to_owned() } else { words.join("+") })
    };
    Some((0..shape.heads).map(of_head).collect::<Option<Vec<_>>>()?.join(", "))
}

/// When each head was learned: when its strength came to 1, or, in models without strengths, its attention on
/// its own lag to a half. `None` where that was not recorded.
pub(crate) fn learned(shape: &Shape, seen: RunData<'_>) -> Option<Vec<Option<f64>>> {
    let time = seen.trajectory.time();
    let when = |h: usize| {
        if shape.simplified.strengths {
            let series = seen.trajectory.get(&format!("head.{h}.beta"))?;
            return Some(crossing(time, series.data(), STRONG));
        }
        let series = seen.trajectory.get(&format!("head.{h}.attention"))?;
        let own: Vec<f64> = series.data().iter().skip(h).step_by(series.width()).copied().collect();
        Some(crossing(time, &own, ATTENTIVE))
    };
    (0..shape.heads).map(when).collect()
}

/// When the size of a column first comes to `level`, between rows by a straight line in its logarithm.
fn crossing(time: &[f64], values: &[f64], level: f64) -> Option<f64> {
    let row = values.iter().position(|value| value.abs() >= level)?;
    let Some(before) = row.checked_sub(1) else { return Some(time[row]) };
    let (low, high) = (values[before].abs().ln(), values[row].abs().ln());
    let part = (level.ln() - low) / (high - low);
    Some(time[before] + part.clamp(0.0, 1.0) * (time[row] - time[before]))
}

#[cfg(test)]
mod tests {
    use super::{crossing, words};

    #[test]
    fn ties_are_said() {
        assert_eq!(words(&[]), "none");
        assert_eq!(words(&[(2, 10.0), (0, 20.0), (1, 20.0)]), "3-1=2");
    }

    #[test]
    fn a_head_is_learned_between_two_rows() {
        let found = crossing(&[0.0, 1.0, 2.0], &[0.1, -0.5, -2.0], 1.0).unwrap();
        assert!((found - 1.5).abs() < 1e-12);
        assert_eq!(crossing(&[3.0, 4.0], &[1.5, 2.0], 1.0), Some(3.0));
        assert_eq!(crossing(&[0.0, 1.0], &[0.1, 0.9], 1.0), None);
    }
}
