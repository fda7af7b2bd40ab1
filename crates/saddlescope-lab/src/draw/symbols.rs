//! Names of symbols in formulas, and the alphabets of letters.

/// How much room a symbol wants beside its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
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
pub(crate) enum Alphabet {
    Italic,
    Upright,
    Script,
    Blackboard,
}

impl Alphabet {
    /// The alphabet that a command switches to.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "mathcal" | "mathscr" => Some(Self::Script),
            "mathbb" => Some(Self::Blackboard),
            "mathrm" | "text" | "textrm" | "operatorname" | "mathbf" | "mathsf" => {
                Some(Self::Upright)
            }
            "mathit" => Some(Self::Italic),
            _ => None,
        }
    }

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

/// What a character that stands for itself wants to its sides, and how it is drawn.
pub(crate) fn plain(c: char) -> (char, Class) {
    match c {
        '-' => ('−', Class::Binary),
        '*' => ('∗', Class::Binary),
        '\'' => ('′', Class::Ordinary),
        ',' | ';' => (c, Class::Punctuation),
        '(' | '[' | '⟨' => (c, Class::Open),
        '=' | '<' | '>' | ':' => (c, Class::Relation),
        '+' => (c, Class::Binary),
        _ => SYMBOLS
            .iter()
            .find(|(_, symbol, _)| *symbol == c)
            .map_or((c, Class::Ordinary), |&(_, symbol, class)| (symbol, class)),
    }
}

/// The symbol of a name, after the backslash.
pub(crate) fn symbol(name: &str) -> Option<(char, Class)> {
    SYMBOLS.iter().find(|(known, ..)| *known == name).map(|&(_, symbol, class)| (symbol, class))
}

/// Whether a name is that of a function, written upright.
pub(crate) fn is_function(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "log", "ln", "exp", "max", "min", "arg", "argmax", "argmin", "sin", "cos", "tan", "tanh",
        "sinh", "cosh", "det", "dim", "tr", "Tr", "sup", "inf", "lim", "softmax", "sgn", "rank",
        "diag", "Var", "Pr",
    ];
    NAMES.contains(&name)
}

/// The accent over its argument that a command draws.
pub(crate) fn accent(name: &str) -> Option<char> {
    match name {
        "hat" | "widehat" => Some('ˆ'),
        "tilde" | "widetilde" => Some('˜'),
        "bar" | "overline" => Some('¯'),
        "dot" => Some('˙'),
        _ => None,
    }
}

/// Room that a command asks for, in ems.
pub(crate) fn space(name: &str) -> Option<f64> {
    match name {
        "," => Some(0.17),
        ":" => Some(0.22),
        ";" => Some(0.28),
        " " => Some(0.26),
        "!" => Some(-0.17),
        "quad" => Some(1.0),
        "qquad" => Some(2.0),
        _ => None,
    }
}

use Class::{Binary, Open, Ordinary, Relation};

