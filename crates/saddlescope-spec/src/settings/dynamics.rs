//! How the state moves: an exact flow, a reduced theory, or an optimiser's steps.

use saddlescope::flow::Method;

use super::{Section, Settings, Value};
use crate::{choices, kinds, settings};

choices! {
    for Method {
        Auto = "auto", "explicit, and implicit where the flow turns stiff";
        Dop853 = "dop853", "explicit Runge-Kutta of order 8: fast where nothing is stiff";
        Radau = "radau", "implicit Runge-Kutta of order 9: for stiff flows",
            also "bdf", "read as \"radau\", which has taken its place";
    }
}

choices! {
    /// When a flow ends.
    pub enum Until = Time(f64 [> 0.0]) | {
        Converged = "converged", "until the loss has come to its known minimum";
    }
}

choices! {
    /// How the rate changes over the run.
    pub enum Schedule {
        Constant = "constant", "the same rate in every step";
        Cosine = "cosine", "half a cosine wave down to a fraction of the rate";
        Plateau = "plateau", "cut whenever the loss stops falling";
    }
}

settings! {
    /// The integration of a flow.
    pub struct Flow {
        method: Method = "auto", "the solver";
        rtol: f64 [> 0.0, < 1.0] = 1e-10, "error allowed in each step, relative to the state";
        atol: f64 [> 0.0] = 1e-12, "error allowed in each step where the state is small";
        until: Until = "converged", "when the flow ends", unit "time";
        max_steps: u64 [1..] = 1000000, "solver steps before giving up";
    }
}

settings! {
    /// The theory that is integrated.
    pub struct Theory {
        theory: Option<String>, example "scalar-law",
            "the theory, by name; the system's first one when none is given";
    }
}

settings! {
    /// The steps of an optimiser.
    pub struct Descent {
        rate: f64 [> 0.0], required 0.01, "learning rate";
        steps: u64 [1..], required 10000, "how many steps are taken";
        schedule: Schedule = "constant", "how the rate changes over the run";
        schedule_floor: f64 [>= 0.0, <= 1.0] = 0.0,
            "final rate, as a fraction of the first", when schedule is "cosine";
        schedule_factor: f64 [> 0.0, < 1.0] = 0.1,
            "what the rate is multiplied by at each cut", when schedule is "plateau";
        schedule_patience: u64 [0..] = 10,
            "steps without progress before a cut", unit "steps", when schedule is "plateau";
        schedule_threshold: f64 [>= 0.0, < 1.0] = 1e-4,
            "smallest fall of the loss, relative to it, that counts as progress",
            when schedule is "plateau";
        schedule_minimum: f64 [>= 0.0] = 0.0,
            "the rate is never cut below this", when schedule is "plateau";
        clip: Option<f64> [> 0.0], example 1.0, "largest norm of the whole gradient";
    }
}

settings! {
    /// Steps that keep part of the last one.
    pub struct Momentum {
        momentum: f64 [>= 0.0, < 1.0] = 0.9, "part of the last step that is kept";
        dampening: f64 [>= 0.0, < 1.0] = 0.0,
            "part of the gradient that is left out of the momentum";
        nesterov: bool = false, "whether to look ahead (Nesterov's form)";
    }
}

settings! {
    /// Steps that are scaled by the gradient's own size.
    pub struct Adam {
        beta1: f64 [>= 0.0, < 1.0] = 0.9, "memory of the mean gradient";
        beta2: f64 [>= 0.0, < 1.0] = 0.999, "memory of the mean squared gradient";
        epsilon: f64 [> 0.0] = 1e-8, "added to the root of the mean square";
    }
}

settings! {
    /// The pull towards zero.
    pub struct WeightDecay {
        weight_decay: f64 [>= 0.0] = 0.01, "pull towards zero, apart from the gradient";
    }
}

kinds! {
    /// What moves the state.
    pub enum Dynamics {
        Flow(Flow) = "flow", "gradient flow, integrated with controlled error";
        Reduced(Theory, Flow) = "reduced",
            "a reduced theory of the system in its place, integrated like a flow";
        Gd(Descent) = "gd", "gradient descent on the whole loss, which draws no batches";
        Sgd(Descent) = "sgd",
            "gradient descent on another batch in each step, of a loss that draws them";
        Momentum(Descent, Momentum) = "momentum", "gradient descent with momentum";
        Adam(Descent, Adam) = "adam", "Adam: steps scaled by the gradient's own size";
        AdamW(Descent, Adam, WeightDecay) = "adamw",
            "Adam with weight decay apart from the gradient";
    }
}

settings! {
    /// What moves, how fast, and when it stops, in every kind of dynamics.
    pub struct Limits {
        freeze: Vec<String> = [], "blocks that do not move, such as \"head.*.key\"";
        rates: Vec<(String, f64)> [>= 0.0] = {},
            "factors on the rate of some blocks, such as { \"head.*.value\" = 0.5 }";
        stop_below_loss: Option<f64>, example 1e-6, "stop as soon as the loss is below this";
        stop_below_gradient: Option<f64> [> 0.0], example 1e-9,
            "stop as soon as the norm of the gradient is below this";
        stop_converged: bool = false,
            "stop as soon as the loss has come to its known minimum, as a flow does until = \"converged\"";
        stop_parameter: Option<String>, example "head.0.value",
            "stop as soon as this parameter, or entry such as head.0.key[0,1], crosses stop_value";
        stop_value: Option<f64>, required 0.5, "the value to cross", when stop_parameter is given;
        stop_on: Option<String>, example "valid",
            "stop as soon as this observable, such as a validation loss, has not fallen for a while; the parameters at its least value are kept";
        stop_every: u64 [1..] = 100,
            "steps, of the optimiser or of the solver, from one reading of it to the next",
            unit "steps", when stop_on is given;
        stop_patience: u64 [0..] = 10,
            "readings in a row without progress that are let pass; the next one stops",
            when stop_on is given;
        stop_threshold: f64 [>= 0.0, < 1.0] = 0.0,
            "smallest fall below the best so far, relative to it, that counts as progress",
            when stop_on is given;
    }
}

/// The settings in `[dynamics]`, or in each `[[dynamics]]` of several phases.
pub const DYNAMICS: Section = Section::by_kind(
    "dynamics",
    "How the parameters move; several [[dynamics]] run one after the other.",
    "flow",
    Dynamics::KINDS,
    Limits::PARAMETERS,
);

/// What a `[dynamics]` says that is read as something else, in words.
pub fn replaced(settings: &Settings) -> Option<&'static str> {
    let bdf = settings.find("method").as_ref().and_then(Value::as_word) == Some("bdf");
    bdf.then_some("method = \"bdf\" is read as \"radau\", which has taken its place")
}
