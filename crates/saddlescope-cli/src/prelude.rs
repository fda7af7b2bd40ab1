//! What a system added from outside needs: `use saddlescope_cli::prelude::*;`.

pub use saddlescope::landscape::differentiated::{Differentiated, Formula};
pub use saddlescope::numeric::dual::Real;
pub use saddlescope::{Blocks, Fault, Landscape, Loss};
pub use saddlescope_spec::problem::Problem;
pub use saddlescope_spec::settings::{
    Section, Settings, SettingsError, SystemSchema, Tensor, Variants,
};
pub use saddlescope_spec::system::{Addition, System};
pub use saddlescope_spec::{choices, kinds, settings};

pub use crate::main_with;
