//! How n-gram to induction head is drawn: its own figure.

use saddlescope_spec::figure::{FigureSpec, PanelSpec};

use crate::settings::{Parametrisation, System};
use crate::{First, Parts};

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
