//! What a run has seen: one contiguous buffer per observable, frozen and shared.

use crate::prelude::*;

/// The recorded values of one observable, `[row, shape...]` in one buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    name: String,
    shape: Vec<usize>,
    data: Arc<[f64]>,
}

impl Series {
    /// A series of whole rows that have `shape` each.
    pub fn new(name: impl Into<String>, shape: Vec<usize>, data: Vec<f64>) -> Self {
        let width: usize = shape.iter().product();
        assert!(width > 0 && data.len().is_multiple_of(width), "a series holds whole rows");
        Self { name: name.into(), shape, data: data.into() }
    }

    /// Stable name of the observable: `head.0.value`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Shape of one row; empty for a single number.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Numbers per row.
    pub fn width(&self) -> usize {
        self.shape.iter().product()
    }

    pub fn rows(&self) -> usize {
        self.data.len() / self.width()
    }

    /// All rows, one after the other.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    pub fn row(&self, index: usize) -> &[f64] {
        &self.data[index * self.width()..(index + 1) * self.width()]
    }

    /// The names of the numbers in a row: the name itself for a scalar, `head.0.key[1,2]` otherwise.
    pub fn column_names(&self) -> Vec<String> {
        if self.shape.is_empty() {
            return vec![self.name.clone()];
        }
        (0..self.width()).map(|i| element_name(&self.name, &self.shape, i)).collect()
    }
}

/// The name of element `index` of a row-major array called `name`: `head.0.key[1,2]`.
pub fn element_name(name: &str, shape: &[usize], index: usize) -> String {
    if shape.is_empty() {
        return name.to_owned();
    }
    let mut rest = index;
    let mut place = vec![0; shape.len()];
    for (slot, &extent) in place.iter_mut().zip(shape).rev() {
        *slot = rest % extent;
        rest /= extent;
    }
    let place: Vec<String> = place.iter().map(ToString::to_string).collect();
    format!("{name}[{}]", place.join(","))
}

/// All parameters at one instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Time on the system's clock.
    pub time: f64,
    pub step: u64,
    /// The parameters, in the order of the system's blocks.
    pub state: Arc<[f64]>,
}

/// What a run has seen, one series per observable over the same rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    time: Series,
    step: Arc<[u64]>,
    series: Vec<Series>,
    snapshots: Vec<Snapshot>,
}

impl Trajectory {
    /// A trajectory of rows at `time`, taken at `step`; every series has as many.
    pub fn new(
        time: Vec<f64>,
        step: Vec<u64>,
        series: Vec<Series>,
        snapshots: Vec<Snapshot>,
    ) -> Self {
        let rows = time.len();
        assert!(step.len() == rows && series.iter().all(|s| s.rows() == rows), "rows must agree");
        let time = Series::new("time", Vec::new(), time);
        Self { time, step: step.into(), series, snapshots }
    }

    /// Number of recorded instants.
    pub fn rows(&self) -> usize {
        self.step.len()
    }

    /// The recorded times on the system's clock.
    pub fn time(&self) -> &[f64] {
        self.time.data()
    }

    /// The dynamics' step at each recorded instant.
    pub fn step(&self) -> &[u64] {
        &self.step
    }

    /// All series, in the order in which their observables were asked for.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// The series of that name; `time` is one too.
    pub fn get(&self, name: &str) -> Option<&Series> {
        if name == "time" {
            return Some(&self.time);
        }
        self.series.iter().find(|series| series.name() == name)
    }

    /// Whole parameter vectors, where they were asked for.
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    /// The same with more snapshots, in the order of time; of two at one instant, the one that is there stays.
    #[must_use]
    pub fn with_snapshots(mut self, more: impl IntoIterator<Item = Snapshot>) -> Self {
        self.snapshots.extend(more);
        self.snapshots.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.step.cmp(&b.step)));
        self.snapshots.dedup_by_key(|snapshot| (snapshot.time.to_bits(), snapshot.step));
        self
    }
}
