//! The cosine schedule, in the closed form of `torch.optim.lr_scheduler.CosineAnnealingLR`.

use super::{RuleError, Schedule};
use crate::memory::{Memory, MemoryError};

/// Falls from 1 to `floor` over `steps` steps along half a cosine, and would rise again after that.
#[derive(Debug, Clone)]
pub struct Cosine {
    steps: u64,
    floor: f64,
    taken: u64,
}

impl Cosine {
    /// From the base rate down to `floor` times the base rate in `steps` steps.
    pub fn new(steps: u64, floor: f64) -> Result<Self, RuleError> {
        let steps_given = steps as f64;
        RuleError::unless(steps > 0, "Cosine", "steps", steps_given, "at least one step")?;
        let holds = (0.0..=1.0).contains(&floor);
        let floor = RuleError::unless(holds, "Cosine", "floor", floor, "0 <= floor <= 1")?;
        Ok(Self { steps, floor, taken: 0 })
    }
}

impl Schedule for Cosine {
    fn factor(&mut self, _loss: f64) -> f64 {
        let half_turns = (self.taken % (2 * self.steps)) as f64 / self.steps as f64;
        self.taken += 1;
        self.floor + (1.0 - self.floor) * 0.5 * (1.0 + cos_half_turns(half_turns))
    }

    fn save(&self, memory: &mut Memory) {
        memory.put_numbers("taken", &[self.taken as f64]);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let [taken] = memory.take_numbers("taken")?;
        self.taken = taken as u64;
        Ok(())
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
    fn it_falls_to_its_floor_and_no_further() {
        let mut cosine = Cosine::new(10, 0.25).unwrap();
        let factors: Vec<f64> = (0..=20).map(|_| cosine.factor(0.0)).collect();
        assert_eq!((factors[0], factors[5], factors[10], factors[20]), (1.0, 0.625, 0.25, 1.0));
        assert!(factors[..=10].is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn settings_are_checked() {
        let message = Cosine::new(10, 1.5).unwrap_err().to_string();
        assert_eq!(message, "Cosine: floor is 1.5, expected 0 <= floor <= 1");
        assert!(Cosine::new(0, 0.0).is_err());
    }
}
