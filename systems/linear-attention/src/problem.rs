//! The system: from settings to a problem that runs.

use std::sync::OnceLock;

use saddlescope::dynamics;
use saddlescope::theory::ReducedTheory;
use saddlescope_spec::prelude::*;

use crate::matrices::{self, Tasks, embed, fill_zero_blocks};
use crate::model::Form;
use crate::readings::{labels, outcomes, predictions, scalings};
use crate::saddles;
use crate::saddles::symmetry;
use crate::settings::{self, Attention, Average, Eigenvectors, Lengths, SCHEMA, Shown, Start};
use crate::theory::{Slots, conserved};
use crate::{
    Basis, Context, Error, MergedLaw, Saddles, Sample, ScalarLaws, Shape, StagedLaws, Task, Theory,
};

mod cost;
mod init;
mod loss;

/// The system `linear-attention`.
#[derive(Debug, Clone, Copy)]
pub struct LinearAttention;

impl System for LinearAttention {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        (8.0 * cost::numbers(&system.read())) as u64
    }

    fn problem(
        &self,
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Problem, SettingsError> {
        let system: Spanned<settings::System> = system.read();
        let task = task(&system, seed)?;
        let shape = Shape::new(task.dimension(), system.heads, system.rank)
            .map_err(|error| system.blame(&error, "heads"))?;
        let shape = match system.attention {
            Attention::Merged | Attention::FullMerged => shape.with_matrices(Form::Merged),
            Attention::Cubic => shape.with_matrices(Form::Network),
            _ => shape,
        };
        let start: Spanned<Start> = start.read();
        let mut weights = init::weights(&start, &task, shape, seed)?;
        let (tau, attention) = (system.tau, system.attention);
        let zero_blocks = init::zero_blocks(&start, attention)?;
        if attention.is_full() {
            weights = embed(shape, &weights).map_err(|error| system.blame(&error, "attention"))?;
            fill_zero_blocks(shape, &mut weights, zero_blocks, seed);
        }
        let tasks = Tasks {
            in_context: system.in_context,
            noise: system.shared_context == Shown::Noise,
            seed,
        };
        let (loss, init, least) = loss::loss(&system, &task, shape, weights, (tasks, seed))?;
        let is_population = system.loss == Average::Population;
        let segment_steps = match (attention, system.loss) {
            (
                Attention::Linear | Attention::Merged | Attention::Cubic,
                Average::Population | Average::Empirical,
            ) => 1_000_000,
            (Attention::Softmax, _) => 2_000,
            _ => dynamics::SEGMENT_STEPS,
        };
        let saddles = Saddles::new(&task, shape);
        let model = Model {
            init: init.clone(),
            task,
            shape,
            attention,
            tasks,
            tau,
            saddles,
            seed,
            staged: OnceLock::new(),
        };
        let levels = model.levels();
        let least_loss = if is_population { levels.last().copied() } else { least };
        let blocks = loss.blocks().clone();
        let known = Problem::new(loss, init)
            .of(model)
            .levels(levels)
            .least_loss(least_loss)
            .segment_steps(segment_steps)
            .invariants(Model::invariants)
            .symmetry(move |model| symmetry(model.shape, &blocks, model.attention))
            // The `M(S)` are those of the expected loss.
            .saddles(
                move |model| {
                    let is_known = is_population && model.attention.sees_theta();
                    if is_known { model.saddles.list(&model.task) } else { Vec::new() }
                },
                move |model, at| {
                    let is_known = is_population && model.attention.sees_theta();
                    is_known.then(|| model.saddles.nearest(at)).flatten()
                },
            );
        let known = if attention.sees_theta() {
            known
                .observables(Model::observables)
                .outcomes(outcomes::NAMES.iter().copied(), |_, seen| outcomes::outcomes(seen))
                .rests(Model::rests)
                .predictions(predictions::NAMES, Model::predictions)
                .scalings(Model::scalings)
                .theories(Model::theories)
                .symmetry_directions(|model, state| saddles::symmetries(model.shape, state))
        } else {
            known
                .observables(Model::nearest)
                .predictions(&["levels"], Model::levels_alone)
                .theories(|_| {
                    let names = [StagedLaws::NAME, ScalarLaws::NAME, MergedLaw::NAME];
                    names
                        .into_iter()
                        .fold(Theories::none(), |all, name| all.without(name, NOT_LINEAR))
                })
        };
        Ok(known.build())
    }

    fn figure(&self, system: &Settings) -> FigureSpec {
        let system: settings::System = system.read();
        labels::standard(system.attention)
    }
}

