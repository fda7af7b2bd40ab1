//! Labels: what is understood, and that nothing else can do harm.

use super::*;
use proptest::prelude::*;

fn glyphs(text: &str) -> Piece {
    Piece::Glyphs(text.into())
}

/// Pieces as one line: scripts in brackets, room as an underscore.
fn shown(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Glyphs(text) => text.clone(),
        Piece::Space(_) => "␣".into(),
        Piece::Scripts { below, above } => {
            let part = |name: &str, pieces: &[Piece]| match pieces {
                [] => String::new(),
                _ => format!("{name}[{}]", shown(pieces)),
            };
            part("_", below) + &part("^", above)
        }
        Piece::Accent { sign, over } => format!("{sign}[{}]", shown(over)),
    };
    pieces.iter().map(piece).collect()
}

#[test]
fn labels_and_their_pieces() {
    for (label, expected) in [
        ("loss", "loss"),
        ("a $x$ b", "a 𝑥 b"),
        ("cost \\$5 to \\$9", "cost $5 to $9"),
        ("lonely $ sign", "lonely $ sign"),
        ("$h$", "ℎ"),
        ("$\\lambda_k$", "𝜆_[𝑘]"),
        ("$x_i^2$", "𝑥_[𝑖]^[2]"),
        ("$x^2_i$", "𝑥_[𝑖]^[2]"),
        ("$x^{a_b}$", "𝑥^[𝑎_[𝑏]]"),
        ("$10^{-3}$", "10^[−3]"),
        ("$-x$", "−𝑥"),
        ("$a-b$", "𝑎␣−␣𝑏"),
        ("$a=-b$", "𝑎␣=␣−𝑏"),
        ("$a \\le b$", "𝑎␣≤␣𝑏"),
        ("$f(x, y)$", "𝑓(𝑥,␣𝑦)"),
        ("$\\mathcal{L}(t)$", "ℒ(𝑡)"),
        ("$\\mathrm{in}_\\mathrm{out}$", "in_[out]"),
        ("$\\mathbb{E} x$", "𝔼𝑥"),
        ("$\\text{two words}$", "two words"),
        ("$\\log x$", "log␣𝑥"),
        ("$\\log(x)$", "log(𝑥)"),
        ("$\\hat{w}$", "ˆ[𝑤]"),
        ("$\\frac{a}{b+c}$", "𝑎/(𝑏␣+␣𝑐)"),
        ("$\\sqrt{n}$", "√𝑛"),
        ("$n \\to \\infty$", "𝑛␣→␣∞"),
        ("$t_1'$", "𝑡_[1]′"),
        ("$\\propto d$", "∝␣𝑑"),
        ("$\\Gamma\\gamma$", "Γ𝛾"),
        ("$a\\,b\\quad c$", "𝑎␣𝑏␣𝑐"),
        ("$\\nonsense{x}$", "\\nonsense𝑥"),
        ("$a}b$", "𝑎}𝑏"),
        ("$x^$", "𝑥"),
        ("$x_{$", "𝑥"),
        ("$\\$", "$$"),
        ("$$", ""),
    ] {
        assert_eq!(shown(&pieces(label)), expected, "{label}");
    }
}

#[test]
fn plain_text_is_one_piece_and_control_characters_are_blanks() {
    assert_eq!(pieces("two\nlines"), [glyphs("two lines")]);
    assert!(pieces("").is_empty());
}

#[test]
fn braces_without_end_do_not_exhaust_the_stack() {
    for opening in ["{", "x_{", "\\hat{", "\\frac{", "_", "^"] {
        let deep = format!("${}$", opening.repeat(100_000));
        assert!(pieces(&deep).len() < 300_000);
    }
}

proptest! {
    #[test]
    fn any_text_gives_pieces(label in "\\PC{0,40}", formula in "[$a-c{}_^\\\\ ,=+'λ-]{0,40}") {
        for text in [label, format!("${formula}$")] {
            crate::text::line(&text, 8.0);
            crate::plain::plain(&text);
        }
    }

    #[test]
    fn text_without_dollars_is_drawn_as_written(label in "[a-zA-Z0-9_^{} ]{1,30}") {
        prop_assert_eq!(pieces(&label), [glyphs(&label)]);
    }
}
