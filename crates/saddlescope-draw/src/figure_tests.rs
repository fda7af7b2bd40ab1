//! Whole figures: whatever the data, a sane picture, the same every time.

use proptest::prelude::*;

use super::*;
use crate::scene::{Drawing, Item, Rect, Role, Step, Words};

fn chart(x: Axis, y: Axis, data: &[(f64, f64)]) -> Panel {
    let (x_values, y_values) = data.iter().copied().unzip();
    let marks = vec![Mark::Line {
        x: x_values,
        y: y_values,
        ink: Ink::line(Colour::Series(0)),
        label: Some("data".into()),
    }];
    Panel::new(Body::Chart(Chart { x, y, marks })).titled("title")
}

fn rect(words: &Words) -> Rect {
    let (left, top, right, bottom) = words.bounds();
    Rect { left, top, right, bottom }
}

/// All points of all paths, with the clip around them.
fn points(items: &[Item], found: &mut Vec<(f64, f64)>) {
    for item in items {
        match item {
            Item::Fill { path, .. } | Item::Stroke { path, .. } => {
                found.extend(path.iter().flat_map(|step| match *step {
                    Step::Move(p) | Step::Line(p) => vec![p],
                    Step::Quad(c, p) => vec![c, p],
                    Step::Cubic(c, d, p) => vec![c, d, p],
                    Step::Close => vec![],
                }));
            }
            Item::Clip { items, .. } => points(items, found),
            Item::Words(_) => {}
        }
    }
}

