//! Where the parameters start, from settings.

use saddlescope::settings::{Settings, SettingsError};

use super::{Shape, Start};

/// The parameters at the start.
pub(super) fn start(
    settings: &Settings,
    shape: &Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    let does_not_fit = |name: &'static str| {
        move |error: super::Error| settings.wrong(name, format!("does not fit: {error}"))
    };
    if settings.kind() == Some("given") {
        return given(settings, shape);
    }
    let scale = settings.number("scale");
    match settings.kind() {
        Some("random") => shape.random_start(scale, seed).map_err(does_not_fit("scale")),
        Some("stage-one") => {
            let zeros = vec![0.0; shape.task().dimension()];
            let start =
                Start { p_tilde: scale, p: 0.0, g: scale, query: &zeros, key: &zeros, h: scale };
            shape.given_start(&start).map_err(does_not_fit("scale"))
        }
        _ => shape.equal_start(scale).map_err(does_not_fit("scale")),
    }
}

fn given(settings: &Settings, shape: &Shape) -> Result<Vec<f64>, SettingsError> {
    let (query, key) = (entries(settings, shape, "w_q")?, entries(settings, shape, "w_k")?);
    if shape.is_tied() && query != key {
        let message = "differs from w_q, but the two are tied: give the same value, or set coupling = \"untied\"";
        return Err(settings.wrong("w_k", message));
    }
    let start = Start {
        p_tilde: settings.number("p_tilde"),
        p: settings.number("p"),
        g: settings.number("g"),
        query: &query,
        key: &key,
        h: settings.number("h"),
    };
    shape.given_start(&start).map_err(|error| settings.wrong("h", format!("does not fit: {error}")))
}

/// One number for all coordinates, or a list with one for each.
fn entries(
    settings: &Settings,
    shape: &Shape,
    name: &'static str,
) -> Result<Vec<f64>, SettingsError> {
    let d = shape.task().dimension();
    let value = settings.value(name);
    if let Some(number) = value.as_number() {
        return Ok(vec![number; d]);
    }
    let list = value.as_numbers().unwrap_or_default();
    if list.len() == d {
        return Ok(list.to_vec());
    }
    let message = format!("has {} entries, but tokens have {d} coordinates", list.len());
    Err(settings.wrong(name, message))
}

/// `Ok` where no noise is asked for: the six parameters have no matrices to disturb.
pub(super) fn unless_noise(settings: &Settings) -> Result<(), SettingsError> {
    let noise = settings.number("noise");
    if noise == 0.0 {
        return Ok(());
    }
    let message = format!(
        "is {noise}, but there are no matrices to disturb: set model = \"matrices\", or noise = 0"
    );
    Err(settings.wrong("noise", message))
}
