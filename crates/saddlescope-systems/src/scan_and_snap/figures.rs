//! Labels of what is recorded, and the figure of a plain run.

use saddlescope::figure::{FigureSpec, PanelSpec};

/// How figures call an observable or an outcome.
pub(super) fn label(name: &str) -> Option<String> {
    if let Some(k) = name.strip_prefix("recall.") {
        return Some(format!("recall above ${k}/M$"));
    }
    let words = match name {
        "loss" => "loss",
        "gradient.norm" => "norm of the gradient",
        "attention" => "attention $c_n$",
        "scores" => "scores $\\tilde{c}_n$",
        "entropy" => "entropy among distinct tokens",
        "attention.common" | "common" => "attention on common tokens",
        "attention.largest" | "largest" => "largest attention",
        "lead" => "lead of the right logit",
        "lead.class" => "lead of each class",
        "recall" => "recall",
        "z.common" => "$z$ of common tokens",
        "z.dominant" => "$z$ of dominant tokens",
        "suppression" => "$-z$ of common tokens ($B_n$)",
        "growth" => "growth factor $\\chi$",
        "overlap" => "largest $f_n^\\top f_{n'}$",
        "favourite" => "favourite token",
        "t_0" => "$t_0$",
        "t_0_prime" => "$t_0'$",
        "exact_loss" => "loss, endless sequences",
        _ => return None,
    };
    Some(words.to_owned())
}

/// Loss, where attention lies, how logits move.
pub(super) fn standard() -> FigureSpec {
    let loss = PanelSpec::over_time(&["loss"]).beside(&["loss-law"]);
    let attention = PanelSpec::over_time(&["attention.common", "attention.largest"]);
    let logits = PanelSpec::over_time(&["z.dominant", "z.common"]);
    let entropy = PanelSpec::over_time(&["entropy"]);
    FigureSpec::new(
        2,
        vec![
            loss.titled("(a) loss"),
            attention.titled("(b) attention"),
            logits.titled("(c) mean logits"),
            entropy.titled("(d) entropy among distinct tokens"),
        ],
    )
}
