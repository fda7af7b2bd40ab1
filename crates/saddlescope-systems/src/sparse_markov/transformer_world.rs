//! The full transformer, ready to run.

use std::sync::Arc;

use saddlescope::analysis::sharpness::sharpness;
use saddlescope::dynamics::{
    self, AdamSettings, Checkpoint, Course, LegEnd, Motion, Optimiser, ScheduleKind, Stage,
    StageError, Steps,
};
use saddlescope::figure::FigureSpec;
use saddlescope::landscape::erased::Erased;
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Prediction, Seen as SeenRun};
use saddlescope::record::{Observable, Observables, Recorder};
use saddlescope::settings::{Settings, SettingsError};
use saddlescope::sketch::Sketch;
use saddlescope::system::{Input, World};
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Surface};

use super::chain::{TEST, TRAINING};
use super::evaluation::Evaluation;
use super::fitted::Fit;
use super::full::{Full, FullSchooling, RestrictedFull, Seen};
use super::minimal_observables::{self as seen_in, Watch};
use super::{Error, labels, predictions, sketch, start};
use crate::transformer::{Training, checkpoint};

/// The full transformer with all its settings.
pub(super) struct Transforming {
    full: Full,
    watch: Arc<Watch>,
    loss: Loss,
    /// Whether a step's loss hangs on chance: on a batch, or on what is dropped out.
    draws: bool,
    /// The data set, where there is one.
    data: Option<Arc<[u16]>>,
    /// The loss of a few sequences, without dropout: what sharpness is measured on.
    probe: Arc<Training<f64>>,
    seed: u64,
    start: Vec<f64>,
    /// The file that it starts from, where there is one.
    file: Option<Input>,
}

/// The landscape that was asked for.
enum Loss {
    Single(Training<f32>),
    Double(Training<f64>),
}

impl Loss {
    fn new(full: &Full, seen: Seen, double: bool) -> Result<Self, Error> {
        Ok(if double {
            Self::Double(full.training(seen)?)
        } else {
            Self::Single(full.training(seen)?)
        })
    }

    fn operations(&self) -> f64 {
        match self {
            Self::Single(loss) => loss.operations(),
            Self::Double(loss) => loss.operations(),
        }
    }
}

/// Sequences that sharpness is measured on.
const PROBED: usize = 64;

/// Sequences of the data set that stands for the mean of all.
const MANY: usize = 16_384;

impl Transforming {
    pub(super) fn new(
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let full = start::full(system, seed)?;
        let law = start::full_law(start, &full)?;
        let (theta, file) = if start.kind() == Some("checkpoint") {
            let (theta, file) = checkpoint::read(start, full.blocks())?;
            (theta, Some(file))
        } else {
            (full.model().start(law.0, &law.1, seed), None)
        };
        let seed = start::data_seed(system, seed);
        let chain = full.chain();
        let batch = system.count("batch");
        let (data, seen) = match system.word("loss") {
            "online" => (None, Seen::Fresh(batch)),
            _ => {
                let count =
                    system.optional_integer("sequences").unwrap_or(1).unsigned_abs() as usize;
                let data: Arc<[u16]> = chain.data_set(count, (seed, TRAINING)).into();
                let all = Arc::clone(&data);
                let seen = if batch < count { Seen::Some(all, batch) } else { Seen::All(all) };
                (Some(data), seen)
            }
        };
        let double = system.word("precision") == "double";
        let blame = |error: Error| start::blame(system, &error);
        let drops = full.model().architecture().dropout > 0.0;
        let draws = drops || !matches!(seen, Seen::All(_));
        let windows = start::contexts(system)?;
        let schooling =
            FullSchooling { seen: seen.clone(), steps: schooling(system), start: law, seed };
        let restricted = RestrictedFull::new(&full, &windows, schooling)
            .map_err(|error| system.wrong("contexts", format!("does not fit: {error}")))?;
        let test = chain.data_set(system.count("test_sequences"), (seed, TEST));
        let evaluation = Evaluation::new(Arc::clone(chain), test, Fit { seed, ..Fit::default() })
            .map_err(blame)?
            .with_restricted(Arc::new(restricted));
        let probed: Arc<[u16]> = chain.data_set(PROBED, (seed, TRAINING)).into();
        let plain = full.without_dropout().map_err(blame)?;
        let probe = Arc::new(plain.training(Seen::All(probed)).map_err(blame)?);
        let watch = Arc::new(Watch::new(full.clone(), evaluation, windows));
        let loss = Loss::new(&full, seen, double).map_err(blame)?;
        Ok(Self { full, watch, loss, draws, data, probe, seed, start: theta, file })
    }
}

