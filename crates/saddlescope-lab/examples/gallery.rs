//! Draws figures of all kinds into a folder: `cargo run --release --example gallery -- FOLDER`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use saddlescope_lab::draw::{
    Axis, Body, Chart, Colour, Dash, Figure, Ink, Legend, Mark, Marker, Panel, Width,
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
