//! What can be set in linear attention, declared once for files, help and checks.

use saddlescope_spec::prelude::*;

choices! {
    /// The eigenvectors of the tokens' covariance.
    pub enum Eigenvectors {
        Identity = "identity", "the coordinate axes";
        Random = "random", "a random rotation, keyed by the seed";
    } | Columns(Tensor)
}

choices! {
    /// How much of the context is seen.
    pub enum Lengths {
        Fixed = "fixed", "always the whole context; the loss is that of the query";
        Varying = "varying", "next-token prediction: every length up to the context, Eq. (9)";
    } | Listed(Tensor)
}

choices! {
    /// The model.
    pub enum Attention {
        Linear = "linear", "the paper's model, Eq. (2)";
        Merged = "merged", "the same with one matrix for key and query: prediction sum_i v_i beta^T W_i x_q";
        Cubic = "cubic", "a two-layer linear network on the cubic features beta x_q^T: the function of merged under other names";
        Softmax = "softmax", "the same heads with softmax attention (Fig. 3)";
        Full = "full", "linear attention with the weights that the paper sets to zero (appendix E.1)";
        FullMerged = "full-merged", "the same with one matrix for key and query";
    }
}

choices! {
    /// What contexts show of the task vector that sequences share.
    pub enum Shown {
        Targets = "targets", "its targets, as other contexts do";
        Noise = "noise", "numbers by chance, so that only the weights can know it";
    }
}

choices! {
    /// What the loss averages over.
    pub enum Average {
        Population = "population", "the exact expectation over all sequences";
        Empirical = "empirical", "the mean over a finite data set";
        Minibatch = "minibatch", "a random part of a finite data set at each step";
        Online = "online", "fresh sequences at each step";
    }
}

choices! {
    /// Precision of the parameters.
    pub enum Precision {
        Single = "single", "32-bit parameters, 64-bit losses: fast";
        Double = "double", "64-bit throughout; flows need it";
    }
}

settings! {
    /// The task, the model and the loss.
    pub struct System {
        eigenvalues: Vec<f64> [> 0.0; 1..] = [0.4, 0.3, 0.2, 0.1],
            "eigenvalues of the tokens' covariance, one per dimension";
        eigenvectors: Eigenvectors = "identity", "its eigenvectors, the columns of a matrix";
        context: usize [1..=1_000_000] = 31,
            "pairs (x, y) before the query: N", when lengths is "fixed" or "varying";
        lengths: Lengths = "fixed", "how much of the context is seen, or a list of lengths with their weights: [[10, 0.5], [100, 0.5]]";
        heads: usize [1..=65_536] = 4, "attention heads: H";
        rank: usize [1..=65_536] = 1,
            "rank of each head's key and query: R", when attention is "linear" or "softmax" or "full";
        attention: Attention = "linear", "the model";
        in_context: f64 [>= 0.0, <= 1.0] = 1.0,
            "part of sequences with a task vector of their own; the others share one, of length sqrt(D)",
            when attention is "full" or "full-merged";
        shared_context: Shown = "targets",
            "what contexts of sequences with the shared task vector show",
            when attention is "full" or "full-merged";
        loss: Average = "population", "what the loss averages over";
        sequences: usize [1..=1_000_000_000] = 5000,
            "sequences in the data set: P", when loss is "empirical" or "minibatch";
        whitened: bool = false,
            "task vectors are whitened over the data set: their mean is 0 and their covariance 1",
            when loss is "empirical" or "minibatch";
        centred: bool = false,
            "the mean of each token over the data set is taken off, at each place of the sequence",
            when loss is "empirical" or "minibatch";
        batch: usize [1..=10_000_000] = 1000,
            "sequences per step", when loss is "minibatch" or "online";
        precision: Precision = "single",
            "precision of the parameters", when attention is "softmax";
        tau: f64 [> 0.0] = 1.0, "time constant of the flow", unit "time";
    }
}