/// What holds for every drawing.
fn check(drawing: &Drawing) {
    assert!(drawing.height > 0.0 && drawing.height.is_finite());
    let page = Rect::new(0.0, 0.0, drawing.width, drawing.height).grown(0.5);
    let mut all = Vec::new();
    points(&drawing.items, &mut all);
    for point in all {
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

fn axis() -> impl Strategy<Value = Axis> {
    (any::<bool>(), prop::option::weighted(0.3, (value(), value()))).prop_map(|(log, range)| Axis {
        range,
        ..if log { Axis::log("axis $t$") } else { Axis::linear("axis") }
    })
}

fn width() -> impl Strategy<Value = Width> {
    prop::sample::select(vec![Width::Column, Width::Page, Width::Slide])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 3 / 5))]

    #[test]
    fn any_chart_is_a_sane_picture(
        x in axis(), y in axis(), width in width(),
        data in prop::collection::vec((value(), value()), 0..12),
        level in value(), instant in value(),
    ) {
        let mut panel = chart(x, y, &data);
        if let Body::Chart(chart) = &mut panel.body {
            let (x, low): (Vec<f64>, Vec<f64>) = data.iter().copied().unzip();
            let high = low.iter().map(|v| v + 1.0).collect();
            let ink = Ink::line(Colour::Ramp(level));
            chart.marks.extend([
                Mark::Points { x: x.clone(), y: low.clone(), ink, label: None, marker: Marker::Ring },
                Mark::Band { x, low, high, ink, label: Some("band".into()) },
                Mark::Level { value: level, ink: Ink::theory(), label: Some("level".into()) },
                Mark::Instant { value: instant, ink, label: None },
            ]);
        }
        let drawing = Figure { width, panels: vec![panel], ..Figure::default() }.draw();
        check(&drawing);
        prop_assert!(!drawing.svg().contains("NaN") && !drawing.svg().contains("inf"));
    }

    #[test]
    fn any_phase_diagram_is_a_sane_picture(
        x in axis(), y in axis(), colours in axis(), width in width(),
        across in prop::collection::vec(value(), 0..8), along in prop::collection::vec(value(), 0..8),
        of in prop::collection::vec(value(), 0..60), words in any::<bool>(),
        filled in prop::collection::vec(any::<bool>(), 0..60), ascending in any::<bool>(),
    ) {
        let sorted = |mut edges: Vec<f64>| {
            if ascending {
                edges.sort_by(f64::total_cmp);
            }
            edges
        };
        let kind = |k: usize| MapKind {
            label: format!("kind {k}"), colour: Colour::Series(k), marker: Marker::Disc,
        };
        let below = of.iter().map(|v| (*v != 0.0).then_some(*v > 1.0)).collect();
        let kinds_of = of.iter().map(|v| v.is_finite().then_some(v.abs() as usize % 5)).collect();
        let tints = match words {
            true => Tints::Words { label: "words".into(), kinds: (0..4).map(kind).collect(), of: kinds_of },
            false => Tints::Numbers { axis: colours, of: of.clone() },
        };
        let (across, along) = (sorted(across), sorted(along));
        let boundary = vec![Boundary { label: "line".into(), below }];
        let phase = Phase { x, y, across, along, tints, filled, boundary };
        let panels = vec![Panel::new(Body::Phase(phase))];
        let drawing = Figure { width, panels, ..Figure::default() }.draw();
        check(&drawing);
        prop_assert!(!drawing.svg().contains("NaN") && !drawing.svg().contains("inf"));
    }

    #[test]
    fn any_bars_and_matrices_are_sane_pictures(
        y in axis(), values in prop::collection::vec(prop::option::of(value()), 0..12),
        groups in 0..6usize, rows in 0..9usize, columns in 0..9usize, symmetric in any::<bool>(),
    ) {
        let series = |k: usize| BarSeries {
            label: Some("series".into()),
            ink: Ink::line(Colour::Series(k)),
            values: values.iter().copied().skip(k).collect(),
            low: values.iter().copied().skip(k + 1).collect(),
            high: values.clone(),
        };
        let bars = Bars {
            y,
            x_label: "groups".into(),
            groups: (0..groups).map(|g| format!("group {g}")).collect(),
            series: (0..groups.min(3)).map(series).collect(),
            theory: values.clone(),
        };
        let map = Heatmap {
            title: "map".into(),
            rows,
            columns,
            values: values.iter().flatten().copied().collect(),
            row_labels: (0..rows).map(|r| r.to_string()).collect(),
            column_labels: (0..columns).map(|c| c.to_string()).collect(),
        };
        let maps = Heatmaps { maps: vec![map; groups], symmetric, label: "value".into() };
        let panels = vec![Panel::new(Body::Bars(bars)), Panel::new(Body::Heatmaps(maps))];
        check(&Figure { panels, ..Figure::default() }.draw());
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
    let figure = Figure {
        title: Some("a < b & \"c\"".into()),
        panels: vec![chart(Axis::linear("x & y"), Axis::linear("<y>"), &[(0.0, 1.0), (1.0, 9.0)])],
        ..Figure::default()
    };
    let svg = figure.draw().svg();
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

fn sources(drawing: &Drawing, role: Role) -> Vec<String> {
    drawing.words().iter().filter(|w| w.role == role).map(|w| w.source.clone()).collect()
}

#[test]
fn a_legend_leaves_the_data_uncovered() {
    for data in [[(0.0, 0.0), (1.0, 1.0)], [(0.0, 1.0), (1.0, 0.0)], [(0.0, 1.0), (1.0, 1.0)]] {
        let panel = chart(Axis::linear("x"), Axis::linear("y"), &data);
        let drawing = Figure { panels: vec![panel], ..Figure::default() }.draw();
        let words = drawing.words();
        let legend = rect(words.iter().find(|w| w.role == Role::Legend).expect("there"));
        let Some(Item::Clip { items, to }) =
            drawing.items.iter().find(|item| matches!(item, Item::Clip { .. }))
        else {
            panic!("no curve")
        };
        assert!(to.contains((legend.left, legend.top)), "in a corner, not above");
        let mut curve = Vec::new();
        points(items, &mut curve);
        let (from, to) = (curve[0], curve[curve.len() - 1]);
        for i in 0..=100 {
            let part = f64::from(i) / 100.0;
            let at = (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1));
            assert!(!legend.contains(at), "{legend:?} covers {at:?}");
        }
    }
}

#[test]
fn a_shared_legend_names_each_thing_once_and_panels_with_one_axis_label_it_once() {
    let y = || Axis { range: Some((0.0, 1.0)), ..Axis::linear("height") };
    let panel = || chart(Axis::linear("x"), y(), &[(0.0, 0.0), (1.0, 1.0)]);
    let figure = |legend| Figure {
        columns: 2,
        width: Width::Page,
        legend,
        legend_title: Some("what".into()),
        panels: vec![panel(), panel()],
        ..Figure::default()
    };
    let shared = figure(LegendPlace::Shared).draw();
    assert_eq!(sources(&shared, Role::Legend), ["what", "data"]);
    assert_eq!(sources(&shared, Role::Axis).iter().filter(|s| *s == "height").count(), 1);
    assert_eq!(sources(&figure(LegendPlace::Panels).draw(), Role::Legend).len(), 4);
    assert!(sources(&figure(LegendPlace::None).draw(), Role::Legend).is_empty());
}

