//! Draws figures of all kinds into a folder: `cargo run --release --example gallery -- FOLDER`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use saddlescope::sketch::{Sketch, Token, TokenRole, TokenRow, TokenShape};
use saddlescope_lab::draw::{
    Axis, BarSeries, Bars, Body, Cells, Chart, Colour, Dash, Figure, Ground, Heatmap, Heatmaps,
    Image, Ink, Legend, Map, MapKind, Mark, Marker, Panel, Scale, Tints, Width,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    for (name, figure) in gallery() {
        write(Path::new(&folder), name, &figure)?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, figure: &Figure) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let drawing = figure.draw();
    let drawn = start.elapsed();
    let (svg, pdf) = (drawing.svg(), drawing.pdf());
    let vector = start.elapsed() - drawn;
    let png = drawing.png(200.0)?;
    let all = start.elapsed();
    println!(
        "{name}: draw {drawn:.1?}, svg and pdf {vector:.1?}, all {all:.1?}; svg {} kB, pdf {} kB, png {} kB",
        svg.len() / 1000,
        pdf.len() / 1000,
        png.len() / 1000
    );
    for missing in drawing.missing() {
        println!("  no glyph for {missing:?}");
    }
    std::fs::write(folder.join(format!("{name}.svg")), svg)?;
    std::fs::write(folder.join(format!("{name}.pdf")), pdf)?;
    std::fs::write(folder.join(format!("{name}.png")), png)?;
    Ok(())
}

fn gallery() -> Vec<(&'static str, Figure)> {
    vec![
        ("staircase", staircase(Width::Column)),
        ("slide", staircase(Width::Slide)),
        ("four", four()),
        ("labels", labels()),
        ("shared", shared()),
        ("kinds", kinds()),
        ("heads", heads()),
        ("maps", maps()),
        ("tokens", tokens()),
        ("vectors", vectors()),
        ("palette", palette()),
        ("edge-cases", edge_cases()),
    ]
}

fn range(count: usize, from: f64, to: f64) -> Vec<f64> {
    (0..count).map(|i| from + (to - from) * i as f64 / (count - 1) as f64).collect()
}

fn powers(count: usize, from: f64, to: f64) -> Vec<f64> {
    range(count, from.log10(), to.log10()).into_iter().map(|e| 10f64.powf(e)).collect()
}

/// A loss that falls in four steps.
fn loss(time: f64, shift: f64) -> f64 {
    let drop =
        |at: f64, size: f64| size / (1.0 + (12.0 * (time / (at * shift)).ln()).exp().min(1e300));
    0.06 + drop(30.0, 0.4) + drop(160.0, 0.3) + drop(900.0, 0.2) + drop(6000.0, 0.1)
}

fn staircase_chart() -> Chart {
    let time = powers(1_000_000, 1.0, 5e4);
    let mut marks = Vec::new();
    let plateaus = [
        ("$\\mathcal{L}_0$", 1.06),
        ("$\\mathcal{L}_1$", 0.66),
        ("$\\mathcal{L}_2$", 0.36),
        ("$\\mathcal{L}_3$", 0.16),
        ("$\\mathcal{L}_4$", 0.06),
    ];
    for (label, value) in plateaus {
        marks.push(Mark::Level { value, ink: Ink::theory(), label: Some(label.into()) });
    }
    for (number, shift) in [0.6, 1.0, 1.7].into_iter().enumerate() {
        marks.push(Mark::Line {
            y: time.iter().map(|&t| loss(t, shift)).collect(),
            x: time.clone(),
            ink: Ink::line(Colour::Series(number)),
            label: Some(format!("$\\eta = {shift}$")),
        });
    }
    Chart { x: Axis::log("time $t$"), y: Axis::linear("loss $\\mathcal{L}(t)$"), marks }
}

fn staircase(width: Width) -> Figure {
    Figure {
        title: Some("Saddle-to-saddle descent of linear attention".into()),
        width,
        panels: vec![Panel::new(Body::Chart(staircase_chart()))],
        caption: "linear-attention/fig1 · 3f9c2ab871d0".into(),
        ..Figure::default()
    }
}

