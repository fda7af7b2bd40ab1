//! Panels of toy runs whose numbers are known on paper.

use saddlescope::analysis::scaling::{Options, Point, fit};
use saddlescope_spec::figure::{Bars, Heatmap};

use super::*;
use crate::facts::tests::rested;

/// What is found out before anything runs, of a system without predictions and sketch.
pub(super) fn checked(panel: PanelSpec, columns: &[String]) -> Result<()> {
    check(&FigureSpec::new(1, vec![panel]), columns, &[""; 0], &Sketch::default())
}

/// A loss that falls from 1 to 0 at time `jump`, keys with two entries, a recall of two rows of three entries
/// that grow with `jump`, and two parts. Two steps are taken between samples.
fn trajectory(jump: f64) -> Trajectory {
    let later = (0..60).map(|i| 10f64.powf(f64::from(i) / 15.0));
    let time: Vec<f64> = std::iter::once(0.0).chain(later).collect();
    let loss: Vec<f64> = time.iter().map(|t| 1.0 / (1.0 + (t / jump).powi(4))).collect();
    let key: Vec<f64> = time.iter().flat_map(|t| [*t, -t]).collect();
    let recall: Vec<f64> = time.iter().flat_map(|_| (1..7).map(|i| f64::from(i) * jump)).collect();
    let step = (0..time.len() as u64).map(|row| 2 * row).collect();
    let series = [
        ("loss", vec![], loss),
        ("head.0.key", vec![1, 2], key.clone()),
        ("head.1.key", vec![1, 2], key),
        ("recall", vec![2, 3], recall),
        ("part.0", vec![], time.clone()),
        ("part.1", vec![], vec![0.0; time.len()]),
    ];
    let series = series.map(|(name, shape, values)| Series::new(name, shape, values));
    Trajectory::new(time, step, series.into(), Vec::new())
}

/// Runs with two ranks and three seeds, that jump at 100 times the rank plus the seed.
pub(super) struct Toy {
    plan: Plan,
    runs: Vec<RunResult>,
}

/// What theory says about the run of a row: name, label, what it is about, and what it says.
fn predictions(row: usize) -> Vec<Prediction> {
    let (title, rows) = (String::new(), Vec::new());
    let values = (0..6).map(f64::from).collect();
    let all = [
        ("levels", "Eq. (5)", "loss", Says::Levels(vec![1.0, 0.0])),
        ("first-jump", "small start", "crossing.1", Says::Number(7.0 + row as f64)),
        ("jumps", "Eq. (9)", "time", Says::Instants(vec![100.0 + row as f64, 1e9])),
        ("recalled", "limit", "recall", Says::Matrix { title, shape: (2, 3), values, rows }),
    ];
    let prediction = |(name, label, of, says): (&str, &str, &str, Says)| Prediction {
        name: name.into(),
        label: label.into(),
        of: of.into(),
        says,
    };
    all.map(prediction).into()
}

/// A run that came to rest, and crossed the first of two levels.
fn run(row: usize, member: &Member) -> RunResult {
    let Value::Integer(rank) = member.varied[0].1 else { unreachable!() };
    let trajectory = trajectory(100.0 * rank as f64 + member.seed as f64);
    let end = rested(0.0, &[Some(100.0), None]);
    let problem = ProblemFacts {
        predictions: predictions(row).into_iter().map(|said| said.name).collect(),
        ..ProblemFacts::bare(Blocks::new(), &trajectory, Vec::new())
    };
    let finished = RunEnding { trajectory, state: None, end, seconds: 0.0, simd: simd::level() };
    let facts = RunFacts::bare(&member.experiment, &finished, Hash::of_bytes(b""));
    RunResult {
        trajectory: finished.trajectory,
        start: Vec::new(),
        state: None,
        facts: RunFacts { predictions: predictions(row), ..facts },
        problem: problem.into(),
        origin: None,
        graph: None,
    }
}

