//! Settings declared once: names, kinds, ranges, defaults and meanings, and the checked values.
//!
//! A [`Section`] lists [`Parameter`]s in a `const` table. Whatever is asked of a setting (is this
//! value allowed, what is its default, how is it explained) is answered from that table:
//!
//! ```
//! use saddlescope::settings::{Bounds, Input, Kind, Parameter, Section};
//!
//! const SYSTEM: Section = Section::plain(
//!     "system",
//!     "A toy with one knob of each sort.",
//!     &[
//!         Parameter::new("rank", Kind::Integer { min: 1, max: 64 }, "1", "rank of each head"),
//!         Parameter::required("scale", Kind::Number(Bounds::POSITIVE), "0.1", "size of the start"),
//!     ],
//! );
//!
//! let settings = SYSTEM.resolve_program(&[("scale", Input::Number(0.5))]).unwrap();
//! assert_eq!(settings.count("rank"), 1);
//! assert_eq!(settings.number("scale"), 0.5);
//!
//! let errors = SYSTEM.resolve_program(&[("scale", Input::Number(-1.0))]).unwrap_err();
//! assert_eq!(errors[0].problem.to_string(), "`system.scale` is -1, but must be a number > 0");
//! ```
//!
//! Values arrive as [`Input`] trees with their [`Origin`]; how a file becomes such a tree is not
//! this module's business. [`Section::resolve`] checks them and gives [`Settings`].

mod bounds;
mod check;
mod choice;
pub mod dynamics;
pub mod experiment;
pub mod figure;
pub mod fit;
mod input;
mod kind;
mod literal;
mod parameter;
mod problem;
pub mod record;
mod render;
mod resolve;
mod section;
mod source;
pub mod sweep;
mod values;

#[cfg(test)]
mod tests;

pub use bounds::{Bounds, Limit};
pub use input::{Given, Input, Key};
pub use kind::Kind;
pub use literal::read_literal;
pub use parameter::{Parameter, Presence, When};
pub use problem::{Problem, SettingsError};
pub use render::{any_of, quote, render_key, render_value};
pub use section::{Section, SystemSchema, Variant, Variants};
pub use source::{Origin, Place, Source};
pub use values::{Settings, Tensor, Value};
