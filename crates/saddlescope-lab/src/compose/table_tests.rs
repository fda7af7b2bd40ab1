//! Figures of a table alone: what works, what says that it does not, and what comes without asking.

use saddlescope::analysis::scaling::Point;
use saddlescope_draw as draw;
use saddlescope_spec::figure::{Bars, Reduce, Table};

use super::tests::fitted;
use super::*;
use super::{Source, compose, default_figure};
use crate::plan::VariedSetting;

/// Times that fall with the square of the scale, for two ranks and five seeds.
fn law() -> RunTable {
    let scale = |row: usize| 1e-3 * 10f64.powf((row % 10) as f64 / 4.0);
    let rank = |row: usize| 1 + (row / 10 % 2) as i64;
    let time = |row: usize| rank(row) as f64 * scale(row).powi(-2) * (0.5 + even(row, 0.618_034));
    let all = || 0..100;
    table_of(vec![
        Column::integers("seed", all().map(|row| Some(row as i64 / 20))),
        Column::numbers("scale", all().map(|row| Some(scale(row)))),
        Column::integers("rank", all().map(|row| Some(rank(row)))),
        Column::numbers("end.loss", all().map(|row| Some(scale(row)))),
        Column::integers("stages", all().map(|_| Some(1))),
        Column::numbers("stage.1.time", all().map(|row| Some(time(row)))),
        Column::numbers("stage.2.time", all().map(|row| (row % 10 < 4).then(|| 3.0 * time(row)))),
    ])
}

fn points(x: &str, y: &str, seeds: SeedsAs, fit: bool) -> PanelSpec {
    let (x, y) = (x.to_owned(), vec![y.to_owned()]);
    PanelSpec::new(Contents::Points(Points { x, y, seeds, fit, ..Points::defaults() }))
}

fn law_of(table: &RunTable, rank: f64) -> FitResult {
    let number = |name: &str, row| table.column(name).unwrap().number(row).unwrap();
    let rows = || (0..100).filter(|&row| number("rank", row) == rank);
    let point = |row| Point {
        x: number("scale", row),
        y: Some(number("stage.1.time", row)),
        seed: number("seed", row) as u64,
    };
    fitted(["scale", "stage.1.time"], &rows().map(point).collect::<Vec<_>>(), rows(), -2.0)
}

#[test]
fn a_scaling_law_of_a_table_has_spread_interval_and_theory() {
    let table = law();
    let fits = [law_of(&table, 1.0), law_of(&table, 2.0)];
    let varied = ["scale".to_owned(), "rank".to_owned()];
    let source =
        Source { runs: None, table: &table, varied: &varied, fits: &fits, label: &|_| None };
    let spec = FigureSpec::new(1, vec![points("scale", "stage.1.time", SeedsAs::Band, true)]);
    let figure = compose(&spec, source, "").unwrap();
    let Body::Chart(chart) = &figure.panels[0].body else { panic!() };
    let count = |of: fn(&Mark) -> bool| chart.marks.iter().filter(|mark| of(mark)).count();
    let bands = count(|mark| matches!(mark.shape, Shape::Band { .. }));
    assert_eq!(bands, 4, "spread and interval of either rank");
    assert_eq!(count(|mark| mark.ink.dash == Dash::Dashed), 2, "theory's");
    let first = chart.marks.iter().find(|mark| mark.label.as_deref() == Some("rank = 1")).unwrap();
    let Shape::Points { x, y, .. } = &first.shape else { panic!("{first:?}") };
    assert_eq!(x.len(), 10);
    let mut own: Vec<f64> = [0, 20, 40, 60, 80]
        .map(|row| table.column("stage.1.time").unwrap().number(row).unwrap())
        .to_vec();
    own.sort_by(f64::total_cmp);
    assert_eq!(y[0], own[2], "the median over seeds");
}

