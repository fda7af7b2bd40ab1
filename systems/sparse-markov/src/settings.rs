//! What can be set in sparse attention on Markov chains, declared once for files, help and checks.

use saddlescope_spec::prelude::*;
use saddlescope_spec::settings::{Parameter, Presence, When};
use saddlescope_transformer::settings::{Checkpoint, Design, Normal, joined, only};

choices! {
    pub enum Model {
        Regression = "regression",
            "attention by position, squared error: the exact flow of section 3";
        Minimal = "minimal", "one-hot columns, cross entropy on sequences of a chain: section 2.4";
        Transformer = "transformer", "the full transformer on the same sequences: section 2.2";
    }
}

choices! {
    pub enum Average {
        Empirical = "empirical", "a data set, in batches: shuffled anew in each epoch";
        Online = "online", "fresh sequences at each step";
    }
}

choices! {
    pub enum Precision {
        Single = "single", "32 bits: training";
        Double = "double", "64 bits: for flows, and where the last digits count";
    }
}

settings! {
    /// The task, the loss, and all of the model but the [`Design`] of the transformer.
    pub struct Task {
        model: Model = "regression", "which of the paper's models";
        heads: usize [1..=1000] = 3, "heads of attention: h";
        features: usize [1..=1000] = 3,
            "features, each with a group of lags of its own, the strongest first";
        ratio: f64 [> 0.0] = 1.7, "each is so many times as strong as the next: m";
        base: Option<f64> [> 0.0], example 10.0,
            "strength of the last: b_0; 1 in the regression and 10 in models on sequences where it is not given";
        strengths: Option<Vec<f64>> [> 0.0; 1..], example [2.89, 1.7, 1.0],
            "all strengths, in place of features, ratio and base";
        matrices: Option<Tensor> [depth 3],
            example [[[2.0, -1.0], [0.0, 1.0]], [[0.4, 0.0], [0.1, 0.7]]],
            "feature matrices A_k, row after row, in place of random ones times their strengths";
        data_seed: Option<u64>, example 0,
            "seed of features and sequences; that of the run where it is not given";
        positions: usize [1..=100_000] = 40, "positions: T", when model is "regression";
        places: Option<Vec<f64>> [>= 0.0; 1..], example [0, 1, 2],
            "the position of each feature, counted from 0; the first ones where it is not given",
            when model is "regression";
        vocabulary: usize [2..=4096] = 50,
            "tokens: d; that of the matrices where these are given",
            when model is "minimal" or "transformer";
        length: usize [1..=4096] = 20,
            "tokens that follow the law: T", when model is "minimal" or "transformer";
        group_size: usize [1..=1000] = 2,
            "lags of each group: the nearest for the first feature, the next for the second, and so on",
            when model is "minimal" or "transformer";
        groups: Option<Vec<Vec<f64>>> [>= 0.0], example [[1, 2], [3, 4], [5, 6]],
            "the lags of each feature, in place of group_size; 1 is the token before; they may overlap",
            when model is "minimal" or "transformer";
        alpha: Option<Vec<Vec<f64>>> [>= 0.0], example [[0.7, 0.3], [0.7, 0.3], [0.7, 0.3]],
            "the weights of the lags of each group, which add up to 1; equal where they are not given",
            when model is "minimal" or "transformer";
        order: Option<usize> [1..=4096], example 6,
            "tokens before the first that follows the law: w; the largest lag where it is not given",
            when model is "minimal" or "transformer";
        layers: usize [1..=2] = 1,
            "layers of attention; a second reads tokens plus what the first gives",
            when model is "minimal";
        window: Option<usize> [1..=4096], example 4,
            "columns that a query sees, its own included: c; all where it is not given",
            when model is "minimal";
        loss: Average = "empirical",
            "what the loss averages over", when model is "minimal" or "transformer";
        sequences: usize [1..=10_000_000] = 9000,
            "sequences in the data set", when loss is "empirical";
        batch: usize [1..=10_000_000] = 3000,
            "sequences per step; the whole data set where it has no more",
            when model is "minimal" or "transformer";
        test_sequences: usize [1..=10_000_000] = 3000,
            "other sequences, on which models are measured",
            when model is "minimal" or "transformer";
        precision: Precision = "single",
            "of parameters and slopes", when model is "minimal" or "transformer";
        contexts: Option<Vec<f64>> [> 0.0; 1..], example [2, 4, 6],
            "windows c of the restricted models that are trained to compare with: kl.context.c",
            when model is "minimal" or "transformer";
        context_steps: usize [1..=1_000_000] = 600,
            "steps of AdamW for each of these", when model is "minimal" or "transformer";
        context_rate: f64 [> 0.0] = 3e-3,
            "its rate, with decay 0.01 and gradients clipped at 1",
            when model is "minimal" or "transformer";
    }
}

