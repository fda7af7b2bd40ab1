//! The commands of formulas: one table for figures, terminals and the page.

use Class::{Binary, Open, Ordinary, Relation};
use Command::{Accent, Symbol};

/// What a command stands for, and so how it is drawn and how it reads as plain text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Command {
    /// A character.
    Symbol(char, Class),
    /// Its own name, upright.
    Function,
    /// Room, in ems.
    Space(f64),
    /// Its argument with letters of an alphabet.
    Letters(Alphabet),
    /// Its argument as it is written.
    Text,
    /// Its argument under a mark: as it is drawn, and as a character that combines with the one before.
    Accent(char, char),
    /// Two arguments with a bar between them.
    Fraction,
    /// A root of its argument.
    Root,
    /// Nothing.
    Nothing,
}

/// How much room a symbol wants beside its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Letters, digits, closing brackets.
    Ordinary,
    /// `=`, `<`, arrows.
    Relation,
    /// `+`, `-`, times; a sign where nothing stands before it.
    Binary,
    /// Commas.
    Punctuation,
    /// Opening brackets.
    Open,
    /// `log`, `max`.
    Function,
    /// Room that was asked for.
    Space,
}

/// The alphabets of letters in formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    Italic,
    Upright,
    Script,
    Blackboard,
}

impl Alphabet {
    /// A character in this alphabet; unchanged where the alphabet does not have it.
    pub(crate) fn letter(self, c: char) -> char {
        let shifted =
            |from: char, to: u32| char::from_u32(to + c as u32 - from as u32).unwrap_or(c);
        match (self, c) {
            (Self::Italic, 'h') => 'ℎ',
            (Self::Italic, 'A'..='Z') => shifted('A', 0x1D434),
            (Self::Italic, 'a'..='z') => shifted('a', 0x1D44E),
            (Self::Italic, 'α'..='ω') => shifted('α', 0x1D6FC),
            (Self::Script, _) => special(c, "BEFHILMR", "ℬℰℱℋℐℒℳℛ").unwrap_or(match c {
                'A'..='Z' => shifted('A', 0x1D49C),
                _ => c,
            }),
            (Self::Blackboard, _) => special(c, "EPRNZC1", "𝔼ℙℝℕℤℂ𝟙").unwrap_or(c),
            _ => c,
        }
    }
}

fn special(c: char, from: &str, to: &str) -> Option<char> {
    from.chars().zip(to.chars()).find(|&(f, _)| f == c).map(|(_, t)| t)
}

/// How a character that stands for itself is drawn, and what room it wants.
pub(crate) fn drawn(c: char) -> (char, Class) {
    match c {
        '-' => ('−', Class::Binary),
        '*' => ('∗', Class::Binary),
        '\'' => ('′', Class::Ordinary),
        ',' | ';' => (c, Class::Punctuation),
        '(' | '[' => (c, Class::Open),
        '=' | '<' | '>' | ':' => (c, Class::Relation),
        '+' => (c, Class::Binary),
        _ => {
            let class = COMMANDS.iter().find_map(|(_, command)| match command {
                Symbol(symbol, class) if *symbol == c => Some(*class),
                _ => None,
            });
            (c, class.unwrap_or(Class::Ordinary))
        }
    }
}

/// The command of a name, after the backslash.
pub(crate) fn command(name: &str) -> Option<Command> {
    COMMANDS.iter().find(|(names, _)| names.contains(&name)).map(|&(_, command)| command)
}

