//! What a figure asked for that the runs do not have.

use crate::nearest::{families, nearest};
use crate::plan::NoColumn;

/// What a figure asked for that the runs do not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// A saddle graph of a run that has none.
    #[error(
        "the figure draws a saddle graph, but this run has none: theory knows no saddles of this \
         world, or the graph was not finished"
    )]
    NoGraph,
    /// A sketch of tokens of a world that has none.
    #[error("the figure draws the task as tokens, but this world has no sketch of it")]
    NoSketch,
    /// A column of words where places are needed.
    #[error(
        "a panel places runs by `{column}`, but that column holds words; x, y and corners need numbers"
    )]
    NoNumbers {
        /// The column.
        column: String,
    },
    /// A column that was not recorded.
    #[error(
        "the figure draws `{pattern}`, which is not recorded{}; recorded are {} (record.observables \
         decides)",
        hint(pattern, known),
        families(known).join(", ")
    )]
    Column {
        /// What was asked for.
        pattern: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A single number where a vector is needed.
    #[error(
        "the figure draws `{pattern}` over its entries, but that is a single number{}; recorded with several \
         entries: {}",
        hint(pattern, known),
        if known.is_empty() { "nothing".to_owned() } else { families(known).join(", ") }
    )]
    NoVector {
        /// What was asked for.
        pattern: String,
        /// The vectors that there are.
        known: Vec<String>,
    },
    /// A row that a matrix does not have.
    #[error("the figure has row = {row}, but `{column}` has {rows} row(s), counted from 0")]
    Row {
        /// The matrix.
        column: String,
        /// The row that was asked for.
        row: usize,
        /// The rows that there are.
        rows: usize,
    },
    /// Entries that a vector does not have.
    #[error(
        "the figure has entries = [{first}, {behind}], but `{column}` has {count} to choose from, so that the \
         second number is at most {count}"
    )]
    Entries {
        /// The vector.
        column: String,
        /// The first one that was asked for.
        first: usize,
        /// The one behind the last.
        behind: usize,
        /// How many there are.
        count: usize,
    },
    /// Places for other entries than there are.
    #[error("the figure's x has {found} places, but {entries} entries of `{column}` are drawn")]
    Places {
        /// The vector.
        column: String,
        /// Places that were given.
        found: usize,
        /// Entries that are shown.
        entries: usize,
    },
    /// A column that the table of runs does not have.
    #[error(
        "the figure asks for `{pattern}` of the table of runs{}; its columns are {}",
        hint(pattern, known),
        families(known).join(", ")
    )]
    TableColumn {
        /// What was asked for.
        pattern: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A prediction that the system does not make here.
    #[error(
        "the figure asks for the prediction `{name}`{}; theory predicts here: {}",
        hint(name, known),
        if known.is_empty() { "nothing".to_owned() } else { known.join(", ") }
    )]
    Prediction {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A choice of runs by something that runs do not differ in.
    #[error("the figure chooses runs by `{key}`{}; runs differ in {}", hint(key, known), known.join(", "))]
    Key {
        /// What was asked for.
        key: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A choice that is no equation.
    #[error(
        "`only` has `{text}`, but each entry must be a name, `=` and a value, such as \"arm = flow\""
    )]
    Choice {
        /// What was written.
        text: String,
    },
    /// A choice that no run fits.
    #[error("no run has `{text}`; values of `{key}` are {}", known.join(", "))]
    Empty {
        /// What was asked for.
        text: String,
        /// The name in it.
        key: String,
        /// The values that there are.
        known: Vec<String>,
    },
    /// A panel that shows a law that is not fitted.
    #[error(
        "a panel of points has fit = true, but nothing is fitted to `{y}` against `{x}`: add [[fit]] with \
         x = \"{x}\", y = [\"{y}\"]"
    )]
    NoFit {
        /// What runs along its x axis.
        x: String,
        /// What it draws.
        y: String,
    },
    /// A panel of trajectories, where there is a table alone.
    #[error(
        "a panel of kind = \"{kind}\" needs the trajectories of runs, but a sweep keeps its table alone; from a \
         table there are phase, points, bars, map and table"
    )]
    NoTrajectories {
        /// The kind of the panel.
        kind: &'static str,
    },
    /// Theory of single runs, where there is a table alone.
    #[error(
        "a panel asks for the prediction `{name}`, which theory makes for single runs, but a sweep keeps its table \
         alone; [[fit]] compares its columns with theory's exponents"
    )]
    NoTheory {
        /// What was asked for.
        name: String,
    },
    /// Words that cannot be reduced like numbers.
    #[error(
        "a phase diagram has reduce = \"{reduce}\" of `{column}`, but that column holds words; these have \
         \"median\", which is the most frequent one, and \"share\""
    )]
    NoReduction {
        /// The column.
        column: String,
        /// What was asked for.
        reduce: &'static str,
    },
    /// More facets than anybody can look at.
    #[error(
        "a panel has facet = \"{key}\", which has {count} values, but a figure has room for 64 panels; `only` chooses \
         some"
    )]
    TooManyFacets {
        /// What panels are to be split by.
        key: String,
        /// Its values.
        count: usize,
    },
    /// No runs at all.
    #[error("there are no finished runs to draw")]
    NoRuns,
}

impl From<NoColumn> for ComposeError {
    fn from(NoColumn { pattern, known }: NoColumn) -> Self {
        Self::TableColumn { pattern, known }
    }
}

fn hint(wanted: &str, known: &[String]) -> String {
    nearest(wanted, known).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}
