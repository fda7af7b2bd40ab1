//! One module per command.

pub(crate) mod check;
pub(crate) mod cite;
pub(crate) mod list;
mod output;
pub(crate) mod plot;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod stages;
pub(crate) mod verify;

use anyhow::anyhow;
use saddlescope::system::System;
use saddlescope_lab::nearest::nearest;
use saddlescope_systems::SYSTEMS;

use crate::Failure;

/// The system of that name.
pub(crate) fn system(name: &str) -> Result<&'static dyn System, Failure> {
    let names: Vec<&str> = SYSTEMS.iter().map(|system| system.name()).collect();
    SYSTEMS.iter().find(|system| system.name() == name).copied().ok_or_else(|| {
        let hint = nearest(name, &names)
            .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let known = names.join(", ");
        Failure::Input(anyhow!("there is no system `{name}`; {hint}known: {known}"))
    })
}
