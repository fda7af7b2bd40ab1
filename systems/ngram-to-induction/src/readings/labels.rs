//! How n-gram to induction head is drawn: names of its observables in mathematics, and its own figure.

use saddlescope_spec::figure::{FigureSpec, PanelSpec};

use crate::settings::{Parametrisation, System};
use crate::{First, Parts};

/// An observable's or an outcome's name as a label.
pub(crate) fn label(observable: &str) -> Option<String> {
    let (path, place) = match observable.split_once('[') {
        Some((path, place)) => (path, place.trim_end_matches(']')),
        None => (observable, ""),
    };
    let place = match place.parse::<usize>() {
        Ok(number) => format!(",{}", number + 1),
        Err(_) => String::new(),
    };
    Some(match path {
        "loss" => "loss $\\mathcal{L}$".to_owned(),
        "loss.g4" => "$\\mathcal{L}_{\\mathrm{G4}}$".to_owned(),
        "loss.ih" => "$\\mathcal{L}_{\\mathrm{IH}}$".to_owned(),
        "gradient.norm" => "norm of the gradient".to_owned(),
        "p_tilde" => "$\\tilde p$".to_owned(),
        "p" | "g" | "h" => format!("${path}$"),
        "w" => format!(
            "$w{}$",
            if place.is_empty() { String::new() } else { format!("_{{{}}}", &place[1..]) }
        ),
        "w_q" => format!("$w_{{Q{place}}}$"),
        "w_k" => format!("$w_{{K{place}}}$"),
        "strength" => "$w_{KQ}$".to_owned(),
        "off_surface" => "distance from the six parameters".to_owned(),
        "attention.previous" => "weight of $x_{s-1}$ in $y_s$".to_owned(),
        "attention.gram" => "weight of $x_{L-2}$".to_owned(),
        "lyapunov.gram" => "$G(u, v)$".to_owned(),
        "lyapunov.induction" => "$G(v, h)$".to_owned(),
        "T_1g" => "$T_1^g$".to_owned(),
        "T_1h" => "$T_1^h$".to_owned(),
        "T_I" => "$T_{\\mathrm{I}}$".to_owned(),
        "T_II" => "$T_{\\mathrm{II}}$".to_owned(),
        "T_III" => "$T_{\\mathrm{III}}$".to_owned(),
        "T_II_plateau" => "$T_{\\mathrm{II}}$, plateau".to_owned(),
        "T_III_plateau" => "$T_{\\mathrm{III}}$, plateau".to_owned(),
        "T_half_plateau" => "half the plateau".to_owned(),
        "T_w_half" => "$w = w^*/2$".to_owned(),
        "left_at_T_I" => "left at $T_{\\mathrm{I}}$".to_owned(),
        "theorem_4" => "$(1 + \\alpha^*)^2 L \\ln(1/\\sigma)/w^{*2}$".to_owned(),
        "places" => "$L - 2$".to_owned(),
        "alpha_factor" => "$(1 + \\alpha^*)^2$".to_owned(),
        _ => return None,
    })
}

/// The partial losses beside the parameters.
pub(crate) fn standard(system: &System) -> FigureSpec {
    let matrices = system.model == Parametrisation::Matrices;
    let mut losses = vec!["loss"];
    let mut parameters = Vec::new();
    if system.first == First::Trained && !matrices {
        parameters.push("p_tilde");
    }
    if system.parts != Parts::Induction {
        losses.push("loss.g4");
        parameters.extend(["p", "g"]);
    }
    if system.parts != Parts::Gram {
        losses.push("loss.ih");
        parameters.extend(["strength", "h"]);
    }
    if matrices {
        parameters.push("off_surface");
    }
    let losses =
        PanelSpec::over_time(&losses).log_within((1e-6, 1.0)).beside(&["plateau", "gram-decay"]);
    let parameters = PanelSpec::over_time(&parameters);
    let parameters = if matrices { parameters } else { parameters.beside(&["targets"]) };
    FigureSpec::new(2, vec![losses.titled("(a) losses"), parameters.titled("(b) parameters")])
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn labels_are_the_papers_letters() {
        assert_eq!(label("w_q").as_deref(), Some("$w_{Q}$"));
        assert_eq!(label("w_k[2]").as_deref(), Some("$w_{K,3}$"));
        assert_eq!(label("w[0]").as_deref(), Some("$w_{1}$"));
        assert_eq!(label("T_1g").as_deref(), Some("$T_1^g$"));
        assert_eq!(label("mine"), None);
    }
}
