//! The commands of formulas: one table for figures, terminals and the page.

use std::sync::LazyLock;

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
    COMMANDS.iter().find(|(known, _)| *known == name).map(|&(_, command)| command)
}

/// All commands by their names.
pub static COMMANDS: LazyLock<Vec<(&str, Command)>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (class, symbols) in SYMBOLS {
        let mut words = symbols.split_whitespace();
        while let (Some(name), Some(sign)) = (words.next(), words.next()) {
            all.extend(sign.chars().map(|sign| (name, Symbol(sign, *class))));
        }
    }
    for &(names, command) in OTHERS {
        all.extend(names.iter().map(|&name| (name, command)));
    }
    all
});

/// Symbols by their class: each name with its character.
const SYMBOLS: &[(Class, &str)] = &[
    (
        Ordinary,
        "alpha α  beta β  gamma γ  delta δ  epsilon ϵ  varepsilon ε  zeta ζ  eta η  theta θ \
         vartheta ϑ  iota ι  kappa κ  lambda λ  mu μ  nu ν  xi ξ  omicron ο  pi π  rho ρ \
         varrho ϱ  sigma σ  varsigma ς  tau τ  upsilon υ  phi ϕ  varphi φ  chi χ  psi ψ \
         omega ω  Gamma Γ  Delta Δ  Theta Θ  Lambda Λ  Xi Ξ  Pi Π  Sigma Σ  Upsilon Υ  Phi Φ \
         Psi Ψ  Omega Ω  ell ℓ  infty ∞  partial ∂  nabla ∇  sum ∑  prod ∏  int ∫  prime ′ \
         top ⊤  bot ⊥",
    ),
    (Relation, "perp ⊥"),
    (
        Ordinary,
        "emptyset ∅  forall ∀  exists ∃  dots …  ldots …  cdots ⋯  dagger †  Vert ∥  | ∥ \
         vert |",
    ),
    (Open, "langle ⟨"),
    (Ordinary, "rangle ⟩"),
    (Open, "lceil ⌈"),
    (Ordinary, "rceil ⌉"),
    (Open, "{ {"),
    (Ordinary, "} }  % %  & &  # #  _ _  $ $"),
    (
        Binary,
        "times ×  cdot ·  pm ±  mp ∓  div ÷  ast ∗  star ⋆  circ ∘  otimes ⊗  oplus ⊕  odot ⊙ \
         cup ∪  cap ∩  wedge ∧",
    ),
    (
        Relation,
        "le ≤  leq ≤  ge ≥  geq ≥  ne ≠  neq ≠  ll ≪  gg ≫  prec ≺  lesssim ≲  gtrsim ≳ \
         asymp ≍  approx ≈  sim ∼  simeq ≃  equiv ≡  propto ∝  in ∈  notin ∉  subset ⊂ \
         subseteq ⊆  mid ∣  to →  rightarrow →  leftarrow ←  leftrightarrow ↔  Rightarrow ⇒ \
         Leftrightarrow ⇔  mapsto ↦",
    ),
    (Ordinary, "uparrow ↑  downarrow ↓"),
];

/// Commands that are no symbols.
const OTHERS: &[(&[&str], Command)] = &[
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
        for (name, command) in COMMANDS.iter() {
            if let Symbol(sign, _) | Accent(sign, _) = command
                && font::glyph(Alphabet::Italic.letter(*sign)).is_none()
            {
                missing.push(name);
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