#[test]
fn what_a_table_lacks_is_said_with_what_it_has() {
    let over = |x: &str| points(x, "end.loss", SeedsAs::Each, false);
    let facet = PanelSpec { facet: Some("x".into()), ..over("y") };
    let only = PanelSpec { only: vec!["x = 7".into()], ..over("y") };
    for (table, panel, words) in [
        (
            law(),
            PanelSpec::over_time(&["loss"]),
            &["kind = \"lines\"", "phase, points, bars, map"][..],
        ),
        (
            law(),
            over("scale").beside(&["levels"]),
            &["the prediction `levels`, which theory makes for"],
        ),
        (law(), over("scal"), &["did you mean `scale`?"]),
        (random(200), facet, &["facet = \"x\", which has 200 values"]),
        (random(200), only, &["no run has `x = 7`", "..."]),
    ] {
        let message = draw(&table, panel).unwrap_err().to_string();
        assert!(words.iter().all(|words| message.contains(words)), "{message}");
    }
}

#[test]
fn bars_and_tables_are_made_of_rows_too() {
    let bars = Contents::Bars(Bars { y: vec!["stage.*.time".into()], y_scale: Scale::Log });
    let only = vec!["scale = 0.001".to_owned()];
    let panel = PanelSpec { only, ..PanelSpec::new(bars) };
    let Body::Bars(bars) = draw(&law(), panel).unwrap().panels.remove(0).body else { panic!() };
    assert_eq!((bars.groups.len(), bars.series.len()), (2, 2));
    let columns = vec!["scale".to_owned(), "stages".to_owned()];
    let table = draw(&law(), PanelSpec::new(Contents::Table(Table { columns }))).unwrap();
    let Body::Table(cells) = &table.panels[0].body else { panic!() };
    assert_eq!((cells.rows.len(), cells.rows[0][0].as_str()), (100, "0.001"));
}

fn swept(key: &str, values: [&str; 3]) -> VariedSetting {
    let value =
        |text: &str| text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Number);
    VariedSetting { key: key.to_owned(), values: values.map(value).into(), law: None }
}

#[test]
fn a_sweep_without_a_figure_gets_one_for_its_axes() {
    let (log, linear, words) = (["1", "10", "100"], ["1", "2", "3"], ["a", "b", "c"]);
    let two = default_figure(&random(600), &[swept("x", log), swept("y", linear)]);
    for (panel, value) in two.panels.iter().zip(["stages", "end.loss"]) {
        let Contents::Phase(phase) = &panel.contents else { panic!("{panel:?}") };
        let expected = (value, Scale::Log, Scale::Linear);
        assert_eq!((phase.value.as_str(), phase.x_scale, phase.y_scale), expected);
    }
    assert_eq!((two.panels.len(), two.whole.columns, &two.whole.title), (2, 2, &None));
    let all = [swept("half", words), swept("x", log), swept("y", linear)];
    let more = default_figure(&random(600), &all);
    assert_eq!(more.whole.title.as_deref(), Some("x and y, whatever half and the seed"));
    let one = default_figure(&law(), &[swept("scale", log), swept("rank", words)]);
    let Contents::Points(Points { y, y_scale, .. }) = &one.panels[0].contents else { panic!() };
    assert_eq!((y.as_slice(), *y_scale), (&["end.loss".to_owned()][..], Scale::Log));
    let Contents::Points(Points { y, .. }) = &one.panels[1].contents else { panic!() };
    assert_eq!(y, &["stage.*.time"]);
    let none = default_figure(&law(), &[swept("rank", words)]);
    assert!(matches!(none.panels[0].contents, Contents::Bars(_)));
    for (table, spec) in [(random(600), two), (law(), one), (law(), none)] {
        let varied = ["x", "y", "half", "scale", "rank"].map(str::to_owned);
        let varied: Vec<String> =
            varied.into_iter().filter(|name| table.column(name).is_some()).collect();
        let source =
            Source { runs: None, table: &table, varied: &varied, fits: &[], label: &|_| None };
        assert!(compose(&spec, source, "").is_ok());
    }
}

#[test]
fn many_rows_are_drawn_in_small_files() {
    let table = random(200_000);
    let phase = PanelSpec::new(Contents::Phase(over_both("end.loss")));
    for panel in [phase, points("x", "end.loss", SeedsAs::Each, false)] {
        let svg = draw(&table, panel).unwrap().draw().svg();
        assert!(svg.len() < 600_000, "{}", svg.len());
    }
}

// Phase diagrams of tables whose cells are known on paper.

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
