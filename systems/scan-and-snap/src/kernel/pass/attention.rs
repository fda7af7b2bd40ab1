//! What heads make of counts, and the way back to their logits.

use std::f64::consts::LN_2;

use saddlescope_spec::prelude::*;

use crate::kernel::LANES;
use crate::kernel::pass::{Lanes, Pass, Plan};

impl<S: Scalar> Pass<S> {
    /// The weights of tokens in a head before they are divided by their sum; returns that sum, and the sum of squares.
    #[inline(always)]
    fn weigh(
        raised: &[[S; 2]],
        steep: bool,
        counts: &[[u32; LANES]],
        out: &mut [Lanes<S>],
    ) -> [Lanes<S>; 2] {
        if steep {
            return Self::weigh_steeply(raised, counts, out);
        }
        let [mut total, mut square] = [Lanes::ZERO; 2];
        for i in 0..out.len() {
            let weight = numbers(counts[i]).scaled(raised[i][1]);
            out[i] = weight;
            total += weight;
            square = square.add_product(weight, weight);
        }
        [total, square]
    }

    /// The same above the largest logit that a sequence has seen.
    #[cold]
    #[inline(never)]
    fn weigh_steeply(
        raised: &[[S; 2]],
        counts: &[[u32; LANES]],
        out: &mut [Lanes<S>],
    ) -> [Lanes<S>; 2] {
        for lane in 0..LANES {
            let seen = counts.iter().zip(raised).filter(|(counts, _)| counts[lane] > 0);
            let largest = seen.fold(f64::NEG_INFINITY, |most, (_, [z, _])| most.max(z.to_f64()));
            for ((out, counts), [z, _]) in out.iter_mut().zip(counts).zip(raised) {
                let count = f64::from(counts[lane]);
                let weight =
                    if count > 0.0 { count * elementary::exp2(z.to_f64() - largest) } else { 0.0 };
                out.0[lane] = S::from_f64(weight);
            }
        }
        let [mut total, mut square] = [Lanes::ZERO; 2];
        for &weight in &*out {
            total += weight;
            square = square.add_product(weight, weight);
        }
        [total, square]
    }

    /// The direction of a single head, which is what the decoder sees.
    #[inline(always)]
    pub(crate) fn look_plainly(&mut self, plan: &Plan, counts: &[[u32; LANES]]) {
        let v = &mut self.v[..plan.size];
        let [_, square] = Self::weigh(&self.raised, self.steep, counts, v);
        let share = inverse_root(square);
        for i in 0..plan.size {
            self.x[i] = v[i] * share;
        }
    }

    /// What the decoder sees of several heads, or beside the query; returns one over the two lengths.
    #[inline(always)]
    pub(crate) fn look(&mut self, plan: &Plan, counts: &[[u32; LANES]]) -> [Lanes<S>; 2] {
        let (size, one) = (plan.size, Lanes::splat(S::ONE));
        let f = &mut self.f[..size];
        f.fill(Lanes::ZERO);
        let part = S::from_f64(1.0 / self.heads as f64);
        let heads = self.v.chunks_exact_mut(size).zip(self.raised.chunks_exact(size));
        for (v, raised) in heads.take(self.heads) {
            let [total, _] = Self::weigh(raised, self.steep, counts, v);
            // Lanes without a sequence stay zero.
            let share = one / total.max(Lanes::splat(S::from_f64(1e-37)));
            for (v, f) in v.iter_mut().zip(&mut *f) {
                *v = *v * share;
                *f += v.scaled(part);
            }
        }
        let mut square = Lanes::ZERO;
        f.iter().for_each(|&f| square = square.add_product(f, f));
        let norm = inverse_root(square);
        f.iter_mut().for_each(|f| *f = *f * norm);
        self.x[..size].copy_from_slice(f);
        let mut rho = one;
        // 004, section 7: LN(LN(u) + u_query).
        if let Some(query) = plan.query {
            if query == size {
                self.x[query] = Lanes::ZERO;
            }
            self.x[query] += one;
            let mut square = Lanes::ZERO;
            self.x.iter().for_each(|&x| square = square.add_product(x, x));
            rho = inverse_root(square);
            self.x.iter_mut().for_each(|x| *x = *x * rho);
        }
        [norm, rho]
    }

    /// From errors to logits, sequence by sequence. 004, Lemma 1.
    #[inline(always)]
    pub(crate) fn pull_back(
        &mut self,
        plan: &Plan,
        count: usize,
        total: Lanes<S>,
        [norm, rho]: [Lanes<S>; 2],
    ) {
        let (size, width) = (plan.size, self.width);
        let rows = self.pull.iter_mut().zip(self.y.chunks_exact(width)).take(plan.rows.len());
        for (pull, y) in rows {
            *pull = Lanes::ZERO;
            for (s, outputs) in self.outputs.chunks_exact(width).take(count).enumerate() {
                let mut products = Lanes::ZERO;
                for (&y, &output) in y.iter().zip(outputs) {
                    products = products.add_product(y, output);
                }
                pull.0[s] = products.folded();
            }
            *pull = (*pull * total).scaled(S::from_f64(-LN_2));
        }
        let pull = &mut self.pull[..plan.rows.len()];
        if plan.query.is_some() {
            project(pull, &self.x, rho);
        }
        let pull = &mut pull[..size];
        project(pull, &self.f, norm);
        let heads = self.v.chunks_exact(size).zip(self.by_z.chunks_exact_mut(size));
        for (v, by_z) in heads.take(self.heads) {
            let mut level = Lanes::ZERO;
            v.iter().zip(&*pull).for_each(|(&v, &pull)| level = level.add_product(v, pull));
            for ((&v, &pull), by_z) in v.iter().zip(&*pull).zip(by_z) {
                *by_z = by_z.add_product(v, pull - level);
            }
        }
    }
}

#[inline(always)]
fn numbers<S: Scalar>(counts: [u32; LANES]) -> Lanes<S> {
    let mut out = Lanes::ZERO;
    for lane in 0..LANES {
        out.0[lane] = S::from_f64(f64::from(counts[lane]));
    }
    out
}

/// One over the root; zero where there is nothing.
#[inline(always)]
fn inverse_root<S: Scalar>(square: Lanes<S>) -> Lanes<S> {
    let mut out = square;
    for lane in 0..LANES {
        let root = square.0[lane].sqrt();
        out.0[lane] = S::ONE / if root > S::ZERO { root } else { S::ONE };
    }
    out
}

/// What is left of `pull` beside `direction`, over a length.
#[inline(always)]
fn project<S: Scalar>(pull: &mut [Lanes<S>], direction: &[Lanes<S>], share: Lanes<S>) {
    let mut along = Lanes::ZERO;
    for (&pull, &x) in pull.iter().zip(direction) {
        along = along.add_product(pull, x);
    }
    for (pull, &x) in pull.iter_mut().zip(direction) {
        *pull = (*pull - x * along) * share;
    }
}
