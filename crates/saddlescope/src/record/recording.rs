//! The recorder that builds a trajectory; its rows may be recorded segment by segment, and put together.

use std::sync::atomic::{AtomicBool, Ordering};

use super::sampling::{EvenSampler, Sampler};
use crate::prelude::*;
use crate::trajectory::{Series, Snapshot};

/// Records observables at sampled instants, and whole states at snapshot times.
#[must_use]
pub struct Recording {
    observables: Observables,
    sampler: Sampler,
    time: Vec<f64>,
    step: Vec<u64>,
    columns: Vec<Vec<f64>>,
    snapshot_times: Vec<f64>,
    next_snapshot: usize,
    snapshots: Vec<Snapshot>,
    segment: SegmentStart,
    stop: Option<Arc<AtomicBool>>,
}

/// What belongs to earlier segments, and how often the rows were thinned in this one.
#[derive(Debug, Clone, Copy, Default)]
struct SegmentStart {
    /// Rows of earlier segments that are left.
    rows: usize,
    snapshots: usize,
    thinnings: u32,
}

impl Recording {
    /// Records `observables` as `sampling` says.
    pub fn new(observables: Observables, sampling: Sampling) -> Self {
        let columns = observables.iter().map(|_| Vec::new()).collect();
        Self {
            observables,
            sampler: Sampler::new(sampling),
            time: Vec::new(),
            step: Vec::new(),
            columns,
            snapshot_times: Vec::new(),
            next_snapshot: 0,
            snapshots: Vec::new(),
            segment: SegmentStart::default(),
            stop: None,
        }
    }

    /// Keeps the whole state at these times, too.
    pub fn with_snapshots(mut self, mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        times.dedup();
        self.snapshot_times = times;
        self
    }

    /// Stops the run at the next step once `flag` is set, from another thread or a signal.
    pub fn stopped_by(mut self, flag: Arc<AtomicBool>) -> Self {
        self.stop = Some(flag);
        self
    }

    /// The sampler's state, to be stored beside the rows; [`Recording::resume`] takes both.
    pub fn save(&self) -> Vec<Array> {
        let (mut sampler, mut next) = (self.sampler.clone(), self.next_snapshot as u64);
        let memory = Memory::of(|memory| {
            memory.counts("next_snapshot", [&mut next])?;
            sampler.remember(memory)
        });
        memory.into_arrays()
    }

    /// Goes on where another recording of the same observables, sampling and snapshot times stood: with
    /// what [`Recording::save`] gave there, and all `rows` until then, as [`join`] puts them together.
    pub fn resume(mut self, saved: Vec<Array>, rows: &Trajectory) -> Result<Self, MemoryError> {
        let mut next = 0;
        Memory::from_arrays(saved)?.restore(|memory| {
            memory.counts("next_snapshot", [&mut next])?;
            self.sampler.remember(memory)
        })?;
        self.next_snapshot = self.snapshot_times.len().min(next as usize);
        for (observable, column) in self.observables.iter().zip(&mut self.columns) {
            let name = &observable.name;
            let Some(series) = rows.get(name) else {
                return Err(MemoryError::missing(name, rows.series().iter().map(Series::name)));
            };
            let (found, expected) = (series.width(), observable.width());
            if found != expected {
                return Err(MemoryError::length(name, found, expected));
            }
            *column = series.data().to_vec();
        }
        self.time = rows.time().to_vec();
        self.step = rows.step().to_vec();
        self.snapshots = rows.snapshots().to_vec();
        self.begin_segment();
        Ok(self)
    }

    /// Ends a segment: its rows and snapshots that are still there, and how often rows were thinned in it.
    pub fn end_segment(&mut self) -> Part {
        let SegmentStart { rows, snapshots, thinnings } = self.segment;
        let rows = self.rows_from(rows, snapshots);
        self.begin_segment();
        Part { rows, thinnings }
    }

    fn begin_segment(&mut self) {
        let (rows, snapshots) = (self.time.len(), self.snapshots.len());
        self.segment = SegmentStart { rows, snapshots, thinnings: 0 };
    }

