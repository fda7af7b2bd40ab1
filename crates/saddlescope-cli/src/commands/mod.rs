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

use anyhow::anyhow;
use saddlescope::system::System;
use saddlescope_lab::nearest::nearest;
use saddlescope_lab::registry;

use crate::Failure;

/// The system of that name.
pub(crate) fn system(name: &str) -> Result<&'static dyn System, Failure> {
    registry::system(name).ok_or_else(|| {
        let names: Vec<&str> = registry::systems().iter().map(|system| system.name()).collect();
        let hint = nearest(name, &names)
            .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let known = names.join(", ");
        Failure::Input(anyhow!("there is no system `{name}`; {hint}known: {known}"))
    })
}
