//! What can be set in a standard transformer on text, declared once for files, help and checks.

use saddlescope_spec::prelude::*;
use saddlescope_spec::settings::{Parameter, When};

use crate::data::text::{Order, Tokenisation};
use crate::{Activation, Norm, Positions};

choices! {
    pub enum EmbeddingFactor {
        One = "one", "they are taken as they are";
        Root = "root", "they are multiplied by the root of the width";
    }
}

settings! {
    /// What is the same for every task: all of the architecture but its heads, vocabulary and context, which tasks declare.
    pub struct Design {
        width: usize [1..=1_000_000] = 32, "length of the residual stream: D";
        blocks: usize [1..=1000] = 1, "blocks of attention and MLP, one after the other";
        feedforward: usize [0..=1_000_000] = 64, "hidden units of the MLP; 0 for none";
        activation: Activation = "gelu", "the non-linearity of the MLP";
        norm: Norm = "before", "where layer norms stand";
        encoding: Positions = "learned", "how positions are known";
        dropout: f64 [>= 0.0, < 1.0] = 0.0,
            "part of embeddings, attention, hidden units and outputs that a training step leaves out";
        embedding_factor: EmbeddingFactor = "one",
            "what embeddings are multiplied by before positions are added";
        tied: bool = false, "whether the embedding also reads out";
        biases: bool = true, "whether matrices and norms have biases";
    }
}

/// `list` with what counts only `when`.
pub const fn only<const N: usize>(list: &[Parameter], when: When) -> [Parameter; N] {
    let mut all = joined(list, &[]);
    let mut place = 0;
    while place < N {
        all[place] = Parameter { when: Some(when), ..list[place] };
        place += 1;
    }
    all
}

/// One list behind the other; `N` is how many there are in all.
pub const fn joined<const N: usize>(first: &[Parameter], second: &[Parameter]) -> [Parameter; N] {
    assert!(first.len() + second.len() == N, "N is the number of all");
    let mut list = [first[0]; N];
    let mut place = 0;
    while place < N {
        list[place] = if place < first.len() { first[place] } else { second[place - first.len()] };
        place += 1;
    }
    list
}

choices! {
    for Tokenisation {
        Words = "words", "at whitespace, with <eos> at the end of every line: the word level of WikiText";
        BasicEnglish = "basic-english", "lower case, punctuation apart, no ends of lines";
    }
}

choices! {
    for Order {
        Shuffled = "shuffled", "sequences in another random order in each epoch";
        Streams = "streams",
            "as many places of the text as a batch has sequences, each read on from step to step";
    }
}

choices! {
    pub enum Precision {
        Single = "single", "32 bits: training";
        Double = "double", "64 bits: where the last digits count";
    }
}

settings! {
    pub struct Task {
        train: Option<String>, example "wiki.train.txt",
            "the file with the text that is trained on; a small corpus inside the program where it is not given";
        valid: Option<String>, example "wiki.valid.txt",
            "the file with the text that is measured on; goes with train";
        tokens: Tokenisation = "words", "how a text is split";
        vocabulary: Option<usize> [2..=10_000_000], example 500,
            "most tokens, with <unk> for all words but the most frequent ones; all words where it is not given";
        length: usize [1..=100_000] = 32, "inputs of a sequence: L";
        batch: usize [1..=1_000_000] = 16, "sequences per step";
        order: Order = "shuffled", "in which order the text is read";
        valid_sequences: usize [1..=1_000_000] = 64,
            "sequences of the validation text, spread over it, on which models are measured";
        heads: usize [1..=1000] = 2, "heads of each block";
        skip: usize [0..=99_999] = 0, "first positions of each sequence whose targets do not count";
        maps: usize [0..=1000] = 1,
            "validation sequences whose attention maps can be recorded: map.SEQUENCE.BLOCK.HEAD";
        precision: Precision = "single", "of parameters and slopes";
    }
}

const SYSTEM: [Parameter; 22] = joined(Task::PARAMETERS, Design::PARAMETERS);

settings! {
    pub struct Normal {
        scale: f64 [>= 0.0] = 0.02, "the standard deviation";
    }
}

settings! {
    pub struct Uniform {
        scale: f64 [>= 0.0] = 0.1, "half the range";
    }
}

settings! {
    /// Where another run ended, or any other weights.
    pub struct Checkpoint {
        file: String = "end.safetensors", "the file, with every block under its name and in its shape";
    }
}

kinds! {
    pub enum Init {
        Normal(Normal) = "normal", "all matrices and tables normal, norms 1, biases 0";
        Uniform(Uniform) = "uniform", "all matrices and tables uniform, norms 1, biases 0";
        Layers = "layers",
            "as layers of PyTorch: matrices and biases uniform within 1 over the root of what enters, tables normal";
        Checkpoint(Checkpoint) = "checkpoint",
            "the parameters in a safetensors file, such as a snapshot of another run";
    }
}

settings! {
    /// What goes with each [`Init`].
    pub struct Parts {
        slope: f64 [>= 0.0] = 0.01, "slopes of distance, where there are any";
        tables: Option<f64> [>= 0.0], example 0.1,
            "half the range of embedding and read-out, which are then uniform";
        factors: Vec<(String, f64)> = {},
            "what some blocks are multiplied by, such as { \"blocks.*.attn.W_Q\" = 0.1 }";
    }
}

pub static SCHEMA: SystemSchema = SystemSchema {
    name: "transformer",
    about: "A decoder-only transformer with all its parts learns to predict the next word of a text.",
    dynamics: "sgd",
    system: Section::plain("system", "The text and the model.", &SYSTEM),
    start: Section::by_kind(
        "start",
        "Where the parameters start.",
        "normal",
        Init::KINDS,
        Parts::PARAMETERS,
    ),
    // A loss that draws batches has no flow, which is the kind where none is given.
    view: View {
        set: &[("dynamics.kind", "sgd"), ("dynamics.rate", "0.01"), ("dynamics.steps", "400")],
        ..View::DEFAULT
    },
    observables: &[
        crate::readings::quantities::OBSERVABLES,
        crate::readings::quantities::PARAMETERS,
    ],
    outcomes: crate::readings::quantities::OUTCOMES,
    cases: crate::cases::KINDS,
    ..SystemSchema::EMPTY
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_table_can_be_made_to_depend_on_a_choice() {
        const MODEL: When = When::Is("model", &["transformer"]);
        let list: [Parameter; 10] = only(Design::PARAMETERS, MODEL);
        assert!(list.iter().all(|parameter| parameter.when == Some(MODEL)));
        let all: [Parameter; 22] = joined(Task::PARAMETERS, &list);
        assert_eq!((all[0].name, all[21].name), ("train", "biases"));
    }
}
