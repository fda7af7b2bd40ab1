//! The minimal model, ready to run.

use std::sync::Arc;

use saddlescope::dynamics::{
    self, Checkpoint, Course, LegEnd, Motion, ScheduleKind, Stage, StageError,
};
use saddlescope::figure::FigureSpec;
use saddlescope::landscape::erased::Erased;
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Prediction, Seen};
use saddlescope::record::{Observables, Recorder};
use saddlescope::settings::{Settings, SettingsError};
use saddlescope::sketch::Sketch;
use saddlescope::symmetry::Symmetry;
use saddlescope::system::World;
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Surface};

use super::chain::{TEST, TRAINING};
use super::evaluation::Evaluation;
use super::fitted::Fit;
use super::minimal::{Corpus, Minimal, Sequences};
use super::minimal_observables::{self as seen_in, Watch};
use super::restricted::{Restricted, Schooling, Training as Seeing, Windowed as _};
use super::{Error, cost, labels, predictions, sketch, start};

/// The minimal model with all its settings.
pub(super) struct Training {
    minimal: Minimal,
    watch: Arc<Watch>,
    loss: Loss,
    /// Whether each step sees other sequences.
    draws: bool,
    /// The data set, where there is one.
    data: Option<Arc<[u16]>>,
    seed: u64,
    start: Vec<f64>,
    operations: f64,
}

/// The landscape that was asked for.
enum Loss {
    Single(Sequences<f32>),
    Double(Sequences<f64>),
}

/// Which sequences a step sees.
#[derive(Clone, Copy)]
enum Batches {
    All,
    Some(usize),
    Fresh(usize),
}

impl Loss {
    fn new(
        minimal: &Minimal,
        (data, batches): (Option<&Arc<[u16]>>, Batches),
        double: bool,
    ) -> Result<Self, Error> {
        let minimal = minimal.clone();
        // A data set where there is none: never asked for.
        let data = data.map_or_else(|| Arc::from([]), Arc::clone);
        Ok(match (batches, double) {
            (Batches::All, false) => Self::Single(Corpus::all(minimal, data)?),
            (Batches::All, true) => Self::Double(Corpus::all(minimal, data)?),
            (Batches::Some(batch), false) => Self::Single(Corpus::batches(minimal, data, batch)?),
            (Batches::Some(batch), true) => Self::Double(Corpus::batches(minimal, data, batch)?),
            (Batches::Fresh(batch), false) => Self::Single(Corpus::fresh(minimal, batch)?),
            (Batches::Fresh(batch), true) => Self::Double(Corpus::fresh(minimal, batch)?),
        })
    }
}

impl Training {
    pub(super) fn new(
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let minimal = start::minimal(system, seed)?;
        let theta = start::minimal_start(start, &minimal, seed)?;
        let seed = start::data_seed(system, seed);
        let chain = minimal.chain();
        let batch = system.count("batch");
        let (data, batches) = match system.word("loss") {
            "online" => (None, Batches::Fresh(batch)),
            _ => {
                let count =
                    system.optional_integer("sequences").unwrap_or(1).unsigned_abs() as usize;
                let data: Arc<[u16]> = chain.data_set(count, (seed, TRAINING)).into();
                let batches = if batch < count { Batches::Some(batch) } else { Batches::All };
                (Some(data), batches)
            }
        };
        let double = system.word("precision") == "double";
        let blame = |error: Error| start::blame(system, &error);
        let loss = Loss::new(&minimal, (data.as_ref(), batches), double).map_err(blame)?;
        let test = chain.data_set(system.count("test_sequences"), (seed, TEST));
        let fit = Fit { seed, ..Fit::default() };
        let restricted = restricted(system, &minimal, data.as_ref(), seed)?;
        let windows = restricted.windows();
        let evaluation = Evaluation::new(Arc::clone(chain), test, fit)
            .map_err(blame)?
            .with_restricted(Arc::new(restricted));
        let operations = cost::operations(system, &minimal);
        let watch = Arc::new(Watch::new(minimal.clone(), evaluation, windows));
        let draws = !matches!(batches, Batches::All);
        Ok(Self { minimal, watch, loss, draws, data, seed, start: theta, operations })
    }

