//! Forward and back through the transformer, for eight sequences side by side.
//!
//! Only what the last position needs is computed: the first layer at all positions but the first, the second layer at
//! the last. Tokens are data, so that nothing flows back to them.

use saddlescope::dispatch;

use super::folded::{Folded, FoldedHead};
use super::{Lanes, Matrices};
use crate::{Partial, Reduction, Task};

#[derive(Debug, Clone)]
pub(super) struct Work {
    /// `x_i`, `L x D`.
    tokens: Vec<Lanes>,
    /// `z_i` after the first layer, `L x 2D`, and the loss's slopes in them.
    positions: Vec<Lanes>,
    position_slopes: Vec<Lanes>,
    /// What the first layer sees from each position: shares of the positions before it, row after row, and the mean.
    shares: Vec<Lanes>,
    seen: Vec<Lanes>,
    /// The same for the heads of the second layer at the last position.
    second: [Sight; 2],
    /// What a position asks with, `W_K^T W_Q z`, in the first layer and in the target.
    asked: Vec<Lanes>,
    /// Slopes in what is asked and in what is seen.
    asked_slope: Vec<Lanes>,
    seen_slope: Vec<Lanes>,
    /// Slopes in the scores that one position gives.
    score_slopes: Vec<Lanes>,
    target_shares: Vec<Lanes>,
    pub(super) answer: Vec<Lanes>,
    target: Vec<Lanes>,
}

/// What a head sees.
#[derive(Debug, Clone)]
struct Sight {
    asked: Vec<Lanes>,
    shares: Vec<Lanes>,
    seen: Vec<Lanes>,
}

impl Work {
    /// Puts the tokens of one sequence into a lane.
    pub(super) fn put(&mut self, lane: usize, sequence: &[f64]) {
        for (slot, &number) in self.tokens.iter_mut().zip(sequence) {
            slot.0[lane] = number;
        }
    }

    /// Empties the lanes: sequences of zeros, which are answered by zeros as they should be, and have no slopes.
    pub(super) fn clear(&mut self) {
        self.tokens.fill(Lanes::ZERO);
    }
}

impl Matrices {
    pub(super) fn pass_work(&self) -> Work {
        let (d, n, length) = (self.task.dimension, self.width(), self.task.length);
        let zeros = |count: usize| vec![Lanes::ZERO; count];
        let sight = || Sight { asked: zeros(n), shares: zeros(self.task.places()), seen: zeros(n) };
        Work {
            tokens: zeros(length * d),
            positions: zeros(length * n),
            position_slopes: zeros(length * n),
            shares: zeros(length * (length - 1) / 2),
            seen: zeros(length * d),
            second: [sight(), sight()],
            asked: zeros(d),
            asked_slope: zeros(n),
            seen_slope: zeros(n),
            score_slopes: zeros(length),
            target_shares: zeros(self.task.places()),
            answer: zeros(n),
            target: zeros(n),
        }
    }

    /// The summed losses of the sequences in `work`; their slopes are added to `slopes`, where those are wanted.
    pub(super) fn group(
        &self,
        folded: &Folded<f64>,
        work: &mut Work,
        slopes: Option<&mut Folded<Lanes>>,
    ) -> Partial {
        match self.task.dimension {
            // A constant that the loops are unrolled with.
            1 => dispatch!(self.group_of(1, folded, work, slopes)),
            d => dispatch!(self.group_of(d, folded, work, slopes)),
        }
    }

    #[inline(always)]
    fn group_of(
        &self,
        d: usize,
        folded: &Folded<f64>,
        work: &mut Work,
        slopes: Option<&mut Folded<Lanes>>,
    ) -> Partial {
        self.forward(d, folded, work);
        set_target(&self.task, d, work);
        let loss = self.judge(d, work);
        if let Some(slopes) = slopes {
            self.second_back(d, folded, work, slopes);
            first_back(d, &folded[0], work, &mut slopes[0]);
        }
        loss
    }

    #[inline(always)]
    pub(super) fn forward(&self, d: usize, folded: &Folded<f64>, work: &mut Work) {
        let (n, length) = (2 * d, self.task.length);
        let [first, second @ ..] = folded;
        first_layer(d, first, work);
        let (looked, last) = work.positions.split_at((length - 1) * n);
        let looked = &looked[n..];
        work.answer.fill(Lanes::ZERO);
        for (head, sight) in second.iter().zip(&mut work.second) {
            times_left(&head.meeting, last, &mut sight.asked);
            softmax(n, looked, &sight.asked, head.p, &mut sight.shares);
            average(n, looked, &sight.shares, &mut sight.seen);
            add_times(&head.value, &sight.seen, &mut work.answer);
        }
    }

