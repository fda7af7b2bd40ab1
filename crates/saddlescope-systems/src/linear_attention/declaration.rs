//! What can be set in linear attention, declared once for files, help and checks.

use saddlescope::settings::{
    Bounds, Kind, Parameter, Section, SystemSchema, Variant, Variants, When,
};

const POSITIVE: Kind = Kind::Number(Bounds::POSITIVE);

const EIGENVECTORS: Kind = Kind::Either(&[
    Kind::Choice(&[
        ("identity", "the coordinate axes"),
        ("random", "a random rotation, keyed by the seed"),
    ]),
    Kind::Tensor { depth: 2 },
]);

const LENGTHS: Kind = Kind::Choice(&[
    ("fixed", "always the whole context; the loss is that of the query"),
    ("varying", "next-token prediction: every length up to the context, Eq. (9)"),
]);

const ATTENTION: Kind = Kind::Choice(&[
    ("linear", "the paper's model, Eq. (2)"),
    ("softmax", "the same heads with softmax attention (Fig. 3)"),
    ("full", "linear attention with the weights that the paper sets to zero (appendix E.1)"),
]);

const LOSS: Kind = Kind::Choice(&[
    ("population", "the exact expectation over all sequences"),
    ("empirical", "the mean over a finite data set"),
    ("minibatch", "a random part of a finite data set at each step"),
    ("online", "fresh sequences at each step"),
]);

const PRECISION: Kind = Kind::Choice(&[
    ("single", "32-bit parameters, 64-bit losses: fast"),
    ("double", "64-bit throughout; flows need it"),
]);

const SYSTEM: &[Parameter] = &[
    Parameter::new(
        "eigenvalues",
        Kind::Numbers { each: Bounds::POSITIVE, min_len: 1 },
        "[0.4, 0.3, 0.2, 0.1]",
        "eigenvalues of the tokens' covariance, one per dimension",
    ),
    Parameter::new(
        "eigenvectors",
        EIGENVECTORS,
        "\"identity\"",
        "its eigenvectors, the columns of a matrix",
    ),
    Parameter::new(
        "context",
        Kind::Integer { min: 1, max: 1_000_000 },
        "31",
        "pairs (x, y) before the query: N",
    ),
    Parameter::new("lengths", LENGTHS, "\"fixed\"", "how much of the context is seen"),
    Parameter::new("heads", Kind::Integer { min: 1, max: 65_536 }, "4", "attention heads: H"),
    Parameter::new(
        "rank",
        Kind::Integer { min: 1, max: 65_536 },
        "1",
        "rank of each head's key and query: R",
    ),
    Parameter::new("attention", ATTENTION, "\"linear\"", "the model"),
    Parameter::new("loss", LOSS, "\"population\"", "what the loss averages over"),
    Parameter::new(
        "sequences",
        Kind::Integer { min: 1, max: 1_000_000_000 },
        "5000",
        "sequences in the data set: P",
    )
    .when(When::Is("loss", &["empirical", "minibatch"])),
    Parameter::new(
        "batch",
        Kind::Integer { min: 1, max: 10_000_000 },
        "1000",
        "sequences per step",
    )
    .when(When::Is("loss", &["minibatch", "online"])),
    Parameter::new("precision", PRECISION, "\"single\"", "precision of the parameters")
        .when(When::Is("attention", &["softmax"])),
    Parameter::new("tau", POSITIVE, "1.0", "time constant of the flow").unit("time"),
];

const RANDOM: &[Parameter] = &[Parameter::new(
    "scale",
    Kind::Number(Bounds::NOT_NEGATIVE),
    "0.05",
    "size of the start: w_init of Eq. (20)",
)];

const ALIGNED: &[Parameter] =
    &[Parameter::new("value", POSITIVE, "0.02", "v of every head, with k = q = v e")];

const GIVEN: &[Parameter] = &[
    Parameter::required(
        "value",
        Kind::Numbers { each: Bounds::ANY, min_len: 1 },
        "[0.05, 0.04, 0.03, 0.02]",
        "v of each head",
    ),
    Parameter::required(
        "key",
        Kind::Tensor { depth: 3 },
        "[[[0.05, 0.0, 0.0, 0.0]], [[0.0, 0.04, 0.0, 0.0]], [[0.0, 0.0, 0.03, 0.0]], \
         [[0.0, 0.0, 0.0, 0.02]]]",
        "keys, as heads x rank x dimension",
    ),
    Parameter::required(
        "query",
        Kind::Tensor { depth: 3 },
        "[[[0.05, 0.0, 0.0, 0.0]], [[0.0, 0.04, 0.0, 0.0]], [[0.0, 0.0, 0.03, 0.0]], \
         [[0.0, 0.0, 0.0, 0.02]]]",
        "queries, as heads x rank x dimension",
    ),
];

const STARTS: &[Variant] = &[
    Variant { name: "random", about: "small Gaussian weights, Eq. (20)", parameters: &[RANDOM] },
    Variant {
        name: "aligned",
        about: "each head on its own eigenvector: heads stay apart",
        parameters: &[ALIGNED],
    },
    Variant { name: "given", about: "weights as listed", parameters: &[GIVEN] },
];

/// What linear attention declares about itself.
pub(super) static SCHEMA: SystemSchema = SystemSchema {
    name: "linear-attention",
    title: "Training Dynamics of In-Context Learning in Linear Attention",
    about: "Linear attention learns regression in context, one principal component after the other.",
    dynamics: "flow",
    system: Section::plain("system", "The task, the model and the loss.", SYSTEM),
    start: Section::by_kind(
        "start",
        "Where the weights start.",
        Variants { default: Some("random"), list: STARTS },
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
