//! Panels as settings say them, and what is refused.

use super::*;
use crate::settings::{GivenValue, Input, Origin};

fn text(text: &str) -> Input {
    Input::Text(text.to_owned())
}

fn list(items: impl IntoIterator<Item = Input>) -> Input {
    let given = |value| GivenValue { value, origin: Origin::Program };
    Input::List(items.into_iter().map(given).collect())
}

fn numbers(items: &[f64]) -> Input {
    list(items.iter().map(|&item| Input::Number(item)))
}

fn texts(items: &[&str]) -> Input {
    list(items.iter().map(|item| text(item)))
}

/// What a panel with these settings shows.
fn read(settings: &[(&str, Input)]) -> Result<Contents> {
    let panel = PANEL.resolve_program(settings).unwrap();
    PanelSpec::from_settings(&panel).map(|panel| panel.contents)
}

#[test]
fn a_panel_of_defaults_is_the_loss_over_log_time() {
    let figure = FIGURE.resolve_program(&[]).unwrap();
    let panel = PANEL.resolve_program(&[]).unwrap();
    let spec = FigureSpec::from_settings(&figure, &[panel]).unwrap();
    assert_eq!(spec, FigureSpec::new(2, vec![PanelSpec::over_time(&["loss"])]));
}

#[test]
fn a_range_needs_two_ascending_numbers() {
    for (ends, fine) in [(&[0.0, 1.0][..], true), (&[1.0, 0.0], false), (&[0.0; 3], false)] {
        assert_eq!(read(&[("x_range", numbers(ends))]).is_ok(), fine);
    }
}

#[test]
fn a_map_has_two_axes_or_three_corners() {
    let read = |more: &[(&str, Input)]| {
        let base = [("kind", text("map")), ("colour", text("order"))];
        read(&[&base[..], more].concat()).map(|contents| match contents {
            Contents::Map(map) => map,
            other => panic!("{other:?}"),
        })
    };
    let (x, y) = (("x", text("a")), ("y", text("b")));
    let corners = ("corners", texts(&["a", "b", "c"]));
    let map = read(&[x.clone(), y.clone()]).unwrap();
    assert_eq!(map.place(), MapPlace::Axes { x: "a", y: "b" });
    let map = read(std::slice::from_ref(&corners)).unwrap();
    assert!(matches!(map.place(), MapPlace::Triangle { labels: None, .. }));
    let wrong = [
        vec![],
        vec![x.clone()],
        vec![x.clone(), corners.clone()],
        vec![("corners", texts(&["a", "b"]))],
        vec![corners, ("corner_labels", texts(&["a"]))],
        vec![x, y, ("corner_labels", texts(&["a", "b", "c"]))],
    ];
    assert!(wrong.iter().all(|settings| read(settings).is_err()));
}

#[test]
fn vectors_are_shown_at_the_end_and_over_log_time_unless_settings_say_otherwise() {
    let base = [("kind", text("profile")), ("y", texts(&["recall"]))];
    let plain = Profile { y: owned(&["recall"]), ..Profile::defaults() };
    assert_eq!(read(&base).unwrap(), Contents::Profile(plain.clone()));
    let more = [
        ("at", text("ends")),
        ("entries", numbers(&[1.0, 3.0])),
        ("shape", text("bars")),
        ("seeds", text("mean")),
        ("colour", text("instant")),
    ];
    let expected = Profile {
        at: Instants::Ends,
        entries: Some((1, 3)),
        shape: ProfileShape::Bars,
        seeds: SeedsAs::Mean,
        colour: ColourBy::Instant,
        ..plain
    };
    assert_eq!(read(&[&base[..], &more].concat()).unwrap(), Contents::Profile(expected));
    let base = [("kind", text("evolution")), ("y", text("recall"))];
    assert_eq!(read(&base).unwrap(), Contents::Evolution(Evolution::over_time("recall")));
    for wrong in [&[3.0, 1.0][..], &[0.5, 2.0], &[1.0, 2.0, 3.0]] {
        let settings = [&base[..], &[("entries", numbers(wrong))]].concat();
        assert!(read(&settings).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_phase_diagram_has_two_columns_and_whole_numbers_of_cells() {
    let read = |more: &[(&str, Input)]| {
        let base = [("kind", text("phase")), ("x", text("a")), ("value", text("stages"))];
        read(&[&base[..], more].concat()).map(|contents| match contents {
            Contents::Phase(phase) => phase,
            other => panic!("{other:?}"),
        })
    };
    let y = ("y", text("b"));
    assert_eq!(read(std::slice::from_ref(&y)).unwrap(), Phase::new("a", "b", "stages"));
    let share = [y.clone(), ("reduce", text("share")), ("of", text("2"))];
    let share = read(&share).unwrap();
    assert_eq!((share.reduce, share.of.as_deref()), (Reduce::Share, Some("2")));
    let bins = |list: &[f64]| read(&[y.clone(), ("bins", numbers(list))]);
    assert_eq!(bins(&[24.0, 118.0]).unwrap().bins, Some((24, 118)));
    for wrong in [&[24.0, 119.0][..], &[2.5, 3.0], &[3.0, 3.0, 3.0]] {
        assert!(bins(wrong).unwrap_err().to_string().contains("1 to 118"), "{wrong:?}");
    }
    let same = read(&[("y", text("a"))]).unwrap_err().to_string();
    assert!(same.contains("`a` like x"), "{same}");
}
