//! The instruments on models of the user's own: flows, descents, certificates, Hessians, laws, logs.

pub(crate) mod curvature;
pub(crate) mod descent;
pub(crate) mod flow;
pub(crate) mod laws;
pub(crate) mod logs;
mod model;
pub(crate) mod walk;
