//! Labels: text with formulas between dollar signs.

use super::symbols::{Alphabet, Class, accent, is_function, plain, space, symbol};

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

/// Braces nested deeper than this are drawn as they are written.
const DEEPEST: usize = 12;

/// The pieces of a label. What is not understood is drawn as written.
pub(crate) fn parse(label: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = label;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if let Some(escaped) = rest.strip_prefix("\\$") {
            text.push('$');
            rest = escaped;
        } else if c == '$'
            && let Some(end) = formula_end(after)
        {
            if !text.is_empty() {
                pieces.push(Piece::Glyphs(std::mem::take(&mut text)));
            }
            pieces.extend(formula(&after[..end]));
            rest = &after[end + 1..];
        } else {
            text.push(if c.is_control() { ' ' } else { c });
            rest = after;
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Glyphs(text));
    }
    pieces
}

/// Where the dollar sign stands that closes a formula.
fn formula_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let closes = c == '$' && !escaped;
        escaped = c == '\\' && !escaped;
        closes.then_some(at)
    })
}

fn formula(source: &str) -> Vec<Piece> {
    let mut parser = Parser { source: source.chars().collect(), at: 0, depth: 0 };
    let mut atoms = Vec::new();
    while parser.at < parser.source.len() {
        atoms.extend(parser.list(Alphabet::Italic));
        // Only a brace that closes nothing ends a list early.
        if let Some(stray) = parser.next() {
            atoms.push(Atom::glyph(stray, Class::Ordinary));
        }
    }
    spaced(atoms, true)
}

/// A piece and the room that it wants.
#[derive(Debug, Clone, PartialEq)]
struct Atom {
    piece: Piece,
    class: Class,
}

impl Atom {
    fn glyph(c: char, class: Class) -> Self {
        Self { piece: Piece::Glyphs(c.to_string()), class }
    }

    fn text(text: impl Into<String>, class: Class) -> Self {
        Self { piece: Piece::Glyphs(text.into()), class }
    }
}

struct Parser {
    source: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.source.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Atoms up to a closing brace, which stays, or the end.
    fn list(&mut self, alphabet: Alphabet) -> Vec<Atom> {
        let mut atoms = Vec::new();
        while let Some(c) = self.peek().filter(|&c| c != '}') {
            self.at += 1;
            match c {
                '_' | '^' => self.script(c == '_', alphabet, &mut atoms),
                _ => self.one(c, alphabet, &mut atoms),
            }
        }
        atoms
    }

    /// One character, group or command; the character has been taken.
    fn one(&mut self, c: char, alphabet: Alphabet, atoms: &mut Vec<Atom>) {
        match c {
            '{' => self.group(alphabet, atoms),
            '\\' => self.command(alphabet, atoms),
            '~' => atoms.push(Atom { piece: Piece::Space(0.26), class: Class::Space }),
            _ if c.is_whitespace() || c.is_control() => {}
            _ => {
                let (drawn, class) = plain(c);
                atoms.push(Atom::glyph(alphabet.letter(drawn), class));
            }
        }
    }

    /// A group in braces; the opening brace has been taken.
    fn group(&mut self, alphabet: Alphabet, atoms: &mut Vec<Atom>) {
        if self.depth == DEEPEST {
            atoms.push(Atom::glyph('{', Class::Ordinary));
            return;
        }
        self.depth += 1;
        atoms.extend(self.list(alphabet));
        self.depth -= 1;
        if self.peek() == Some('}') {
            self.at += 1;
        }
    }

    /// What a command or script applies to: a group, a command or one character.
    fn argument(&mut self, alphabet: Alphabet) -> Vec<Atom> {
        self.skip_blanks();
        let mut atoms = Vec::new();
        match self.peek() {
            None | Some('}') => {}
            Some(c) if self.depth < DEEPEST => {
                self.at += 1;
                self.depth += 1;
                self.one(c, alphabet, &mut atoms);
                self.depth -= 1;
            }
            Some(c) => {
                self.at += 1;
                atoms.push(Atom::glyph(c, Class::Ordinary));
            }
        }
        atoms
    }

    /// A subscript or superscript, joined with the other one where both belong to the same thing.
    fn script(&mut self, is_below: bool, alphabet: Alphabet, atoms: &mut Vec<Atom>) {
        let pieces = spaced(self.argument(alphabet), false);
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

    /// A command; the backslash has been taken.
    fn command(&mut self, alphabet: Alphabet, atoms: &mut Vec<Atom>) {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            self.at += 1;
        }
        if self.at == start && self.at < self.source.len() {
            self.at += 1;
        }
        let name: String = self.source[start..self.at].iter().collect();
        if let Some((drawn, class)) = symbol(&name) {
            atoms.push(Atom::glyph(alphabet.letter(drawn), class));
        } else if let Some(width) = space(&name) {
            atoms.push(Atom { piece: Piece::Space(width), class: Class::Space });
        } else if matches!(name.as_str(), "text" | "textrm") && self.peek() == Some('{') {
            atoms.push(Atom::text(self.verbatim(), Class::Ordinary));
        } else if let Some(inner) = Alphabet::named(&name) {
            let argument = self.argument(inner);
            atoms.extend(argument);
        } else if let Some(sign) = accent(&name) {
            let over = spaced(self.argument(alphabet), false);
            atoms.push(Atom { piece: Piece::Accent { sign, over }, class: Class::Ordinary });
        } else if is_function(&name) {
            atoms.push(Atom::text(name, Class::Function));
        } else {
            self.structure(&name, alphabet, atoms);
        }
    }

    /// Commands that only arrange their arguments; unknown ones are drawn as written.
    fn structure(&mut self, name: &str, alphabet: Alphabet, atoms: &mut Vec<Atom>) {
        match name {
            "left" | "right" | "displaystyle" | "limits" => {}
            "frac" | "tfrac" => {
                let above = self.argument(alphabet);
                let below = self.argument(alphabet);
                atoms.extend(bracketed(above));
                atoms.push(Atom::glyph('/', Class::Ordinary));
                atoms.extend(bracketed(below));
            }
            "sqrt" => {
                atoms.push(Atom::glyph('√', Class::Ordinary));
                let argument = self.argument(alphabet);
                atoms.extend(bracketed(argument));
            }
            _ => atoms.push(Atom::text(format!("\\{name}"), Class::Ordinary)),
        }
    }

    /// The text in braces as it stands; the opening brace is next.
    fn verbatim(&mut self) -> String {
        self.at += 1;
        let length = self.source[self.at..].iter().take_while(|&&c| c != '}').count();
        let text = self.source[self.at..self.at + length].iter().collect();
        self.at = (self.at + length + 1).min(self.source.len());
        text
    }
}

/// Brackets around more than one thing.
fn bracketed(atoms: Vec<Atom>) -> Vec<Atom> {
    let things = atoms.iter().filter(|a| !matches!(a.piece, Piece::Scripts { .. })).count();
    if things <= 1 || atoms.iter().all(|a| a.class == Class::Ordinary) {
        return atoms;
    }
    let mut all = vec![Atom::glyph('(', Class::Open)];
    all.extend(atoms);
    all.push(Atom::glyph(')', Class::Ordinary));
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
#[path = "markup_tests.rs"]
mod tests;
