//! Losses that a run's parameters are tried on along the way, as observables.

use saddlescope::loss::Evaluator;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::Observable;
use saddlescope::{Draw, Loss};
use saddlescope_spec::problem::Input;

use super::*;
use crate::experiment::change::{Change, dotted};

/// A loss of the run's parameters that its evaluation describes.
pub(super) struct Evaluated {
    columns: [String; 2],
    loss: Loss,
    /// The batches that it is the mean of; none where it is the same function at every call.
    draws: Vec<Draw>,
    inputs: Vec<Input>,
}

impl Evaluated {
    /// The loss of `evaluation`, of parameters in the blocks of the run's own `problem`.
    pub(super) fn new(
        experiment: &Experiment,
        evaluation: &Evaluation,
        problem: &Problem,
    ) -> Result<Self> {
        let (own, seed) = (&evaluation.own, experiment.seed());
        let built = build(experiment, &evaluation.system);
        if misfit(&built, problem.blocks()).is_some() {
            let system = &experiment.system.schema().system;
            for (change, alone) in evaluation.each_alone(&experiment.settings, system) {
                let alone = alone.map(|settings| build(experiment, &settings));
                if let Some(why) = alone.and_then(|alone| misfit(&alone, problem.blocks())) {
                    return Err(changes_shape(own.source.label(), &change, &why).into());
                }
            }
        }
        let built = built?;
        if let Some(why) = misfit(&Ok(built.clone()), problem.blocks()) {
            return Err(own.wrong("system", format!("changes the parameters: {why}")).into());
        }
        let columns = ["loss", "error"].map(|sort| evaluation.column(sort));
        let mut known = problem.observables.iter();
        if known.any(|one| columns.contains(&one.name)) {
            let message = format!("is {}, but the system records that name", quote(&own.name));
            return Err(own.wrong("name", message).into());
        }
        // One key for all evaluations of a run, so that they see the same luck; no data set and no batch of it has that seed.
        let key = Stream::new(seed, Purpose::Evaluation, 0).next_u64();
        let loss = if own.fresh {
            let fresh = built.loss.on_fresh_data(key);
            let or = "is true, but this loss has no data set to draw anew: leave it out, or set system.loss";
            fresh.ok_or_else(|| own.wrong("fresh", or))?
        } else {
            let mean = built.loss.without_noise();
            let stored = built.loss.has_data();
            // What stands for the mean of fresh sequences may be a data set, and that the one which the run sees.
            let unseen = mean.as_ref().filter(|_| !stored).and_then(|mean| mean.on_fresh_data(key));
            unseen.or(mean).unwrap_or(built.loss)
        };
        let count = if loss.draws_batches() { own.draws } else { 0 };
        let draws = (0..count).map(|step| Draw { seed: key, step }).collect();
        let named = |input: Input| {
            let name = format!("evaluate.{}.{}", own.name, input.name);
            (!problem.inputs.contains(&input)).then_some(Input { name, ..input })
        };
        let inputs = built.inputs.into_iter().filter_map(named).collect();
        Ok(Self { columns, loss, draws, inputs })
    }

    /// Names of what it records.
    pub(super) fn columns(&self) -> &[String] {
        if self.draws.is_empty() { &self.columns[..1] } else { &self.columns }
    }

    /// Adds its columns, and the data that it is of.
    pub(super) fn add_to(&self, problem: &mut Problem) {
        let reader = Arc::new(Mutex::new(self.reader()));
        let mut all = std::mem::take(&mut problem.observables);
        for (place, name) in self.columns().iter().enumerate() {
            let reader = Arc::clone(&reader);
            all = all.with(Observable::scalar(name, move |moment| {
                reader.lock().map_or(f64::NAN, |mut reader| reader.read(moment.state)[place])
            }));
        }
        problem.observables = all;
        problem.inputs.extend(self.inputs.iter().cloned());
    }

    fn reader(&self) -> Reader {
        let (evaluate, draws) = (self.loss.evaluator(), self.draws.clone());
        Reader { evaluate, draws, at: Vec::new(), found: [f64::NAN; 2] }
    }

    /// What it is where the run's own loss rests.
    pub(super) fn levels(&self, rests: &[Vec<f64>]) -> Option<Prediction> {
        let mut reader = self.reader();
        let levels: Vec<f64> = rests.iter().map(|state| reader.read(state)[0]).collect();
        (!levels.is_empty()).then(|| {
            let says = Says::Levels(levels);
            Prediction::new("levels", "at the fixed points", &self.columns[0], says)
        })
    }
}

/// Evaluates a loss, and remembers where it last did.
struct Reader {
    evaluate: Evaluator,
    draws: Vec<Draw>,
    at: Vec<f64>,
    found: [f64; 2],
}

impl Reader {
    /// The loss, or the mean over all draws with its standard error; not a number where it has none.
    fn read(&mut self, state: &[f64]) -> [f64; 2] {
        if self.at != state {
            self.at.clear();
            self.at.extend_from_slice(state);
            self.found = self.evaluated(state);
        }
        self.found
    }

    fn evaluated(&mut self, state: &[f64]) -> [f64; 2] {
        let mut one = |draw| (self.evaluate)(state, draw).unwrap_or(f64::NAN);
        if self.draws.is_empty() {
            return [one(Draw::default()), 0.0];
        }
        // Welford's way, which keeps its digits where the batches differ little.
        let (mut mean, mut squares) = (0.0, 0.0);
        for (before, &draw) in self.draws.iter().enumerate() {
            let count = (before + 1) as f64;
            let loss = one(draw);
            let off = loss - mean;
            mean += off / count;
            squares += off * (loss - mean);
        }
        let count = self.draws.len() as f64;
        [mean, (squares / (count * (count - 1.0))).sqrt()]
    }
}

fn build(experiment: &Experiment, system: &Settings) -> Result<Problem, SettingsError> {
    experiment.system.problem(system, &experiment.start, experiment.seed())
}

/// Why parameters in the blocks of a run are none of another problem; `None` where they are.
fn misfit(built: &Result<Problem, SettingsError>, of: &Blocks) -> Option<String> {
    let blocks = match built {
        Ok(problem) => problem.blocks(),
        Err(error) => {
            let words = error.problem.to_string();
            // A start that fits the run may not fit another shape.
            return words.starts_with("`start.").then_some(words);
        }
    };
    let find = |blocks: &Blocks, name: &str| {
        blocks.iter().find(|block| &*block.name == name).map(|block| block.shape.clone())
    };
    let words = |shape: &[usize]| match shape {
        [] => "a number".to_owned(),
        shape => shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x "),
    };
    for block in of {
        match find(blocks, &block.name) {
            None => return Some(format!("there is no `{}` any more", block.name)),
            Some(shape) if shape != block.shape => {
                let (found, wanted) = (words(&shape), words(&block.shape));
                return Some(format!("`{}` is {found}, not {wanted} as in the run", block.name));
            }
            Some(_) => {}
        }
    }
    let new = blocks.iter().find(|block| find(of, &block.name).is_none())?;
    Some(format!("`{}` is none of the run's", new.name))
}

fn changes_shape(label: &str, change: &Change, why: &str) -> SettingsError {
    let message = format!(
        "changes the shape of the parameters ({why}), but the run's own are evaluated: leave it as the run has it"
    );
    SettingsError::wrong(
        format!("{label}.{}", dotted(&change.path)),
        message,
        change.value.origin.clone(),
    )
}

#[cfg(test)]
#[path = "evaluated_tests.rs"]
mod tests;
