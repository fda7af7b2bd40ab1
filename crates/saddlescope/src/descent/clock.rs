//! Steps to flow time: how far along the gradient flow a training run has come.

use super::Rule;
use crate::prelude::*;

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
    /// Flow time since the start; `None` from the first step that had no common time.
    pub time: Option<f64>,
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

    /// Flow time of the step that `rule` has taken last; `None` where there is no common time.
    fn time_of<S: Scalar>(&self, rule: &Rule<S>) -> Option<f64> {
        let common = match rule.lanes.factors() {
            Some(factors) => common_time(factors.zip(self.rates.iter().copied())),
            None => self.common,
        };
        Some(rule.time_per_step()? * rule.scale * rule.clipping * common?)
    }

    /// Adds the flow time of the step that `rule` has taken last and returns the time since the start.
    pub fn tick<S: Scalar>(&mut self, rule: &Rule<S>) -> Option<f64> {
        self.time = match (self.time, self.time_of(rule)) {
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

    /// Remembers where the clock stands.
    pub fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let mut time = self.time.unwrap_or(f64::NAN);
        memory.numbers("clock", [&mut time, &mut self.lost])?;
        self.time = (!time.is_nan()).then_some(time);
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
    use crate::descent::{AdamSettings, Optimiser, ScheduleKind};

    const STIFFNESS: [f64; 2] = [1.0, 0.4];
    const TAU: f64 = 3.0;

    /// Two blocks of one parameter each that flow at 1/(2 tau), as linear attention does.
    fn halved() -> Blocks {
        let rate = 1.0 / (2.0 * TAU);
        Blocks::new().with("first", &[1], rate).with("second", &[1], rate)
    }

    fn rule(optimiser: Optimiser, rate: f64, blocks: &Blocks) -> Rule<f64> {
        Rule::new(optimiser, rate, blocks).unwrap()
    }

    fn gd(rate: f64, blocks: &Blocks) -> Rule<f64> {
        rule(Optimiser::Gd, rate, blocks)
    }

    /// Parameters and clock after `steps` steps on `sum_i stiffness_i theta_i^2/2` from (1, 1).
    fn train(blocks: &Blocks, mut rule: Rule<f64>, steps: usize) -> ([f64; 2], Clock) {
        let mut clock = Clock::new(blocks);
        let mut theta = [1.0, 1.0];
        for _ in 0..steps {
            let mut gradient = [STIFFNESS[0] * theta[0], STIFFNESS[1] * theta[1]];
            rule.advance(0.0, &mut theta, &mut gradient);
            clock.tick(&rule);
        }
        (theta, clock)
    }

    #[test]
    fn gradient_descent_on_linear_attention_advances_two_eta_tau() {
        let (_, clock) = train(&halved(), gd(0.01, &halved()), 1000);
        let expected = 1000.0 * 2.0 * 0.01 * TAU;
        assert!((clock.time.unwrap() - expected).abs() < 1e-13 * expected);
    }

    /// The largest distance to the exact flow at the clock's time halves with the rate; with twice the steps the time is
    /// the same.
    fn converges(make: impl Fn(f64, u64) -> Rule<f64>, blocks: &Blocks) {
        let distance = |k: u64| {
            let (theta, clock) = train(blocks, make(0.02 / k as f64, 200 * k), 200 * k as usize);
            let time = clock.time.unwrap();
            let exact = |i: usize, rate: f64| (-rate * STIFFNESS[i] * time).exp();
            let away = blocks.iter().enumerate().map(|(i, b)| (theta[i] - exact(i, b.rate)).abs());
            away.fold(0.0, f64::max)
        };
        let errors = [1, 2, 4, 8].map(distance);
        for pair in errors.windows(2) {
            assert!(pair[1] > 0.0 && (1.8..2.3).contains(&(pair[0] / pair[1])), "{errors:?}");
        }
        assert!(errors[3] < 5e-3, "{errors:?}");
    }

    #[test]
    fn rules_converge_to_the_flow_on_this_clock_at_first_order() {
        let blocks = halved();
        for (optimiser, part) in [
            (Optimiser::Gd, 1.0),
            (Optimiser::Momentum { momentum: 0.8, dampening: 0.0 }, 0.25),
            (Optimiser::Momentum { momentum: 0.8, dampening: 0.5 }, 0.5),
            (Optimiser::Nesterov { momentum: 0.8 }, 0.25),
        ] {
            converges(|rate, _| rule(optimiser, rate * part, &blocks), &blocks);
        }
    }

    #[test]
    fn schedules_and_clipping_are_on_the_clock() {
        let blocks = halved();
        let cosine = ScheduleKind::Cosine { floor: 0.1 };
        converges(
            |rate, steps| gd(rate, &blocks).scheduled(cosine.clone(), steps).unwrap(),
            &blocks,
        );
        converges(|rate, _| gd(rate, &blocks).clipped(0.2).unwrap(), &blocks);
    }

    #[test]
    fn block_factors_that_follow_the_flow_rates_keep_the_clock() {
        let blocks = Blocks::new().with("first", &[1], 0.1).with("second", &[1], 0.3);
        let factors = [("first", 0.1), ("second", 0.3)];
        let both = |rate: f64, _| gd(10.0 * rate, &blocks).with_factors(&blocks, &factors).unwrap();
        converges(both, &blocks);
        assert_eq!(train(&blocks, gd(0.1, &blocks), 1).1.time, None);
        let frozen = gd(0.1, &blocks).frozen(&blocks, &["first"]).unwrap();
        assert_eq!(train(&blocks, frozen, 1).1.time, Some(0.1 / 0.3));
    }

    #[test]
    fn blocks_that_the_flow_holds_still_have_no_say_and_adam_has_no_clock() {
        let blocks = Blocks::new().with("first", &[1], 0.5).with("second", &[1], 0.0);
        assert_eq!(train(&blocks, gd(0.25, &blocks), 2).1.time, Some(1.0));
        let adam = rule(Optimiser::Adam(AdamSettings::default()), 0.1, &halved());
        assert_eq!(train(&halved(), adam, 2).1.time, None);
    }

    #[test]
    fn a_restored_clock_has_the_same_bits_and_long_sums_do_not_drift() {
        let (blocks, steps) = (Blocks::new().with("only", &[2], 1.0), 1_000_000_u32);
        let (mut clock, rule) = (Clock::new(&blocks), gd(0.1, &blocks));
        for _ in 0..steps {
            clock.tick(&rule);
        }
        assert_eq!(clock.time, Some(0.1 * f64::from(steps)));

        let memory = Memory::of(|memory| clock.remember(memory));
        let mut resumed = Clock::new(&blocks);
        memory.restore(|memory| resumed.remember(memory)).unwrap();
        assert_eq!(resumed.tick(&rule), clock.tick(&rule));
        assert_eq!(resumed.lost, clock.lost);
    }
}
