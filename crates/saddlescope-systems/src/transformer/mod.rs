//! The standard transformer on text.

pub mod text;
