//! Whole figures: whatever the data, a sane picture, the same every time.

use proptest::prelude::*;

use super::*;
use crate::scene::{Drawing, Item, Point, Rect, Role, Step, Words};

/// A figure of one panel with this body.
pub(crate) fn drawn(body: Body) -> Drawing {
    Figure { panels: vec![Panel::new(body).titled("title")], ..Figure::default() }.draw()
}

pub(crate) fn chart_of(marks: Vec<Mark>) -> Body {
    Body::Chart(Chart { x: Axis::linear("x"), y: Axis::linear("y"), marks })
}

fn line(data: &[(f64, f64)]) -> Mark {
    let (x, y) = data.iter().copied().unzip();
    Mark::line(x, y, Ink::line(Colour::Series(0))).named("data".to_owned())
}

pub(crate) fn rect(words: &Words) -> Rect {
    let (left, top, right, bottom) = words.bounds();
    Rect { left, top, right, bottom }
}

/// The box around the words with this source.
#[track_caller]
fn find(drawing: &Drawing, source: &str) -> Rect {
    rect(drawing.words().iter().find(|words| words.source == source).expect("there"))
}

fn sources(drawing: &Drawing, role: Role) -> Vec<String> {
    drawing.words().iter().filter(|w| w.role == role).map(|w| w.source.clone()).collect()
}

pub(crate) fn points(items: &[Item]) -> Vec<Point> {
    let of = |item: &Item| match item {
        Item::Fill { path, .. } | Item::Stroke { path, .. } => path
            .iter()
            .flat_map(|step| match *step {
                Step::Move(p) | Step::Line(p) => vec![p],
                Step::Quad(c, p) => vec![c, p],
                Step::Cubic(c, d, p) => vec![c, d, p],
                Step::Close => vec![],
            })
            .collect(),
        Item::Clip { items, .. } => points(items),
        Item::Words(_) => vec![],
    };
    items.iter().flat_map(of).collect()
}

/// The filled rectangles of a drawing with their colours.
pub(crate) fn cells(drawing: &Drawing) -> Vec<(Rect, crate::colour::Rgb)> {
    let cell = |item: &Item| {
        let Item::Fill { path, colour, .. } = item else { return None };
        let corners = points(std::slice::from_ref(item));
        let ((left, top), (right, bottom)) = (*corners.first()?, *corners.get(2)?);
        (path.len() == 5).then_some((Rect { left, top, right, bottom }, *colour))
    };
    drawing.items.iter().filter_map(cell).collect()
}

/// The clip of a chart, and what is drawn in it.
fn clip(drawing: &Drawing) -> (&[Item], &Rect) {
    let clip = drawing.items.iter().find_map(|item| match item {
        Item::Clip { items, to } => Some((items.as_slice(), to)),
        _ => None,
    });
    clip.expect("marks")
}

/// What holds for every drawing: nothing leaves the page, and numbers at ticks do not touch.
fn check(drawing: &Drawing) {
    assert!(drawing.height > 0.0 && drawing.height.is_finite());
    let page = Rect::new(0.0, 0.0, drawing.width, drawing.height).grown(0.5);
    for point in points(&drawing.items) {
        assert!(page.contains(point), "{point:?} on {page:?}");
    }
    let words = drawing.words();
    for one in &words {
        let (left, top, right, bottom) = one.bounds();
        assert!(page.contains((left, top)) && page.contains((right, bottom)), "{:?}", one.source);
    }
    for role in [Role::TickX, Role::TickY] {
        let upright: Vec<_> = words.iter().filter(|w| w.role == role && w.angle == 0.0).collect();
        for (number, one) in upright.iter().enumerate() {
            for other in &upright[number + 1..] {
                assert!(!rect(one).overlaps(&rect(other)), "{:?} {:?}", one.source, other.source);
            }
        }
    }
    let svg = drawing.svg();
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..10.0f64,
        2 => (-300..300i32, -9.0..9.0f64).prop_map(|(e, m)| m * 10f64.powi(e)),
        1 => prop::sample::select(vec![
            0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN,
            f64::MIN_POSITIVE, 5e-324, 1.0, 1.0 + 1e-15,
        ]),
    ]
}

