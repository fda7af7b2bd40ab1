//! The system: from settings to a problem that runs.

use std::sync::{Arc, LazyLock, OnceLock};

use saddlescope::dynamics;
use saddlescope::theory::ReducedTheory;
use saddlescope_spec::prelude::*;
use saddlescope_spec::settings::Choice;

use crate::data::empirical::Statistics;
use crate::data::online::Batches;
use crate::data::sequences::dot;
use crate::data::softmax::Softmax;
use crate::matrices::{self, Full, Moments, Tasks, embed, fill_zero_blocks};
use crate::model::Form;
use crate::readings::nearest::Nearest;
use crate::readings::{labels, outcomes, predictions, scalings};
use crate::saddles;
use crate::saddles::symmetry;
use crate::settings::{
    self, Attention, Average, Eigenvectors, Given, Lengths, Precision, SCHEMA, Shown, Start,
    Variance,
};
use crate::theory::regression::{ContextRegression, MOST_DIMENSIONS};
use crate::theory::tangent::{cosine, moved};
use crate::theory::{Slots, conserved};
use crate::{
    Basis, Context, Empirical, Error, MergedLaw, Population, Saddles, Sample, ScalarLaws, Shape,
    StagedLaws, Task, Theory,
};

mod cost;

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
        let mut weights = weights(&start, &task, shape, seed)?;
        let (tau, attention) = (system.tau, system.attention);
        let zero_blocks = zero_blocks(&start, attention)?;
        if attention.is_full() {
            weights = embed(shape, &weights).map_err(|error| system.blame(&error, "attention"))?;
            fill_zero_blocks(shape, &mut weights, zero_blocks, seed);
        }
        let tasks = Tasks {
            in_context: system.in_context,
            noise: system.shared_context == Shown::Noise,
            seed,
        };
        let (loss, init, least) = loss(&system, &task, shape, weights, (tasks, seed))?;
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

/// The weights of the reduced model at the start.
fn weights(
    start: &Spanned<Start>,
    task: &Task,
    shape: Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    let (weights, name) = match &**start {
        Start::Aligned(aligned) => {
            let heads = shape.heads.min(shape.dimension);
            (shape.aligned_start(task, &vec![aligned.value; heads]), "value")
        }
        Start::Given(Given { value, key, query }) => {
            let rank = match (shape.is_separate(), &key.shape[..]) {
                (false, &[_, rank, _]) => rank,
                _ => shape.rank,
            };
            let pairs = [shape.heads, rank, shape.dimension];
            let words =
                format!("{} heads of rank {rank} in dimension {}", shape.heads, shape.dimension);
            if value.len() != shape.heads {
                let message = format!("has {} entries, but the system has {words}", value.len());
                return Err(start.wrong("value", message));
            }
            for (name, tensor) in [("key", key), ("query", query)] {
                start.check_shape(name, tensor, &pairs, &format!("the system has {words}"))?;
            }
            (shape.given_start(value, &key.values, &query.values), "value")
        }
        Start::Saddle(saddle) => {
            let numbers = start.wholes("learned", &saddle.learned)?;
            let learned: Vec<usize> = numbers.iter().map(|number| number - 1).collect();
            let d = task.dimension();
            for (place, number) in numbers.iter().enumerate() {
                let message = format!("has {number}, but the eigenvectors are 1 to {d}");
                start.ensure(*number <= d, "learned", message)?;
                let message = format!("has {number} twice");
                start.ensure(!numbers[..place].contains(number), "learned", message)?;
            }
            let noise = shape.random_start(saddle.scale, seed);
            let noise = noise.map_err(|error| start.blame(&error, "scale"))?;
            let mut weights = Theory::new(task).weights_at(shape, &learned, Slots::Filled);
            if let Ok(weights) = &mut weights {
                weights.iter_mut().zip(&noise).for_each(|(weight, noise)| *weight += noise);
            }
            (weights, "learned")
        }
        Start::Random(random) => {
            let mut weights = shape.random_start(random.scale, seed);
            if let (Ok(weights), Variance::Entry) = (&mut weights, &random.variance) {
                let more = (shape.key_len() as f64).sqrt();
                for head in weights.chunks_exact_mut(shape.head_len()) {
                    head[1..].iter_mut().for_each(|weight| *weight *= more);
                }
            }
            (weights, "scale")
        }
    };
    weights.map_err(|error| start.blame(&error, name))
}

