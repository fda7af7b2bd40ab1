//! Reading out a large vocabulary: tiles that stay in the cache, with the slopes taken on the same way.
//!
//! A tile of logits is exponentiated against the running maximum of its rows, is multiplied back into the slopes of the rows at
//! once (their normaliser divides at the end), and waits for the normaliser to give the slopes of the matrix: three products in
//! all, and only exponentials of a few hundred rows are ever stored. Sheaves of tiles go to different threads; each owns its
//! columns of the matrix, so nothing is added across threads but a few rows in a fixed order.

use faer::MatMut;
use rayon::prelude::*;
use saddlescope::Scalar;

use crate::kernel::product::{self, Real, matrix, matrix_mut};
use crate::kernel::readout::{Readout, Rows};
use crate::kernel::rows::{add_scaled, add_to_rows, sum};

const TILE: usize = 512;

/// Sheaves of tiles: as many threads can work on them.
const SHEAVES: usize = 16;

/// Vocabularies above are read out in tiles.
pub(crate) const FROM: usize = 2048;

#[derive(Debug)]
struct Sheaf<S> {
    /// Columns of the matrix.
    first: usize,
    columns: usize,
    /// Exponentials, tile after tile, the rows of a tile one after the other.
    exponentials: Vec<S>,
    /// For each tile and row: what exponents are counted from.
    zeros: Vec<S>,
    /// For each row, so far: what exponents are counted from, and the sum of exponentials.
    zero: Vec<S>,
    total: Vec<f64>,
    /// The sum of exponentials times columns.
    mean: Vec<S>,
    /// For each row, what the exponentials of a tile are multiplied by; and the rows times that.
    factors: Vec<S>,
    scaled: Vec<S>,
    /// The logit of the target, where it is here.
    target: Vec<Option<S>>,
}

#[derive(Debug)]
pub(crate) struct WideWork<S> {
    sheaves: Vec<Sheaf<S>>,
}

impl<S: Real> WideWork<S> {
    pub(crate) fn new(rows: usize, width: usize, vocabulary: usize) -> Self {
        let tiles = vocabulary.div_ceil(TILE);
        let each = tiles.div_ceil(SHEAVES) * TILE;
        let sheaf = |first: usize| {
            let columns = each.min(vocabulary - first);
            Sheaf {
                first,
                columns,
                exponentials: vec![S::ZERO; rows * columns],
                zeros: vec![S::ZERO; rows * columns.div_ceil(TILE)],
                zero: vec![S::ZERO; rows],
                total: vec![0.0; rows],
                mean: vec![S::ZERO; rows * width],
                factors: vec![S::ZERO; rows],
                scaled: vec![S::ZERO; rows * width],
                target: vec![None; rows],
            }
        };
        Self { sheaves: (0..vocabulary).step_by(each).map(sheaf).collect() }
    }

    /// Writes `-ln p` of every target.
    pub(crate) fn losses(&mut self, of: Rows<'_, S>, readout: Readout<'_, S>, losses: &mut [f64]) {
        self.sheaves.par_iter_mut().for_each(|sheaf| sheaf.forward(of, readout, false));
        for (row, loss) in losses[..of.targets.len()].iter_mut().enumerate() {
            *loss = self.logarithm(row) - self.target(row);
        }
    }

