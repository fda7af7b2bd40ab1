//! Panels of vectors over their entries and over time, and the instants of theory.

use saddlescope_draw::Image;
use saddlescope_spec::figure::{Evolution, Profile, ProfileShape, TimeAxis};

use super::tests::{Toy, band, checked, labels, line, lines};
use super::*;

fn profile(change: impl FnOnce(&mut Profile)) -> PanelSpec {
    let mut profile = Profile { y: vec!["recall".to_owned()], ..Profile::defaults() };
    change(&mut profile);
    PanelSpec::new(Contents::Profile(profile))
}

fn evolution(y: &str, change: impl FnOnce(&mut Evolution)) -> PanelSpec {
    let mut evolution = Evolution::over_time(y);
    change(&mut evolution);
    PanelSpec::new(Contents::Evolution(evolution))
}

fn image(panel: PanelSpec) -> Image {
    let Body::Image(image) = Toy::new().body(panel) else { panic!("no image") };
    image
}

fn first_run(panel: PanelSpec) -> PanelSpec {
    PanelSpec { only: vec!["seed = 0".into(), "system.rank = 1".into()], ..panel }
}

/// Places and heights of the lines, without those of the legend.
fn drawn(chart: &Chart) -> Vec<(Vec<f64>, Vec<f64>)> {
    let lines = chart.marks.iter().filter_map(|mark| match &mark.shape {
        Shape::Line { x, y } if !x.is_empty() => Some((x.clone(), y.clone())),
        _ => None,
    });
    lines.collect()
}

fn inks(chart: &Chart) -> Vec<Ink> {
    let lines = chart.marks.iter().filter(|mark| matches!(mark.shape, Shape::Line { .. }));
    lines.map(|mark| mark.ink).collect()
}

#[test]
fn a_profile_is_a_line_over_entries_for_each_run() {
    let chart = Toy::new().chart(profile(|_| ()));
    let lines = drawn(&chart);
    assert_eq!(lines.len(), 6);
    let numbers: Vec<f64> = (0..6).map(f64::from).collect();
    let expected: Vec<f64> = (1..7).map(|i| f64::from(i) * 200.0).collect();
    assert_eq!(lines[3], (numbers, expected), "the first run of rank 2 jumps at 200");
    assert_eq!(labels(&chart), ["rank = 1", "rank = 2"]);
    let inks = inks(&chart);
    assert_eq!(inks.iter().filter(|ink| ink.colour == Colour::Ramp(1.0)).count(), 3);
    assert_eq!((chart.x.label.as_str(), chart.y.label.as_str()), ("entry", "recall at the end"));
    assert!(chart.x.whole);
}

#[test]
fn seeds_become_a_mean_with_its_standard_deviation() {
    let chart = Toy::new().chart(profile(|p| p.seeds = SeedsAs::Mean));
    let [_, low, high] = band(&chart.marks);
    // Jumps at 100, 101, 102: their mean is 101, and their standard deviation 1.
    for (entry, (_, factor)) in low.iter().zip(1..7).enumerate() {
        let factor = f64::from(factor);
        assert!((low[entry] - 100.0 * factor).abs() < 1e-9, "{low:?}");
        assert!((high[entry] - 102.0 * factor).abs() < 1e-9, "{high:?}");
    }
    let (_, middle) = &drawn(&chart)[0];
    assert!((middle[5] - 606.0).abs() < 1e-9);
    // Over time, too.
    let chart = Toy::new().chart(lines(SeedsAs::Mean, ColourBy::Auto));
    let ([_, low, high], [x, y]) = (band(&chart.marks), line(&chart.marks, "rank = 1"));
    let exact = |t: f64, seed: u32| 1.0 / (1.0 + (t / (100.0 + f64::from(seed))).powi(4));
    for i in 0..x.len() {
        let mean = (0..3).map(|seed| exact(x[i], seed)).sum::<f64>() / 3.0;
        let square = |seed| (exact(x[i], seed) - mean).powi(2);
        let deviation = ((0..3).map(square).sum::<f64>() / 2.0).sqrt();
        assert!((y[i] - mean).abs() < 0.01, "{} at {}", y[i], x[i]);
        assert!((0.5 * (high[i] - low[i]) - deviation).abs() < 2e-3, "at {}", x[i]);
    }
}

