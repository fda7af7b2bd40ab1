//! What theory says about a run, ready to be drawn beside it, and about how times depend on the start.

use saddlescope::record::{Control, Glimpse, Recorder};
use saddlescope_spec::prelude::*;

use crate::readings::outcomes::learned;
use crate::theory::stitching::{Escape, chained_after};
use crate::{Corpus, Head, JumpLaw, Objective, Shape};
use saddlescope::analysis::scaling::Law;

pub(crate) const NAMES: &[&str] = &[
    "levels",
    "jump-law",
    "stitched",
    "first-jump",
    "tangent",
    "tangent-printed",
    "late",
    "late-printed",
    "logarithm",
    "restricted",
    "solution-attention",
    "solution",
];

/// Points of a curve in each step of the solver.
const POINTS: u32 = 8;

/// The size of the solution's blocks as it is drawn.
const SOLUTION: f64 = 4.0;

/// The construction of appendix A.2: head `h` attends to lag `h`, block `(h - 1, h)` is `c` times the matrix
/// that compares tokens.
pub(crate) fn solution(shape: &Shape) -> [Prediction; 2] {
    let (k, heads) = (shape.task.order, shape.heads);
    let entry = |h: usize, i: usize| f64::from(u8::from(h == i));
    let attention = Says::Matrix {
        title: "solution".to_owned(),
        shape: (heads, k),
        values: (0..heads).flat_map(|h| (0..k).map(move |i| entry(h, i))).collect(),
        rows: (1..=heads).map(|h| format!("$A^{{{h}}}$")).collect(),
    };
    let (n, vocabulary) = (shape.width(), shape.task.vocabulary());
    let blocks = Says::Matrix {
        title: format!("solution, $c = {SOLUTION}$"),
        shape: (n, n),
        values: shape.blocks_of(|_| SOLUTION),
        // The token in the middle of a block names it.
        rows: (0..n)
            .map(|row| match row % vocabulary == vocabulary / 2 {
                true => format!("$R^{{{}}}$", row / vocabulary),
                false => String::new(),
            })
            .collect(),
    };
    [
        Prediction::new("solution-attention", "solution", "head.*.attention", attention),
        Prediction::new("solution", "solution", "query_key", blocks),
    ]
}

/// Times of the jumps, from the strengths at the start: of all heads, or of those that wait on the plateau where the others
/// have learned.
pub(crate) fn times(shape: &Shape, start: &[f64]) -> Vec<Prediction> {
    let Some((first, jumps)) = waiting(shape, start) else { return Vec::new() };
    let number = |name: &str, label: &str, m: usize, time: f64| {
        Prediction::new(name, label, format!("crossing.{m}"), Says::Number(time))
    };
    let place = |(m, &(_, time)): (usize, &(usize, f64))| {
        number("stitched", "stitched", first + m + 1, time)
    };
    let mut all: Vec<Prediction> = jumps.iter().enumerate().map(place).collect();
    all.extend(escape(shape, start).map(|time| number("first-jump", "$T^*$", first + 1, time)));
    all
}

/// Orders beyond this have too many queries for a prediction.
const LARGEST_LISTED: usize = 5;

/// When the first jump comes in a model that keeps (A1) and (A3), whatever else it keeps.
///
/// While strengths are small the loss is `L_0 + sum_h beta_h^2 c_h(w^h)`, and `c_h` is zero where all weights are
/// equal. So `w^h` moves along `g_h`, the slope of `c_h` there, by `tau |g_h|` with `tau' = beta_h^2 = eps^2 + 2 |g_h|^2 tau^2`,
/// and is at infinity after `pi / (2 sqrt(2) eps |g_h|)`. With (A0) that is the tangent law of 001, line 148, put right.
pub(crate) fn relaxed_escape(
    shape: &Shape,
    objective: Objective,
    start: &[f64],
) -> Option<Prediction> {
    let kept = shape.simplified;
    let applies = kept.strengths && kept.responses && shape.task.order <= LARGEST_LISTED;
    if !applies || !is_flat(shape, start) {
        return None;
    }
    let landscape = Corpus::exact(*shape, objective).ok()?;
    let small = 1e-5;
    let mut theta = start.to_vec();
    theta.chunks_exact_mut(shape.head_len()).for_each(|head| head[0] = small);
    let mut slopes = vec![0.0; theta.len()];
    landscape.evaluate(&theta, Draw::default(), &mut landscape.work(), &mut slopes).ok()?;
    let time = |(head, slope): (Head<'_>, Head<'_>)| {
        let size = slope.weights.iter().map(|w| w * w).sum::<f64>().sqrt() / (small * small);
        std::f64::consts::PI / (8.0_f64.sqrt() * size * head.beta.abs())
    };
    let first = shape.iter(start).zip(shape.iter(&slopes)).map(time).fold(f64::INFINITY, f64::min);
    let says = Says::Number(first);
    first.is_finite().then(|| Prediction::new("first-jump", "$T^*$", "crossing.1", says))
}

