//! The engine from outside: one binary, which links once.

mod descent_properties;
mod torch_optimisers;
