//! A trajectory with fewer rows that shows the same: every jump, every extremum, both ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::prelude::*;

/// Trajectories up to this many rows stay as they are.
pub(super) const FEW: usize = 4096;
/// Stretches that a trajectory is cut into; each keeps a handful of rows.
const STRETCHES: usize = 512;
/// A number sticks out when it lies beside the line between the kept rows around it by this part of its whole range.
const STICKS_OUT: f64 = 1.0 / 400.0;
/// Most rows in all, whatever sticks out.
const MOST: usize = 2 * FEW;

/// The same trajectory, with the bits that it has, in at most [`MOST`] rows, mostly fewer than [`FEW`].
pub(super) fn thinned(trajectory: Trajectory) -> Trajectory {
    if trajectory.rows() <= FEW {
        return trajectory;
    }
    let rows = chosen(&trajectory);
    let pick = |series: &Series| {
        let data = rows.iter().flat_map(|&row| series.row(row)).copied().collect();
        Series::new(series.name(), series.shape().to_vec(), data)
    };
    let time = rows.iter().map(|&row| trajectory.time()[row]).collect();
    let step = rows.iter().map(|&row| trajectory.step()[row]).collect();
    Trajectory::new(time, step, trajectory.series().iter().map(pick).collect(), Vec::new())
}

/// The rows that stay, in order.
fn chosen(trajectory: &Trajectory) -> Vec<usize> {
    let scalars: Vec<&[f64]> = trajectory
        .series()
        .iter()
        .filter(|series| series.shape().is_empty())
        .map(Series::data)
        .collect();
    let loss = trajectory.get("loss").map(Series::data).or(scalars.first().copied());
    let stretches = stretches(trajectory.time(), loss);
    let mut kept = vec![false; trajectory.rows()];
    for stretch in &stretches {
        kept[stretch.start] = true;
        kept[stretch.end - 1] = true;
        let Some(loss) = loss else { continue };
        extremes(loss, stretch.clone()).into_iter().flatten().for_each(|row| kept[row] = true);
        // Where the loss moves most from one row to the next.
        let change = |row: &usize| (loss[row + 1] - loss[*row]).abs();
        let steepest = (stretch.start..stretch.end - 1)
            .filter(|row| change(row).is_finite())
            .max_by(|a, b| change(a).total_cmp(&change(b)));
        if let Some(row) = steepest {
            kept[row] = true;
            kept[row + 1] = true;
        }
    }
    // The extrema of all, before what merely sticks out.
    for column in &scalars {
        let whole = extremes(column, 0..column.len());
        whole.into_iter().flatten().for_each(|row| kept[row] = true);
    }
    sticking_out(&scalars, &mut kept);
    (0..kept.len()).filter(|&row| kept[row]).collect()
}

/// A row that lies beside the line between the kept rows around it, by a part of its column's range. The furthest is the
/// greatest; of equal ones the earlier row, so that the order is the same everywhere.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Peak {
    /// The bits of how far it is out, which have the order of these positive numbers.
    out: u64,
    row: Reverse<usize>,
    column: usize,
    ends: (usize, usize),
}

/// A column with the width of its range.
struct Scaled<'a> {
    data: &'a [f64],
    width: f64,
}

impl Scaled<'_> {
    /// What sticks out most between two rows that are kept; none where nothing does.
    fn peak(&self, column: usize, (start, end): (usize, usize)) -> Option<Peak> {
        let data = self.data;
        let finite =
            |row: usize, other: usize| if data[row].is_finite() { data[row] } else { data[other] };
        let (first, last) = (finite(start, end), finite(end, start));
        let line =
            |row: usize| first + (last - first) * (row - start) as f64 / (end - start) as f64;
        let out = |row: usize| (data[row] - line(row)).abs() / self.width;
        let inner = (start + 1..end).filter(|&row| data[row].is_finite());
        let row = inner.max_by(|&a, &b| out(a).total_cmp(&out(b)))?;
        let peak = Peak { out: out(row).to_bits(), row: Reverse(row), column, ends: (start, end) };
        (out(row) > STICKS_OUT).then_some(peak)
    }
}

/// Keeps what sticks out of the drawn lines, the furthest first, as long as there is room.
fn sticking_out<'a>(columns: &[&'a [f64]], kept: &mut [bool]) {
    let ends: Vec<usize> = (0..kept.len()).filter(|&row| kept[row]).collect();
    let mut room = MOST.saturating_sub(ends.len());
    let scaled = |&data: &&'a [f64]| {
        let [low, high] = extremes(data, 0..data.len())?;
        Some(Scaled { data, width: data[high] - data[low] })
    };
    let columns = columns.iter().filter_map(scaled).filter(|column| column.width > 0.0);
    let columns: Vec<Scaled<'a>> = columns.collect();
    let mut peaks = BinaryHeap::new();
    for (number, column) in columns.iter().enumerate() {
        let between = ends.windows(2).map(|pair| (pair[0], pair[1]));
        peaks.extend(between.filter_map(|ends| column.peak(number, ends)));
    }
    while let Some(Peak { row: Reverse(row), column, ends, .. }) = peaks.pop() {
        if !kept[row] {
            if room == 0 {
                break;
            }
            room -= 1;
            kept[row] = true;
        }
        let halves = [(ends.0, row), (row, ends.1)];
        peaks.extend(halves.into_iter().filter_map(|ends| columns[column].peak(column, ends)));
    }
}

