use saddlescope::analysis::scaling::{Law, Options, Point, fit};
use saddlescope::trajectory::{Series, Trajectory};
use saddlescope_draw::{Body, Chart, Colour, Figure, Ground, Map, Mark, Marker, Tints};
use saddlescope_spec::figure::{
    self, Bars, ColourBy, Contents, FigureSpec, Heatmap, Instants, Lines, PanelSpec, Points,
    SeedsAs,
};
use saddlescope_spec::outcome::Outcome;
use saddlescope_spec::prediction::{Prediction, Says, Scaling};
use saddlescope_spec::settings::Value;

use super::{ComposeError, Material, Shown, check, compose};
use crate::fits::Fitted;
use crate::plan::{Changes, Plan, RunRow, RunTable};
use crate::registry::tests::ALL;

/// A loss that falls from 1 to 0 at time `jump`, keys with two entries, a recall of two rows of three entries
/// that grow with `jump`, and two parts. Two steps are taken between samples.
fn trajectory(jump: f64) -> Trajectory {
    let time: Vec<f64> =
        std::iter::once(0.0).chain((0..60).map(|i| 10f64.powf(f64::from(i) / 15.0))).collect();
    let loss: Vec<f64> = time.iter().map(|t| 1.0 / (1.0 + (t / jump).powi(4))).collect();
    let key: Vec<f64> = time.iter().flat_map(|t| [*t, -t]).collect();
    let recall: Vec<f64> = time.iter().flat_map(|_| (1..7).map(|i| f64::from(i) * jump)).collect();
    let step = (0..time.len() as u64).map(|row| 2 * row).collect();
    let zero = vec![0.0; time.len()];
    let series = vec![
        Series::new("loss", vec![], loss),
        Series::new("head.0.key", vec![1, 2], key.clone()),
        Series::new("head.1.key", vec![1, 2], key),
        Series::new("recall", vec![2, 3], recall),
        Series::new("part.0", vec![], time.clone()),
        Series::new("part.1", vec![], zero),
    ];
    Trajectory::new(time, step, series, Vec::new())
}

pub(super) struct Setting {
    plan: Plan,
    trajectories: Vec<Trajectory>,
}

impl Setting {
    /// Runs with two ranks and three seeds, that jump at 100 times the rank plus the seed.
    pub(super) fn new() -> Self {
        let text =
            "seeds = 3\n[system]\nname = \"linear-attention\"\n[vary]\nsystem.rank = [1, 2]\n";
        let plan = Plan::from_text("test", text, &Changes::default(), &ALL).unwrap();
        let jump = |m: &crate::plan::Member| match m.varied[0].1 {
            Value::Integer(rank) => 100.0 * rank as f64 + m.seed as f64,
            _ => unreachable!(),
        };
        let trajectories = plan.members.iter().map(|m| trajectory(jump(m))).collect();
        Self { plan, trajectories }
    }

    pub(super) fn compose(&self, panel: PanelSpec) -> Result<Figure, ComposeError> {
        let member = |(row, trajectory): (usize, _)| {
            let member = &self.plan.members[row];
            Shown {
                row,
                arm: None,
                varied: &member.varied,
                seed: member.seed,
                trajectory,
                crossings: vec![Some(100.0), None],
                on_clock: true,
                at_rest: true,
                known: ["levels", "first-jump", "jumps", "recalled"]
                    .map(str::to_owned)
                    .to_vec()
                    .leak(),
                graph: None,
                sketch: &super::NO_SKETCH,
                predictions: vec![
                    Prediction {
                        name: "levels".into(),
                        label: "Eq. (5)".into(),
                        of: "loss".into(),
                        says: Says::Levels(vec![1.0, 0.0]),
                    },
                    Prediction {
                        name: "first-jump".into(),
                        label: "small start".into(),
                        of: "crossing.1".into(),
                        says: Says::Number(7.0 + row as f64),
                    },
                    Prediction {
                        name: "jumps".into(),
                        label: "Eq. (9)".into(),
                        of: "time".into(),
                        says: Says::Instants(vec![100.0 + row as f64, 1e9]),
                    },
                    Prediction {
                        name: "recalled".into(),
                        label: "limit".into(),
                        of: "recall".into(),
                        says: Says::Matrix {
                            title: String::new(),
                            shape: (2, 3),
                            values: (0..6).map(f64::from).collect(),
                            rows: Vec::new(),
                        },
                    },
                ]
                .leak(),
            }
        };
        let runs: Vec<_> = self.trajectories.iter().enumerate().map(member).collect();
        // The fourth run came to nothing in its world's words.
        let order = |i: usize| match i {
            3 => Vec::new(),
            i => vec![Outcome::new("order", if i % 2 == 0 { "1-2" } else { "2-1" })],
        };
        let row = |i: usize| RunRow {
            crossings: vec![Some(10.0 * i as f64)],
            outcomes: order(i),
            ..RunRow::default()
        };
        let rows: Vec<_> = (0..runs.len()).map(|i| Some(row(i))).collect();
        let table = RunTable::new(&self.plan, &rows);
        let label = |name: &str| (name == "loss").then(|| "loss $L$".to_owned());
        let fits = [fitted()];
        let material = Material { runs: &runs, table: &table, fits: &fits, label: &label };
        compose(&FigureSpec::new(2, vec![panel]), material, "caption")
    }