/// The loss that was asked for, the initial parameters of its model, and the least loss of a data set where it is known.
fn loss(
    system: &Spanned<settings::System>,
    task: &Task,
    shape: Shape,
    weights: Vec<f64>,
    (tasks, seed): (Tasks, u64),
) -> Result<(Loss, Vec<f64>, Option<f64>), SettingsError> {
    let (tau, data, batch) = (system.tau, (system.sequences, seed), system.batch);
    let (attention, loss) = (system.attention.word(), system.loss.word());
    let has_loss = match system.loss {
        Average::Empirical => true,
        Average::Population => system.attention != Attention::Softmax,
        _ => system.attention.sees_theta(),
    };
    if !has_loss {
        let others = if system.attention.is_full() { " or \"population\"" } else { "" };
        let message = format!(
            "is \"{loss}\", but {attention} attention has only the loss of a finite data set{}: \
             set loss = \"empirical\"{others}",
            if system.attention.is_full() { " or of all data" } else { "" }
        );
        return Err(system.wrong("loss", message));
    }
    let population = {
        let task = task.clone();
        move || Some(Loss::exact_specialised(Population::new(&task, shape, tau).ok()?))
    };
    let empirical = {
        let (task, population) = (task.clone(), population.clone());
        move |seed| {
            let whole = Empirical::new(Statistics::sampled(&task, data.0, seed)?, shape, tau)?;
            let reaches_all = !shape.is_separate() || shape.heads * shape.rank >= shape.dimension;
            let least = whole.loss.least_loss().filter(|_| reaches_all);
            let loss = Loss::exact_specialised(whole).with_population(population.clone());
            Ok::<_, Error>((loss, least))
        }
    };
    let fresh = {
        let empirical = empirical.clone();
        move |seed| Some(empirical(seed).ok()?.0)
    };
    let build = || {
        let mut least = None;
        let loss = match (system.attention, system.loss) {
            (Attention::Softmax, _) => {
                let (task, precision) = (task.clone(), system.precision);
                let on = move |seed| {
                    let data = (data.0, seed);
                    Ok::<_, Error>(match precision {
                        Precision::Single => {
                            Loss::single(Softmax::<f32>::new(&task, shape, tau, data)?, false)
                        }
                        Precision::Double => {
                            Loss::exact(Softmax::<f64>::new(&task, shape, tau, data)?)
                        }
                    })
                };
                on(seed)?.with_fresh(move |seed| on(seed).ok())
            }
            (Attention::Full | Attention::FullMerged, average) => {
                let exact = {
                    let task = task.clone();
                    move || Full::on(Moments::exact(&task, tasks)?, shape, tau)
                };
                let on = {
                    let task = task.clone();
                    move |seed| {
                        let moments = Moments::sampled(&task, tasks, (data.0, seed))?;
                        Ok::<_, Error>(Loss::exact(Full::on(moments, shape, tau)?))
                    }
                };
                if average == Average::Population {
                    Loss::exact(exact()?)
                } else {
                    on(seed)?
                        .with_population(move || exact().ok().map(Loss::exact))
                        .with_fresh(move |seed| on(seed).ok())
                }
            }
            (_, Average::Population) => Loss::exact_specialised(Population::new(task, shape, tau)?),
            (_, Average::Empirical) => {
                let (loss, of_data) = empirical(seed)?;
                least = of_data;
                loss.with_fresh(fresh)
            }
            (_, Average::Minibatch) => Loss::drawn(Batches::stored(task, shape, tau, data, batch)?)
                .with_mean(move || Some(empirical(seed).ok()?.0))
                .with_population(population)
                .with_fresh(fresh),
            (_, Average::Online) => {
                Loss::drawn(Batches::fresh(task, shape, tau, batch)?).with_mean(population)
            }
        };
        Ok((loss, weights, least))
    };
    build().map_err(|error: Error| system.blame(&error, "loss"))
}

