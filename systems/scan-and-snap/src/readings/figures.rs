//! Labels of what is recorded, and the figure of a plain run.

use saddlescope_spec::figure::{FigureSpec, PanelSpec};

pub(crate) fn label(name: &str) -> Option<String> {
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
        "suppression" => "$-z$ of common tokens",
        "growth" => "growth factor $\\chi$",
        "overlap" => "largest $f_n^\\top f_{n'}$",
        "favourite" => "favourite token",
        "system.eta_y" => "$\\eta_Y$",
        "system.eta_z" => "$\\eta_Z$",
        "exact_loss" => "loss, endless sequences",
        "stretch" => "$|U^\\top c|/|c|$",
        "coherence" => "cosines of embeddings",
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