choices! {
    /// How the variance of a random start is shared out.
    pub enum Variance {
        Matrix = "matrix", "keys and queries have that of their head's value as whole matrices: Eq. (20)";
        Entry = "entry", "every weight has that of its head's value";
    }
}

settings! {
    /// Small Gaussian weights.
    pub struct Random {
        scale: f64 [>= 0.0] = 0.05, "size of the start: w_init of Eq. (20)";
        value_x: f64 [>= 0.0] = 0.0, "size of the values u, which only full attention has: as scale, over all heads";
        key_y: f64 [>= 0.0] = 0.0, "size of the keys' entries c for y, which only full attention has: as scale";
        variance: Variance = "matrix", "how the variance is shared out";
    }
}

settings! {
    /// Each head on its own eigenvector.
    pub struct Aligned {
        value: f64 [> 0.0] = 0.02, "v of every head, with k = q = v e";
    }
}

settings! {
    /// A saddle, with small Gaussian weights on top.
    pub struct Saddle {
        learned: Vec<f64> [>= 1.0; 1..] = [1.0],
            "eigenvectors that are learned, the largest is 1: head after head, each filled up to its rank";
        scale: f64 [>= 0.0] = 0.01, "size of what is added, as w_init of Eq. (20)";
    }
}

settings! {
    /// Weights as listed.
    pub struct Given {
        value: Vec<f64> [; 1..], required [0.05, 0.04, 0.03, 0.02], "v of each head";
        key: Tensor [depth 3],
            required [[[0.05, 0.0, 0.0, 0.0]], [[0.0, 0.04, 0.0, 0.0]], [[0.0, 0.0, 0.03, 0.0]], [[0.0, 0.0, 0.0, 0.02]]],
            "keys, as heads x rank x dimension; with one matrix for both, the matrix is the sum of key query^T over ranks";
        query: Tensor [depth 3],
            required [[[0.05, 0.0, 0.0, 0.0]], [[0.0, 0.04, 0.0, 0.0]], [[0.0, 0.0, 0.03, 0.0]], [[0.0, 0.0, 0.0, 0.02]]],
            "queries, as heads x rank x dimension";
    }
}

kinds! {
    /// Where the weights start.
    pub enum Start {
        Random(Random) = "random", "small Gaussian weights, Eq. (20)";
        Aligned(Aligned) = "aligned", "each head on its own eigenvector: heads stay apart";
        Saddle(Saddle) = "saddle", "at the fixed point that has learned some eigenvectors, Eq. (28), but for noise";
        Given(Given) = "given", "weights as listed";
    }
}

/// What linear attention declares about itself.
pub(crate) static SCHEMA: SystemSchema = SystemSchema {
    name: "linear-attention",
    title: "Training Dynamics of In-Context Learning in Linear Attention",
    about: "Linear attention learns regression in context, one principal component after the other.",
    dynamics: "flow",
    system: Section::plain("system", "The task, the model and the loss.", System::PARAMETERS),
    start: Section::by_kind("start", "Where the weights start.", "random", Start::KINDS, &[]),
    authors: &["Zhang, Yedi", "Singh, Aaditya K.", "Latham, Peter E.", "Saxe, Andrew"],
    view: View {
        with: &["gd"],
        lr: 0.5,
        drawn: &[
            ("system.loss", "minibatch"),
            ("system.sequences", "20000"),
            ("system.batch", "1000"),
        ],
        ..View::DEFAULT
    },
    experiments: shipped![
        "linear-attention":
        "fig1",
        "fig2",
        "fig3",
        "fig4",
        "fig5",
        "fig6",
        "fig7",
        "fig8",
        "fig9",
        "plateau-laws",
        "authors-rank-one",
        "authors-ranks",
        "one-axis",
        "merged",
        "mixture",
        "regression",
        "transfer",
        "saddle-graph",
        "time-against-scale",
        "time-against-context",
        "time-against-lambda",
        "time-against-rank",
        "zero-blocks",
    ],
    observables: &[crate::readings::quantities::OBSERVABLES],
    outcomes: crate::readings::quantities::OUTCOMES,
    cases: crate::cases::KINDS,
};
