//! The rows of a run that was recorded segment by segment, put together.

use crate::trajectory::{Series, Trajectory};

/// What one segment of a run has recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The rows and snapshots of the segment that were there at its end.
    pub rows: Trajectory,
    /// How often every second row, of this segment and those before it, was dropped during the segment.
    pub thinnings: u32,
}

/// The rows that are left of all parts after the last of them.
///
/// A thinning keeps the rows of even index, so `k` of them keep the multiples of `2^k`.
///
/// # Panics
/// When the parts have not the same series.
pub fn join(parts: &[Part]) -> Trajectory {
    let kept = kept(parts);
    let chosen = || parts.iter().zip(&kept);
    let time = chosen().flat_map(|(part, kept)| kept.iter().map(|&row| part.rows.time()[row]));
    let step = chosen().flat_map(|(part, kept)| kept.iter().map(|&row| part.rows.step()[row]));
    let first = parts.first().map_or(&[][..], |part| part.rows.series());
    let series = first.iter().enumerate().map(|(index, series)| {
        let mut data = Vec::new();
        for (part, kept) in chosen() {
            let own = &part.rows.series()[index];
            assert_eq!(own.name(), series.name(), "parts of one run have the same series");
            kept.iter().for_each(|&row| data.extend_from_slice(own.row(row)));
        }
        Series::new(series.name(), series.shape().to_vec(), data)
    });
    let snapshots = parts.iter().flat_map(|part| part.rows.snapshots().iter().cloned());
    Trajectory::new(time.collect(), step.collect(), series.collect(), snapshots.collect())
}

/// The rows of each part that are left after the last of them.
fn kept(parts: &[Part]) -> Vec<Vec<usize>> {
    let mut later: u32 = parts.iter().map(|part| part.thinnings).sum();
    // Rows of the parts before, at the end of each part.
    let mut before = 0_usize;
    let kept = parts.iter().map(|part| {
        before = before.div_ceil(power(part.thinnings));
        later -= part.thinnings;
        let stride = power(later);
        let rows = part.rows.rows();
        let left = (0..rows).filter(|row| (before + row).is_multiple_of(stride)).collect();
        before += rows;
        left
    });
    kept.collect()
}

/// `2^exponent`, or more than any number of rows.
fn power(exponent: u32) -> usize {
    1_usize.checked_shl(exponent).unwrap_or(usize::MAX)
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
