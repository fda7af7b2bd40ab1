//! One module per command.

pub(crate) mod check;
pub(crate) mod cite;
pub(crate) mod fit;
pub(crate) mod instruments;
pub(crate) mod list;
mod output;
mod plan;
pub(crate) mod plot;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod saddles;
pub(crate) mod serve;
pub(crate) mod stages;
pub(crate) mod sweep;
pub(crate) mod verify;
