//! Draws how our cost grows: `cargo run --release --example growth -- FOLDER` reads `growth.json` there and
//! writes `growth.svg` and `growth.png` beside it. `cargo xtask bench growth` makes the numbers and calls this.

use std::error::Error;
use std::path::Path;

use saddlescope_lab::draw::{
    Axis, Body, Chart, Colour, Figure, Ink, Legend, Mark, Marker, Panel, Width,
};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: growth FOLDER")?;
    let folder = Path::new(&folder);
    let measured: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("growth.json"))?)?;
    let drawing = figure(&measured).draw();
    std::fs::write(folder.join("growth.svg"), drawing.svg())?;
    std::fs::write(folder.join("growth.png"), drawing.png(200.0)?)?;
    Ok(())
}

fn figure(measured: &Value) -> Figure {
    let panels = measured["growth"]["panels"].as_array();
    let word = |name: &str| measured["machine"][name].as_str().unwrap_or("unknown").to_owned();
    Figure {
        title: Some("How the cost of linear attention grows".into()),
        columns: 2,
        width: Width::Page,
        legend: Legend::Panels,
        panels: panels.into_iter().flatten().map(panel).collect(),
        caption: format!("{} · {} · {}", word("cpu"), word("date"), word("commit")),
        ..Figure::default()
    }
}

fn panel(panel: &Value) -> Panel {
    let label = |name: &str| panel[name].as_str().unwrap_or_default().replace("(us)", "(µs)");
    let mut marks = Vec::new();
    for (number, series) in panel["series"].as_array().into_iter().flatten().enumerate() {
        let (x, y) = (numbers(&series["x"]), numbers(&series["y"]));
        let ink = Ink::line(Colour::Series(number));
        marks.push(Mark::Line { x: x.clone(), y: y.clone(), ink, label: None });
        marks.push(Mark::Points {
            x,
            y,
            ink,
            label: series["label"].as_str().map(str::to_owned),
            marker: Marker::Disc,
        });
    }
    let threads = panel["x"] == "threads";
    let x = if threads { Axis::linear(label("x")) } else { Axis::log(label("x")) };
    // Few threads and little memory: zero belongs into the picture.
    let y = if threads || label("y").starts_with("peak") {
        let top = marks.iter().filter_map(largest).fold(0.0, f64::max);
        Axis { range: Some((0.0, 1.25 * top)), ..Axis::linear(label("y")) }
    } else {
        Axis::log(label("y"))
    };
    Panel::new(Body::Chart(Chart { x, y, marks }))
}

fn largest(mark: &Mark) -> Option<f64> {
    let Mark::Points { y, .. } = mark else { return None };
    Some(y.iter().copied().fold(0.0, f64::max))
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
