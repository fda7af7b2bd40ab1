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
    Quantity::new(
        "prediction[<response>]",
        "p: probability of each response on one fixed sequence, the one of the sketch",
    )
    .label("prediction $p$")
    .when("the order is at most 7, and contexts have all permutations"),
    Quantity::new(
        "second.attention[<tokens>]",
        "attention of the second layer on that sequence, by tokens that a response's permutation shares with the query",
    )
    .label("attention of the second layer")
    .when("the order is at most 7, and contexts have all permutations"),
    Quantity::new("head.<h>.alpha", "own weight of head h above the mean of the others (Theorem 3.1)")
        .label("$\\alpha_{<h+1>}$")
        .when(PLAIN),
    Quantity::new("head.<h>.delta", "mean of the weights of head h on lags that are not its own")
        .label("$\\delta_{<h+1>}$")
        .when(PLAIN),
    Quantity::new("head.<h>.s", "e^alpha - 1 of head h").label("$s_{<h+1>}$").when(PLAIN),
    Quantity::new("head.<h>.invariant", "what Theorem 3.1(d) conserves, with its sign put right")
        .label("$f(\\alpha_{<h+1>}) - \\beta_{<h+1>}^2/4$")
        .when(PLAIN),
    Quantity::new("head.<h>.invariant.printed", "the same as the theorem prints it, which drifts")
        .label("$f^{\\mathrm{printed}}(\\alpha_{<h+1>}) - \\beta_{<h+1>}^2/4$")
        .when(PLAIN),
    Quantity::new("head.<h>.drive", "Xi of Eq. (4), without its factor 2, for any weights")
        .label("$\\Xi_{<h+1>}$")
        .when("the simplified model"),
];

const PLAIN: &str = "heads have strengths and the lags 1 to k";

pub(crate) const OUTCOMES: &[Quantity] = &[
    Quantity::new(
        "order",
        "heads in the order in which they are learned: 2-1 one after the other, 1=2 at once",
    ),
    Quantity::new("lags", "what each head attends to at the end: 1+2, 2+3, none"),
    Quantity::new(
        "order.by_strength",
        "whether that is the order of the strengths at the start: yes, no, or incomplete",
    )
    .when("the model has strengths"),
    Quantity::new("start.escape", "T* of the head that jumps first")
        .label("$T^*$")
        .unit("time")
        .when("the simplified model with the dot-product loss, from equal weights or a plateau"),
    Quantity::new("start.share.<h>", "part that head h has of all strengths at the start")
        .when("the model has strengths"),
];
