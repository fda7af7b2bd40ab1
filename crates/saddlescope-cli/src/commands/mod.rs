//! One module per command.

pub(crate) mod check;
pub(crate) mod cite;
pub(crate) mod fit;
pub(crate) mod instruments;
pub(crate) mod list;
mod output;
pub(crate) mod plot;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod saddles;
pub(crate) mod serve;
pub(crate) mod stages;
pub(crate) mod sweep;
mod text;
pub(crate) mod verify;

use saddlescope_lab::registry::Registry;
use saddlescope_spec::system::System;

use crate::Failure;

/// The system of that name.
fn system(name: &str, registry: &Registry) -> Result<&'static dyn System, Failure> {
    registry.find(name).map_err(Failure::input)
}