/// The settings of [`Design`] with the defaults of 000, Table 3.
const DESIGN: [Parameter; 10] = {
    let mut list = only(Design::PARAMETERS, When::Is("model", &["transformer"]));
    list[WIDTH].presence = Presence::Default("255");
    list[DROPOUT].presence = Presence::Default("0.1");
    list
};
const WIDTH: usize = 0;
const DROPOUT: usize = 6;

const SYSTEM: [Parameter; 36] = joined(Task::PARAMETERS, &DESIGN);

settings! {
    /// Values zero, attention almost even.
    pub struct Uniform {
        scale: Option<f64> [>= 0.0], example 0.01,
            "what tells heads apart. Regression: standard deviation of s around 1/T (0.001); minimal model: u of A ~ U[-u, u] (0.1); transformer: of all matrices and tables (0.1)";
    }
}

settings! {
    pub struct Layers {
        scale: f64 [>= 0.0] = 1.0, "what all of them are multiplied by";
    }
}

settings! {
    pub struct Parts {
        slope: f64 [>= 0.0] = 0.01, "slopes of distance, where there are any";
        factors: Vec<(String, f64)> = {},
            "what some blocks are multiplied by beside, such as { \"blocks.*.attn.W_Q\" = 0.1 }";
    }
}

settings! {
    /// One head about to leave the others.
    pub struct Offshoot {
        epsilon: f64 [> 0.0, < 1.0] = 0.05,
            "what the last head has of the second feature, and of its position";
    }
}

settings! {
    pub struct Given {
        v: Option<Tensor>, example [[0.0, 0.0, 0.0]],
            "regression: values, a row per head, a column per feature (or entry of the matrix); zero where not given";
        s: Option<Tensor>, example [[0.2, 0.2, 0.2, 0.2, 0.2]],
            "regression: attention, a row per head, a column per position; even where not given";
        values: Option<Tensor> [depth 3], example [[[0.0, 0.0], [0.0, 0.0]]],
            "minimal model: V of each head, d x d; zero where not given";
        scores: Option<Tensor> [depth 3], example [[[0.0, 0.0], [0.0, 0.0]]],
            "minimal model: A of each head, (d + n) x (d + n) with n = w + T - 1; zero where not given";
    }
}

kinds! {
    pub enum Init {
        Uniform(Uniform) = "uniform", "values zero, attention almost even, keyed by the seed";
        Layers(Layers, Parts) = "layers",
            "transformer: as layers of PyTorch, matrices and biases uniform within 1 over the root of what enters, tables normal";
        Normal(Normal, Parts) = "normal", "transformer: all matrices and tables normal, biases zero";
        Checkpoint(Checkpoint) = "checkpoint",
            "transformer: the parameters in a safetensors file, such as a snapshot of another run";
        Offshoot(Offshoot) = "offshoot",
            "regression: all heads on the first position, the last about to leave it (Eq. 9, Remark 2)";
        Given(Given) = "given", "as listed";
    }
}

pub(crate) static SCHEMA: SystemSchema = SystemSchema {
    name: "sparse-markov",
    title: "Incremental Learning of Sparse Attention Patterns in Transformers",
    about: "Heads compete for the most important past tokens, then share the rest, one by one.",
    system: Section::plain("system", "The task, the model and the loss.", &SYSTEM).retired(&[
        ("coordinates", "values are written along the features, or as the matrices that are given"),
        ("dimension", "orthonormal features need no matrices; others are given as matrices"),
    ]),
    start: Section::by_kind("start", "Where the parameters start.", "uniform", Init::KINDS, &[]),
    view: View { set: &[("dynamics.until", "2000.0")], lr: 0.02, ..View::DEFAULT },
    experiments: shipped![
        "sparse-markov":
        "fig1",
        "fig10",
        "flow-strengths",
        "flow-noise",
        "held-out",
        "approach",
        "theorem-4",
        "time-against-positions",
        "fig2",
        "fig2-minimal",
        "fig3",
        "fig3-minimal",
        "fig4",
        "fig5",
        "fig5-minimal",
        "fig6",
        "fig7",
        "fig8",
        "fig9",
        "fig11",
        "fig12",
        "fig13",
        "fig14",
        "fig15",
        "fig15-minimal",
        "fig16",
        "fig16-minimal",
        "fig17",
        "fig17-minimal",
        "fig18",
        "fig19",
        "weight-decay",
    ],
    observables: &[
        crate::readings::quantities::OBSERVABLES,
        saddlescope_transformer::readings::quantities::PARAMETERS,
    ],
    outcomes: crate::readings::quantities::OUTCOMES,
    cases: crate::cases::KINDS,
    ..SystemSchema::EMPTY
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_set_where_their_names_are() {
        assert_eq!((DESIGN[WIDTH].name, DESIGN[DROPOUT].name), ("width", "dropout"));
    }
}
