//! What can be set in a standard transformer on text, declared once for files, help and checks.

use saddlescope::settings::{
    Bounds, Kind, Parameter, Section, SystemSchema, Variant, Variants, When,
};

const NOT_NEGATIVE: Kind = Kind::Number(Bounds::NOT_NEGATIVE);
const SIZE: Kind = Kind::Integer { min: 1, max: 1_000_000 };

const NORM: Kind = Kind::Choice(&[
    ("before", "before attention and MLP, and once more behind the last block"),
    ("after", "behind attention and MLP, on the sum with what entered"),
    ("none", "nowhere"),
]);

const ENCODING: Kind = Kind::Choice(&[
    ("learned", "a table that is learned, added to the embeddings"),
    ("sinusoidal", "sines and cosines, added to the embeddings"),
    ("alibi", "scores fall with distance, by a learned slope for each head"),
    ("none", "not at all, but for the causal mask"),
]);

const ACTIVATION: Kind = Kind::Choice(&[
    ("gelu", "the form with a hyperbolic tangent, of GPT-2"),
    ("relu", "the positive part"),
]);

const EMBEDDING_FACTOR: Kind = Kind::Choice(&[
    ("one", "they are taken as they are"),
    ("root", "they are multiplied by the root of the width"),
]);

/// What is the same for every task: all of the architecture but its heads, vocabulary and context, which tasks declare.
pub(crate) const ARCHITECTURE: [Parameter; 10] = [
    Parameter::new("width", SIZE, "32", "length of the residual stream: D"),
    Parameter::new(
        "blocks",
        Kind::Integer { min: 1, max: 1000 },
        "1",
        "blocks of attention and MLP, one after the other",
    ),
    Parameter::new(
        "feedforward",
        Kind::Integer { min: 0, max: 1_000_000 },
        "64",
        "hidden units of the MLP; 0 for none",
    ),
    Parameter::new("activation", ACTIVATION, "\"gelu\"", "the non-linearity of the MLP"),
    Parameter::new("norm", NORM, "\"before\"", "where layer norms stand"),
    Parameter::new("encoding", ENCODING, "\"learned\"", "how positions are known"),
    Parameter::new(
        "dropout",
        Kind::Number(Bounds::NOT_NEGATIVE.and_below(1.0)),
        "0.0",
        "part of embeddings, attention, hidden units and outputs that a training step leaves out",
    ),
    Parameter::new(
        "embedding_factor",
        EMBEDDING_FACTOR,
        "\"one\"",
        "what embeddings are multiplied by before positions are added",
    ),
    Parameter::new("tied", Kind::Switch, "false", "whether the embedding also reads out"),
    Parameter::new("biases", Kind::Switch, "true", "whether matrices and norms have biases"),
];

/// `list` with what counts only `when`; those that depend on something else already still do so.
pub(crate) const fn only<const N: usize>(list: [Parameter; N], when: When) -> [Parameter; N] {
    let mut list = list;
    let mut place = 0;
    while place < N {
        if list[place].when.is_none() {
            list[place] = list[place].when(when);
        }
        place += 1;
    }
    list
}

/// One list behind the other; `N` is how many there are in all.
pub(crate) const fn joined<const N: usize>(
    first: &[Parameter],
    second: &[Parameter],
) -> [Parameter; N] {
    assert!(first.len() + second.len() == N, "N is the number of all");
    let mut list = [if first.is_empty() { second[0] } else { first[0] }; N];
    let mut place = 0;
    while place < N {
        list[place] = if place < first.len() { first[place] } else { second[place - first.len()] };
        place += 1;
    }
    list
}

const TOKENS: Kind = Kind::Choice(&[
    ("words", "at whitespace, with <eos> at the end of every line: the word level of WikiText"),
    ("basic-english", "lower case, punctuation apart, no ends of lines"),
]);

const ORDER: Kind = Kind::Choice(&[
    ("shuffled", "sequences in another random order in each epoch"),
    (
        "streams",
        "as many places of the text as a batch has sequences, each read on from step to step",
    ),
]);

const PRECISION: Kind = Kind::Choice(&[
    ("single", "32 bits: training"),
    ("double", "64 bits: where the last digits count"),
]);