#[test]
fn levels_are_named_at_the_edge_unless_they_share_a_name() {
    let level = |value: f64, label: &str| Mark::Level {
        value,
        ink: Ink::theory(),
        label: Some(label.into()),
    };
    let marks =
        vec![level(0.1, "$L_1$"), level(0.11, "$L_2$"), level(1.0, "theory"), level(2.0, "theory")];
    let chart = Chart { x: Axis::linear("x"), y: Axis::linear("y"), marks };
    let drawing =
        Figure { panels: vec![Panel::new(Body::Chart(chart))], ..Figure::default() }.draw();
    let mut names = sources(&drawing, Role::Legend);
    names.sort();
    assert_eq!(names, ["$L_1$", "$L_2$", "theory"]);
    let words = drawing.words();
    let at = |name: &str| rect(words.iter().find(|w| w.source == name).expect("there"));
    assert!(!at("$L_1$").overlaps(&at("$L_2$")));
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
    let drawing =
        Figure { panels: vec![Panel::new(Body::Heatmaps(maps))], ..Figure::default() }.draw();
    let cells: Vec<Rect> = drawing
        .items
        .iter()
        .take(4)
        .map(|item| {
            let mut corners = Vec::new();
            points(std::slice::from_ref(item), &mut corners);
            Rect {
                left: corners[0].0,
                top: corners[0].1,
                right: corners[2].0,
                bottom: corners[2].1,
            }
        })
        .collect();
    assert!(cells[0].right > cells[1].left && cells[0].bottom > cells[2].top);
    assert_eq!((cells[1].right, cells[2].bottom), (cells[3].right, cells[3].bottom));
}

#[test]
fn numbers_in_tables_lean_right() {
    let rows = [["a", "1.5"], ["long name", "120"]];
    let cells = Cells {
        header: vec!["name".into(), "time".into()],
        rows: rows.map(|row| row.map(String::from).to_vec()).to_vec(),
    };
    let drawing =
        Figure { panels: vec![Panel::new(Body::Table(cells))], ..Figure::default() }.draw();
    let words = drawing.words();
    let at = |name: &str| rect(words.iter().find(|w| w.source == name).expect("there"));
    assert!((at("1.5").right - at("120").right).abs() < 1e-9);
    assert!((at("a").left - at("long name").left).abs() < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 2 / 5))]

    #[test]
    fn any_map_is_a_sane_picture(
        x in axis(), y in axis(), tint in axis(), width in width(),
        data in prop::collection::vec((value(), value(), value()), 0..30),
        words in any::<bool>(), corners in any::<bool>(),
    ) {
        let ground = if corners {
            let at = data.iter().map(|&(a, b, c)| [a, b, c]).collect();
            Ground::Triangle { corners: ["left", "right $b$", "top"].map(str::to_owned), at }
        } else {
            Ground::Axes { x, y, at: data.iter().map(|&(a, b, _)| (a, b)).collect() }
        };
        let kind = |i| MapKind {
            label: format!("word {i}"),
            colour: Colour::Series(i),
            marker: Marker::Square,
        };
        let tints = if words {
            let of = data.iter().map(|(a, ..)| (*a > 0.0).then_some((*a as usize) % 5)).collect();
            Tints::Words { label: "words".into(), kinds: (0..5).map(kind).collect(), of }
        } else {
            Tints::Numbers { axis: tint, of: data.iter().map(|&(.., c)| c).collect() }
        };
        let panel = Panel::new(Body::Map(Map { ground, tints })).titled("map");
        check(&Figure { panels: vec![panel], width, ..Figure::default() }.draw());
    }
}

#[test]
fn a_map_counts_what_has_no_place_or_no_value() {
    let at = vec![(0.0, 0.0), (1.0, 1.0), (f64::NAN, 1.0), (0.5, 0.5)];
    let ground = Ground::Axes { x: Axis::linear("x"), y: Axis::linear("y"), at };
    let of = vec![1.0, f64::NAN, 3.0, 2.0];
    let tints = Tints::Numbers { axis: Axis::linear("z"), of };
    let panel = Panel::new(Body::Map(Map { ground, tints }));
    let drawing = Figure { panels: vec![panel], ..Figure::default() }.draw();
    let note = "of 4 runs, 1 without a value (crosses), 1 without a place";
    assert!(drawing.words().iter().any(|words| words.source == note));
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

fn pictured(image: Image, width: Width) -> Drawing {
    let panel = Panel::new(Body::Image(image)).titled("image");
    Figure { panels: vec![panel], width, ..Figure::default() }.draw()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 3 / 5))]

    #[test]
    fn any_image_is_a_sane_picture(
        x in axis(), colours in axis(), width in width(), entries in 0..40usize,
        at in prop::collection::vec(value(), 0..12), values in prop::collection::vec(value(), 0..90),
        first in 0..100_000usize, named in any::<bool>(), group in 0..5usize, instant in value(),
    ) {
        let names = (0..entries).map(|i| "long name of an entry ".repeat(i % 4)).collect();
        let drawing = pictured(
            Image {
                x,
                first,
                names: if named { names } else { Vec::new() },
                group,
                colours,
                instants: vec![(instant, Ink::theory(), "Eq. (1)".into()); 2],
                ..image(at, entries, values)
            },
            width,
        );
        check(&drawing);
        prop_assert!(!drawing.svg().contains("NaN") && !drawing.svg().contains("inf"));
    }
}

