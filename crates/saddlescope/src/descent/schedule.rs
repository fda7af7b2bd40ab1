//! Rates that change from step to step.

use crate::early_stop::Stall;
use crate::prelude::*;

/// How a rate changes from step to step.
#[derive(Debug, Clone, PartialEq)]
pub enum ScheduleKind {
    Constant,
    /// Half a cosine over all steps, down to `floor` times the rate, in the closed form of
    /// `torch.optim.lr_scheduler.CosineAnnealingLR`; it would rise again after that.
    Cosine {
        /// Last factor on the rate.
        floor: f64,
    },
    /// Cut when the loss no longer falls.
    Plateau(Plateau),
}

/// A rate that is multiplied by a factor whenever the loss has made no progress for a while, as in
/// `torch.optim.lr_scheduler.ReduceLROnPlateau`. Rates are fractions of the base rate: PyTorch's `min_lr` is
/// `floor` times the base rate and its `eps` is `least_change` times the base rate.
///
/// The loss at the start of a step is read after the step's rate is fixed, as in a loop that calls
/// the scheduler after the optimiser: it can only change the rate of later steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Plateau {
    /// What a reduction leaves of the rate.
    pub factor: f64,
    /// Steps without progress that are let pass; the next one reduces.
    pub patience: u64,
    /// Progress is a loss below `(1 - threshold)` times the best so far.
    pub threshold: f64,
    /// The rate never falls below this.
    pub floor: f64,
    /// A reduction by no more than this is left out.
    pub least_change: f64,
}

impl Default for Plateau {
    fn default() -> Self {
        Self { factor: 0.1, patience: 10, threshold: 1e-4, floor: 0.0, least_change: 1e-8 }
    }
}

/// A factor on the rate, step after step.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    kind: ScheduleKind,
    /// Steps that it is made for.
    steps: u64,
    taken: u64,
    /// What reductions have left of the rate.
    rate: f64,
    /// Steps without progress on the least loss that was read.
    stall: Stall,
}

impl Schedule {
    /// The schedule before its first step, of `steps` in all.
    pub(super) fn new(kind: ScheduleKind, steps: u64) -> Result<Self, RuleError> {
        match &kind {
            ScheduleKind::Constant => {}
            ScheduleKind::Cosine { floor } => {
                let check = |holds, setting, value, expected| {
                    RuleError::ensure(holds, "Cosine", setting, value, expected)
                };
                check(steps > 0, "steps", steps as f64, "at least one step")?;
                check((0.0..=1.0).contains(floor), "floor", *floor, "0 <= floor <= 1")?;
            }
            ScheduleKind::Plateau(plateau) => plateau.check()?,
        }
        Ok(Self { kind, steps, taken: 0, rate: 1.0, stall: Stall::NEW })
    }

    pub(super) fn is_constant(&self) -> bool {
        self.kind == ScheduleKind::Constant
    }

    /// The factor for the next step, which starts at loss `loss`; called once per step.
    pub(super) fn factor(&mut self, loss: f64) -> f64 {
        let (steps, taken, rate) = (self.steps, self.taken, self.rate);
        self.taken += 1;
        match self.kind {
            ScheduleKind::Constant => 1.0,
            ScheduleKind::Cosine { floor } => {
                let half_turns = (taken % (2 * steps)) as f64 / steps as f64;
                floor + (1.0 - floor) * 0.5 * (1.0 + cos_half_turns(half_turns))
            }
            ScheduleKind::Plateau(Plateau { factor, patience, threshold, floor, least_change }) => {
                if self.stall.outlasts(patience, loss, threshold) {
                    self.stall.stalled = 0;
                    let reduced = (self.rate * factor).max(floor);
                    if self.rate - reduced > least_change {
                        self.rate = reduced;
                    }
                }
                rate
            }
        }
    }

    /// Remembers what later factors depend on.
    pub(super) fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        match self.kind {
            ScheduleKind::Constant => Ok(()),
            ScheduleKind::Cosine { .. } => memory.counts("taken", [&mut self.taken]),
            ScheduleKind::Plateau(_) => {
                let (mut stalled, mut taken) = (self.stall.stalled as f64, self.taken as f64);
                let numbers = [&mut self.rate, &mut self.stall.mark, &mut stalled, &mut taken];
                memory.numbers("plateau", numbers)?;
                (self.stall.stalled, self.taken) = (stalled as u64, taken as u64);
                Ok(())
            }
        }
    }
}

impl Plateau {
    fn check(&self) -> Result<(), RuleError> {
        let check = |holds, setting, value, expected| {
            RuleError::ensure(holds, "ReduceOnPlateau", setting, value, expected)
        };
        let Self { factor, threshold, floor, least_change, .. } = *self;
        check((0.0..1.0).contains(&factor), "factor", factor, "0 <= factor < 1")?;
        check((0.0..1.0).contains(&threshold), "threshold", threshold, "0 <= threshold < 1")?;
        check((0.0..=1.0).contains(&floor), "floor", floor, "0 <= floor <= 1")?;
        check(least_change >= 0.0, "least_change", least_change, "least_change >= 0")
    }
}

/// `cos(pi x)` for `0 <= x < 2`, by Taylor series within an eighth of a turn.
///
/// Written out because the cosine of the platform has other last bits on other processors.
fn cos_half_turns(x: f64) -> f64 {
    let x = if x > 1.0 { 2.0 - x } else { x };
    let (x, sign) = if x > 0.5 { (1.0 - x, -1.0) } else { (x, 1.0) };
    let complement = x > 0.25;
    let angle = std::f64::consts::PI * if complement { 0.5 - x } else { x };
    let square = angle * angle;
    // 1 - s/(a(a+1)) (1 - s/((a+2)(a+3)) (1 - ...)): sine/angle from a = 2, cosine from a = 1.
    let first = if complement { 2 } else { 1 };
    let series = (0..9).rev().fold(1.0, |inner, term| {
        let a = f64::from(first + 2 * term);
        1.0 - square / (a * (a + 1.0)) * inner
    });
    sign * if complement { angle * series } else { series }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_is_the_cosine() {
        for i in 0..2000 {
            let x = f64::from(i) / 1000.0;
            let error = cos_half_turns(x) - (std::f64::consts::PI * x).cos();
            assert!(error.abs() < 4e-16 * (1.0 + 3.0 * x), "cos(pi {x}) is off by {error:e}");
        }
        assert_eq!([0.0, 0.5, 1.0, 1.5].map(cos_half_turns), [1.0, 0.0, -1.0, 0.0]);
    }

    #[test]
    fn settings_are_checked() {
        let message = |kind, steps| Schedule::new(kind, steps).unwrap_err().to_string();
        let cosine = |floor| ScheduleKind::Cosine { floor };
        assert_eq!(message(cosine(1.5), 10), "Cosine: floor is 1.5, expected 0 <= floor <= 1");
        assert_eq!(message(cosine(0.0), 0), "Cosine: steps is 0, expected at least one step");
        assert_eq!(
            message(ScheduleKind::Plateau(Plateau { factor: 1.0, ..Plateau::default() }), 1),
            "ReduceOnPlateau: factor is 1, expected 0 <= factor < 1"
        );
    }
}