/// All commands by their names.
pub const COMMANDS: &[(&[&str], Command)] = &[
    (&["alpha"], Symbol('α', Ordinary)),
    (&["beta"], Symbol('β', Ordinary)),
    (&["gamma"], Symbol('γ', Ordinary)),
    (&["delta"], Symbol('δ', Ordinary)),
    (&["epsilon"], Symbol('ϵ', Ordinary)),
    (&["varepsilon"], Symbol('ε', Ordinary)),
    (&["zeta"], Symbol('ζ', Ordinary)),
    (&["eta"], Symbol('η', Ordinary)),
    (&["theta"], Symbol('θ', Ordinary)),
    (&["vartheta"], Symbol('ϑ', Ordinary)),
    (&["iota"], Symbol('ι', Ordinary)),
    (&["kappa"], Symbol('κ', Ordinary)),
    (&["lambda"], Symbol('λ', Ordinary)),
    (&["mu"], Symbol('μ', Ordinary)),
    (&["nu"], Symbol('ν', Ordinary)),
    (&["xi"], Symbol('ξ', Ordinary)),
    (&["omicron"], Symbol('ο', Ordinary)),
    (&["pi"], Symbol('π', Ordinary)),
    (&["rho"], Symbol('ρ', Ordinary)),
    (&["varrho"], Symbol('ϱ', Ordinary)),
    (&["sigma"], Symbol('σ', Ordinary)),
    (&["varsigma"], Symbol('ς', Ordinary)),
    (&["tau"], Symbol('τ', Ordinary)),
    (&["upsilon"], Symbol('υ', Ordinary)),
    (&["phi"], Symbol('ϕ', Ordinary)),
    (&["varphi"], Symbol('φ', Ordinary)),
    (&["chi"], Symbol('χ', Ordinary)),
    (&["psi"], Symbol('ψ', Ordinary)),
    (&["omega"], Symbol('ω', Ordinary)),
    (&["Gamma"], Symbol('Γ', Ordinary)),
    (&["Delta"], Symbol('Δ', Ordinary)),
    (&["Theta"], Symbol('Θ', Ordinary)),
    (&["Lambda"], Symbol('Λ', Ordinary)),
    (&["Xi"], Symbol('Ξ', Ordinary)),
    (&["Pi"], Symbol('Π', Ordinary)),
    (&["Sigma"], Symbol('Σ', Ordinary)),
    (&["Upsilon"], Symbol('Υ', Ordinary)),
    (&["Phi"], Symbol('Φ', Ordinary)),
    (&["Psi"], Symbol('Ψ', Ordinary)),
    (&["Omega"], Symbol('Ω', Ordinary)),
    (&["ell"], Symbol('ℓ', Ordinary)),
    (&["infty"], Symbol('∞', Ordinary)),
    (&["partial"], Symbol('∂', Ordinary)),
    (&["nabla"], Symbol('∇', Ordinary)),
    (&["sum"], Symbol('∑', Ordinary)),
    (&["prod"], Symbol('∏', Ordinary)),
    (&["int"], Symbol('∫', Ordinary)),
    (&["prime"], Symbol('′', Ordinary)),
    (&["top"], Symbol('⊤', Ordinary)),
    (&["bot"], Symbol('⊥', Ordinary)),
    (&["perp"], Symbol('⊥', Relation)),
    (&["emptyset"], Symbol('∅', Ordinary)),
    (&["forall"], Symbol('∀', Ordinary)),
    (&["exists"], Symbol('∃', Ordinary)),
    (&["dots", "ldots"], Symbol('…', Ordinary)),
    (&["cdots"], Symbol('⋯', Ordinary)),
    (&["dagger"], Symbol('†', Ordinary)),
    (&["Vert", "|"], Symbol('∥', Ordinary)),
    (&["vert"], Symbol('|', Ordinary)),
    (&["langle"], Symbol('⟨', Open)),
    (&["rangle"], Symbol('⟩', Ordinary)),
    (&["lceil"], Symbol('⌈', Open)),
    (&["rceil"], Symbol('⌉', Ordinary)),
    (&["{"], Symbol('{', Open)),
    (&["}"], Symbol('}', Ordinary)),
    (&["%"], Symbol('%', Ordinary)),
    (&["&"], Symbol('&', Ordinary)),
    (&["#"], Symbol('#', Ordinary)),
    (&["_"], Symbol('_', Ordinary)),
    (&["$"], Symbol('$', Ordinary)),
    (&["times"], Symbol('×', Binary)),
    (&["cdot"], Symbol('·', Binary)),
    (&["pm"], Symbol('±', Binary)),
    (&["mp"], Symbol('∓', Binary)),
    (&["div"], Symbol('÷', Binary)),
    (&["ast"], Symbol('∗', Binary)),
    (&["star"], Symbol('⋆', Binary)),
    (&["circ"], Symbol('∘', Binary)),
    (&["otimes"], Symbol('⊗', Binary)),
    (&["oplus"], Symbol('⊕', Binary)),
    (&["odot"], Symbol('⊙', Binary)),
    (&["cup"], Symbol('∪', Binary)),
    (&["cap"], Symbol('∩', Binary)),
    (&["wedge"], Symbol('∧', Binary)),
    (&["le", "leq"], Symbol('≤', Relation)),
    (&["ge", "geq"], Symbol('≥', Relation)),
    (&["ne", "neq"], Symbol('≠', Relation)),
    (&["ll"], Symbol('≪', Relation)),
    (&["gg"], Symbol('≫', Relation)),
    (&["prec"], Symbol('≺', Relation)),
    (&["lesssim"], Symbol('≲', Relation)),
    (&["gtrsim"], Symbol('≳', Relation)),
    (&["asymp"], Symbol('≍', Relation)),
    (&["approx"], Symbol('≈', Relation)),
    (&["sim"], Symbol('∼', Relation)),
    (&["simeq"], Symbol('≃', Relation)),
    (&["equiv"], Symbol('≡', Relation)),
    (&["propto"], Symbol('∝', Relation)),
    (&["in"], Symbol('∈', Relation)),
    (&["notin"], Symbol('∉', Relation)),
    (&["subset"], Symbol('⊂', Relation)),
    (&["subseteq"], Symbol('⊆', Relation)),
    (&["mid"], Symbol('∣', Relation)),
    (&["to", "rightarrow"], Symbol('→', Relation)),
    (&["leftarrow"], Symbol('←', Relation)),
    (&["leftrightarrow"], Symbol('↔', Relation)),
    (&["Rightarrow"], Symbol('⇒', Relation)),
    (&["Leftrightarrow"], Symbol('⇔', Relation)),
    (&["mapsto"], Symbol('↦', Relation)),
    (&["uparrow"], Symbol('↑', Ordinary)),
    (&["downarrow"], Symbol('↓', Ordinary)),
    (
        &[
            "log", "ln", "exp", "max", "min", "arg", "argmax", "argmin", "sin", "cos", "tan",
            "tanh", "sinh", "cosh", "det", "dim", "ker", "tr", "Tr", "sup", "inf", "lim",
            "softmax", "sgn", "rank", "diag", "Var", "Pr",
        ],
        Command::Function,
    ),
    (&["hat", "widehat"], Accent('ˆ', '\u{302}')),
    (&["tilde", "widetilde"], Accent('˜', '\u{303}')),
    (&["bar", "overline"], Accent('¯', '\u{304}')),
    (&["dot"], Accent('˙', '\u{307}')),
    (&["ddot"], Accent('¨', '\u{308}')),
    (&["mathcal", "mathscr"], Command::Letters(Alphabet::Script)),
    (&["mathbb"], Command::Letters(Alphabet::Blackboard)),
    (
        &["mathrm", "operatorname", "mathbf", "boldsymbol", "mathsf"],
        Command::Letters(Alphabet::Upright),
    ),
    (&["mathit"], Command::Letters(Alphabet::Italic)),
    (&["text", "textrm"], Command::Text),
    (&["frac", "tfrac"], Command::Fraction),
    (&["sqrt"], Command::Root),
    (&[","], Command::Space(0.17)),
    (&[":"], Command::Space(0.22)),
    (&[";"], Command::Space(0.28)),
    (&[" "], Command::Space(0.26)),
    (&["!"], Command::Space(-0.17)),
    (&["quad"], Command::Space(1.0)),
    (&["qquad"], Command::Space(2.0)),
    (&["left", "right", "displaystyle", "limits"], Command::Nothing),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::font;

    #[test]
    fn the_font_has_every_symbol_in_its_alphabet() {
        let mut missing: Vec<&str> = Vec::new();
        for (names, command) in COMMANDS {
            if let Symbol(sign, _) | Accent(sign, _) = command
                && font::glyph(Alphabet::Italic.letter(*sign)).is_none()
            {
                missing.extend(*names);
            }
        }
        // Figures show these as they are written.
        assert_eq!(missing, ["lceil", "rceil", "star", "wedge", "prec", "asymp"]);
        for c in ('A'..='Z').chain('a'..='z') {
            assert!(font::glyph(Alphabet::Italic.letter(c)).is_some(), "{c}");
        }
        for c in 'A'..='Z' {
            assert!(font::glyph(Alphabet::Script.letter(c)).is_some(), "{c}");
        }
        for c in "EPRNZC1".chars() {
            let drawn = Alphabet::Blackboard.letter(c);
            assert!(drawn != c && font::glyph(drawn).is_some(), "{c}");
        }
    }
}
