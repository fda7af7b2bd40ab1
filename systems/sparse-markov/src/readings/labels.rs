//! How figures call what is recorded, and the task as a picture.

use crate::{Chain, Target};
use saddlescope_spec::prelude::*;

pub(crate) fn label(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let head = |k: &str| k.parse::<usize>().map_or_else(|_| k.to_owned(), |k| (k + 1).to_string());
    let words = match parts.as_slice() {
        ["attention"]
        | ["head", _, "at" | "group", "*"]
        | ["head", "*", "at" | "group" | "lags", ..]
        | ["layer", _, "head", "*", ..]
        | ["layer", _, "head", _, "group", "*"] => "attention".to_owned(),
        ["head", _, "value", "*"] | ["head", "*", "value", _] => "value".to_owned(),
        ["kl", ..] if name.ends_with('*') => "divergence".to_owned(),
        ["part", "*", ..] => "loss".to_owned(),
        ["head", k, "at", j] => format!("head {}, position {j}", head(k)),
        ["head", k, "value", j] => format!("head {}, feature {j}", head(k)),
        ["head", k, "term", j, i] => format!("head {}: feature {j} at position {i}", head(k)),
        ["head", k, "group", j] => format!("head {} on $I({j})$", head(k)),
        ["head", k, "attention" | "map" | "lags"] => format!("head {}", head(k)),
        ["layer", l, "head", k, "map" | "lags"] => format!("layer {}, head {}", head(l), head(k)),
        ["layer", l, "head", k, "group", j] => {
            format!("layer {}, head {} on $I({j})$", head(l), head(k))
        }
        ["part", "rest"] => "elsewhere".to_owned(),
        ["part", j, i] => format!("feature {j} at position {i}"),
        ["kl", "rung", i] => format!("$f_{{A_{{1:{i}}}}}$"),
        ["kl", "best", i] => format!("best from $I(1..{i})$"),
        ["kl", "context", c] => format!("context $c = {c}$"),
        ["owner", j] => format!("head of feature {j}"),
        [name @ ("loss" | "sharpness")]
        | ["system", name @ ("sequences" | "width" | "blocks" | "dropout")] => (*name).to_owned(),
        ["excess"] => "excess loss".to_owned(),
        ["excess", "best"] => "least excess loss".to_owned(),
        ["test"] => "cross entropy, test set".to_owned(),
        ["test", "places"] => "cross entropy at each place".to_owned(),
        ["gradient", "norm"] => "norm of the gradient".to_owned(),
        ["map"] => "all".to_owned(),
        ["entropy"] => "entropy of attention".to_owned(),
        ["first"] => "$1 - s$ on the first position".to_owned(),
        ["apart", "v"] => "values of the heads apart".to_owned(),
        ["apart", "s"] => "attention of the heads apart".to_owned(),
        ["learned"] => "features learned".to_owned(),
        ["offset"] => "largest term that cancels".to_owned(),
        ["start", "scale"] => "$u$".to_owned(),
        ["system", "ratio"] => "$m$".to_owned(),
        ["system", "window"] => "window $c$".to_owned(),
        ["system", "base"] => "$b_0$".to_owned(),
        ["system", "positions"] => "$T$".to_owned(),
        _ => return None,
    };
    Some(words)
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