fn values(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(value(), 0..most)
}

fn axis() -> impl Strategy<Value = Axis> {
    (any::<bool>(), prop::option::weighted(0.3, (value(), value()))).prop_map(|(log, range)| Axis {
        range,
        ..if log { Axis::log("axis $t$") } else { Axis::linear("axis") }
    })
}

/// Colours by numbers, or by words that follow from them.
fn tints() -> impl Strategy<Value = Tints> {
    (any::<bool>(), axis(), values(60)).prop_map(|(words, axis, of)| {
        let kind = |k: usize| MapKind {
            label: format!("word {k}"),
            colour: Colour::Series(k),
            marker: Marker::Square,
        };
        match words {
            true => Tints::Words {
                label: "words".into(),
                kinds: (0..4).map(kind).collect(),
                of: of.iter().map(|v| v.is_finite().then_some(v.abs() as usize % 5)).collect(),
            },
            false => Tints::Numbers { axis, of },
        }
    })
}

fn any_chart() -> impl Strategy<Value = Body> {
    let data = prop::collection::vec((value(), value()), 0..12);
    (axis(), axis(), data, value(), value()).prop_map(|(x, y, data, level, instant)| {
        let (across, low): (Vec<f64>, Vec<f64>) = data.iter().copied().unzip();
        let high = low.iter().map(|v| v + 1.0).collect();
        let ink = Ink::line(Colour::Ramp(level));
        let marks = vec![
            line(&data),
            Mark::points(across.clone(), low.clone(), Marker::Ring, ink),
            Mark::band(across, low, high, ink).named("band".to_owned()),
            Mark::new(Shape::Level(level), Ink::theory()).named("level".to_owned()),
            Mark::new(Shape::Instant(instant), ink),
        ];
        Body::Chart(Chart { x, y, marks })
    })
}

fn any_phase() -> impl Strategy<Value = Body> {
    let filled = prop::collection::vec(any::<bool>(), 0..60);
    let all = (axis(), axis(), [values(8), values(8)], values(60), tints(), filled, any::<bool>());
    all.prop_map(|(x, y, mut edges, of, tints, filled, ascending)| {
        if ascending {
            edges.iter_mut().for_each(|edges| edges.sort_by(f64::total_cmp));
        }
        let below = of.iter().map(|v| (*v != 0.0).then_some(*v > 1.0)).collect();
        let boundary = vec![Boundary { label: "line".into(), below }];
        let [across, along] = edges;
        Body::Phase(Phase { x, y, across, along, tints, filled, boundary })
    })
}

fn any_bars() -> impl Strategy<Value = Body> {
    let values = prop::collection::vec(prop::option::of(value()), 0..12);
    (axis(), values, 0..6usize).prop_map(|(y, values, groups)| {
        let series = |k: usize| BarSeries {
            label: Some("series".into()),
            ink: Ink::line(Colour::Series(k)),
            values: values.iter().copied().skip(k).collect(),
            low: values.iter().copied().skip(k + 1).collect(),
            high: values.clone(),
        };
        Body::Bars(Bars {
            y,
            x_label: "groups".into(),
            groups: (0..groups).map(|g| format!("group {g}")).collect(),
            series: (0..groups.min(3)).map(series).collect(),
            theory: values.clone(),
        })
    })
}

fn any_matrices() -> impl Strategy<Value = Body> {
    let all = (values(12), 0..6usize, 0..9usize, 0..9usize, any::<bool>());
    all.prop_map(|(values, count, rows, columns, symmetric)| {
        let map = Heatmap {
            title: "map".into(),
            rows,
            columns,
            values,
            row_labels: (0..rows).map(|r| r.to_string()).collect(),
            column_labels: (0..columns).map(|c| c.to_string()).collect(),
        };
        Body::Heatmaps(Heatmaps { maps: vec![map; count], symmetric, label: "value".into() })
    })
}

