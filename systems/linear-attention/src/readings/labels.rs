//! How linear attention is drawn: its own figure.

use saddlescope_spec::figure::{FigureSpec, PanelSpec};

use crate::settings::Attention;

/// The loss above the value weights, or the loss alone where theory has no word for them.
pub(crate) fn standard(attention: Attention) -> FigureSpec {
    let loss = PanelSpec::over_time(&["loss"]);
    let values = match attention {
        Attention::Linear => PanelSpec::over_time(&["head.*.value"]).beside(&["value-law"]),
        Attention::Merged => PanelSpec::over_time(&["head.*.value"]),
        Attention::Cubic => PanelSpec::over_time(&["hidden.*.output"]),
        _ => return FigureSpec::new(1, vec![loss]),
    };
    FigureSpec::new(
        2,
        vec![loss.beside(&["levels"]).titled("(a) loss"), values.titled("(b) value weights")],
    )
}