impl Toy {
    pub(super) fn new() -> Self {
        let text =
            "seeds = 3\n[system]\nname = \"linear-attention\"\n[vary]\nsystem.rank = [1, 2]\n";
        let plan = Plan::from_text("test", text, &Changes::default(), &ALL).unwrap();
        let runs = plan.members.iter().enumerate().map(|(row, member)| run(row, member)).collect();
        Self { plan, runs }
    }

    pub(super) fn compose(&self, panel: PanelSpec) -> Result<Figure> {
        let both = self.runs.iter().zip(&self.plan.members).enumerate();
        let runs: Vec<_> =
            both.map(|(row, (result, member))| RunView { row, member, result }).collect();
        // The fourth run came to nothing in its system's words.
        let order = |i: usize| match i {
            3 => Vec::new(),
            i => vec![Outcome::new("order", if i % 2 == 0 { "1-2" } else { "2-1" })],
        };
        let row =
            |i: usize| RunRow::new(&rested(0.0, &[Some(10.0 * i as f64)]), 0.0, None, &order(i));
        let rows: Vec<_> = (0..runs.len()).map(|i| Some(row(i))).collect();
        let table = RunTable::new(&self.plan, &rows);
        // A law of exponent -2 through runs of all rows, where theory says -1.
        let point = |(x, seed)| Point { x, y: Some(9.0 / (x * x)), seed };
        let both = [1.0, 2.0, 4.0].into_iter().flat_map(|x| [(x, 0), (x, 1)]);
        let points: Vec<Point> = both.map(point).collect();
        let source = Source {
            runs: Some(&runs),
            table: &table,
            varied: &["system.rank".to_owned()],
            fits: &[fitted(["system.rank", "crossing.1"], &points, 0..6, -1.0)],
            label: &|name| (name == "loss").then(|| "loss $L$".to_owned()),
        };
        compose(&FigureSpec::new(2, vec![panel]), source, "caption")
    }

    pub(super) fn body(&self, panel: PanelSpec) -> Body {
        self.compose(panel).unwrap().panels.remove(0).body
    }

    pub(super) fn chart(&self, panel: PanelSpec) -> Chart {
        let Body::Chart(chart) = self.body(panel) else { panic!("no chart") };
        chart
    }
}

/// A power law fitted to points, where theory says another slope.
pub(super) fn fitted(
    [x, y]: [&str; 2],
    points: &[Point],
    rows: impl Iterator<Item = usize>,
    slope: f64,
) -> FitResult {
    let [x, y] = [x, y].map(str::to_owned);
    let (source, holds) = ("a test".to_owned(), "never".to_owned());
    FitResult {
        theory: Some(Scaling { x: x.clone(), y: y.clone(), law: Law::Power, slope, source, holds }),
        x,
        y,
        group: Vec::new(),
        rows: rows.collect(),
        outcome: Ok(fit(points, Law::Power, Options::default()).unwrap()),
        other: None,
        agreement: None,
    }
}

fn points(colour: ColourBy, fit: bool) -> PanelSpec {
    let (x, y) = ("system.rank".into(), vec!["crossing.1".into()]);
    PanelSpec::new(Contents::Points(Points { x, y, colour, fit, ..Points::defaults() }))
}

#[test]
fn points_are_coloured_by_what_runs_are_and_laws_lie_beside_them() {
    let toy = Toy::new();
    let marks = toy.chart(points(ColourBy::Auto, true).beside(&["first-jump"])).marks;
    let counts = |marks: &[Mark]| -> Vec<(usize, Option<String>)> {
        let points = marks.iter().filter_map(|mark| match &mark.shape {
            Shape::Points { x, .. } => Some((x.len(), mark.label.clone())),
            _ => None,
        });
        points.collect()
    };
    assert_eq!(counts(&marks), [(6, None)]);
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
    let marks = toy.chart(points(ColourBy::Seed, false)).marks;
    let expected = ["seed 0", "seed 1", "seed 2"].map(|label| (2, Some(label.to_owned())));
    assert_eq!(counts(&marks), expected);
}

