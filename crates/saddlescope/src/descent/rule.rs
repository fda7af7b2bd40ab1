//! The rule: parameters and gradient in, moved parameters out.

use super::lanes::{Lanes, block_factors, positions};
use super::optimiser::{AdamSettings, Optimiser};
use super::schedule::{Schedule, ScheduleKind};
use super::update::{self, sum_of_squares};
use crate::dispatch;
use crate::prelude::*;

/// An optimiser at work: its rate, its memory, and what bounds and scales its steps.
///
/// A rule counts its own steps: a fresh one is at its first step wherever in a run it starts, and a
/// restored one is where it stopped.
#[derive(Debug, Clone)]
pub struct Rule<S> {
    optimiser: Optimiser,
    rate: f64,
    pub(super) lanes: Lanes,
    /// Bound on the norm of the gradient over all blocks.
    clip: Option<f64>,
    schedule: Schedule,
    taken: u64,
    /// The velocity, or the mean of the gradient.
    first: Vec<S>,
    /// The mean of its square.
    second: Vec<S>,
    /// Wide loops halve the cost of Adam's root and division. Both are correctly rounded at any width.
    arch: pulp::Arch,
    /// Factor on the rate of all blocks in the last step.
    pub scale: f64,
    /// Factor by which the gradient was clipped in the last step (1: not at all).
    pub(super) clipping: f64,
}

impl<S: Scalar> Rule<S> {
    /// `optimiser` at `rate`, at rest, for parameters that lie in `blocks`.
    pub fn new(optimiser: Optimiser, rate: f64, blocks: &Blocks) -> Result<Self, RuleError> {
        optimiser.check(rate)?;
        let [first, second] = match optimiser {
            Optimiser::Gd => [0, 0],
            Optimiser::Momentum { .. } | Optimiser::Nesterov { .. } => [blocks.len(), 0],
            Optimiser::Adam(_) | Optimiser::AdamW(..) => [blocks.len(), blocks.len()],
        };
        Ok(Self {
            optimiser,
            rate,
            lanes: Lanes::new(blocks),
            clip: None,
            schedule: Schedule::new(ScheduleKind::Constant, 0)?,
            taken: 0,
            first: vec![S::ZERO; first],
            second: vec![S::ZERO; second],
            arch: pulp::Arch::new(),
            scale: 1.0,
            clipping: 1.0,
        })
    }

    /// Multiplies the rate by a schedule over `steps` steps.
    pub fn scheduled(mut self, kind: ScheduleKind, steps: u64) -> Result<Self, RuleError> {
        self.schedule = Schedule::new(kind, steps)?;
        Ok(self)
    }

    /// Multiplies the rate of the blocks that match each pattern (see [`Blocks::matching`]) by a factor. The last
    /// pattern that matches a block decides.
    pub fn with_factors<P: AsRef<str>>(
        mut self,
        blocks: &Blocks,
        factors: &[(P, f64)],
    ) -> Result<Self, RuleError> {
        let patterns = factors.iter().map(|(pattern, factor)| (pattern.as_ref(), *factor));
        let factors = block_factors(blocks, patterns)?;
        self.lanes.set(factors.into_iter().map(Some).enumerate());
        Ok(self)
    }

    /// Hides the blocks that match any of `patterns` from the rule: they, their velocities and moments stay as they are.
    ///
    /// Rules count steps for all blocks together, so a phase that thaws a block starts with a fresh rule:
    /// one that went on would correct the bias of moments that the block never gathered.
    pub fn frozen<P: AsRef<str>>(
        mut self,
        blocks: &Blocks,
        patterns: &[P],
    ) -> Result<Self, RuleError> {
        for pattern in patterns {
            let places = positions("Frozen", blocks, pattern.as_ref())?;
            self.lanes.set(places.into_iter().map(|place| (place, None)));
        }
        Ok(self)
    }

    /// Shortens gradients whose norm, over all blocks, is above `bound`, all entries alike, as
    /// `torch.nn.utils.clip_grad_norm_` does.
    ///
    /// A gradient with a NaN becomes NaN throughout; of one with an infinity, what is finite becomes 0.
    pub fn clipped(mut self, bound: f64) -> Result<Self, RuleError> {
        let holds = bound > 0.0 && bound.is_finite();
        RuleError::ensure(holds, "Clipped", "bound", bound, "a finite bound > 0")?;
        self.clip = Some(bound);
        Ok(self)
    }

    /// Moves `theta` by `gradient`, both with one entry per parameter, taken where the loss is `loss`; clipping rescales
    /// the gradient in place.
    pub fn advance(&mut self, loss: f64, theta: &mut [S], gradient: &mut [S]) {
        let parameters = self.lanes.parameters();
        assert!(
            theta.len() == parameters && gradient.len() == parameters,
            "a rule for {parameters} parameters was given {} parameters and {} gradient entries",
            theta.len(),
            gradient.len()
        );
        self.clipping = self.clip(gradient);
        self.scale = self.schedule.factor(loss);
        self.taken += 1;
        let Self { optimiser, lanes, first, second, taken, .. } = self;
        for (run, factor) in &lanes.runs {
            let (run, rate) = (run.clone(), self.rate * (self.scale * factor));
            let (theta, gradient) = (&mut theta[run.clone()], &gradient[run.clone()]);
            match *optimiser {
                Optimiser::Gd => dispatch!(update::descend(theta, gradient, S::from_f64(rate))),
                Optimiser::Momentum { momentum, dampening } => {
                    let share = if *taken > 1 { 1.0 - dampening } else { 1.0 };
                    let constants = [momentum, share, rate].map(S::from_f64);
                    let velocity = &mut first[run];
                    dispatch!(update::heavy_ball(theta, velocity, gradient, constants));
                }
                Optimiser::Nesterov { momentum } => {
                    let constants = [momentum, rate].map(S::from_f64);
                    update::nesterov(theta, &mut first[run], gradient, constants);
                }
                Optimiser::Adam(settings) | Optimiser::AdamW(settings, _) => {
                    let decay =
                        if let Optimiser::AdamW(_, decay) = *optimiser { decay } else { 0.0 };
                    let step = adam_step(settings, decay, rate, *taken);
                    let (mean, square) = (&mut first[run.clone()], &mut second[run]);
                    self.arch.dispatch(|| step.apply(theta, gradient, mean, square));
                }
            }
        }
    }

