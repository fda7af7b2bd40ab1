//! Steps to flow time: how far along the gradient flow a training run has come.

use super::Step;
use crate::Blocks;
use crate::memory::{Memory, MemoryError};

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
    /// `1/rho` where all blocks share it: the time of a step of size one at full rate.
    common: Option<f64>,
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
        let rates: Vec<f64> = blocks.iter().map(rate).collect();
        let common = common_time(rates.iter().map(|&rate| (1.0, rate)));
        Self { rates, common, time: Some(0.0), lost: 0.0 }
    }

    /// Flow time since the start; `None` from the first step that had no common time.
    pub fn time(&self) -> Option<f64> {
        self.time
    }

    /// Flow time of `step`, after a rule with this `time_per_step` has taken it; `None` where
    /// there is no common time.
    pub fn time_of(&self, time_per_step: Option<f64>, step: &Step) -> Option<f64> {
        step.check_blocks(self.rates.len());
        let common = if step.sets_blocks_apart() {
            let factors = (0..self.rates.len()).map(|index| step.factor(index).unwrap_or(0.0));
            common_time(factors.zip(self.rates.iter().copied()))
        } else {
            self.common
        };
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
    pub fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let [time, lost] = memory.take_numbers("clock")?;
        (self.time, self.lost) = ((!time.is_nan()).then_some(time), lost);
        Ok(())
    }
}

/// `factor/rate`, where that is the same for all blocks that move.
fn common_time(blocks: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let mut common: Option<f64> = None;
    for (factor, rate) in blocks {
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
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::{
        Adam, Clipped, Cosine, Frozen, Gd, Momentum, Nesterov, PerBlock, Rule, Scheduled,
    };

    const STIFFNESS: [f64; 2] = [1.0, 0.4];
    const TAU: f64 = 3.0;

    /// Two blocks of one parameter each that flow at 1/(2 tau), as linear attention does.
    fn halved() -> Blocks {
        let rate = 1.0 / (2.0 * TAU);
        Blocks::new().with("first", &[1], rate).with("second", &[1], rate)
    }

    /// Parameters and clock after `steps` steps on `sum_i stiffness_i theta_i^2/2` from (1, 1).
    fn train(blocks: &Blocks, rule: &mut dyn Rule<f64>, steps: usize) -> ([f64; 2], Clock) {
        let (mut clock, mut step) = (Clock::new(blocks), Step::new(blocks));
        let mut theta = [1.0, 1.0];
        for _ in 0..steps {
            let mut gradient = [STIFFNESS[0] * theta[0], STIFFNESS[1] * theta[1]];
            rule.advance(step.begin(0.0), &mut theta, &mut gradient);
            clock.tick(rule.time_per_step(), &step);
        }
        (theta, clock)
    }

    /// Largest distance between training and the exact flow at the clock's time.
    fn distance(blocks: &Blocks, rule: &mut dyn Rule<f64>, steps: usize) -> f64 {
        let (theta, clock) = train(blocks, rule, steps);
        let time = clock.time().unwrap();
        let away = |(i, block): (usize, &crate::Block)| {
            (theta[i] - (-block.rate * STIFFNESS[i] * time).exp()).abs()
        };
        blocks.iter().enumerate().map(away).fold(0.0, f64::max)
    }

    #[test]
    fn gradient_descent_on_linear_attention_advances_two_eta_tau() {
        let (_, clock) = train(&halved(), &mut Gd::new(0.01).unwrap(), 1000);
        let expected = 1000.0 * 2.0 * 0.01 * TAU;
        assert!((clock.time().unwrap() - expected).abs() < 1e-13 * expected);
    }

    /// The distance to the flow halves with the rate, and with twice the steps the time is the same.
    fn converges(make: impl Fn(f64, u64) -> Box<dyn Rule<f64>>, blocks: &Blocks) {
        let errors: Vec<f64> = [1_u64, 2, 4, 8]
            .iter()
            .map(|&k| distance(blocks, &mut *make(0.02 / k as f64, 200 * k), 200 * k as usize))
            .collect();
        for pair in errors.windows(2) {
            assert!(pair[1] > 0.0 && (1.8..2.3).contains(&(pair[0] / pair[1])), "{errors:?}");
        }
        assert!(errors[3] < 5e-3, "{errors:?}");
    }

    #[test]
    fn rules_converge_to_the_flow_on_this_clock_at_first_order() {
        let blocks = halved();
        converges(|rate, _| Box::new(Gd::new(rate).unwrap()), &blocks);
        converges(|rate, _| Box::new(Momentum::new(2, rate / 4.0, 0.8).unwrap()), &blocks);
        converges(|rate, _| Box::new(Nesterov::new(2, rate / 4.0, 0.8).unwrap()), &blocks);
        let dampened = |rate: f64, _| -> Box<dyn Rule<f64>> {
            let momentum = Momentum::new(2, rate / 2.0, 0.8).unwrap();
            Box::new(momentum.with_dampening(0.5).unwrap())
        };
        converges(dampened, &blocks);
    }

    #[test]
    fn schedules_and_clipping_are_on_the_clock() {
        let blocks = halved();
        let scheduled = |rate, steps| -> Box<dyn Rule<f64>> {
            Box::new(Scheduled::new(Gd::new(rate).unwrap(), Cosine::new(steps, 0.1).unwrap()))
        };
        converges(scheduled, &blocks);
        let clipped = |rate, _| -> Box<dyn Rule<f64>> {
            Box::new(Clipped::new(Gd::new(rate).unwrap(), 0.2).unwrap())
        };
        converges(clipped, &blocks);
    }

    #[test]
    fn block_factors_that_follow_the_flow_rates_keep_the_clock() {
        let blocks = Blocks::new().with("first", &[1], 0.1).with("second", &[1], 0.3);
        let both = |rate, _| -> Box<dyn Rule<f64>> {
            let factors = [("first", 0.1), ("second", 0.3)];
            Box::new(PerBlock::new(Gd::new(10.0 * rate).unwrap(), &blocks, &factors).unwrap())
        };
        converges(both, &blocks);
        assert_eq!(train(&blocks, &mut Gd::new(0.1).unwrap(), 1).1.time(), None);
        let mut frozen = Frozen::new(Gd::new(0.1).unwrap(), &blocks, &["first"]).unwrap();
        assert_eq!(train(&blocks, &mut frozen, 1).1.time(), Some(0.1 / 0.3));
    }

    #[test]
    fn blocks_that_the_flow_holds_still_have_no_say_and_adam_has_no_clock() {
        let blocks = Blocks::new().with("first", &[1], 0.5).with("second", &[1], 0.0);
        assert_eq!(train(&blocks, &mut Gd::new(0.25).unwrap(), 2).1.time(), Some(1.0));
        assert_eq!(train(&halved(), &mut Adam::new(2, 0.1).unwrap(), 2).1.time(), None);
    }

    #[test]
    fn a_restored_clock_has_the_same_bits_and_long_sums_do_not_drift() {
        let (blocks, steps) = (Blocks::new().with("only", &[2], 1.0), 1_000_000_u32);
        let (mut clock, step) = (Clock::new(&blocks), Step::new(&blocks));
        for _ in 0..steps {
            clock.tick(Some(0.1), &step);
        }
        assert_eq!(clock.time(), Some(0.1 * f64::from(steps)));

        let mut memory = Memory::default();
        clock.save(&mut memory);
        let mut resumed = Clock::new(&blocks);
        resumed.load(&mut memory).unwrap();
        assert_eq!(resumed.tick(Some(0.1), &step), clock.tick(Some(0.1), &step));
        assert_eq!(resumed.lost, clock.lost);
    }
}
