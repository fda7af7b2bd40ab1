//! What can be wrong with a rule's settings.

use crate::Blocks;
use crate::blocks::listed;

/// Why a rule cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RuleError {
    /// A setting lies outside its range.
    #[error("{rule}: {setting} is {value}, expected {expected}")]
    Setting {
        /// The rule, wrapper or schedule: `Adam`.
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
        /// The wrapper that was given the pattern.
        wrapper: &'static str,
        /// The pattern.
        pattern: String,
        /// Names of all blocks.
        known: String,
    },
}

impl RuleError {
    /// Passes `value` on when `holds`, and says what was expected otherwise.
    pub(super) fn unless(
        holds: bool,
        rule: &'static str,
        setting: &'static str,
        value: f64,
        expected: &'static str,
    ) -> Result<f64, Self> {
        if holds { Ok(value) } else { Err(Self::Setting { rule, setting, value, expected }) }
    }

    /// Passes a rate on when it is positive and finite.
    pub(super) fn ensure_rate(rule: &'static str, rate: f64) -> Result<f64, Self> {
        Self::unless(rate > 0.0 && rate.is_finite(), rule, "rate", rate, "a finite rate > 0")
    }
}

/// Which of `blocks`, by position, match `pattern`; at least one must.
pub(super) fn positions(
    wrapper: &'static str,
    blocks: &Blocks,
    pattern: &str,
) -> Result<Vec<usize>, RuleError> {
    let fits = |name: &str| crate::blocks::name_matches(pattern, name);
    let found: Vec<usize> =
        blocks.iter().enumerate().filter(|(_, block)| fits(&block.name)).map(|(i, _)| i).collect();
    if found.is_empty() {
        let known = listed(blocks.iter().map(|block| block.name.as_str()));
        return Err(RuleError::NoSuchBlock { wrapper, pattern: pattern.to_owned(), known });
    }
    Ok(found)
}
