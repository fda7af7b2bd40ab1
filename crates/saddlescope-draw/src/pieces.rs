//! Labels as figures draw them: characters of the font, room, scripts and accents.

use super::font;
use super::markup::{Node, Part, parts};
use super::symbols::{Class, Command, drawn};

/// A piece of a label, as it is to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// Characters of the font.
    Glyphs(String),
    /// Room, in ems.
    Space(f64),
    /// Smaller pieces, below and above what stands before them.
    Scripts { below: Vec<Piece>, above: Vec<Piece> },
    /// A sign over pieces.
    Accent { sign: char, over: Vec<Piece> },
}

/// The pieces of a label. What is not understood is drawn as written.
pub(crate) fn pieces(label: &str) -> Vec<Piece> {
    let part = |part| match part {
        Part::Text(text) => vec![Piece::Glyphs(text)],
        Part::Formula(nodes) => spaced(atoms(&nodes), true),
    };
    parts(label).into_iter().flat_map(part).collect()
}

/// A piece and the room that it wants.
#[derive(Debug, Clone, PartialEq)]
struct Atom {
    piece: Piece,
    class: Class,
}

impl Atom {
    fn text(text: impl Into<String>, class: Class) -> Self {
        Self { piece: Piece::Glyphs(text.into()), class }
    }
}

fn atoms(nodes: &[Node]) -> Vec<Atom> {
    let mut all = Vec::new();
    for node in nodes {
        match node {
            Node::Blank => {}
            Node::Sign(c, alphabet) => {
                let (drawn, class) = drawn(*c);
                all.push(Atom::text(alphabet.letter(drawn), class));
            }
            Node::Text(text) => all.push(Atom::text(text, Class::Ordinary)),
            Node::Script { is_below, of } => {
                add_script(*is_below, spaced(atoms(of), false), &mut all);
            }
            Node::Command { name, meaning, alphabet, arguments } => {
                let argument = |place: usize| atoms(&arguments[place]);
                match *meaning {
                    Some(Command::Symbol(sign, class))
                        if font::glyph(alphabet.letter(sign)).is_some() =>
                    {
                        all.push(Atom::text(alphabet.letter(sign), class));
                    }
                    Some(Command::Function) => all.push(Atom::text(name, Class::Function)),
                    Some(Command::Space(width)) => {
                        all.push(Atom { piece: Piece::Space(width), class: Class::Space });
                    }
                    Some(Command::Accent(sign, _)) => {
                        let piece = Piece::Accent { sign, over: spaced(argument(0), false) };
                        all.push(Atom { piece, class: Class::Ordinary });
                    }
                    Some(Command::Fraction) => {
                        all.extend(bracketed(argument(0)));
                        all.push(Atom::text('/', Class::Ordinary));
                        all.extend(bracketed(argument(1)));
                    }
                    Some(Command::Root) => {
                        all.push(Atom::text('√', Class::Ordinary));
                        all.extend(bracketed(argument(0)));
                    }
                    Some(Command::Nothing) => {}
                    _ => all.push(Atom::text(format!("\\{name}"), Class::Ordinary)),
                }
            }
        }
    }
    all
}

/// Adds a subscript or superscript, joined with the other one where both belong to the same thing.
fn add_script(is_below: bool, pieces: Vec<Piece>, atoms: &mut Vec<Atom>) {
    if let Some(Atom { piece: Piece::Scripts { below, above }, .. }) = atoms.last_mut() {
        let place = if is_below { below } else { above };
        if place.is_empty() {
            *place = pieces;
            return;
        }
    }
    let (below, above) = if is_below { (pieces, Vec::new()) } else { (Vec::new(), pieces) };
    // What follows keeps its distance from the thing that carries the script.
    let class = atoms.last().map_or(Class::Ordinary, |atom| match atom.class {
        Class::Function => Class::Function,
        _ => Class::Ordinary,
    });
    atoms.push(Atom { piece: Piece::Scripts { below, above }, class });
}

/// Brackets around more than one thing.
fn bracketed(atoms: Vec<Atom>) -> Vec<Atom> {
    let things = atoms.iter().filter(|a| !matches!(a.piece, Piece::Scripts { .. })).count();
    if things <= 1 || atoms.iter().all(|a| a.class == Class::Ordinary) {
        return atoms;
    }
    let mut all = vec![Atom::text('(', Class::Open)];
    all.extend(atoms);
    all.push(Atom::text(')', Class::Ordinary));
    all
}

/// The pieces of atoms with room between them where `wide`; neighbouring glyphs are joined.
fn spaced(atoms: Vec<Atom>, wide: bool) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut before: Option<Class> = None;
    for Atom { piece, mut class } in atoms {
        let is_script = matches!(piece, Piece::Scripts { .. });
        let is_sign = matches!(
            before,
            None | Some(Class::Relation | Class::Binary | Class::Open | Class::Punctuation)
        );
        if class == Class::Binary && is_sign {
            class = Class::Ordinary;
        }
        let room = if is_script { 0.0 } else { before.map_or(0.0, |before| gap(before, class)) };
        if wide && room > 0.0 {
            pieces.push(Piece::Space(room));
        }
        match (pieces.last_mut(), piece) {
            (Some(Piece::Glyphs(text)), Piece::Glyphs(more)) => text.push_str(&more),
            (_, piece) => pieces.push(piece),
        }
        before = Some(class);
    }
    pieces
}

/// Room between two neighbours, in ems.
fn gap(left: Class, right: Class) -> f64 {
    use Class::{Binary, Function, Open, Ordinary, Punctuation, Relation, Space};
    match (left, right) {
        (Space, _) | (_, Space) => 0.0,
        (Relation, Relation) => 0.0,
        (Relation, _) | (_, Relation) => 0.24,
        (Binary, _) | (_, Binary) => 0.17,
        (Punctuation, _) => 0.17,
        (Function, Open) => 0.0,
        (Function, _) | (Ordinary, Function) => 0.15,
        _ => 0.0,
    }
}

#[cfg(test)]
#[path = "pieces_tests.rs"]
mod tests;
