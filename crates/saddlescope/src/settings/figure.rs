//! How runs are drawn: a figure of panels.

mod phase;
mod vector;

use super::{Bounds, Kind, Parameter, Section, Variant, Variants, When};

const WIDTH: Kind = Kind::Choice(&[
    ("column", "one column of a paper: 86 mm"),
    ("page", "the whole width of a paper's text: 178 mm"),
    ("slide", "a projector: 254 mm, with larger signs"),
]);

const SCALE: Kind = Kind::Choice(&[
    ("linear", "equal steps"),
    ("log", "equal ratios; what is not above 0 is left out"),
]);

const RANGE: Kind = Kind::Numbers { each: Bounds::ANY, min_len: 2 };

const COLOUR: Kind = Kind::Choice(&[
    ("auto", "by arm or varied value where there are several, otherwise by column"),
    ("column", "by what is drawn"),
    ("arm", "by arm"),
    ("seed", "by seed"),
    ("varied", "by the varied value, as a ramp"),
]);

const SEEDS: Kind = Kind::Choice(&[
    ("each", "a line for every seed"),
    ("band", "the median, and a band that holds all seeds"),
    ("mean", "the mean, and a band of one standard deviation to either side"),
    ("first", "only the first seed"),
]);

const AT: Kind = Kind::Either(&[
    Kind::Choice(&[
        ("plateaus", "in the middle, on log time, of each plateau that the theory predicts"),
        ("ends", "at the start and at the end"),
        ("end", "at the end"),
    ]),
    Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 1 },
]);

const AT_STEPS: Parameter = Parameter::optional(
    "at_steps",
    Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 1 },
    "[0, 500, 1500]",
    "the same in steps of training, in place of at",
)
.unit("steps");

const THEORY: Parameter = Parameter::new(
    "theory",
    Kind::Texts,
    "[]",
    "predictions that are drawn beside what was measured, by name, such as \"levels\"",
);

const LABELS: &[Parameter] = &[
    Parameter::optional("x_label", Kind::Text, "\"time $t$\"", "words below the x axis"),
    Parameter::optional("y_label", Kind::Text, "\"loss\"", "words beside the y axis"),
    Parameter::optional(
        "x_range",
        RANGE,
        "[1.0, 1e4]",
        "ends of the x axis; the data's without it",
    ),
    Parameter::optional(
        "y_range",
        RANGE,
        "[0.0, 1.0]",
        "ends of the y axis; the data's without it",
    ),
];

const LINES: &[Parameter] = &[
    Parameter::new(
        "x",
        Kind::Text,
        "\"time\"",
        "what runs along the x axis: time, step or a column",
    ),
    Parameter::new(
        "y",
        Kind::Texts,
        "[\"loss\"]",
        "columns that are drawn; * stands for one part of a name",
    ),
    Parameter::new("x_scale", SCALE, "\"log\"", "how the x axis is divided"),
    Parameter::new("y_scale", SCALE, "\"linear\"", "how the y axis is divided"),
    Parameter::new("colour", COLOUR, "\"auto\"", "what colours tell apart"),
    Parameter::new("seeds", SEEDS, "\"each\"", "how several seeds are shown"),
    Parameter::new(
        "crossings",
        Kind::Switch,
        "false",
        "whether vertical lines mark the measured crossings of the loss levels, of the first run",
    ),
    THEORY,
];

const POINTS: &[Parameter] = &[
    Parameter::required("x", Kind::Text, "\"start.scale\"", "a column of the table of runs"),
    Parameter::required("y", Kind::Texts, "[\"crossing.*\"]", "columns of the table of runs"),
    Parameter::new("x_scale", SCALE, "\"log\"", "how the x axis is divided"),
    Parameter::new("y_scale", SCALE, "\"log\"", "how the y axis is divided"),
    Parameter::new("colour", COLOUR, "\"auto\"", "what colours tell apart"),
    Parameter::new("seeds", SEEDS, "\"each\"", "how several seeds are shown"),
    Parameter::new(
        "fit",
        Kind::Switch,
        "false",
        "whether the laws of [[fit]] for these columns are drawn: a line with its band, and theory's slope",
    ),
    THEORY,
];

const BARS: &[Parameter] = &[
    Parameter::required(
        "y",
        Kind::Texts,
        "[\"duration.*\"]",
        "columns of the table of runs, a group of bars each",
    ),
    Parameter::new("y_scale", SCALE, "\"linear\"", "how the y axis is divided"),
    THEORY,
];

const HEATMAP: &[Parameter] = &[
    Parameter::required(
        "matrix",
        Kind::Texts,
        "[\"head.*.key\"]",
        "columns whose rows are stacked to a matrix",
    ),
    Parameter::new("at", AT, "\"plateaus\"", "when the matrix is shown").unit("time"),
    AT_STEPS,
    Parameter::new(
        "column_labels",
        Kind::Texts,
        "[]",
        "words below the columns of the matrix, from the left",
    ),
    THEORY,
];

const TABLE: &[Parameter] = &[Parameter::required(
    "columns",
    Kind::Texts,
    "[\"seed\", \"end.loss\"]",
    "columns of the table of runs",
)];

