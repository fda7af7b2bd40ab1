//! What can be recorded of linear attention, in words.

use saddlescope_spec::prelude::*;

const LINEAR: &str = "attention = \"linear\", \"merged\" or \"cubic\"";
const SEPARATE: &str = "attention = \"linear\"";
const FULL: &str = "attention = \"full\" or \"full-merged\"";
const MERGED: &str = "attention = \"merged\" or \"full-merged\"";
const CUBIC: &str = "attention = \"cubic\"";
const SHARED: &str = "attention = \"full\" or \"full-merged\", in_context below 1";

pub(crate) const OBSERVABLES: &[Quantity] = &[
    Quantity::new("loss", "mean squared error of the prediction").label("loss $\\mathcal{L}$"),
    Quantity::new("loss.in_context", "loss on sequences with a task vector of their own")
        .label("loss, task vectors of their own")
        .when(SHARED),
    Quantity::new("loss.in_weight", "loss with the shared task vector, where contexts are noise")
        .label("loss, shared task vector, contexts of noise")
        .when(SHARED),
    Quantity::new("head.<i>.value", "value weight of head i").label("$v_{<i+1>}$"),
    Quantity::new("head.<i>.key[<r>,<d>]", "key weights of head i, a row per rank")
        .label("$[(]k_{<i+1>[,<r+1>]}[)_{<d+1>}]$"),
    Quantity::new("head.<i>.query[<r>,<d>]", "query weights of head i, a row per rank")
        .label("$[(]q_{<i+1>[,<r+1>]}[)_{<d+1>}]$"),
    Quantity::new("head.<i>.key_query[<row>,<d>]", "matrix W of head i in place of key and query")
        .label("$[(]W_{<i+1>}[)_{<row+1>,<d+1>}]$")
        .when(MERGED),
    Quantity::new("hidden.<i>.output", "output weight of hidden unit i")
        .label("$v_{<i+1>}$")
        .when(CUBIC),
    Quantity::new("hidden.<i>.input[<row>,<d>]", "input weights of hidden unit i, as a matrix")
        .label("$[(]W_{<i+1>}[)_{<row+1>,<d+1>}]$")
        .when(CUBIC),
    Quantity::new("head.<i>.value_x[<d>]", "weights from x to the value, which the paper starts at zero")
        .when(FULL),
    Quantity::new("head.<i>.key_y[<r>]", "weights from y to the key, which the paper starts at zero")
        .when("attention = \"full\""),
    Quantity::new("head.<i>.key_query_y[<d>]", "weights from y to the matrix W, which the paper starts at zero")
        .when("attention = \"full-merged\""),
    Quantity::new("zero_blocks", "length of all weights that the paper starts at zero")
        .label("$|(u, c)|$")
        .when(FULL),
    Quantity::new(
        "learned.<d>",
        "e_d^T Theta e_d as a part of its optimum, of the nearest linear attention where the model is another: 1 where eigenvector d is learned",
    )
    .label("$e_{<d+1>}$ learned"),
    Quantity::new("overlap", "cosine of the angle between that Theta and its optimum")
        .label("$\\cos(\\Theta, \\Theta^*)$"),
    Quantity::new("linear.r2", "part of the prediction that the nearest linear attention explains")
        .label("$R^2$, nearest linear")
        .when("attention = \"softmax\""),
    Quantity::new(
        "alignment.head.<i>[<d>]",
        "part of the squares of keys and queries of head i along eigenvector d",
    )
    .label("head <i+1>[ along $e_{<d+1>}$]")
    .when(SEPARATE),
    Quantity::new("cosine.head.<i>.key[<r>,<d>]", "cosines of the keys of head i with each eigenvector")
        .label("$\\cos(k_{<i+1>}, e_{[<d+1>]})$")
        .when(SEPARATE),
    Quantity::new("cosine.head.<i>.query[<r>,<d>]", "cosines of its queries")
        .label("$\\cos(q_{<i+1>}, e_{[<d+1>]})$")
        .when(SEPARATE),
    Quantity::new("moved.weights", "distance of the weights from their start, over their length there")
        .label("change of the weights")
        .when(LINEAR),
    Quantity::new("moved.kernel", "the same of the tangent kernel")
        .label("change of the kernel")
        .when(SEPARATE),
    Quantity::new("cosine.kernel", "cosine of the angle between the tangent kernel and that of the start")
        .label("cosine between kernel and its start")
        .when(SEPARATE),
    Quantity::new(
        "pcr.population.distance.<m>",
        "mean squared distance from regression on m components of the population",
    )
    .label("$d_{<m>}$, population")
    .when(LINEAR),
    Quantity::new(
        "pcr.population.r2.<m>",
        "1 less that distance over the mean square of the regression",
    )
    .label("$R^2_{<m>}$, population")
    .when(LINEAR),
    Quantity::new(
        "pcr.context.distance.<m>",
        "mean squared distance from regression on m components of the context",
    )
    .label("$d_{<m>}$, context")
    .when(LINEAR),
    Quantity::new(
        "pcr.context.r2.<m>",
        "1 less that distance over the mean square of the regression",
    )
    .label("$R^2_{<m>}$, context")
    .when(LINEAR),
];

pub(crate) const OUTCOMES: &[Quantity] = &[Quantity::new(
    "accelerating",
    "part of the fall of the loss during which it falls faster and faster: none for an exponential, about half for jumps",
)
.label("part of the fall that gets faster")];