/// Sizes of the start of `u` and `c`.
fn zero_blocks(start: &Spanned<Start>, attention: Attention) -> Result<[f64; 2], SettingsError> {
    let Start::Random(random) = &**start else { return Ok([0.0; 2]) };
    for (name, size) in [("value_x", random.value_x), ("key_y", random.key_y)] {
        let message = format!(
            "is {size}, but {} attention has no such weights: set system.attention = \"full\"",
            attention.word()
        );
        start.ensure(size == 0.0 || attention.is_full(), name, message)?;
    }
    Ok([random.value_x, random.key_y])
}

/// Adds the observables of regression on `m` components `of` a kind: `regression` says the distance and the mean square.
fn with_regression(
    all: Observables,
    shape: Shape,
    (of, m): (&str, usize),
    regression: impl Fn(&[f64]) -> (f64, f64) + Clone + Send + Sync + 'static,
) -> Observables {
    let distance = regression.clone();
    let name = format!("pcr.{of}.distance.{m}");
    let all =
        all.with(Observable::scalar(name, move |moment| distance(&shape.theta(moment.state)).0));
    if m == 0 {
        return all;
    }
    all.with(Observable::scalar(format!("pcr.{of}.r2.{m}"), move |moment| {
        let (distance, square) = regression(&shape.theta(moment.state));
        1.0 - distance / square
    }))
}

/// A matrix that is read off weights.
type MatrixOf = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;

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
struct Model {
    task: Task,
    shape: Shape,
    attention: Attention,
    tasks: Tasks,
    init: Vec<f64>,
    tau: f64,
    saddles: Saddles,
    seed: u64,
    staged: OnceLock<Result<StagedLaws, Error>>,
}

impl Model {
    /// The built-in ones, and `learned.d`: how much of eigenvector `d` the heads have learned, `e_d^T Theta e_d` as a part of its
    /// optimum. `overlap` is the cosine of the angle between `Theta` and its optimum. `alignment.head.i` is the part of the squares of its keys and queries along each eigenvector, `cosine.head.i.key`
    /// and `.query` have their cosines with each. `moved.weights` and `moved.kernel` are how far weights and tangent kernel are from
    /// the start, as a part of their length there; `cosine.kernel` is that of the angle. `pcr.population` and `pcr.context` are how far the model is from regression on `m` components: the mean square
    /// of the difference (`distance.m`), and `r2.m`, which is 1 less that as a part of the mean square of the regression.
    fn observables(&self, mut all: Observables) -> Observables {
        let (shape, d) = (self.shape, self.task.dimension());
        for (d, gain) in Theory::new(&self.task).optimal_gains().into_iter().enumerate() {
            let direction = self.task.eigenvector(d);
            all = all.with(Observable::scalar(format!("learned.{d}"), move |moment| {
                shape.predict(moment.state, &direction, &direction) / gain
            }));
        }
        let task = Arc::new(self.task.clone());
        let optimum = Theory::new(&task).optimum();
        all = all.with(Observable::scalar("overlap", move |moment| {
            cosine(&shape.theta(moment.state), &optimum)
        }));
        for i in 0..shape.heads * usize::from(shape.is_separate()) {
            let (of, own) = (task.clone(), i * shape.head_len()..(i + 1) * shape.head_len());
            all = all.with(Observable::new(
                format!("alignment.head.{i}"),
                &[d],
                move |moment, value| {
                    for head in shape.iter(&moment.state[own.clone()]) {
                        value.copy_from_slice(&Theory::new(&of).alignment(head));
                    }
                },
            ));
        }
        let separate = shape.heads * usize::from(shape.is_separate());
        for (i, (part, name)) in (0..separate).flat_map(|i| [(i, (0, "key")), (i, (1, "query"))]) {
            let of = task.clone();
            let begin = i * shape.head_len() + 1 + part * shape.rank * d;
            let own = begin..begin + shape.rank * d;
            all = all.with(Observable::new(
                format!("cosine.head.{i}.{name}"),
                &[shape.rank, d],
                move |moment, value| {
                    value.copy_from_slice(&Theory::new(&of).cosines(&moment.state[own.clone()]));
                },
            ));
        }
        let init = Arc::new(self.init.clone());
        let from = init.clone();
        all =
            all.with(Observable::scalar("moved.weights", move |moment| moved(&from, moment.state)));
        if d <= MOST_DIMENSIONS && shape.is_separate() {
            let of = task.clone();
            let first =
                Arc::new(LazyLock::new(move || Theory::new(&of).tangent_kernel(shape, &init)));
            for (name, compare) in
                [("moved.kernel", moved as fn(&[f64], &[f64]) -> f64), ("cosine.kernel", cosine)]
            {
                let (of, first) = (task.clone(), first.clone());
                all = all.with(Observable::scalar(name, move |moment| {
                    compare(&first, &Theory::new(&of).tangent_kernel(shape, moment.state))
                }));
            }
        }
        for m in 0..=d {
            let of = task.clone();
            all = with_regression(all, shape, ("population", m), move |theta| {
                let theory = Theory::new(&of);
                (theory.distance_to_regression(theta, m), theory.square_of_regression(m))
            });
        }
        // Drawn when they are first asked for.
        let (seed, is_small) = (self.seed, d <= MOST_DIMENSIONS);
        let own = Arc::new(LazyLock::new(move || ContextRegression::new(&task, seed)));
        for m in 0..=d * usize::from(is_small) {
            let own = own.clone();
            all = with_regression(all, shape, ("context", m), move |theta| match &**own {
                Ok(own) => (own.distance(theta, m), own.square(m)),
                Err(_) => (f64::NAN, f64::NAN),
            });
        }
        all
    }

