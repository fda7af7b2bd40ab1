//! The standard transformer on text behind the interface of all systems.

use std::collections::BTreeMap;
use std::sync::Arc;

use saddlescope::Blocks;
use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Motion, Stage, StageError};
use saddlescope::figure::{FigureSpec, PanelSpec};
use saddlescope::landscape::erased::Erased;
use saddlescope::outcome::Outcome;
use saddlescope::prediction::Seen;
use saddlescope::record::{Observables, Recorder};
use saddlescope::reference::{CaseError, CaseKind, Inputs};
use saddlescope::settings::{Settings, SettingsError, SystemSchema};
use saddlescope::system::{Input, System, World};
use saddlescope::theory::Theories;

use super::declaration::SCHEMA;
use super::text::{Order, Text, TextError, Tokenisation, Vocabulary, Windows, spread};
use super::watch::Watch;
use super::{
    Form, Sequences, Training, Transformer, cost, labels, observables, reference, settings,
};

/// The system `transformer`.
#[derive(Debug, Clone, Copy)]
pub struct OnText;

impl System for OnText {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        cost::bytes(system) as u64
    }

    fn prepare(
        &self,
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Box<dyn World>, SettingsError> {
        Ok(Box::new(Reading::new(system, start, seed)?))
    }

    fn case_kinds(&self) -> &'static [CaseKind] {
        reference::KINDS
    }

    fn recompute(
        &self,
        kind: &str,
        inputs: Inputs<'_>,
        wanted: &[&str],
    ) -> Result<BTreeMap<String, serde_json::Value>, CaseError> {
        reference::recompute(kind, inputs, wanted)
    }
}

/// A transformer on a text, with all its settings.
struct Reading {
    watch: Arc<Watch>,
    loss: Loss,
    start: Vec<f64>,
    inputs: Vec<Input>,
    operations: f64,
}

/// The landscape that was asked for.
enum Loss {
    Single(Training<f32>),
    Double(Training<f64>),
}

impl Reading {
    fn new(system: &Settings, start: &Settings, seed: u64) -> Result<Self, SettingsError> {
        let texts = Texts::new(system)?;
        let form = Form { length: system.count("length"), skip: system.count("skip") };
        if form.skip >= form.length {
            let message = format!("is {}, expected below the length {}", form.skip, form.length);
            return Err(system.wrong("skip", message));
        }
        let of = settings::architecture(system, texts.vocabulary.len(), form.length);
        let wrong =
            |error: crate::error::Error| system.wrong("width", format!("does not fit: {error}"));
        let model = Transformer::new(of).map_err(wrong)?;
        let windows = texts.windows(system, form.length)?;
        let data: Arc<dyn Sequences> = Arc::new(windows);
        let (double, shared) = (system.word("precision") == "double", Arc::clone(&model));
        let loss = if double {
            Loss::Double(Training::new(shared, form, data).map_err(wrong)?)
        } else {
            Loss::Single(Training::new(shared, form, data).map_err(wrong)?)
        };
        let operations = match &loss {
            Loss::Single(loss) => loss.operations(),
            Loss::Double(loss) => loss.operations(),
        };
        let valid = texts.valid(system, form.length)?;
        let watch = Watch::new(&model, form, valid, system.count("maps")).map_err(wrong)?;
        let (start, file) = settings::start(start, &model, seed)?;
        let inputs = texts.inputs().into_iter().chain(file).collect();
        Ok(Self { watch: Arc::new(watch), loss, start, inputs, operations })
    }
}

/// The two texts of a run.
struct Texts {
    train: Text,
    valid: Text,
    vocabulary: Vocabulary,
}

impl Texts {
    fn new(system: &Settings) -> Result<Self, SettingsError> {
        let read = |name: &str| -> Result<Option<Text>, SettingsError> {
            let Some(path) = system.optional_word(name) else { return Ok(None) };
            Text::read(path).map(Some).map_err(|error| system.wrong(name, unfit(&error)))
        };
        let (train, valid) = match (read("train")?, read("valid")?) {
            (Some(train), Some(valid)) => (train, valid),
            (None, None) => (Text::shipped_train(), Text::shipped_valid()),
            (Some(_), None) => {
                return Err(system.wrong("train", "needs valid beside it: a text to measure on"));
            }
            (None, Some(_)) => {
                return Err(system.wrong("valid", "needs train beside it: a text to train on"));
            }
        };
        let tokenisation = match system.word("tokens") {
            "basic-english" => Tokenisation::BasicEnglish,
            _ => Tokenisation::Words,
        };
        let limit =
            system.optional_integer("vocabulary").map(|limit| limit.unsigned_abs() as usize);
        let vocabulary = Vocabulary::new(&train, tokenisation, limit);
        Ok(Self { train, valid, vocabulary })
    }

    fn windows(&self, system: &Settings, length: usize) -> Result<Windows, SettingsError> {
        let order = match system.word("order") {
            "streams" => Order::Streams,
            _ => Order::Shuffled,
        };
        let tokens = self.vocabulary.encode(&self.train);
        Windows::new(tokens, self.train.name(), length, system.count("batch"), order)
            .map_err(|error| system.wrong("length", unfit(&error)))
    }

    fn valid(&self, system: &Settings, length: usize) -> Result<Vec<u32>, SettingsError> {
        let tokens = self.vocabulary.encode(&self.valid);
        spread(&tokens, self.valid.name(), length, system.count("valid_sequences"))
            .map_err(|error| system.wrong("length", unfit(&error)))
    }

    /// What the record of a run keeps of them.
    fn inputs(&self) -> Vec<Input> {
        let texts = [("system.train", &self.train), ("system.valid", &self.valid)];
        texts.map(|(name, text)| Input { name: name.to_owned(), digest: text.digest() }).to_vec()
    }
}

fn unfit(error: &TextError) -> String {
    format!("does not fit: {error}")
}

impl World for Reading {
    fn blocks(&self) -> &Blocks {
        self.watch.model().blocks()
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    fn inputs(&self) -> Vec<Input> {
        self.inputs.clone()
    }

    /// The built-in ones and those of [`observables::with`].
    fn observables(&self) -> Observables {
        observables::with(Observables::built_in(self.blocks()), &self.watch, &self.start)
    }

    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        observables::outcomes(&self.watch, seen)
    }

    fn outcome_names(&self) -> Vec<String> {
        observables::outcome_names()
    }

    fn label(&self, observable: &str) -> Option<String> {
        labels::label(observable)
    }

    fn figure(&self) -> FigureSpec {
        FigureSpec::new(1, vec![PanelSpec::over_time(&["loss"])])
    }

    /// Each step sees another batch, and drops out other units.
    fn has_flow(&self) -> bool {
        false
    }

    fn draws_batches(&self) -> bool {
        true
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
        if stages.iter().any(|stage| matches!(stage.motion, Motion::Flow(_))) {
            let message = "text is read in batches, which have no flow: set dynamics.kind = \"sgd\" or \"adamw\"";
            return Err(StageError::Unfit(message.to_owned()));
        }
        match &self.loss {
            Loss::Single(loss) => dynamics::train_leg(loss, course, from, steps, recorder),
            Loss::Double(loss) => dynamics::run_leg(&Erased(loss), course, from, steps, recorder),
        }
    }
}

#[cfg(test)]
#[path = "world_tests.rs"]
mod tests;
