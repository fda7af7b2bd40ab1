//! Phase diagrams of tables whose cells are known on paper.

use saddlescope_draw::{self as draw, Body, Colour, Figure, Ground, Tints};
use saddlescope_spec::figure::{Axes, Contents, FigureSpec, PanelSpec, Phase, Reduce, Scale};

use super::{Source, compose};
use crate::error::Result;
use crate::plan::{Cells, Column, RunTable};

pub(crate) fn table_of(columns: Vec<Column>) -> RunTable {
    let rows = columns[0].cells.len();
    assert!(columns.iter().all(|column| column.cells.len() == rows));
    RunTable::from_columns(columns, rows)
}

/// Even numbers between 0 and 1, as good as random.
pub(super) fn even(number: usize, step: f64) -> f64 {
    (number as f64 * step).fract()
}

/// Scales 0.01, 0.1, 1 by ranks 1, 2, 4 by three seeds. The loss is `10 scale + rank + seed`, but none at the
/// last scale and rank; there are two stages where the scale is small, and mostly one elsewhere.
fn grid() -> RunTable {
    let rows = 27;
    let scale = |row: usize| [0.01, 0.1, 1.0][row % 3];
    let rank = |row: usize| [1, 2, 4][row / 3 % 3];
    let seed = |row: usize| (row / 9) as i64;
    let failed = |row: usize| row % 9 == 8;
    let ended = |row: usize| if failed(row) { "failed" } else { "end" };
    let loss = |row: usize| 10.0 * scale(row) + rank(row) as f64 + seed(row) as f64;
    let stages = |row: usize| match row % 3 {
        0 => 2,
        _ if seed(row) == 0 => 3,
        _ => 1,
    };
    let all = || 0..rows;
    table_of(vec![
        Column::integers("seed", all().map(|row| Some(seed(row)))),
        Column::numbers("start.scale", all().map(|row| Some(scale(row)))),
        Column::integers("rank", all().map(|row| Some(rank(row)))),
        Column::numbers("end.loss", all().map(|row| (!failed(row)).then(|| loss(row)))),
        Column::texts("ended", all().map(|row| Some(ended(row).to_owned()))),
        Column::integers("stages", all().map(|row| (!failed(row)).then(|| stages(row)))),
    ])
}

fn phase(value: &str) -> Phase {
    Phase { x_scale: Scale::Log, ..Phase::new("start.scale", "rank", value) }
}

pub(super) fn draw(table: &RunTable, panel: PanelSpec) -> Result<Figure> {
    let columns = table.columns().iter().map(|column| column.name.clone());
    let own = ["seed", "end.loss", "ended", "stages", "seconds"];
    let varied: Vec<String> = columns.filter(|name| !own.contains(&name.as_str())).collect();
    let label = |name: &str| (name == "rank").then(|| "rank $R$".to_owned());
    let source = Source { runs: None, table, varied: &varied, fits: &[], label: &label };
    compose(&FigureSpec::new(1, vec![panel]), source, "test")
}

fn body(table: &RunTable, spec: Phase) -> Body {
    let mut figure = draw(table, PanelSpec::new(Contents::Phase(spec))).unwrap();
    figure.panels.remove(0).body
}

fn cells(table: &RunTable, spec: Phase) -> draw::Phase {
    let Body::Phase(phase) = body(table, spec) else { panic!("no cells") };
    phase
}

fn of(phase: &draw::Phase) -> &[f64] {
    let Tints::Numbers { of, .. } = &phase.tints else { panic!("no numbers") };
    of
}

fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-12 * b.abs().max(1.0) || a.is_nan() && b.is_nan(), "{found:?}");
    }
}