fn any_map() -> impl Strategy<Value = Body> {
    let data = prop::collection::vec((value(), value(), value()), 0..30);
    (axis(), axis(), data, tints(), any::<bool>()).prop_map(|(x, y, data, tints, triangle)| {
        let ground = match triangle {
            true => Ground::Triangle {
                corners: ["left", "right $b$", "top"].map(str::to_owned),
                at: data.iter().map(|&(a, b, c)| [a, b, c]).collect(),
            },
            false => Ground::Axes { x, y, at: data.iter().map(|&(a, b, _)| (a, b)).collect() },
        };
        Body::Map(Map { ground, tints })
    })
}

fn any_image() -> impl Strategy<Value = Body> {
    let numbers = (0..40usize, 0..100_000usize, 0..5usize, any::<bool>());
    let all = (axis(), axis(), values(12), values(90), numbers, value());
    all.prop_map(|(x, colours, at, values, (entries, first, group, named), instant)| {
        let names = (0..entries).map(|i| "long name of an entry ".repeat(i % 4)).collect();
        Body::Image(Image {
            x,
            first,
            names: if named { names } else { Vec::new() },
            group,
            colours,
            instants: vec![(instant, Ink::theory(), "Eq. (1)".into()); 2],
            ..image(at, entries, values)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 4))]

    #[test]
    fn any_panel_is_a_sane_picture(
        body in prop_oneof![
            any_chart(), any_phase(), any_bars(), any_matrices(), any_map(), any_image(),
        ],
        width in prop::sample::select(vec![Width::Column, Width::Page, Width::Slide]),
    ) {
        let panels = vec![Panel::new(body).titled("title")];
        check(&Figure { width, panels, ..Figure::default() }.draw());
    }
}

#[test]
fn figures_have_the_width_that_was_asked_for() {
    for (width, millimetres, attribute) in [
        (Width::Column, 86.0, "width=\"86mm\""),
        (Width::Page, 178.0, "width=\"178mm\""),
        (Width::Slide, 254.0, "width=\"254mm\""),
    ] {
        let drawing = Figure { width, ..Figure::default() }.draw();
        assert!((drawing.width - millimetres / 25.4 * 72.0).abs() < 1e-9);
        assert!(drawing.svg().contains(attribute));
    }
}

#[test]
fn svg_elements_are_closed_and_say_what_is_seen() {
    let (x, y) = (Axis::linear("x & y"), Axis::linear("<y>"));
    let chart = Chart { x, y, marks: vec![line(&[(0.0, 1.0), (1.0, 9.0)])] };
    let panels = vec![Panel::new(Body::Chart(chart)).titled("title")];
    let title = Some("a < b & \"c\"".into());
    let svg = Figure { title, panels, ..Figure::default() }.draw().svg();
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1).map(|tag| tag.split('>').next().expect("closed")) {
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a name").to_owned());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(
        svg.contains("role=\"img\"") && svg.contains("<title>a &lt; b &amp; &quot;c&quot;</title>")
    );
    assert!(svg.contains("<desc>title: &lt;y&gt; against x &amp; y.</desc>"));
}

#[test]
fn characters_that_the_font_lacks_are_named() {
    let figure = Figure { title: Some("ok 漢 é".into()), ..Figure::default() };
    let drawing = figure.draw();
    assert_eq!(drawing.missing().collect::<Vec<_>>(), ['漢']);
}

