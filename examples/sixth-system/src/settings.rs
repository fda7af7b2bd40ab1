//! What can be set, declared once for files, help and checks.

use saddlescope_spec::settings::{
    Bounds, Kind, Parameter, Section, SystemSchema, Variant, Variants,
};

const POSITIVE: Kind = Kind::Number(Bounds::POSITIVE);

const SYSTEM: &[Parameter] = &[
    Parameter::new(
        "singular_values",
        Kind::Numbers { each: Bounds::POSITIVE, min_len: 1 },
        "[4.0, 3.0, 2.0, 1.0]",
        "singular values of the map to be learned, one per dimension",
    ),
    Parameter::new("hidden", Kind::Integer { min: 1, max: 4096 }, "4", "hidden units: H"),
    Parameter::new("tau", POSITIVE, "1.0", "time constant of the flow").unit("time"),
];

const ALIGNED: &[Parameter] =
    &[Parameter::new("strength", POSITIVE, "1e-4", "a of every mode, at balanced weights")];

const RANDOM: &[Parameter] = &[Parameter::new(
    "scale",
    Kind::Number(Bounds::NOT_NEGATIVE),
    "1e-3",
    "standard deviation of the weights",
)];

const STARTS: &[Variant] = &[
    Variant {
        name: "aligned",
        about: "a hidden unit per singular value, with equal weights in and out: modes stay apart",
        parameters: &[ALIGNED],
    },
    Variant { name: "random", about: "small Gaussian weights", parameters: &[RANDOM] },
];

/// What the two-layer linear network declares about itself.
pub static SCHEMA: SystemSchema = SystemSchema {
    name: "linear-network",
    title: "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks",
    about: "A two-layer linear network learns a map, one singular value after the other.",
    dynamics: "flow",
    system: Section::plain("system", "The map and the network.", SYSTEM),
    start: Section::by_kind(
        "start",
        "Where the weights start.",
        Variants { default: Some("aligned"), list: STARTS },
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
