//! What can be set in associative recall, declared once for files, help and checks.

use saddlescope_spec::prelude::*;

use crate::Simplified;
use crate::task::{Context, LARGEST_ORDER};

choices! {
    /// What is made small: how far the answer is from the response that the query asks for, which is found with
    /// probability `p`. 001, section 2.3 and appendix A.3.
    pub enum Objective {
        DotProduct = "dot-product", "1 - p of the right response, as the paper analyses";
        CrossEntropy = "cross-entropy", "-ln p of the right response";
    }
}

choices! {
    pub enum Window {
        Order = "order", "(A0): the lags 1 to k";
        All = "all", "every lag from 0 on, as in section 2.2";
    }
}

choices! {
    pub enum Second {
        Strengths = "strengths", "(A1): one strength beta per head";
        Matrices = "matrices", "whole matrices Q and K, as in section 2.2";
    }
}

choices! {
    /// What represents the query at the last position.
    pub enum Last {
        Solution = "solution", "(A2): the query's own tokens";
        Heads = "heads", "what the heads see at the last position";
    }
}

choices! {
    pub enum Competing {
        Responses = "responses", "(A3): the responses only";
        All = "all", "every position of the sequence";
    }
}

choices! {
    /// The matrix that compares tokens of permutations, which the paper has in two forms.
    pub enum Form {
        Proofs = "proofs", "(1 + gamma) I - gamma 11^T, as in the proofs: 1 on the diagonal";
        Printed = "printed", "I - gamma 11^T, as in appendix A.2: 1 - gamma on the diagonal";
    }
}

choices! {
    pub enum Words {
        Complete = "complete", "all permutations in lexicographic order, as in the paper";
        Shuffled = "shuffled", "all permutations, in an order of its own in each sequence";
        Incomplete = "incomplete", "some permutations, drawn for each sequence, in random order";
        Repeating = "repeating", "words whose tokens may be equal, drawn for each sequence, in random order";
    }
}

choices! {
    pub enum Average {
        Population = "population", "the exact expectation over all maps and queries";
        Empirical = "empirical", "the mean over a finite data set";
        Online = "online", "fresh sequences at each step";
    }
}

settings! {
    pub struct System {
        order: usize [2..=LARGEST_ORDER as i64] = 4, "tokens of a permutation: k";
        responses: usize [2..=10_000] = 4, "possible responses: R";
        heads: usize [1..=LARGEST_ORDER as i64] = 3,
            "heads of the first layer, at most k; k - 1 of them are useful";
        gamma: f64 [> -1.0] = 0.0,
            "how far unequal tokens of permutations repel: the off-diagonal of their comparison is -gamma";
        gamma_form: Form = "proofs", "which matrix compares tokens of permutations";
        context: Words = "complete", "which words a context lists with their responses; the query is one of them";
        entries: usize [2..=100_000] = 12, "words of a context, all different",
            when context is "incomplete" or "repeating";
        objective: Objective = "dot-product", "the loss of a prediction";
        window: Window = "order", "lags that the heads see";
        second: Second = "strengths", "the second layer";
        last: Last = "solution", "what stands for the query at the last position";
        softmax: Competing = "responses", "positions that compete for attention";
        loss: Average = "population", "what the loss averages over";
        sequences: usize [1..=1_000_000_000] = 5000,
            "sequences in the data set", when loss is "empirical";
        batch: usize [1..=10_000_000] = 1024, "sequences per step", when loss is "online";
    }
}

impl System {
    pub(crate) fn context(&self) -> Context {
        match self.context {
            Words::Complete => Context::Complete,
            Words::Shuffled => Context::Shuffled,
            Words::Incomplete => Context::Incomplete(self.entries),
            Words::Repeating => Context::Repeating(self.entries),
        }
    }

    /// Which of the paper's simplifications the model keeps.
    pub(crate) fn simplified(&self) -> Simplified {
        Simplified {
            window: self.window == Window::Order,
            strengths: self.second == Second::Strengths,
            solution: self.last == Last::Solution,
            responses: self.softmax == Competing::Responses,
        }
    }
}

