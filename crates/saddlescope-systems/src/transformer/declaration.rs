//! What can be set in a standard transformer, declared once for files, help and checks.

use saddlescope::settings::{Bounds, Kind, Parameter, When};

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
