//! Settings as fields: a struct or an enum, the table that declares it, and the way from checked [`Settings`] to it, written once.
//!
//! Three macros declare all there is. [`choices!`](crate::choices) makes an enum of words, [`settings!`](macro@crate::settings) a
//! struct of settings, [`kinds!`](crate::kinds) an enum over the `kind` of a section. Each also gives the table that files are
//! checked against and that `schema` explains, so that the two cannot differ:
//!
//! ```
//! use saddlescope_spec::settings::{Input, Section, SettingsError, Spanned, Tensor};
//! use saddlescope_spec::{choices, kinds, settings};
//!
//! choices! {
//!     /// What the loss averages over.
//!     pub enum Loss {
//!         Population = "population", "the exact expectation";
//!         Empirical = "empirical", "the mean over a data set";
//!     }
//! }
//!
//! choices! {
//!     /// When the flow ends: a word, or a number.
//!     pub enum Until {
//!         Converged = "converged", "at the minimum";
//!     } | Time(f64 [> 0.0])
//! }
//!
//! settings! {
//!     /// The task and the model.
//!     pub struct System {
//!         rank: usize [1..=64] = 1, "rank of each head: R";
//!         scale: f64 [>= 0.0, < 1.0], required 0.1, "size of the weights";
//!         eigenvalues: Vec<f64> [> 0.0; 1..] = [0.4, 0.3], "one per dimension";
//!         until: Until = "converged", "when the flow ends", unit "time";
//!         loss: Loss = "population", "what the loss averages over";
//!         sequences: usize [1..] = 5000, "sequences of the data set", when loss is "empirical";
//!         file: Option<String>, example "data.txt", "where the data comes from", when loss is "empirical";
//!     }
//! }
//!
//! settings! {
//!     /// Weights as listed.
//!     pub struct Listed {
//!         key: Tensor [depth 3], required [[[0.05, 0.0]]], "keys, as heads x rank x dimension";
//!     }
//! }
//!
//! kinds! {
//!     /// Where the weights start.
//!     pub enum Start {
//!         Zero = "zero", "all weights 0";
//!         Given(Listed) = "given", "weights as listed";
//!     }
//! }
//!
//! const SYSTEM: Section = Section::plain("system", "The task and the model.", System::PARAMETERS);
//! const START: Section =
//!     Section::by_kind("start", "The start.", "zero", Start::KINDS, &[]);
//! assert_eq!((SYSTEM.audit().len(), START.audit().len()), (0, 0));
//!
//! let errors = SYSTEM.resolve_program(&[("scale", Input::Number(-1.0))]).unwrap_err();
//! assert_eq!(errors[0].problem.to_string(), "`system.scale` is -1, but must be a number >= 0 and < 1");
//!
//! let checked = SYSTEM.resolve_program(&[("scale", Input::Number(0.5))]).unwrap();
//! let system: Spanned<System> = checked.read();
//! assert_eq!((system.rank, system.until.clone(), system.file.is_none()), (1, Until::Converged, true));
//! let late: SettingsError = system.wrong("rank", "is above the dimension");
//! assert_eq!(late.problem.to_string(), "`system.rank` is above the dimension");
//! assert_eq!(START.resolve_program(&[]).unwrap().read::<Start>(), Start::Zero);
//! ```
//!
//! - The type of a field decides what is accepted: `f64`, `usize`, `u64`, `i64`, `bool`, `String`, `Vec<String>`, `Vec<f64>`,
//!   `Vec<Vec<f64>>`, `Vec<(String, f64)>` (a table), [`Tensor`], an enum of [`choices!`](crate::choices), or an `Option` of
//!   these. Brackets narrow it: `[1..=64]`, `[1..]`, `[> 0.0]`, `[>= 0.0, < 1.0]`, `[> 0.0; 2..]` and `[; 2..]` for lists of two
//!   or more numbers, `[depth 3]` for tensors (matrices without it), `[as KIND]` for a [`Kind`] of one's own.
//! - `= 1.0` is the default, written as in a TOML file. `required 0.1` and `example 0.1` have none and show an example. A setting
//!   that may have no value is an `Option`: one with an `example`, and one that is `required` only `when` a condition holds. A
//!   default has a value even where its condition does not hold. The compiler checks this.
//! - `choices! { for Method { ... } }` gives words to an enum that exists already; `also "bdf", "..."` is a second word for the same.
//! - One table may hold the settings of several structs; tuples read them: `settings.read::<(Text, Model)>()`. A kind may have
//!   several: `Adam(Descent, Adam) = "adam", ...;`, and further ones that are read apart from it: `Lines(Lines) + Axes = ...`.
//! - A pair such as `(f64, f64)` is a list of numbers; that it has no more than two is for the section's own checks, such as
//!   [`Settings::check_range`].

