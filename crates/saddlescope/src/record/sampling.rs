//! When a run is looked at: at listed times, at every step, or denser where more happens.

use crate::prelude::*;

/// Which instants of a run are recorded, beside its first and last.
#[derive(Debug, Clone, PartialEq)]
pub enum Sampling {
    /// At these times, in any order.
    Listed(Vec<f64>),
    /// At every so many steps of the dynamics.
    Every(u64),
    /// At most so many instants, evenly spread over a length that grows with what happens.
    Even {
        along: Along,
        /// Most instants that are kept, the first and last included.
        budget: usize,
    },
}

/// The length over which [`Sampling::Even`] spreads its instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    Time,
    /// Logarithm of time, from the end of the first step on.
    LogTime,
    /// Logarithm of time, plus change of the loss, plus how its speed changes: denser at jumps and
    /// in their corners. For losses without noise: noise would fill the budget with itself.
    LogTimeAndLoss,
}

impl Sampling {
    /// `count` times from 0 to `last`, equally spaced.
    pub fn linear(last: f64, count: usize) -> Self {
        let count = count.max(2);
        Self::Listed((0..count).map(|i| last * i as f64 / (count - 1) as f64).collect())
    }

    /// `count` times from `first` to `last`, equally spaced in their logarithm.
    pub fn log(first: f64, last: f64, count: usize) -> Self {
        let count = count.max(2);
        let ratio = (last / first).ln();
        let at = |i: usize| first * (ratio * i as f64 / (count - 1) as f64).exp();
        Self::Listed((0..count).map(|i| if i + 1 == count { last } else { at(i) }).collect())
    }

    /// Denser at jumps, within `budget` instants.
    pub fn adaptive(budget: usize) -> Self {
        Self::Even { along: Along::LogTimeAndLoss, budget }
    }
}

/// A sampling at work.
#[derive(Debug, Clone)]
pub(super) enum Sampler {
    Listed { times: Vec<f64>, next: usize },
    Every { stride: u64, steps: u64 },
    Even(EvenSampler),
}

impl Sampler {
    pub(super) fn new(sampling: Sampling) -> Self {
        match sampling {
            Sampling::Listed(mut times) => {
                times.sort_by(f64::total_cmp);
                times.dedup();
                Self::Listed { times, next: 0 }
            }
            Sampling::Every(stride) => Self::Every { stride: stride.max(1), steps: 0 },
            Sampling::Even { along, budget } => Self::Even(EvenSampler::new(along, budget)),
        }
    }

    /// Remembers what later steps depend on.
    pub(super) fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        match self {
            Self::Listed { times, next } => {
                let mut place = *next as u64;
                memory.counts("listed", [&mut place])?;
                *next = times.len().min(place as usize);
                Ok(())
            }
            Self::Every { steps, .. } => memory.counts("every", [steps]),
            Self::Even(even) => even.remember(memory),
        }
    }

    /// Adds the wanted times in `(from, to]`.
    pub(super) fn plan(&mut self, from: Glimpse, to: Glimpse, wanted: &mut Vec<f64>) {
        match self {
            Self::Listed { times, next } => {
                while let Some(&time) = times.get(*next).filter(|&&time| time <= to.time) {
                    if time > from.time {
                        wanted.push(time);
                    }
                    *next += 1;
                }
            }
            Self::Every { stride, steps } => {
                *steps += 1;
                if steps.is_multiple_of(*stride) {
                    wanted.push(to.time);
                }
            }
            Self::Even(even) => even.plan(from, to, wanted),
        }
    }
}

/// Decades of time that weigh as much as the loss falling from its first value to zero.
const DECADES_PER_LOSS: f64 = 8.0;

/// Decades of change in the speed of the loss that weigh as much as its fall to zero, and the speed
/// (in falls to zero per decade of time) below which a loss stands still.
const SPEED_DECADES_PER_LOSS: f64 = 16.0;
const STILL: f64 = 1e-3;

