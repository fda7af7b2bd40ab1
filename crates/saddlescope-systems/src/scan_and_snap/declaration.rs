//! What can be set in scan and snap, declared once for files, help and checks.

use saddlescope::settings::{
    Bounds, Kind, Parameter, Section, SystemSchema, Variant, Variants, When,
};

const POSITIVE: Kind = Kind::Number(Bounds::POSITIVE);
const NOT_NEGATIVE: Kind = Kind::Number(Bounds::NOT_NEGATIVE);

const TASK: Kind = Kind::Choice(&[
    ("synthetic", "common tokens, and distinct ones for each class (section 8)"),
    ("given", "classes as listed: probabilities, query, next"),
]);

const IDS: Kind = Kind::Choice(&[
    (
        "own",
        "queries and next tokens are tokens of their own, as the authors ran it: Syn-Small has 34",
    ),
    (
        "shared",
        "they are the first tokens of the vocabulary, as the paper prints it: Syn-Small has 30",
    ),
]);

const OUTPUTS: Kind = Kind::Choice(&[
    ("all", "a column of Y for each token of the vocabulary"),
    (
        "used",
        "one for each next token, and one for all others, which stay equal; not for Adam, nor for uneven starts",
    ),
]);

const LOSS: Kind = Kind::Choice(&[
    ("population", "the exact loss of endless sequences (Lemma 2)"),
    ("empirical", "the mean over a finite data set"),
    ("online", "fresh sequences at each step"),
]);

const CONTEXTS: Kind = Kind::Choice(&[
    ("counts", "how often each token occurs is drawn at once"),
    ("tokens", "token by token: the same law, more slowly"),
]);

const MODEL: Kind = Kind::Choice(&[
    ("pairwise", "Y and Z are the parameters, as in the theory (section 3.1)"),
    ("embedding", "embeddings U and matrices W_K, W_Q, W_V, of which Y and Z are products"),
]);

const NORMALISED: Kind = Kind::Choice(&[
    ("weights", "the weights of the tokens, as in the theory: a function of Y and Z"),
    ("embedding", "the embedded vector, as in practice; no function of Y and Z"),
]);

const SYNTHETIC: When = When::Is("task", &["synthetic"]);
const GIVEN: When = When::Is("task", &["given"]);
const SAMPLED: When = When::Is("loss", &["empirical", "online"]);

const PAIRWISE: When = When::Is("model", &["pairwise"]);
const EMBEDDING: When = When::Is("model", &["embedding"]);

const LISTS: Kind = Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 1 };