/// `T*` of the head that jumps first.
pub(crate) fn escape(shape: &Shape, start: &[f64]) -> Option<f64> {
    let (matched, jumps) = waiting(shape, start)?;
    let head = shape.iter(start).nth(jumps.first()?.0)?;
    let escape = Escape::new(&shape.task, shape.gain, matched, 1.0 / shape.lags() as f64);
    Some(escape.time(head.beta))
}

/// How many heads have learned, and when the others jump, if their weights are all equal.
pub(crate) fn waiting(shape: &Shape, start: &[f64]) -> Option<(usize, Vec<(usize, f64)>)> {
    let mut matched = 0;
    let mut beta: Vec<f64> = shape.iter(start).map(|head| head.beta).collect();
    for (h, head) in shape.iter(start).enumerate() {
        if head.weights.iter().all(|w| *w == head.weights[0]) {
            continue;
        }
        // What has almost all attention on its own lag, and leaves almost nothing to other tokens, moves no more.
        let own = Shape::attention(head.weights).get(h).copied()?;
        if own < 0.99 || shape.gain * head.beta * head.beta < 20.0 {
            return None;
        }
        matched += 1;
        beta[h] = 0.0;
    }
    Some((matched, chained_after(&shape.task, shape.gain, &beta, matched)))
}

/// The strength of each head, by the law of its own jump, as the other heads learn at the times that were
/// seen. Each head moves alone: learned heads count as perfect, the others as zero.
///
/// Which head made which jump is read off the strengths where these were recorded; otherwise it is the order of
/// the strengths at the start, which is right where all weights start equal.
pub(crate) fn jump_laws(shape: &Shape, start: &[f64], seen: RunData<'_>) -> Vec<Prediction> {
    let Some(&end) = seen.trajectory.time().last() else { return Vec::new() };
    let Some(jumps) = jumps(shape, start, seen) else { return Vec::new() };
    let curve = |(head, beta): (usize, f64)| {
        if beta == 0.0 {
            return None;
        }
        let (time, value) = alone(shape, start, head, &jumps, end)?;
        let says = Says::Curve { time, value };
        Some(Prediction::new("jump-law", "law of each jump", format!("head.{head}.beta"), says))
    };
    shape.iter(start).map(|head| head.beta).enumerate().filter_map(curve).collect()
}

/// The heads in the order in which they jumped, with the times.
pub(crate) fn jumps(shape: &Shape, start: &[f64], seen: RunData<'_>) -> Option<Vec<(usize, f64)>> {
    let mut order: Vec<(usize, f64)> = match learned(shape, seen) {
        Some(times) => {
            let time = |(h, time): (usize, &Option<f64>)| Some((h, (*time)?));
            times.iter().enumerate().filter_map(time).collect()
        }
        None if is_flat(shape, start) => {
            shape.iter(start).map(|head| -head.beta.abs()).enumerate().collect()
        }
        None => return None,
    };
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let both = order.iter().zip(seen.crossings);
    Some(both.map_while(|(head, time)| Some((head.0, (*time)?))).collect())
}

/// Whether each head's weights are all equal.
fn is_flat(shape: &Shape, theta: &[f64]) -> bool {
    shape.iter(theta).all(|head| head.weights.iter().all(|w| *w == head.weights[0]))
}

/// The strength of one head over time, while the others learn at the times `jumps`.
fn alone(
    shape: &Shape,
    start: &[f64],
    head: usize,
    jumps: &[(usize, f64)],
    end: f64,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let others: Vec<(usize, f64)> = jumps.iter().filter(|jump| jump.0 != head).copied().collect();
    let (mut times, mut values) = (Vec::new(), Vec::new());
    let (mut theta, mut now) = (start.to_vec(), 0.0);
    for stage in 0..=others.len() {
        let learned: Vec<usize> = others[..stage].iter().map(|jump| jump.0).collect();
        let then = others.get(stage).map_or(end, |jump| jump.1.min(end));
        let Ok(law) = JumpLaw::new(*shape, head, &learned) else { break };
        if then <= now {
            continue;
        }
        let mut curve = Curve::default();
        let flow = Flow::default().tolerances(1e-8, 1e-10).until(then);
        let state = flow.run(&law, now, &law.project(&theta), &mut curve).ok()?.state;
        times.append(&mut curve.times);
        values.append(&mut curve.values);
        theta = law.lift(&state);
        now = then;
    }
    Some((times, values))
}