const TEXT: [Parameter; 12] = [
    Parameter::optional(
        "train",
        Kind::Text,
        "\"wiki.train.txt\"",
        "the file with the text that is trained on; a small corpus inside the program where it is not given",
    ),
    Parameter::optional(
        "valid",
        Kind::Text,
        "\"wiki.valid.txt\"",
        "the file with the text that is measured on; goes with train",
    ),
    Parameter::new("tokens", TOKENS, "\"words\"", "how a text is split"),
    Parameter::optional(
        "vocabulary",
        Kind::Integer { min: 2, max: 10_000_000 },
        "500",
        "most tokens, with <unk> for all words but the most frequent ones; all words where it is not given",
    ),
    Parameter::new(
        "length",
        Kind::Integer { min: 1, max: 100_000 },
        "32",
        "inputs of a sequence: L",
    ),
    Parameter::new("batch", SIZE, "16", "sequences per step"),
    Parameter::new("order", ORDER, "\"shuffled\"", "in which order the text is read"),
    Parameter::new(
        "valid_sequences",
        SIZE,
        "64",
        "sequences of the validation text, spread over it, on which models are measured",
    ),
    Parameter::new("heads", Kind::Integer { min: 1, max: 1000 }, "2", "heads of each block"),
    Parameter::new(
        "skip",
        Kind::Integer { min: 0, max: 99_999 },
        "0",
        "first positions of each sequence whose targets do not count",
    ),
    Parameter::new(
        "maps",
        Kind::Integer { min: 0, max: 1000 },
        "1",
        "validation sequences whose attention maps can be recorded: map.SEQUENCE.BLOCK.HEAD",
    ),
    Parameter::new("precision", PRECISION, "\"single\"", "of parameters and slopes"),
];

const SYSTEM: [Parameter; 22] = joined(&TEXT, &ARCHITECTURE);

/// Where another run ended, or any other weights.
pub(crate) const CHECKPOINT: Variant = Variant {
    name: "checkpoint",
    about: "the parameters in a safetensors file, such as a snapshot of another run",
    parameters: &[&[Parameter::new(
        "file",
        Kind::Text,
        "\"end.safetensors\"",
        "the file, with every block under its name and in its shape",
    )]],
};

/// Where every architecture can start.
pub(crate) const STARTS: &[Variant] = &[
    Variant {
        name: "normal",
        about: "all matrices and tables normal, norms 1, biases 0",
        parameters: &[&[Parameter::new("scale", NOT_NEGATIVE, "0.02", "the standard deviation")]],
    },
    Variant {
        name: "uniform",
        about: "all matrices and tables uniform, norms 1, biases 0",
        parameters: &[&[Parameter::new("scale", NOT_NEGATIVE, "0.1", "half the range")]],
    },
    Variant {
        name: "layers",
        about: "as layers of PyTorch: matrices and biases uniform within 1 over the root of what enters, tables normal",
        parameters: &[],
    },
    CHECKPOINT,
];

/// What goes with each of [`STARTS`].
pub(crate) const START: &[Parameter] = &[
    Parameter::new("slope", NOT_NEGATIVE, "0.01", "slopes of distance, where there are any"),
    Parameter::optional(
        "tables",
        NOT_NEGATIVE,
        "0.1",
        "half the range of embedding and read-out, which are then uniform",
    ),
    Parameter::new(
        "factors",
        Kind::NumberTable { each: Bounds::ANY },
        "{}",
        "what some blocks are multiplied by, such as { \"blocks.*.attn.W_Q\" = 0.1 }",
    ),
];

/// What the system declares about itself.
pub(super) static SCHEMA: SystemSchema = SystemSchema {
    name: "transformer",
    title: "",
    about: "A decoder-only transformer with all its parts learns to predict the next word of a text.",
    dynamics: "sgd",
    system: Section::plain("system", "The text and the model.", &SYSTEM),
    start: Section::by_kind(
        "start",
        "Where the parameters start.",
        Variants { default: Some("normal"), list: STARTS },
        START,
    ),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        assert_eq!(SCHEMA.system.audit(), Vec::<String>::new());
        assert_eq!(SCHEMA.start.audit(), Vec::<String>::new());
    }

    #[test]
    fn a_shared_table_can_be_made_to_depend_on_a_choice() {
        const MODEL: When = When::Is("model", &["transformer"]);
        let list = only(ARCHITECTURE, MODEL);
        assert!(list.iter().all(|parameter| parameter.when == Some(MODEL)));
        let all: [Parameter; 22] = joined(&TEXT, &list);
        assert_eq!((all[0].name, all[21].name), ("train", "biases"));
    }
}
