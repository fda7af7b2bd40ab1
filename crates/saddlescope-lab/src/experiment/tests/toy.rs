//! A made-up system with settings of every sort.

use std::sync::LazyLock;

use saddlescope_spec::settings::Tensor;
use saddlescope_spec::shipped::ShippedExperiment;
use saddlescope_spec::system::Addition;
use saddlescope_spec::{choices, kinds, settings};

use crate::prelude::*;

choices! {
    #[allow(dead_code, reason = "only declared")]
    enum Axes {
        Identity = "identity", "along the axes";
        Random = "random", "turned at random";
    } | Matrix(Tensor)
}

choices! {
    pub(crate) enum Noise {
        None = "none", "no noise";
        Normal = "normal", "independent normal numbers";
    }
}

settings! {
    #[allow(dead_code, reason = "only declared")]
    struct Model {
        dimension: usize [1..] = 4, "length of a token";
        heads: usize [1..=64] = 2, "how many heads";
        eigenvectors: Axes = "identity", "main directions of the data";
        noise: Noise = "none", "noise on the labels";
        noise_size: f64 [>= 0.0] = 0.1, "its deviation", when noise is "normal";
    }
}

settings! {
    #[allow(dead_code, reason = "only declared")]
    struct Random {
        scale: f64 [> 0.0] = 1e-3, "their deviation";
    }
}

settings! {
    #[allow(dead_code, reason = "only declared")]
    struct Listed {
        value: Vec<f64> [; 1..], required [0.1, 0.2], "one number per head";
        key: Option<Tensor> [depth 3], example [[[0.1, 0.0]], [[0.0, 0.1]]],
            "keys: heads x rank x dimension";
    }
}

kinds! {
    #[allow(dead_code, reason = "only declared")]
    enum Start {
        Random(Random) = "random", "small independent normal numbers";
        Given(Listed) = "given", "numbers from the file";
    }
}

pub(crate) static TOY: SystemSchema = SystemSchema {
    name: "toy-attention",
    title: "How a Toy Learns to Attend",
    about: "A few heads that learn one direction after the other.",
    dynamics: "flow",
    system: Section::plain("system", "How large the toy is, and what it sees.", Model::PARAMETERS),
    start: Section::by_kind("start", "Where the run starts.", "random", Start::KINDS, &[]),
    experiments: &[LADDER],
    ..SystemSchema::EMPTY
};

/// Another one, so that there is a choice.
pub(crate) static OTHER: SystemSchema = SystemSchema {
    name: "recall",
    title: "Another Toy",
    about: "A system without settings.",
    ..SystemSchema::EMPTY
};

/// An experiment that ships with the toy, for others to extend.
const LADDER: ShippedExperiment =
    ShippedExperiment { name: "toy-attention/ladder", text: include_str!("ladder.toml") };

struct Declared(&'static SystemSchema);

impl System for Declared {
    fn schema(&self) -> &'static SystemSchema {
        self.0
    }

    fn problem(&self, _: &Settings, _: &Settings, _: u64) -> Result<Problem, SettingsError> {
        panic!("{} is only declared", self.name())
    }
}

pub(crate) fn declared(schemas: &[&'static SystemSchema]) -> Registry {
    let system = |&schema| -> &'static dyn System { Box::leak(Box::new(Declared(schema))) };
    let systems = Vec::leak(schemas.iter().map(system).collect());
    Registry::new(&[Addition { systems, papers: &[] }]).unwrap()
}

pub(crate) static TOYS: LazyLock<Registry> = LazyLock::new(|| declared(&[&TOY, &OTHER]));

pub(crate) fn read(text: &str, overrides: &[&str]) -> Result<Experiment, Error> {
    Experiment::from_text("toy.toml", text, overrides, &TOYS)
}