const MAP: &[Parameter] = &[
    Parameter::optional(
        "x",
        Kind::Text,
        "\"start.scale\"",
        "the column of the table of runs along the x axis",
    ),
    Parameter::optional(
        "y",
        Kind::Text,
        "\"end.time\"",
        "the column of the table of runs along the y axis",
    ),
    Parameter::new(
        "corners",
        Kind::Texts,
        "[]",
        "in place of x and y, three columns of numbers >= 0 that put runs into a triangle by their shares: \
         the corners at the left, at the right and at the top",
    ),
    Parameter::new(
        "corner_labels",
        Kind::Texts,
        "[]",
        "words at the three corners; the columns' own without it",
    ),
    Parameter::required(
        "colour",
        Kind::Text,
        "\"crossing.1\"",
        "the column of the table of runs that colours show: words, up to 8 whole numbers, or numbers on a ramp",
    ),
    Parameter::new("colour_scale", SCALE, "\"linear\"", "how the ramp of numbers is divided"),
    Parameter::optional(
        "colour_label",
        Kind::Text,
        "\"order\"",
        "words for what colours show; the column's own without it",
    ),
    Parameter::new("x_scale", SCALE, "\"linear\"", "how the x axis is divided"),
    Parameter::new("y_scale", SCALE, "\"linear\"", "how the y axis is divided"),
];

const GRAPH: &[Parameter] = &[
    Parameter::new(
        "starts",
        Kind::Integer { min: 0, max: 1_000_000 },
        "1000",
        "random starts whose paths are drawn, with the seeds from that of the run on",
    ),
    Parameter::new(
        "near",
        Kind::Number(Bounds::POSITIVE),
        "0.2",
        "how near to a saddle a start must come to have visited it; neighbours are 1 apart",
    ),
];

const KINDS: &[Variant] = &[
    Variant { name: "lines", about: "columns of the runs, as lines", parameters: &[LINES, LABELS] },
    Variant { name: "points", about: "a point per run", parameters: &[POINTS, LABELS] },
    Variant {
        name: "bars",
        about: "bars, a group per column of the table of runs",
        parameters: &[BARS, LABELS],
    },
    Variant {
        name: "heatmap",
        about: "a matrix of the first run at several times, as colours",
        parameters: &[HEATMAP],
    },
    Variant {
        name: "profile",
        about: "columns with several entries over these, at one or more instants",
        parameters: &[vector::PROFILE, LABELS],
    },
    Variant {
        name: "evolution",
        about: "a column with several entries of the first run over time, as an image",
        parameters: &[vector::EVOLUTION, vector::EVOLUTION_LABELS],
    },
    Variant {
        name: "graph",
        about: "the saddles that theory knows, the ways between them, and the paths of many starts",
        parameters: &[GRAPH],
    },
    Variant {
        name: "map",
        about: "a mark per run where columns of the table put it, in the colour of another column",
        parameters: &[MAP, LABELS],
    },
    Variant {
        name: "phase",
        about: "a column of the table over two others, as coloured cells: a phase diagram",
        parameters: &[phase::PHASE, LABELS],
    },
    Variant {
        name: "tokens",
        about: "the task of the world as rows of tokens, where the system has a sketch of it",
        parameters: &[],
    },
    Variant { name: "table", about: "rows of the table of runs", parameters: &[TABLE] },
];

const SHARED: &[Parameter] = &[
    Parameter::optional(
        "title",
        Kind::Text,
        "\"(a) the loss falls in steps\"",
        "words above the panel",
    ),
    Parameter::new(
        "only",
        Kind::Texts,
        "[]",
        "which runs are drawn, such as \"arm = flow\" or \"system.rank = 2 | 4\", which means either",
    ),
    Parameter::optional(
        "facet",
        Kind::Text,
        "\"system.rank\"",
        "a panel for each value of this: arm, seed or a varied setting",
    ),
    Parameter::new(
        "span",
        Kind::Integer { min: 1, max: 8 },
        "1",
        "how many places of the grid the panel takes in its row",
    ),
];

/// The settings in `[figure]`.
pub const FIGURE: Section = Section::plain(
    "figure",
    "How the runs are drawn; each [[figure.panel]] is one panel. Without it, the system's own figure.",
    &[
        Parameter::optional("title", Kind::Text, "\"Four jumps\"", "words above the panels"),
        Parameter::new("columns", Kind::Integer { min: 1, max: 8 }, "2", "panels side by side"),
        Parameter::new("width", WIDTH, "\"page\"", "how wide the figure is"),
        Parameter::new(
            "aspect",
            Kind::Number(Bounds::POSITIVE),
            "0.75",
            "height of a panel, relative to its width",
        ),
        Parameter::new("legend", LEGEND, "\"panels\"", "where colours and dashes are explained"),
        Parameter::optional(
            "legend_title",
            Kind::Text,
            "\"rank $R$\"",
            "what the legend tells apart",
        )
        .when(When::Is("legend", &["panels", "shared"])),
    ],
);

const LEGEND: Kind = Kind::Choice(&[
    ("panels", "inside each panel that needs it"),
    ("shared", "once for all panels, above them"),
    ("none", "nowhere"),
]);

/// The settings in each `[[figure.panel]]`.
pub const PANEL: Section = Section::by_kind(
    "figure.panel",
    "One panel of the figure.",
    Variants { default: Some("lines"), list: KINDS },
    SHARED,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declarations_are_sound() {
        assert_eq!(FIGURE.audit(), Vec::<String>::new());
        assert_eq!(PANEL.audit(), Vec::<String>::new());
    }
}