    /// Shortens the gradient where it is too long; returns the factor.
    fn clip(&self, gradient: &mut [S]) -> f64 {
        let Some(bound) = self.clip else { return 1.0 };
        let norm = sum_of_squares(gradient).sqrt();
        // The 1e-6 is PyTorch's: even a gradient of norm just below the bound is shortened a little.
        let factor = bound / (norm + 1e-6);
        if !(factor < 1.0 || factor.is_nan()) {
            return 1.0;
        }
        let rounded = S::from_f64(factor);
        gradient.iter_mut().for_each(|gradient| *gradient *= rounded);
        factor
    }

    /// Flow time, in units of `d theta/dt = -gradient`, that a step at full rate advances; `None`
    /// for rules that do not follow the gradient flow however small their rate: with Adam, each parameter
    /// moves at its own speed, whatever the size of its gradient.
    pub fn time_per_step(&self) -> Option<f64> {
        match self.optimiser {
            Optimiser::Gd => Some(self.rate),
            // Under a steady gradient the velocity tends to `(1 - dampening)/(1 - momentum)` gradients.
            Optimiser::Momentum { momentum, dampening } => {
                Some(self.rate * (1.0 - dampening) / (1.0 - momentum))
            }
            // As for plain momentum: `g + mu g/(1 - mu) = g/(1 - mu)`.
            Optimiser::Nesterov { momentum } => Some(self.rate / (1.0 - momentum)),
            Optimiser::Adam(_) | Optimiser::AdamW(..) => None,
        }
    }

    /// Remembers what later steps depend on.
    pub fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        if self.schedule.is_constant() {
            return self.remember_state(memory);
        }
        memory.within("schedule", |memory| self.schedule.remember(memory))?;
        memory.within("rule", |memory| self.remember_state(memory))
    }

    fn remember_state(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        match self.optimiser {
            Optimiser::Gd => Ok(()),
            Optimiser::Momentum { .. } => {
                // Only whether there was a first step matters.
                self.taken = self.taken.min(1);
                memory.counts("started", [&mut self.taken])?;
                memory.list("velocity", &mut self.first)
            }
            Optimiser::Nesterov { .. } => memory.list("velocity", &mut self.first),
            Optimiser::Adam(_) | Optimiser::AdamW(..) => {
                memory.counts("steps", [&mut self.taken])?;
                memory.list("mean", &mut self.first)?;
                memory.list("square", &mut self.second)
            }
        }
    }
}

/// The constants of step `count` of Adam, which first shrinks the parameters to `1 - rate * decay` of themselves.
fn adam_step<S: Scalar>(
    AdamSettings { betas: (beta1, beta2), epsilon }: AdamSettings,
    decay: f64,
    rate: f64,
    count: u64,
) -> update::Adam<S> {
    // Beyond i32 both powers are zero for any beta < 1 that is not within 1e-8 of one.
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    update::Adam {
        beta1: S::from_f64(beta1),
        share1: S::from_f64(1.0 - beta1),
        beta2: S::from_f64(beta2),
        share2: S::from_f64(1.0 - beta2),
        root: S::from_f64(1.0 / (1.0 - beta2.powi(count)).sqrt()),
        epsilon: S::from_f64(epsilon),
        rate: S::from_f64(rate / (1.0 - beta1.powi(count))),
        keep: S::from_f64(1.0 - rate * decay),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three steps over `count` parameters whose gradients span many sizes, in one call per step or
    /// in one rule per parameter (too short a loop to be run wide).
    fn walk<S: Scalar>(count: usize, together: bool) -> Vec<u64> {
        let size = if together { count } else { 1 };
        let blocks = Blocks::new().with("all", &[size], 1.0);
        let optimiser = Optimiser::Adam(AdamSettings::default());
        let mut moved = Vec::new();
        for first in (0..count).step_by(size) {
            let mut adam = Rule::<S>::new(optimiser, 0.1, &blocks).unwrap();
            let mut theta = vec![S::from_f64(0.3); size];
            for turn in 1..=3 {
                let entry = |i: usize| (i as f64 * 0.7 + f64::from(turn)).sin().powi(9);
                let mut gradient: Vec<S> =
                    (first..first + size).map(|i| S::from_f64(entry(i))).collect();
                adam.advance(0.0, &mut theta, &mut gradient);
            }
            moved.extend(theta.iter().map(|theta| theta.to_f64().to_bits()));
        }
        moved
    }

    #[test]
    fn the_width_of_the_loop_changes_no_bit() {
        assert_eq!(walk::<f32>(83, true), walk::<f32>(83, false));
        assert_eq!(walk::<f64>(83, true), walk::<f64>(83, false));
    }
}
