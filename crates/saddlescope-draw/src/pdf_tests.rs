//! PDF files, taken apart again.

use miniz_oxide::inflate::decompress_to_vec_zlib;

use super::*;
use crate::Colour;
use crate::figure::tests::chart_of;
use crate::figure::{Dash, Figure, Ink, Mark, Panel};

fn drawing() -> Drawing {
    let ink = Ink { opacity: 0.5, ..Ink::line(Colour::Series(0)).dashed(Dash::Dashed) };
    let line = Mark::line(vec![0.0, 1.0], vec![0.0, 1.0], ink);
    let panels = vec![Panel::new(chart_of(vec![line]))];
    Figure { title: Some("A title".into()), panels, ..Figure::default() }.draw()
}

fn find(file: &[u8], what: &[u8]) -> usize {
    file.windows(what.len()).position(|window| window == what).expect("there")
}

/// The page's drawing commands.
fn content(file: &[u8]) -> String {
    let start = find(file, b"stream\n") + 7;
    let end = find(file, b"\nendstream");
    let content = decompress_to_vec_zlib(&file[start..end]).expect("whole");
    String::from_utf8(content).expect("text")
}

#[test]
fn a_document_has_its_page_and_every_object_is_where_the_table_says() {
    let drawing = drawing();
    let file = drawing.pdf();
    assert!(file.starts_with(b"%PDF-1.") && file.ends_with(b"%%EOF"));
    let text = String::from_utf8_lossy(&file);
    let (_, end) = text.rsplit_once("startxref\n").expect("there");
    let table: usize = end.lines().next().expect("there").parse().expect("a number");
    assert!(file[table..].starts_with(b"xref"));
    let entries = String::from_utf8_lossy(&file[table..]).into_owned();
    let offsets = entries.lines().filter(|line| line.trim_end().ends_with(" n"));
    let offsets: Vec<usize> = offsets.map(|l| l[..10].parse().expect("a number")).collect();
    assert_eq!(offsets.len(), 5);
    for (number, offset) in offsets.into_iter().enumerate() {
        assert!(file[offset..].starts_with(format!("{} 0 obj", number + 1).as_bytes()));
    }
    find(
        &file,
        format!("/MediaBox [0 0 {} {}]", single(drawing.width), single(drawing.height)).as_bytes(),
    );
    find(&file, b"(A title)");
}

#[test]
fn strokes_keep_their_dashes_opacity_and_clip() {
    let file = drawing().pdf();
    let content = content(&file);
    for command in ["[4.32 2.4] 0 d", "/A50 gs", "W\nn", "1.2 w"] {
        assert!(content.contains(command), "{command} in {content}");
    }
    find(&file, b"/CA 0.5");
    let count = |word: &str| content.lines().filter(|line| *line == word).count();
    assert_eq!(count("q"), count("Q"));
}