const SYSTEM: &[Parameter] = &[
    Parameter::new("task", TASK, "\"synthetic\"", "the sequence classes"),
    Parameter::new("queries", Kind::Integer { min: 1, max: 100_000 }, "2", "query tokens")
        .when(SYNTHETIC),
    Parameter::new(
        "next_per_query",
        Kind::Integer { min: 1, max: 100_000 },
        "1",
        "classes, each with its next token, per query",
    )
    .when(SYNTHETIC),
    Parameter::optional(
        "psi",
        LISTS,
        "[0, 0, 1]",
        "the query of each class, counted from 0, in place of queries and next_per_query",
    )
    .when(SYNTHETIC),
    Parameter::new(
        "common",
        Kind::Integer { min: 0, max: 100_000 },
        "10",
        "tokens that all classes share",
    )
    .when(SYNTHETIC),
    Parameter::new("common_weight", POSITIVE, "1.0", "weight of each of them").when(SYNTHETIC),
    Parameter::new(
        "distinct",
        Kind::Integer { min: 0, max: 100_000 },
        "10",
        "tokens of each class alone, with weights that rise evenly to 1",
    )
    .when(SYNTHETIC),
    Parameter::optional(
        "distinct_weights",
        Kind::Numbers { each: Bounds::POSITIVE, min_len: 1 },
        "[1.0, 2.0, 3.0, 4.0]",
        "weights of a class's own tokens, in place of distinct",
    )
    .when(SYNTHETIC),
    Parameter::new("ids", IDS, "\"own\"", "which tokens queries and next tokens are")
        .when(SYNTHETIC),
    Parameter::optional(
        "vocabulary",
        Kind::Integer { min: 2, max: 10_000_000 },
        "1000",
        "tokens in all: M; more than occur are no harm",
    ),
    Parameter::required(
        "probabilities",
        Kind::Tensor { depth: 2 },
        "[[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]",
        "P(l|n): a row per class, a column per token",
    )
    .when(GIVEN),
    Parameter::required("query", LISTS, "[0, 0]", "the last token of each class: psi").when(GIVEN),
    Parameter::required("next", LISTS, "[1, 2]", "the token that each class predicts").when(GIVEN),
    Parameter::new("model", MODEL, "\"pairwise\"", "how the transformer is parametrised"),
    Parameter::new(
        "dimension",
        Kind::Integer { min: 1, max: 10_000 },
        "64",
        "coordinates of an embedding: d",
    )
    .when(EMBEDDING),
    Parameter::new(
        "normalised",
        NORMALISED,
        "\"weights\"",
        "what is brought to length one before the decoder reads it",
    )
    .when(EMBEDDING),
    Parameter::new("eta_y", POSITIVE, "1.0", "rate of the decoder Y under flow").when(PAIRWISE),
    Parameter::new("eta_z", POSITIVE, "1.0", "rate of the logits Z under flow").when(PAIRWISE),
    Parameter::new("outputs", OUTPUTS, "\"all\"", "which columns of Y are kept"),
    Parameter::new(
        "heads",
        Kind::Integer { min: 1, max: 1000 },
        "1",
        "rows of logits per query, averaged before the norm",
    ),
    Parameter::new(
        "residual",
        Kind::Switch,
        "false",
        "whether the decoder sees the query, too (section 7)",
    ),
    Parameter::optional(
        "c0",
        POSITIVE,
        "1.0",
        "the constant C_0 of Theorem 4, in place of the start's own",
    )
    .when(PAIRWISE),
    Parameter::new("loss", LOSS, "\"population\"", "what the loss averages over"),
    Parameter::new(
        "length",
        Kind::Integer { min: 2, max: 10_000_000 },
        "128",
        "tokens, the query among them: T",
    )
    .when(SAMPLED),
    Parameter::new("contexts", CONTEXTS, "\"counts\"", "how contexts are drawn").when(SAMPLED),
    Parameter::new("batch", Kind::Integer { min: 1, max: 10_000_000 }, "128", "sequences per step")
        .when(When::Is("loss", &["online"])),
    Parameter::new(
        "sequences",
        Kind::Integer { min: 1, max: 100_000_000 },
        "4096",
        "sequences in the data set",
    )
    .when(When::Is("loss", &["empirical"])),
];

const MATRICES: &[Parameter] = &[
    Parameter::new(
        "scale",
        NOT_NEGATIVE,
        "1.0",
        "entries of W_K and W_Q are normal, of this size over sqrt(d); with sqrt(d/2) Z is about as fast as Y",
    ),
    Parameter::optional(
        "value_scale",
        NOT_NEGATIVE,
        "0.0",
        "the same for W_V; that of the others where it is not given",
    ),
];

const STARTS: &[Variant] = &[
    Variant {
        name: "zero",
        about: "Y = Z = 0, as in the theory",
        parameters: &[&[Parameter::new(
            "noise",
            NOT_NEGATIVE,
            "0.0",
            "size of normal numbers added to Z, keyed by the seed",
        )]],
    },
    Variant {
        name: "uniform",
        about: "every entry uniform, keyed by the seed: how the authors' Syn-Medium starts",
        parameters: &[&[Parameter::optional(
            "scale",
            POSITIVE,
            "0.1",
            "largest entry; 1/sqrt(M) where it is not given",
        )]],
    },
    Variant {
        name: "random",
        about: "model = \"embedding\": normal embeddings of length about one, keyed by the seed",
        parameters: &[MATRICES],
    },
    Variant {
        name: "orthogonal",
        about: "model = \"embedding\", dimension at least M: orthonormal embeddings, keyed by the seed",
        parameters: &[MATRICES],
    },
    Variant {
        name: "given",
        about: "as listed",
        parameters: &[&[
            Parameter::required(
                "z",
                Kind::Tensor { depth: 2 },
                "[[0.0, 0.0, 0.0]]",
                "logits: a row per query (head after head), a column per token that occurs",
            ),
            Parameter::optional(
                "y",
                Kind::Tensor { depth: 2 },
                "[[0.0, 0.0], [0.0, 0.0]]",
                "decoder: a row per token that occurs, a column per token; zero where it is not given",
            ),
        ]],
    },
];

/// What scan and snap declares about itself.
pub(super) static SCHEMA: SystemSchema = SystemSchema {
    name: "scan-and-snap",
    title: "Scan and Snap: Understanding Training Dynamics and Token Composition in 1-layer Transformer",
    about: "A one-layer transformer scans for distinct tokens, drops common ones, and freezes.",
    dynamics: "flow",
    system: Section::plain("system", "The task, the model and the loss.", SYSTEM),
    start: Section::by_kind(
        "start",
        "Where the parameters start.",
        Variants { default: Some("zero"), list: STARTS },
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
