//! How the state moves: an exact flow, a reduced theory, or an optimiser's steps.

use super::{Bounds, Kind, Parameter, Section, Variant, Variants, When};

const POSITIVE: Kind = Kind::Number(Bounds::POSITIVE);
const FROM_ZERO_BELOW_ONE: Kind = Kind::Number(Bounds::NOT_NEGATIVE.and_below(1.0));

const METHOD: Kind = Kind::Choice(&[
    ("auto", "explicit, and implicit where the flow turns stiff"),
    ("dop853", "explicit Runge-Kutta of order 8: fast where nothing is stiff"),
    ("radau", "implicit Runge-Kutta of order 9: for stiff flows"),
    ("bdf", "implicit multistep of orders 1 to 5: for stiff flows at loose tolerances"),
]);

const UNTIL: Kind = Kind::Either(&[
    POSITIVE,
    Kind::Choice(&[("converged", "until the loss has come to its known minimum")]),
]);

const FLOW: &[Parameter] = &[
    Parameter::new("method", METHOD, "\"auto\"", "the solver"),
    Parameter::new(
        "rtol",
        Kind::Number(Bounds::POSITIVE.and_below(1.0)),
        "1e-10",
        "error allowed in each step, relative to the state",
    ),
    Parameter::new(
        "atol",
        POSITIVE,
        "1e-12",
        "error allowed in each step where the state is small",
    ),
    Parameter::new("until", UNTIL, "\"converged\"", "when the flow ends").unit("time"),
    Parameter::new("max_steps", Kind::at_least(1), "1000000", "solver steps before giving up"),
];

const THEORY: &[Parameter] = &[Parameter::optional(
    "theory",
    Kind::Text,
    "\"scalar-law\"",
    "the theory, by name; the system's first one when none is given",
)];

const SCHEDULE: Kind = Kind::Choice(&[
    ("constant", "the same rate in every step"),
    ("cosine", "half a cosine wave down to a fraction of the rate"),
    ("plateau", "cut whenever the loss stops falling"),
]);

const ON_COSINE: When = When::Is("schedule", &["cosine"]);
const ON_PLATEAU: When = When::Is("schedule", &["plateau"]);

const DESCENT: &[Parameter] = &[
    Parameter::required("rate", POSITIVE, "0.01", "learning rate"),
    Parameter::required("steps", Kind::at_least(1), "10000", "how many steps are taken"),
    Parameter::new("schedule", SCHEDULE, "\"constant\"", "how the rate changes over the run"),
    Parameter::new(
        "schedule_floor",
        Kind::Number(Bounds::NOT_NEGATIVE.and_at_most(1.0)),
        "0.0",
        "final rate, as a fraction of the first",
    )
    .when(ON_COSINE),
    Parameter::new(
        "schedule_factor",
        Kind::Number(Bounds::POSITIVE.and_below(1.0)),
        "0.1",
        "what the rate is multiplied by at each cut",
    )
    .when(ON_PLATEAU),
    Parameter::new(
        "schedule_patience",
        Kind::at_least(0),
        "10",
        "steps without progress before a cut",
    )
    .unit("steps")
    .when(ON_PLATEAU),
    Parameter::new(
        "schedule_threshold",
        FROM_ZERO_BELOW_ONE,
        "1e-4",
        "smallest fall of the loss, relative to it, that counts as progress",
    )
    .when(ON_PLATEAU),
    Parameter::new(
        "schedule_minimum",
        Kind::Number(Bounds::NOT_NEGATIVE),
        "0.0",
        "the rate is never cut below this",
    )
    .when(ON_PLATEAU),
    Parameter::optional("clip", POSITIVE, "1.0", "largest norm of the whole gradient"),
];

const MOMENTUM: &[Parameter] = &[
    Parameter::new("momentum", FROM_ZERO_BELOW_ONE, "0.9", "part of the last step that is kept"),
    Parameter::new(
        "dampening",
        FROM_ZERO_BELOW_ONE,
        "0.0",
        "part of the gradient that is left out of the momentum",
    ),
    Parameter::new("nesterov", Kind::Switch, "false", "whether to look ahead (Nesterov's form)"),
];

const ADAM: &[Parameter] = &[
    Parameter::new("beta1", FROM_ZERO_BELOW_ONE, "0.9", "memory of the mean gradient"),
    Parameter::new("beta2", FROM_ZERO_BELOW_ONE, "0.999", "memory of the mean squared gradient"),
    Parameter::new("epsilon", POSITIVE, "1e-8", "added to the root of the mean square"),
];

const WEIGHT_DECAY: &[Parameter] = &[Parameter::new(
    "weight_decay",
    Kind::Number(Bounds::NOT_NEGATIVE),
    "0.01",
    "pull towards zero, apart from the gradient",
)];

const SHARED: &[Parameter] = &[
    Parameter::new("freeze", Kind::Texts, "[]", "blocks that do not move, such as \"head.*.key\""),
    Parameter::new(
        "rates",
        Kind::NumberTable { each: Bounds::NOT_NEGATIVE },
        "{}",
        "factors on the rate of some blocks, such as { \"head.*.value\" = 0.5 }",
    ),
    Parameter::optional(
        "stop_below_loss",
        Kind::Number(Bounds::ANY),
        "1e-6",
        "stop as soon as the loss is below this",
    ),
    Parameter::optional(
        "stop_below_gradient",
        POSITIVE,
        "1e-9",
        "stop as soon as the norm of the gradient is below this",
    ),
    Parameter::optional(
        "stop_parameter",
        Kind::Text,
        "\"head.0.value\"",
        "stop as soon as this parameter, or entry such as head.0.key[0,1], crosses stop_value",
    ),
    Parameter::required("stop_value", Kind::Number(Bounds::ANY), "0.5", "the value to cross")
        .when(When::Given("stop_parameter")),
];

const KINDS: &[Variant] = &[
    Variant {
        name: "flow",
        about: "gradient flow, integrated with controlled error",
        parameters: &[FLOW],
    },
    Variant {
        name: "reduced",
        about: "a reduced theory of the system in its place, integrated like a flow",
        parameters: &[THEORY, FLOW],
    },
    Variant {
        name: "gd",
        about: "gradient descent on the whole loss, which draws no batches",
        parameters: &[DESCENT],
    },
    Variant {
        name: "sgd",
        about: "gradient descent on another batch in each step, of a loss that draws them",
        parameters: &[DESCENT],
    },
    Variant {
        name: "momentum",
        about: "gradient descent with momentum",
        parameters: &[DESCENT, MOMENTUM],
    },
    Variant {
        name: "adam",
        about: "Adam: steps scaled by the gradient's own size",
        parameters: &[DESCENT, ADAM],
    },
    Variant {
        name: "adamw",
        about: "Adam with weight decay apart from the gradient",
        parameters: &[DESCENT, ADAM, WEIGHT_DECAY],
    },
];

/// The settings in `[dynamics]`, or in each `[[dynamics]]` of several stages.
pub const DYNAMICS: Section = Section::by_kind(
    "dynamics",
    "How the parameters move; several [[dynamics]] run one after the other.",
    Variants { default: Some("flow"), list: KINDS },
    SHARED,
);
