//! What can be read off a state of a transformer and off its run.

use std::sync::Arc;

use saddlescope::trajectory::Trajectory;
use saddlescope_spec::prelude::*;

use crate::readings::watch::{Measures, Watch};

/// Adds those of a transformer to `all`. Blocks and heads count from 0, and everything is measured on validation sequences,
/// without dropout:
///
/// `valid`, the loss; `positions`, the loss at each position; `entropy.B.H` and `entropy`, of a head's attention and of all;
/// `induction.B.H` and `induction`, the mean weight from a token to the one behind its last occurrence, and the largest of all
/// heads; `lags.B.H`, the mean weight so many tokens back; `map.S.B.H`, the weights on validation sequence `S`, a row for each
/// query; `sharpness`, the largest curvature of the loss on 16 of them. Of the parameters: `norm.p`, the norm of all slopes;
/// `norm.KQ`, that of all key and query matrices; `growth.KQ`, what its square has gained since the start.
pub(crate) fn with(mut all: Observables, watch: &Arc<Watch>, start: &[f64]) -> Observables {
    let of = &watch.model.architecture;
    let (length, heads, count) = (watch.form.length, of.heads, watch.heads());
    all = all
        .with(measured(watch, "valid", &[], |found, value| value[0] = found.loss))
        .with(measured(watch, "positions", &[length], |found, value| {
            value.copy_from_slice(&found.positions);
        }))
        .with(measured(watch, "entropy", &[], |found, value| {
            value[0] = found.attention.mean_entropy();
        }))
        .with(measured(watch, "induction", &[], |found, value| {
            value[0] = found.attention.largest_induction();
        }));
    for head in 0..count {
        let name = |what: &str| format!("{what}.{}.{}", head / heads, head % heads);
        all = all
            .with(measured(watch, name("entropy"), &[], move |found, value| {
                value[0] = found.attention.entropy(head);
            }))
            .with(measured(watch, name("induction"), &[], move |found, value| {
                value[0] = found.attention.induction(head);
            }))
            .with(measured(watch, name("lags"), &[length], move |found, value| {
                let each = value.iter_mut().enumerate();
                each.for_each(|(lag, value)| *value = found.attention.lag(head, lag));
            }));
        for sequence in 0..watch.maps {
            let (name, size) = (name(&format!("map.{sequence}")), length * length);
            all = all.with(measured(watch, name, &[length, length], move |found, value| {
                value.copy_from_slice(&found.maps[(sequence * count + head) * size..][..size]);
            }));
        }
    }
    let sharp = Arc::clone(watch);
    all = all.with(Observable::scalar("sharpness", move |moment: &Moment<'_>| {
        sharp.sharpness(moment.state).unwrap_or(f64::NAN)
    }));
    with_norms(all, &watch.model.blocks, start)
}

/// Numbers that `write` reads off what was measured.
fn measured(
    watch: &Arc<Watch>,
    name: impl Into<String>,
    shape: &[usize],
    write: impl Fn(&Measures, &mut [f64]) + Send + Sync + 'static,
) -> Observable {
    let watch = Arc::clone(watch);
    Observable::new(name, shape, move |moment, value| match watch.measure(moment.state) {
        Some(found) => write(&found, value),
        None => value.fill(f64::NAN),
    })
}

fn with_norms(mut all: Observables, blocks: &Blocks, start: &[f64]) -> Observables {
    let ranges = |parts: &[&str]| -> Vec<std::ops::Range<usize>> {
        let fits = |name: &str| parts.iter().any(|part| name.ends_with(part));
        blocks.iter().filter(|block| fits(&block.name)).map(|block| block.range()).collect()
    };
    let square = |ranges: &[std::ops::Range<usize>], state: &[f64]| -> f64 {
        ranges.iter().flat_map(|range| &state[range.clone()]).map(|entry| entry * entry).sum()
    };
    let slopes = ranges(&[".slopes"]);
    if !slopes.is_empty() {
        let norm = move |moment: &Moment<'_>| square(&slopes, moment.state).sqrt();
        all = all.with(Observable::scalar("norm.p", norm));
    }
    let matrices = ranges(&[".W_K", ".W_Q"]);
    let (first, same) = (square(&matrices, start), matrices.clone());
    let norm = move |moment: &Moment<'_>| square(&matrices, moment.state).sqrt();
    all = all.with(Observable::scalar("norm.KQ", norm));
    let growth = move |moment: &Moment<'_>| square(&same, moment.state) - first;
    all.with(Observable::scalar("growth.KQ", growth))
}

pub(crate) const OUTCOMES: [&str; 5] = ["valid", "entropy", "induction", "half.p", "half.KQ"];

/// `valid`, `entropy` and `induction` at the end; `half.p` and `half.KQ`, the first recorded step at which `norm.p` and `growth.KQ`
/// have come half of their way to the end, where these were recorded.
pub(crate) fn outcomes(watch: &Watch, seen: RunData<'_>) -> Vec<Outcome> {
    let mut all = Vec::new();
    for (name, series) in [("half.p", "norm.p"), ("half.KQ", "growth.KQ")] {
        if let Some(step) = half_way(seen.trajectory, series) {
            all.push(Outcome::new(name, step));
        }
    }
    let whole = seen.state.len() == watch.model.blocks.len();
    if let Some(found) = Some(seen.state).filter(|_| whole).and_then(|state| watch.measure(state)) {
        all.push(Outcome::new("valid", found.loss));
        all.push(Outcome::new("entropy", found.attention.mean_entropy()));
        all.push(Outcome::new("induction", found.attention.largest_induction()));
    }
    all
}

/// The first recorded step at which a column has come half of its way from its first value to its last.
pub fn half_way(trajectory: &Trajectory, column: &str) -> Option<f64> {
    let values = trajectory.get(column)?.data();
    let (first, last) = (*values.first()?, *values.last()?);
    let there = |value: &f64| (value - first) / (last - first) >= 0.5;
    let row = values.iter().position(there)?;
    Some(trajectory.step()[row] as f64)
}
