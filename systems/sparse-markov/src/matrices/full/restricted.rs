//! Full transformers that see windows of a few tokens, trained like the one that sees all. 000, Figure 3, right.

use std::sync::OnceLock;

use saddlescope::dynamics::{self, Motion, Phase, Steps};
use saddlescope::record::Silent;

use crate::Error;
use crate::matrices::full::{Full, FullModel, Seen};
use crate::matrices::restricted::Windowed;
use crate::readings::evaluation::{Predictions, once};
use saddlescope_transformer::{Scales, Start};

/// How transformers with windows are trained.
#[derive(Debug, Clone)]
pub struct FullSchooling {
    /// The sequences that are cut into windows.
    pub seen: Seen,
    /// Rule, rate and number of steps.
    pub steps: Steps,
    /// Where parameters start.
    pub start: (Start, Scales),
    /// Seed of start and batches.
    pub seed: u64,
}

/// Transformers with windows, each trained when it is first asked for.
#[derive(Debug)]
pub struct RestrictedFull {
    schooling: FullSchooling,
    models: Vec<(usize, Full, OnceLock<Vec<f64>>)>,
}

impl RestrictedFull {
    /// Models like `full`, with each of these `windows`.
    pub fn new(full: &Full, windows: &[usize], schooling: FullSchooling) -> Result<Self, Error> {
        let model = |&window: &usize| Ok((window, full.window(window)?, OnceLock::new()));
        if let Err(error) = schooling.steps.check() {
            let expected = "one that can be followed";
            return Err(Error::value("rule of restricted models", error, expected));
        }
        let models = windows.iter().map(model).collect::<Result<_, Error>>()?;
        Ok(Self { schooling, models })
    }

    /// The model that sees `window` tokens, and its parameters, trained now where they are not yet.
    pub fn window(&self, window: usize) -> Result<(&Full, &[f64]), Error> {
        let Some((_, full, theta)) = self.models.iter().find(|(own, ..)| *own == window) else {
            let known: Vec<String> = self.windows().iter().map(ToString::to_string).collect();
            return Err(Error::value("window", window, format!("one of {}", known.join(", "))));
        };
        Ok((full, once(theta, || self.train(window, full))?))
    }

    fn train(&self, window: usize, full: &Full) -> Result<Vec<f64>, Error> {
        let FullSchooling { seen, steps, start: (start, scales), seed } = &self.schooling;
        let landscape = full.training::<f32>(seen.clone())?;
        let start = full.model().start(*start, scales, *seed);
        let stages = [Phase::new(Motion::Descent(steps.clone()))];
        let outcome = dynamics::train(&landscape, &stages, &start, *seed, &mut Silent);
        let outcome = outcome.map_err(|error| {
            let what = format!("training of the transformer with window {window}");
            Error::value(what, error, "one that comes to its end")
        })?;
        Ok(outcome.state)
    }
}

impl Windowed for RestrictedFull {
    fn windows(&self) -> Vec<usize> {
        self.models.iter().map(|(window, ..)| *window).collect()
    }

    fn predictions(&self, window: usize) -> Result<Box<dyn Predictions + '_>, Error> {
        let (full, theta) = self.window(window)?;
        Ok(Box::new(FullModel::new(full, theta)?))
    }
}
