//! How associative recall is drawn: names of its observables in mathematics, and its own figure.

use saddlescope_spec::figure::{FigureSpec, PanelSpec};

/// An observable's name as a label; heads and lags are counted from 1, as in the paper.
pub(crate) fn label(observable: &str, first_lag: usize) -> Option<String> {
    let (path, place) = match observable.split_once('[') {
        Some((path, place)) => (path, place.trim_end_matches(']')),
        None => (observable, ""),
    };
    let parts: Vec<&str> = path.split('.').collect();
    let counted = |text: &str, first: usize| match text {
        "*" => Some("h".to_owned()),
        _ => text.parse::<usize>().ok().map(|n| (n + first).to_string()),
    };
    let lag = counted(place, first_lag);
    Some(match parts.as_slice() {
        ["loss"] => "loss $\\mathcal{L}$".to_owned(),
        ["gradient", "norm"] => "norm of the gradient".to_owned(),
        ["query_key"] => "$Q^T K$".to_owned(),
        ["matched", head] => format!("token {} matched", counted(head, 1)?),
        ["head", head, "beta"] => format!("$\\beta_{{{}}}$", counted(head, 1)?),
        ["head", head, what @ ("w" | "attention")] => {
            let letter = if *what == "w" { "w" } else { "A" };
            let head = counted(head, 1)?;
            match lag {
                Some(lag) => format!("${letter}^{{{head}}}_{{{lag}}}$"),
                None => format!("${letter}^{{{head}}}$"),
            }
        }
        _ => return None,
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

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn labels_count_from_one() {
        let cases = [
            ("head.0.beta", Some("$\\beta_{1}$")),
            ("head.*.beta", Some("$\\beta_{h}$")),
            ("head.2.w[0]", Some("$w^{3}_{1}$")),
            ("head.1.attention", Some("$A^{2}$")),
            ("matched.1", Some("token 2 matched")),
            ("head.x.beta", None),
            ("mine", None),
        ];
        for (name, expected) in cases {
            assert_eq!(label(name, 1).as_deref(), expected, "{name}");
        }
        assert_eq!(label("head.0.w[0]", 0).as_deref(), Some("$w^{1}_{0}$"));
    }
}
