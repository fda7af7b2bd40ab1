//! Models with all their matrices: the minimal one, the full transformer, and both with restricted contexts.

pub mod full;
pub mod minimal;
pub mod restricted;
