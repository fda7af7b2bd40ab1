//! Steps to flow time: how far along the gradient flow a training run has come.

use super::{Memory, RuleError, Step};
use crate::Blocks;

/// Adds up the flow time of steps, as long as all blocks agree on it.
///
/// Under flow a block moves by `-rho_b dL/d theta` per unit of time ([`Block::rate`]), under descent
/// by `-f_b time_per_step dL/d theta` per step, so the step takes it `time_per_step f_b/rho_b` along
/// the flow. Where that differs between blocks there is no common time. Blocks that are frozen, have
/// factor 0 or stand still under flow (`rho_b = 0`) have no say.
///
/// A clipped gradient counts for the length that was left of it.
///
/// [`Block::rate`]: crate::Block::rate
#[derive(Debug, Clone)]
pub struct Clock {
    rates: Vec<f64>,
    time: Option<f64>,
    /// What rounding took from `time` so far (Kahan): a million equal steps add up to the last bit.
    lost: f64,
}

/// Largest relative difference of two blocks' times that is put down to rounding.
const SAME_TIME: f64 = 1e-12;

impl Clock {
    /// A clock at time 0 for parameters in `blocks`.
    pub fn new(blocks: &Blocks) -> Self {
        let rate = |block: &crate::Block| if block.is_empty() { 0.0 } else { block.rate };
        Self { rates: blocks.iter().map(rate).collect(), time: Some(0.0), lost: 0.0 }
    }

    /// Flow time since the start; `None` from the first step that had no common time.
    pub fn time(&self) -> Option<f64> {
        self.time
    }

    /// Flow time of `step`, after a rule with this `time_per_step` has taken it; `None` where
    /// there is no common time.
    pub fn time_of(&self, time_per_step: Option<f64>, step: &Step) -> Option<f64> {
        step.check_blocks(self.rates.len());
        let mut common: Option<f64> = None;
        for (index, &rate) in self.rates.iter().enumerate() {
            let factor = step.factor(index).unwrap_or(0.0);
            if rate == 0.0 || factor == 0.0 {
                continue;
            }
            let time = factor / rate;
            match common {
                None => common = Some(time),
                Some(common) if (time - common).abs() <= SAME_TIME * common.abs() => {}
                Some(_) => return None,
            }
        }
        Some(time_per_step? * step.scale() * step.clipping() * common?)
    }

    /// Adds the flow time of `step` and returns the time since the start.
    pub fn tick(&mut self, time_per_step: Option<f64>, step: &Step) -> Option<f64> {
        self.time = match (self.time, self.time_of(time_per_step, step)) {
            (Some(time), Some(advance)) => {
                let addend = advance - self.lost;
                let sum = time + addend;
                self.lost = (sum - time) - addend;
                Some(sum)
            }
            _ => None,
        };
        self.time
    }

    /// Writes down where the clock stands.
    pub fn save(&self, memory: &mut Memory) {
        memory.put_numbers("clock", &[self.time.unwrap_or(f64::NAN), self.lost]);
    }

    /// Takes back what [`Clock::save`] wrote.
    pub fn load(&mut self, memory: &mut Memory) -> Result<(), RuleError> {
        let [time, lost] = memory.take_numbers("clock")?;
        (self.time, self.lost) = ((!time.is_nan()).then_some(time), lost);
        Ok(())
    }
}
