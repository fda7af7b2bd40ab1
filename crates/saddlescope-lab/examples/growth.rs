//! Draws how our cost grows: `cargo run --release --example growth -- FOLDER NAME` reads `NAME.json` there
//! and writes `NAME.svg` and `NAME.png` beside it; NAME is `growth` or `recall-growth`. `cargo xtask bench
//! NAME` makes the numbers and calls this.

use std::error::Error;
use std::path::Path;

use saddlescope_lab::draw::{
    Axis, Body, Chart, Colour, Figure, Ink, Legend, Mark, Marker, Panel, Width,
};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(folder), Some(name)) = (words.next(), words.next()) else {
        return Err("usage: growth FOLDER NAME".into());
    };
    let folder = Path::new(&folder);
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let measured: Value = serde_json::from_str(&std::fs::read_to_string(file("json"))?)?;
    let world = if name == "growth" { "linear attention" } else { "associative recall" };
    let drawing = figure(world, &measured).draw();
    std::fs::write(file("svg"), drawing.svg())?;
    std::fs::write(file("png"), drawing.png(200.0)?)?;
    Ok(())
}

fn figure(world: &str, measured: &Value) -> Figure {
    let panels = measured["growth"]["panels"].as_array();
    let word = |name: &str| measured["machine"][name].as_str().unwrap_or("unknown").to_owned();
    Figure {
        title: Some(format!("How the cost of {world} grows")),
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
    let few = threads || label("x").starts_with("order");
    let x = if few { Axis::linear(label("x")) } else { Axis::log(label("x")) };
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