    pub(super) fn chart(&self, panel: PanelSpec) -> Chart {
        match self.compose(panel).unwrap().panels.remove(0).body {
            Body::Chart(chart) => chart,
            other => panic!("{other:?}"),
        }
    }
}

/// A law of exponent -2 through runs of all rows, where theory says -1.
fn fitted() -> Fitted {
    let point = |(x, seed): (f64, u64)| Point { x, y: Some(9.0 / (x * x)), seed };
    let points: Vec<Point> =
        [1.0, 2.0, 4.0].into_iter().flat_map(|x| [(x, 0), (x, 1)]).map(point).collect();
    let says = Scaling {
        x: "system.rank".into(),
        y: "crossing.1".into(),
        law: Law::Power,
        slope: -1.0,
        source: "a test".into(),
        holds: "never".into(),
    };
    Fitted {
        x: "system.rank".into(),
        y: "crossing.1".into(),
        group: Vec::new(),
        rows: (0..6).collect(),
        outcome: Ok(fit(&points, Law::Power, Options::default()).unwrap()),
        other: None,
        theory: Some(says),
        agreement: None,
    }
}

fn points(colour: ColourBy, fit: bool) -> PanelSpec {
    let (x, y) = ("system.rank".into(), vec!["crossing.1".into()]);
    PanelSpec::new(Contents::Points(Points { x, y, colour, fit, ..Points::defaults() }))
}

#[test]
fn points_are_coloured_by_what_runs_are_and_laws_lie_beside_them() {
    let setting = Setting::new();
    let marks = setting.chart(points(ColourBy::Auto, true).beside(&["first-jump"])).marks;
    let counts = marks.iter().filter_map(|mark| match mark {
        Mark::Points { x, label: None, .. } => Some(x.len()),
        _ => None,
    });
    assert_eq!(counts.collect::<Vec<_>>(), [6]);
    let [x, low, high] = band(&marks);
    assert!(
        (x[0] - 1.0).abs() < 1e-12 && (low[0] - 9.0).abs() < 1e-9 && (high[0] - 9.0).abs() < 1e-9
    );
    for (label, slope) in [("theory: $x^{-1}$", -1.0), ("fit: $x^{-2.00}$", -2.0)] {
        let [x, y] = line(&marks, label);
        let last = x.len() - 1;
        assert!(((y[last] / y[0]).ln() / (x[last] / x[0]).ln() - slope).abs() < 1e-9, "{label}");
    }
    // The medians of 7, 8, 9 and 10, 11, 12.
    assert_eq!(line(&marks, "small start"), [&[1.0, 2.0], &[8.0, 11.0]]);
    let marks = setting.chart(points(ColourBy::Seed, false)).marks;
    let labels: Vec<_> = marks
        .iter()
        .map(|mark| match mark {
            Mark::Points { x, label, .. } => (x.len(), label.clone().unwrap()),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = ["seed 0", "seed 1", "seed 2"].map(|label| (2, label.to_owned()));
    assert_eq!(labels, expected);
}

pub(super) fn lines(seeds: SeedsAs, colour: ColourBy) -> PanelSpec {
    PanelSpec::new(Contents::Lines(Lines { colour, seeds, crossings: true, ..Lines::defaults() }))
}

/// Places, lower and upper values of the first band.
#[track_caller]
pub(super) fn band<'a>(marks: &'a [Mark]) -> [&'a [f64]; 3] {
    let of = |mark: &'a Mark| match mark {
        Mark::Band { x, low, high, .. } => Some([x.as_slice(), low, high]),
        _ => None,
    };
    marks.iter().find_map(of).unwrap_or_else(|| panic!("no band in {marks:?}"))
}

/// Places and values of the line with this label.
#[track_caller]
pub(super) fn line<'a>(marks: &'a [Mark], wanted: &str) -> [&'a [f64]; 2] {
    let of = |mark: &'a Mark| match mark {
        Mark::Line { x, y, label, .. } if label.as_deref() == Some(wanted) => {
            Some([x.as_slice(), y])
        }
        _ => None,
    };
    marks.iter().find_map(of).unwrap_or_else(|| panic!("no line `{wanted}` in {marks:?}"))
}

