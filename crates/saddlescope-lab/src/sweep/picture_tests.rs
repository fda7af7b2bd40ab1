//! From a sweep's file to its laws and figures.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::plan::{Changes, Executor};
use crate::registry::tests::ALL;

/// Five scales and two ranks of a quick experiment, in which the first jump comes later the smaller the start.
const TEXT: &str = r#"
name = "quick"
[system]
name = "linear-attention"
eigenvalues = [0.7, 0.3]
heads = 2
[start]
scale = 0.05
[dynamics]
kind = "flow"
until = 100000.0
[record]
points = 60
[vary]
start.scale = "1e-3..0.1:log5"
system.rank = [1, 2]
"#;

fn drawn(more: &str) -> (TempDir, SweepDrawing) {
    let text = format!("seeds = 2\n{TEXT}\n{more}");
    let plan = Plan::from_text("quick.toml", &text, &Changes::default().swept(), &ALL);
    let sweep = Sweep::new(plan.unwrap_or_else(|error| panic!("{error}")), &ALL).unwrap();
    let place = TempDir::new().unwrap();
    let folder = Folder::claim(place.path(), &sweep, false).unwrap();
    sweep.run(&folder, 0..sweep.len(), &Executor { workers: 2, ..Executor::default() }).unwrap();
    let merged = folder.merge(&sweep, &[], false).unwrap();
    let drawn = folder.draw(&sweep, &SweepTable::open(&merged.table).unwrap()).unwrap();
    (place, drawn)
}

#[test]
fn a_sweep_has_phase_diagrams_without_asking() {
    let (place, drawn) = drawn("");
    assert_eq!((drawn.files.len(), drawn.undrawn, drawn.fits.len()), (3, None, 0));
    let svg = fs::read_to_string(place.path().join("figure.svg")).unwrap();
    for words in ["scale of the start", "loss at the end", "stages", "20 members"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn laws_are_fitted_and_drawn_beside_theory() {
    let (place, drawn) = drawn(
        "[[fit]]\nx = \"start.scale\"\ny = [\"crossing.1\"]\nlaw = \"log\"\nresamples = 200\n\
         [figure]\n[[figure.panel]]\nkind = \"points\"\nx = \"start.scale\"\ny = [\"crossing.1\"]\nfit = true\n\
         [[figure.panel]]\nkind = \"phase\"\nx = \"start.scale\"\ny = \"system.rank\"\nvalue = \"ended\"\nx_scale = \"log\"\n",
    );
    assert_eq!((drawn.files.len(), drawn.undrawn), (3, None));
    assert_eq!(drawn.fits.len(), 2, "one for each rank");
    for fitted in &drawn.fits {
        let fit = fitted.outcome.as_ref().unwrap();
        assert_eq!((fit.points, fit.seeds, fit.values), (10, 2, 5));
        assert!(fit.slope.value < 0.0, "{:?}", fit.slope);
    }
    assert!(place.path().join("fits.json").exists());
}

#[test]
fn a_figure_of_single_runs_has_that_of_the_sweep_in_its_place() {
    let (_place, drawn) = drawn("[figure]\n[[figure.panel]]\ny = [\"loss\"]\n");
    assert_eq!(drawn.files.len(), 3);
    assert!(drawn.undrawn.is_some_and(|why| why.contains("kind = \"lines\"")));
}
