//! Rates that fall when the loss stalls, as in `torch.optim.lr_scheduler.ReduceLROnPlateau`.

use super::{RuleError, Schedule};
use crate::memory::{Memory, MemoryError};

/// Settings of [`ReduceOnPlateau`]. Rates are fractions of the base rate: PyTorch's `min_lr` is
/// `floor` times the base rate and its `eps` is `least_change` times the base rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Plateau {
    /// What a reduction leaves of the rate.
    pub factor: f64,
    /// Readings without progress that are let pass; the next one reduces.
    pub patience: u64,
    /// Progress is a loss below `(1 - threshold)` times the best so far.
    pub threshold: f64,
    /// The rate never falls below this.
    pub floor: f64,
    /// A reduction by no more than this is left out.
    pub least_change: f64,
    /// The loss is read every so many steps.
    pub period: u64,
}

impl Default for Plateau {
    fn default() -> Self {
        Self {
            factor: 0.1,
            patience: 10,
            threshold: 1e-4,
            floor: 0.0,
            least_change: 1e-8,
            period: 1,
        }
    }
}

/// Multiplies the rate by a factor whenever the loss has made no progress for a while.
///
/// The loss at the start of a step is read after the step's rate is fixed, as in a loop that calls
/// the scheduler after the optimiser: it can only change the rate of later steps.
#[derive(Debug, Clone)]
pub struct ReduceOnPlateau {
    settings: Plateau,
    rate: f64,
    best: f64,
    stalled: u64,
    taken: u64,
}

impl ReduceOnPlateau {
    /// The schedule before its first step.
    pub fn new(settings: Plateau) -> Result<Self, RuleError> {
        let check = |holds, setting, value, expected| {
            RuleError::unless(holds, "ReduceOnPlateau", setting, value, expected)
        };
        let Plateau { factor, threshold, floor, least_change, period, .. } = settings;
        check((0.0..1.0).contains(&factor), "factor", factor, "0 <= factor < 1")?;
        check((0.0..1.0).contains(&threshold), "threshold", threshold, "0 <= threshold < 1")?;
        check((0.0..=1.0).contains(&floor), "floor", floor, "0 <= floor <= 1")?;
        check(least_change >= 0.0, "least_change", least_change, "least_change >= 0")?;
        check(period > 0, "period", period as f64, "at least one step")?;
        Ok(Self { settings, rate: 1.0, best: f64::INFINITY, stalled: 0, taken: 0 })
    }

    fn read(&mut self, loss: f64) {
        let Plateau { factor, patience, threshold, floor, least_change, .. } = self.settings;
        if loss < self.best * (1.0 - threshold) {
            self.best = loss;
            self.stalled = 0;
        } else {
            self.stalled += 1;
        }
        if self.stalled > patience {
            self.stalled = 0;
            let reduced = (self.rate * factor).max(floor);
            if self.rate - reduced > least_change {
                self.rate = reduced;
            }
        }
    }
}

impl Schedule for ReduceOnPlateau {
    fn factor(&mut self, loss: f64) -> f64 {
        let rate = self.rate;
        self.taken += 1;
        if self.taken.is_multiple_of(self.settings.period) {
            self.read(loss);
        }
        rate
    }

    fn save(&self, memory: &mut Memory) {
        let (stalled, taken) = (self.stalled as f64, self.taken as f64);
        memory.put_numbers("plateau", &[self.rate, self.best, stalled, taken]);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let [rate, best, stalled, taken] = memory.take_numbers("plateau")?;
        (self.rate, self.best) = (rate, best);
        (self.stalled, self.taken) = (stalled as u64, taken as u64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(settings: Plateau, losses: &[f64]) -> Vec<f64> {
        let mut schedule = ReduceOnPlateau::new(settings).unwrap();
        losses.iter().map(|&loss| schedule.factor(loss)).collect()
    }

    #[test]
    fn a_loss_that_stalls_longer_than_patience_halves_the_rate() {
        let settings = Plateau { factor: 0.5, patience: 1, ..Plateau::default() };
        let losses = [1.0, 1.0, 1.0, 0.5, 0.49999, 0.49998, 0.1];
        assert_eq!(factors(settings, &losses), [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25]);
    }

    #[test]
    fn the_loss_between_periods_is_not_read() {
        let settings = Plateau { factor: 0.5, patience: 0, period: 2, ..Plateau::default() };
        let losses = [0.0, 1.0, 0.0, 0.5, 0.0, 0.5, 0.0];
        assert_eq!(factors(settings, &losses), [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5]);
    }

    #[test]
    fn the_rate_stops_at_its_floor() {
        let settings = Plateau { patience: 0, floor: 0.05, ..Plateau::default() };
        assert_eq!(factors(settings, &[1.0; 5]), [1.0, 1.0, 0.1, 0.05, 0.05]);
    }

    #[test]
    fn settings_are_checked() {
        let settings = Plateau { factor: 1.0, ..Plateau::default() };
        let message = ReduceOnPlateau::new(settings).unwrap_err().to_string();
        assert_eq!(message, "ReduceOnPlateau: factor is 1, expected 0 <= factor < 1");
    }
}