    /// The observables of models whose prediction is not `beta^T Theta x_q`: `learned.d` and `overlap` are those of the linear
    /// attention that predicts most like them. Of softmax attention it is fitted, and `linear.r2` is the part of the prediction that it
    /// explains. Of the full model it is exact; `zero_blocks` is the length of all `u` and `c`. Where sequences share a task vector,
    /// `loss.in_context` is the loss on those with one of their own, and `loss.in_weight` that with the shared one whose contexts are noise.
    fn nearest(&self, mut all: Observables) -> Observables {
        let (shape, task, d) = (self.shape, &self.task, self.task.dimension());
        let theta: Arc<MatrixOf> = if self.attention.is_full() {
            Arc::new(move |state| matrices::theta(shape, state))
        } else {
            if d > MOST_DIMENSIONS {
                return all;
            }
            let (task, seed) = (task.clone(), self.seed);
            let fit = Arc::new(LazyLock::new(move || Nearest::new(&task, shape, seed)));
            let of = fit.clone();
            all = all.with(Observable::scalar("linear.r2", move |moment| match &**of {
                Ok(nearest) => nearest.fit(moment.state).r2,
                Err(_) => f64::NAN,
            }));
            Arc::new(move |state| match &**fit {
                Ok(nearest) => nearest.fit(state).theta.clone(),
                Err(_) => vec![f64::NAN; d * d],
            })
        };
        for (e, gain) in Theory::new(task).optimal_gains().into_iter().enumerate() {
            let (direction, theta) = (task.eigenvector(e), theta.clone());
            all = all.with(Observable::scalar(format!("learned.{e}"), move |moment| {
                let theta = theta(moment.state);
                let rows = theta.chunks_exact(d).zip(&direction);
                rows.map(|(row, left)| left * dot(row, &direction)).sum::<f64>() / gain
            }));
        }
        let optimum = Theory::new(task).optimum();
        all = all.with(Observable::scalar("overlap", move |moment| {
            cosine(&theta(moment.state), &optimum)
        }));
        if !self.attention.is_full() {
            return all;
        }
        all = all.with(Observable::scalar("zero_blocks", move |moment| {
            matrices::size_of_zero_blocks(shape, moment.state)
        }));
        if self.tasks.in_context == 1.0 {
            return all;
        }
        let in_weight = Tasks { in_context: 0.0, noise: true, ..self.tasks };
        let in_context = Tasks { in_context: 1.0, ..self.tasks };
        for (name, tasks) in [("loss.in_context", in_context), ("loss.in_weight", in_weight)] {
            let task = task.clone();
            let moments = LazyLock::new(move || Moments::exact(&task, tasks).ok());
            all = all.with(Observable::scalar(name, move |moment| match &*moments {
                Some(moments) => moments.loss(shape, moment.state),
                None => f64::NAN,
            }));
        }
        all
    }

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
