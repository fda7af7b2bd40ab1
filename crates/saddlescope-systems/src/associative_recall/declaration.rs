//! What can be set in associative recall, declared once for files, help and checks.

use saddlescope::settings::{
    Bounds, Kind, Parameter, Section, SystemSchema, Variant, Variants, When,
};

use super::task::LARGEST_ORDER;

const POSITIVE: Kind = Kind::Number(Bounds::POSITIVE);
const NOT_NEGATIVE: Kind = Kind::Number(Bounds::NOT_NEGATIVE);

const OBJECTIVE: Kind = Kind::Choice(&[
    ("dot-product", "1 - p of the right response, as the paper analyses"),
    ("cross-entropy", "-ln p of the right response"),
]);

const WINDOW: Kind = Kind::Choice(&[
    ("order", "(A0): the lags 1 to k"),
    ("all", "every lag from 0 on, as in section 2.2"),
]);

const SECOND: Kind = Kind::Choice(&[
    ("strengths", "(A1): one strength beta per head"),
    ("matrices", "whole matrices Q and K, as in section 2.2"),
]);

const LAST: Kind = Kind::Choice(&[
    ("solution", "(A2): the query's own tokens"),
    ("heads", "what the heads see at the last position"),
]);

const SOFTMAX: Kind = Kind::Choice(&[
    ("responses", "(A3): the responses only"),
    ("all", "every position of the sequence"),
]);

const LOSS: Kind = Kind::Choice(&[
    ("population", "the exact expectation over all maps and queries"),
    ("empirical", "the mean over a finite data set"),
    ("online", "fresh sequences at each step"),
]);

const SYSTEM: &[Parameter] = &[
    Parameter::new(
        "order",
        Kind::Integer { min: 2, max: LARGEST_ORDER as i64 },
        "4",
        "tokens of a permutation: k",
    ),
    Parameter::new(
        "responses",
        Kind::Integer { min: 2, max: 10_000 },
        "4",
        "possible responses: R",
    ),
    Parameter::new(
        "heads",
        Kind::Integer { min: 1, max: LARGEST_ORDER as i64 },
        "3",
        "heads of the first layer, at most k; k - 1 of them are useful",
    ),
    Parameter::new("gain", POSITIVE, "1.0", "factor of all scores: 1 + gamma"),
    Parameter::new("objective", OBJECTIVE, "\"dot-product\"", "the loss of a prediction"),
    Parameter::new("window", WINDOW, "\"order\"", "lags that the heads see"),
    Parameter::new("second", SECOND, "\"strengths\"", "the second layer"),
    Parameter::new("last", LAST, "\"solution\"", "what stands for the query at the last position"),
    Parameter::new("softmax", SOFTMAX, "\"responses\"", "positions that compete for attention"),
    Parameter::new("loss", LOSS, "\"population\"", "what the loss averages over"),
    Parameter::new(
        "sequences",
        Kind::Integer { min: 1, max: 1_000_000_000 },
        "5000",
        "sequences in the data set",
    )
    .when(When::Is("loss", &["empirical"])),
    Parameter::new(
        "batch",
        Kind::Integer { min: 1, max: 10_000_000 },
        "1024",
        "sequences per step",
    )
    .when(When::Is("loss", &["online"])),
];

const NOISE: Parameter = Parameter::new(
    "noise",
    NOT_NEGATIVE,
    "0.0",
    "size of the random part of Q and K, where second = \"matrices\"",
);

const GIVEN: &[Parameter] = &[
    Parameter::new(
        "beta",
        Kind::Numbers { each: Bounds::ANY, min_len: 1 },
        "[0.1, 0.03, 0.01]",
        "strength of each head",
    ),
    Parameter::new("scale", NOT_NEGATIVE, "1.0", "factor of all strengths"),
    Parameter::optional(
        "w",
        Kind::Tensor { depth: 2 },
        "[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]",
        "weights over the lags 1 to k, as heads x lags; all zero when none are given",
    ),
    NOISE,
];

const RANDOM: &[Parameter] = &[
    Parameter::new("scale", NOT_NEGATIVE, "0.05", "size of the strengths, which are |normal|"),
    Parameter::new("spread", NOT_NEGATIVE, "0.0", "size of the normal weights over the lags"),
    NOISE,
];

const SIMPLEX: &[Parameter] = &[
    Parameter::new(
        "size",
        POSITIVE,
        "0.2",
        "sum of the strengths, which are drawn evenly from all",
    ),
    NOISE,
];

const STARTS: &[Variant] = &[
    Variant { name: "given", about: "strengths and weights as listed", parameters: &[GIVEN] },
    Variant {
        name: "random",
        about: "strengths and weights drawn, keyed by the seed",
        parameters: &[RANDOM],
    },
    Variant {
        name: "simplex",
        about: "strengths of a given sum, drawn evenly, keyed by the seed; weights zero",
        parameters: &[SIMPLEX],
    },
];

/// What associative recall declares about itself.
pub(super) static SCHEMA: SystemSchema = SystemSchema {
    name: "associative-recall",
    title: "Incremental Learning in Transformers for In-Context Associative Recall",
    about: "A two-layer transformer learns to match a query's tokens, one head after the other.",
    dynamics: "flow",
    system: Section::plain("system", "The task, the model and the loss.", SYSTEM),
    start: Section::by_kind(
        "start",
        "Where the parameters start.",
        Variants { default: Some("given"), list: STARTS },
        &[],
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
}
