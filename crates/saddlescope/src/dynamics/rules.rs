//! Rules with their wrappers, built from what a stage asks for.

use super::{AdamSettings, Motion, Optimiser, ScheduleKind, Stage, Steps};
use crate::descent::{
    Adam, AdamW, Clipped, Cosine, Frozen, Gd, Momentum, Nesterov, PerBlock, ReduceOnPlateau, Rule,
    RuleError, Scheduled,
};
use crate::{Blocks, Scalar};

impl Steps {
    /// Builds the rule once, for no parameters: whether all settings fit.
    pub fn check(&self) -> Result<(), RuleError> {
        let stage = Stage::new(Motion::Descent(self.clone()));
        self.rule::<f64>(&stage, &Blocks::new()).map(|_| ())
    }

    /// The rule with its wrappers. The gradient is clipped as a whole, frozen blocks included, as
    /// PyTorch does it.
    pub(super) fn rule<S: Scalar>(
        &self,
        stage: &Stage,
        blocks: &Blocks,
    ) -> Result<Box<dyn Rule<S>>, RuleError> {
        let mut rule = self.optimiser(blocks.len())?;
        rule = match &self.schedule {
            ScheduleKind::Constant => rule,
            ScheduleKind::Cosine { floor } => {
                Box::new(Scheduled::new(rule, Cosine::new(self.steps, *floor)?))
            }
            ScheduleKind::Plateau(plateau) => {
                Box::new(Scheduled::new(rule, ReduceOnPlateau::new(plateau.clone())?))
            }
        };
        if !stage.rates.is_empty() {
            rule = Box::new(PerBlock::new(rule, blocks, &stage.rate_factors())?);
        }
        if !stage.freeze.is_empty() {
            let patterns: Vec<&str> = stage.freeze.iter().map(String::as_str).collect();
            rule = Box::new(Frozen::new(rule, blocks, &patterns)?);
        }
        Ok(match self.clip {
            Some(bound) => Box::new(Clipped::new(rule, bound)?),
            None => rule,
        })
    }

    fn optimiser<S: Scalar>(&self, parameters: usize) -> Result<Box<dyn Rule<S>>, RuleError> {
        let adam = |settings: AdamSettings| {
            let (beta1, beta2) = settings.betas;
            Adam::new(parameters, self.rate)?
                .with_betas(beta1, beta2)?
                .with_epsilon(settings.epsilon)
        };
        Ok(match self.rule {
            Optimiser::Gd => Box::new(Gd::new(self.rate)?),
            Optimiser::Momentum { momentum, dampening } => {
                Box::new(Momentum::new(parameters, self.rate, momentum)?.with_dampening(dampening)?)
            }
            Optimiser::Nesterov { momentum } => {
                Box::new(Nesterov::new(parameters, self.rate, momentum)?)
            }
            Optimiser::Adam(settings) => Box::new(adam(settings)?),
            Optimiser::AdamW(settings, decay) => Box::new(AdamW::new(adam(settings)?, decay)?),
        })
    }
}
