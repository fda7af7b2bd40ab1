//! Settings declared once: names, kinds, ranges, defaults and meanings, and the checked values.
//!
//! A struct declares the settings that are its fields, and with them a `const` table of [`Parameter`]s, which a [`Section`]
//! names. Whatever is asked of a setting (is this value allowed, what is its default, how is it explained) is answered from
//! that table; [`typed`] says all that can be declared:
//!
//! ```
//! use saddlescope_spec::settings;
//! use saddlescope_spec::settings::{Input, Section};
//!
//! settings! {
//!     /// A toy with two knobs.
//!     pub struct System {
//!         rank: usize [1..=64] = 1, "rank of each head";
//!         scale: f64 [> 0.0], required 0.1, "size of the start";
//!     }
//! }
//!
//! const SYSTEM: Section = Section::plain("system", "A toy with two knobs.", System::PARAMETERS);
//!
//! let settings = SYSTEM.resolve_program(&[("scale", Input::Number(0.5))]).unwrap();
//! assert_eq!(settings.read::<System>(), System { rank: 1, scale: 0.5 });
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
pub mod typed;
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
pub use typed::{Choice, Declared, Field, Located, unbroken};
pub use values::{Settings, Tensor, Value};