pub(super) fn lines(seeds: SeedsAs, colour: ColourBy) -> PanelSpec {
    PanelSpec::new(Contents::Lines(Lines { colour, seeds, crossings: true, ..Lines::defaults() }))
}

/// Places, lower and upper values of the first band.
#[track_caller]
pub(super) fn band(marks: &[Mark]) -> [&[f64]; 3] {
    let band = marks.iter().find_map(|mark| match &mark.shape {
        Shape::Band { x, low, high } => Some([x.as_slice(), low, high]),
        _ => None,
    });
    band.unwrap_or_else(|| panic!("no band in {marks:?}"))
}

/// Places and values of the line with this label.
#[track_caller]
pub(super) fn line<'a>(marks: &'a [Mark], label: &str) -> [&'a [f64]; 2] {
    let line = marks.iter().find_map(|mark| match &mark.shape {
        Shape::Line { x, y } if mark.label.as_deref() == Some(label) => Some([x.as_slice(), y]),
        _ => None,
    });
    line.unwrap_or_else(|| panic!("no line `{label}` in {marks:?}"))
}

pub(super) fn labels(chart: &Chart) -> Vec<String> {
    let curves = chart
        .marks
        .iter()
        .filter(|mark| matches!(mark.shape, Shape::Line { .. } | Shape::Band { .. }));
    curves.filter_map(|mark| mark.label.clone()).collect()
}

#[test]
fn every_run_is_a_line_and_varied_values_are_explained_once() {
    let chart = Toy::new().chart(lines(SeedsAs::Each, ColourBy::Auto).beside(&["levels"]));
    let count = |of: fn(&Shape) -> bool| chart.marks.iter().filter(|mark| of(&mark.shape)).count();
    assert_eq!(count(|shape| matches!(shape, Shape::Line { .. })), 6);
    assert_eq!(labels(&chart), ["rank = 1", "rank = 2"]);
    let levels = count(|shape| matches!(shape, Shape::Level(_)));
    assert_eq!(levels, 2, "levels of six runs are drawn once");
    let instants = count(|shape| matches!(shape, Shape::Instant(_)));
    assert_eq!(instants, 1, "levels that were not crossed have no line");
    assert_eq!((chart.x.label.as_str(), chart.y.label.as_str()), ("time $t$", "loss $L$"));
    let (start, end) = chart.x.range.unwrap();
    assert!(start > 1.0 && start < 50.0 && end > 8000.0, "the quiet time is cut: {start} {end}");
}

#[test]
fn a_drop_is_marked_where_so_much_of_it_is_done() {
    let mut panel = lines(SeedsAs::First, ColourBy::Auto);
    if let Contents::Lines(lines) = &mut panel.contents {
        lines.drop_part = 0.9;
    }
    let marks = Toy::new().chart(panel).marks;
    let at = marks.iter().find_map(|mark| match mark.shape {
        Shape::Instant(time) => Some((time, mark.label.clone())),
        _ => None,
    });
    // 1/(1 + (t/100)^4) has come down to a tenth; it is known at 15 places per decade.
    let (time, label) = at.unwrap();
    assert!((time / (100.0 * 9f64.powf(0.25)) - 1.0).abs() < 0.02, "{time}");
    assert_eq!(label.as_deref(), Some("$t_{1}$"));
}

#[test]
fn a_band_holds_all_seeds_and_its_line_is_their_median() {
    let toy = Toy::new();
    let chart = toy.chart(lines(SeedsAs::Band, ColourBy::Auto));
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
    let toy = Toy::new();
    let panel = PanelSpec {
        only: vec!["seed = 1".into()],
        facet: Some("system.rank".into()),
        title: Some("$R = {}$".into()),
        ..lines(SeedsAs::Each, ColourBy::Auto)
    };
    let figure = toy.compose(panel).unwrap();
    let titles: Vec<_> = figure.panels.iter().map(|panel| panel.title.clone().unwrap()).collect();
    assert_eq!(titles, ["$R = 1$", "$R = 2$"]);
    let Body::Chart(chart) = &figure.panels[1].body else { panic!() };
    let lines = chart.marks.iter().filter(|mark| matches!(mark.shape, Shape::Line { .. }));
    assert_eq!(lines.map(|mark| mark.ink.colour).collect::<Vec<_>>(), [Colour::Series(0)]);
}

