//! Rules with their wrappers, built from what a phase asks for.

use super::{AdamSettings, Motion, Optimiser, Phase, ScheduleKind, Steps};
use crate::descent::{
    Adam, AdamW, Clipped, Cosine, Frozen, Gd, Momentum, Nesterov, PerBlock, ReduceOnPlateau, Rule,
    RuleError, Scheduled,
};
use crate::{Blocks, Scalar};

impl Steps {
    /// Builds the rule once, for no parameters: whether all settings fit.
    pub fn check(&self) -> Result<(), RuleError> {
        let phase = Phase::new(Motion::Descent(self.clone()));
        self.rule::<f64>(&phase, &Blocks::new()).map(|_| ())
    }

    /// The rule with its wrappers. The gradient is clipped as a whole, frozen blocks included, as
    /// PyTorch does it.
    pub(super) fn rule<S: Scalar>(
        &self,
        phase: &Phase,
        blocks: &Blocks,
    ) -> Result<Box<dyn Rule<S>>, RuleError> {
        let mut rule = self.rule.rule(blocks.len(), self.rate)?;
        rule = match &self.schedule {
            ScheduleKind::Constant => rule,
            ScheduleKind::Cosine { floor } => {
                Box::new(Scheduled::new(rule, Cosine::new(self.steps, *floor)?))
            }
            ScheduleKind::Plateau(plateau) => {
                Box::new(Scheduled::new(rule, ReduceOnPlateau::new(plateau.clone())?))
            }
        };
        if !phase.rates.is_empty() {
            rule = Box::new(PerBlock::new(rule, blocks, &phase.rate_factors())?);
        }
        if !phase.freeze.is_empty() {
            let patterns: Vec<&str> = phase.freeze.iter().map(String::as_str).collect();
            rule = Box::new(Frozen::new(rule, blocks, &patterns)?);
        }
        Ok(match self.clip {
            Some(bound) => Box::new(Clipped::new(rule, bound)?),
            None => rule,
        })
    }
}

impl Optimiser {
    /// The rule, without what may wrap it.
    pub fn rule<S: Scalar>(
        self,
        parameters: usize,
        rate: f64,
    ) -> Result<Box<dyn Rule<S>>, RuleError> {
        let adam = |settings: AdamSettings| {
            let (beta1, beta2) = settings.betas;
            Adam::new(parameters, rate)?.with_betas(beta1, beta2)?.with_epsilon(settings.epsilon)
        };
        Ok(match self {
            Optimiser::Gd => Box::new(Gd::new(rate)?),
            Optimiser::Momentum { momentum, dampening } => {
                Box::new(Momentum::new(parameters, rate, momentum)?.with_dampening(dampening)?)
            }
            Optimiser::Nesterov { momentum } => {
                Box::new(Nesterov::new(parameters, rate, momentum)?)
            }
            Optimiser::Adam(settings) => Box::new(adam(settings)?),
            Optimiser::AdamW(settings, decay) => Box::new(AdamW::new(adam(settings)?, decay)?),
        })
    }
}