#[test]
fn a_legend_leaves_the_data_uncovered() {
    for data in [[(0.0, 0.0), (1.0, 1.0)], [(0.0, 1.0), (1.0, 0.0)], [(0.0, 1.0), (1.0, 1.0)]] {
        let drawing = drawn(chart_of(vec![line(&data)]));
        let legend = find(&drawing, "data");
        let (items, to) = clip(&drawing);
        assert!(to.contains((legend.left, legend.top)), "in a corner, not above");
        let curve = points(items);
        let (from, to) = (curve[0], curve[curve.len() - 1]);
        for i in 0..=100 {
            let part = f64::from(i) / 100.0;
            let at = (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1));
            assert!(!legend.contains(at), "{legend:?} covers {at:?}");
        }
    }
    // Three tall bars, and room above a fourth place.
    let x = vec![0.0, 1.0, f64::NAN, 1.2, 2.2, f64::NAN, 2.4, 3.4, f64::NAN, 3.6, 4.6];
    let high: Vec<f64> = x.iter().map(|&x| if x > 3.5 { 0.1 } else { 1.0 }).collect();
    let ink = Ink { opacity: 0.9, ..Ink::line(Colour::Series(0)) };
    let bars = Mark::band(x, vec![0.0; high.len()], high, ink).named("a bar".to_owned());
    let drawing = drawn(chart_of(vec![bars]));
    let legend = find(&drawing, "a bar");
    let (items, to) = clip(&drawing);
    assert!(to.contains((legend.left, legend.top)), "inside");
    for item in items {
        let bar = Rect::around(&points(std::slice::from_ref(item)));
        assert!(!legend.overlaps(&bar), "{legend:?} {bar:?}");
    }
}

#[test]
fn a_shared_legend_names_each_thing_once_and_panels_with_one_axis_label_it_once() {
    let panel = || {
        let y = Axis { range: Some((0.0, 1.0)), ..Axis::linear("height") };
        let marks = vec![line(&[(0.0, 0.0), (1.0, 1.0)])];
        Panel::new(Body::Chart(Chart { x: Axis::linear("x"), y, marks }))
    };
    let drawing = |legend| {
        let (columns, width) = (2, Width::Page);
        let (panels, legend_title) = (vec![panel(), panel()], Some("what".into()));
        Figure { columns, width, legend, legend_title, panels, ..Figure::default() }.draw()
    };
    let shared = drawing(LegendPlace::Shared);
    assert_eq!(sources(&shared, Role::Legend), ["what", "data"]);
    assert_eq!(sources(&shared, Role::Axis).iter().filter(|s| *s == "height").count(), 1);
    assert_eq!(sources(&drawing(LegendPlace::Panels), Role::Legend).len(), 4);
    assert!(sources(&drawing(LegendPlace::None), Role::Legend).is_empty());
}

#[test]
fn levels_are_named_at_the_edge_unless_they_share_a_name() {
    let levels = [(0.1, "$L_1$"), (0.11, "$L_2$"), (1.0, "theory"), (2.0, "theory")];
    let marks = levels.map(|(value, label)| {
        Mark::new(Shape::Level(value), Ink::theory()).named(label.to_owned())
    });
    let drawing = drawn(chart_of(marks.to_vec()));
    let mut names = sources(&drawing, Role::Legend);
    names.sort();
    assert_eq!(names, ["$L_1$", "$L_2$", "theory"]);
    assert!(!find(&drawing, "$L_1$").overlaps(&find(&drawing, "$L_2$")));
}

#[test]
fn matrix_cells_reach_under_their_neighbours() {
    let map = Heatmap {
        title: String::new(),
        rows: 2,
        columns: 2,
        values: vec![1.0, 2.0, 3.0, 4.0],
        row_labels: vec![],
        column_labels: vec![],
    };
    let maps = Heatmaps { maps: vec![map], symmetric: false, label: String::new() };
    let cells: Vec<Rect> =
        cells(&drawn(Body::Heatmaps(maps))).into_iter().map(|(cell, _)| cell).collect();
    assert!(cells[0].right > cells[1].left && cells[0].bottom > cells[2].top);
    assert_eq!((cells[1].right, cells[2].bottom), (cells[3].right, cells[3].bottom));
}