settings! {
    pub struct Given {
        beta: Vec<f64> [; 1..] = [0.1, 0.03, 0.01], "strength of each head";
        scale: f64 [>= 0.0] = 1.0, "factor of all strengths";
        w: Option<Tensor>,
            example [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
            "weights over the lags 1 to k, as heads x lags; all zero when none are given";
    }
}

settings! {
    /// Strengths and weights drawn.
    pub struct Random {
        scale: f64 [>= 0.0] = 0.05, "size of the strengths, which are |normal|";
        spread: f64 [>= 0.0] = 0.0, "size of the normal weights over the lags";
    }
}

settings! {
    /// Strengths of a given sum.
    pub struct Simplex {
        size: f64 [> 0.0] = 0.2, "sum of the strengths, which are drawn evenly from all";
    }
}

settings! {
    /// Heads that attend to a lag each.
    pub struct Specialised {
        beta: Vec<f64> [; 1..] = [0.1, 0.03, 0.01], "strength of each head";
        scale: f64 [>= 0.0] = 1.0, "factor of all strengths";
        lags: Option<Vec<f64>> [>= 1.0; 1..], example [1, 2, 3],
            "the lag that each head attends to; lag h for head h without it";
        weight: f64 = 2.0, "how far the weight on that lag is above the others, which are zero";
    }
}

settings! {
    /// Some heads have learned, the next one is small, the others are zero. 001, appendix A.6.
    pub struct Plateau {
        learned: usize [0..=LARGEST_ORDER as i64] = 1, "how many heads have learned: the first ones";
        strength: f64 [> 0.0] = 7.0, "strength c of the heads that have learned";
        weight: f64 = 40.0, "c_1: how far their weights are raised on their own lags";
        shift: f64 = 0.0, "c_2: added to all their weights, which changes nothing but the numbers";
        scale: f64 [>= 0.0] = 0.05, "strength of the next head";
    }
}

settings! {
    /// What goes with each [`Init`].
    pub struct Noise {
        noise: f64 [>= 0.0] = 0.0, "size of the random part of Q and K, where second = \"matrices\"";
    }
}

kinds! {
    pub enum Init {
        Given(Given) + Noise = "given", "strengths and weights as listed";
        Random(Random) + Noise = "random", "strengths and weights drawn, keyed by the seed";
        Specialised(Specialised) + Noise = "specialised",
            "strengths as listed; each head attends to one lag from the start";
        Plateau(Plateau) + Noise = "plateau",
            "the first heads have learned, the next one is small, the others are zero: appendix A.6";
        Simplex(Simplex) + Noise = "simplex",
            "strengths of a given sum, drawn evenly, keyed by the seed; weights zero";
    }
}

pub(crate) static SCHEMA: SystemSchema = SystemSchema {
    name: "associative-recall",
    title: "Incremental Learning in Transformers for In-Context Associative Recall",
    about: "A two-layer transformer learns to match a query's tokens, one head after the other.",
    system: Section::plain("system", "The task, the model and the loss.", System::PARAMETERS).renamed(&[Renamed {
        old: "gain",
        new: "gamma",
        plus: -1.0,
        note: "without (A0), (A2) or (A3) unequal tokens now score -gamma, which `gain` alone left out",
    }]),
    start: Section::by_kind("start", "Where the parameters start.", "given", Init::KINDS, &[]),
    view: View {
        lr: 1.0,
        drawn: &[("system.loss", "online"), ("system.batch", "256")],
        ..View::DEFAULT
    },
    experiments: shipped![
        "associative-recall":
        "fig1",
        "fig2",
        "fig3",
        "fig4",
        "order-map",
        "time-against-scale",
        "relaxations",
        "without-a2",
        "full-transformer",
        "contexts",
        "ladder",
        "losses",
        "one-axis",
        "wrong-lag",
        "late-growth",
        "staircase",
        "second-layer",
        "first-jump",
        "conservation",
        "scales",
        "time-against-order",
        "time-against-responses",
        "starts",
        "specialised",
        "saddle-graph",
    ],
    observables: &[crate::readings::quantities::OBSERVABLES],
    outcomes: crate::readings::quantities::OUTCOMES,
    cases: crate::cases::KINDS,
    ..SystemSchema::EMPTY
};
