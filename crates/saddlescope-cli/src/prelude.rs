//! What a system added from outside needs: `use saddlescope_cli::prelude::*;`.

pub use saddlescope::landscape::differentiated::{Differentiable, Differentiated, Formula};
pub use saddlescope::numeric::dual::Real;
pub use saddlescope::numeric::random::{Purpose, Stream};
pub use saddlescope::record::{Observable, Observables};
pub use saddlescope::symmetry::Symmetry;
pub use saddlescope::theory::{ReducedTheory, Theories};
pub use saddlescope::{Blocks, Draw, Fault, GradientFlow, Landscape, Loss};
pub use saddlescope_spec::cases::Case;
pub use saddlescope_spec::figure::{FigureSpec, PanelSpec};
pub use saddlescope_spec::outcome::Outcome;
pub use saddlescope_spec::prediction::{Prediction, RunData, Says, Scaling};
pub use saddlescope_spec::problem::{Invariant, KnownSaddle, Problem};
pub use saddlescope_spec::reference::{CaseError, CaseKind};
pub use saddlescope_spec::settings::{
    Section, Settings, SettingsError, SystemSchema, Tensor, Variants,
};
pub use saddlescope_spec::shipped::ShippedExperiment;
pub use saddlescope_spec::sketch::{Sketch, Token, TokenRole, TokenRow, TokenShape};
pub use saddlescope_spec::system::{Addition, System};
pub use saddlescope_spec::{case_kinds, choices, kinds, settings, shipped};

pub use crate::main_with;