    /// The loss; the answer becomes the loss's slope in it.
    #[inline(always)]
    fn judge(&self, d: usize, work: &mut Work) -> Partial {
        let scale = match self.task.reduction {
            Reduction::Sum => 1.0,
            Reduction::Mean => 1.0 / d as f64,
        };
        let mut squares = [0.0; 2];
        for (i, (answer, &target)) in work.answer.iter_mut().zip(&work.target).enumerate() {
            let error = *answer - target;
            squares[i / d] += (error * error).sum();
            *answer = error * scale;
        }
        let [gram, induction] = squares.map(|squares| 0.5 * scale * squares);
        Partial { gram, induction }
    }

    /// From the slopes in the answer to those in the second layer and in all positions.
    #[inline(always)]
    fn second_back(
        &self,
        d: usize,
        folded: &Folded<f64>,
        work: &mut Work,
        slopes: &mut Folded<Lanes>,
    ) {
        let (n, length) = (2 * d, self.task.length);
        let (looked, last) = work.positions.split_at((length - 1) * n);
        let looked = &looked[n..];
        work.position_slopes.fill(Lanes::ZERO);
        let (looked_slopes, last_slope) = work.position_slopes.split_at_mut((length - 1) * n);
        let looked_slopes = &mut looked_slopes[n..];
        let heads = folded[1..].iter().zip(&mut slopes[1..]).zip(&work.second);
        for ((head, slopes), sight) in heads {
            add_outer(&mut slopes.value, &work.answer, &sight.seen);
            times_left(&head.value, &work.answer, &mut work.seen_slope);
            let at = (&sight.shares[..], &sight.seen[..], &work.seen_slope[..]);
            let scores = &mut work.score_slopes[..sight.shares.len()];
            slopes.p += softmax_back(n, looked, at, scores, &mut work.asked_slope);
            let rows = sight.shares.iter().zip(&*scores).zip(looked_slopes.chunks_exact_mut(n));
            for ((&share, &score), row) in rows {
                for a in 0..n {
                    row[a] += share * work.seen_slope[a] + score * sight.asked[a];
                }
            }
            add_outer(&mut slopes.meeting, last, &work.asked_slope);
            add_times(&head.meeting, &work.asked_slope, last_slope);
        }
    }
}

/// `X1 = X0 + SA(X0)`. The first position attends to nothing and gets nothing.
#[inline(always)]
fn first_layer(d: usize, head: &FoldedHead<f64>, work: &mut Work) {
    let (n, tokens) = (2 * d, &work.tokens);
    let mut row = 0;
    let positions = work.positions.chunks_exact_mut(n).zip(work.seen.chunks_exact_mut(d));
    for (i, (position, seen)) in positions.enumerate() {
        let (before, own) = tokens.split_at(i * d);
        let own = &own[..d];
        position[..d].copy_from_slice(own);
        position[d..].fill(Lanes::ZERO);
        if i == 0 {
            continue;
        }
        let shares = &mut work.shares[row..row + i];
        times_left(&head.meeting, own, &mut work.asked);
        softmax(d, before, &work.asked, head.p, shares);
        average(d, before, shares, seen);
        add_times(&head.value, seen, position);
        row += i;
    }
}

/// From the slopes in the positions to those in the first layer.
#[inline(always)]
fn first_back(d: usize, head: &FoldedHead<f64>, work: &mut Work, slopes: &mut FoldedHead<Lanes>) {
    let n = 2 * d;
    let (seen_slope, asked_slope) = (&mut work.seen_slope[..d], &mut work.asked_slope[..d]);
    let mut row = 0;
    let positions = work.position_slopes.chunks_exact(n).zip(work.seen.chunks_exact(d));
    for (i, (slope, seen)) in positions.enumerate().skip(1) {
        let (before, own) = work.tokens.split_at(i * d);
        add_outer(&mut slopes.value, slope, seen);
        times_left(&head.value, slope, seen_slope);
        let at = (&work.shares[row..row + i], seen, &*seen_slope);
        let scores = &mut work.score_slopes[..i];
        slopes.p += softmax_back(d, before, at, scores, asked_slope);
        add_outer(&mut slopes.meeting, &own[..d], asked_slope);
        row += i;
    }
}

