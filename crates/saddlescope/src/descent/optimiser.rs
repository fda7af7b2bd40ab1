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
        let below_one = |rule, setting, value, expected| {
            RuleError::ensure((0.0..1.0).contains(&value), rule, setting, value, expected)
        };
        let not_negative = |rule, setting, value: f64, expected| {
            let holds = value >= 0.0 && value.is_finite();
            RuleError::ensure(holds, rule, setting, value, expected)
        };
        let name = match self {
            Self::Gd => "Gd",
            Self::Momentum { .. } => "Momentum",
            Self::Nesterov { .. } => "Nesterov",
            Self::Adam(_) | Self::AdamW(..) => "Adam",
        };
        let holds = rate > 0.0 && rate.is_finite();
        RuleError::ensure(holds, name, "rate", rate, "a finite rate > 0")?;
        if let Self::Momentum { momentum, .. } | Self::Nesterov { momentum } = self {
            below_one(name, "mu", momentum, "0 <= mu < 1")?;
        }
        if let Self::Momentum { dampening, .. } = self {
            below_one(name, "dampening", dampening, "0 <= dampening < 1")?;
        }
        if let Self::Adam(settings) | Self::AdamW(settings, _) = self {
            below_one(name, "beta1", settings.betas.0, "0 <= beta1 < 1")?;
            below_one(name, "beta2", settings.betas.1, "0 <= beta2 < 1")?;
            not_negative(name, "epsilon", settings.epsilon, "a finite epsilon >= 0")?;
        }
        if let Self::AdamW(_, decay) = self {
            not_negative("AdamW", "decay", decay, "a finite decay >= 0")?;
        }
        Ok(())
    }
}

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