use std::ops::Deref;

use super::resolve::literal_value;
use super::values::Entry;
use super::{
    Bounds, Kind, Origin, Overlay, Parameter, Result, Settings, SettingsError, Tensor, Value,
};
use crate::error::Error;

/// A type of fields that hold settings.
pub trait Field: Sized {
    /// What it accepts where nothing narrows it.
    const KIND: Kind;
    /// Whether it can stand for a setting without a value.
    const OPTIONAL: bool = false;

    /// The field, from a value of its kind.
    fn of(value: &Value) -> Option<Self>;

    /// The field of a setting without a value.
    fn absent() -> Option<Self> {
        None
    }
}

/// An enum of words.
pub trait Choice: Field {
    /// The word that stands for it in files.
    fn word(&self) -> &'static str;
}

/// A type that is read from the checked settings of a section.
pub trait Declared: Sized {
    /// Reads all fields. The settings are those of a section that was declared with this type.
    fn read(settings: &Settings) -> Self;
}

/// What was read, with the settings that it was read from, so that later complaints can point at them.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned<T> {
    fields: T,
    pub source: Settings,
}

impl<T> Spanned<T> {
    /// An error about the value of `name`; `message` continues the name: `has shape 4x3, but ...`.
    pub fn wrong(&self, name: &str, message: impl Into<String>) -> SettingsError {
        self.source.wrong(name, message)
    }

    /// `Ok` where something `holds`; otherwise `message` says what is wrong with the setting `name`.
    pub fn ensure(&self, holds: bool, name: &str, message: impl Into<String>) -> super::Result<()> {
        self.source.ensure(holds, name, message)
    }

    /// The numbers of a list, which must be whole.
    pub fn wholes(&self, name: &str, list: &[f64]) -> Result<Vec<usize>> {
        match list.iter().find(|x| x.fract() != 0.0) {
            None => Ok(list.iter().map(|x| *x as usize).collect()),
            Some(wrong) => Err(self.wrong(name, format!("has {wrong}, expected whole numbers"))),
        }
    }

    /// The numbers of a block, where it is given, which must have that shape; its axes are `of` what.
    pub fn shaped<const N: usize>(
        &self,
        name: &str,
        block: &Option<Tensor>,
        wanted: [usize; N],
        of: &str,
    ) -> Result<Option<Vec<f64>>> {
        let Some(Tensor { shape, values }) = block else { return Ok(None) };
        if *shape == wanted {
            return Ok(Some(values.clone()));
        }
        let words = |extents: &[usize]| {
            extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")
        };
        let message = format!("is {}, expected {} ({of})", words(shape), words(&wanted));
        Err(self.wrong(name, message))
    }

    /// What a constructor found wrong, about the setting that it names, or else about `other`.
    pub fn blame(&self, error: &Error, other: &str) -> SettingsError {
        match error {
            Error::Value { what, value, expected } if self.source.declares(what) => {
                self.wrong(what, format!("is {value}, expected {expected}"))
            }
            Error::Length { what, found, expected } if self.source.declares(what) => {
                self.wrong(what, format!("has {found} entries, expected {expected}"))
            }
            _ => self.wrong(other, format!("does not fit: {error}")),
        }
    }

    /// `Ok` when the block of numbers `name` has that shape; `otherwise` says what it does not fit.
    pub fn check_shape(
        &self,
        name: &str,
        tensor: &Tensor,
        shape: &[usize],
        otherwise: &str,
    ) -> Result<()> {
        if tensor.shape == shape {
            return Ok(());
        }
        let found: Vec<String> = tensor.shape.iter().map(ToString::to_string).collect();
        Err(self.wrong(name, format!("has shape {}, but {otherwise}", found.join(" x "))))
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.fields
    }
}

impl<T: Declared> Declared for Spanned<T> {
    fn read(settings: &Settings) -> Self {
        Self { fields: T::read(settings), source: settings.clone() }
    }
}

impl<A: Declared, B: Declared> Declared for (A, B) {
    fn read(settings: &Settings) -> Self {
        (A::read(settings), B::read(settings))
    }
}

impl Settings {
    /// The settings as the fields of the type that declares them.
    pub fn read<T: Declared>(&self) -> T {
        T::read(self)
    }

