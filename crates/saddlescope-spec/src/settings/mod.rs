//! Settings declared once: names, kinds, ranges, defaults and meanings, and the checked values.
//!
//! A struct declares the settings that are its fields, and with them a `const` table of [`Parameter`]s, which a [`Section`]
//! names. Whatever is asked of a setting (is this value allowed, what is its default, how is it explained) is answered from
//! that table; [`typed`] says all that can be declared, with an example.
//!
//! Values arrive as [`Input`] trees with their [`Origin`]; how a file becomes such a tree is not
//! this module's business. [`Section::resolve`] checks them and gives [`Settings`].

mod check;
pub mod dynamics;
pub mod evaluate;
pub mod experiment;
pub mod fit;
mod input;
mod kind;
pub mod outcome;
mod parameter;
mod problem;
pub mod record;
mod render;
mod resolve;
mod section;
mod source;
pub mod sweep;
pub mod typed;
mod values;

#[cfg(test)]
mod tests;

pub use input::{GivenValue, Input, Key, from_toml, read_literal, table_from_toml};
pub use kind::{Bounds, Kind, Limit};
pub use parameter::{Parameter, Presence, When};
pub use problem::{Problem, Result, SettingsError};
pub use render::{any_of, quote, render_input, render_key, render_value};
pub use section::{Renamed, Section, SystemSchema, Variant, Variants};
pub use source::{Origin, Place, Source};
pub use typed::{Choice, Declared, Field, Spanned, unbroken};
pub use values::{Overlay, Settings, Tensor, Value};
