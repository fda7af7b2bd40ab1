//! What can go wrong while a landscape or a vector field is evaluated.

/// Why an evaluation has no answer. Dynamics that meets one stops and says where it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A number left the finite range.
    #[error("{what} is {value}")]
    NotFinite {
        /// Which quantity, in the words of the system: `loss`, `head.0.value`.
        what: String,
        /// The value that was found (an infinity or NaN).
        value: f64,
    },
    /// The state lies where the formula does not hold.
    #[error("{0}")]
    OutOfDomain(String),
}

impl Fault {
    /// Passes `value` on when it is finite, and names it otherwise.
    pub fn ensure_finite(value: f64, what: &str) -> Result<f64, Self> {
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Self::NotFinite { what: what.to_owned(), value })
        }
    }
}
