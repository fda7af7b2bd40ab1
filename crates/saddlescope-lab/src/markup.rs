//! Formulas between dollar signs, as plain text that a terminal can show.

/// Commands that stand for a sign.
const SIGNS: &[(&str, &str)] = &[
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("lambda", "λ"),
    ("nu", "ν"),
    ("pi", "π"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("phi", "φ"),
    ("psi", "ψ"),
    ("epsilon", "ε"),
    ("zeta", "ζ"),
    ("iota", "ι"),
    ("xi", "ξ"),
    ("rho", "ρ"),
    ("chi", "χ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Lambda", "Λ"),
    ("Omega", "Ω"),
    ("Theta", "Θ"),
    ("sum", "Σ"),
    ("int", "∫"),
    ("approx", "≈"),
    ("propto", "∝"),
    ("le", "≤"),
    ("ge", "≥"),
    ("ne", "≠"),
    ("in", "∈"),
    ("notin", "∉"),
    ("gg", "≫"),
    ("ll", "≪"),
    ("sim", "~"),
    ("prec", "≺"),
    ("lesssim", "≲"),
    ("gtrsim", "≳"),
    ("asymp", "≍"),
    ("lceil", "⌈"),
    ("rceil", "⌉"),
    ("to", "→"),
    ("cdot", "·"),
    ("ldots", "…"),
    ("circ", "°"),
    ("nabla", "∇"),
    ("mp", "∓"),
    ("infty", "∞"),
    ("times", "×"),
    ("pm", "±"),
    ("sqrt", "√"),
    ("exp", "exp"),
    ("ln", "ln"),
    ("log", "log"),
    ("mathcal", ""),
    ("mathrm", ""),
];

/// Marks over the sign that follows, which combine with it.
const ACCENTS: &[(&str, char)] =
    &[("hat", '\u{302}'), ("dot", '\u{307}'), ("bar", '\u{304}'), ("tilde", '\u{303}')];

/// `text` with its formulas as plain signs: `$\lambda_d^{-1}$` becomes `λ_d^(-1)`.
pub fn plain(text: &str) -> String {
    let parts = text.split('$').enumerate();
    parts.map(|(i, part)| if i % 2 == 1 { formula(part) } else { part.to_owned() }).collect()
}

fn formula(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    let mut accent = None;
    while let Some(sign) = rest.chars().next() {
        if sign != '\\' {
            rest = &rest[sign.len_utf8()..];
            match sign {
                '{' | '}' => group(&mut out, sign, source, rest),
                sign => out.push(sign),
            }
        } else {
            let name: &str = {
                let end = rest[1..].find(|c: char| !c.is_ascii_alphabetic());
                &rest[1..end.map_or(rest.len(), |end| end + 1)]
            };
            rest = &rest[1 + name.len()..];
            if name.is_empty() {
                // A thin space, or another sign that is written with a backslash.
                let spaced = rest.strip_prefix([',', ';', '!', ' ']);
                rest = spaced.inspect(|_| out.push(' ')).unwrap_or(rest);
                continue;
            }
            if name == "frac" {
                let (above, after) = argument(rest);
                let (below, after) = argument(after);
                rest = after;
                out.push_str(&format!("{}/{}", bracketed(above), bracketed(below)));
                continue;
            }
            if let Some((_, mark)) = ACCENTS.iter().find(|(known, _)| *known == name) {
                accent = Some(*mark);
                rest = rest.trim_start();
                continue;
            }
            match SIGNS.iter().find(|(known, _)| *known == name) {
                Some((_, sign)) => out.push_str(sign),
                None => out.push_str(name),
            }
        }
        if let Some(mark) = accent.take() {
            out.push(mark);
        }
    }
    out
}

/// The group or the sign that `text` begins with, and what follows.
fn argument(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    if let Some(inner) = text.strip_prefix('{') {
        let inside = opened(inner, 0);
        return (inside, inner[inside.len()..].strip_prefix('}').unwrap_or_default());
    }
    text.split_at(text.chars().next().map_or(0, char::len_utf8))
}

/// A formula in brackets, unless it is one sign or a number.
fn bracketed(source: &str) -> String {
    let text = formula(source);
    let number = !text.is_empty() && text.chars().all(|sign| sign.is_ascii_digit());
    if number || text.chars().count() == 1 {
        return text;
    }
    format!("({text})")
}

/// Groups of one sign lose their braces, longer ones get round brackets.
fn group(out: &mut String, sign: char, source: &str, rest: &str) {
    let at = source.len() - rest.len();
    let inside = if sign == '{' { opened(source, at) } else { closed(source, at - 1) };
    if inside.chars().count() > 1 {
        out.push(if sign == '{' { '(' } else { ')' });
    }
}

/// What the brace before `start` opens.
fn opened(source: &str, start: usize) -> &str {
    let mut depth = 1;
    for (place, sign) in source[start..].char_indices() {
        depth += i32::from(sign == '{') - i32::from(sign == '}');
        if depth == 0 {
            return &source[start..start + place];
        }
    }
    &source[start..]
}

/// What the brace at `end` closes.
fn closed(source: &str, end: usize) -> &str {
    let mut depth = 1;
    for (place, sign) in source[..end].char_indices().rev() {
        depth += i32::from(sign == '}') - i32::from(sign == '{');
        if depth == 0 {
            return &source[place + 1..end];
        }
    }
    &source[..end]
}

/// `text` in lines of at most `width` characters, each after `indent`. Words are never cut.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut lines = vec![indent.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        let fresh = line == indent.len();
        if !fresh && line.saturating_add(1 + word.chars().count()) > width {
            lines.push(indent.to_owned());
        }
        if let Some(line) = lines.last_mut() {
            if line.len() > indent.len() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
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
            ("$\\sum_{d \\le m} e_{d'}$", "Σ_(d ≤ m) e_(d')"),
            ("$\\frac{v^*}{4} < \\frac34 \\cdot \\frac{10}{L - 2}$", "(v^*)/4 < 3/4 · 10/(L - 2)"),
            ("$\\tilde p, \\ldots\\,x$", "p\u{303}, … x"),
            ("$\\frac$ and $\\frac{1$", "()/() and 1/()"),
            ("$\\unknown x$", "unknown x"),
            ("an open $\\lambda", "an open λ"),
        ] {
            assert_eq!(plain(source), expected);
        }
    }

    #[test]
    fn lines_are_filled_and_never_too_long() {
        assert_eq!(wrapped("one two three", 9, "  "), "  one two\n  three");
        assert_eq!(wrapped("immeasurable", 4, "  "), "  immeasurable");
        assert_eq!(wrapped("one two", usize::MAX, ""), "one two");
    }
}
