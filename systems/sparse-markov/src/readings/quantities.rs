//! What can be recorded of sparse attention on Markov chains, and what a run of it comes to, in words.

use saddlescope_spec::prelude::*;

const REGRESSION: &str = "model = \"regression\"";
const SEQUENCES: &str = "model = \"minimal\" or \"transformer\"";
const MINIMAL: &str = "model = \"minimal\"";
const FULL: &str = "model = \"transformer\"";
const FEW: &str = "model = \"regression\", at most 8 features";

pub(crate) const OBSERVABLES: &[Quantity] = &[
    Quantity::new(
        "loss",
        "the loss that is minimised: half a squared norm in regression, cross entropy on sequences",
    )
    .label("loss"),
    // Sequences.
    Quantity::new("excess", "E KL(p* || p) on the test sequences")
        .label("excess loss")
        .unit("nats")
        .when(SEQUENCES),
    Quantity::new("test", "cross entropy on the test sequences")
        .label("cross entropy, test set")
        .unit("nats")
        .when(SEQUENCES),
    Quantity::new("test.places[<place>]", "the same at each of the T places")
        .label("cross entropy at each place")
        .unit("nats")
        .when(SEQUENCES),
    Quantity::new("kl.rung.<i>", "divergence of the model from f on the first i groups, A_{1:i}")
        .label("$f_{A_{1:<i>}}$")
        .unit("nats")
        .when(SEQUENCES),
    Quantity::new(
        "kl.best.<i>",
        "divergence from the best predictor from the lags of the first i groups",
    )
    .label("best from $I(1..<i>)$")
    .unit("nats")
    .when(SEQUENCES),
    Quantity::new("kl.context.<c>", "divergence from the model with window c")
        .label("context $c = <c>$")
        .unit("nats")
        .when("contexts are given"),
    Quantity::new("head.<k>.group.<j>", "part of the attention of head k on group j")
        .label("head <k+1> on $I(<j>)$")
        .when(SEQUENCES),
    Quantity::new(
        "head.<k>.lags[<lag>]",
        "attention of head k on each lag; entry 0, the token to come, has none",
    )
    .label("head <k+1>")
    .when(SEQUENCES),
    Quantity::new(
        "head.<k>.map[<key>,<query>]",
        "attention of head k on each column (row) by each query",
    )
    .label("head <k+1>")
    .when(SEQUENCES),
    Quantity::new("layer.<l>.head.<k>.group.<j>", "the same in layers after the first")
        .label("layer <l+1>, head <k+1> on $I(<j>)$")
        .when("several layers"),
    Quantity::new("layer.<l>.head.<k>.lags[<lag>]", "the same in layers after the first")
        .label("layer <l+1>, head <k+1>")
        .when("several layers"),
    Quantity::new("layer.<l>.head.<k>.map[<key>,<query>]", "the same in layers after the first")
        .label("layer <l+1>, head <k+1>")
        .when("several layers"),
    Quantity::new("map[<key>,<query>]", "attention of all heads of the first layer, added up")
        .label("all")
        .when(SEQUENCES),
    Quantity::new("entropy", "entropy of attention, mean over heads")
        .label("entropy of attention")
        .unit("nats"),
    Quantity::new(
        "sharpness",
        "largest curvature, by size, of the loss of 64 training sequences without dropout",
    )
    .label("sharpness")
    .when(FULL),
    // Regression.
    Quantity::new("attention[<head>,<position>]", "attention of all heads")
        .label("attention")
        .when(REGRESSION),
    Quantity::new("head.<k>.attention[<position>]", "attention s_k of head k")
        .label("head <k+1>")
        .when(REGRESSION),
    Quantity::new("head.<k>.at.<j>", "attention of head k on the position of feature j")
        .label("head <k+1>, position <j>")
        .when(FEW),
    Quantity::new("head.<k>.value.<j>", "<V_k, V_j*>: value of head k along feature j")
        .label("head <k+1>, feature <j>")
        .when(FEW),
    Quantity::new(
        "head.<k>.term.<j>.<i>",
        "what head k adds to feature j at the position of feature i",
    )
    .label("head <k+1>: feature <j> at position <i>")
    .when(FEW),
    Quantity::new(
        "part.<j>.<i>",
        "what of the loss is left in feature j at the position of feature i",
    )
    .label("feature <j> at position <i>")
    .when(FEW),
    Quantity::new("part.rest", "all of the loss that is not in these parts")
        .label("elsewhere")
        .when(FEW),
    Quantity::new("apart.v", "distance of the farthest head from the mean head, in values")
        .label("values of the heads apart")
        .when(REGRESSION),
    Quantity::new("apart.s", "distance of the farthest head from the mean head, in attention")
        .label("attention of the heads apart")
        .when(REGRESSION),
    Quantity::new("first", "1 - s on the first position, mean over heads")
        .label("$1 - s$ on the first position")
        .when(REGRESSION),
    // Parameters.
    Quantity::new("head.<k>.v[<row>,<column>]", "values of head k, a matrix on sequences")
        .when("model = \"regression\" or \"minimal\""),
    Quantity::new("head.<k>.q[<position>]", "attention logits of head k").when(REGRESSION),
    Quantity::new("head.<k>.a[<row>,<column>]", "query-key matrix of head k").when(MINIMAL),
    Quantity::new("layer.<l>.head.<k>.v[<row>,<column>]", "the same in layers after the first")
        .when("several layers"),
    Quantity::new("layer.<l>.head.<k>.a[<row>,<column>]", "the same in layers after the first")
        .when("several layers"),
];

pub(crate) const OUTCOMES: &[Quantity] = &[
    Quantity::new("excess", "excess loss at the end").label("excess loss").unit("nats").when(SEQUENCES),
    Quantity::new("excess.best", "least excess loss that was recorded: early stopping").label("least excess loss").unit("nats").when(SEQUENCES),
    Quantity::new("step.best", "when that was").unit("time").when(SEQUENCES),
    Quantity::new("learned", "groups on which some head has more than half of its attention; in regression, features that are there to within a tenth").label("features learned"),
    Quantity::new("owners", "the heads of all groups or features, as words: 2-1-0"),
    Quantity::new("owner.<j>", "the head that attends to group j most, or carries feature j").label("head of feature <j>"),
    Quantity::new("offset", "largest term at the first position that one head has and others cancel").label("largest term that cancels").when(REGRESSION),
];
