//! What a page is told of a problem before it runs, and what is recorded of it.

use std::collections::BTreeMap;

use saddlescope::Block;
use saddlescope::blocks::name_matches;
use saddlescope_lab::facts::Column;
use saddlescope_lab::observables::counted;
use saddlescope_spec::figure::{Contents, Lines, PanelSpec};
use saddlescope_spec::quantity;
use saddlescope_spec::settings::{Choice, SystemSchema};

use crate::export::command;
use crate::frames::{BlockShape, Panel, Problem};
use crate::prelude::*;

/// Most numbers that are recorded at one instant.
const MOST_NUMBERS: usize = 8192;

/// Most entries of a matrix that is recorded without being asked for.
const SMALL_MATRIX: usize = 256;

/// Patterns of what is recorded: what usually is, what was asked for, small matrices; as far as there is room.
pub(super) fn recorded(run: &Run, wanted: &[String]) -> Vec<String> {
    let (known, usual) = run.recordable();
    let width = |shape: &[usize]| shape.iter().product::<usize>();
    let matrix =
        |(_, shape): &&(String, Vec<usize>)| shape.len() == 2 && width(shape) <= SMALL_MATRIX;
    let matrices = known.iter().filter(matrix).map(|(name, _)| name.clone());
    let mut room = MOST_NUMBERS;
    let mut chosen: Vec<String> = Vec::new();
    let mut taken = vec![false; known.len()];
    for pattern in usual.into_iter().chain(wanted.iter().cloned()).chain(matrices) {
        let fits = |(place, (name, _)): &(usize, &(String, Vec<usize>))| {
            !taken[*place] && name_matches(&pattern, name)
        };
        let new: Vec<usize> =
            known.iter().enumerate().filter(fits).map(|(place, _)| place).collect();
        let numbers: usize = new.iter().map(|&place| width(&known[place].1)).sum();
        if !new.is_empty() && numbers <= room {
            room -= numbers;
            new.into_iter().for_each(|place| taken[place] = true);
            chosen.push(pattern);
        }
    }
    chosen
}

pub(crate) fn problem<'a>(experiment: &Experiment, facts: &'a ProblemFacts) -> FrameHead<'a> {
    let block = |block: &'a Block| BlockShape { name: &block.name, shape: &block.shape };
    FrameHead::Problem(Problem {
        parameters: facts.blocks.len(),
        blocks: facts.blocks.iter().map(block).collect(),
        observables: &facts.observables,
        meanings: meanings(experiment.system.schema(), &facts.observables),
        has_flow: facts.has_flow,
        draws_batches: facts.draws_batches,
        levels: &facts.levels,
        theories: &facts.theories,
        figure: facts.figure.panels.iter().filter_map(panel).collect(),
        toml: experiment.to_toml(),
        command: command(experiment),
    })
}

/// What families of columns mean, by their names with stars for numbers.
fn meanings(schema: &SystemSchema, columns: &[Column]) -> BTreeMap<String, String> {
    let meaning = |column: &Column| {
        let found = quantity::find(schema.observables, &column.name)?;
        let unit = if found.unit.is_empty() { String::new() } else { format!(" ({})", found.unit) };
        Some((counted(&column.name), found.about + &unit))
    };
    columns.iter().filter_map(meaning).collect()
}

/// A panel of lines over time; others are not for a live view.
fn panel(panel: &PanelSpec) -> Option<Panel<'_>> {
    let Contents::Lines(Lines { x, y, x_scale, y_scale, .. }) = &panel.contents else {
        return None;
    };
    (x == "time").then(|| Panel {
        title: panel.title.as_deref(),
        y,
        x_scale: x_scale.word(),
        y_scale: y_scale.word(),
        theory: &panel.theory,
        x_range: panel.axes.x_range,
        y_range: panel.axes.y_range,
        y_label: panel.axes.y_label.as_deref(),
    })
}
