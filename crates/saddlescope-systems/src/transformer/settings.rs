//! The architecture that settings describe.

use saddlescope::settings::Settings;

use super::{Activation, Architecture, Norm, Positions};

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
