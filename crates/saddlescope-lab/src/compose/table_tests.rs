//! Figures of a table alone: what works, what says that it does not, and what comes without asking.

use saddlescope::analysis::scaling::{Law, Options, Point, fit};
use saddlescope_draw::{Body, Dash, Mark, Shape};
use saddlescope_spec::figure::{
    Bars, Contents, FigureSpec, PanelSpec, Points, Scale, SeedsAs, Table,
};
use saddlescope_spec::prediction::Scaling;

use super::phase_tests::{draw, even, integers, numbers, over_both, random, table_of};
use super::{ComposeError, Source, SweptAxis, compose, default_figure};
use crate::fits::Fitted;
use crate::plan::RunTable;

/// Times that fall with the square of the scale, for two ranks and five seeds.
fn law() -> RunTable {
    let scale = |row: usize| 1e-3 * 10f64.powf((row % 10) as f64 / 4.0);
    let rank = |row: usize| 1 + (row / 10 % 2) as i64;
    let time = |row: usize| rank(row) as f64 * scale(row).powi(-2) * (0.5 + even(row, 0.618_034));
    let all = || 0..100;
    table_of(vec![
        integers("seed", all().map(|row| Some(row as i64 / 20))),
        numbers("scale", all().map(|row| Some(scale(row)))),
        integers("rank", all().map(|row| Some(rank(row)))),
        numbers("end.loss", all().map(|row| Some(scale(row)))),
        integers("stages", all().map(|_| Some(1))),
        numbers("stage.1.time", all().map(|row| Some(time(row)))),
        numbers("stage.2.time", all().map(|row| (row % 10 < 4).then(|| 3.0 * time(row)))),
    ])
}

fn points(x: &str, y: &str, seeds: SeedsAs, fit: bool) -> PanelSpec {
    let (x, y) = (x.to_owned(), vec![y.to_owned()]);
    PanelSpec::new(Contents::Points(Points { x, y, seeds, fit, ..Points::defaults() }))
}

/// The law of the runs of a rank, as `fits` has it.
fn fitted(table: &RunTable, rank: f64) -> Fitted {
    let number = |name: &str, row| table.column(name).unwrap().number(row).unwrap();
    let rows: Vec<usize> = (0..100).filter(|&row| number("rank", row) == rank).collect();
    let point = |&row: &usize| Point {
        x: number("scale", row),
        y: Some(number("stage.1.time", row)),
        seed: number("seed", row) as u64,
    };
    let points: Vec<Point> = rows.iter().map(point).collect();
    Fitted {
        x: "scale".into(),
        y: "stage.1.time".into(),
        group: vec![("rank".into(), rank.to_string())],
        rows,
        outcome: Ok(fit(&points, Law::Power, Options::default()).unwrap()),
        other: None,
        theory: Some(Scaling {
            x: "scale".into(),
            y: "stage.1.time".into(),
            law: Law::Power,
            slope: -2.0,
            source: "on paper".into(),
            holds: String::new(),
        }),
        agreement: None,
    }
}

#[test]
fn a_scaling_law_of_a_table_has_spread_interval_and_theory() {
    let table = law();
    let fits = [fitted(&table, 1.0), fitted(&table, 2.0)];
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
    let error = draw(&law(), PanelSpec::over_time(&["loss"])).unwrap_err();
    assert_eq!(error, ComposeError::NoTrajectories { kind: "lines" });
    let words = error.to_string();
    assert!(
        words.contains("kind = \"lines\"") && words.contains("phase, points, bars, map"),
        "{words}"
    );
    let theory = points("scale", "end.loss", SeedsAs::Each, false).beside(&["levels"]);
    let error = draw(&law(), theory).unwrap_err();
    assert_eq!(error, ComposeError::NoTheory { name: "levels".to_owned() });
    let unknown = draw(&law(), points("scal", "end.loss", SeedsAs::Each, false)).unwrap_err();
    assert!(unknown.to_string().contains("did you mean `scale`?"), "{unknown}");
    let many =
        PanelSpec { facet: Some("x".into()), ..points("y", "end.loss", SeedsAs::Each, false) };
    let error = draw(&random(200), many).unwrap_err();
    assert_eq!(error, ComposeError::TooManyFacets { key: "x".into(), count: 200 });
    let only =
        PanelSpec { only: vec!["x = 7".into()], ..points("y", "end.loss", SeedsAs::Each, false) };
    assert!(draw(&random(200), only).unwrap_err().to_string().contains("..."));
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

fn swept(key: &str, log: bool, number: bool) -> SweptAxis {
    SweptAxis { key: key.to_owned(), log, number }
}

#[test]
fn a_sweep_without_a_figure_gets_one_for_its_axes() {
    let two = default_figure(&random(600), &[swept("x", true, true), swept("y", false, true)]);
    let values: Vec<&str> = two
        .panels
        .iter()
        .map(|panel| match &panel.contents {
            Contents::Phase(phase) => {
                assert_eq!((phase.x_scale, phase.y_scale), (Scale::Log, Scale::Linear));
                phase.value.as_str()
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        (values, two.whole.columns, two.whole.title.clone()),
        (vec!["stages", "end.loss"], 2, None)
    );
    let all = [swept("half", false, false), swept("x", true, true), swept("y", false, true)];
    let more = default_figure(&random(600), &all);
    assert_eq!(more.whole.title.as_deref(), Some("x and y, whatever half and the seed"));
    let one = default_figure(&law(), &[swept("scale", true, true), swept("rank", false, false)]);
    let Contents::Points(Points { y, y_scale, .. }) = &one.panels[0].contents else { panic!() };
    assert_eq!((y.as_slice(), *y_scale), (&["end.loss".to_owned()][..], Scale::Log));
    let Contents::Points(Points { y, .. }) = &one.panels[1].contents else { panic!() };
    assert_eq!(y, &["stage.*.time"]);
    let none = default_figure(&law(), &[swept("rank", false, false)]);
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