#[test]
fn instants_are_on_a_ramp_and_named() {
    let panel = first_run(profile(|p| {
        p.y = vec!["head.0.key".into()];
        p.at = Instants::Times(vec![0.0, 100.0]);
    }));
    let chart = Toy::new().chart(panel);
    assert_eq!(labels(&chart), ["$t = 0$", "$t = 100$"]);
    let lines = drawn(&chart);
    assert_eq!(lines[0].1, [0.0, 0.0]);
    assert!((lines[1].1[0] - 100.0).abs() < 1e-9 && (lines[1].1[1] + 100.0).abs() < 1e-9);
    assert_eq!(chart.y.label, "head.0.key");
}

#[test]
fn dashes_tell_instants_where_colours_tell_runs() {
    let panel = profile(|p| {
        p.at = Instants::Ends;
        p.seeds = SeedsAs::First;
    });
    let chart = Toy::new().chart(panel);
    assert_eq!(drawn(&chart).len(), 4);
    let words = labels(&chart);
    assert_eq!(words[..2], ["rank = 1", "rank = 2"]);
    assert!(words[2] == "$t = 0$" && words[3].starts_with("$t = "), "{words:?}");
    let dashes: Vec<Dash> = inks(&chart).iter().map(|ink| ink.dash).collect();
    assert!(dashes[0] != dashes[1] && dashes[0] == dashes[2] && dashes[1] == dashes[3]);
    assert_eq!(dashes[4..6], [Dash::Solid; 2], "the legend's samples of colours");
    assert_eq!(dashes[6..], dashes[..2], "and of dashes");
}

#[test]
fn rows_entries_and_places_are_chosen() {
    let panel = first_run(profile(|p| {
        (p.row, p.entries) = (Some(1), Some((1, 3)));
        p.x = Some(vec![20.0, 10.0]);
    }));
    let chart = Toy::new().chart(panel);
    // Entries 1 and 2 of the second row, sorted by where they stand.
    assert_eq!(drawn(&chart), [(vec![10.0, 20.0], vec![600.0, 500.0])]);
    assert_eq!(chart.y.label, "recall, row 1 at the end");
    let chart = |p: &mut Profile| (p.row, p.entries) = (Some(1), Some((1, 3)));
    let chart = Toy::new().chart(first_run(profile(chart)));
    assert_eq!(drawn(&chart)[0].0, [1.0, 2.0], "numbers within the row");
}

#[test]
fn single_numbers_of_one_pattern_are_a_vector() {
    let chart = Toy::new().chart(first_run(profile(|p| p.y = vec!["part.*".into()])));
    let (x, y) = &drawn(&chart)[0];
    assert_eq!((x.as_slice(), y[1]), (&[0.0, 1.0][..], 0.0));
    assert!(y[0] > 1000.0);
}

#[test]
fn bars_and_steps_fill_the_room_of_their_entries() {
    let shaped = |shape, x_scale| {
        let panel = first_run(profile(|p| {
            p.row = Some(0);
            p.x = Some(vec![1.0, 10.0, 100.0]);
            (p.shape, p.x_scale) = (shape, x_scale);
        }));
        Toy::new().chart(panel)
    };
    let steps = drawn(&shaped(ProfileShape::Steps, Scale::Linear));
    assert_eq!(steps[0].0, [-3.5, 5.5, 5.5, 55.0, 55.0, 145.0]);
    assert_eq!(steps[0].1, [100.0, 100.0, 200.0, 200.0, 300.0, 300.0]);
    let chart = shaped(ProfileShape::Bars, Scale::Log);
    let [x, low, high] = band(&chart.marks);
    // A bar takes four fifths of its decade, around its place.
    assert!((x[0] * x[1] - 1.0).abs() < 1e-9 && (x[1] / x[0] - 10f64.powf(0.8)).abs() < 1e-9);
    assert!(x[2].is_nan() && low[0] == 0.0 && high[..2] == [100.0, 100.0]);
    assert_eq!(chart.y.range.unwrap().0, 0.0);
}

#[test]
fn theory_of_a_vector_is_a_dashed_line() {
    let panel = profile(|p| p.row = Some(1)).beside(&["recalled"]);
    let chart = Toy::new().chart(panel);
    let lines = drawn(&chart);
    // Six runs, and what theory says of those of either rank in its colour.
    assert_eq!(lines.len(), 8);
    assert_eq!(lines[6].1, [3.0, 4.0, 5.0]);
    assert_eq!(labels(&chart), ["rank = 1", "rank = 2", "limit"]);
}

