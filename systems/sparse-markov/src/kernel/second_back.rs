//! The second layer backwards: from slopes in the logits to those in its matrices, and in what the first layer gives.

use saddlescope::Scalar;
use saddlescope::numeric::packed::Lanes;

use crate::kernel::first::First;
use crate::kernel::product::{Rows, add_product};
use crate::kernel::second::{Second, Shape};
use crate::kernel::vectors::{WIDE, add, get, put, transpose};
use crate::kernel::width::Number;

impl<S: Number> Second<S> {
    /// From slopes in the logits of the last sequence to sums of slopes in the matrices, and slopes in what is below.
    pub(crate) fn back(&mut self, below: &mut First<S>) {
        let Shape { d, rows, n, first, queries, tokens, places, asked: turn, .. } = self.shape;
        let column = self.shape.column();
        let columns = Rows { numbers: &self.columns, stride: tokens };
        let turned_columns = Rows { numbers: &self.turned, stride: places };
        let logits = Rows { numbers: &self.logit_slopes, stride: tokens };
        let back = &mut self.back;
        self.column_slopes.fill(S::ZERO);
        let all = self.weights.iter().zip(&self.sights).zip(&mut self.slopes);
        for ((weights, sight), (score_slopes, value_slopes)) in all {
            // z_p = W m_p, with m_p = sum_j b_jp y_j.
            let seen = Rows { numbers: &sight.seen, stride: tokens };
            transpose(seen, (queries, d), (&mut back.turned, turn, 0));
            let turned = Rows { numbers: &back.turned, stride: turn };
            add_product((value_slopes, tokens), (d, queries, tokens), turned, logits);
            back.seen.fill(S::ZERO);
            let matrix = Rows { numbers: &weights.values, stride: tokens };
            add_product((&mut back.seen, tokens), (queries, d, tokens), logits, matrix);
            let seen = Rows { numbers: &back.seen, stride: tokens };
            let shares = Rows { numbers: &sight.shares, stride: places };
            transpose(shares, (queries, n), (&mut back.turned, turn, 0));
            let turned = Rows { numbers: &back.turned, stride: turn };
            add_product((&mut self.column_slopes, tokens), (n, queries, tokens), turned, seen);
            back.shares.fill(S::ZERO);
            add_product((&mut back.shares, places), (queries, d, places), seen, turned_columns);
            // b_jp = softmax of the scores.
            let slopes =
                back.shares.chunks_exact_mut(places).zip(sight.shares.chunks_exact(places));
            for (slopes, shares) in slopes {
                saddlescope::dispatch!(softmax_back(shares, slopes));
            }
            // The scores are x_j . u_p, with u_p = B x_p.
            let scores = Rows { numbers: &back.shares, stride: places };
            transpose(scores, (queries, n), (&mut back.turned, turn, 0));
            let turned = Rows { numbers: &back.turned, stride: turn };
            let asked = Rows { numbers: &sight.asked, stride: column };
            add_product((&mut self.column_slopes, tokens), (n, queries, tokens), turned, asked);
            let by_query = back.asked.chunks_exact_mut(column);
            for (asked, scores) in by_query.zip(back.shares.chunks_exact(places)) {
                asked[..tokens].fill(S::ZERO);
                asked[tokens..].copy_from_slice(scores);
            }
            add_product((&mut back.asked, column), (queries, n, tokens), scores, columns);
            let asked = Rows { numbers: &back.asked, stride: column };
            let queried = Rows { numbers: &self.turned[first..], stride: places };
            add_product((score_slopes, column), (d, queries, column), queried, asked);
            let of_places = &mut score_slopes[(rows + first) * column..][..queries * column];
            for at in (0..queries * column).step_by(WIDE) {
                add(of_places, at, get::<S, WIDE>(&back.asked, at));
            }
            let matrix = Rows { numbers: &weights.keys, stride: tokens };
            let query_slopes = &mut self.column_slopes[first * tokens..];
            add_product((query_slopes, tokens), (queries, tokens + n, tokens), asked, matrix);
        }
        // y_j = e_{c_j} + z_j.
        let slopes = below.given_slopes.chunks_exact_mut(below.layout.token_stride);
        for (to, from) in slopes.zip(self.column_slopes.chunks_exact(tokens)).take(n) {
            to.copy_from_slice(from);
        }
    }
}

/// Slopes in the shares of a query become slopes in its scores.
#[inline(always)]
fn softmax_back<S: Scalar>(shares: &[S], slopes: &mut [S]) {
    let mut mean = [S::ZERO; WIDE];
    for at in (0..shares.len()).step_by(WIDE) {
        let (share, slope) = (get::<S, WIDE>(shares, at), get::<S, WIDE>(slopes, at));
        for lane in 0..WIDE {
            mean[lane] += share[lane] * slope[lane];
        }
    }
    let mean = Lanes(mean).folded();
    for at in (0..shares.len()).step_by(WIDE) {
        let (share, mut slope) = (get::<S, WIDE>(shares, at), get::<S, WIDE>(slopes, at));
        for lane in 0..WIDE {
            slope[lane] = share[lane] * (slope[lane] - mean);
        }
        put(slopes, at, slope);
    }
}
