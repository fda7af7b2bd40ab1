//! What laws are fitted to the table of runs.

use super::{Bounds, Kind, Parameter, Section};

const LAW: Kind = Kind::Choice(&[
    ("power", "y = C x^a, a line on logarithmic axes"),
    ("offset", "y = y0 + C x^a; needs four values of x"),
    ("log", "y = C + b ln x"),
    ("auto", "power or log: the one that is closer at values of x that were left out"),
]);

/// The settings in each `[[fit]]`.
pub const FIT: Section = Section::plain(
    "fit",
    "A law that is fitted to the table of runs, with intervals over seeds.",
    &[
        Parameter::required(
            "x",
            Kind::Text,
            "\"start.scale\"",
            "what y hangs on: a varied setting, or a number that the world says of its runs",
        ),
        Parameter::required(
            "y",
            Kind::Texts,
            "[\"crossing.1\"]",
            "columns of the table of runs, a fit for each; * stands for one part of a name",
        ),
        Parameter::new("law", LAW, "\"power\"", "the form of the law"),
        Parameter::new(
            "only",
            Kind::Texts,
            "[]",
            "which runs take part, such as \"arm = flow\" or \"system.rank = 2\"",
        ),
        Parameter::optional(
            "group",
            Kind::Texts,
            "[\"arm\"]",
            "what runs are kept apart by: a fit for each value; all but x and seed without it",
        ),
        Parameter::optional(
            "x_range",
            Kind::Numbers { each: Bounds::ANY, min_len: 2 },
            "[0.001, 0.1]",
            "which values of x take part; all without it",
        ),
        Parameter::new(
            "resamples",
            Kind::Integer { min: 100, max: 1_000_000 },
            "2000",
            "how often seeds are drawn for the intervals",
        ),
        Parameter::new(
            "tolerance",
            Kind::Number(Bounds::NOT_NEGATIVE),
            "0.03",
            "difference from theory's exponent that is let pass; of a log law, as a part of its slope",
        ),
        Parameter::new(
            "bend",
            Kind::Number(Bounds::NOT_NEGATIVE),
            "0.1",
            "change of the exponent over the range of x up to which it counts as a power law",
        ),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        assert_eq!(FIT.audit(), Vec::<String>::new());
    }
}
