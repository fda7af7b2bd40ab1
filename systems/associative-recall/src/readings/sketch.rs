//! The task as a picture: all permutations with their responses, and the query. 001, Fig. 2.

use saddlescope_spec::sketch::{Sketch, Token, TokenRole, TokenRow, TokenShape};

use crate::Task;

/// Permutations beyond this many are left out of the middle.
const MOST: usize = 6;

/// One sequence with responses that differ from one permutation to the next.
pub(crate) fn sketch(task: &Task) -> Sketch {
    let Ok(list) = task.list() else { return Sketch::default() };
    let [token, response, question] = [0, 1, 2];
    let roles = vec![
        TokenRole::new("tokens of a permutation", TokenShape::Box),
        TokenRole::new("its response", TokenShape::Round),
        TokenRole::new("asked for", TokenShape::Dashed),
    ];
    let shown: Vec<usize> = if list.len() <= MOST {
        (0..list.len()).collect()
    } else {
        (0..MOST - 1).chain([list.len() - 1]).collect()
    };
    let (mut tokens, mut groups) = (Vec::new(), Vec::new());
    for &t in &shown {
        let gap = groups.len() == MOST - 1 && list.len() > MOST;
        if gap {
            tokens.push(Token::new("…", question, groups.len()));
            groups.push(String::new());
        }
        let group = groups.len();
        let texts = list.get(t).iter().map(ToString::to_string);
        tokens.extend(texts.map(|text| Token::new(text, token, group)));
        tokens.push(Token::new(letter(t, task.responses), response, group));
        groups.push(format!("$\\pi_{{{}}}, f(\\pi_{{{}}})$", t + 1, t + 1));
    }
    let group = groups.len();
    let asked = list.len() / 2;
    let texts = list.get(asked).iter().map(ToString::to_string);
    tokens.extend(texts.map(|text| Token::new(text, token, group)));
    tokens.push(Token::new("?", question, group));
    groups.push("query $q$".to_owned());
    Sketch { roles, rows: vec![TokenRow { label: String::new(), tokens, groups }] }
}

/// A response for permutation `t`, as a letter; some map, the same every time.
fn letter(t: usize, responses: usize) -> String {
    let response = (t * t + t / 2) % responses.min(26);
    char::from(b'A' + response as u8).to_string()
}
