//! PNG files, taken apart again.

use miniz_oxide::inflate::decompress_to_vec_zlib;

use super::*;
use crate::Colour;
use crate::figure::tests::{chart_of, drawn};
use crate::figure::{Ink, Mark, Shape};

fn drawing() -> Drawing {
    let ink = Ink { width: 3.0, ..Ink::line(Colour::Series(3)) };
    drawn(chart_of(vec![Mark::new(Shape::Level(0.5), ink)]))
}

/// Chunks by name, with their checksums tested.
fn chunks(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
    let mut rest = &file[8..];
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let number = |at: usize| u32::from_be_bytes(rest[at..at + 4].try_into().expect("four"));
        let length = number(0) as usize;
        assert_eq!(number(8 + length), checksum(&rest[4..8 + length]));
        let name = String::from_utf8(rest[4..8].to_vec()).expect("letters");
        chunks.push((name, rest[8..8 + length].to_vec()));
        rest = &rest[12 + length..];
    }
    chunks
}

/// Width, height and the pixels of a file with rows that are differences from those above.
fn pixels(file: &[u8]) -> (usize, usize, Vec<[u8; 3]>) {
    let chunks = chunks(file);
    let part = |name: &str| &chunks.iter().find(|c| c.0 == name).expect("there").1;
    let number =
        |at: usize| u32::from_be_bytes(part("IHDR")[at..at + 4].try_into().expect("four")) as usize;
    let (wide, high) = (number(0), number(4));
    let rows = decompress_to_vec_zlib(part("IDAT")).expect("whole");
    assert_eq!(rows.len(), high * (3 * wide + 1));
    let mut above = vec![0u8; 3 * wide];
    let mut pixels = Vec::new();
    for row in rows.chunks(3 * wide + 1) {
        assert_eq!(row[0], 2);
        for (to, from) in above.iter_mut().zip(&row[1..]) {
            *to = to.wrapping_add(*from);
        }
        pixels.extend(above.chunks(3).map(|p| [p[0], p[1], p[2]]));
    }
    (wide, high, pixels)
}

#[test]
fn the_checksum_has_its_known_values() {
    // The check value of CRC-32, and the checksum of every file's last chunk.
    assert_eq!((checksum(b"123456789"), checksum(b"IEND")), (0xCBF4_3926, 0xAE42_6082));
}

#[test]
fn a_picture_has_its_size_its_ground_and_its_ink() {
    let drawing = drawing();
    let file = drawing.png(144.0).expect("small");
    let (wide, high, pixels) = pixels(&file);
    assert_eq!(wide, (drawing.width * 2.0).round() as usize);
    assert_eq!(high, (drawing.height * 2.0).round() as usize);
    assert_eq!(pixels[0], [255, 255, 255]);
    let Rgb(r, g, b) = Colour::Series(3).rgb();
    let inked = pixels.iter().filter(|&&p| p == [r, g, b]).count();
    // A line of three points over most of the width.
    assert!(inked > 4 * wide && inked < 7 * wide, "{inked} of {wide}");
    let resolution = &chunks(&file)[1];
    assert_eq!((resolution.0.as_str(), &resolution.1[..4]), ("pHYs", &5669u32.to_be_bytes()[..]));
}

#[test]
fn impossible_sizes_are_refused() {
    for dots_per_inch in [0.0, -10.0, f64::NAN, f64::INFINITY, 1e9, 1e-9] {
        let refused = drawing().png(dots_per_inch).expect_err("no such picture");
        assert!(refused.to_string().contains("dots per inch"), "{refused}");
    }
}