pub(super) fn labels(chart: &Chart) -> Vec<String> {
    let label = |mark: &Mark| match mark {
        Mark::Line { label, .. } | Mark::Band { label, .. } => label.clone(),
        _ => None,
    };
    chart.marks.iter().filter_map(label).collect()
}

#[test]
fn every_run_is_a_line_and_varied_values_are_explained_once() {
    let chart = Setting::new().chart(lines(SeedsAs::Each, ColourBy::Auto).beside(&["levels"]));
    let drawn = chart.marks.iter().filter(|mark| matches!(mark, Mark::Line { .. })).count();
    assert_eq!(drawn, 6);
    assert_eq!(labels(&chart), ["rank = 1", "rank = 2"]);
    let levels = chart.marks.iter().filter(|mark| matches!(mark, Mark::Level { .. })).count();
    assert_eq!(levels, 2, "levels of six runs are drawn once");
    let instants = chart.marks.iter().filter(|mark| matches!(mark, Mark::Instant { .. })).count();
    assert_eq!(instants, 1, "levels that were not crossed have no line");
    assert_eq!((chart.x.label.as_str(), chart.y.label.as_str()), ("time $t$", "loss $L$"));
    let (start, end) = chart.x.range.unwrap();
    assert!(start > 1.0 && start < 50.0 && end > 8000.0, "the quiet time is cut: {start} {end}");
}

#[test]
fn a_band_holds_all_seeds_and_its_line_is_their_median() {
    let setting = Setting::new();
    let chart = setting.chart(lines(SeedsAs::Band, ColourBy::Auto));
    let ([x, low, high], [_, y]) = (band(&chart.marks), line(&chart.marks, "rank = 1"));
    let exact = |t: f64, seed: f64| 1.0 / (1.0 + (t / (100.0 + seed)).powi(4));
    for i in 0..x.len() {
        // Members have seeds 0, 1, 2; interpolation between rows is all that is lost.
        for (value, seed) in [(low[i], 0.0), (y[i], 1.0), (high[i], 2.0)] {
            assert!((value - exact(x[i], seed)).abs() < 0.01, "{value} at {}", x[i]);
        }
        assert!(low[i] <= y[i] && y[i] <= high[i]);
    }
}

#[test]
fn runs_are_chosen_and_split_into_panels() {
    let setting = Setting::new();
    let panel = PanelSpec {
        only: vec!["seed = 1".into()],
        facet: Some("system.rank".into()),
        title: Some("$R = {}$".into()),
        ..lines(SeedsAs::Each, ColourBy::Auto)
    };
    let figure = setting.compose(panel).unwrap();
    let titles: Vec<_> = figure.panels.iter().map(|panel| panel.title.clone().unwrap()).collect();
    assert_eq!(titles, ["$R = 1$", "$R = 2$"]);
    let Body::Chart(chart) = &figure.panels[1].body else { panic!() };
    let colours = chart.marks.iter().filter_map(|mark| match mark {
        Mark::Line { ink, .. } => Some(ink.colour),
        _ => None,
    });
    assert_eq!(colours.collect::<Vec<_>>(), [Colour::Series(0)]);
}

#[test]
fn what_runs_do_not_have_is_named() {
    let setting = Setting::new();
    let base = || lines(SeedsAs::Each, ColourBy::Auto);
    let message = |panel: PanelSpec| setting.compose(panel).unwrap_err().to_string();
    let only = |text: &str| PanelSpec { only: vec![text.into()], ..base() };
    assert!(message(only("system.rank = 3")).contains("values of `system.rank` are 1, 2"));
    assert!(message(only("rank = 1")).contains("runs differ in system.rank, seed"));
    assert!(message(only("rank")).contains("a name, `=` and a value"));
    assert!(message(base().beside(&["level"])).contains("did you mean `levels`?"));
    let unknown = message(PanelSpec::over_time(&["los"]));
    assert!(unknown.contains("did you mean `loss`?"), "{unknown}");
}

#[test]
fn columns_are_checked_before_anything_runs() {
    let spec = |pattern| FigureSpec::new(1, vec![PanelSpec::over_time(&[pattern])]);
    let columns = ["loss".to_owned(), "head.0.key[0,0]".to_owned(), "head.0.key[0,1]".to_owned()];
    for fine in ["loss", "head.*.key", "head.0.key[0,1]"] {
        assert_eq!(check(&spec(fine), &columns, &[], &super::NO_SKETCH), Ok(()), "{fine}");
    }
    assert!(check(&spec("head.0.value"), &columns, &[], &super::NO_SKETCH).is_err());
}

#[test]
fn a_matrix_is_stacked_from_its_heads() {
    let (matrix, at) = (vec!["head.*.key".into()], Instants::Times(vec![100.0]));
    let panel = PanelSpec::new(Contents::Heatmap(Heatmap { matrix, at, ..Heatmap::defaults() }));
    let figure = Setting::new().compose(panel).unwrap();
    let Body::Heatmaps(maps) = &figure.panels[0].body else { panic!() };
    let map = &maps.maps[0];
    assert_eq!((map.rows, map.columns), (2, 2));
    let t = map.values[0];
    assert!((t - 100.0).abs() < 10.0 && map.values == [t, -t, t, -t]);
}

