//! The optimisers with their settings, and what can be wrong with these.

/// What moves parameters by a gradient `g`, in PyTorch's conventions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Optimiser {
    /// Gradient descent, `theta -= rate g`; stochastic on landscapes that draw batches.
    Gd,
    /// Momentum (heavy ball): `v = momentum v + (1 - dampening) g`, `theta -= rate v`; the first step has `v = g`.
    Momentum {
        /// Part of the velocity that is kept.
        momentum: f64,
        /// Part of the gradient that does not enter it.
        dampening: f64,
    },
    /// Nesterov's momentum: `v = momentum v + g`, `theta -= rate (g + momentum v)`.
    Nesterov {
        /// Part of the velocity that is kept.
        momentum: f64,
    },
    /// Adam (Kingma and Ba, *Adam: A Method for Stochastic Optimization*, 2015, Algorithm 1):
    /// `m = beta1 m + (1 - beta1) g`, `v = beta2 v + (1 - beta2) g^2`,
    /// `theta -= rate m^ / (sqrt(v^) + epsilon)` with `m^ = m/(1 - beta1^t)`, `v^ = v/(1 - beta2^t)`.
    Adam(AdamSettings),
    /// `theta *= 1 - rate decay`, then a step of Adam (Loshchilov and Hutter, *Decoupled Weight Decay Regularization*,
    /// 2019). The decay is multiplied by the rate, schedules and block factors included.
    AdamW(AdamSettings, f64),
}

/// The settings that Adam and AdamW share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamSettings {
    /// Memories of mean and mean square.
    pub betas: (f64, f64),
    /// Added to the root of the mean square.
    pub epsilon: f64,
}

/// Those of the paper that proposed it, and of PyTorch.
impl Default for AdamSettings {
    fn default() -> Self {
        Self { betas: (0.9, 0.999), epsilon: 1e-8 }
    }
}

impl Optimiser {
    /// An error where a setting lies outside its range.
    pub(super) fn check(self, rate: f64) -> Result<(), RuleError> {
        let name = match self {
            Self::Gd => "Gd",
            Self::Momentum { .. } => "Momentum",
            Self::Nesterov { .. } => "Nesterov",
            Self::Adam(_) | Self::AdamW(..) => "Adam",
        };
        let below_one = |setting, value| {
            let expected = format!("0 <= {setting} < 1");
            RuleError::ensure((0.0..1.0).contains(&value), name, setting, value, expected)
        };
        let not_negative = |rule, setting, value: f64| {
            let holds = value >= 0.0 && value.is_finite();
            RuleError::ensure(holds, rule, setting, value, format!("a finite {setting} >= 0"))
        };
        let holds = rate > 0.0 && rate.is_finite();
        RuleError::ensure(holds, name, "rate", rate, "a finite rate > 0")?;
        match self {
            Self::Gd => Ok(()),
            Self::Momentum { momentum, dampening } => {
                below_one("mu", momentum)?;
                below_one("dampening", dampening)
            }
            Self::Nesterov { momentum } => below_one("mu", momentum),
            Self::Adam(AdamSettings { betas, epsilon }) => {
                below_one("beta1", betas.0)?;
                below_one("beta2", betas.1)?;
                not_negative(name, "epsilon", epsilon)
            }
            Self::AdamW(adam, decay) => {
                Self::Adam(adam).check(rate)?;
                not_negative("AdamW", "decay", decay)
            }
        }
    }
}

/// Why a rule cannot be built: a setting outside its range, or a pattern that names no block.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub(crate) String);

impl RuleError {
    /// Says what was expected unless it `holds`.
    pub(super) fn ensure(
        holds: bool,
        rule: &'static str,
        setting: &'static str,
        value: f64,
        expected: impl Into<String>,
    ) -> Result<(), Self> {
        let words = || format!("{rule}: {setting} is {value}, expected {}", expected.into());
        if holds { Ok(()) } else { Err(Self(words())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked() {
        let message = |optimiser: Optimiser, rate| optimiser.check(rate).unwrap_err().to_string();
        let adam = Optimiser::Adam(AdamSettings::default());
        assert_eq!(message(adam, f64::NAN), "Adam: rate is NaN, expected a finite rate > 0");
        let betas = Optimiser::AdamW(AdamSettings { betas: (0.9, 1.0), epsilon: 1e-8 }, 0.0);
        assert_eq!(message(betas, 0.1), "Adam: beta2 is 1, expected 0 <= beta2 < 1");
        let momentum = Optimiser::Nesterov { momentum: 1.5 };
        assert_eq!(message(momentum, 0.1), "Nesterov: mu is 1.5, expected 0 <= mu < 1");
    }
}
