//! How figures call what is recorded, and the task as a picture.

use crate::{Chain, Target};
use saddlescope_spec::prelude::*;

/// Patterns of columns, which stand for several, and settings.
pub(crate) fn label(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let words = match parts.as_slice() {
        ["head", _, "at" | "group", "*"]
        | ["head", "*", "at" | "group" | "lags", ..]
        | ["layer", _, "head", "*", ..]
        | ["layer", _, "head", _, "group", "*"] => "attention",
        ["head", _, "value", "*"] | ["head", "*", "value", _] => "value",
        ["kl", ..] if name.ends_with('*') => "divergence",
        ["part", "*", ..] => "loss",
        ["system", name @ ("sequences" | "width" | "blocks" | "dropout")] => name,
        ["start", "scale"] => "$u$",
        ["system", "ratio"] => "$m$",
        ["system", "window"] => "window $c$",
        ["system", "base"] => "$b_0$",
        ["system", "positions"] => "$T$",
        _ => return None,
    };
    Some(words.to_owned())
}

const MOST: usize = 24;

/// 000, Fig. 1: the tokens before `x_t`, each with the group of lags that reads it; one row for each group where they overlap.
pub(crate) fn chain(chain: &Chain) -> Sketch {
    let lags = || (1..=chain.order.min(MOST)).rev();
    let of = |lag: usize| chain.groups.iter().position(|group| group.lags.contains(&lag));
    let count: usize = chain.groups.iter().map(|group| group.lags.len()).sum();
    let overlaps = count > chain.lags(chain.groups.len()).len();
    let name = |lag: usize| format!("$x_{{t-{lag}}}$");
    let roles = vec![
        TokenRole::new("read", TokenShape::Box),
        TokenRole::new("not read", TokenShape::Dashed),
        TokenRole::new("next token", TokenShape::Round),
    ];
    if !overlaps {
        // Neighbours of one group stand together.
        let (mut tokens, mut groups, mut last) = (Vec::new(), Vec::new(), None);
        for lag in lags() {
            let group = of(lag);
            if last != Some(group) {
                groups.push(group.map_or_else(String::new, |k| format!("$I({})$", k + 1)));
                last = Some(group);
            }
            let role = usize::from(group.is_none());
            tokens.push(Token::new(name(lag), role, groups.len() - 1));
        }
        tokens.push(Token::new("$x_t$", 2, groups.len()));
        groups.push(String::new());
        return Sketch { roles, rows: vec![TokenRow { label: String::new(), tokens, groups }] };
    }
    let row = |k: usize| {
        let token = |lag: usize| {
            Token::new(name(lag), usize::from(!chain.groups[k].lags.contains(&lag)), 0)
        };
        let mut tokens: Vec<Token> = lags().map(token).collect();
        tokens.push(Token::new("$x_t$", 2, 1));
        TokenRow { label: format!("$I({})$", k + 1), tokens, groups: Vec::new() }
    };
    Sketch { roles, rows: (0..chain.groups.len()).map(row).collect() }
}

/// The positions of the regression, and which feature is at which.
pub(crate) fn positions(target: &Target) -> Sketch {
    let roles = vec![
        TokenRole::new("feature", TokenShape::Box),
        TokenRole::new("nothing", TokenShape::Dashed),
        TokenRole::new("answer", TokenShape::Round),
    ];
    let token = |i: usize| match target.places.iter().position(|&place| place == i) {
        Some(j) => Token::new(format!("$A_{{{}}} x_{{{}}}$", j + 1, i + 1), 0, 0),
        None => Token::new(format!("$x_{{{}}}$", i + 1), 1, 0),
    };
    let mut tokens: Vec<Token> = (0..target.positions.min(MOST / 2)).map(token).collect();
    tokens.push(Token::new("$y$", 2, 1));
    let row = TokenRow { label: String::new(), tokens, groups: Vec::new() };
    Sketch { roles, rows: vec![row] }
}
