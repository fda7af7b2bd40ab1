//! What can be set in n-gram to induction head, declared once for files, help and checks.

use saddlescope::settings::{
    Bounds, Kind, Parameter, Section, SystemSchema, Variant, Variants, When,
};

const POSITIVE: Kind = Kind::Number(Bounds::POSITIVE);
const NOT_NEGATIVE: Kind = Kind::Number(Bounds::NOT_NEGATIVE);
const ANY: Kind = Kind::Number(Bounds::ANY);

const TOKENS: Kind =
    Kind::Choice(&[("gaussian", "N(0, 1) in each coordinate"), ("boolean", "+1 or -1 (Fig. 3)")]);

const ATTENTION: Kind = Kind::Choice(&[
    ("exponential", "exp/(L - 2), the simplification of appendix C.3.2"),
    ("softmax", "the softmax of Eqs. (1) and (6)"),
]);

const FIRST: Kind = Kind::Choice(&[
    ("previous", "y_s = x_{s-1}, as after an endless Stage I"),
    ("trained", "Eq. (5) with the parameter p_tilde"),
]);

const COUPLING: Kind = Kind::Choice(&[
    ("untied", "w_q and w_k each move by their own gradient, Eq. (4)"),
    ("tied", "one w, as appendix C.3.2 prints its flow: twice as fast"),
]);

const PARTS: Kind = Kind::Choice(&[
    ("both", "the mixed target, Eq. (2)"),
    ("4-gram", "head 1 and its half of the target alone"),
    ("induction", "head 2 and its half of the target alone"),
]);

const REDUCTION: Kind = Kind::Choice(&[
    ("sum", "the squared norm of the error, as in Eq. (3)"),
    ("mean", "the mean over coordinates"),
]);

const MODEL: Kind = Kind::Choice(&[
    ("parameters", "the reparametrised transformer of appendix C.1"),
    ("matrices", "the two-layer transformer of section 3.1.2 that it sits in"),
]);

const LOSS: Kind = Kind::Choice(&[
    ("population", "the exact expectation over all sequences"),
    ("empirical", "the mean over a finite data set"),
    ("online", "fresh sequences at each step"),
]);

const SYSTEM: &[Parameter] = &[
    Parameter::new("length", Kind::Integer { min: 4, max: 10_000_000 }, "40", "tokens: L"),
    Parameter::new(
        "alpha_star",
        POSITIVE,
        "1.0",
        "weight of the 4-gram to that of the induction head",
    ),
    Parameter::new(
        "w_star",
        POSITIVE,
        "0.49",
        "the target compares tokens by w_star^2 x y; Gaussian tokens with exponential attention need w_star < 0.7071",
    ),
    Parameter::new(
        "dimension",
        Kind::Integer { min: 1, max: 10_000 },
        "1",
        "coordinates of a token: D",
    ),
    Parameter::new("tokens", TOKENS, "\"gaussian\"", "what tokens are drawn from"),
    Parameter::new(
        "attention",
        ATTENTION,
        "\"exponential\"",
        "weights of the induction head and of its target",
    ),
    Parameter::new("first", FIRST, "\"previous\"", "the first layer"),
    Parameter::new("coupling", COUPLING, "\"untied\"", "query and key of the induction head"),
    Parameter::new("parts", PARTS, "\"both\"", "which halves of target and model take part"),
    Parameter::new("reduction", REDUCTION, "\"sum\"", "how coordinates of an error are added up"),
    Parameter::new("model", MODEL, "\"parameters\"", "how the transformer is parametrised"),
    Parameter::new("loss", LOSS, "\"population\"", "what the loss averages over"),
    Parameter::new(
        "sequences",
        Kind::Integer { min: 1, max: 1_000_000_000 },
        "20000",
        "sequences in the data set",
    )
    .when(When::Is("loss", &["empirical"])),
    Parameter::new(
        "batch",
        Kind::Integer { min: 1, max: 10_000_000 },
        "1000",
        "sequences per step",
    )
    .when(When::Is("loss", &["online"])),
];

const NOISE: Parameter = Parameter::new(
    "noise",
    NOT_NEGATIVE,
    "0.0",
    "size of the normal numbers added to every matrix, where model = \"matrices\"",
);

const SCALE: Parameter = Parameter::new("scale", POSITIVE, "0.01", "size of the start: sigma_init");

const ENTRIES: Kind = Kind::Either(&[ANY, Kind::Numbers { each: Bounds::ANY, min_len: 1 }]);

const GIVEN: &[Parameter] = &[
    Parameter::new("p_tilde", ANY, "0.01", "slope of the first layer, where it is trained"),
    Parameter::new("p", ANY, "0.01", "slope of head 1"),
    Parameter::new("g", ANY, "0.01", "value of head 1"),
    Parameter::new("w_q", ENTRIES, "0.01", "query of head 2; a list in several dimensions"),
    Parameter::new("w_k", ENTRIES, "0.01", "key of head 2; a list in several dimensions"),
    Parameter::new("h", ANY, "0.01", "value of head 2"),
    NOISE,
];

const STARTS: &[Variant] = &[
    Variant {
        name: "equal",
        about: "every parameter scale, Eq. (4); in several dimensions query and key have that norm, all entries alike",
        parameters: &[&[SCALE, NOISE]],
    },
    Variant {
        name: "stage-one",
        about: "as appendix C.2: p, w_q, w_k zero, the others alike",
        parameters: &[&[SCALE, NOISE]],
    },
    Variant {
        name: "random",
        about: "as equal, but query and key in random directions, keyed by the seed",
        parameters: &[&[SCALE, NOISE]],
    },
    Variant { name: "given", about: "parameters as listed", parameters: &[GIVEN] },
];

/// What n-gram to induction head declares about itself.
pub(super) static SCHEMA: SystemSchema = SystemSchema {
    name: "ngram-to-induction",
    title: "How Transformers Get Rich: Training Dynamics Analysis",
    about: "A two-layer transformer learns a 4-gram at once and an induction head after a plateau.",
    dynamics: "flow",
    system: Section::plain("system", "The task, the model and the loss.", SYSTEM),
    start: Section::by_kind(
        "start",
        "Where the parameters start.",
        Variants { default: Some("equal"), list: STARTS },
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
