//! What can be set, declared once for files, help and checks.

use saddlescope_cli::prelude::*;

settings! {
    /// The map and the network.
    pub struct Network {
        singular_values: Vec<f64> [> 0.0; 1..] = [4.0, 3.0, 2.0, 1.0],
            "singular values of the map to be learned, one per dimension";
        hidden: usize [1..=4096] = 4, "hidden units: H";
        tau: f64 [> 0.0] = 1.0, "time constant of the flow", unit "time";
    }
}

settings! {
    /// Weights that lie along the modes.
    pub struct Aligned {
        strength: f64 [> 0.0] = 1e-4, "a of every mode, at balanced weights";
    }
}

settings! {
    /// Random weights.
    pub struct Random {
        scale: f64 [>= 0.0] = 1e-3, "standard deviation of the weights";
    }
}

kinds! {
    /// Where the weights start.
    pub enum Start {
        Aligned(Aligned) = "aligned",
            "a hidden unit per singular value, with equal weights in and out: modes stay apart";
        Random(Random) = "random", "small Gaussian weights";
    }
}

/// What the two-layer linear network declares about itself.
const OBSERVABLES: &[Quantity] = &[Quantity::new(
    "learned.<d>",
    "entry d of the map's diagonal, as a part of its singular value",
)
.label("$a_{<d+1>}/s_{<d+1>}$")];

const OUTCOMES: &[Quantity] = &[
    Quantity::new("modes.learned", "modes that end above half of their singular value"),
    Quantity::new("order", "the modes in the order in which they came there"),
];

pub static SCHEMA: SystemSchema = SystemSchema {
    name: "linear-network",
    title: "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks",
    about: "A two-layer linear network learns a map, one singular value after the other.",
    system: Section::plain("system", "The map and the network.", Network::PARAMETERS),
    start: Section::by_kind("start", "Where the weights start.", "aligned", Start::KINDS, &[]),
    authors: &["Saxe, Andrew M.", "McClelland, James L.", "Ganguli, Surya"],
    experiments: shipped!["linear-network": "modes", "time-against-scale", "saddle-graph"],
    observables: &[OBSERVABLES],
    outcomes: OUTCOMES,
    cases: crate::problem::KINDS,
    ..SystemSchema::EMPTY
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