    /// The setting `name`, as a field of the type that declares it. What was checked has a value of that type, so that only a
    /// section that was not declared with the type is an error: the programmer's.
    pub fn field<T: Field>(&self, name: &str) -> T {
        let value = self.entry(name).value.as_ref();
        value.map_or_else(T::absent, T::of).unwrap_or_else(|| {
            panic!(
                "setting `{name}` of [{}] is read as a type that does not declare it",
                self.label()
            )
        })
    }

    /// Every setting of a table at its default; what must be given is as in its example, what need not is not there.
    pub fn defaults(parameters: &'static [Parameter]) -> Self {
        let entry = |parameter: &'static Parameter| {
            let value = parameter.always_has_value().then(|| literal_value(parameter));
            Entry { parameter, value, origin: Origin::Default, counts: true }
        };
        Self::new("", None, parameters.iter().map(entry).collect())
    }

    /// The kind of the section, to an enum that declares all of them; the programmer's error where it does not.
    pub fn kind_of<T>(&self, read: impl FnOnce(&str) -> Option<T>) -> T {
        self.kind().and_then(read).unwrap_or_else(|| {
            panic!(
                "the kind {:?} of [{}] is read as a type that does not declare it",
                self.kind(),
                self.label()
            )
        })
    }
}

/// The kinds of plain types.
macro_rules! fields {
    ($($type:ty: $kind:expr, $read:expr;)+) => {
        $(impl Field for $type {
            const KIND: Kind = $kind;

            fn of(value: &Value) -> Option<Self> {
                let read: fn(&Value) -> Option<Self> = $read;
                read(value)
            }
        })+
    };
}

fields! {
    f64: Kind::Number(Bounds::ANY), Value::as_number;
    i64: Kind::Integer { min: i64::MIN, max: i64::MAX }, Value::as_integer;
    u64: Kind::at_least(0), |value| value.as_integer()?.try_into().ok();
    usize: Kind::at_least(0), |value| value.as_integer()?.try_into().ok();
    bool: Kind::Switch, Value::as_switch;
    String: Kind::Text, |value| value.as_word().map(str::to_owned);
    Vec<String>: Kind::Texts, |value| value.as_texts().map(<[_]>::to_vec);
    Vec<f64>: Kind::Numbers { each: Bounds::ANY, min_len: 0 }, |value| value.as_numbers().map(<[_]>::to_vec);
    Vec<Vec<f64>>: Kind::Lists { each: Bounds::ANY }, |value| value.as_lists().map(<[_]>::to_vec);
    Vec<(String, f64)>: Kind::NumberTable { each: Bounds::ANY }, |value| value.as_table().map(<[_]>::to_vec);
    (f64, f64): Kind::Numbers { each: Bounds::ANY, min_len: 2 }, |value| pair(value, |number| number);
    (usize, usize): Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 2 }, |value| pair(value, |number| number as usize);
    Tensor: Kind::Tensor { depth: 2 }, |value| value.as_tensor().cloned();
    Overlay: Kind::Overlay, |value| value.as_overlay().cloned();
}

/// The first two numbers of a list. Whether there are more, a section's own checks see.
fn pair<T>(value: &Value, read: fn(f64) -> T) -> Option<(T, T)> {
    match *value.as_numbers()? {
        [first, second, ..] => Some((read(first), read(second))),
        _ => None,
    }
}

impl<T: Field> Field for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;

    fn of(value: &Value) -> Option<Self> {
        T::of(value).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl Kind {
    /// The same kind with other limits of its whole numbers.
    pub const fn between(self, min: i64, max: i64) -> Self {
        match self {
            Self::Integer { .. } => Self::Integer { min, max },
            _ => panic!("only whole numbers lie between whole numbers"),
        }
    }

    /// The same kind with another range of its numbers.
    pub const fn within(self, each: Bounds) -> Self {
        match self {
            Self::Number(_) => Self::Number(each),
            Self::Numbers { min_len, .. } => Self::Numbers { each, min_len },
            Self::Lists { .. } => Self::Lists { each },
            Self::NumberTable { .. } => Self::NumberTable { each },
            _ => panic!("a setting without numbers has no range of them"),
        }
    }

    /// The same list, with at least so many numbers.
    pub const fn of_length(self, min_len: usize) -> Self {
        match self {
            Self::Numbers { each, .. } => Self::Numbers { each, min_len },
            _ => panic!("only lists of numbers have a length"),
        }
    }

    /// The same tensor, with so many levels of lists.
    pub const fn of_depth(self, depth: usize) -> Self {
        match self {
            Self::Tensor { .. } => Self::Tensor { depth },
            _ => panic!("only tensors have a depth"),
        }
    }
}

impl Parameter {
    /// The same setting, which a field of a type that is `optional` or not can hold.
    #[must_use]
    pub const fn held(self, optional: bool) -> Self {
        assert!(
            optional != self.always_has_value(),
            "Option is for settings that may have no value, and for no others"
        );
        self
    }
}

/// `text` with a space for every line break, which `stringify!` adds to long lists.
pub const fn unbroken<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    let mut place = 0;
    while place < N {
        let byte = text.as_bytes()[place];
        bytes[place] = if byte == b'\n' { b' ' } else { byte };
        place += 1;
    }
    bytes
}

