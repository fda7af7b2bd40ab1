//! The system: from settings to a problem that trains on text.

mod init;

use std::sync::Arc;

use saddlescope_spec::prelude::*;
use saddlescope_spec::problem::Input;

use crate::data::text::{Text, Vocabulary, Windows, spread};
use crate::kernel::wide;
use crate::readings::watch::Watch;
use crate::readings::{labels, observables};
use crate::settings::{Design, Precision, SCHEMA, Task};
use crate::{Fixed, Form, Training, Transformer};

#[derive(Debug, Clone, Copy)]
pub struct OnText;

impl System for OnText {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        bytes(&system.read(), &system.read()) as u64
    }

    fn problem(&self, system: &Settings, start: &Settings, seed: u64) -> Result<Problem> {
        let (task, design): (Spanned<Task>, Design) = system.read();
        let texts = Texts::new(&task)?;
        let form = Form { length: task.length, skip: task.skip };
        let message = format!("is {}, expected below the length {}", form.skip, form.length);
        task.ensure(form.skip < form.length, "skip", message)?;
        let of = design.architecture(task.heads, texts.vocabulary.words.len(), form.length);
        let wrong = |error: Error| task.wrong("width", unfit(error));
        let model = Transformer::new(of).map_err(wrong)?;
        let data = Arc::new(texts.windows(&task)?);
        // Each step sees another batch, and drops out other units.
        let shared = Arc::clone(&model);
        let loss = match task.precision {
            Precision::Double => {
                Loss::drawn(Training::<f64>::new(shared, form, data).map_err(wrong)?)
            }
            Precision::Single => {
                Loss::single(Training::<f32>::new(shared, form, data).map_err(wrong)?, true)
            }
        };
        let valid = texts.valid(&task)?;
        let watch = Watch::new(&model, form, valid.clone(), task.maps).map_err(wrong)?;
        // Text that it is not trained on, without dropout.
        let (whole, precision) = (Arc::clone(&watch.model), task.precision);
        let unseen = Arc::new(Fixed::new(valid, form.length + 1));
        let loss = loss.with_fresh(move |_| {
            let (model, data) = (Arc::clone(&whole), unseen.clone());
            Some(match precision {
                Precision::Double => Loss::exact(Training::<f64>::new(model, form, data).ok()?),
                Precision::Single => {
                    Loss::single(Training::<f32>::new(model, form, data).ok()?, false)
                }
            })
        });
        let (init, file) = init::start(start, &model, seed)?;
        Ok(Problem::new(loss, init.clone())
            .of(Arc::new(watch))
            .inputs(texts.inputs().into_iter().chain(file).collect())
            .segment_steps(100)
            .observables(|watch, all| observables::with(all, watch, &init))
            .outcomes(observables::OUTCOMES, |watch, seen| observables::outcomes(watch, seen))
            .check(|_, stages| check_no_flow(stages))
            .build())
    }

    fn label(&self, _system: &Settings, column: &str) -> Option<String> {
        labels::label(column)
    }

    fn figure(&self, _system: &Settings) -> FigureSpec {
        FigureSpec::new(1, vec![PanelSpec::over_time(&["loss"])])
    }
}

fn check_no_flow(stages: &[Phase]) -> Result<(), PhaseError> {
    if stages.iter().any(|stage| matches!(stage.motion, Motion::Flow(_))) {
        let message =
            "text is read in batches, which have no flow: set dynamics.kind = \"sgd\" or \"adamw\"";
        return Err(PhaseError::Unfit(message.to_owned()));
    }
    Ok(())
}

struct Texts {
    train: Text,
    valid: Text,
    vocabulary: Vocabulary,
}

impl Texts {
    fn new(task: &Spanned<Task>) -> Result<Self> {
        let read = |name: &str, path: &Option<String>| {
            let text = path.as_ref().map(Text::read).transpose();
            text.map_err(|error| task.wrong(name, unfit(error)))
        };
        let (train, valid) = match (read("train", &task.train)?, read("valid", &task.valid)?) {
            (Some(train), Some(valid)) => (train, valid),
            (None, None) => (Text::shipped_train(), Text::shipped_valid()),
            (Some(_), None) => {
                return Err(task.wrong("train", "needs valid beside it: a text to measure on"));
            }
            (None, Some(_)) => {
                return Err(task.wrong("valid", "needs train beside it: a text to train on"));
            }
        };
        let vocabulary = Vocabulary::new(&train, task.tokens, task.vocabulary);
        Ok(Self { train, valid, vocabulary })
    }

    fn windows(&self, task: &Spanned<Task>) -> Result<Windows> {
        let tokens = self.vocabulary.encode(&self.train);
        Windows::new(tokens, &self.train.name, task.length, task.batch, task.order)
            .map_err(|error| task.wrong("length", unfit(error)))
    }

    fn valid(&self, task: &Spanned<Task>) -> Result<Vec<u32>> {
        let tokens = self.vocabulary.encode(&self.valid);
        spread(&tokens, &self.valid.name, task.length, task.valid_sequences)
            .map_err(|error| task.wrong("length", unfit(error)))
    }

    /// What the record of a run keeps of them.
    fn inputs(&self) -> Vec<Input> {
        let texts = [("system.train", &self.train), ("system.valid", &self.valid)];
        texts.map(|(name, text)| Input { name: name.to_owned(), digest: text.digest() }).to_vec()
    }
}

fn unfit(error: impl std::fmt::Display) -> String {
    format!("does not fit: {error}")
}

/// Bytes that a run holds at once.
fn bytes(task: &Task, design: &Design) -> f64 {
    let (text, vocabulary) = sizes(task);
    let [d, f, blocks] = [design.width, design.feedforward, design.blocks].map(|n| n as f64);
    let [length, batch, heads] = [task.length, task.batch, task.heads].map(|n| n as f64);
    let tables = if design.tied { 1.0 } else { 2.0 };
    let parameters = tables * vocabulary * d + blocks * (4.0 * d * d + 2.0 * d * f);
    let size = if task.precision == Precision::Double { 8.0 } else { 4.0 };
    let rows = (batch * length).min(4096.0).max(length);
    let seen = length * heads;
    let activations = rows * (blocks * (12.0 * d + 3.0 * f + 2.0 * seen) + vocabulary);
    let maps = task.maps as f64 * blocks * heads * length.powi(2);
    // Parameters, slopes and moments as numbers of the run and of the model; slopes on each of eight lanes where tables are
    // short; readers of validation sequences, in double precision.
    let lanes = if vocabulary > wide::FROM as f64 { 2.0 } else { 8.0 };
    parameters * (8.0 * 8.0 + size * (4.0 + lanes))
        + activations * (size + 8.0)
        + 8.0 * maps
        + 3.0 * text
}

/// Bytes of the texts, and about how many words there are.
fn sizes(task: &Task) -> (f64, f64) {
    let length = |path: &Option<String>| {
        std::fs::metadata(path.as_ref()?).ok().map(|file| file.len() as f64)
    };
    let limit = task.vocabulary.map_or(f64::INFINITY, |limit| limit as f64);
    let Some(train) = length(&task.train) else { return (7e5, limit.min(1500.0)) };
    // Heaps' law with a generous exponent: 33,278 words of 2.1 million in WikiText-2.
    let words = (train / 5.0).powf(0.75).max(100.0);
    (train + length(&task.valid).unwrap_or(0.0), limit.min(words))
}

#[cfg(test)]
#[path = "problem_tests.rs"]
mod tests;
