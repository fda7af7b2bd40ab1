//! What can be set in scan and snap, declared once for files, help and checks.

use saddlescope_spec::prelude::*;

use crate::matrices::Normalised;
use crate::{Ids, Outputs};

choices! {
    pub enum Classes {
        Synthetic = "synthetic", "common tokens, and distinct ones for each class (section 8)";
        Given = "given", "classes as listed: probabilities, query, next";
    }
}

choices! {
    for Ids {
        Own = "own",
            "queries and next tokens are tokens of their own, as the authors ran it: Syn-Small has 34";
        Shared = "shared",
            "they are the first tokens of the vocabulary, as the paper prints it: Syn-Small has 30";
    }
}

choices! {
    for Outputs {
        All = "all", "a column of Y for each token of the vocabulary";
        Used = "used",
            "one for each next token, and one for all others, which stay equal; not for Adam, nor for uneven starts";
    }
}

choices! {
    pub enum Average {
        Population = "population", "the exact loss of endless sequences (Lemma 2)";
        Empirical = "empirical", "the mean over a finite data set";
        Online = "online", "fresh sequences at each step";
    }
}

choices! {
    pub enum Parametrisation {
        Pairwise = "pairwise", "Y and Z are the parameters, as in the theory (section 3.1)";
        Embedding = "embedding",
            "embeddings U and matrices W_K, W_Q, W_V, of which Y and Z are products";
    }
}

choices! {
    for Normalised {
        Weights = "weights", "the weights of the tokens, as in the theory: a function of Y and Z";
        Embedding = "embedding", "the embedded vector, as in practice; no function of Y and Z";
    }
}

settings! {
    pub struct System {
        task: Classes = "synthetic", "the sequence classes";
        queries: usize [1..=100_000] = 2, "query tokens", when task is "synthetic";
        next_per_query: usize [1..=100_000] = 1,
            "classes, each with its next token, per query", when task is "synthetic";
        psi: Option<Vec<f64>> [>= 0.0; 1..], example [0, 0, 1],
            "the query of each class, counted from 0, in place of queries and next_per_query",
            when task is "synthetic";
        common: usize [0..=100_000] = 10, "tokens that all classes share", when task is "synthetic";
        common_weight: f64 [> 0.0] = 1.0, "weight of each of them", when task is "synthetic";
        distinct: usize [0..=100_000] = 10,
            "tokens of each class alone, with weights that rise evenly to 1",
            when task is "synthetic";
        distinct_weights: Option<Vec<f64>> [> 0.0; 1..], example [1.0, 2.0, 3.0, 4.0],
            "weights of a class's own tokens, in place of distinct", when task is "synthetic";
        ids: Ids = "own", "which tokens queries and next tokens are", when task is "synthetic";
        vocabulary: Option<usize> [2..=10_000_000], example 1000,
            "tokens in all: M; more than occur are no harm";
        probabilities: Option<Tensor>, required [[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]],
            "P(l|n): a row per class, a column per token", when task is "given";
        query: Option<Vec<f64>> [>= 0.0; 1..], required [0, 0],
            "the last token of each class: psi", when task is "given";
        next: Option<Vec<f64>> [>= 0.0; 1..], required [1, 2],
            "the token that each class predicts", when task is "given";
        model: Parametrisation = "pairwise", "how the transformer is parametrised";
        dimension: usize [1..=10_000] = 64,
            "coordinates of an embedding: d", when model is "embedding";
        normalised: Normalised = "weights",
            "what is brought to length one before the decoder reads it", when model is "embedding";
        eta_y: f64 [> 0.0] = 1.0, "rate of the decoder Y under flow", when model is "pairwise";
        eta_z: f64 [> 0.0] = 1.0, "rate of the logits Z under flow", when model is "pairwise";
        outputs: Outputs = "all", "which columns of Y are kept";
        heads: usize [1..=1000] = 1, "rows of logits per query, averaged before the norm";
        residual: bool = false, "whether the decoder sees the query, too (section 7)";
        c0: Option<f64> [> 0.0], example 1.0,
            "the constant C_0 of Theorem 4, in place of the start's own", when model is "pairwise";
        loss: Average = "population", "what the loss averages over";
        length: usize [2..=10_000_000] = 128,
            "tokens, the query among them: T", when loss is "empirical" or "online";
        batch: usize [1..=10_000_000] = 128, "sequences per step", when loss is "online";
        sequences: usize [1..=100_000_000] = 4096,
            "sequences in the data set", when loss is "empirical";
    }
}

settings! {
    /// `Y` and `Z` zero, but for noise.
    pub struct Zero {
        noise: f64 [>= 0.0] = 0.0, "size of normal numbers added to Z, keyed by the seed";
    }
}

settings! {
    pub struct Uniform {
        scale: Option<f64> [> 0.0], example 0.1, "largest entry; 1/sqrt(M) where it is not given";
    }
}

settings! {
    /// Normal matrices, whatever the embeddings.
    pub struct Matrices {
        scale: f64 [>= 0.0] = 1.0,
            "entries of W_K and W_Q are normal, of this size over sqrt(d); with sqrt(d/2) Z is about as fast as Y";
        value_scale: Option<f64> [>= 0.0], example 0.0,
            "the same for W_V; that of the others where it is not given";
    }
}

settings! {
    pub struct Given {
        z: Tensor, required [[0.0, 0.0, 0.0]],
            "logits: a row per query (head after head), a column per token that occurs";
        y: Option<Tensor>, example [[0.0, 0.0], [0.0, 0.0]],
            "decoder: a row per token that occurs, a column per token; zero where it is not given";
    }
}

kinds! {
    pub enum Init {
        Zero(Zero) = "zero", "Y = Z = 0, as in the theory";
        Uniform(Uniform) = "uniform",
            "every entry uniform, keyed by the seed: how the authors' Syn-Medium starts";
        Random(Matrices) = "random",
            "model = \"embedding\": normal embeddings of length about one, keyed by the seed";
        Orthogonal(Matrices) = "orthogonal",
            "model = \"embedding\", dimension at least M: orthonormal embeddings, keyed by the seed";
        Given(Given) = "given", "as listed";
    }
}

pub(crate) static SCHEMA: SystemSchema = SystemSchema {
    name: "scan-and-snap",
    title: "Scan and Snap: Understanding Training Dynamics and Token Composition in 1-layer Transformer",
    about: "A one-layer transformer scans for distinct tokens, drops common ones, and freezes.",
    dynamics: "flow",
    system: Section::plain("system", "The task, the model and the loss.", System::PARAMETERS)
        .retired(&[("contexts", "how often each token occurs is drawn at once; leave it out")]),
    start: Section::by_kind("start", "Where the parameters start.", "zero", Init::KINDS, &[]),
    authors: &["Tian, Yuandong", "Wang, Yiping", "Chen, Beidi", "Du, Simon"],
    view: View {
        set: &[("dynamics.until", "3000.0")],
        lr: 0.2,
        drawn: &[("system.loss", "online"), ("system.batch", "64"), ("system.length", "256")],
        ..View::DEFAULT
    },
    experiments: shipped![
        "scan-and-snap":
        "fig1",
        "fig2",
        "fig3",
        "fig4",
        "fig5",
        "fig6",
        "fig7",
        "fig8",
        "fig9",
        "fig10",
        "fig11",
        "fig12",
        "one-clock",
        "entropy-map",
        "heads",
        "residual",
        "embedding",
        "normalisation",
    ],
    observables: &[crate::readings::quantities::OBSERVABLES],
    outcomes: crate::readings::quantities::OUTCOMES,
    cases: crate::cases::KINDS,
};
