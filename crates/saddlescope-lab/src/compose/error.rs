//! What a figure asked for that the runs do not have.

use crate::nearest::{families, nearest};
use crate::plan::NoColumn;

/// What a figure asked for that the runs do not have; `known` is what there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    #[error("there are no finished runs to draw")]
    NoRuns,
    #[error(
        "the figure draws a saddle graph, but this run has none: theory knows no saddles of this \
         system, or the graph was not finished"
    )]
    NoGraph,
    #[error("the figure draws the task as tokens, but this system has no sketch of it")]
    NoSketch,
    #[error(
        "a panel places runs by `{column}`, but that column holds words; x, y and corners need numbers"
    )]
    NoNumbers { column: String },
    #[error(
        "the figure draws `{pattern}`, which is not recorded{}; recorded are {} (record.observables \
         decides)",
        hint(pattern, known),
        families(known).join(", ")
    )]
    Column { pattern: String, known: Vec<String> },
    #[error(
        "the figure draws `{pattern}` over its entries, but that is a single number{}; recorded with several \
         entries: {}",
        hint(pattern, known),
        or_nothing(&families(known))
    )]
    NoVector { pattern: String, known: Vec<String> },
    #[error("the figure has row = {row}, but `{column}` has {rows} row(s), counted from 0")]
    Row { column: String, row: usize, rows: usize },
    #[error(
        "the figure has entries = [{first}, {behind}], but `{column}` has {count} to choose from, so that the \
         second number is at most {count}"
    )]
    Entries { column: String, first: usize, behind: usize, count: usize },
    #[error("the figure's x has {found} places, but {entries} entries of `{column}` are drawn")]
    Places { column: String, found: usize, entries: usize },
    #[error(
        "the figure asks for `{}` of the table of runs{}; its columns are {}",
        .0.pattern,
        hint(&.0.pattern, &.0.known),
        families(&.0.known).join(", ")
    )]
    TableColumn(#[from] NoColumn),
    #[error(
        "the figure asks for the prediction `{name}`{}; theory predicts here: {}",
        hint(name, known),
        or_nothing(known)
    )]
    Prediction { name: String, known: Vec<String> },
    #[error("the figure chooses runs by `{key}`{}; runs differ in {}", hint(key, known), known.join(", "))]
    Key { key: String, known: Vec<String> },
    #[error(
        "`only` has `{text}`, but each entry must be a name, `=` and a value, such as \"arm = flow\""
    )]
    Choice { text: String },
    #[error("no run has `{text}`; values of `{key}` are {}", known.join(", "))]
    Empty { text: String, key: String, known: Vec<String> },
    #[error(
        "a panel of points has fit = true, but nothing is fitted to `{y}` against `{x}`: add [[fit]] with \
         x = \"{x}\", y = [\"{y}\"]"
    )]
    NoFit { x: String, y: String },
    #[error(
        "a panel of kind = \"{kind}\" needs the trajectories of runs, but a sweep keeps its table alone; from a \
         table there are phase, points, bars, map and table"
    )]
    NoTrajectories { kind: &'static str },
    #[error(
        "a panel asks for the prediction `{name}`, which theory makes for single runs, but a sweep keeps its table \
         alone; [[fit]] compares its columns with theory's exponents"
    )]
    NoTheory { name: String },
    #[error(
        "a phase diagram has reduce = \"{reduce}\" of `{column}`, but that column holds words; these have \
         \"median\", which is the most frequent one, and \"share\""
    )]
    NoReduction { column: String, reduce: &'static str },
    #[error(
        "a panel has facet = \"{key}\", which has {count} values, but a figure has room for 64 panels; `only` chooses \
         some"
    )]
    TooManyFacets { key: String, count: usize },
}

fn hint(name: &str, known: &[String]) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

fn or_nothing(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
