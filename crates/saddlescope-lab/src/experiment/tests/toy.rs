//! A made-up system with settings of every sort.

use std::sync::LazyLock;

use saddlescope_spec::problem::Problem;
use saddlescope_spec::settings::{
    Bounds, Kind, Parameter, Section, Settings, SettingsError, SystemSchema, Variant, Variants,
    When,
};
use saddlescope_spec::shipped::Shipped;
use saddlescope_spec::system::{Addition, System};

use crate::error::Error;
use crate::experiment::Experiment;
use crate::registry::Registry;

const AXES: Kind = Kind::Either(&[
    Kind::Choice(&[("identity", "along the axes"), ("random", "turned at random")]),
    Kind::Tensor { depth: 2 },
]);

const NOISE: Kind = Kind::Choice(&[("none", "no noise"), ("normal", "independent normal numbers")]);

/// The system of the tests.
pub(crate) static TOY: SystemSchema = SystemSchema {
    name: "toy-attention",
    title: "How a Toy Learns to Attend",
    about: "A few heads that learn one direction after the other.",
    dynamics: "flow",
    system: Section::plain(
        "system",
        "How large the toy is, and what it sees.",
        &[
            Parameter::new("dimension", Kind::at_least(1), "4", "length of a token"),
            Parameter::new("heads", Kind::Integer { min: 1, max: 64 }, "2", "how many heads"),
            Parameter::new("eigenvectors", AXES, "\"identity\"", "main directions of the data"),
            Parameter::new("noise", NOISE, "\"none\"", "noise on the labels"),
            Parameter::new(
                "noise_size",
                Kind::Number(Bounds::NOT_NEGATIVE),
                "0.1",
                "its deviation",
            )
            .when(When::Is("noise", &["normal"])),
        ],
    ),
    start: Section::by_kind(
        "start",
        "Where the run starts.",
        Variants {
            default: Some("random"),
            list: &[
                Variant {
                    name: "random",
                    about: "small independent normal numbers",
                    parameters: &[&[Parameter::new(
                        "scale",
                        Kind::Number(Bounds::POSITIVE),
                        "1e-3",
                        "their deviation",
                    )]],
                },
                Variant {
                    name: "given",
                    about: "numbers from the file",
                    parameters: &[&[
                        Parameter::required(
                            "value",
                            Kind::Numbers { each: Bounds::ANY, min_len: 1 },
                            "[0.1, 0.2]",
                            "one number per head",
                        ),
                        Parameter::optional(
                            "key",
                            Kind::Tensor { depth: 3 },
                            "[[[0.1, 0.0]], [[0.0, 0.1]]]",
                            "keys: heads x rank x dimension",
                        ),
                    ]],
                },
            ],
        },
        &[],
    ),
};

/// Another one, so that there is a choice.
pub(crate) static OTHER: SystemSchema = SystemSchema {
    name: "recall",
    title: "Another Toy",
    about: "A system without settings.",
    dynamics: "flow",
    system: Section::plain("system", "Nothing to set.", &[]),
    start: Section::plain("start", "Nothing to set.", &[]),
};

/// An experiment that ships with the toy, for others to extend.
static LADDER: [Shipped; 1] = [Shipped {
    name: "toy-attention/ladder",
    text: r#"
name = "ladder"
about = "A ladder of three rungs."
seed = 5
seeds = 2
headline = true
claims = ["toy/eq-5"]
[system]
name = "toy-attention"
heads = 3
noise = "normal"
noise_size = 0.5
[dynamics]
kind = "flow"
until = 100.0
[vary]
system.dimension = [4, 8]
[[arm]]
name = "small"
start.scale = 1e-3
[[arm]]
name = "large"
start.scale = 1e-2
[paper]
seeds = 6
dynamics.until = 1e5
vary.system.dimension = [4, 8, 16]
[figure]
columns = 2
[[figure.panel]]
y = ["loss"]
[[figure.panel]]
y = ["gradient.norm"]
"#,
}];

struct Declared(&'static SystemSchema);

impl System for Declared {
    fn schema(&self) -> &'static SystemSchema {
        self.0
    }

    fn problem(&self, _: &Settings, _: &Settings, _: u64) -> Result<Problem, SettingsError> {
        panic!("{} is only declared", self.name())
    }

    fn experiments(&self) -> &'static [Shipped] {
        if self.name() == TOY.name { &LADDER } else { &[] }
    }
}

/// Systems that are only declared.
pub(crate) fn declared(schemas: &[&'static SystemSchema]) -> Registry {
    let system = |&schema| -> &'static dyn System { Box::leak(Box::new(Declared(schema))) };
    let systems = Vec::leak(schemas.iter().map(system).collect());
    Registry::new(&[Addition { systems, papers: &[] }]).unwrap()
}

/// Both.
pub(crate) static TOYS: LazyLock<Registry> = LazyLock::new(|| declared(&[&TOY, &OTHER]));

pub(crate) fn read(text: &str, overrides: &[&str]) -> Result<Experiment, Error> {
    Experiment::from_text("toy.toml", text, overrides, &TOYS)
}

/// What is printed for a file that must be wrong.
pub(crate) fn complaint(text: &str, overrides: &[&str]) -> String {
    read(text, overrides).unwrap_err().to_string()
}