/// Spreads instants evenly over a length whose end is not known.
///
/// It records at a spacing; when the budget is full, every second record is dropped and the spacing
/// doubled. So at the end at least about half the budget is used, and never more than all of it.
#[derive(Debug, Clone)]
pub(super) struct EvenSampler {
    along: Along,
    pub(super) budget: usize,
    pub(super) spacing: f64,
    since_last: f64,
    first: Option<Glimpse>,
    speed: f64,
}

impl EvenSampler {
    fn new(along: Along, budget: usize) -> Self {
        let (spacing, since_last, speed) = (0.0, 0.0, STILL);
        Self { along, budget: budget.max(2), spacing, since_last, first: None, speed }
    }

    fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let Self { spacing, since_last, speed, .. } = self;
        let Glimpse { mut time, mut loss } = self.first.unwrap_or(Glimpse::NONE);
        memory.numbers("even", [spacing, since_last, speed, &mut time, &mut loss])?;
        // A spacing that is none would plan instants without end.
        if !(*spacing >= 0.0 && since_last.is_finite()) {
            return Err(memory.wrong("even", *spacing, "a spacing of 0 or more"));
        }
        self.first = Glimpse { time, loss }.known();
        Ok(())
    }

    fn length(&mut self, first: Glimpse, from: Glimpse, to: Glimpse) -> f64 {
        if self.along == Along::Time {
            return to.time - from.time;
        }
        let origin = first.time.max(f64::MIN_POSITIVE);
        let decades = ((to.time + origin) / (from.time + origin)).log10();
        let change = (to.loss - from.loss).abs() / first.loss.abs().max(f64::MIN_POSITIVE);
        if self.along == Along::LogTime || !change.is_finite() || decades <= 0.0 {
            return decades / DECADES_PER_LOSS;
        }
        let before = std::mem::replace(&mut self.speed, (change / decades).max(STILL));
        let turn = (self.speed / before).log10().abs();
        decades / DECADES_PER_LOSS + change + turn / SPEED_DECADES_PER_LOSS
    }

    fn plan(&mut self, from: Glimpse, to: Glimpse, wanted: &mut Vec<f64>) {
        // The first step sets the unit of time, and the loss before it the unit of loss.
        let first = *self.first.get_or_insert(Glimpse { time: to.time, loss: from.loss });
        let length = self.length(first, from, to);
        if self.spacing == 0.0 {
            self.spacing = match self.along {
                Along::Time => length,
                Along::LogTime | Along::LogTimeAndLoss => 1.0 / (2 * self.budget) as f64,
            };
        }
        // One step may not fill the budget by itself: the recorder thins only between steps.
        let most = (self.budget / 2).max(1);
        while (self.since_last + length) / self.spacing >= (most + 1) as f64 {
            self.spacing *= 2.0;
        }
        let mut position = self.spacing - self.since_last;
        while position <= length {
            let fraction = position / length;
            let time = from.time + fraction * (to.time - from.time);
            wanted.push(if fraction >= 1.0 { to.time } else { time.min(to.time) });
            position += self.spacing;
        }
        self.since_last = length - (position - self.spacing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: f64) -> Glimpse {
        Glimpse { time, loss: 1.0 }
    }

    #[test]
    fn listed_times_come_once_and_in_order() {
        let mut sampler = Sampler::new(Sampling::Listed(vec![3.0, 1.0, 1.0, 0.0, 9.0]));
        let mut wanted = Vec::new();
        sampler.plan(at(0.0), at(2.0), &mut wanted);
        assert_eq!(wanted, [1.0]);
        sampler.plan(at(2.0), at(9.0), &mut wanted);
        assert_eq!(wanted, [1.0, 3.0, 9.0]);
    }

    #[test]
    fn log_spacing_has_equal_ratios_and_exact_ends() {
        let Sampling::Listed(times) = Sampling::log(0.1, 1000.0, 5) else { unreachable!() };
        for (time, expected) in times.iter().zip([0.1, 1.0, 10.0, 100.0, 1000.0]) {
            assert!((time / expected - 1.0).abs() < 1e-14, "{times:?}");
        }
        assert_eq!(times[4], 1000.0);
    }
}
