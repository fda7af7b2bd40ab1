//! Tokens in lines: groups go on below where a line is full, and lose their middle where even that is too long.

use saddlescope_spec::sketch::{Token, TokenRow};

use super::text::width;
use super::tokens::Sizes;

/// Lines that a row may take before groups in its middle are left out.
const MOST_LINES: usize = 3;

/// A token in its box, or the dots in place of tokens that are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Piece<'a> {
    pub(crate) token: Option<&'a Token>,
    pub(crate) wide: f64,
}

/// Tokens side by side over one brace.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group<'a> {
    pub(crate) label: &'a str,
    pub(crate) pieces: Vec<Piece<'a>>,
    /// Width of all tokens.
    pub(crate) tokens: f64,
    /// Width with the words under the brace, where these are wider.
    pub(crate) wide: f64,
}

impl Group<'_> {
    /// Where its first token begins.
    pub(crate) fn indent(&self) -> f64 {
        0.5 * (self.wide - self.tokens)
    }
}

/// The lines of a row in this room.
pub(crate) fn lines<'a>(row: &'a TokenRow, room: f64, sizes: &Sizes) -> Vec<Vec<Group<'a>>> {
    let together = row.tokens.chunk_by(|a, b| a.group == b.group);
    let groups: Vec<Group<'a>> = together
        .map(|tokens| {
            let label = tokens.first().and_then(|token| row.groups.get(token.group));
            group(tokens, label.map_or("", String::as_str), room, sizes)
        })
        .collect();
    let dots = Group { label: "", pieces: vec![dots(sizes)], tokens: sizes.high, wide: sizes.high };
    let chosen = |kept: &[Option<usize>]| -> Vec<Group<'a>> {
        kept.iter().map(|place| place.map_or(&dots, |place| &groups[place]).clone()).collect()
    };
    let kept = kept(groups.len(), |kept| broken(chosen(kept), room, sizes).len() <= MOST_LINES);
    broken(chosen(&kept), room, sizes)
}

/// As many groups in a line as fit.
fn broken<'a>(groups: Vec<Group<'a>>, room: f64, sizes: &Sizes) -> Vec<Vec<Group<'a>>> {
    let mut lines: Vec<Vec<Group<'a>>> = Vec::new();
    let mut x = 0.0;
    for group in groups {
        let end = x + sizes.apart + group.wide;
        match lines.last_mut().filter(|_| end <= room) {
            Some(line) => {
                x = end;
                line.push(group);
            }
            None => {
                x = group.wide;
                lines.push(vec![group]);
            }
        }
    }
    lines
}

fn group<'a>(tokens: &'a [Token], label: &'a str, room: f64, sizes: &Sizes) -> Group<'a> {
    let piece = |place: &Option<usize>| match place {
        Some(place) => {
            let token = &tokens[*place];
            let wide = width(&token.text, sizes.text) + 2.0 * sizes.pad;
            Piece { token: Some(token), wide: wide.max(sizes.high).min(room) }
        }
        None => dots(sizes),
    };
    let total = |kept: &[Option<usize>]| {
        let gaps = sizes.gap * kept.len().saturating_sub(1) as f64;
        kept.iter().map(|place| piece(place).wide).sum::<f64>() + gaps
    };
    let kept = kept(tokens.len(), |kept| total(kept) <= room);
    let wide = total(&kept).max(width(label, sizes.note).min(room));
    Group { label, pieces: kept.iter().map(piece).collect(), tokens: total(&kept), wide }
}

fn dots(sizes: &Sizes) -> Piece<'static> {
    Piece { token: None, wide: sizes.high }
}

/// All of `count` places where they fit; else as many as fit from both ends, with a gap between them.
fn kept(count: usize, fits: impl Fn(&[Option<usize>]) -> bool) -> Vec<Option<usize>> {
    let all: Vec<Option<usize>> = (0..count).map(Some).collect();
    if count < 2 || fits(&all) {
        return all;
    }
    let without_middle = |keep: usize| -> Vec<Option<usize>> {
        let first = keep.div_ceil(2);
        let ends = all[..first].iter().copied().chain([None]);
        ends.chain(all[count - (keep - first)..].iter().copied()).collect()
    };
    let most = (1..count).rev().map(without_middle).find(|kept| fits(kept));
    most.unwrap_or_else(|| without_middle(1))
}