#[test]
fn what_runs_do_not_have_is_named() {
    let toy = Toy::new();
    let base = || lines(SeedsAs::Each, ColourBy::Auto);
    let only = |text: &str| PanelSpec { only: vec![text.into()], ..base() };
    for (panel, words) in [
        (only("system.rank = 3"), "values of `system.rank` are 1, 2"),
        (only("rank = 1"), "runs differ in system.rank, seed"),
        (only("rank"), "a name, `=` and a value"),
        (base().beside(&["level"]), "did you mean `levels`?"),
        (PanelSpec::over_time(&["los"]), "did you mean `loss`?"),
        (map("order", over("order", "seed")), "`order`, but that column holds"),
        (map("odrer", over("seed", "seed")), "did you mean `order`?"),
    ] {
        let message = toy.compose(panel).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
    let tokens = PanelSpec::new(Contents::Tokens);
    for error in [toy.compose(tokens.clone()).unwrap_err(), checked(tokens, &[]).unwrap_err()] {
        assert!(error.to_string().contains("has no sketch"), "{error}");
    }
}

#[test]
fn columns_are_checked_before_anything_runs() {
    let columns = ["loss".to_owned(), "head.0.key[0,0]".to_owned(), "head.0.key[0,1]".to_owned()];
    for fine in ["loss", "head.*.key", "head.0.key[0,1]"] {
        assert!(checked(PanelSpec::over_time(&[fine]), &columns).is_ok(), "{fine}");
    }
    assert!(checked(PanelSpec::over_time(&["head.0.value"]), &columns).is_err());
}

#[test]
fn a_matrix_is_stacked_from_its_heads() {
    let (matrix, at) = (vec!["head.*.key".into()], Instants::Times(vec![100.0]));
    let panel = PanelSpec::new(Contents::Heatmap(Heatmap { matrix, at, ..Heatmap::defaults() }));
    let Body::Heatmaps(maps) = Toy::new().body(panel) else { panic!() };
    let map = &maps.maps[0];
    assert_eq!((map.rows, map.columns), (2, 2));
    let t = map.values[0];
    assert!((t - 100.0).abs() < 10.0 && map.values == [t, -t, t, -t]);
}

#[test]
fn bars_are_medians_over_seeds() {
    let contents = Contents::Bars(Bars { y: vec!["crossing.*".into()], ..Bars::defaults() });
    let panel = PanelSpec::new(contents).beside(&["first-jump"]);
    let Body::Bars(bars) = Toy::new().body(panel) else { panic!() };
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
    let Body::Map(map) = Toy::new().body(panel) else { panic!("no map") };
    map
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
fn plateaus_that_theory_does_not_know_are_those_found() {
    let mut toy = Toy::new();
    toy.runs[0].facts.end.crossings.clear();
    let titles = |toy: &Toy| -> Vec<String> {
        let view = RunView { row: 0, member: &toy.plan.members[0], result: &toy.runs[0] };
        let rows = super::matrix::rows(&Instants::Plateaus, None, &view);
        rows.into_iter().map(|(title, _)| title).collect()
    };
    let ends = titles(&toy);
    assert!(ends.len() == 2 && ends.iter().all(|title| title.starts_with("$t")), "{ends:?}");
    let found = toy.runs[0].find_stages("loss", &Default::default());
    toy.runs[0].facts.set_stages(found);
    assert_eq!(titles(&toy), ["plateau 1", "plateau 2"]);
}
