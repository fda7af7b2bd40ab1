//! The range a number may lie in.

use std::fmt;

/// One end of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// No limit but finiteness.
    None,
    /// The limit itself is allowed.
    Closed(f64),
    /// The limit itself is refused.
    Open(f64),
}

/// The range a number may lie in. NaN and infinities lie in none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The lower end.
    pub low: Limit,
    /// The upper end.
    pub high: Limit,
}

impl Bounds {
    /// Every finite number.
    pub const ANY: Self = Self { low: Limit::None, high: Limit::None };
    /// Numbers >= 0.
    pub const NOT_NEGATIVE: Self = Self { low: Limit::Closed(0.0), high: Limit::None };

    /// Whether `value` is finite and lies in the range.
    pub fn contain(&self, value: f64) -> bool {
        let low = match self.low {
            Limit::None => true,
            Limit::Closed(low) => value >= low,
            Limit::Open(low) => value > low,
        };
        let high = match self.high {
            Limit::None => true,
            Limit::Closed(high) => value <= high,
            Limit::Open(high) => value < high,
        };
        value.is_finite() && low && high
    }
}

/// The range in words that follow "number": empty, ` > 0`, ` >= 0 and < 1`.
impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low {
            Limit::None => {}
            Limit::Closed(low) => write!(f, " >= {}", plain(low))?,
            Limit::Open(low) => write!(f, " > {}", plain(low))?,
        }
        if self.low != Limit::None && self.high != Limit::None {
            f.write_str(" and")?;
        }
        match self.high {
            Limit::None => Ok(()),
            Limit::Closed(high) => write!(f, " <= {}", plain(high)),
            Limit::Open(high) => write!(f, " < {}", plain(high)),
        }
    }
}

/// A number as people write it: `1`, `0.5`, `1e-10`.
pub(super) fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e6 {
        format!("{value}")
    } else {
        format!("{value:?}")
    }
}
