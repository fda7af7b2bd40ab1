//! What can be wrong with a rule's settings.

/// Why a rule cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RuleError {
    /// A setting lies outside its range.
    #[error("{rule}: {setting} is {value}, expected {expected}")]
    Setting {
        /// The optimiser, schedule or other part of a rule: `Adam`.
        rule: &'static str,
        /// Name of the setting: `beta1`.
        setting: &'static str,
        /// The value that was given.
        value: f64,
        /// The range in words: `0 <= beta1 < 1`.
        expected: &'static str,
    },
    /// A pattern names no block.
    #[error("{wrapper}: pattern `{pattern}` matches no block; the blocks are {known}")]
    NoSuchBlock {
        /// The part of the rule that was given the pattern.
        wrapper: &'static str,
        /// The pattern.
        pattern: String,
        /// Names of all blocks.
        known: String,
    },
}

impl RuleError {
    /// Says what was expected unless it `holds`.
    pub(super) fn ensure(
        holds: bool,
        rule: &'static str,
        setting: &'static str,
        value: f64,
        expected: &'static str,
    ) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::Setting { rule, setting, value, expected }) }
    }
}