#[test]
fn an_evolution_has_all_entries_of_all_samples() {
    let image = image(evolution("head.*.key", |_| ()).beside(&["jumps"]));
    // One sample more than there are: a run at rest goes on as it ended.
    assert_eq!((image.entries, image.group, image.at.len()), (4, 2, 62));
    assert_eq!(image.values[4 * 60..4 * 61], image.values[4 * 61..]);
    let last = &image.values[4 * 61..];
    assert_eq!(last, [last[0], -last[0], last[0], -last[0]]);
    assert_eq!((image.colours.label.as_str(), image.x.label.as_str()), ("head.*.key", "time $t$"));
    // Keys have moved by a fiftieth at time 160 or so.
    let (start, _) = image.x.range.unwrap();
    assert!((5.0..20.0).contains(&start), "{start}");
    let [(time, _, label)] = image.instants.as_slice() else { panic!("{:?}", image.instants) };
    assert_eq!(
        (*time, label.as_str()),
        (100.0, "Eq. (9)"),
        "what comes after the end is not drawn"
    );
}

#[test]
fn an_evolution_over_steps_has_its_instants_at_steps() {
    let panel = evolution("recall", |e| {
        e.row = Some(1);
        (e.x, e.x_scale) = (TimeAxis::Step, Scale::Linear);
    });
    let image = image(panel.beside(&["jumps"]));
    assert_eq!((image.entries, image.group, image.first), (3, 0, 0));
    assert_eq!(image.values[..3], [400.0, 500.0, 600.0]);
    assert_eq!(image.x.label, "steps");
    // Time 100 is that of row 31, at step 62.
    assert!((image.instants[0].0 - 62.0).abs() < 1e-9, "{:?}", image.instants);
}

/// Values and colours of the instants that are drawn; the legend's comes first.
fn instants(chart: &Chart) -> Vec<(f64, Colour)> {
    let said = chart.marks.iter().filter(|mark| mark.label.as_deref() == Some("Eq. (9)"));
    let instants = said.filter_map(|mark| match mark.shape {
        Shape::Instant(value) => Some((value, mark.ink.colour)),
        _ => None,
    });
    instants.collect()
}

#[test]
fn instants_have_the_colours_of_their_runs() {
    let toy = Toy::new();
    let chart = toy.chart(lines(SeedsAs::Each, ColourBy::Auto).beside(&["jumps"]));
    let found = instants(&chart);
    assert!(found[0].0.is_nan() && found[0].1 == Colour::Ink, "the legend's");
    let own: Vec<_> = (0..6).map(|row| (100.0 + f64::from(row), f64::from(row / 3))).collect();
    let expected: Vec<_> = own.into_iter().map(|(at, place)| (at, Colour::Ramp(place))).collect();
    assert_eq!(found[1..], expected);
    // Seeds that are drawn as one have one instant: the median.
    let chart = toy.chart(lines(SeedsAs::Band, ColourBy::Auto).beside(&["jumps"]));
    assert_eq!(instants(&chart)[1..], [(101.0, Colour::Ramp(0.0)), (104.0, Colour::Ramp(1.0))]);
    // Where runs have no colour of their own, instants have none.
    let chart = toy.chart(lines(SeedsAs::First, ColourBy::Column).beside(&["jumps"]));
    assert_eq!(instants(&chart)[1..], [(100.0, Colour::Ink), (103.0, Colour::Ink)]);
}

#[test]
fn what_vectors_do_not_have_is_named_before_anything_runs() {
    let mut columns = vec!["loss".to_owned()];
    columns.extend((0..6).map(|i| format!("recall[{},{}]", i / 3, i % 3)));
    let fine = profile(|p| (p.row, p.entries) = (Some(1), Some((0, 3))));
    assert!(checked(fine, &columns).is_ok());
    let range = |e: &mut Evolution| (e.row, e.entries) = (Some(0), Some((1, 4)));
    for (panel, words) in [
        (profile(|p| p.y = vec!["recal".into()]), "did you mean `recall`?"),
        (
            profile(|p| p.y = vec!["loss".into()]),
            "single number; recorded with several entries: recall",
        ),
        (profile(|p| p.row = Some(2)), "row = 2, but `recall` has 2 row(s)"),
        (evolution("recall", range), "entries = [1, 4], but `recall` has 3 to"),
        (profile(|p| p.x = Some(vec![1.0])), "x has 1 places, but 6 entries of `recall`"),
    ] {
        let before = checked(panel.clone(), &columns).unwrap_err().to_string();
        assert!(before.contains(words), "{before}");
        let after = Toy::new().compose(panel).unwrap_err().to_string();
        // Other columns are recorded there.
        if !before.contains("recorded") {
            assert_eq!(before, after);
        }
    }
}
