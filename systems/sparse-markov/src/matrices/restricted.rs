//! Models that see the last few tokens alone, trained like the one that sees all: the rungs of its ladder that training
//! itself reaches. 000, section 2.2 and Figure 3, right.

use std::sync::OnceLock;

use saddlescope::dynamics::{self, AdamSettings, Motion, Optimiser, Phase, ScheduleKind, Steps};
use saddlescope::record::Silent;

use crate::Error;
use crate::data::BatchSource;
use crate::matrices::SequenceModel;
use crate::readings::evaluation::{Model, Predictions, once};

/// Models that see a few tokens alone, each trained when it is first asked for.
pub trait Windowed: std::fmt::Debug + Send + Sync {
    fn predictions(&self, window: usize) -> Result<Box<dyn Predictions + '_>, Error>;
}

#[derive(Debug, Clone)]
pub struct Schooling<M: SequenceModel> {
    pub seen: BatchSource,
    /// Rule, rate and number of steps.
    pub steps: Steps,
    pub start: M::Init,
    pub seed: u64,
}

/// Steps of AdamW with decay 0.01 at one rate throughout, gradients clipped at 1. 000, Table 2, whose rate is halved when the
/// loss has not fallen for ten readings.
pub fn steps(rate: f64, steps: u64) -> Steps {
    let rule = Optimiser::AdamW(AdamSettings::default(), 0.01);
    Steps { rule, rate, steps, schedule: ScheduleKind::Constant, clip: Some(1.0) }
}

/// Models with windows, each trained when it is first asked for. All have the same start and batches.
#[derive(Debug)]
pub struct Restricted<M: SequenceModel> {
    schooling: Schooling<M>,
    /// With its parameters, once it is trained.
    models: Vec<(usize, M, OnceLock<Vec<f64>>)>,
}

impl<M: SequenceModel> Restricted<M> {
    pub fn new(model: &M, windows: &[usize], schooling: Schooling<M>) -> Result<Self, Error> {
        let with = |&window: &usize| Ok((window, model.window(window)?, OnceLock::new()));
        let models = windows.iter().map(with).collect::<Result<_, Error>>()?;
        if let Err(error) = schooling.steps.check() {
            let expected = "one that can be followed";
            return Err(Error::value("rule of restricted models", error, expected));
        }
        Ok(Self { schooling, models })
    }

    /// The model that sees `window` tokens and its parameters, trained now where it is not yet.
    pub fn window(&self, window: usize) -> Result<(&M, &[f64]), Error> {
        let Some((_, model, cell)) = self.models.iter().find(|(own, ..)| *own == window) else {
            let known: Vec<String> = self.models.iter().map(|(own, ..)| own.to_string()).collect();
            return Err(Error::value("window", window, format!("one of {}", known.join(", "))));
        };
        Ok((model, once(cell, || self.train(window, model))?))
    }

    fn train(&self, window: usize, model: &M) -> Result<Vec<f64>, Error> {
        let Schooling { seen, steps, start, seed } = &self.schooling;
        let landscape = model.landscape::<f32>(model.lessons(seen))?;
        let start = model.start(start, *seed)?;
        let phases = [Phase::new(Motion::Descent(steps.clone()))];
        match dynamics::train(&landscape, &phases, &start, *seed, &mut Silent) {
            Ok(outcome) => Ok(outcome.state),
            Err(error) => {
                let what = format!("training of the {} with window {window}", M::NAME);
                Err(Error::value(what, error, "one that comes to its end"))
            }
        }
    }
}

impl<M: SequenceModel> Windowed for Restricted<M> {
    fn predictions(&self, window: usize) -> Result<Box<dyn Predictions + '_>, Error> {
        let (model, theta) = self.window(window)?;
        Ok(Box::new(Model::new(model, theta)?))
    }
}

#[cfg(test)]
#[path = "restricted_tests.rs"]
mod tests;