    /// The same, with the slopes of `share` times their sum: of the rows, and added to those of matrix and bias.
    pub(crate) fn learn(
        &mut self,
        of: Rows<'_, S>,
        readout: Readout<'_, S>,
        share: f64,
        (weight_slopes, bias_slopes): (MatMut<'_, S>, Option<&mut [S]>),
        row_slopes: &mut [S],
    ) -> f64 {
        self.sheaves.par_iter_mut().for_each(|sheaf| sheaf.forward(of, readout, true));
        let (count, d) = (of.targets.len(), of.width);
        let logarithms: Vec<f64> = (0..count).map(|row| self.logarithm(row)).collect();
        let loss = (0..count).map(|row| logarithms[row] - self.target(row)).sum();
        let mut rest = (weight_slopes, bias_slopes);
        let mut parts = Vec::with_capacity(self.sheaves.len());
        for sheaf in &self.sheaves {
            let (weights, more) = rest.0.split_at_col_mut(sheaf.columns);
            let (biases, more_biases) = match rest.1 {
                None => (None, None),
                Some(biases) => {
                    let (biases, more) = biases.split_at_mut(sheaf.columns);
                    (Some(biases), Some(more))
                }
            };
            parts.push((weights, biases));
            rest = (more, more_biases);
        }
        self.sheaves.par_iter_mut().zip(parts).for_each(|(sheaf, (weights, biases))| {
            sheaf.back(of, (&logarithms, share), weights, biases);
        });
        for (row, slopes) in row_slopes[..count * d].chunks_exact_mut(d).enumerate() {
            slopes.fill(S::ZERO);
            for sheaf in &self.sheaves {
                let factor = share * (sheaf.zero[row].to_f64() - logarithms[row]).exp();
                let mean = &sheaf.mean[row * d..][..d];
                add_scaled(slopes, S::from_f64(factor), mean);
            }
            let column = readout.weight.col(of.targets[row] as usize);
            for (slope, &weight) in slopes.iter_mut().zip(column.iter()) {
                *slope -= S::from_f64(share) * weight;
            }
        }
        loss
    }

    /// The logarithm of the sum of all exponentials of a row.
    fn logarithm(&self, row: usize) -> f64 {
        let zero = |sheaf: &Sheaf<S>| sheaf.zero[row].to_f64();
        let most = self.sheaves.iter().map(zero).fold(f64::NEG_INFINITY, f64::max);
        let part = |sheaf: &Sheaf<S>| sheaf.total[row] * (zero(sheaf) - most).exp();
        most + self.sheaves.iter().map(part).sum::<f64>().ln()
    }

    fn target(&self, row: usize) -> f64 {
        let found = self.sheaves.iter().find_map(|sheaf| sheaf.target[row]);
        found.map_or(f64::NAN, Scalar::to_f64)
    }
}

impl<S: Real> Sheaf<S> {
    /// Exponentials of all tiles, their sums, and where slopes are wanted their products with the columns.
    fn forward(&mut self, of: Rows<'_, S>, readout: Readout<'_, S>, slopes: bool) {
        let (rows, d) = (of.targets.len(), of.width);
        self.total[..rows].fill(0.0);
        self.mean[..rows * d].fill(S::ZERO);
        self.target[..rows].fill(None);
        for (index, from) in (0..self.columns).step_by(TILE).enumerate() {
            let columns = TILE.min(self.columns - from);
            // Without slopes nothing has to be kept.
            let at = if slopes { from * rows } else { 0 };
            let tile = &mut self.exponentials[at..][..rows * columns];
            let weight = readout.weight.subcols(self.first + from, columns);
            product::set(matrix_mut(tile, rows, columns), matrix(of.rows, rows, d), weight);
            if let Some(bias) = readout.bias {
                add_to_rows(tile, &bias[self.first + from..][..columns]);
            }
            for (row, column) in targets_in(of.targets, self.first + from, columns) {
                self.target[row] = Some(tile[row * columns + column]);
            }
            let zeros = &mut self.zeros[index * rows..][..rows];
            let running = (&mut self.zero[..rows], &mut self.total[..rows]);
            let mean = &mut self.mean[..rows * d];
            saddlescope::dispatch!(exponentiate(tile, columns, index == 0, running, zeros, mean));
            if slopes {
                let tile = matrix(tile, rows, columns);
                product::add(matrix_mut(mean, rows, d), tile, weight.transpose());
            }
        }
    }

