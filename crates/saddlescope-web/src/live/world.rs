//! What a page is told of a world before it runs, and what is recorded of it.

use saddlescope::blocks::name_matches;
use saddlescope::figure::{Contents, PanelSpec, Scale};
use saddlescope_lab::experiment::Experiment;
use saddlescope_lab::run::Run;
use serde_json::{Value, json};

use crate::export::command;

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

/// What there is to see.
pub(crate) fn world(experiment: &Experiment, run: &Run) -> Value {
    let world = run.world();
    let observable = |one: &saddlescope::record::Observable| json!({ "name": one.name, "shape": one.shape, "label": run.label(&one.name) });
    json!({
        "kind": "world",
        "parameters": run.parameters(),
        "blocks": run.blocks().iter()
            .map(|block| json!({ "name": block.name, "shape": block.shape }))
            .collect::<Vec<_>>(),
        "observables": world.observables().iter().map(observable).collect::<Vec<_>>(),
        "has_flow": world.has_flow(),
        "draws_batches": world.draws_batches(),
        "levels": world.levels(),
        "theories": world.theories().names(),
        "figure": run.figure().panels.iter().filter_map(panel).collect::<Vec<_>>(),
        "toml": experiment.to_toml(),
        "command": command(experiment),
    })
}

/// A panel of lines over time; others are not for a live view.
fn panel(panel: &PanelSpec) -> Option<Value> {
    let Contents::Lines { x, y, x_scale, y_scale, .. } = &panel.contents else { return None };
    if x != "time" {
        return None;
    }
    Some(json!({
        "title": panel.title, "y": y, "x_scale": word(*x_scale), "y_scale": word(*y_scale),
        "theory": panel.theory, "x_range": panel.axes.x_range, "y_range": panel.axes.y_range,
        "y_label": panel.axes.y_label,
    }))
}

fn word(scale: Scale) -> &'static str {
    match scale {
        Scale::Linear => "linear",
        Scale::Log => "log",
    }
}
