//! Sums over all permutations by a recursion over subsets, stable and with all marginals.
//!
//! With weights `exp(M[h, i])` for "the token of head `h` lies at lag `i`", the sum over permutations is the
//! permanent of `exp(M)`. Rows beyond the heads are ones, so the recursion ends at the last head: it takes
//! `n k 2^(k-1)` products at most instead of `k k!`.

use saddlescope::numeric::dual::Real;

use crate::task::factorial;

/// Which subsets of the lags follow each other, for `k` lags and so many heads.
///
/// Subsets of `h` lags form layer `h`; layers lie one after the other. The first subset of a layer is
/// `{1, ..., h}`, the one on the way of the identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subsets {
    lags: usize,
    heads: usize,
    /// Where each layer begins, and where the last one ends.
    layers: Vec<usize>,
    /// For each subset of layer `h >= 1`, its `h` predecessors: (place, lag that is missing there).
    before: Vec<(u32, u32)>,
    /// For each subset of layer `h < heads`, its `k - h` successors: (place, lag that is new there).
    after: Vec<(u32, u32)>,
}

#[derive(Debug, Clone)]
pub struct Scratch<T> {
    ways_to: Vec<T>,
    ways_from: Vec<T>,
    /// Weight of the identity's beginning after each layer, and of all else that ends in the same subset.
    identity: Vec<T>,
    weights: Vec<T>,
}

/// The query's share of the softmax, and what is left of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share<T> {
    /// `exp(sum_h M[h, h]) / perm(exp M)`.
    pub query: T,
    /// `1 - query`, without cancellation.
    pub rest: T,
}

/// Below this a sum has lost too many of its terms to underflow, and logarithms are taken.
const UNDERFLOW: f64 = 1e-200;

