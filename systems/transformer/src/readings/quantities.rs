//! What can be recorded of a transformer on text, and what a run of it comes to, in words.
//!
//! All but the loss and the parameters is measured on validation sequences, without dropout.

use saddlescope_spec::prelude::*;

const BIASES: &str = "biases = true";
const NORM: &str = "there are norms";
const MLP: &str = "there is a feed-forward part";

pub(crate) const OBSERVABLES: &[Quantity] = &[
    Quantity::new("loss", "cross entropy of the sequences that a step sees")
        .label("training loss")
        .unit("nats"),
    Quantity::new("valid", "validation loss").label("validation loss").unit("nats"),
    Quantity::new("positions[<position>]", "validation loss at each position")
        .label("validation loss")
        .unit("nats"),
    Quantity::new("entropy", "entropy of attention, mean over all heads")
        .label("entropy of attention")
        .unit("nats"),
    Quantity::new("entropy.<b>.<h>", "entropy of attention of head h of block b")
        .label("entropy, block <b+1>, head <h+1>")
        .unit("nats"),
    Quantity::new("induction", "the largest of all heads' induction").label("induction"),
    Quantity::new(
        "induction.<b>.<h>",
        "mean weight of head h of block b from a token to the one behind its last occurrence",
    )
    .label("block <b+1>, head <h+1>"),
    Quantity::new("lags.<b>.<h>[<lag>]", "mean weight of head h of block b so many tokens back")
        .label("block <b+1>, head <h+1>"),
    Quantity::new(
        "map.<s>.<b>.<h>[<query>,<key>]",
        "weights of head h of block b on validation sequence s, a row per query",
    ),
    Quantity::new(
        "sharpness",
        "largest curvature, by size, of the loss of 16 validation sequences",
    )
    .label("sharpness"),
    Quantity::new("norm.p", "norm of all slopes of positional biases")
        .label("$||p||$")
        .when("positions = \"alibi\""),
    Quantity::new("norm.KQ", "norm of all key and query matrices").label("$||(W_K, W_Q)||$"),
    Quantity::new("growth.KQ", "what the square of that norm has gained since the start")
        .label("growth of $||(W_K, W_Q)||^2$"),
];

/// Parameters, also of other systems with a transformer of their own.
pub const PARAMETERS: &[Quantity] = &[
    Quantity::new("embed.W_E[<token>,<d>]", "embedding of each token"),
    Quantity::new("pos_embed.W_pos[<position>,<d>]", "embedding of each position")
        .when("positions = \"learned\""),
    Quantity::new(
        "blocks.<b>.ln1.<WORD>[<d>]",
        "gain (w) and bias (b) of the norm before or after attention",
    )
    .when(NORM),
    Quantity::new("blocks.<b>.attn.W_Q[<h>,<d>,<k>]", "query matrices, one per head"),
    Quantity::new("blocks.<b>.attn.W_K[<h>,<d>,<k>]", "key matrices, one per head"),
    Quantity::new("blocks.<b>.attn.W_V[<h>,<d>,<k>]", "value matrices, one per head"),
    Quantity::new("blocks.<b>.attn.W_O[<h>,<k>,<d>]", "output matrices, one per head"),
    Quantity::new("blocks.<b>.attn.b_Q[<h>,<k>]", "query biases").when(BIASES),
    Quantity::new("blocks.<b>.attn.b_K[<h>,<k>]", "key biases").when(BIASES),
    Quantity::new("blocks.<b>.attn.b_V[<h>,<k>]", "value biases").when(BIASES),
    Quantity::new("blocks.<b>.attn.b_O[<d>]", "output bias").when(BIASES),
    Quantity::new("blocks.<b>.attn.slopes[<h>]", "slopes of the positional biases, one per head")
        .when("positions = \"alibi\""),
    Quantity::new(
        "blocks.<b>.ln2.<WORD>[<d>]",
        "gain (w) and bias (b) of the norm before or after the feed-forward part",
    )
    .when(NORM),
    Quantity::new("blocks.<b>.mlp.W_in[<d>,<f>]", "matrix into the feed-forward part").when(MLP),
    Quantity::new("blocks.<b>.mlp.b_in[<f>]", "bias into the feed-forward part").when(BIASES),
    Quantity::new("blocks.<b>.mlp.W_out[<f>,<d>]", "matrix out of the feed-forward part").when(MLP),
    Quantity::new("blocks.<b>.mlp.b_out[<d>]", "bias out of the feed-forward part").when(BIASES),
    Quantity::new("ln_final.<WORD>[<d>]", "gain (w) and bias (b) of the last norm")
        .when("norm = \"before\""),
    Quantity::new("unembed.W_U[<d>,<token>]", "readout").when("tied = false"),
    Quantity::new("unembed.b_U[<token>]", "bias of the readout").when(BIASES),
];

pub(crate) const OUTCOMES: &[Quantity] = &[
    Quantity::new("valid", "validation loss at the end").label("validation loss").unit("nats"),
    Quantity::new("entropy", "entropy of attention at the end, mean over all heads")
        .label("entropy of attention")
        .unit("nats"),
    Quantity::new("induction", "the largest of all heads' induction at the end").label("induction"),
    Quantity::new(
        "half.p",
        "first recorded step at which norm.p has come half of its way to the end",
    )
    .label("step at half of $||p||$")
    .unit("steps"),
    Quantity::new(
        "half.KQ",
        "first recorded step at which growth.KQ has come half of its way to the end",
    )
    .label("step at half of the growth of $||(W_K, W_Q)||^2$")
    .unit("steps"),
];
