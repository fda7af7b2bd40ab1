//! What the modules of a system use: `use saddlescope_spec::prelude::*;`.

pub use saddlescope::dynamics::{Motion, Phase, PhaseError};
pub use saddlescope::event::{Condition, Event};
pub use saddlescope::flow::{Flow, FlowEnd};
pub use saddlescope::landscape::batched::{Batched, DrawingLoss, DrawnItems, ItemLoss, Source};
pub use saddlescope::landscape::differentiated::{Differentiable, Differentiated, Formula};
pub use saddlescope::numeric::dual::{Jet, Real};
pub use saddlescope::numeric::elementary;
pub use saddlescope::numeric::random::{Purpose, Stream};
pub use saddlescope::record::{Moment, Observable, Observables, Silent};
pub use saddlescope::symmetry::Symmetry;
pub use saddlescope::theory::{ReducedTheory, Theories};
pub use saddlescope::{
    Blocks, Draw, Fault, GradientFlow, Landscape, Loss, Scalar, VectorField, dispatch,
};

pub use crate::cases::Case;
pub use crate::error::Error;
pub use crate::figure::{FigureSpec, PanelSpec};
pub use crate::outcome::Outcome;
pub use crate::prediction::{Prediction, RunData, Says, Scaling};
pub use crate::problem::{Invariant, KnownSaddle, Problem, ProblemBuilder};
pub use crate::quantity::Quantity;
pub use crate::reference::{CaseError, CaseKind, Inputs};
pub use crate::settings::{
    Renamed, Result, Section, Settings, SettingsError, Spanned, SystemSchema, Tensor,
};
pub use crate::shipped::ShippedExperiment;
pub use crate::sketch::{Sketch, Token, TokenRole, TokenRow, TokenShape};
pub use crate::system::{Addition, System};
pub use crate::view::View;
pub use crate::{case_kinds, choices, kinds, settings, shipped};