fn four() -> Figure {
    let time = range(400, 0.0, 10.0);
    let decay = |rate: f64| -> Vec<f64> { time.iter().map(|t| (-rate * t).exp() + 1e-4).collect() };
    let line = |y: Vec<f64>, colour, label: &str| Mark::Line {
        x: time.clone(),
        y,
        ink: Ink::line(colour),
        label: (!label.is_empty()).then(|| label.to_owned()),
    };
    let mut flows = vec![];
    for i in 0..9 {
        let rate = 0.2 + 0.25 * f64::from(i);
        flows.push(line(decay(rate), Colour::Ramp(f64::from(i) / 8.0), &format!("{rate:.2}")));
    }
    let wave = |phase: f64| -> Vec<f64> { time.iter().map(|t| (t + phase).sin()).collect() };
    let band = Mark::Band {
        x: time.clone(),
        low: wave(0.0).iter().map(|y| y - 0.3).collect(),
        high: wave(0.0).iter().map(|y| y + 0.3).collect(),
        ink: Ink::band(Colour::Series(0)),
        label: Some("training".into()),
    };
    let noisy = vec![
        band,
        line(wave(0.0), Colour::Series(0), "training"),
        Mark::Line {
            x: time.clone(),
            y: wave(0.1),
            ink: Ink::theory(),
            label: Some("theory".into()),
        },
        Mark::Instant {
            value: 3.3,
            ink: Ink::line(Colour::Ink).dashed(Dash::Dotted),
            label: Some("$t_1$".into()),
        },
        Mark::Instant {
            value: 6.4,
            ink: Ink::line(Colour::Ink).dashed(Dash::Dotted),
            label: Some("$t_2$".into()),
        },
    ];
    let sizes = [4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
    let markers = [
        Marker::Disc,
        Marker::Ring,
        Marker::Square,
        Marker::Triangle,
        Marker::Diamond,
        Marker::Cross,
    ];
    let mut scaling: Vec<Mark> = markers
        .into_iter()
        .enumerate()
        .map(|(i, marker)| Mark::Points {
            x: sizes.to_vec(),
            y: sizes.iter().map(|d: &f64| d.powf(1.0 + 0.2 * i as f64) * 3.0).collect(),
            ink: Ink::line(Colour::Series(i)),
            label: Some(format!("$N = {}$", 1 << i)),
            marker,
        })
        .collect();
    scaling.push(Mark::Line {
        x: sizes.to_vec(),
        y: sizes.iter().map(|d| d * d * 3.0).collect(),
        ink: Ink::theory(),
        label: Some("$\\propto d^{2}$".into()),
    });
    let spiky = (0..200_000).map(|i| f64::from(i) * 1e-3);
    let (x, y): (Vec<f64>, Vec<f64>) =
        spiky.map(|t| (t, (t * 3.0).sin() * (t * 0.05).cos())).unzip();
    let dense = vec![Mark::Line {
        x,
        y,
        ink: Ink { width: 0.7, ..Ink::line(Colour::Series(3)).dashed(Dash::Dashed) },
        label: None,
    }];
    let chart = |x: Axis, y: Axis, marks| Body::Chart(Chart { x, y, marks });
    Figure {
        title: None,
        columns: 2,
        width: Width::Page,
        legend: Legend::Panels,
        panels: vec![
            Panel::new(chart(Axis::linear("time $t$"), Axis::log("excess loss"), flows))
                .titled("a  flows"),
            Panel::new(chart(
                Axis::linear("time $t$"),
                Axis::linear("order parameter $m_{k}^{2}$"),
                noisy,
            ))
            .titled("b  training and theory"),
            Panel::new(chart(
                Axis::log("dimension $d$"),
                Axis::log("escape time $t^\\ast$"),
                scaling,
            ))
            .titled("c  scaling"),
            Panel::new(chart(
                Axis::linear("step"),
                Axis::linear("$\\langle w, v_1 \\rangle$"),
                dense,
            ))
            .titled("d  dense dashes"),
        ],
        caption: "gallery/four · 0123456789ab".into(),
        ..Figure::default()
    }
}

fn labels() -> Figure {
    let chart = |x: &str, y: &str| {
        let marks = vec![Mark::Line {
            x: vec![0.0, 1.0],
            y: vec![2e5, 8e5],
            ink: Ink::line(Colour::Series(0)),
            label: Some("$\\lambda_k = \\sigma^2 k^{-\\alpha}, k \\le K$".into()),
        }];
        Panel::new(Body::Chart(Chart { x: Axis::linear(x), y: Axis::linear(y), marks })).titled("$\\mathbb{E}[\\hat{y}] \\to y^{*}_{i,j}$, $\\mathcal{O}(1/\\sqrt{n})$, $\\|W_{QK}\\|_F \\approx 10^{-3}$")
    };
    Figure {
        panels: vec![chart(
            "$t / \\tau$, cost \\$5, $\\unknown{x}$ Δ ≤ ≥",
            "$\\log \\mathcal{L}(\\theta_t) - \\mathcal{L}_\\infty$",
        )],
        ..Figure::default()
    }
}

/// Three panels with one axis and one legend.
fn shared() -> Figure {
    let time = range(300, 0.0, 40.0);
    let panel = |title: &str, scale: f64| {
        let marks = (0..6).map(|k| {
            let rate = scale / f64::from(k + 1);
            Mark::Line {
                x: time.clone(),
                y: time.iter().map(|t| 1.0 / (1.0 + (8.0 - rate * t).exp())).collect(),
                ink: Ink::line(Colour::Series(k as usize)),
                label: Some(format!("$k = {}$", k + 1)),
            }
        });
        let y = Axis { range: Some((0.0, 1.0)), ..Axis::linear("overlap $m_k$") };
        let chart = Chart { x: Axis::linear("time $t$"), y, marks: marks.collect() };
        Panel::new(Body::Chart(chart)).titled(title)
    };
    Figure {
        columns: 3,
        width: Width::Page,
        aspect: 0.8,
        legend: Legend::Shared,
        legend_title: Some("mode".into()),
        panels: vec![
            panel("$\\eta = 0.5$", 0.5),
            panel("$\\eta = 1$", 1.0),
            panel("$\\eta = 2$", 2.0),
        ],
        caption: "gallery/shared · 0123456789ab".into(),
        ..Figure::default()
    }
}

fn bars() -> Bars {
    let series = |label: &str, colour, values: [f64; 4]| BarSeries {
        label: Some(label.into()),
        ink: Ink::line(colour),
        values: values.map(Some).to_vec(),
        low: values.map(|v| Some(v * 0.9)).to_vec(),
        high: values.map(|v| Some(v * 1.1)).to_vec(),
    };
    Bars {
        y: Axis::linear("time of the jump"),
        x_label: "optimiser".into(),
        groups: ["GD", "momentum", "Adam", "flow"].map(String::from).to_vec(),
        series: vec![
            series("first", Colour::Series(0), [12.0, 7.0, 3.0, 11.5]),
            series("second", Colour::Series(1), [31.0, 18.0, 9.0, 30.0]),
        ],
        theory: [11.6, 30.2, 6.9, 18.1]
            .map(Some)
            .into_iter()
            .chain([None, None, Some(11.6), Some(30.2)])
            .collect(),
    }
}

fn matrix(title: &str, size: usize, of: impl Fn(f64, f64) -> f64) -> Heatmap {
    let at = |i: usize| i as f64 / size as f64;
    let values = (0..size * size).map(|i| of(at(i / size), at(i % size))).collect();
    Heatmap {
        title: title.into(),
        rows: size,
        columns: size,
        values,
        row_labels: vec![],
        column_labels: vec![],
    }
}

/// Bars, a table and matrices in one figure.
fn kinds() -> Figure {
    let names: Vec<String> = (1..=8).map(|i| format!("$v_{i}$")).collect();
    let mut small = matrix("$W_{QK}$ at $t_1$", 8, |r, c| {
        if (r - c).abs() < 0.05 { 1.0 - r } else { 0.1 * (9.0 * (r + 2.0 * c)).sin() }
    });
    small.row_labels = names.clone();
    small.column_labels = names;
    small.values[13] = f64::NAN;
    let maps = Heatmaps {
        maps: vec![small.clone(), Heatmap { title: "$W_{QK}$ at $t_2$".into(), ..small }],
        symmetric: true,
        label: "overlap".into(),
    };
    let rows = [
        ["GD", "11.6", "$1.2\\times10^{-3}$", "holds"],
        ["momentum", "6.9", "$8.0\\times10^{-4}$", "holds approximately"],
        ["Adam", "—", "$0.31$", "assumption not met"],
    ];
    let cells = Cells {
        header: ["optimiser", "$t_1$", "residual", "verdict"].map(String::from).to_vec(),
        rows: rows.map(|row| row.map(String::from).to_vec()).to_vec(),
    };
    let long = Bars {
        groups: [
            "softmax attention, two layers",
            "linear attention",
            "a transformer of one block",
            "full matrix",
        ]
        .map(String::from)
        .to_vec(),
        theory: [30.0, 20.0, 10.0, 25.0].map(Some).to_vec(),
        y: Axis::log("steps"),
        ..bars()
    };
    Figure {
        title: Some("All kinds of panels".into()),
        columns: 2,
        width: Width::Page,
        panels: vec![
            Panel::new(Body::Bars(bars())).titled("a  bars"),
            Panel::new(Body::Heatmaps(maps)).titled("b  matrices"),
            Panel::new(Body::Bars(long)).titled("c  long names"),
            Panel::new(Body::Table(cells)).titled("d  verdicts"),
        ],
        caption: "gallery/kinds · 0123456789ab".into(),
        ..Figure::default()
    }
}

/// Attention of six heads, in a column.
fn heads() -> Figure {
    let head = |k: usize| {
        matrix(&format!("head {k}"), 40, |r, c| {
            if c > r { f64::NAN } else { (-(20.0 * (r - c) - k as f64).powi(2)).exp() }
        })
    };
    let maps =
        Heatmaps { maps: (0..6).map(head).collect(), symmetric: false, label: "attention".into() };
    Figure { panels: vec![Panel::new(Body::Heatmaps(maps))], aspect: 0.5, ..Figure::default() }
}

/// A thousand places that fill a triangle evenly, by whichever share is largest, next and least.
fn maps() -> Figure {
    let orders = ["1-2-3", "1-3-2", "2-1-3", "2-3-1", "3-1-2", "3-2-1"];
    let part = |i: usize, step: f64| (i as f64 * step).fract();
    let shares = |i: usize| {
        let (a, b) = (part(i, 0.754_877_666), part(i, 0.569_840_291));
        let (a, b) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
        [a, b, 1.0 - a - b]
    };
    let order = |at: &[f64; 3]| {
        let mut places = [0, 1, 2];
        places.sort_by(|&i, &j| at[j].total_cmp(&at[i]));
        let word = places.map(|place| (place + 1).to_string()).join("-");
        orders.iter().position(|known| *known == word)
    };
    let kind = |(i, word): (usize, &&str)| MapKind {
        label: (*word).to_owned(),
        colour: Colour::Series(i),
        marker: Marker::Disc,
    };
    let corners = [1, 2, 3].map(|head| format!("$\\beta_{{{head}}}(0)$"));
    let triangle = |count: usize| {
        let at: Vec<[f64; 3]> = (0..count).map(shares).collect();
        let missed = |(i, at): (usize, &[f64; 3])| order(at).filter(|_| i % 41 != 7);
        let of = at.iter().enumerate().map(missed).collect();
        let kinds = orders.iter().enumerate().map(kind).collect();
        let ground = Ground::Triangle { corners: corners.clone(), at };
        Body::Map(Map { ground, tints: Tints::Words { label: "order".into(), kinds, of } })
    };
    let numbers = |count: usize| {
        let at: Vec<(f64, f64)> =
            (0..count).map(|i| (part(i, 0.754_877_666), part(i, 0.569_840_291))).collect();
        let time = |&(x, y): &(f64, f64)| 10f64.powf(1.0 + x + y * y);
        let tints = Tints::Numbers { axis: Axis::log("$t_1$"), of: at.iter().map(time).collect() };
        let axis = |head: usize| Axis::linear(format!("$\\beta_{head}(0)$"));
        Body::Map(Map { ground: Ground::Axes { x: axis(1), y: axis(2), at }, tints })
    };
    Figure {
        columns: 2,
        width: Width::Page,
        aspect: 0.8,
        panels: vec![
            Panel::new(triangle(1000)).titled("a  a thousand starts"),
            Panel::new(numbers(300)).titled("b  three hundred"),
            Panel::new(numbers(4000)).titled("c  four thousand"),
            Panel::new(triangle(60)).titled("d  sixty"),
        ],
        ..Figure::default()
    }
}

/// Pairs of an item and its response, and a question; one row that fits, one that goes on, one too long.
fn tokens() -> Figure {
    let row = |label: &str, pairs: usize| {
        let pair = |i: usize| {
            [
                Token::new(format!("$x_{{{i}}}$"), 0, i - 1),
                Token::new(format!("$y_{{{i}}}$"), 1, i - 1),
            ]
        };
        let question = [Token::new("$x_{2}$", 0, pairs), Token::new("?", 2, pairs)];
        let mut groups: Vec<String> = (1..=pairs).map(|i| format!("pair {i}")).collect();
        groups.push("which response?".into());
        let tokens = (1..=pairs).flat_map(pair).chain(question).collect();
        TokenRow { label: label.to_owned(), tokens, groups }
    };
    let roles = vec![
        TokenRole::new("item", TokenShape::Box),
        TokenRole::new("response", TokenShape::Round),
        TokenRole::new("question", TokenShape::Dashed),
    ];
    let words = "the cat sat on the mat and the dog lay by the door".split(' ');
    let text = TokenRow {
        label: "words".into(),
        tokens: words.enumerate().map(|(i, word)| Token::new(word, i % 3, 0)).collect(),
        groups: Vec::new(),
    };
    let rows = vec![row("short", 3), row("longer", 9), row("long", 60), text];
    let panel = Panel::new(Body::Tokens(Sketch { roles, rows })).titled("associative recall");
    Figure { panels: vec![panel], width: Width::Page, ..Figure::default() }
}

fn palette() -> Figure {
    let lines = |colour: &dyn Fn(usize) -> Colour, count: usize| {
        let x = range(50, 0.0, 1.0);
        let line = |i: usize| Mark::Line {
            y: x.iter().map(|x| i as f64 + 0.3 * (7.0 * x + i as f64).sin()).collect(),
            x: x.clone(),
            ink: Ink { width: 2.0, ..Ink::line(colour(i)) },
            label: None,
        };
        Chart { x: Axis::linear(""), y: Axis::linear(""), marks: (0..count).map(line).collect() }
    };
    let series = lines(&Colour::Series, 8);
    let ramp = lines(&|i| Colour::Ramp(i as f64 / 11.0), 12);
    Figure {
        columns: 2,
        panels: vec![Panel::new(Body::Chart(series)), Panel::new(Body::Chart(ramp))],
        aspect: 1.0,
        ..Figure::default()
    }
}

/// Data that has gone wrong, and ranges at the ends of what numbers can hold.
fn edge_cases() -> Figure {
    let panel = |title: &str, x: Axis, y: Axis, data: &[(f64, f64)]| {
        let (across, up) = data.iter().copied().unzip();
        let marks = vec![Mark::Line {
            x: across,
            y: up,
            ink: Ink::line(Colour::Series(0)),
            label: Some("data".into()),
        }];
        Panel::new(Body::Chart(Chart { x, y, marks })).titled(title)
    };
    let names = [
        "a name that is long",
        "incomprehensibilities",
        "counterrevolutionary",
        "short",
        "electroencephalography",
    ];
    let slanted = Bars {
        groups: names.map(String::from).to_vec(),
        series: vec![BarSeries {
            label: None,
            ink: Ink::line(Colour::Series(2)),
            values: vec![Some(1.0), Some(-0.5), None, Some(f64::NAN), Some(0.7)],
            low: vec![],
            high: vec![],
        }],
        theory: vec![],
        y: Axis::linear("y"),
        x_label: String::new(),
    };
    let (x, y) = (|| Axis::linear("x"), || Axis::linear("y"));
    let nan = f64::NAN;
    Figure {
        columns: 4,
        width: Width::Page,
        aspect: 0.8,
        panels: vec![
            panel("empty", x(), y(), &[]),
            panel("one point", x(), y(), &[(1.0, 1.0)]),
            panel("constant", x(), y(), &[(0.0, 0.3), (1.0, 0.3)]),
            panel(
                "gaps",
                x(),
                y(),
                &[
                    (0.0, 0.0),
                    (1.0, 1.0),
                    (2.0, nan),
                    (3.0, 1.0),
                    (4.0, f64::INFINITY),
                    (5.0, 0.5),
                    (6.0, 0.2),
                ],
            ),
            panel(
                "zeros on a log axis",
                x(),
                Axis::log("y"),
                &[(0.0, 1.0), (1.0, 0.0), (2.0, 5.0), (3.0, 2.0)],
            ),
            panel("huge", x(), y(), &[(0.0, -1e300), (1e300, 1e300)]),
            panel("tiny", x(), y(), &[(0.0, 0.0), (1e-300, 1e-12)]),
            panel("near one", x(), y(), &[(0.0, 1.0), (1.0, 1.0 + 1e-9)]),
            panel("600 decades", x(), Axis::log("y"), &[(0.0, 1e-300), (1.0, 1e300)]),
            panel("less than a decade", Axis::log("x"), Axis::log("y"), &[(1.0, 0.2), (8.0, 0.9)]),
            panel(
                "a sliver of a decade",
                Axis::log("x"),
                Axis::log("y"),
                &[(1.01, 1000.0), (1.08, 1010.0)],
            ),
            panel(
                "cut",
                x(),
                Axis { range: Some((0.0, 1.0)), ..y() },
                &[(0.0, -5.0), (1.0, 9.0), (2.0, 0.5), (3.0, 1e308)],
            ),
            Panel { span: 2, ..Panel::new(Body::Bars(slanted)).titled("slanted names") },
        ],
        ..Figure::default()
    }
}

/// Vectors over time and over their entries, with the instants of theory.
fn vectors() -> Figure {
    let time = powers(900, 1.0, 1e4);
    // Entry `i` of 24 rises at its own time.
    let rise = |t: f64, i: usize| 1.0 / (1.0 + (20.0 * 1.25f64.powi(i as i32) / t).powi(3));
    let values = time.iter().flat_map(|&t| (0..24).map(move |i| rise(t, i))).collect();
    let noise = |i: usize| ((i * 7919) % 1009) as f64 / 1009.0 - 0.5;
    let image = |entries: usize, values, colours, instants| Image {
        x: Axis::log("time $t$"),
        at: time.clone(),
        y_label: "token".into(),
        first: 0,
        entries,
        names: Vec::new(),
        group: 0,
        values,
        colours,
        instants,
    };
    let ink = Ink { colour: Colour::Ink, width: 0.8, ..Ink::theory() };
    let instant = |t: f64| (t, ink, "rises, Eq. (12)".to_owned());
    let instants = [20.0, 200.0, 2000.0].map(instant).to_vec();
    let steep =
        time.iter().flat_map(|&t| (0..6).map(move |i| (-t / 10f64.powi(i)).exp())).collect();
    let wild = (0..900 * 120).map(noise).collect();
    let named = Image {
        names: (0..6).map(|i| format!("token $x_{i}$")).collect(),
        group: 2,
        y_label: String::new(),
        ..image(6, steep, Axis::new("$e^{-t/\\tau_i}$", Scale::Log, Some((1e-6, 1.0))), Vec::new())
    };
    let mut marks = Vec::new();
    for (run, at) in [30.0, 300.0].into_iter().enumerate() {
        let colour = Colour::Ramp(run as f64);
        let y = time.iter().map(|t| 1.0 / (1.0 + (t / at).powi(4))).collect();
        let label = Some(format!("half way at {at}"));
        marks.push(Mark::Line { x: time.clone(), y, ink: Ink::line(colour), label });
        let ink = Ink { colour, ..ink };
        marks.push(Mark::Instant { value: at, ink, label: Some("Eq. (12)".into()) });
    }
    let nowhere = Mark::Instant { value: f64::NAN, ink, label: Some("Eq. (12)".into()) };
    marks.insert(0, nowhere);
    let chart = Chart { x: Axis::log("time $t$"), y: Axis::linear("loss"), marks };
    Figure {
        columns: 2,
        width: Width::Page,
        panels: vec![
            Panel::new(Body::Image(image(24, values, Axis::linear("attention"), instants)))
                .titled("(a) entries rise one after the other"),
            Panel::new(Body::Image(named)).titled("(b) names, rows, a log scale"),
            Panel::new(Body::Image(image(120, wild, Axis::linear("noise"), Vec::new())))
                .titled("(c) noise"),
            Panel::new(Body::Chart(chart)).titled("(d) instants of two runs"),
        ],
        ..Figure::default()
    }
}