/// The mixed target, 002, Eq. (2): `g* x_{L-2}` and `h* sum_s x_s softmax(w*^2 x_L . x_{s-1})`, `s = 2..L-1`.
#[inline(always)]
fn set_target(task: &Task, d: usize, work: &mut Work) {
    let (places, length) = (task.places(), task.length);
    let (gram, induction) = work.target.split_at_mut(d);
    for a in 0..d {
        gram[a] = work.tokens[(length - 3) * d + a] * task.gram_weight();
        work.asked[a] = work.tokens[(length - 1) * d + a] * task.product();
    }
    softmax(d, &work.tokens[..places * d], &work.asked, 0.0, &mut work.target_shares);
    average(d, &work.tokens[d..][..places * d], &work.target_shares, induction);
    induction.iter_mut().for_each(|x| *x = *x * task.induction_weight());
}

/// `softmax_j(asked . z_j - p distance_j)` over `positions` of `width` coordinates; the last has distance 0.
#[inline(always)]
fn softmax(width: usize, positions: &[Lanes], asked: &[Lanes], p: f64, shares: &mut [Lanes]) {
    let (last, asked) = (shares.len() - 1, &asked[..width]);
    let mut largest = Lanes::splat(f64::NEG_INFINITY);
    let pairs = shares.iter_mut().zip(positions.chunks_exact(width));
    for (j, (share, position)) in pairs.enumerate() {
        let mut score = Lanes::splat(-p * (last - j) as f64);
        for a in 0..width {
            score += asked[a] * position[a];
        }
        *share = score;
        largest = largest.max(score);
    }
    let mut total = Lanes::ZERO;
    for share in &mut *shares {
        *share = (*share - largest).exp();
        total += *share;
    }
    let scale = Lanes::splat(1.0) / total;
    shares.iter_mut().for_each(|share| *share = *share * scale);
}

/// `sum_j share_j z_j`.
#[inline(always)]
fn average(width: usize, positions: &[Lanes], shares: &[Lanes], seen: &mut [Lanes]) {
    let seen = &mut seen[..width];
    seen.fill(Lanes::ZERO);
    for (&share, position) in shares.iter().zip(positions.chunks_exact(width)) {
        for a in 0..width {
            seen[a] += share * position[a];
        }
    }
}

/// From the slopes in what is seen to those in the scores, in what was asked and in `p`, which is returned.
#[inline(always)]
fn softmax_back(
    width: usize,
    positions: &[Lanes],
    (shares, seen, seen_slope): (&[Lanes], &[Lanes], &[Lanes]),
    scores: &mut [Lanes],
    asked_slope: &mut [Lanes],
) -> Lanes {
    let (last, asked_slope) = (shares.len() - 1, &mut asked_slope[..width]);
    let (seen, seen_slope) = (&seen[..width], &seen_slope[..width]);
    asked_slope.fill(Lanes::ZERO);
    let mut by_p = Lanes::ZERO;
    let pairs = shares.iter().zip(scores).zip(positions.chunks_exact(width));
    for (j, ((&share, score), position)) in pairs.enumerate() {
        let mut slope = Lanes::ZERO;
        for a in 0..width {
            slope += (position[a] - seen[a]) * seen_slope[a];
        }
        let slope = slope * share;
        for a in 0..width {
            asked_slope[a] += slope * position[a];
        }
        by_p += slope * -((last - j) as f64);
        *score = slope;
    }
    by_p
}

/// `out = matrix^T vector`.
#[inline(always)]
fn times_left(matrix: &[f64], vector: &[Lanes], out: &mut [Lanes]) {
    let columns = matrix.len() / vector.len();
    let out = &mut out[..columns];
    out.fill(Lanes::ZERO);
    for (row, &number) in matrix.chunks_exact(columns).zip(vector) {
        for b in 0..columns {
            out[b] += number * row[b];
        }
    }
}

/// `out += matrix vector`.
#[inline(always)]
fn add_times(matrix: &[f64], vector: &[Lanes], out: &mut [Lanes]) {
    for (row, out) in matrix.chunks_exact(vector.len()).zip(out) {
        for (&entry, &number) in row.iter().zip(vector) {
            *out += number * entry;
        }
    }
}

/// `matrix += left right^T`.
#[inline(always)]
fn add_outer(matrix: &mut [Lanes], left: &[Lanes], right: &[Lanes]) {
    for (row, &left) in matrix.chunks_exact_mut(right.len()).zip(left) {
        for (entry, &right) in row.iter_mut().zip(right) {
            *entry += left * right;
        }
    }
}