impl Subsets {
    /// The subsets of `lags` lags with up to `heads` members.
    pub fn new(lags: usize, heads: usize) -> Self {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); heads + 1];
        for set in 0..1_u32 << lags {
            let size = set.count_ones() as usize;
            if size <= heads {
                members[size].push(set);
            }
        }
        let mut place = vec![0_u32; 1 << lags];
        let mut layers = vec![0];
        let mut count = 0;
        for layer in &members {
            // In ascending order {1, ..., h} = 2^h - 1 is the first.
            for &set in layer {
                place[set as usize] = count;
                count += 1;
            }
            layers.push(count as usize);
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for &set in members.iter().flatten() {
            for lag in 0..lags as u32 {
                let other = set ^ (1 << lag);
                if set >> lag & 1 == 1 {
                    before.push((place[other as usize], lag));
                } else if (set.count_ones() as usize) < heads {
                    after.push((place[other as usize], lag));
                }
            }
        }
        Self { lags, heads, layers, before, after }
    }

    /// Numbers that [`Subsets`] of that size and their scratch hold, roughly.
    pub fn numbers(lags: usize) -> f64 {
        (lags as f64 + 6.0) * 2.0_f64.powi(lags as i32)
    }

    pub fn scratch<T: Real>(&self) -> Scratch<T> {
        let (zero, count) = (T::constant(0.0), self.layers[self.heads + 1]);
        Scratch {
            ways_to: vec![zero; count],
            ways_from: vec![zero; count],
            identity: vec![zero; 2 * (self.heads + 1)],
            weights: vec![zero; self.heads * self.lags],
        }
    }

    /// The query's share under `exp(M)`; `marginals[h, i]` receives the weight of all permutations with
    /// the token of head `h` at lag `i`, as a part of the permanent. Both are row-major heads x lags.
    #[inline(always)]
    pub fn share<T: Real>(
        &self,
        exponents: &[T],
        scratch: &mut Scratch<T>,
        marginals: &mut [T],
    ) -> Share<T> {
        let k = self.lags;
        for (weights, exponents) in
            scratch.weights.chunks_exact_mut(k).zip(exponents.chunks_exact(k))
        {
            let top = largest(exponents);
            for (weight, &exponent) in weights.iter_mut().zip(exponents) {
                *weight = exponent - T::constant(top);
            }
        }
        for weight in &mut scratch.weights {
            *weight = weight.exp();
        }
        let (whole, rest) = self.forwards(scratch);
        if whole.value() <= UNDERFLOW || whole.value().is_nan() {
            return self.share_in_logarithms(exponents, scratch, marginals);
        }
        let inverse = T::constant(1.0) / whole;
        self.backwards(scratch, inverse, marginals);
        let identity = scratch.identity[2 * self.heads];
        Share { query: identity * inverse, rest: rest * inverse }
    }

    /// Sums the ways to every subset. Returns the permanent, and the permanent without the identity.
    #[inline(always)]
    fn forwards<T: Real>(&self, scratch: &mut Scratch<T>) -> (T, T) {
        let k = self.lags;
        let Scratch { ways_to, identity, weights, .. } = scratch;
        let zero = T::constant(0.0);
        ways_to[0] = T::constant(1.0);
        identity[0] = T::constant(1.0);
        identity[1] = zero;
        let mut before = &self.before[..];
        for h in 0..self.heads {
            let row = &weights[h * k..(h + 1) * k];
            let (first, end) = (self.layers[h + 1], self.layers[h + 2]);
            // The first subset: the identity goes on, or another way ends in the same lags.
            let (own, rest) = before.split_at(h + 1);
            before = rest;
            let mut other = row[h] * identity[2 * h + 1];
            for &(place, lag) in own {
                if lag as usize != h {
                    other += row[lag as usize] * ways_to[place as usize];
                }
            }
            identity[2 * h + 2] = row[h] * identity[2 * h];
            identity[2 * h + 3] = other;
            ways_to[first] = identity[2 * h + 2] + other;
            for place in first + 1..end {
                let (own, rest) = before.split_at(h + 1);
                before = rest;
                let mut sum = zero;
                for &(from, lag) in own {
                    sum += row[lag as usize] * ways_to[from as usize];
                }
                ways_to[place] = sum;
            }
        }
        // The tokens that no head looks for may take the remaining lags in any order.
        let orders = factorial(k - self.heads);
        let last = self.layers[self.heads];
        let (straight, other) = (identity[2 * self.heads], identity[2 * self.heads + 1]);
        let mut rest = other;
        for &ways in &ways_to[last + 1..self.layers[self.heads + 1]] {
            rest += ways;
        }
        let rest = rest * T::constant(orders) + straight * T::constant(orders - 1.0);
        (rest + straight, rest)
    }

    /// Sums the ways from every subset to the end, and the marginals on the way back.
    #[inline(always)]
    fn backwards<T: Real>(&self, scratch: &mut Scratch<T>, inverse: T, marginals: &mut [T]) {
        let k = self.lags;
        let Scratch { ways_to, ways_from, weights, .. } = scratch;
        let zero = T::constant(0.0);
        let end = T::constant(factorial(k - self.heads)) * inverse;
        ways_from[self.layers[self.heads]..].fill(end);
        let mut after = &self.after[..];
        for h in (0..self.heads).rev() {
            let row = &weights[h * k..(h + 1) * k];
            let marginals = &mut marginals[h * k..(h + 1) * k];
            marginals.fill(zero);
            for place in (self.layers[h]..self.layers[h + 1]).rev() {
                let (rest, own) = after.split_at(after.len() - (k - h));
                after = rest;
                let mut sum = zero;
                for &(to, lag) in own {
                    let ways = row[lag as usize] * ways_from[to as usize];
                    sum += ways;
                    marginals[lag as usize] += ways_to[place] * ways;
                }
                ways_from[place] = sum;
            }
        }
    }

    /// The same in logarithms: where heads want the same lag so strongly that all else underflows.
    #[cold]
    #[inline(never)]
    fn share_in_logarithms<T: Real>(
        &self,
        exponents: &[T],
        scratch: &mut Scratch<T>,
        marginals: &mut [T],
    ) -> Share<T> {
        let k = self.lags;
        let Scratch { ways_to, ways_from, .. } = scratch;
        ways_to[0] = T::constant(0.0);
        let mut before = &self.before[..];
        for h in 0..self.heads {
            let row = &exponents[h * k..(h + 1) * k];
            for place in self.layers[h + 1]..self.layers[h + 2] {
                let (own, rest) = before.split_at(h + 1);
                before = rest;
                let term = |&(from, lag): &(u32, u32)| row[lag as usize] + ways_to[from as usize];
                let sum = sum_in_logarithms(own.iter().map(term));
                ways_to[place] = sum;
            }
        }
        let last = self.layers[self.heads]..self.layers[self.heads + 1];
        let orders = T::constant(factorial(k - self.heads)).ln();
        let whole = sum_in_logarithms(ways_to[last.clone()].iter().copied()) + orders;
        ways_from[last].fill(orders - whole);
        let mut after = &self.after[..];
        for h in (0..self.heads).rev() {
            let row = &exponents[h * k..(h + 1) * k];
            let marginals = &mut marginals[h * k..(h + 1) * k];
            marginals.fill(T::constant(0.0));
            for place in (self.layers[h]..self.layers[h + 1]).rev() {
                let (rest, own) = after.split_at(after.len() - (k - h));
                after = rest;
                let term = |&(to, lag): &(u32, u32)| row[lag as usize] + ways_from[to as usize];
                for next in own {
                    marginals[next.1 as usize] += (ways_to[place] + term(next)).exp();
                }
                ways_from[place] = sum_in_logarithms(own.iter().map(term));
            }
        }
        let mut straight = -whole;
        for h in 0..self.heads {
            straight += exponents[h * k + h];
        }
        let query = straight.exp();
        Share { query, rest: T::constant(1.0) - query }
    }
}

#[inline(always)]
fn largest<T: Real>(numbers: &[T]) -> f64 {
    numbers.iter().fold(f64::NEG_INFINITY, |top, number| top.max(number.value()))
}

/// `ln sum exp`.
fn sum_in_logarithms<T: Real>(terms: impl Iterator<Item = T> + Clone) -> T {
    let top = terms.clone().fold(f64::NEG_INFINITY, |top, term| top.max(term.value()));
    let mut sum = T::constant(0.0);
    for term in terms {
        sum += (term - T::constant(top)).exp();
    }
    sum.ln() + T::constant(top)
}

#[cfg(test)]
#[path = "permanent_tests.rs"]
mod tests;