#[test]
fn a_grid_has_a_cell_per_combination_with_edges_half_way() {
    let phase = cells(&grid(), phase("end.loss"));
    // Geometric along a logarithmic axis.
    let half = 10f64.sqrt();
    near(&phase.across, &[0.01 / half, 0.01 * half, 0.1 * half, half]);
    near(&phase.along, &[0.5, 1.5, 3.0, 5.0]);
    assert!(phase.y.whole && !phase.x.whole);
    assert_eq!(
        (phase.x.label.as_str(), phase.y.label.as_str()),
        ("scale of the start", "rank $R$")
    );
    // Medians over seeds 0, 1, 2 are those of seed 1.
    let (a, b, c) = (1.1, 2.0, 11.0);
    near(
        of(&phase),
        &[a + 1.0, b + 1.0, c + 1.0, a + 2.0, b + 2.0, c + 2.0, a + 4.0, b + 4.0, f64::NAN],
    );
    assert!(phase.filled.iter().all(|&filled| filled), "what failed is there, without a value");
}

#[test]
fn runs_of_one_cell_are_reduced_as_asked() {
    let first = |reduce| of(&cells(&grid(), Phase { reduce, ..phase("end.loss") }))[0];
    near(&[Reduce::Least, Reduce::Mean, Reduce::Greatest].map(first), &[1.1, 2.1, 3.1]);
    let share = |value: &str, of: Option<&str>| {
        let (reduce, of) = (Reduce::Share, of.map(str::to_owned));
        cells(&grid(), Phase { reduce, of, ..phase(value) })
    };
    near(&of(&share("end.loss", None))[7..], &[1.0, 0.0]);
    let three = share("stages", Some("3"));
    near(&of(&three)[..3], &[0.0, 1.0 / 3.0, 1.0 / 3.0]);
    let Tints::Numbers { axis, .. } = &three.tints else { panic!() };
    assert_eq!((axis.range, axis.label.as_str()), (Some((0.0, 1.0)), "share of stages = 3"));
    near(&of(&share("ended", Some("failed | lost")))[7..], &[0.0, 1.0]);
}

#[test]
fn words_and_few_whole_numbers_are_kinds_and_the_most_frequent_wins() {
    let stages = cells(&grid(), Phase { boundary: Some(vec![1.5]), ..phase("stages") });
    let Tints::Words { kinds, of, .. } = &stages.tints else { panic!("{:?}", stages.tints) };
    let names: Vec<&str> = kinds.iter().map(|kind| kind.label.as_str()).collect();
    assert_eq!(names, ["1", "2", "3"]);
    let colours: Vec<Colour> = kinds.iter().map(|kind| kind.colour).collect();
    assert_eq!(colours, [Colour::Ramp(0.0), Colour::Ramp(0.5), Colour::Ramp(1.0)]);
    let (two, one) = (Some(1), Some(0));
    assert_eq!(*of, [two, one, one, two, one, one, two, one, None]);
    let [line] = stages.boundary.as_slice() else { panic!("{:?}", stages.boundary) };
    let (above, below) = (Some(false), Some(true));
    assert_eq!(line.below, [above, below, below, above, below, below, above, below, None]);
    assert_eq!(line.label, "stages = 1.5");
    let ended = cells(&grid(), phase("ended"));
    let Tints::Words { kinds, of, .. } = &ended.tints else { panic!("{:?}", ended.tints) };
    assert_eq!(kinds[1].colour, Colour::Series(1));
    assert_eq!((of[7], of[8]), (Some(0), Some(1)));
    let mean = Phase { reduce: Reduce::Mean, ..phase("ended") };
    let error = draw(&grid(), PanelSpec::new(Contents::Phase(mean))).unwrap_err().to_string();
    assert!(error.contains("reduce = \"mean\" of `ended`"), "{error}");
}

#[test]
fn what_has_not_run_is_not_there() {
    let mut columns = grid().columns().to_vec();
    for column in &mut columns {
        if let Cells::Texts(cells) = &mut column.cells {
            (0..27).filter(|row| row % 9 == 4).for_each(|row| cells[row] = None);
        }
    }
    let phase = cells(&table_of(columns), phase("end.loss"));
    assert_eq!(phase.filled.iter().filter(|filled| !**filled).count(), 1);
    assert!(!phase.filled[4] && of(&phase)[4].is_nan());
}

