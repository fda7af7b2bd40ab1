//! What can be recorded of scan and snap, and what a run of it comes to, in words.

use saddlescope_spec::prelude::*;

const PAIRWISE: &str = "model = \"pairwise\"";
const EMBEDDING: &str = "model = \"embedding\"";
const DISTINCT: &str = "there are distinct tokens";
const COMMON: &str = "there are common tokens";

pub(crate) const OBSERVABLES: &[Quantity] = &[
    Quantity::new("loss", "cross entropy of the next token").label("loss").unit("nats"),
    Quantity::new("y[<token>,<output>]", "decoder Y").when(PAIRWISE),
    Quantity::new("z[<head>,<query>,<token>]", "attention logits Z; heads where there are several")
        .when(PAIRWISE),
    Quantity::new("u[<token>,<d>]", "embeddings U").when(EMBEDDING),
    Quantity::new("w_k[<head>,<row>,<column>]", "key matrix; heads where there are several")
        .when(EMBEDDING),
    Quantity::new("w_q[<head>,<row>,<column>]", "query matrix; heads where there are several")
        .when(EMBEDDING),
    Quantity::new("w_v[<row>,<column>]", "value matrix").when(EMBEDDING),
    Quantity::new(
        "attention[<class>,<token>]",
        "attention c_n of each class on all tokens that occur",
    )
    .label("attention $c_n$"),
    Quantity::new("scores[<class>,<token>]", "P e^z, the numerator of that attention")
        .label("scores $\\tilde{c}_n$"),
    Quantity::new("head.<h>.attention[<class>,<token>]", "the same of one head")
        .when("several heads"),
    Quantity::new(
        "entropy",
        "entropy of attention among distinct tokens, renormalised; mean over classes",
    )
    .label("entropy among distinct tokens")
    .unit("nats"),
    Quantity::new("attention.common", "attention on common tokens, mean over classes")
        .label("attention on common tokens"),
    Quantity::new("attention.largest", "largest attention on one token, mean over classes")
        .label("largest attention"),
    Quantity::new(
        "lead",
        "M h of Lemma 5: how far the right logit leads the mean of the others; mean over classes",
    )
    .label("lead of the right logit"),
    Quantity::new("lead.class[<class>]", "the same of each class").label("lead of each class"),
    Quantity::new(
        "recall[<threshold>]",
        "part of distinct tokens with attention above 0.1/M ... 20/M",
    )
    .label("recall")
    .when(DISTINCT),
    Quantity::new("z.common", "mean attention logit of common tokens")
        .label("$z$ of common tokens")
        .when(COMMON),
    Quantity::new("suppression", "how far that fell since the start")
        .label("$-z$ of common tokens")
        .when(COMMON),
    Quantity::new("z.dominant", "mean attention logit of the dominant distinct tokens")
        .label("$z$ of dominant tokens")
        .when(DISTINCT),
    Quantity::new("growth", "growth factor chi of the dominant tokens since the start")
        .label("growth factor $\\chi$")
        .when(DISTINCT),
    Quantity::new("overlap", "largest product of the directions of two classes")
        .label("largest $f_n^\\top f_{n'}$"),
    Quantity::new("stretch", "|U^T c|/|c|: how far embeddings stretch what is attended to")
        .label("$|U^\\top c|/|c|$")
        .when(EMBEDDING),
    Quantity::new("coherence", "largest cosine of two embeddings")
        .label("cosines of embeddings")
        .when(EMBEDDING),
];

pub(crate) const OUTCOMES: &[Quantity] = &[
    Quantity::new("entropy", "entropy of attention among distinct tokens at the end")
        .label("entropy among distinct tokens")
        .unit("nats"),
    Quantity::new("common", "attention on common tokens at the end")
        .label("attention on common tokens"),
    Quantity::new("largest", "largest attention on one token at the end")
        .label("largest attention"),
    Quantity::new("lead", "lead of the right logit at the end").label("lead of the right logit"),
    Quantity::new("exact_loss", "loss of endless sequences at the end")
        .label("loss, endless sequences")
        .unit("nats"),
    Quantity::new("favourite", "token that class 0 attends to most at the end")
        .label("favourite token"),
    Quantity::new("recall.<k>", "part of distinct tokens with attention above k/M at the end")
        .label("recall above $<k>/M$"),
    Quantity::new("recall.0.<k>", "the same above 0.k/M").label("recall above $0.<k>/M$"),
];
