//! What can be set in sparse attention on Markov chains, declared once for files, help and checks.

use saddlescope::settings::{
    Bounds, Kind, Parameter, Presence, Section, SystemSchema, Variant, Variants, When,
};

use crate::transformer::declaration::{self, CHECKPOINT, joined, only};

const POSITIVE: Kind = Kind::Number(Bounds::POSITIVE);
const NOT_NEGATIVE: Kind = Kind::Number(Bounds::NOT_NEGATIVE);
const SEQUENCES: Kind = Kind::Integer { min: 1, max: 10_000_000 };

const MODEL: Kind = Kind::Choice(&[
    ("regression", "attention by position, squared error: the exact flow of section 3"),
    ("minimal", "one-hot columns, cross entropy on sequences of a chain: section 2.4"),
    ("transformer", "the full transformer on the same sequences: section 2.2"),
]);

const COORDINATES: Kind = Kind::Choice(&[
    ("features", "values in the span of the features, where they stay: the exact reduced form"),
    ("matrices", "values as d x d matrices; the features are random orthonormal ones, or given"),
]);

const LOSS: Kind = Kind::Choice(&[
    ("empirical", "a data set, in batches: shuffled anew in each epoch"),
    ("online", "fresh sequences at each step"),
]);

const PRECISION: Kind = Kind::Choice(&[
    ("single", "32 bits: training"),
    ("double", "64 bits: for flows, and where the last digits count"),
]);

const REGRESSION: When = When::Is("model", &["regression"]);
const MINIMAL: When = When::Is("model", &["minimal"]);
const TRANSFORMER: When = When::Is("model", &["transformer"]);
const SEQUENCED: When = When::Is("model", &["minimal", "transformer"]);

const TASK: [Parameter; 28] = [
    Parameter::new("model", MODEL, "\"regression\"", "which of the paper's models"),
    Parameter::new("heads", Kind::Integer { min: 1, max: 1000 }, "3", "heads of attention: h"),
    Parameter::new(
        "features",
        Kind::Integer { min: 1, max: 1000 },
        "3",
        "features, each with a group of lags of its own, the strongest first",
    ),
    Parameter::new("ratio", POSITIVE, "1.7", "each is so many times as strong as the next: m"),
    Parameter::optional(
        "base",
        POSITIVE,
        "10.0",
        "strength of the last: b_0; 1 in the regression and 10 in models on sequences where it is not given",
    ),
    Parameter::optional(
        "strengths",
        Kind::Numbers { each: Bounds::POSITIVE, min_len: 1 },
        "[2.89, 1.7, 1.0]",
        "all strengths, in place of features, ratio and base",
    ),
    Parameter::optional(
        "matrices",
        Kind::Tensor { depth: 3 },
        "[[[2.0, -1.0], [0.0, 1.0]], [[0.4, 0.0], [0.1, 0.7]]]",
        "feature matrices A_k, row after row, in place of random ones times their strengths",
    ),
    Parameter::optional(
        "data_seed",
        Kind::at_least(0),
        "0",
        "seed of features and sequences; that of the run where it is not given",
    ),
    Parameter::new("positions", Kind::Integer { min: 1, max: 100_000 }, "40", "positions: T")
        .when(REGRESSION),
    Parameter::optional(
        "places",
        Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 1 },
        "[0, 1, 2]",
        "the position of each feature, counted from 0; the first ones where it is not given",
    )
    .when(REGRESSION),
    Parameter::new("coordinates", COORDINATES, "\"features\"", "how values are written")
        .when(REGRESSION),
    Parameter::new("dimension", Kind::Integer { min: 1, max: 1000 }, "4", "rows of a matrix: d")
        .when(When::Is("coordinates", &["matrices"])),
    Parameter::new(
        "vocabulary",
        Kind::Integer { min: 2, max: 4096 },
        "50",
        "tokens: d; that of the matrices where these are given",
    )
    .when(SEQUENCED),
    Parameter::new(
        "length",
        Kind::Integer { min: 1, max: 4096 },
        "20",
        "tokens that follow the law: T",
    )
    .when(SEQUENCED),
    Parameter::new(
        "group_size",
        Kind::Integer { min: 1, max: 1000 },
        "2",
        "lags of each group: the nearest for the first feature, the next for the second, and so on",
    )
    .when(SEQUENCED),
    Parameter::optional(
        "groups",
        Kind::Lists { each: Bounds::NOT_NEGATIVE },
        "[[1, 2], [3, 4], [5, 6]]",
        "the lags of each feature, in place of group_size; 1 is the token before; they may overlap",
    )
    .when(SEQUENCED),
    Parameter::optional(
        "alpha",
        Kind::Lists { each: Bounds::NOT_NEGATIVE },
        "[[0.7, 0.3], [0.7, 0.3], [0.7, 0.3]]",
        "the weights of the lags of each group, which add up to 1; equal where they are not given",
    )
    .when(SEQUENCED),
    Parameter::optional(
        "order",
        Kind::Integer { min: 1, max: 4096 },
        "6",
        "tokens before the first that follows the law: w; the largest lag where it is not given",
    )
    .when(SEQUENCED),
    Parameter::new(
        "layers",
        Kind::Integer { min: 1, max: 2 },
        "1",
        "layers of attention; a second reads tokens plus what the first gives",
    )
    .when(MINIMAL),
    Parameter::optional(
        "window",
        Kind::Integer { min: 1, max: 4096 },
        "4",
        "columns that a query sees, its own included: c; all where it is not given",
    )
    .when(MINIMAL),
    Parameter::new("loss", LOSS, "\"empirical\"", "what the loss averages over").when(SEQUENCED),
    Parameter::new("sequences", SEQUENCES, "9000", "sequences in the data set")
        .when(When::Is("loss", &["empirical"])),
    Parameter::new(
        "batch",
        SEQUENCES,
        "3000",
        "sequences per step; the whole data set where it has no more",
    )
    .when(SEQUENCED),
    Parameter::new(
        "test_sequences",
        SEQUENCES,
        "3000",
        "other sequences, on which models are measured",
    )
    .when(SEQUENCED),
    Parameter::new("precision", PRECISION, "\"single\"", "of parameters and slopes")
        .when(SEQUENCED),
    Parameter::optional(
        "contexts",
        Kind::Numbers { each: Bounds::POSITIVE, min_len: 1 },
        "[2, 4, 6]",
        "windows c of the restricted models that are trained to compare with: kl.context.c",
    )
    .when(SEQUENCED),
    Parameter::new(
        "context_steps",
        Kind::Integer { min: 1, max: 1_000_000 },
        "600",
        "steps of AdamW for each of these",
    )
    .when(SEQUENCED),
    Parameter::new(
        "context_rate",
        POSITIVE,
        "3e-3",
        "its rate, with decay 0.01 and gradients clipped at 1",
    )
    .when(SEQUENCED),
];

