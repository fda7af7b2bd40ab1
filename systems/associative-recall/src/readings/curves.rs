//! The laws of 001, section 3 and appendix A.4, as curves beside what a run recorded.

use saddlescope_spec::prelude::*;

use super::observables::OneSequence;
use super::predictions::{jumps, waiting};
use crate::Shape;
use crate::theory::late::LateLaw;
use crate::theory::stitching::Escape;

/// Points of a curve.
const POINTS: usize = 300;
/// The small-head laws are drawn up to this `s`, where they hold no more.
const LARGE: f64 = 10.0;

/// `s` of the first head by the small-head law, with its constants and as printed. 001, lines 148 to 150.
pub(crate) fn tangents(shape: &Shape, start: &[f64]) -> Vec<Prediction> {
    let Some((0, order)) = waiting(shape, start) else { return Vec::new() };
    let Some(&(h, _)) = order.first() else { return Vec::new() };
    let Some(head) = shape.iter(start).nth(h) else { return Vec::new() };
    let strength = head.beta.abs();
    let escape = Escape::new(&shape.task, shape.gain, 0, 1.0 / shape.lags() as f64);
    // Even steps of ln s: over time a tangent would have its last decades between two points.
    let from = 0.01 * strength;
    let size = |i: usize| from * (LARGE / from).powf(i as f64 / POINTS as f64);
    let curve = |name: &str, label: &str, time: &dyn Fn(f64) -> f64| {
        let value: Vec<f64> = (0..=POINTS).map(size).collect();
        let says = Says::Curve { time: value.iter().map(|&s| time(s)).collect(), value };
        Prediction::new(name, label, format!("head.{h}.s"), says)
    };
    vec![
        curve("tangent", "tangent law", &|s| escape.until(strength, s)),
        curve("tangent-printed", "as printed", &|s| (s / strength).atan() / strength),
    ]
}

/// `s` of a head that moves alone, long after its jump: by Eq. (3) with its constants and as printed, from where the run
/// came to `s = 1` on; and the logarithm that both come to.
pub(crate) fn late(shape: &Shape, head: usize, seen: RunData<'_>) -> Vec<Prediction> {
    let of = format!("head.{head}.s");
    let times = seen.trajectory.time();
    let Some(found) = seen.trajectory.get(&of).map(|series| series.data()) else {
        return Vec::new();
    };
    let Some(row) = found.iter().position(|s| *s >= 1.0) else { return Vec::new() };
    let (first, from, end) = (times[row], found[row], times[times.len() - 1]);
    let curve = |name: &str, label: &str, law: LateLaw| {
        let step = 1.0 / (POINTS as f64 * law.decay) * (end.max(2.0)).ln();
        let at = |i: usize| from + i as f64 * step;
        let value: Vec<f64> =
            (0..2 * POINTS).map(at).take_while(|&s| first + law.time(from, s) <= end).collect();
        let time = value.iter().map(|&s| first + law.time(from, s)).collect();
        Prediction::new(name, label, &*of, Says::Curve { time, value })
    };
    let law = LateLaw::new(&shape.task, shape.gain);
    let logarithm = Says::curve(seen.times(Some(first), POINTS), |time| time.ln() / law.decay);
    vec![
        curve("late", "Eq. (3) with its constants", law),
        curve("late-printed", "Eq. (3) as printed", LateLaw::printed(&shape.task, shape.gain)),
        Prediction::new("logarithm", "$\\ln t/\\kappa$", &*of, logarithm),
    ]
}

/// What the second layer does if it matches the tokens of the heads that have jumped, and no others: `f^N`, from jump to
/// jump. 001, appendix A.4.
pub(crate) fn restricted(shape: &Shape, start: &[f64], seen: RunData<'_>) -> Vec<Prediction> {
    let parts: [(&str, Bin); 2] =
        [("prediction", OneSequence::by_response), ("second.attention", OneSequence::by_matches)];
    let mut asked =
        parts.into_iter().filter(|part| seen.trajectory.get(part.0).is_some()).peekable();
    let Some(&end) = seen.trajectory.time().last().filter(|_| asked.peek().is_some()) else {
        return Vec::new();
    };
    let Some((one, jumps)) = OneSequence::new(*shape).zip(jumps(shape, start, seen)) else {
        return Vec::new();
    };
    let heads: Vec<usize> = jumps.iter().map(|jump| jump.0).collect();
    let stages: Vec<Vec<f64>> = (0..=heads.len()).map(|m| one.restricted(&heads[..m])).collect();
    // Logarithmic axes have no place for 0.
    let first = seen.trajectory.time().iter().find(|time| **time > 0.0);
    let mut ends = vec![first.copied().unwrap_or_default()];
    ends.extend(jumps.iter().map(|jump| jump.1));
    ends.push(end);
    let time: Vec<f64> = ends.windows(2).flatten().copied().collect();
    let mut all = Vec::new();
    for (name, bin) in asked {
        let levels: Vec<Vec<f64>> = stages.iter().map(|shares| bin(&one, shares)).collect();
        for entry in 0..levels[0].len() {
            let value = levels.iter().flat_map(|level| [level[entry]; 2]).collect();
            let says = Says::Curve { time: time.clone(), value };
            let label = "$f_\\tau^{\\mathcal{N}}$";
            all.push(Prediction::new("restricted", label, format!("{name}[{entry}]"), says));
        }
    }
    all
}

/// Shares of permutations, put together.
type Bin = fn(&OneSequence, &[f64]) -> Vec<f64>;