    /// What was recorded. At the end of a run, the last step may have filled more than the budget; then
    /// rows before the last are thinned once more.
    pub fn finish(mut self) -> Trajectory {
        if let Sampler::Even(EvenSampler { budget, .. }) = self.sampler {
            while self.time.len() > budget {
                self.thin(self.time.len() - 1);
            }
        }
        self.so_far()
    }

    /// What was recorded until now, of a run that goes on: a copy.
    pub fn so_far(&self) -> Trajectory {
        self.rows_from(0, 0)
    }

    /// A copy of the rows and snapshots from these places on.
    fn rows_from(&self, row: usize, snapshot: usize) -> Trajectory {
        let series = self.observables.iter().zip(&self.columns).map(|(observable, column)| {
            let data = column[row * observable.width()..].to_vec();
            Series::new(&*observable.name, observable.shape.clone(), data)
        });
        let (time, step) = (self.time[row..].to_vec(), self.step[row..].to_vec());
        Trajectory::new(time, step, series.collect(), self.snapshots[snapshot..].to_vec())
    }

    fn push(&mut self, moment: &Moment<'_>) {
        if self.time.last() == Some(&moment.time) && self.step.last() == Some(&moment.step) {
            return;
        }
        self.time.push(moment.time);
        self.step.push(moment.step);
        for (observable, column) in self.observables.iter().zip(&mut self.columns) {
            let start = column.len();
            column.resize(start + observable.width(), f64::NAN);
            observable.compute(moment, &mut column[start..]);
        }
    }

    /// Makes room for the rows to come, and for the last one: from now on, half as dense.
    fn thin_to_budget(&mut self) {
        while let Sampler::Even(even) = &mut self.sampler
            && self.time.len() >= even.budget
        {
            even.spacing *= 2.0;
            self.thin(self.time.len());
            self.segment.rows = self.segment.rows.div_ceil(2);
            self.segment.thinnings += 1;
        }
    }

    /// Drops every second of the first `rows` rows.
    fn thin(&mut self, rows: usize) {
        keep_every_second(&mut self.time, rows, 1);
        keep_every_second(&mut self.step, rows, 1);
        for (observable, column) in self.observables.iter().zip(&mut self.columns) {
            keep_every_second(column, rows, observable.width());
        }
    }
}

/// Keeps rows 0, 2, 4, ... of the first `rows` rows of a column, and all that follow.
fn keep_every_second<T: Copy>(column: &mut Vec<T>, rows: usize, width: usize) {
    for (to, from) in (0..rows).step_by(2).enumerate() {
        column.copy_within(from * width..(from + 1) * width, to * width);
    }
    let (kept, end) = (rows.div_ceil(2) * width, column.len());
    column.copy_within(rows * width..end, kept);
    column.truncate(kept + end - rows * width);
}

impl Recorder for Recording {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        self.thin_to_budget();
        self.sampler.plan(from, to, times);
        let due = self.snapshot_times[self.next_snapshot..].iter().take_while(|&&t| t <= to.time);
        let before = times.len();
        times.extend(due.filter(|&&time| time > from.time));
        if times.len() > before {
            times.sort_by(f64::total_cmp);
            times.dedup();
        }
        let stop = self.stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if stop { Control::Stop } else { Control::Continue }
    }

    fn record(&mut self, moment: &Moment<'_>) {
        self.push(moment);
        let due = |time: &f64| *time <= moment.time;
        if self.snapshot_times.get(self.next_snapshot).is_some_and(due) {
            self.snapshots.push(moment.snapshot());
            while self.snapshot_times.get(self.next_snapshot).is_some_and(due) {
                self.next_snapshot += 1;
            }
        }
    }
}

/// What one segment of a run has recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The rows and snapshots of the segment that were there at its end.
    pub rows: Trajectory,
    /// How often every second row, of this segment and those before it, was dropped during the segment.
    pub thinnings: u32,
}

/// The rows that are left of all parts, which have the same series, after the last of them.
///
/// A thinning keeps the rows of even index, so `k` of them keep the multiples of `2^k`.
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
#[path = "recording_tests.rs"]
mod tests;
