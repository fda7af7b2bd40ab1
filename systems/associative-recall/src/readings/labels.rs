//! How associative recall is drawn: names of its observables in mathematics, its own figure, the task as a picture.

use crate::Task;
use crate::task::{Context, Example};
use saddlescope_spec::prelude::*;

/// Weights of a head over its lags, the first of which may be 0 or 1; heads are counted from 1. Entries of what the second
/// layer does have words.
pub(crate) fn label(column: &str, first_lag: usize) -> Option<String> {
    let (path, place) = column.split_once('[').unwrap_or((column, ""));
    match (path, place.trim_end_matches(']').parse()) {
        ("prediction", Ok(response)) => return Some(format!("$p_{{{}}}$", letter(response))),
        ("second.attention", Ok(1)) => return Some("1 token".to_owned()),
        ("second.attention", Ok(tokens)) => return Some(format!("{tokens} tokens")),
        _ => {}
    }
    let parts: Vec<&str> = path.split('.').collect();
    let ["head", head, what @ ("w" | "attention")] = parts.as_slice() else { return None };
    let counted = |text: &str, first: usize| match text {
        "*" => Some("h".to_owned()),
        _ => text.parse::<usize>().ok().map(|n| (n + first).to_string()),
    };
    let (letter, head) = (if *what == "w" { "w" } else { "A" }, counted(head, 1)?);
    Some(match counted(place.trim_end_matches(']'), first_lag) {
        Some(lag) => format!("${letter}^{{{head}}}_{{{lag}}}$"),
        None => format!("${letter}^{{{head}}}$"),
    })
}

/// The loss beside the strengths.
pub(crate) fn standard(strengths: bool) -> FigureSpec {
    let loss = PanelSpec::over_time(&["loss"]).beside(&["levels"]);
    if !strengths {
        return FigureSpec::new(1, vec![loss]);
    }
    let values = PanelSpec::over_time(&["head.*.beta"]).beside(&["jump-law"]);
    FigureSpec::new(2, vec![loss.titled("(a) loss"), values.titled("(b) strengths")])
}

/// Permutations beyond this many are left out of the middle.
const MOST: usize = 6;

/// 001, Fig. 2: one sequence with responses that differ from one permutation to the next.
pub(crate) fn sketch(task: &Task) -> Sketch {
    let Ok(list) = task.list() else { return Sketch::default() };
    let count = task.entries() as usize;
    // Where the order is drawn, some order; 11 divides no number of words.
    let word = |t: usize| match task.context {
        Context::Complete => list.get(t),
        _ => list.get((11 * t + 1) % list.len()),
    };
    let example = Example::new(task, count);
    let [token, response, question] = [0, 1, 2];
    let roles = vec![
        TokenRole::new("tokens of a permutation", TokenShape::Box),
        TokenRole::new("its response", TokenShape::Round),
        TokenRole::new("asked for", TokenShape::Dashed),
    ];
    let shown: Vec<usize> = if count <= MOST {
        (0..count).collect()
    } else {
        (0..MOST - 1).chain([count - 1]).collect()
    };
    let (mut tokens, mut groups) = (Vec::new(), Vec::new());
    for &t in &shown {
        let gap = groups.len() == MOST - 1 && count > MOST;
        if gap {
            tokens.push(Token::new("…", question, groups.len()));
            groups.push(String::new());
        }
        let group = groups.len();
        let texts = word(t).iter().map(ToString::to_string);
        tokens.extend(texts.map(|text| Token::new(text, token, group)));
        tokens.push(Token::new(letter(example.responses[t]), response, group));
        groups.push(format!("$\\pi_{{{}}}, f(\\pi_{{{}}})$", t + 1, t + 1));
    }
    let group = groups.len();
    let texts = word(example.query).iter().map(ToString::to_string);
    tokens.extend(texts.map(|text| Token::new(text, token, group)));
    tokens.push(Token::new("?", question, group));
    groups.push("query $q$".to_owned());
    Sketch { roles, rows: vec![TokenRow { label: String::new(), tokens, groups }] }
}

/// A response as a letter, as far as there are letters.
fn letter(response: usize) -> String {
    match u8::try_from(response) {
        Ok(place @ 0..26) => char::from(b'A' + place).to_string(),
        _ => format!("r{response}"),
    }
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn labels_count_from_one() {
        let cases = [
            ("head.2.w[0]", Some("$w^{3}_{1}$")),
            ("head.1.attention", Some("$A^{2}$")),
            ("prediction[2]", Some("$p_{C}$")),
            ("second.attention[1]", Some("1 token")),
            ("second.attention[4]", Some("4 tokens")),
            ("head.x.w", None),
            ("mine", None),
        ];
        for (name, expected) in cases {
            assert_eq!(label(name, 1).as_deref(), expected, "{name}");
        }
        assert_eq!(label("head.0.w[0]", 0).as_deref(), Some("$w^{1}_{0}$"));
    }
}
