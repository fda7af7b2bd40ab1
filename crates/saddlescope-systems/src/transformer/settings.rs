//! The architecture and the start that settings describe.

use saddlescope::Blocks;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::settings::{Settings, SettingsError};
use saddlescope::system::Input;

use super::{Activation, Architecture, Norm, Positions, Scales, Start, Transformer, checkpoint};

/// The architecture of `system`, whose settings are those of [`super::declaration::ARCHITECTURE`] and `heads`.
pub(crate) fn architecture(system: &Settings, vocabulary: usize, context: usize) -> Architecture {
    let width = system.count("width");
    Architecture {
        vocabulary,
        context,
        width,
        heads: system.count("heads"),
        blocks: system.count("blocks"),
        feedforward: system.count("feedforward"),
        activation: match system.word("activation") {
            "relu" => Activation::Relu,
            _ => Activation::Gelu,
        },
        norm: match system.word("norm") {
            "after" => Norm::After,
            "none" => Norm::None,
            _ => Norm::Before,
        },
        positions: match system.word("encoding") {
            "sinusoidal" => Positions::Sinusoidal,
            "alibi" => Positions::Alibi,
            "none" => Positions::None,
            _ => Positions::Learned,
        },
        dropout: system.number("dropout"),
        tied: system.switch("tied"),
        biases: system.switch("biases"),
        embedding_factor: match system.word("embedding_factor") {
            "root" => (width as f64).sqrt(),
            _ => 1.0,
        },
    }
}

/// A factor of `all`, the slopes and the factors of parts by name, each of which must fit some of `blocks`.
pub(crate) fn scales(start: &Settings, all: f64, blocks: &Blocks) -> Result<Scales, SettingsError> {
    let named = start.number_table("factors").to_vec();
    for (pattern, _) in &named {
        if blocks.matching(pattern).next().is_none() {
            let names: Vec<&str> = blocks.iter().map(|block| &*block.name).collect();
            let message = format!("names `{pattern}`, which fits none of {}", names.join(", "));
            return Err(start.wrong("factors", message));
        }
    }
    Ok(Scales { all, slopes: start.number("slope"), named })
}

/// Where the parameters of `model` start, as `start` says in the settings of [`super::declaration::STARTS`], and the file that
/// they come from, if they do.
pub(crate) fn start(
    start: &Settings,
    model: &Transformer,
    seed: u64,
) -> Result<(Vec<f64>, Option<Input>), SettingsError> {
    if start.kind() == Some("checkpoint") {
        let drawn = ["slope", "tables", "factors"].into_iter().find(|name| start.given(name));
        if let Some(name) = drawn {
            return Err(start.wrong(name, "belongs to starts that are drawn, not to a checkpoint"));
        }
        let (theta, input) = checkpoint::read(start, model.blocks())?;
        return Ok((theta, Some(input)));
    }
    let law = match start.kind() {
        Some("uniform") => Start::Uniform(start.number("scale")),
        Some("layers") => Start::Layers,
        _ => Start::Normal(start.number("scale")),
    };
    let blocks = model.blocks();
    let scales = scales(start, 1.0, blocks)?;
    let mut theta = model.start(law, &scales, seed);
    if let Some(range) = start.optional_number("tables") {
        for (index, name) in ["embed.W_E", "unembed.W_U"].into_iter().enumerate() {
            let Some(block) = blocks.get(name) else { continue };
            let values = &mut theta[block.range()];
            Stream::new(seed, Purpose::Start, 1 + index as u64).fill_uniform(values);
            values.iter_mut().for_each(|value| *value = range * (2.0 * *value - 1.0));
        }
    }
    Ok((theta, None))
}
