//! Labels as plain text, for terminals and file names: `$\lambda_d^{-1}$` reads `λ_d^(-1)`.

use super::markup::{Node, Part, parts};
use super::symbols::{Alphabet, Command};

/// Signs after which plain text has no blank.
const LEADING: [char; 8] = ['(', '[', '{', '⟨', '⌈', '∂', '∇', ' '];
/// Signs before which it has none.
const CLOSING: [char; 5] = [')', ']', '}', '⟩', '⌉'];

/// A label with its formulas as plain characters. What is not understood is as it was written.
pub fn plain(label: &str) -> String {
    let part = |part| match part {
        Part::Text(text) => text,
        Part::Formula(nodes) => formula(&nodes),
    };
    parts(label).into_iter().map(part).collect()
}

fn formula(nodes: &[Node]) -> String {
    let mut all = String::new();
    let mut names_function = false;
    for node in nodes {
        let text = read(node);
        let after_function = names_function;
        names_function = matches!(node, Node::Command { meaning: Some(Command::Function), .. });
        if text == " " && (all.is_empty() || all.ends_with(LEADING)) {
            continue;
        }
        if text.starts_with(CLOSING) && all.ends_with(' ') {
            all.pop();
        }
        let is_apart = names_function && all.ends_with(char::is_alphanumeric)
            || after_function && text.starts_with(char::is_alphanumeric);
        if is_apart {
            all.push(' ');
        }
        all += &text;
    }
    all
}

fn read(node: &Node) -> String {
    match node {
        Node::Blank => " ".into(),
        Node::Sign(c, Alphabet::Blackboard) => Alphabet::Blackboard.letter(*c).into(),
        Node::Sign(c, _) => (*c).into(),
        Node::Text(text) => text.clone(),
        Node::Script { is_below: true, of } => format!("_{}", bracketed(of)),
        Node::Script { is_below: false, of } => format!("^{}", bracketed(of)),
        Node::Command { name, meaning: Some(meaning), arguments, .. } => {
            let argument = |place: usize| bracketed(&arguments[place]);
            match *meaning {
                Command::Accent(_, mark) => format!("{}{mark}", argument(0)),
                Command::Fraction => format!("{}/{}", argument(0), argument(1)),
                Command::Root => format!("√{}", argument(0)),
                meaning => meaning.plain(name).unwrap_or_default(),
            }
        }
        Node::Command { name, .. } => format!("\\{name}"),
    }
}

impl Command {
    /// How a command of that name reads; nothing where that depends on its arguments.
    pub fn plain(self, name: &str) -> Option<String> {
        match self {
            Self::Symbol(sign, _) => Some(sign.into()),
            Self::Function => Some(name.to_owned()),
            Self::Space(width) if width > 0.0 => Some(" ".into()),
            Self::Space(_) | Self::Nothing => Some(String::new()),
            Self::Letters(_) | Self::Text | Self::Accent(..) | Self::Fraction | Self::Root => None,
        }
    }
}

/// A formula in brackets, unless it has them, is one sign or a number.
fn bracketed(nodes: &[Node]) -> String {
    let text = formula(nodes);
    let is_mark = |c: &char| matches!(c, '\u{300}'..='\u{36f}');
    let is_single = text.chars().filter(|c| !is_mark(c)).count() <= 1
        || text.chars().all(|c| c.is_ascii_digit())
        || text.starts_with('(') && text.find(')') == Some(text.len() - 1);
    if is_single { text } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_signs() {
        for (source, expected) in [
            ("no formula", "no formula"),
            ("rate $\\lambda_d^{-1}$ it is", "rate λ_d^(-1) it is"),
            ("$\\hat y_q = v_{i}$", "y\u{302}_q = v_i"),
            ("$E(\\hat\\Lambda^2)$", "E(Λ\u{302}^2)"),
            ("$\\ddot{V}_{12}$", "V\u{308}_12"),
            ("$\\sum_{d \\le m} e_{d'}$", "∑_(d ≤ m) e_(d')"),
            ("$\\frac{v^*}{4} < \\frac34 \\cdot \\frac{10}{L - 2}$", "(v^*)/4 < 3/4 · 10/(L - 2)"),
            ("$\\tilde p, \\ldots\\,x$", "p\u{303}, … x"),
            ("$\\langle V, V_1^* \\rangle$", "⟨V, V_1^*⟩"),
            ("$\\{e_j : s_j = 0\\}$", "{e_j : s_j = 0}"),
            ("$\\partial L/\\partial t = 2\\ln\\alpha$", "∂L/∂t = 2 ln α"),
            ("$\\lceil \\sqrt{N \\ln n} \\rceil$", "⌈√(N ln n)⌉"),
            ("$\\pi_{(t, k)} \\in \\mathbb{R}^\\mathrm{out}$", "π_(t, k) ∈ ℝ^(out)"),
            ("$\\mathcal{L}\\!\\left(x\\right)$", "L(x)"),
            ("$\\frac$ and $\\frac{1$", "/ and 1/"),
            ("$\\unknown x$", "\\unknown x"),
            ("an open $\\lambda", "an open $\\lambda"),
        ] {
            assert_eq!(plain(source), expected);
        }
    }
}