/// The strength over time, several points in each step of the solver.
#[derive(Default)]
struct Curve {
    times: Vec<f64>,
    values: Vec<f64>,
}

impl Recorder for Curve {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        let step = (to.time - from.time) / f64::from(POINTS);
        times.extend((1..=POINTS).map(|i| from.time + f64::from(i) * step));
        Control::Continue
    }

    fn record(&mut self, moment: &Moment<'_>) {
        // The state is (own, open, used, beta).
        self.times.push(moment.time);
        self.values.push(moment.state[3]);
    }
}

/// All that there are for so many jumps.
pub(crate) fn scalings(jumps: usize) -> Vec<Scaling> {
    let mut all = Vec::new();
    for m in 1..=jumps {
        for x in ["start.scale", "start.size"] {
            for y in ["crossing", "duration"] {
                let source = if m == 1 {
                    "001, after Theorem 3.1: O(1/eps)"
                } else {
                    "ours: jumps chained by what waiting heads keep"
                };
                let law = (Law::Power, -1.0);
                all.push(Scaling::new(
                    (x, format!("{y}.{m}")),
                    law,
                    source,
                    "as the start shrinks",
                ));
            }
        }
    }
    all.push(Scaling::new(
        ("start.escape", "crossing.1"),
        (Law::Power, 1.0),
        "001, after Theorem 3.1, with its constants: T*",
        "as the start shrinks",
    ));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::levels;
    use crate::{Simplified, Task};
    use saddlescope_spec::cases::meeting;

    fn number(prediction: &Prediction) -> f64 {
        match prediction.says {
            Says::Number(number) => number,
            _ => f64::NAN,
        }
    }

    /// With (A0) to (A3) it is the closed form; without (A0) or (A2) flows come to it as the start shrinks.
    #[test]
    fn the_first_jump_of_relaxed_models_is_that_of_the_tangent_law() {
        let task = Task::new(3, 2).unwrap();
        let beta = [0.02, 0.01];
        let time = |shape: &Shape, scale: f64| {
            let start = shape.given_start(&beta.map(|beta| scale * beta), None).unwrap();
            (number(&relaxed_escape(shape, Objective::DotProduct, &start).unwrap()), start)
        };
        let simplified = Shape::new(task, 2, 0.4).unwrap();
        let known = Escape::new(&task, simplified.gain, 0, 1.0 / 3.0).time(beta[0]);
        assert!((time(&simplified, 1.0).0 / known - 1.0).abs() < 1e-6);
        for kept in [
            Simplified { window: false, ..Simplified::ALL },
            Simplified { solution: false, ..Simplified::ALL },
        ] {
            let shape = Shape::relaxed(task, 2, 0.4, kept).unwrap();
            let half = levels(&shape, Objective::DotProduct)[..2].iter().sum::<f64>() / 2.0;
            let off = [2.0, 0.5].map(|scale| {
                let (predicted, start) = time(&shape, scale);
                let landscape = Corpus::exact(shape, Objective::DotProduct).unwrap();
                let field = GradientFlow::new(&landscape);
                let end = meeting(&field, &start, Condition::LossBelow(half)).unwrap();
                1.0 - end.unwrap().time / predicted
            });
            // The rest goes with the start's size.
            assert!(off[1] > 0.0 && off[1] < 0.03 && off[1] < 0.4 * off[0], "{kept:?}: {off:?}");
        }
    }

    /// Strengths of the first jump from 0.1, and of the second head after it, from an independent
    /// implementation: the curve of a head is its law, and changes when another head jumps.
    #[test]
    fn curves_are_those_of_the_laws() {
        let shape = Shape::new(Task::new(4, 4).unwrap(), 3, 0.0).unwrap();
        let start = shape.given_start(&[0.1, 0.03, 0.01], None).unwrap();
        let (times, values) = alone(&shape, &start, 0, &[], 1600.0).unwrap();
        assert!(times.is_sorted() && times.len() > 100);
        assert!((values.last().unwrap() - 3.006_508_449_8).abs() < 1e-5);
        // Alone it would still wait at this time; after the first jump it has passed the mid-level.
        let jumps = [(0, 1503.997)];
        let last = |jumps: &[(usize, f64)]| {
            *alone(&shape, &start, 1, jumps, 2600.0).unwrap().1.last().unwrap()
        };
        assert!(last(&[]) < 0.05 && last(&jumps) > 2.0, "{} {}", last(&[]), last(&jumps));
    }
}