/// `rows` runs over a logarithmic and a linear axis; the value is the decimal logarithm of x, plus y.
pub(super) fn random(rows: usize) -> RunTable {
    let x = |row: usize| 10f64.powf(3.0 * even(row, 0.754_877_666_246_692_8));
    let y = |row: usize| even(row, 0.569_840_290_998_053_3);
    let all = || 0..rows;
    table_of(vec![
        Column::integers("seed", all().map(|_| Some(0))),
        Column::numbers("x", all().map(|row| Some(x(row)))),
        Column::numbers("y", all().map(|row| Some(y(row)))),
        Column::integers("half", all().map(|row| Some(row as i64 % 2))),
        Column::numbers("end.loss", all().map(|row| Some(x(row).log10() + y(row)))),
        Column::integers("stages", all().map(|row| Some(1 + i64::from(x(row) * y(row) > 10.0)))),
    ])
}

pub(super) fn over_both(value: &str) -> Phase {
    Phase { x_scale: Scale::Log, ..Phase::new("x", "y", value) }
}

#[test]
fn few_runs_of_another_design_are_marks_and_many_are_bins() {
    let Body::Map(map) = body(&random(400), over_both("end.loss")) else { panic!("marks") };
    assert!(matches!(&map.ground, Ground::Axes { at, .. } if at.len() == 400));
    let phase = cells(&random(6000), over_both("end.loss"));
    assert_eq!((phase.across.len(), phase.along.len()), (32, 32), "the root of 6000 / 6, and one");
    // Equal ratios, and equal steps, from the least to the greatest.
    let ratio = phase.across[1] / phase.across[0];
    assert!(phase.across.windows(2).all(|pair| (pair[1] / pair[0] / ratio - 1.0).abs() < 1e-9));
    let all = of(&phase);
    for (cell, &value) in all.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let (column, row) = (cell % 31, cell / 31);
        let middle = (phase.across[column] * phase.across[column + 1]).sqrt().log10()
            + 0.5 * (phase.along[row] + phase.along[row + 1]);
        assert!((value - middle).abs() < 0.5 * (ratio.log10() + 1.0 / 31.0), "{value} {middle}");
    }
    assert!(all.iter().filter(|value| value.is_finite()).count() > 900);
    let phase = cells(&random(50), Phase { bins: Some((5, 2)), ..over_both("end.loss") });
    assert_eq!((phase.across.len(), phase.along.len()), (6, 3));
    // A setting with few values keeps a cell for each.
    let mixed = Phase::new("half", "y", "end.loss");
    let phase = cells(&random(6000), mixed);
    near(&phase.across, &[-0.5, 0.5, 1.5]);
    assert_eq!(phase.along.len(), 65);
}

#[test]
fn a_range_chooses_and_places_that_an_axis_cannot_show_are_left_out() {
    let axes = Axes { x_range: Some((0.05, 2.0)), ..Axes::default() };
    let panel = PanelSpec { axes, ..PanelSpec::new(Contents::Phase(phase("end.loss"))) };
    let figure = draw(&grid(), panel).unwrap();
    let Body::Phase(phase) = &figure.panels[0].body else { panic!() };
    assert_eq!(phase.across.len(), 3);
    let log = Phase { x_scale: Scale::Log, ..Phase::new("half", "y", "end.loss") };
    let phase = cells(&random(6000), log);
    assert_eq!(phase.across.len(), 2, "zero has no logarithm");
    let facets = PanelSpec {
        facet: Some("half".to_owned()),
        ..PanelSpec::new(Contents::Phase(over_both("stages")))
    };
    assert_eq!(draw(&random(2000), facets).unwrap().panels.len(), 2);
    let words = Phase::new("ended", "rank", "end.loss");
    let error = draw(&grid(), PanelSpec::new(Contents::Phase(words))).unwrap_err().to_string();
    assert!(error.contains("by `ended`, but that column holds words"), "{error}");
}
