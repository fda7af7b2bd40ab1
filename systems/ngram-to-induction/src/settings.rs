//! What can be set in n-gram to induction head, declared once for files, help and checks.

use saddlescope_spec::prelude::*;

choices! {
    /// What a token is drawn from, coordinate by coordinate.
    pub enum Tokens {
        Gaussian = "gaussian", "N(0, 1) in each coordinate";
        Boolean = "boolean", "+1 or -1 (Fig. 3)";
    }
}

choices! {
    /// How scores become weights, in the target and in the induction head alike.
    pub enum Attention {
        Exponential = "exponential", "exp/(L - 2), the simplification of appendix C.3.2";
        Softmax = "softmax", "the softmax of Eqs. (1) and (6)";
    }
}

choices! {
    /// What the first layer hands on as `y_s`: `x_{s-1}`, with `p~ = infinity`, or `sum_{tau < s} x_tau softmax(-p~ (s - 1 - tau))`.
    pub enum First {
        Previous = "previous", "y_s = x_{s-1}, as after an endless Stage I";
        Trained = "trained", "Eq. (5) with the parameter p_tilde";
    }
}

choices! {
    /// Whether query and key are one parameter.
    pub enum Coupling {
        Untied = "untied", "w_q and w_k each move by their own gradient, Eq. (4)";
        Tied = "tied", "one w, as appendix C.3.2 prints its flow: twice as fast";
    }
}

choices! {
    /// Which halves of the target and of the second layer take part; the two are decoupled in Stage II.
    pub enum Parts {
        Both = "both", "the mixed target, Eq. (2)";
        Gram = "4-gram", "head 1 and its half of the target alone";
        Induction = "induction", "head 2 and its half of the target alone";
    }
}

choices! {
    /// What the loss of a `D`-dimensional answer is.
    pub enum Reduction {
        Sum = "sum", "the squared norm of the error, as in Eq. (3)";
        Mean = "mean", "the mean over coordinates";
    }
}

choices! {
    pub enum Parametrisation {
        Parameters = "parameters", "the reparametrised transformer of appendix C.1";
        Matrices = "matrices", "the two-layer transformer of section 3.1.2 that it sits in";
    }
}

choices! {
    pub enum Average {
        Population = "population", "the exact expectation over all sequences";
        Empirical = "empirical", "the mean over a finite data set";
        Online = "online", "fresh sequences at each step";
    }
}

settings! {
    pub struct System {
        length: usize [4..=10_000_000] = 40, "tokens: L";
        alpha_star: f64 [> 0.0] = 1.0, "weight of the 4-gram to that of the induction head";
        w_star: f64 [> 0.0] = 0.49,
            "the target compares tokens by w_star^2 x y; Gaussian tokens with exponential attention need w_star < 0.7071";
        dimension: usize [1..=10_000] = 1, "coordinates of a token: D";
        tokens: Tokens = "gaussian", "what tokens are drawn from";
        attention: Attention = "exponential", "weights of the induction head and of its target";
        first: First = "previous", "the first layer";
        coupling: Coupling = "untied", "query and key of the induction head";
        parts: Parts = "both", "which halves of target and model take part";
        reduction: Reduction = "sum", "how coordinates of an error are added up";
        model: Parametrisation = "parameters", "how the transformer is parametrised";
        loss: Average = "population", "what the loss averages over";
        sequences: usize [1..=1_000_000_000] = 20000,
            "sequences in the data set", when loss is "empirical";
        batch: usize [1..=10_000_000] = 1000, "sequences per step", when loss is "online";
    }
}

choices! {
    /// The entries of a query or a key.
    pub enum Entries = Equal(f64) | Listed(Vec<f64> [; 1..])
}

settings! {
    pub struct Given {
        p_tilde: f64 = 0.01, "slope of the first layer, where it is trained";
        p: f64 = 0.01, "slope of head 1";
        g: f64 = 0.01, "value of head 1";
        w_q: Entries = 0.01, "query of head 2; a list in several dimensions";
        w_k: Entries = 0.01, "key of head 2; a list in several dimensions";
        h: f64 = 0.01, "value of head 2";
    }
}

settings! {
    pub struct Scale {
        scale: f64 [> 0.0] = 0.01, "size of the start: sigma_init";
    }
}

settings! {
    /// What goes with each [`Init`].
    pub struct Noise {
        noise: f64 [>= 0.0] = 0.0,
            "size of the normal numbers added to every matrix, where model = \"matrices\"";
    }
}

kinds! {
    pub enum Init {
        Equal(Scale) + Noise = "equal",
            "every parameter scale, Eq. (4); in several dimensions query and key have that norm, all entries alike";
        StageOne(Scale) + Noise = "stage-one",
            "as appendix C.2: p, w_q, w_k zero, the others alike";
        Random(Scale) + Noise = "random",
            "as equal, but query and key in random directions, keyed by the seed";
        Given(Given) + Noise = "given", "parameters as listed";
    }
}

impl Init {
    /// The size of the start, where it has one.
    pub(crate) fn scale(&self) -> Option<f64> {
        match self {
            Self::Equal(Scale { scale })
            | Self::StageOne(Scale { scale })
            | Self::Random(Scale { scale }) => Some(*scale),
            Self::Given(_) => None,
        }
    }
}

pub(crate) static SCHEMA: SystemSchema = SystemSchema {
    name: "ngram-to-induction",
    title: "How Transformers Get Rich: Training Dynamics Analysis",
    about: "A two-layer transformer learns a 4-gram at once and an induction head after a plateau.",
    system: Section::plain("system", "The task, the model and the loss.", System::PARAMETERS),
    start: Section::by_kind("start", "Where the parameters start.", "equal", Init::KINDS, &[]),
    view: View {
        set: &[("dynamics.until", "30000.0")],
        lr: 0.1,
        drawn: &[("system.loss", "online"), ("system.batch", "256")],
        ..View::DEFAULT
    },
    experiments: shipped![
        "ngram-to-induction":
        "fig1",
        "fig2",
        "fig3",
        "fig4",
        "stage-one",
        "joint",
        "phase-one",
        "one-axis",
        "matrices",
        "time-against-length",
        "time-against-alpha",
        "time-against-w-star",
        "time-against-scale",
    ],
    observables: &[crate::readings::quantities::OBSERVABLES],
    outcomes: crate::readings::quantities::OUTCOMES,
    cases: crate::cases::KINDS,
    ..SystemSchema::EMPTY
};
