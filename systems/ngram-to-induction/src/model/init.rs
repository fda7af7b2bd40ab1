//! Where the parameters start, from settings.

use saddlescope_spec::settings::{SettingsError, Spanned};

use crate::Shape;
use crate::settings::{Init, Scale};

pub(crate) fn start(
    init: &Spanned<Init>,
    shape: &Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    let (theta, name) = match &**init {
        Init::Equal(Scale { scale }) => (shape.equal_start(*scale), "scale"),
        Init::Random(Scale { scale }) => (shape.random_start(*scale, seed), "scale"),
        Init::StageOne(Scale { scale }) => (shape.stage_one_start(*scale), "scale"),
        Init::Given(given) => (shape.given_start(given), "h"),
    };
    theta.map_err(|error| init.blame(&error, name))
}

/// `Ok` where no noise is asked for: the six parameters have no matrices to disturb.
pub(crate) fn ensure_no_noise(init: &Spanned<Init>, noise: f64) -> Result<(), SettingsError> {
    if noise == 0.0 {
        return Ok(());
    }
    let message = format!(
        "is {noise}, but there are no matrices to disturb: set model = \"matrices\", or noise = 0"
    );
    Err(init.wrong("noise", message))
}