fn task(system: &Spanned<settings::System>, seed: u64) -> Result<Task, SettingsError> {
    let basis = match &system.eigenvectors {
        Eigenvectors::Columns(matrix) => {
            let d = system.eigenvalues.len();
            let words = format!("{d} eigenvalues need {d} x {d}");
            system.check_shape("eigenvectors", matrix, &[d, d], &words)?;
            Basis::Columns(matrix.values.clone())
        }
        Eigenvectors::Random => Basis::Random { seed },
        Eigenvectors::Identity => Basis::Axes,
    };
    let context = match &system.lengths {
        Lengths::Varying => Context::Varying(system.context),
        Lengths::Fixed => Context::Fixed(system.context),
        Lengths::Listed(list) => Context::Listed(listed(system, list)?),
    };
    let sample = Sample { whitened: system.whitened, centred: system.centred };
    Task::new(&system.eigenvalues, basis, context)
        .map(|task| task.with_sample(sample))
        .map_err(|error| system.blame(&error, "eigenvectors"))
}

/// A list of context lengths with their weights.
fn listed(
    system: &Spanned<settings::System>,
    list: &Tensor,
) -> Result<Vec<(usize, f64)>, SettingsError> {
    let rows = list.shape[0];
    let words = "each length needs a weight: [[10, 0.5], [100, 0.5]]";
    system.check_shape("lengths", list, &[rows, 2], words)?;
    for row in list.values.chunks_exact(2) {
        let is_length = row[0].fract() == 0.0 && (1.0..=LONGEST_CONTEXT).contains(&row[0]);
        let message = format!(
            "has the length {}, expected a whole number from 1 to {LONGEST_CONTEXT}",
            row[0]
        );
        system.ensure(is_length, "lengths", message)?;
        let message =
            format!("has the weight {} for length {}, expected more than 0", row[1], row[0]);
        system.ensure(row[1] > 0.0, "lengths", message)?;
    }
    let lengths: Vec<(usize, f64)> =
        list.values.chunks_exact(2).map(|row| (row[0] as usize, row[1])).collect();
    for (place, (length, _)) in lengths.iter().enumerate() {
        let is_new = lengths[..place].iter().all(|(before, _)| before != length);
        system.ensure(is_new, "lengths", format!("has the length {length} twice"))?;
    }
    Ok(lengths)
}

/// The largest length that a list may hold, as for `context`.
const LONGEST_CONTEXT: f64 = 1e6;

/// Why softmax attention and the full model have no reduced laws.
const NOT_LINEAR: &str =
    "it is of linear attention with the paper's zero blocks: set attention = \"linear\"";

impl Attention {
    /// Whether the prediction is `beta^T Theta x_q`.
    fn sees_theta(self) -> bool {
        matches!(self, Self::Linear | Self::Merged | Self::Cubic)
    }

    /// Whether it has the weights that the paper sets to zero.
    pub(crate) fn is_full(self) -> bool {
        matches!(self, Self::Full | Self::FullMerged)
    }
}

/// Linear attention with all its settings, as far as theory depends on them.
pub(crate) struct Model {
    pub(crate) task: Task,
    pub(crate) shape: Shape,
    pub(crate) attention: Attention,
    pub(crate) tasks: Tasks,
    pub(crate) init: Vec<f64>,
    tau: f64,
    saddles: Saddles,
    pub(crate) seed: u64,
    staged: OnceLock<Result<StagedLaws, Error>>,
}

impl Model {
    fn levels(&self) -> Vec<f64> {
        if self.attention == Attention::Softmax || self.tasks.in_context < 1.0 {
            return Vec::new();
        }
        let slots = (self.shape.heads * self.shape.rank).min(self.task.dimension());
        let mut levels = Theory::new(&self.task).levels();
        if !self.shape.is_separate() {
            return vec![levels[0], levels[levels.len() - 1]];
        }
        levels.truncate(slots + 1);
        levels
    }

