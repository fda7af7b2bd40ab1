//! The system: from settings to a problem, of the regression variant or of a model on sequences.

mod init;
mod regression;
mod training;

use saddlescope_spec::prelude::*;

use crate::readings::{self, labels};
use crate::settings::{Model, Precision, SCHEMA, Task};
use saddlescope_transformer::settings::Design;

#[derive(Debug, Clone, Copy)]
pub struct SparseMarkov;

impl System for SparseMarkov {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        bytes(&system.read(), &system.read()) as u64
    }

    fn problem(&self, system: &Settings, start: &Settings, seed: u64) -> Result<Problem> {
        let (task, start): (Spanned<Task>, _) = (system.read(), start.read());
        match task.model {
            Model::Regression => regression::problem(&task, &start, seed),
            Model::Minimal => training::minimal(&task, &start, seed),
            Model::Transformer => training::full(&task, &start, seed),
        }
    }

    fn label(&self, _system: &Settings, column: &str) -> Option<String> {
        labels::label(column)
    }

    fn figure(&self, system: &Settings) -> FigureSpec {
        let task: Task = system.read();
        if task.model == Model::Regression {
            readings::regression::figure(init::features(&task))
        } else {
            readings::sequences::figure()
        }
    }

    fn sketch(&self, system: &Settings, seed: u64) -> Sketch {
        let task: Spanned<Task> = system.read();
        let sketch = if task.model == Model::Regression {
            init::factorisation(&task).map(|model| labels::positions(&model.target))
        } else {
            init::chain(&task, seed).map(|chain| labels::chain(&chain))
        };
        sketch.unwrap_or_default()
    }
}

/// Bytes that a run holds at once.
fn bytes(task: &Task, design: &Design) -> f64 {
    let listed = task.matrices.as_ref();
    let heads = task.heads as f64;
    if task.model == Model::Regression {
        let features = task.strengths.as_ref().map_or(task.features, Vec::len);
        let rank = listed.map_or(features, |list| list.shape[1] * list.shape[2]) as f64;
        let positions = task.positions as f64;
        let parameters = heads * (rank + positions);
        let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
        return 8.0 * (40.0 * parameters + solver + 4.0 * rank * positions);
    }
    let d = listed.map_or(task.vocabulary, |list| list.shape[1]) as f64;
    let (order, length) = (order(task), task.length as f64);
    let tokens = order + length;
    let parameters = if task.model == Model::Transformer {
        let [width, hidden, blocks] =
            [design.width, design.feedforward, design.blocks].map(|n| n as f64);
        (2.0 * d + tokens) * width + blocks * width * (4.0 * width + 2.0 * hidden + 9.0)
    } else {
        let width = d + tokens - 1.0;
        task.layers as f64 * heads * (width * width + d * d)
    };
    let size = if task.precision == Precision::Double { 8.0 } else { 4.0 };
    // Parameters, slopes, two moments, and slopes of some chunks on each thread; then the law, and what is compared with it.
    let threads = std::thread::available_parallelism().map_or(2.0, |n| n.get() as f64);
    let rows = task.test_sequences as f64 * length * d.max(16.0);
    let sequences = (task.sequences.max(task.batch) + task.test_sequences) as f64;
    parameters * (8.0 * 6.0 + size * (4.0 + 4.0 * threads))
        + 4.0 * order * d * d * 4.0
        + 4.0 * rows * 4.0
        + 2.0 * sequences * tokens
}

/// `w`, before the chain is built.
fn order(task: &Task) -> f64 {
    let lags = |groups: &Vec<Vec<f64>>| groups.iter().flatten().copied().fold(1.0, f64::max);
    let listed = task.order.map(|order| order as f64);
    listed
        .or_else(|| task.groups.as_ref().map(lags))
        .unwrap_or((task.features * task.group_size) as f64)
}
