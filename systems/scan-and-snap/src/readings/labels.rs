//! Labels of settings, the figure of a plain run, and the task as a picture.

use crate::Task;
use saddlescope_spec::prelude::*;

pub(crate) fn label(setting: &str) -> Option<String> {
    let words = match setting {
        "system.eta_y" => "$\\eta_Y$",
        "system.eta_z" => "$\\eta_Z$",
        _ => return None,
    };
    Some(words.to_owned())
}

/// Loss, where attention lies, how logits move; of tokens that there are.
pub(crate) fn standard(has_distinct: bool, has_common: bool) -> FigureSpec {
    let loss = PanelSpec::over_time(&["loss"]);
    let attention = PanelSpec::over_time(&["attention.common", "attention.largest"]);
    let mut panels = vec![loss.titled("(a) loss"), attention.titled("(b) attention")];
    let kinds = [("z.dominant", has_distinct), ("z.common", has_common)];
    let there: Vec<&str> =
        kinds.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    panels.push(PanelSpec::over_time(&there).titled("(c) mean logits"));
    if has_distinct {
        let entropy = PanelSpec::over_time(&["entropy"]);
        panels.push(entropy.titled("(d) entropy among distinct tokens"));
    }
    FigureSpec::new(2, panels)
}

const MOST_CLASSES: usize = 6;

const MOST_TOKENS: usize = 12;

/// A sequence of each class, 004, Fig. 1: contexts with about as many tokens of each kind as a class has, likeliest last.
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
