//! From the last rows of the stream to the loss, and back: vocabularies small enough to be read out at once.

use faer::{MatMut, MatRef};

use crate::kernel::product::{self, Real, matrix, matrix_mut};
use crate::kernel::rows::{add_columns, add_to_rows, sum};

/// Rows that are read out, `width` numbers each, and the token that follows each of them.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, S> {
    pub(crate) rows: &'a [S],
    pub(crate) width: usize,
    pub(crate) targets: &'a [u32],
}

/// The matrix that reads out, `width x vocabulary`, with its bias.
#[derive(Clone, Copy)]
pub(crate) struct Readout<'a, S> {
    pub(crate) weight: MatRef<'a, S>,
    pub(crate) bias: Option<&'a [S]>,
}

/// `logits` becomes the logarithms of the probabilities of all tokens, row by row.
pub(crate) fn log_probabilities<S: Real>(
    of: Rows<'_, S>,
    readout: Readout<'_, S>,
    logits: &mut [S],
) {
    let (rows, vocabulary) = (of.targets.len(), readout.weight.ncols());
    let logits = &mut logits[..rows * vocabulary];
    let out = matrix_mut(logits, rows, vocabulary);
    product::set(out, matrix(of.rows, rows, of.width), readout.weight);
    if let Some(bias) = readout.bias {
        add_to_rows(logits, bias);
    }
    saddlescope::dispatch!(normalise(logits, vocabulary));
}

/// The sum of `-ln p` of the targets, from the logarithms of all probabilities.
pub(crate) fn loss<S: Real>(targets: &[u32], logs: &[S], vocabulary: usize) -> f64 {
    let each = targets.iter().zip(logs.chunks_exact(vocabulary));
    each.map(|(&target, logs)| -logs[target as usize].to_f64()).sum()
}

/// The way back: `logs` become slopes of the logits of `share` times the loss, `row_slopes` those of the rows; those of the
/// matrix and its bias are added to.
pub(crate) fn back<S: Real>(
    of: Rows<'_, S>,
    readout: Readout<'_, S>,
    share: S,
    logs: &mut [S],
    (weight_slopes, bias_slopes): (MatMut<'_, S>, Option<&mut [S]>),
    row_slopes: &mut [S],
) {
    let (rows, vocabulary) = (of.targets.len(), readout.weight.ncols());
    let logs = &mut logs[..rows * vocabulary];
    saddlescope::dispatch!(residuals(of.targets, vocabulary, share, logs));
    let slopes = matrix(logs, rows, vocabulary);
    product::add(weight_slopes, matrix(of.rows, rows, of.width).transpose(), slopes);
    product::set(matrix_mut(row_slopes, rows, of.width), slopes, readout.weight.transpose());
    if let Some(bias) = bias_slopes {
        add_columns(logs, bias);
    }
}

#[inline(always)]
fn normalise<S: Real>(logits: &mut [S], vocabulary: usize) {
    for row in logits.chunks_exact_mut(vocabulary) {
        let mut most = row[0];
        for &logit in &*row {
            most = if logit > most { logit } else { most };
        }
        let total = sum(row, row, |logit, _| (logit - most).exp());
        let shift = most + total.ln();
        for logit in row {
            *logit -= shift;
        }
    }
}

/// `share (p - one-hot target)`.
#[inline(always)]
fn residuals<S: Real>(targets: &[u32], vocabulary: usize, share: S, logs: &mut [S]) {
    for (row, &target) in logs.chunks_exact_mut(vocabulary).zip(targets) {
        for log in &mut *row {
            *log = log.exp() * share;
        }
        row[target as usize] -= share;
    }
}
