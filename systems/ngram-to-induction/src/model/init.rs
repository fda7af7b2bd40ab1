//! Where the parameters start, from settings.

use saddlescope_spec::settings::{SettingsError, Spanned};

use crate::settings::{Entries, Given, Init, Scale};
use crate::{Error, Shape, Start};

/// The parameters at the start.
pub(crate) fn start(
    init: &Spanned<Init>,
    shape: &Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    let (theta, name) = match &**init {
        Init::Equal(Scale { scale }) => (shape.equal_start(*scale), "scale"),
        Init::Random(Scale { scale }) => (shape.random_start(*scale, seed), "scale"),
        Init::StageOne(Scale { scale }) => (shape.stage_one_start(*scale), "scale"),
        Init::Given(listed) => (given(init, listed, shape)?, "h"),
    };
    theta.map_err(|error| init.wrong(name, format!("does not fit: {error}")))
}

fn given(
    init: &Spanned<Init>,
    listed: &Given,
    shape: &Shape,
) -> Result<Result<Vec<f64>, Error>, SettingsError> {
    let query = entries(init, shape, ("w_q", &listed.w_q))?;
    let key = entries(init, shape, ("w_k", &listed.w_k))?;
    if shape.is_tied() && query != key {
        let message = "differs from w_q, but the two are tied: give the same value, or set coupling = \"untied\"";
        return Err(init.wrong("w_k", message));
    }
    let Given { p_tilde, p, g, h, .. } = *listed;
    Ok(shape.given_start(&Start { p_tilde, p, g, query: &query, key: &key, h }))
}

/// One number for all coordinates, or a list with one for each.
fn entries(
    init: &Spanned<Init>,
    shape: &Shape,
    (name, entries): (&str, &Entries),
) -> Result<Vec<f64>, SettingsError> {
    let d = shape.task.dimension;
    match entries {
        Entries::Equal(number) => Ok(vec![*number; d]),
        Entries::Listed(list) if list.len() == d => Ok(list.clone()),
        Entries::Listed(list) => {
            let message = format!("has {} entries, but tokens have {d} coordinates", list.len());
            Err(init.wrong(name, message))
        }
    }
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