#[test]
fn bars_are_medians_over_seeds() {
    let contents = Contents::Bars(Bars { y: vec!["crossing.*".into()], ..Bars::defaults() });
    let panel = PanelSpec::new(contents).beside(&["first-jump"]);
    let figure = Setting::new().compose(panel).unwrap();
    let Body::Bars(bars) = &figure.panels[0].body else { panic!() };
    assert_eq!(bars.groups, ["$t_{1}$"]);
    let medians: Vec<_> = bars.series.iter().map(|series| series.values[0]).collect();
    assert_eq!(medians, [Some(10.0), Some(40.0)]);
    assert_eq!(bars.theory, [Some(8.0), Some(11.0)]);
    assert_eq!((bars.series[1].low[0], bars.series[1].high[0]), (Some(30.0), Some(50.0)));
}

fn map(colour: &str, place: figure::Map) -> PanelSpec {
    PanelSpec::new(Contents::Map(figure::Map { colour: colour.into(), ..place }))
}

fn over(x: &str, y: &str) -> figure::Map {
    figure::Map { x: Some(x.into()), y: Some(y.into()), ..figure::Map::defaults() }
}

fn drawn(panel: PanelSpec) -> Map {
    match Setting::new().compose(panel).unwrap().panels.remove(0).body {
        Body::Map(map) => map,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_map_has_a_mark_per_run_and_a_look_per_word() {
    let map = drawn(map("order", over("seed", "crossing.1")));
    let Ground::Axes { x, y, at } = &map.ground else { panic!("{map:?}") };
    assert_eq!((x.label.as_str(), y.label.as_str()), ("seed", "$t_{1}$"));
    let places: Vec<_> = (0..6).map(|i| (f64::from(i % 3), 10.0 * f64::from(i))).collect();
    assert_eq!(at.len(), 6);
    assert!(places.iter().all(|place| at.contains(place)), "{at:?}");
    let Tints::Words { label, kinds, of } = &map.tints else { panic!("{map:?}") };
    assert_eq!((label.as_str(), kinds[0].label.as_str()), ("order", "1-2"));
    assert_eq!((kinds[1].colour, kinds[1].marker), (Colour::Series(1), Marker::Disc));
    assert_eq!(*of, [Some(0), Some(1), Some(0), None, Some(0), Some(1)]);
}

#[test]
fn panels_of_parts_of_the_runs_have_the_same_looks() {
    let mut panel = map("order", over("seed", "crossing.1"));
    panel.only = vec!["seed = 1".into()];
    let map = drawn(panel);
    let Tints::Words { kinds, of, .. } = &map.tints else { panic!("{map:?}") };
    assert_eq!((kinds.len(), of.len()), (2, 2));
}

#[test]
fn numbers_are_on_a_ramp_and_few_whole_numbers_are_words() {
    let triangle = || figure::Map {
        corners: ["seed", "crossing.1", "system.rank"].map(str::to_owned).to_vec(),
        corner_labels: ["a", "b", "c"].map(str::to_owned).to_vec(),
        ..figure::Map::defaults()
    };
    let map_of = |colour| drawn(map(colour, triangle()));
    let map = map_of("crossing.1");
    let Tints::Numbers { axis, of } = &map.tints else { panic!("{map:?}") };
    assert_eq!((axis.label.as_str(), of[5]), ("$t_{1}$", 50.0));
    let Ground::Triangle { corners, at } = &map.ground else { panic!("{map:?}") };
    assert_eq!((corners[2].as_str(), at[0][1], at[5][1]), ("c", 0.0, 50.0));
    let Tints::Words { kinds, .. } = map_of("system.rank").tints else { panic!("words") };
    assert_eq!(kinds.iter().map(|kind| kind.label.as_str()).collect::<Vec<_>>(), ["1", "2"]);
}

#[test]
fn maps_and_tokens_say_what_they_lack() {
    let setting = Setting::new();
    let error = |panel| setting.compose(panel).unwrap_err().to_string();
    assert!(error(map("order", over("order", "seed"))).contains("`order`, but that column holds"));
    assert!(error(map("odrer", over("seed", "seed"))).contains("did you mean `order`?"));
    let tokens = PanelSpec::new(Contents::Tokens);
    assert_eq!(setting.compose(tokens.clone()).unwrap_err(), ComposeError::NoSketch);
    let spec = FigureSpec::new(1, vec![tokens]);
    assert_eq!(check(&spec, &[], &[], &super::NO_SKETCH), Err(ComposeError::NoSketch));
}