#[test]
fn numbers_in_tables_lean_right() {
    let rows = [["a", "1.5"], ["long name", "120"]];
    let rows = rows.map(|row| row.map(String::from).to_vec()).to_vec();
    let drawing = drawn(Body::Table(Cells { header: vec!["name".into(), "time".into()], rows }));
    assert!((find(&drawing, "1.5").right - find(&drawing, "120").right).abs() < 1e-9);
    assert!((find(&drawing, "a").left - find(&drawing, "long name").left).abs() < 1e-9);
}

#[test]
fn a_map_counts_what_has_no_place_or_no_value() {
    let at = vec![(0.0, 0.0), (1.0, 1.0), (f64::NAN, 1.0), (0.5, 0.5)];
    let ground = Ground::Axes { x: Axis::linear("x"), y: Axis::linear("y"), at };
    let of = vec![1.0, f64::NAN, 3.0, 2.0];
    let tints = Tints::Numbers { axis: Axis::linear("z"), of };
    let drawing = drawn(Body::Map(Map { ground, tints }));
    find(&drawing, "of 4 runs, 1 without a value (crosses), 1 without a place");
}

fn image(at: Vec<f64>, entries: usize, values: Vec<f64>) -> Image {
    Image {
        x: Axis::linear("time"),
        at,
        y_label: "entry".into(),
        first: 0,
        entries,
        names: Vec::new(),
        group: 0,
        values,
        colours: Axis::linear("value"),
        instants: Vec::new(),
    }
}

fn pictured(image: Image) -> Drawing {
    let panels = vec![Panel::new(Body::Image(image))];
    Figure { panels, width: Width::Page, ..Figure::default() }.draw()
}

#[test]
fn a_sample_reaches_half_way_to_the_next() {
    // Three samples of two entries; the second is nearer to the first.
    let values = vec![0.0, 5.0, 5.0, 5.0, 10.0, 5.0];
    let cells = cells(&pictured(image(vec![0.0, 1.0, 4.0], 2, values)));
    let (top, bottom) = (&cells[..3], &cells[3]);
    assert!(top.windows(2).all(|pair| pair[0].1 != pair[1].1 && pair[0].0.right >= pair[1].0.left));
    let (left, right) = (top[0].0.left, top[2].0.right);
    let part = |x: f64| (x - left) / (right - left);
    // Edges are those of columns of cells, of which there are 320.
    assert!((part(top[1].0.left) - 0.125).abs() < 2.0 / 320.0, "{:?}", top[1]);
    assert!((part(top[2].0.left) - 0.625).abs() < 2.0 / 320.0, "{:?}", top[2]);
    assert!(bottom.1 == top[1].1 && bottom.0.left == left && bottom.0.right == right);
    assert!(bottom.0.bottom > top[0].0.bottom, "entries go downwards");
}

#[test]
fn images_of_any_size_make_small_files() {
    for (samples, entries) in [(3000, 30), (2000, 100), (500, 1500)] {
        let at = (0..samples).map(f64::from).collect();
        // Noise, in which no two neighbours have one colour.
        let value = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8);
        let values = (0..samples * entries).map(value).collect();
        let drawing = pictured(image(at, entries as usize, values));
        let (svg, pdf) = (drawing.svg().len(), drawing.pdf().len());
        assert!(svg < 1_000_000 && pdf < 1_000_000, "{samples} x {entries}: {svg}, {pdf}");
    }
}

#[test]
fn entries_that_are_counted_have_whole_ticks() {
    for entries in [1, 2, 3, 4, 7, 50] {
        let x = Axis { whole: true, ..Axis::linear("entry") };
        let data: Vec<_> = (0..entries).map(|i| (f64::from(i), 1.0)).collect();
        let chart = Chart { x, y: Axis::linear("y"), marks: vec![line(&data)] };
        let ticks = sources(&drawn(Body::Chart(chart)), Role::TickX);
        assert!(!ticks.is_empty() && ticks.iter().all(|tick| !tick.contains('.')), "{ticks:?}");
    }
}
