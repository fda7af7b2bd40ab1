//! The task as a picture: a sequence of each class. 004, Fig. 1.

use saddlescope_spec::sketch::{Sketch, Token, TokenRole, TokenRow, TokenShape};

use crate::Task;

const MOST_CLASSES: usize = 6;

const MOST_TOKENS: usize = 12;

/// Contexts with about as many tokens of each kind as a class has, likeliest last.
pub(crate) fn sketch(task: &Task) -> Sketch {
    let [common, distinct, query, next] = [0, 1, 2, 3];
    let roles = vec![
        TokenRole::new("common token", TokenShape::Box),
        TokenRole::new("distinct token", TokenShape::Round),
        TokenRole::new("query", TokenShape::Box),
        TokenRole::new("next token", TokenShape::Dashed),
    ];
    let row = |n: usize| {
        let class = &task.classes[n];
        let pick = |list: Vec<usize>| -> Vec<usize> {
            let most = MOST_TOKENS / 2;
            let step = list.len().div_ceil(most).max(1);
            list.into_iter().rev().step_by(step).take(most).rev().collect()
        };
        let of = |places: Vec<usize>, role: usize, group: usize| {
            let name = |i: usize| task.tokens[class.support[i]].to_string();
            pick(places)
                .into_iter()
                .map(move |i| Token::new(name(i), role, group))
                .collect::<Vec<_>>()
        };
        let mut tokens = of(task.common(n).collect(), common, 0);
        tokens.extend(of(task.distinct(n).collect(), distinct, 1));
        tokens.push(Token::new(task.queries[class.query].to_string(), query, 2));
        tokens.push(Token::new(class.next.to_string(), next, 3));
        let groups = if n + 1 == task.classes.len().min(MOST_CLASSES) {
            ["common", "distinct", "$x_T$", "$x_{T+1}$"].map(str::to_owned).to_vec()
        } else {
            Vec::new()
        };
        TokenRow { label: format!("class {n}"), tokens, groups }
    };
    Sketch { roles, rows: (0..task.classes.len().min(MOST_CLASSES)).map(row).collect() }
}
