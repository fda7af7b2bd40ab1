//! All layers on one sequence: what they predict, what that costs, and its slopes.

use saddlescope_spec::prelude::*;

use crate::kernel::first::First;
use crate::kernel::second::Second;
use crate::kernel::vectors::{exponentials, never, scale};
use crate::kernel::width::{Job, Number, Width, dispatch};
use crate::matrices::minimal::Minimal;
use crate::task::predictor::padded;

/// The model with its parameters, and scratch for one sequence.
#[derive(Debug)]
pub(crate) struct Pass<S: Scalar> {
    pub(crate) first: First<S>,
    pub(crate) second: Option<Second<S>>,
    query: usize,
    judge: Judge<S>,
}

impl<S: Number> Pass<S> {
    pub(crate) fn new(minimal: &Minimal) -> Self {
        let query = minimal.chain.order - 1;
        let is_deep = minimal.layers > 1;
        Self {
            // A second layer looks at what the first gives to all columns.
            first: First::new(minimal, if is_deep { 0 } else { query }),
            second: is_deep.then(|| Second::new(minimal)),
            query,
            judge: Judge::new(minimal),
        }
    }

    pub(crate) fn load(&mut self, minimal: &Minimal, theta: &[S]) {
        self.first.load(minimal, theta);
        if let Some(second) = &mut self.second {
            second.load(minimal, theta);
        }
    }

    pub(crate) fn clear_slopes(&mut self) {
        self.first.clear_slopes();
        if let Some(second) = &mut self.second {
            second.clear_slopes();
        }
    }

    pub(crate) fn add_slopes(&self, minimal: &Minimal, gradient: &mut [S]) {
        self.first.add_slopes(minimal, gradient);
        if let Some(second) = &self.second {
            second.add_slopes(minimal, gradient);
        }
    }

    pub(crate) fn logits(&self) -> &[S] {
        self.second.as_ref().map_or(&self.first.given, |second| &second.logits)
    }

    pub(crate) fn read(&mut self, sequence: &[u16]) {
        dispatch(Reading {
            first: &mut self.first,
            sequence: Some(sequence),
            judge: None,
            back: false,
        });
        if let Some(second) = &mut self.second {
            second.read(&self.first);
        }
    }

    /// Reads a sequence and adds the slopes of its loss, the summed cross entropy times `share`, which is returned.
    pub(crate) fn learn(&mut self, sequence: &[u16], share: S) -> f64 {
        let Self { first, second, query, judge } = self;
        let targets = &sequence[*query + 1..];
        judge.share = share;
        let Some(second) = second else {
            let judge = Some((&mut *judge, targets));
            return dispatch(Reading { first, sequence: Some(sequence), judge, back: true });
        };
        dispatch(Reading { first, sequence: Some(sequence), judge: None, back: false });
        second.read(first);
        let (logits, slopes) = (&mut second.logits, &mut second.logit_slopes);
        let loss = saddlescope::dispatch!(judge.loss(targets, logits, slopes));
        second.back(first);
        dispatch(Reading { first, sequence: None, judge: None, back: true });
        loss
    }
}

/// What of the layer that reads tokens is to be done, compiled for the vectors of the machine.
struct Reading<'a, S: Scalar> {
    first: &'a mut First<S>,
    sequence: Option<&'a [u16]>,
    judge: Option<(&'a mut Judge<S>, &'a [u16])>,
    back: bool,
}

impl<S: Number> Job for Reading<'_, S> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Width>(self, simd: V) -> f64 {
        let Self { first, sequence, judge, back } = self;
        if let Some(sequence) = sequence {
            first.read(simd, sequence);
        }
        let mut loss = 0.0;
        if let Some((judge, targets)) = judge {
            loss = judge.loss(targets, &mut first.given, &mut first.given_slopes);
        }
        if back {
            first.back(simd);
        }
        loss
    }
}

/// The cross entropy of the next tokens. 000, section 2.4.
#[derive(Debug)]
struct Judge<S> {
    d: usize,
    stride: usize,
    /// Weight of a token in the loss.
    share: S,
    /// Summed exponentials of each query.
    totals: Vec<S>,
}

impl<S: Scalar> Judge<S> {
    fn new(minimal: &Minimal) -> Self {
        let d = minimal.chain.vocabulary;
        let totals = vec![S::ZERO; minimal.chain.length];
        Self { d, stride: padded(d), share: S::ONE, totals }
    }

    /// The loss; its slopes in the logits.
    #[inline(always)]
    fn loss(&mut self, targets: &[u16], logits: &mut [S], slopes: &mut [S]) -> f64 {
        let Self { d, stride, share, .. } = *self;
        let mut hit = S::ZERO;
        for row in logits.chunks_exact_mut(stride) {
            row[d..].fill(never());
        }
        for (t, total) in self.totals.iter_mut().enumerate() {
            let logits = &logits[t * stride..][..stride];
            let slopes = &mut slopes[t * stride..][..stride];
            let target = usize::from(targets[t]);
            let (top, sum) = exponentials(logits, slopes);
            scale(slopes, share / sum);
            slopes[target] -= share;
            hit += logits[target] - top;
            *total = sum;
        }
        let mut loss = S::ZERO;
        for total in &mut self.totals {
            *total = elementary::ln(*total);
        }
        for &total in &self.totals {
            loss += total;
        }
        (loss - hit).to_f64() * share.to_f64()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kernel::width::dispatch_at;
    use crate::{Chain, Group};

    fn widths() -> Vec<pulp::Arch> {
        let mut widths = vec![pulp::Arch::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            widths.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
            widths.extend(pulp::x86::V4::try_new().map(pulp::Arch::V4));
        }
        widths
    }

    fn bits_are_the_same<S: Number>() {
        for (d, length) in [(50, 20), (19, 7)] {
            let features = Chain::orthogonal_features(d, &[3.0], 2);
            let chain = Chain::new(vec![Group::even(&[1, 2])], features, (length, None)).unwrap();
            let minimal = Minimal::new(Arc::new(chain), 3).unwrap();
            let start = minimal.uniform_start(2.0, 1).unwrap();
            let theta: Vec<S> =
                start.iter().enumerate().map(|(i, x)| S::from_f64(x + (i % 7) as f64)).collect();
            let data = minimal.chain.data_set(20, (1, 1));
            let at = |arch: pulp::Arch| {
                let mut pass = Pass::<S>::new(&minimal);
                pass.load(&minimal, &theta);
                let mut losses = Vec::new();
                for sequence in data.chunks_exact(minimal.chain.tokens()) {
                    let judge = Some((&mut pass.judge, &sequence[pass.query + 1..]));
                    let first = &mut pass.first;
                    let job = Reading { first, sequence: Some(sequence), judge, back: true };
                    losses.push(dispatch_at(arch, job).to_bits());
                }
                let mut gradient = vec![S::ZERO; minimal.blocks.len()];
                pass.add_slopes(&minimal, &mut gradient);
                let bits = |x: &S| x.to_f64().to_bits();
                (losses, gradient.iter().map(bits).collect::<Vec<_>>())
            };
            let narrow = at(pulp::Arch::Scalar);
            for arch in widths() {
                assert!(at(arch) == narrow, "{arch:?}, vocabulary {d}");
            }
        }
    }

    #[test]
    fn bits_do_not_depend_on_the_width_of_vectors() {
        bits_are_the_same::<f32>();
        bits_are_the_same::<f64>();
    }
}