    /// The plateaus alone, where there are any.
    fn levels_alone(&self, _seen: RunData<'_>) -> Vec<Prediction> {
        let levels = self.levels();
        let said = (!levels.is_empty()).then(|| predictions::loss_levels(&self.task, levels));
        said.into_iter().collect()
    }

    /// The fixed points `M_0, M_1, ...` of the levels. 003, Eq. (28).
    fn rests(&self) -> Vec<Vec<f64>> {
        let (theory, shape) = (Theory::new(&self.task), self.shape);
        let learned: Vec<usize> = (0..self.levels().len().saturating_sub(1)).collect();
        let at = |m| theory.weights_at(shape, &learned[..m], Slots::Filled).ok();
        (0..=learned.len()).map_while(at).collect()
    }

    fn predictions(&self, seen: RunData<'_>) -> Vec<Prediction> {
        let mut all = vec![
            predictions::loss_levels(&self.task, self.levels()),
            predictions::eigenvectors(&self.task),
        ];
        if let Ok(law) = &self.merged() {
            all.extend(predictions::merged_time(law, &self.init, &self.levels()));
        }
        if let Ok(laws) = self.staged() {
            all.extend(predictions::staged_times(laws));
        }
        if self.shape.rank == 1 && self.shape.is_separate() {
            all.push(predictions::value_levels(&self.task));
            all.extend(predictions::stage_laws(&self.task, self.shape, self.tau, seen));
        }
        all
    }

    fn scalings(&self) -> Vec<Scaling> {
        if let Ok(law) = &self.merged() {
            return vec![scalings::of_merged(law)];
        }
        let jumps = self.levels().len().saturating_sub(1);
        scalings::scalings(&self.task, self.shape, self.tau, jumps)
    }

    /// 003, Eqs. (44), (50). Softmax breaks the second: only `v` enters it linearly.
    fn invariants(&self) -> Vec<Invariant> {
        let shape = self.shape;
        if self.attention.is_full() {
            return matrices::invariants(shape);
        }
        let mut invariants = Vec::new();
        for head in 0..shape.heads {
            // Each looks at its own head only, so that all together cost one pass.
            let own = head * shape.head_len()..(head + 1) * shape.head_len();
            for slot in 0..shape.rank * usize::from(shape.is_separate()) {
                let (own, name) = (own.clone(), format!("head.{head}.key_minus_query.{slot}"));
                invariants.push(Invariant::new(name, move |state| {
                    conserved(shape, &state[own.clone()])[0][slot]
                }));
            }
            if self.attention == Attention::Softmax {
                continue;
            }
            let names = match shape.form {
                Form::Separate => "key_minus_value",
                Form::Merged => "key_query_minus_value",
                Form::Network => "input_minus_output",
            };
            let name = format!("{}.{head}.{names}", shape.family());
            invariants.push(Invariant::new(name, move |state| {
                conserved(shape, &state[own.clone()])[1][0]
            }));
        }
        invariants
    }

    fn staged(&self) -> &Result<StagedLaws, Error> {
        let staged = || StagedLaws::new(&self.task, self.shape, self.tau, &self.init);
        self.staged.get_or_init(staged)
    }

    fn merged(&self) -> Result<MergedLaw, Error> {
        MergedLaw::new(&self.task, self.shape, self.tau)
    }

    /// The scalar laws first where they are exact: from an aligned start.
    fn theories(&self) -> Theories<'static> {
        let scalar = ScalarLaws::new(&self.task, self.shape, self.tau);
        let staged = self.staged().clone();
        let is_exact =
            scalar.as_ref().is_ok_and(|laws| laws.lift(&laws.project(&self.init)) == self.init);
        let all = Theories::none().with_valid(MergedLaw::NAME, self.merged());
        if is_exact {
            all.with_valid(ScalarLaws::NAME, scalar).with_valid(StagedLaws::NAME, staged)
        } else {
            all.with_valid(StagedLaws::NAME, staged).with_valid(ScalarLaws::NAME, scalar)
        }
    }
}

#[cfg(test)]
#[path = "problem_tests.rs"]
mod tests;
