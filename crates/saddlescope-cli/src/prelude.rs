//! What a system added from outside needs: `use saddlescope_cli::prelude::*;`.

pub use saddlescope_spec::prelude::*;

pub use crate::main_with;