    fn minimal(&self) -> &Minimal {
        &self.minimal
    }
}

/// The models with restricted contexts that `system` asks for: trained like the others, at one rate throughout.
fn restricted(
    system: &Settings,
    minimal: &Minimal,
    data: Option<&Arc<[u16]>>,
    seed: u64,
) -> Result<Restricted, SettingsError> {
    let windows = start::contexts(system)?;
    let seen = data.map_or(Seeing::Fresh, |data| Seeing::Data(Arc::clone(data)));
    let mut schooling = Schooling::paper(seen, system.count("context_steps") as u64, seed);
    schooling.batch = system.count("batch");
    schooling.steps.rate = system.number("context_rate");
    schooling.steps.schedule = ScheduleKind::Constant;
    Restricted::new(minimal, &windows, schooling)
        .map_err(|error| system.wrong("contexts", error.to_string()))
}

/// Sequences of the data set that stands for the mean of all.
const MANY: usize = 16_384;

impl World for Training {
    fn blocks(&self) -> &Blocks {
        self.minimal().blocks()
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones and those of [`seen_in::with`].
    fn observables(&self) -> Observables {
        seen_in::with(Observables::built_in(self.blocks()), &self.watch)
    }

    fn predictions(&self, seen: Seen<'_>) -> Vec<Prediction> {
        predictions::sequences(&self.watch, seen)
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        predictions::NAMES
    }

    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        seen_in::outcomes(&self.watch, seen)
    }

    fn outcome_names(&self) -> Vec<String> {
        seen_in::outcome_names(self.minimal().chain().groups().len())
    }

    fn label(&self, observable: &str) -> Option<String> {
        labels::label(observable)
    }

    fn figure(&self) -> FigureSpec {
        seen_in::figure()
    }

    fn sketch(&self) -> Sketch {
        sketch::chain(self.minimal().chain())
    }

    fn surface(&self) -> Option<&dyn Surface> {
        match &self.loss {
            Loss::Double(loss) if !self.draws => Some(loss),
            _ => None,
        }
    }

    fn symmetry(&self) -> Symmetry {
        if self.minimal().layer_count() > 1 {
            return Symmetry::none();
        }
        Symmetry::none().numbered("head", self.blocks())
    }

    /// In double precision, on the whole data set at each step.
    fn has_flow(&self) -> bool {
        matches!(self.loss, Loss::Double(_)) && !self.draws
    }

    fn draws_batches(&self) -> bool {
        self.draws
    }

    /// All of the data set; where sequences are drawn afresh, a large one.
    fn without_noise(&self) -> Option<Box<dyn World + '_>> {
        if !self.draws {
            return None;
        }
        let many = || self.minimal().chain().data_set(MANY, (self.seed, TRAINING)).into();
        let data = self.data.as_ref().map_or_else(many, Arc::clone);
        let double = matches!(self.loss, Loss::Double(_));
        let loss = Loss::new(self.minimal(), (Some(&data), Batches::All), double).ok()?;
        Some(Box::new(Self {
            minimal: self.minimal.clone(),
            watch: Arc::clone(&self.watch),
            loss,
            draws: false,
            data: Some(data),
            seed: self.seed,
            start: self.start.clone(),
            operations: self.operations,
        }))
    }

    fn operations_per_step(&self) -> f64 {
        self.operations
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
                    let message = "a flow needs double precision: set system.precision = \"double\", and system.batch to the \
                                   size of the data set";
                    return Err(StageError::Unfit(message.to_owned()));
                }
                dynamics::train_leg(loss, course, from, steps, recorder)
            }
            Loss::Double(loss) => dynamics::run_leg(&Erased(loss), course, from, steps, recorder),
        }
    }
}
