//! Figures of a table alone: what works, what says that it does not, and what comes without asking.

use saddlescope::analysis::scaling::Point;
use saddlescope_draw::{Body, Dash, Mark, Shape};
use saddlescope_spec::figure::{
    Bars, Contents, FigureSpec, PanelSpec, Points, Scale, SeedsAs, Table,
};
use saddlescope_spec::settings::Value;

use super::phase_tests::{draw, even, over_both, random, table_of};
use super::tests::fitted;
use super::{Source, compose, default_figure};
use crate::fits::FitResult;
use crate::plan::{Column, RunTable, VariedSetting};

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