/// How restricted models are trained: by AdamW like the others, at one rate throughout.
fn schooling(system: &Settings) -> Steps {
    let adam = AdamSettings { betas: (0.9, 0.999), epsilon: 1e-8 };
    Steps {
        rule: Optimiser::AdamW(adam, 0.01),
        rate: system.number("context_rate"),
        steps: system.count("context_steps") as u64,
        schedule: ScheduleKind::Constant,
        clip: Some(1.0),
    }
}

impl World for Transforming {
    fn blocks(&self) -> &Blocks {
        self.full.blocks()
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    fn inputs(&self) -> Vec<Input> {
        self.file.iter().cloned().collect()
    }

    /// The built-in ones, those of [`seen_in::with`], and `sharpness`, the largest curvature by size of the loss of 64 training
    /// sequences without dropout.
    fn observables(&self) -> Observables {
        let all = seen_in::with(Observables::built_in(self.blocks()), &self.watch);
        let probe = Arc::clone(&self.probe);
        all.with(Observable::scalar("sharpness", move |moment| {
            sharpness(&*probe, moment.state).unwrap_or(f64::NAN)
        }))
    }

    fn predictions(&self, seen: SeenRun<'_>) -> Vec<Prediction> {
        predictions::sequences(&self.watch, seen)
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        predictions::NAMES
    }

    fn outcomes(&self, seen: SeenRun<'_>) -> Vec<Outcome> {
        seen_in::outcomes(&self.watch, seen)
    }

    fn outcome_names(&self) -> Vec<String> {
        seen_in::outcome_names(self.full.chain().groups().len())
    }

    fn label(&self, observable: &str) -> Option<String> {
        labels::label(observable)
    }

    fn figure(&self) -> FigureSpec {
        seen_in::figure()
    }

    fn sketch(&self) -> Sketch {
        sketch::chain(self.full.chain())
    }

    fn surface(&self) -> Option<&dyn Surface> {
        match &self.loss {
            Loss::Double(loss) if !self.draws => Some(loss),
            _ => None,
        }
    }

    /// In double precision, on the whole data set at each step, without dropout.
    fn has_flow(&self) -> bool {
        matches!(self.loss, Loss::Double(_)) && !self.draws
    }

    fn draws_batches(&self) -> bool {
        self.draws
    }

    /// All of the data set, and nothing dropped out; where sequences are drawn afresh, a large one.
    fn without_noise(&self) -> Option<Box<dyn World + '_>> {
        if !self.draws {
            return None;
        }
        let many = || self.full.chain().data_set(MANY, (self.seed, TRAINING)).into();
        let data = self.data.as_ref().map_or_else(many, Arc::clone);
        let full = self.full.without_dropout().ok()?;
        let double = matches!(self.loss, Loss::Double(_));
        let loss = Loss::new(&full, Seen::All(Arc::clone(&data)), double).ok()?;
        Some(Box::new(Self {
            full,
            watch: Arc::clone(&self.watch),
            loss,
            draws: false,
            data: Some(data),
            probe: Arc::clone(&self.probe),
            seed: self.seed,
            start: self.start.clone(),
            file: self.file.clone(),
        }))
    }

    fn operations_per_step(&self) -> f64 {
        self.loss.operations()
    }

    fn run_leg(
        &self,
        stages: &[Stage],
        from: Checkpoint,
        steps: u64,
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<LegEnd, StageError> {
        let course = Course { stages, theories: &Theories::none(), seed };
        match &self.loss {
            Loss::Single(loss) => {
                let flows = |stage: &Stage| matches!(stage.motion, Motion::Flow(_));
                if stages.iter().any(flows) {
                    let message = "a flow needs double precision and no chance: set system.precision = \"double\", \
                                   system.dropout = 0 and system.batch to the size of the data set";
                    return Err(StageError::Unfit(message.to_owned()));
                }
                dynamics::train_leg(loss, course, from, steps, recorder)
            }
            Loss::Double(loss) => dynamics::run_leg(&Erased(loss), course, from, steps, recorder),
        }
    }
}

#[cfg(test)]
#[path = "transformer_world_tests.rs"]
mod tests;