/// The filled rectangles of a drawing with their colours.
fn cells(drawing: &Drawing) -> Vec<(Rect, crate::colour::Rgb)> {
    let cell = |item: &Item| {
        let Item::Fill { path, colour, .. } = item else { return None };
        let mut corners = Vec::new();
        points(std::slice::from_ref(item), &mut corners);
        let ((left, top), (right, bottom)) = (*corners.first()?, *corners.get(2)?);
        (path.len() == 5).then_some((Rect { left, top, right, bottom }, *colour))
    };
    drawing.items.iter().filter_map(cell).collect()
}

#[test]
fn a_sample_reaches_half_way_to_the_next() {
    // Three samples of two entries; the second is nearer to the first.
    let drawing =
        pictured(image(vec![0.0, 1.0, 4.0], 2, vec![0.0, 5.0, 5.0, 5.0, 10.0, 5.0]), Width::Page);
    let cells = cells(&drawing);
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
        let drawing = pictured(image(at, entries as usize, values), Width::Page);
        let (svg, pdf) = (drawing.svg().len(), drawing.pdf().len());
        assert!(svg < 1_000_000 && pdf < 1_000_000, "{samples} x {entries}: {svg}, {pdf}");
    }
}

#[test]
fn entries_that_are_counted_have_whole_ticks() {
    let axis = Axis { whole: true, ..Axis::linear("entry") };
    for entries in [1, 2, 3, 4, 7, 50] {
        let data: Vec<_> = (0..entries).map(|i| (f64::from(i), 1.0)).collect();
        let drawing = Figure {
            panels: vec![chart(axis.clone(), Axis::linear("y"), &data)],
            ..Figure::default()
        };
        let ticks = sources(&drawing.draw(), Role::TickX);
        assert!(!ticks.is_empty() && ticks.iter().all(|tick| !tick.contains('.')), "{ticks:?}");
    }
}

#[test]
fn a_legend_leaves_bars_uncovered() {
    // Three tall bars, and room above a fourth place.
    let x = vec![0.0, 1.0, f64::NAN, 1.2, 2.2, f64::NAN, 2.4, 3.4, f64::NAN, 3.6, 4.6];
    let high: Vec<f64> = x.iter().map(|&x| if x > 3.5 { 0.1 } else { 1.0 }).collect();
    let ink = Ink { opacity: 0.9, ..Ink::line(Colour::Series(0)) };
    let low = vec![0.0; x.len()];
    let marks = vec![Mark::Band { x, low, high, ink, label: Some("a bar".into()) }];
    let chart = Chart { x: Axis::linear("x"), y: Axis::linear("y"), marks };
    let drawing =
        Figure { panels: vec![Panel::new(Body::Chart(chart))], ..Figure::default() }.draw();
    let words = drawing.words();
    let legend = rect(words.iter().find(|w| w.role == Role::Legend).expect("there"));
    let Some(Item::Clip { items, to }) =
        drawing.items.iter().find(|item| matches!(item, Item::Clip { .. }))
    else {
        panic!("no bars")
    };
    assert!(to.contains((legend.left, legend.top)), "inside");
    for item in items {
        let mut corners = Vec::new();
        points(std::slice::from_ref(item), &mut corners);
        let over = |pick: fn(&(f64, f64)) -> f64, fold: fn(f64, f64) -> f64| {
            corners.iter().map(pick).reduce(fold).expect("corners")
        };
        let bar = Rect {
            left: over(|p| p.0, f64::min),
            top: over(|p| p.1, f64::min),
            right: over(|p| p.0, f64::max),
            bottom: over(|p| p.1, f64::max),
        };
        assert!(!legend.overlaps(&bar), "{legend:?} {bar:?}");
    }
}