/// The rows of the least and of the greatest number of a stretch; none where nothing is a number.
fn extremes(column: &[f64], stretch: Range<usize>) -> Option<[usize; 2]> {
    let finite = || stretch.clone().filter(|&row| column[row].is_finite());
    let low = finite().min_by(|&a, &b| column[a].total_cmp(&column[b]))?;
    let high = finite().max_by(|&a, &b| column[a].total_cmp(&column[b]))?;
    Some([low, high])
}

/// Cuts rows into stretches of equal length, which grows with time, with its logarithm, and with the way of the loss, on both
/// scales, a quarter each: so no scale is shown coarsely, and a jump is spread over many stretches.
fn stretches(time: &[f64], loss: Option<&[f64]>) -> Vec<Range<usize>> {
    let rows = time.len();
    let least = time.iter().copied().filter(|&t| t > 0.0).fold(f64::INFINITY, f64::min);
    let log_time: Vec<f64> = time.iter().map(|&t| t.max(least).ln()).collect();
    let loss = loss.unwrap_or_default();
    let log_loss: Vec<f64> = loss.iter().map(|l| l.ln()).collect();
    let mut along = vec![0.0; rows];
    for curve in [time, &log_time, loss, &log_loss] {
        let way: Vec<f64> = curve
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).abs())
            .map(|way| if way.is_finite() { way } else { 0.0 })
            .collect();
        let total: f64 = way.iter().sum();
        if total > 0.0 {
            way.iter().enumerate().for_each(|(row, way)| along[row + 1] += way / total);
        }
    }
    let total: f64 = along.iter().sum();
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let (mut way, mut last) = (0.0, None);
    for (row, step) in along.iter().enumerate() {
        way += step;
        let number = (way / total * STRETCHES as f64) as usize;
        match stretches.last_mut() {
            Some(stretch) if last == Some(number) => stretch.end = row + 1,
            _ => stretches.push(row..row + 1),
        }
        last = Some(number);
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 200_000;

    fn trajectory(time: Vec<f64>, columns: Vec<(&str, Vec<f64>)>) -> Trajectory {
        let step = (0..time.len() as u64).collect();
        let series = columns.into_iter().map(|(name, data)| Series::new(name, Vec::new(), data));
        Trajectory::new(time, step, series.collect(), Vec::new())
    }

    /// A staircase down with jumps behind these rows, all rows with a little noise.
    fn staircase(jumps: &[usize], noise: f64) -> Vec<f64> {
        let level =
            |row: usize| 0.7_f64.powi(jumps.iter().filter(|&&jump| jump < row).count() as i32);
        let wave = |row: usize| noise * ((row as f64) * 12.9898).sin();
        (0..ROWS).map(|row| level(row) * (1.0 + wave(row))).collect()
    }

    #[test]
    fn every_jump_of_a_staircase_stays_on_both_of_its_sides() {
        let jumps = [3, 40, 41, 900, 5_000, 5_100, 77_777, 150_000, 199_990];
        let linear: Vec<f64> = (0..ROWS).map(|row| row as f64 * 0.01).collect();
        let log: Vec<f64> = (0..ROWS).map(|row| 1e-3 * (row as f64 * 1e-4).exp()).collect();
        for (time, noise) in [(linear.clone(), 0.0), (log, 0.0), (linear, 0.01)] {
            let loss = staircase(&jumps, noise);
            let thin = thinned(trajectory(time, vec![("loss", loss)]));
            assert!(thin.rows() <= if noise > 0.0 { MOST } else { FEW }, "{} rows", thin.rows());
            for jump in jumps {
                for row in [jump as u64, jump as u64 + 1] {
                    assert!(thin.step().contains(&row), "row {row} beside a jump is gone");
                }
            }
            assert_eq!((thin.step()[0], *thin.step().last().unwrap()), (0, ROWS as u64 - 1));
        }
    }

    #[test]
    fn spikes_of_any_column_stay_and_bits_are_those_of_the_file() {
        let time: Vec<f64> = (0..ROWS).map(|row| row as f64).collect();
        let loss: Vec<f64> = time.iter().map(|t| 1.0 / (1.0 + t)).collect();
        let mut angle: Vec<f64> = time.iter().map(|t| (t * 1e-4).sin()).collect();
        let spikes = [17, 60_000, 60_050, 123_456, 199_000];
        spikes.iter().for_each(|&row| angle[row] += 0.3);
        angle[100_000] = f64::NAN;
        let whole = trajectory(time, vec![("loss", loss), ("angle", angle.clone())]);
        let thin = thinned(whole.clone());
        assert!(thin.rows() <= MOST, "{} rows", thin.rows());
        for spike in spikes.map(|row| row as u64) {
            assert!(thin.step().contains(&spike), "the spike at row {spike} is gone");
        }
        for (at, &row) in thin.step().iter().enumerate() {
            let row = row as usize;
            assert_eq!(thin.time()[at].to_bits(), whole.time()[row].to_bits());
            for (few, all) in thin.series().iter().zip(whole.series()) {
                assert_eq!(few.row(at)[0].to_bits(), all.row(row)[0].to_bits());
            }
        }
    }

    #[test]
    fn odd_trajectories_stay_whole() {
        let nothing = || vec![f64::NAN; ROWS];
        let same = trajectory(vec![0.0; ROWS], vec![("loss", nothing())]);
        let thin = thinned(same);
        assert!(thin.rows() >= 2 && thin.rows() <= MOST);
        let few = trajectory(vec![0.0, 1.0], vec![("loss", vec![1.0, f64::INFINITY])]);
        assert_eq!(thinned(few.clone()), few);
        let bare = trajectory((0..ROWS).map(|t| t as f64).collect(), Vec::new());
        assert!(thinned(bare).rows() <= MOST);
    }
}
