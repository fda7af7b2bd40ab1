//! What can be recorded of associative recall, and what a run of it comes to, in words.

use saddlescope_spec::prelude::*;

pub(crate) const OBSERVABLES: &[Quantity] = &[
    Quantity::new("loss", "the loss that is minimised").label("loss $\\mathcal{L}$"),
    Quantity::new("head.<h>.beta", "strength of head h: what its token counts in the second layer")
        .label("$\\beta_{<h+1>}$")
        .when("the model has strengths"),
    Quantity::new("head.<h>.w[<lag>]", "attention logits of head h over the lags"),
    Quantity::new("head.<h>.attention[<lag>]", "attention of head h on the lags 1 to k"),
    Quantity::new("second.query[<row>,<column>]", "matrix Q of the second layer")
        .when("the model has whole matrices"),
    Quantity::new("second.key[<row>,<column>]", "matrix K of the second layer")
        .when("the model has whole matrices"),
    Quantity::new("query_key[<row>,<column>]", "Q^T K of the second layer").label("$Q^T K$"),
    Quantity::new("matched.<h>", "probability that the token of head h stands at its own lag")
        .label("token <h+1> matched")
        .when("the simplified model"),
];

pub(crate) const OUTCOMES: &[Quantity] = &[
    Quantity::new(
        "order",
        "heads in the order in which they are learned: 2-1 one after the other, 1=2 at once",
    ),
    Quantity::new("lags", "what each head attends to at the end: 1+2, 2+3, none"),
    Quantity::new("start.share.<h>", "part that head h has of all strengths at the start")
        .when("the model has strengths"),
];