/// 000, Table 3.
const ARCHITECTURE: [Parameter; 10] =
    only(of_paper(declaration::ARCHITECTURE, &[("width", "255"), ("dropout", "0.1")]), TRANSFORMER);

const SYSTEM: [Parameter; 38] = joined(&TASK, &ARCHITECTURE);

/// `list` with other defaults for some.
const fn of_paper<const N: usize>(
    mut list: [Parameter; N],
    defaults: &[(&str, &'static str)],
) -> [Parameter; N] {
    let mut next = 0;
    while next < defaults.len() {
        let (name, default) = defaults[next];
        let mut place = 0;
        while !same(list[place].name, name) {
            place += 1;
        }
        list[place].presence = Presence::Default(default);
        next += 1;
    }
    list
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut place = 0;
    while place < a.len() && place < b.len() && a[place] == b[place] {
        place += 1;
    }
    place == a.len() && place == b.len()
}

/// What goes with the starts of a transformer.
const PARTS: &[Parameter] = &[
    Parameter::new("slope", NOT_NEGATIVE, "0.01", "slopes of distance, where there are any"),
    Parameter::new(
        "factors",
        Kind::NumberTable { each: Bounds::ANY },
        "{}",
        "what some blocks are multiplied by beside, such as { \"blocks.*.attn.W_Q\" = 0.1 }",
    ),
];

const STARTS: &[Variant] = &[
    Variant {
        name: "uniform",
        about: "values zero, attention almost even, keyed by the seed",
        parameters: &[&[Parameter::optional(
            "scale",
            NOT_NEGATIVE,
            "0.01",
            "what tells heads apart. Regression: standard deviation of s around 1/T (0.001); minimal model: u of A ~ U[-u, u] (0.1); transformer: of all matrices and tables (0.1)",
        )]],
    },
    Variant {
        name: "layers",
        about: "transformer: as layers of PyTorch, matrices and biases uniform within 1 over the root of what enters, tables normal",
        parameters: &[
            &[Parameter::new("scale", NOT_NEGATIVE, "1.0", "what all of them are multiplied by")],
            PARTS,
        ],
    },
    Variant {
        name: "normal",
        about: "transformer: all matrices and tables normal, biases zero",
        parameters: &[
            &[Parameter::new("scale", NOT_NEGATIVE, "0.02", "their standard deviation")],
            PARTS,
        ],
    },
    Variant {
        about: "transformer: the parameters in a safetensors file, such as a snapshot of another run",
        ..CHECKPOINT
    },
    Variant {
        name: "offshoot",
        about: "regression: all heads on the first position, the last about to leave it (Eq. 9, Remark 2)",
        parameters: &[&[Parameter::new(
            "epsilon",
            Kind::Number(Bounds::POSITIVE.and_below(1.0)),
            "0.05",
            "what the last head has of the second feature, and of its position",
        )]],
    },
    Variant {
        name: "given",
        about: "as listed",
        parameters: &[&[
            Parameter::optional(
                "v",
                Kind::Tensor { depth: 2 },
                "[[0.0, 0.0, 0.0]]",
                "regression: values, a row per head, a column per feature (or entry of the matrix); zero where not given",
            ),
            Parameter::optional(
                "s",
                Kind::Tensor { depth: 2 },
                "[[0.2, 0.2, 0.2, 0.2, 0.2]]",
                "regression: attention, a row per head, a column per position; even where not given",
            ),
            Parameter::optional(
                "values",
                Kind::Tensor { depth: 3 },
                "[[[0.0, 0.0], [0.0, 0.0]]]",
                "minimal model: V of each head, d x d; zero where not given",
            ),
            Parameter::optional(
                "scores",
                Kind::Tensor { depth: 3 },
                "[[[0.0, 0.0], [0.0, 0.0]]]",
                "minimal model: A of each head, (d + n) x (d + n) with n = w + T - 1; zero where not given",
            ),
        ]],
    },
];

/// What the system declares about itself.
pub(super) static SCHEMA: SystemSchema = SystemSchema {
    name: "sparse-markov",
    title: "Incremental Learning of Sparse Attention Patterns in Transformers",
    about: "Heads compete for the most important past tokens, then share the rest, one by one.",
    dynamics: "flow",
    system: Section::plain("system", "The task, the model and the loss.", &SYSTEM),
    start: Section::by_kind(
        "start",
        "Where the parameters start.",
        Variants { default: Some("uniform"), list: STARTS },
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
