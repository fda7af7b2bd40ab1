//! What can be recorded of the 4-gram and the induction head, and what a run comes to, in words.

use saddlescope_spec::prelude::*;

const GRAM: &str = "parts = \"both\" or \"gram\"";
const INDUCTION: &str = "parts = \"both\" or \"induction\"";
const MATRICES: &str = "model = \"matrices\"";

pub(crate) const OBSERVABLES: &[Quantity] = &[
    Quantity::new("loss", "the loss that is minimised").label("loss $\\mathcal{L}$"),
    Quantity::new("loss.g4", "what of the loss the 4-gram has left")
        .label("$\\mathcal{L}_{\\mathrm{G4}}$")
        .when(GRAM),
    Quantity::new("loss.ih", "what of the loss the induction head has left")
        .label("$\\mathcal{L}_{\\mathrm{IH}}$")
        .when(INDUCTION),
    Quantity::new("p_tilde", "slope of the positional bias in layer 1")
        .label("$\\tilde p$")
        .when("layer 1 is trained"),
    Quantity::new("p", "slope of the positional bias in head 1 of layer 2").label("$p$").when(GRAM),
    Quantity::new("g", "value weight of head 1").label("$g$").when(GRAM),
    Quantity::new("w[<i>]", "query and key weight of head 2, which are one")
        .label("$w[_{<i+1>}]$")
        .when("query and key are tied"),
    Quantity::new("w_q[<i>]", "query weight of head 2").label("$w_{Q[,<i+1>]}$").when(INDUCTION),
    Quantity::new("w_k[<i>]", "key weight of head 2").label("$w_{K[,<i+1>]}$").when(INDUCTION),
    Quantity::new("h", "value weight of head 2").label("$h$").when(INDUCTION),
    Quantity::new(
        "strength",
        "root of the mean product of query and key, zero where that is negative",
    )
    .label("$w_{KQ}$")
    .when(INDUCTION),
    Quantity::new("attention.previous", "mean weight of x_{s-1} in y_s: one after Stage I")
        .label("weight of $x_{s-1}$ in $y_s$"),
    Quantity::new("attention.gram", "weight that head 1 gives x_{L-2}")
        .label("weight of $x_{L-2}$")
        .when(GRAM),
    Quantity::new("lyapunov.gram", "Lyapunov function G(u, v) of Stage I")
        .label("$G(u, v)$")
        .when(GRAM),
    Quantity::new("lyapunov.induction", "Lyapunov function G(v, h) of Stage III")
        .label("$G(v, h)$")
        .when(INDUCTION),
    Quantity::new("first.query[<row>,<column>]", "W_Q of layer 1").when(MATRICES),
    Quantity::new("first.key[<row>,<column>]", "W_K of layer 1").when(MATRICES),
    Quantity::new("first.value[<row>,<column>]", "W_V of layer 1").when(MATRICES),
    Quantity::new("first.p", "slope of the positional bias in layer 1").when(MATRICES),
    Quantity::new("second.<h>.query[<row>,<column>]", "W_Q of head h of layer 2").when(MATRICES),
    Quantity::new("second.<h>.key[<row>,<column>]", "W_K of head h of layer 2").when(MATRICES),
    Quantity::new("second.<h>.value[<row>,<column>]", "W_V of head h of layer 2").when(MATRICES),
    Quantity::new("second.<h>.p", "slope of the positional bias in head h of layer 2")
        .when(MATRICES),
    Quantity::new("off_surface", "distance of the matrices from those of the six parameters")
        .label("distance from the six parameters")
        .when(MATRICES),
];

pub(crate) const OUTCOMES: &[Quantity] = &[
    Quantity::new("T_1g", "when g first reaches its optimum").label("$T_1^g$").unit("time"),
    Quantity::new("T_I", "when 1 % of the 4-gram's first loss is left")
        .label("$T_{\\mathrm{I}}$")
        .unit("time"),
    Quantity::new("T_1h", "when h first reaches its optimum").label("$T_1^h$").unit("time"),
    Quantity::new("T_II", "when 99 % of the induction head's loss at T_1h is left")
        .label("$T_{\\mathrm{II}}$")
        .unit("time"),
    Quantity::new("T_III", "when 1 % of the induction head's loss at T_1h is left")
        .label("$T_{\\mathrm{III}}$")
        .unit("time"),
    Quantity::new("T_II_plateau", "when 99 % of the plateau's height is left")
        .label("$T_{\\mathrm{II}}$, plateau")
        .unit("time"),
    Quantity::new("T_III_plateau", "when 1 % of the plateau's height is left")
        .label("$T_{\\mathrm{III}}$, plateau")
        .unit("time"),
    Quantity::new("T_half_plateau", "when half of the plateau's height is left")
        .label("half the plateau")
        .unit("time"),
    Quantity::new("T_w_half", "when the strength is half of w*").label("$w = w^*/2$").unit("time"),
    Quantity::new("left_at_T_I", "part of the induction head's first loss that is left at T_I")
        .label("left at $T_{\\mathrm{I}}$"),
    Quantity::new("places", "L - 2").label("$L - 2$"),
    Quantity::new("alpha_factor", "(1 + alpha*)^2").label("$(1 + \\alpha^*)^2$"),
    Quantity::new("theorem_4", "(1 + alpha*)^2 L ln(1/sigma)/w*^2")
        .label("$(1 + \\alpha^*)^2 L \\ln(1/\\sigma)/w^{*2}$"),
];