/// Parts of the macros below.
#[doc(hidden)]
#[macro_export]
macro_rules! setting_part {
    (kind $type:ty) => { <$type as $crate::settings::Field>::KIND };
    (kind $type:ty; as $kind:expr) => { $kind };
    (kind $type:ty; depth $depth:expr) => { $crate::setting_part!(kind $type).of_depth($depth) };
    (kind $type:ty; $min:tt ..= $max:expr) => { $crate::setting_part!(kind $type).between($min, $max) };
    (kind $type:ty; $min:tt ..) => { $crate::setting_part!(kind $type).between($min, i64::MAX) };
    (kind $type:ty; ; $length:tt ..) => { $crate::setting_part!(kind $type).of_length($length) };
    (kind $type:ty; $sign:tt $limit:expr $(, $other:tt $high:expr)? $(; $length:tt ..)?) => {
        $crate::setting_part!(kind $type)
            .within($crate::setting_part!(bounds $sign $limit $(, $other $high)?))
            $(.of_length($length))?
    };

    (bounds $sign:tt $limit:expr) => {
        $crate::settings::Bounds {
            low: $crate::setting_part!(low $sign $limit),
            high: $crate::setting_part!(high $sign $limit),
        }
    };
    (bounds $sign:tt $low:expr, $other:tt $high:expr) => {
        $crate::settings::Bounds {
            low: $crate::setting_part!(low $sign $low),
            high: $crate::setting_part!(high $other $high),
        }
    };
    (low > $limit:expr) => { $crate::settings::Limit::Open($limit) };
    (low >= $limit:expr) => { $crate::settings::Limit::Closed($limit) };
    (low $sign:tt $limit:expr) => { $crate::settings::Limit::None };
    (high < $limit:expr) => { $crate::settings::Limit::Open($limit) };
    (high <= $limit:expr) => { $crate::settings::Limit::Closed($limit) };
    (high $sign:tt $limit:expr) => { $crate::settings::Limit::None };

    (literal $literal:tt) => {{
        const TEXT: &str = stringify!($literal);
        const BYTES: [u8; TEXT.len()] = $crate::settings::unbroken(TEXT);
        match ::std::str::from_utf8(&BYTES) {
            Ok(literal) => literal,
            Err(_) => TEXT,
        }
    }};

    (when) => { None };
    (when $on:ident given) => { Some($crate::settings::When::Given(stringify!($on))) };
    (when $on:ident $($word:literal)+) => { Some($crate::settings::When::Is(stringify!($on), &[$($word),+])) };
}

/// Declares a struct of settings: see [the module](crate::settings::typed).
#[macro_export]
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                $field:ident: $type:ty $([$($range:tt)*])?
                $(= $default:tt)? $(, required $required:tt)? $(, example $example:tt)?,
                $about:literal
                $(, unit $unit:literal)? $(, when $on:ident is $condition:tt $(or $word:literal)*)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        $vis struct $name {
            $(#[doc = $about] $vis $field: $type,)*
        }

        impl $name {
            /// The declared settings, in the order of the fields.
            $vis const PARAMETERS: &'static [$crate::settings::Parameter] = &[$(
                $crate::settings::Parameter {
                    name: stringify!($field),
                    kind: $crate::setting_part!(kind $type $(; $($range)*)?),
                    presence:
                        $($crate::settings::Presence::Default($crate::setting_part!(literal $default)))?
                        $($crate::settings::Presence::Required($crate::setting_part!(literal $required)))?
                        $($crate::settings::Presence::Optional($crate::setting_part!(literal $example)))?,
                    about: $about,
                    unit: concat!("" $(, $unit)?),
                    when: $crate::setting_part!(when $($on $condition $($word)*)?),
                }
                .held(<$type as $crate::settings::Field>::OPTIONAL),
            )*];

            /// Every setting at its default; what must be given is as in its example.
            #[allow(dead_code, reason = "not every struct is built without settings")]
            $vis fn defaults() -> Self {
                $crate::settings::Settings::defaults(Self::PARAMETERS).read()
            }
        }

        impl $crate::settings::Declared for $name {
            fn read(settings: &$crate::settings::Settings) -> Self {
                Self { $($field: settings.field(stringify!($field)),)* }
            }
        }
    };
}