const SYMBOLS: &[(&str, char, Class)] = &[
    ("alpha", 'α', Ordinary),
    ("beta", 'β', Ordinary),
    ("gamma", 'γ', Ordinary),
    ("delta", 'δ', Ordinary),
    ("epsilon", 'ϵ', Ordinary),
    ("varepsilon", 'ε', Ordinary),
    ("zeta", 'ζ', Ordinary),
    ("eta", 'η', Ordinary),
    ("theta", 'θ', Ordinary),
    ("vartheta", 'ϑ', Ordinary),
    ("iota", 'ι', Ordinary),
    ("kappa", 'κ', Ordinary),
    ("lambda", 'λ', Ordinary),
    ("mu", 'μ', Ordinary),
    ("nu", 'ν', Ordinary),
    ("xi", 'ξ', Ordinary),
    ("omicron", 'ο', Ordinary),
    ("pi", 'π', Ordinary),
    ("rho", 'ρ', Ordinary),
    ("varrho", 'ϱ', Ordinary),
    ("sigma", 'σ', Ordinary),
    ("varsigma", 'ς', Ordinary),
    ("tau", 'τ', Ordinary),
    ("upsilon", 'υ', Ordinary),
    ("phi", 'ϕ', Ordinary),
    ("varphi", 'φ', Ordinary),
    ("chi", 'χ', Ordinary),
    ("psi", 'ψ', Ordinary),
    ("omega", 'ω', Ordinary),
    ("Gamma", 'Γ', Ordinary),
    ("Delta", 'Δ', Ordinary),
    ("Theta", 'Θ', Ordinary),
    ("Lambda", 'Λ', Ordinary),
    ("Xi", 'Ξ', Ordinary),
    ("Pi", 'Π', Ordinary),
    ("Sigma", 'Σ', Ordinary),
    ("Upsilon", 'Υ', Ordinary),
    ("Phi", 'Φ', Ordinary),
    ("Psi", 'Ψ', Ordinary),
    ("Omega", 'Ω', Ordinary),
    ("ell", 'ℓ', Ordinary),
    ("infty", '∞', Ordinary),
    ("partial", '∂', Ordinary),
    ("nabla", '∇', Ordinary),
    ("sum", '∑', Ordinary),
    ("prod", '∏', Ordinary),
    ("int", '∫', Ordinary),
    ("prime", '′', Ordinary),
    ("top", '⊤', Ordinary),
    ("bot", '⊥', Ordinary),
    ("emptyset", '∅', Ordinary),
    ("forall", '∀', Ordinary),
    ("exists", '∃', Ordinary),
    ("dots", '…', Ordinary),
    ("ldots", '…', Ordinary),
    ("cdots", '⋯', Ordinary),
    ("dagger", '†', Ordinary),
    ("Vert", '∥', Ordinary),
    ("|", '∥', Ordinary),
    ("vert", '|', Ordinary),
    ("langle", '⟨', Open),
    ("rangle", '⟩', Ordinary),
    ("{", '{', Open),
    ("}", '}', Ordinary),
    ("%", '%', Ordinary),
    ("&", '&', Ordinary),
    ("#", '#', Ordinary),
    ("_", '_', Ordinary),
    ("$", '$', Ordinary),
    ("times", '×', Binary),
    ("cdot", '·', Binary),
    ("pm", '±', Binary),
    ("mp", '∓', Binary),
    ("div", '÷', Binary),
    ("ast", '∗', Binary),
    ("circ", '∘', Binary),
    ("otimes", '⊗', Binary),
    ("oplus", '⊕', Binary),
    ("odot", '⊙', Binary),
    ("cup", '∪', Binary),
    ("cap", '∩', Binary),
    ("le", '≤', Relation),
    ("leq", '≤', Relation),
    ("ge", '≥', Relation),
    ("geq", '≥', Relation),
    ("ne", '≠', Relation),
    ("neq", '≠', Relation),
    ("ll", '≪', Relation),
    ("gg", '≫', Relation),
    ("lesssim", '≲', Relation),
    ("gtrsim", '≳', Relation),
    ("approx", '≈', Relation),
    ("sim", '∼', Relation),
    ("simeq", '≃', Relation),
    ("equiv", '≡', Relation),
    ("propto", '∝', Relation),
    ("in", '∈', Relation),
    ("notin", '∉', Relation),
    ("subset", '⊂', Relation),
    ("subseteq", '⊆', Relation),
    ("mid", '∣', Relation),
    ("to", '→', Relation),
    ("rightarrow", '→', Relation),
    ("leftarrow", '←', Relation),
    ("leftrightarrow", '↔', Relation),
    ("Rightarrow", '⇒', Relation),
    ("Leftrightarrow", '⇔', Relation),
    ("mapsto", '↦', Relation),
    ("uparrow", '↑', Ordinary),
    ("downarrow", '↓', Ordinary),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::font;

    #[test]
    fn the_font_has_every_symbol_in_its_alphabet() {
        for &(name, symbol, _) in SYMBOLS {
            let drawn = Alphabet::Italic.letter(symbol);
            assert!(font::glyph(drawn).is_some(), "\\{name}: {drawn}");
        }
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
        for name in ["hat", "tilde", "bar", "dot"] {
            assert!(accent(name).and_then(font::glyph).is_some(), "{name}");
        }
    }
}