    /// Adds the slopes of the columns.
    fn back(
        &mut self,
        of: Rows<'_, S>,
        (logarithms, share): (&[f64], f64),
        mut weights: MatMut<'_, S>,
        mut biases: Option<&mut [S]>,
    ) {
        let (rows, d) = (of.targets.len(), of.width);
        let factors = &mut self.factors[..rows];
        for (index, from) in (0..self.columns).step_by(TILE).enumerate() {
            let columns = TILE.min(self.columns - from);
            let zeros = &self.zeros[index * rows..][..rows];
            for ((factor, zero), logarithm) in factors.iter_mut().zip(zeros).zip(logarithms) {
                *factor = S::from_f64(share * (zero.to_f64() - logarithm).exp());
            }
            let tile = &mut self.exponentials[from * rows..][..rows * columns];
            let scaled = &mut self.scaled[..rows * d];
            saddlescope::dispatch!(scale_rows(of.rows, factors, scaled));
            let mut weights = weights.as_mut().subcols_mut(from, columns);
            let scaled = matrix(scaled, rows, d);
            product::add(weights.as_mut(), scaled.transpose(), matrix(tile, rows, columns));
            let first = self.first + from;
            for (row, column) in targets_in(of.targets, first, columns) {
                let slopes = weights.as_mut().col_mut(column);
                for (slope, &number) in slopes.iter_mut().zip(&of.rows[row * d..][..d]) {
                    *slope -= S::from_f64(share) * number;
                }
            }
            if let Some(biases) = &mut biases {
                let biases = &mut biases[from..from + columns];
                for (row, factor) in tile.chunks_exact(columns).zip(&*factors) {
                    add_scaled(biases, *factor, row);
                }
                for (_, column) in targets_in(of.targets, first, columns) {
                    biases[column] -= S::from_f64(share);
                }
            }
        }
    }
}

/// Rows whose target is one of the `columns` from number `first` on, with its place among these.
fn targets_in(
    targets: &[u32],
    first: usize,
    columns: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let place = move |(row, &target): (usize, &u32)| {
        let column = (target as usize).checked_sub(first).filter(|&column| column < columns)?;
        Some((row, column))
    };
    targets.iter().enumerate().filter_map(place)
}

/// Logits become exponentials above the largest logit so far; what was counted from a smaller one is brought in line.
#[inline(always)]
fn exponentiate<S: Real>(
    tile: &mut [S],
    columns: usize,
    first: bool,
    (zero, total): (&mut [S], &mut [f64]),
    zeros: &mut [S],
    mean: &mut [S],
) {
    let d = mean.len() / zero.len();
    for (row, logits) in tile.chunks_exact_mut(columns).enumerate() {
        let mut most = [logits[0]; 16];
        let (wholes, rest) = logits.as_chunks::<16>();
        for logits in wholes {
            for lane in 0..16 {
                most[lane] = if logits[lane] > most[lane] { logits[lane] } else { most[lane] };
            }
        }
        let mut top = most[0];
        for &logit in most.iter().chain(rest) {
            top = if logit > top { logit } else { top };
        }
        if first {
            zero[row] = top;
        } else if top > zero[row] {
            let factor = (zero[row] - top).exp();
            total[row] *= factor.to_f64();
            for number in &mut mean[row * d..][..d] {
                *number *= factor;
            }
            zero[row] = top;
        }
        zeros[row] = zero[row];
        for logit in &mut *logits {
            *logit = (*logit - zero[row]).exp();
        }
        total[row] += sum(logits, logits, |number, _| number).to_f64();
    }
}

#[inline(always)]
fn scale_rows<S: Real>(rows: &[S], factors: &[S], out: &mut [S]) {
    let d = out.len() / factors.len().max(1);
    let each = rows.chunks_exact(d).zip(factors).zip(out.chunks_exact_mut(d));
    for ((row, &factor), out) in each {
        for (out, &number) in out.iter_mut().zip(row) {
            *out = number * factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::readout;

    /// Rows, a matrix and a bias of made-up numbers, with a few large ones so that maxima move from tile to tile.
    fn made_up(count: usize, scale: f64) -> Vec<f64> {
        (0..count).map(|i| scale * (1.0 + 0.7 * i as f64 + 1e-3 * (i * i) as f64).sin()).collect()
    }

    #[test]
    fn tiles_give_what_all_at_once_gives() {
        let (rows, d, v) = (13, 6, 3 * TILE * SHEAVES / 2 + 77);
        let numbers = made_up(rows * d, 2.0);
        let weight = made_up(d * v, 3.0);
        let bias = made_up(v, 1.0);
        let targets: Vec<u32> = (0..rows as u32).map(|row| row * 997 % v as u32).collect();
        let of = Rows { rows: &numbers, width: d, targets: &targets };
        for bias in [None, Some(&bias[..])] {
            let readout = Readout { weight: matrix(&weight, d, v), bias };
            let mut logs = vec![0.0; rows * v];
            readout::log_probabilities(of, readout, &mut logs);
            let loss = readout::loss(&targets, &logs, v);
            let mut slopes = [vec![0.25; d * v], vec![0.25; d * v]];
            let mut biases = [vec![0.5; v], vec![0.5; v]];
            let mut row_slopes = [vec![0.0; rows * d], vec![9.0; rows * d]];
            let some = bias.is_some();
            let to = (matrix_mut(&mut slopes[0], d, v), some.then_some(&mut biases[0][..]));
            readout::back(of, readout, 0.1, &mut logs, to, &mut row_slopes[0]);
            let mut work = WideWork::new(rows + 2, d, v);
            let to = (matrix_mut(&mut slopes[1], d, v), some.then_some(&mut biases[1][..]));
            let found = work.learn(of, readout, 0.1, to, &mut row_slopes[1]);
            assert!((found - loss).abs() < 1e-11 * loss, "{found} {loss}");
            let mut losses = vec![0.0; rows];
            work.losses(of, readout, &mut losses);
            assert!((losses.iter().sum::<f64>() - loss).abs() < 1e-11 * loss);
            for [one, other] in [&slopes, &biases, &row_slopes] {
                for (place, (one, other)) in one.iter().zip(other).enumerate() {
                    assert!((one - other).abs() < 1e-13, "{place}: {one} {other}");
                }
            }
        }
    }
}