/// Declares an enum over the kinds of a section, each with its structs of settings: see [the module](crate::settings::typed).
#[macro_export]
macro_rules! kinds {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($variant:ident $(($($group:ty),+))? $(+ $more:ident)* = $word:literal, $about:literal;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        $vis enum $name {
            $(#[doc = $about] $variant $(($($group),+))?,)+
        }

        impl $name {
            /// The declared kinds with their settings.
            $vis const KINDS: &'static [$crate::settings::Variant] = &[$(
                $crate::settings::Variant {
                    name: $word,
                    about: $about,
                    parameters: &[$($(<$group>::PARAMETERS,)+)? $($more::PARAMETERS),*],
                },
            )+];

            /// The word after `kind = `.
            #[allow(dead_code, reason = "only messages need it")]
            $vis fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $word,)+
                }
            }
        }

        impl $crate::settings::Declared for $name {
            fn read(settings: &$crate::settings::Settings) -> Self {
                settings.kind_of(|kind| match kind {
                    $($word => Some(Self::$variant $(($(settings.read::<$group>()),+))?),)+
                    _ => None,
                })
            }
        }
    };
}

/// Declares an enum of words, perhaps with another type as an alternative: see [the module](crate::settings::typed).
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($variant:ident = $word:literal, $about:literal;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name {
            $(#[doc = $about] $variant,)+
        }

        $crate::choices! {
            for $name { $($variant = $word, $about;)+ }
        }
    };
    (
        for $name:ident {
            $($variant:ident = $word:literal, $about:literal $(, also $other:literal, $meaning:literal)?;)+
        }
    ) => {
        impl $crate::settings::Choice for $name {
            fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::settings::Field for $name {
            const KIND: $crate::settings::Kind =
                $crate::settings::Kind::Choice(&[$(($word, $about), $(($other, $meaning),)?)+]);

            fn of(value: &$crate::settings::Value) -> Option<Self> {
                match value.as_word()? {
                    $($word $(| $other)? => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($variant:ident = $word:literal, $about:literal;)+
        } | $other:ident($type:ty $([$($range:tt)*])?)
    ) => {
        $crate::choices! {
            @either $(#[$meta])* $vis $name
            [
                $crate::settings::Kind::Choice(&[$(($word, $about)),+]),
                $crate::setting_part!(kind $type $(; $($range)*)?),
            ]
            [$($variant = $word, $about;)+]
            [$other($type)]
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident = $other:ident($type:ty $([$($range:tt)*])?) | {
            $($variant:ident = $word:literal, $about:literal;)+
        }
    ) => {
        $crate::choices! {
            @either $(#[$meta])* $vis $name
            [
                $crate::setting_part!(kind $type $(; $($range)*)?),
                $crate::settings::Kind::Choice(&[$(($word, $about)),+]),
            ]
            [$($variant = $word, $about;)+]
            [$other($type)]
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident =
            $($other:ident($type:ty $([$($range:tt)*])?))|+
    ) => {
        $crate::choices! {
            @either $(#[$meta])* $vis $name
            [$($crate::setting_part!(kind $type $(; $($range)*)?),)+]
            []
            [$($other($type))+]
        }
    };
    (
        @either $(#[$meta:meta])* $vis:vis $name:ident
        [$($kind:expr,)+]
        [$($variant:ident = $word:literal, $about:literal;)*]
        [$($other:ident($type:ty))+]
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        $vis enum $name {
            $(#[doc = $about] $variant,)*
            $(#[doc = concat!("A value of type `", stringify!($type), "`.")] $other($type),)+
        }

        impl $crate::settings::Field for $name {
            const KIND: $crate::settings::Kind = $crate::settings::Kind::Either(&[$($kind),+]);

            fn of(value: &$crate::settings::Value) -> Option<Self> {
                $(if let Some(value) = <$type as $crate::settings::Field>::of(value) {
                    return Some(Self::$other(value));
                })+
                match value.as_word()? {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
