//! Phase diagrams as they are drawn: cells where the numbers say, whatever the numbers.

use super::*;
use crate::colour::ramp;
use crate::figure::tests::{cells as filled, drawn, points};

/// Two rows of three cells over a logarithmic axis, with values 0 to 4 and none in the last.
fn phase() -> Phase {
    Phase {
        x: Axis::log("scale"),
        y: Axis::linear("rank"),
        across: vec![1.0, 10.0, 100.0, 10_000.0],
        along: vec![0.0, 1.0, 4.0],
        tints: Tints::Numbers {
            axis: Axis::linear("loss"),
            of: vec![0.0, 1.0, 2.0, 3.0, 4.0, f64::NAN],
        },
        filled: vec![true; 6],
        boundary: Vec::new(),
    }
}

const AREA: Rect = Rect { left: 0.0, top: 0.0, right: 400.0, bottom: 200.0 };

/// What is drawn on an empty drawing.
fn drawn_by(draw: impl FnOnce(&Style, &mut Drawing)) -> Drawing {
    let mut drawing = Figure::default().draw();
    drawing.items.clear();
    draw(&Style::new(Width::Column), &mut drawing);
    drawing
}

fn cells(phase: &Phase) -> Vec<(Rect, Rgb)> {
    filled(&drawn_by(|style, drawing| PhaseMarks::new(phase, style).draw_cells(&AREA, drawing)))
}

/// What the legend says.
fn words(phase: &Phase) -> Vec<String> {
    let entries = PhaseMarks::new(phase, &Style::new(Width::Column)).entries();
    entries.into_iter().map(|entry| entry.label).collect()
}

fn light(Rgb(r, g, b): Rgb) -> f64 {
    0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b)
}

#[test]
fn cells_cover_the_area_between_their_edges() {
    let found = cells(&phase());
    // From the top; a cell reaches half a point under those that come after it.
    let expected =
        [(0.0, 0.0), (100.0, 0.0), (200.0, 0.0), (0.0, 150.0), (100.0, 150.0), (200.0, 150.0)];
    assert_eq!(found.len(), 6);
    for ((cell, _), (left, top)) in found.iter().zip(expected) {
        assert!((cell.left - left).abs() < 1e-9 && (cell.top - top).abs() < 1e-9, "{cell:?}");
    }
    for x in 0..400 {
        for y in 0..200 {
            let at = (f64::from(x) + 0.5, f64::from(y) + 0.5);
            assert!(found.iter().any(|(cell, _)| cell.contains(at)), "{at:?}");
        }
    }
    assert!(found.iter().all(|(cell, _)| AREA.contains((cell.right, cell.bottom))));
}

#[test]
fn colours_grow_lighter_with_values_and_what_has_none_is_grey_or_pale() {
    let found = cells(&phase());
    let colour = |cell: usize| found[cell].1;
    // The upper row comes first: 3, 4, nothing, then 0, 1, 2.
    let order = [3, 4, 5, 0, 1].map(|cell| light(colour(cell)));
    assert!(order.windows(2).all(|pair| pair[0] < pair[1]), "{order:?}");
    assert_eq!((colour(3), colour(1), colour(2)), (ramp(0.0), ramp(1.0), NOTHING));
    let mut empty = phase();
    empty.filled[5] = false;
    assert_eq!(cells(&empty)[2].1, GRID);
    assert_eq!(words(&phase()), ["no value"]);
    assert_eq!(words(&empty), ["no run"]);
}

#[test]
fn neighbours_of_one_colour_are_one_cell() {
    let kind = |label: &str, colour| MapKind { label: label.into(), colour, marker: Marker::Disc };
    let kinds = vec![kind("one", Colour::Series(0)), kind("two", Colour::Series(1))];
    let of = vec![Some(0), Some(0), Some(1), Some(1), Some(1), Some(1)];
    let tints = Tints::Words { label: "stages".into(), kinds, of };
    let below = [true, true, false, false, false, false].map(Some).to_vec();
    let boundary = vec![Boundary { label: "stages = 1.5".into(), below }];
    let phase = Phase { tints, boundary, ..phase() };
    assert_eq!(cells(&phase).len(), 3);
    // The boundary runs below the second row, then down between the second and the third column.
    let drawing = drawn_by(|style, drawing| {
        PhaseMarks::new(&phase, style).draw_boundaries(&AREA, drawing);
    });
    let expected = [(200.0, 200.0), (200.0, 150.0), (0.0, 150.0), (200.0, 150.0)];
    let places = points(&drawing.items[1..]);
    let near = |(a, b): (&Point, &Point)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9;
    assert!(places.len() == 4 && places.iter().zip(&expected).all(near), "{places:?}");
    assert_eq!(words(&phase), ["one", "two", "stages = 1.5"]);
}

#[test]
fn strokes_of_hatching_stay_in_their_cells() {
    let cells = [Rect::new(10.3, 20.7, 31.0, 17.0), Rect::new(50.0, 60.0, 0.7, 0.9)];
    let strokes = points(&drawn_by(|_, drawing| drawing.hatch(&cells)).items);
    assert!(strokes.len() > 10);
    for at in strokes {
        assert!(cells.iter().any(|cell| cell.grown(1e-9).contains(at)), "{at:?}");
    }
}

#[test]
fn a_whole_panel_has_its_words() {
    let drawing = drawn(Body::Phase(phase()));
    let words: Vec<&str> = drawing.words().iter().map(|words| words.source.as_str()).collect();
    for expected in ["scale", "rank", "loss", "no value", "title"] {
        assert!(words.contains(&expected), "{expected}: {words:?}");
    }
}
