//! The architecture and the start that settings describe.

use saddlescope_spec::prelude::*;
use saddlescope_spec::problem::Input;
use saddlescope_spec::settings::Origin;

use crate::settings::{Checkpoint, Design, EmbeddingFactor, Init, Parts};
use crate::{Architecture, Scales, Start, Transformer, checkpoint};

impl Design {
    pub fn architecture(&self, heads: usize, vocabulary: usize, context: usize) -> Architecture {
        Architecture {
            vocabulary,
            context,
            width: self.width,
            heads,
            blocks: self.blocks,
            feedforward: self.feedforward,
            activation: self.activation,
            norm: self.norm,
            positions: self.encoding,
            dropout: self.dropout,
            tied: self.tied,
            biases: self.biases,
            embedding_factor: match self.embedding_factor {
                EmbeddingFactor::One => 1.0,
                EmbeddingFactor::Root => (self.width as f64).sqrt(),
            },
        }
    }
}

impl Scales {
    /// What is wrong with `start.factors`, if a pattern fits none of `blocks`.
    pub fn ensure_fits(&self, blocks: &Blocks) -> Result<(), String> {
        for (pattern, _) in &self.named {
            if blocks.matching(pattern).next().is_none() {
                let names: Vec<&str> = blocks.iter().map(|block| &*block.name).collect();
                let names = names.join(", ");
                return Err(format!("names `{pattern}`, which fits none of {names}"));
            }
        }
        Ok(())
    }
}

/// Where the parameters of `model` start, and the file that they come from, if they do.
pub(crate) fn start(
    start: &Settings,
    model: &Transformer,
    seed: u64,
) -> Result<(Vec<f64>, Option<Input>)> {
    let law = match start.read() {
        Init::Checkpoint(Checkpoint { file }) => {
            let mut drawn = ["slope", "tables", "factors"].into_iter();
            if let Some(name) = drawn.find(|name| *start.origin(name) != Origin::Default) {
                let message = "belongs to starts that are drawn, not to a checkpoint";
                return Err(start.wrong(name, message));
            }
            let (theta, input) = checkpoint::read(&file, &model.blocks)
                .map_err(|message| start.wrong("file", message))?;
            return Ok((theta, Some(input)));
        }
        Init::Uniform(uniform) => Start::Uniform(uniform.scale),
        Init::Layers => Start::Layers,
        Init::Normal(normal) => Start::Normal(normal.scale),
    };
    let (blocks, parts) = (&model.blocks, start.read::<Parts>());
    let scales = Scales { all: 1.0, slopes: parts.slope, named: parts.factors };
    scales.ensure_fits(blocks).map_err(|message| start.wrong("factors", message))?;
    let mut theta = model.start(law, &scales, seed);
    if let Some(range) = parts.tables {
        for (index, name) in ["embed.W_E", "unembed.W_U"].into_iter().enumerate() {
            let Some(block) = blocks.get(name) else { continue };
            let values = &mut theta[block.range()];
            Stream::new(seed, Purpose::Start, 1 + index as u64).fill_uniform(values);
            values.iter_mut().for_each(|value| *value = range * (2.0 * *value - 1.0));
        }
    }
    Ok((theta, None))
}
