//! The system: from settings to a problem that runs.

use std::sync::Arc;

use saddlescope_spec::prelude::*;

use crate::laws::{Law, NAMES};
use crate::readings::observables::{self, PartialLosses};
use crate::readings::{labels, outcomes, predictions};
use crate::settings::{self, Average, Init, Noise, Parametrisation, SCHEMA, Scale};
use crate::theory::Plateau;
use crate::{Error, First, Partial, Parts, Population, Samples, Shape, Task, saddles};

mod matrices;

#[derive(Debug, Clone, Copy)]
pub struct NgramToInduction;

impl System for NgramToInduction {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        (8.0 * numbers(&system.read())) as u64
    }

    fn problem(&self, system: &Settings, start: &Settings, seed: u64) -> Result<Problem> {
        let system: Spanned<settings::System> = system.read();
        let (start, Noise { noise }): (Spanned<Init>, Noise) = start.read();
        let shape = shape(&system)?;
        let init = initial(&start, &shape, seed)?;
        if system.model == Parametrisation::Matrices {
            let model = Model::new(shape, init, None, start.scale());
            return matrices::problem(&system, model, noise, seed);
        }
        ensure_no_noise(&start, noise)?;
        let (loss, exact) =
            loss(&system, shape, seed).map_err(|error| system.blame(&error, "loss"))?;
        let model = Model::new(shape, init.clone(), exact, start.scale());
        let is_population = system.loss == Average::Population;
        Ok(known(&system, loss, init, model)
            .least_loss(is_population.then_some(0.0))
            .observables(Model::observables)
            .scalings(Model::scalings)
            .invariants(Model::invariants)
            .theories(Model::theories)
            .symmetry(move |_| saddles::symmetry(&shape))
            .symmetry_directions(move |_, state| saddles::directions(&shape, state))
            .saddles(
                move |model| {
                    let rests = model.rests().filter(|_| is_population);
                    rests.map_or_else(Vec::new, |(exact, plateau)| saddles::list(exact, plateau))
                },
                move |model, state| {
                    let (exact, plateau) = model.rests().filter(|_| is_population)?;
                    saddles::nearest(&exact.shape, plateau, state)
                },
            )
            .build())
    }

    fn figure(&self, system: &Settings) -> FigureSpec {
        labels::standard(&system.read())
    }
}

fn shape(system: &Spanned<settings::System>) -> Result<Shape> {
    let task = Task::general(
        system.length,
        system.dimension,
        (system.tokens, system.attention, system.reduction),
        (system.alpha_star, system.w_star),
    );
    let task = task.map_err(|error| system.blame(&error, "length"))?;
    Ok(Shape::new(task).first(system.first).coupling(system.coupling).parts(system.parts))
}

/// The loss that was asked for, and its exact expectation, where there is one.
fn loss(
    system: &settings::System,
    shape: Shape,
    seed: u64,
) -> Result<(Loss, Option<Population>), Error> {
    let exact = Population::new(shape);
    let expected = {
        let exact = exact.as_ref().ok().cloned();
        move || exact.clone().map(Loss::exact)
    };
    let loss = match system.loss {
        Average::Online => Loss::drawn(Samples::fresh(shape, system.batch)?).with_mean(expected),
        Average::Empirical => {
            let sequences = system.sequences;
            let on = move |seed| Samples::stored(shape, (sequences, seed)).map(Loss::exact);
            on(seed)?.with_population(expected).with_fresh(move |seed| on(seed).ok())
        }
        Average::Population => Loss::exact(exact.clone()?),
    };
    Ok((loss, exact.ok()))
}

/// Sequences, and the seed of the data set, on which partial losses are measured where they have no exact form.
pub(crate) const EVALUATION: (usize, u64) = (4096, 0);

/// What the six-parameter model and the transformer with matrices have in common.
pub(crate) fn known(
    system: &settings::System,
    loss: Loss,
    init: Vec<f64>,
    model: Model,
) -> ProblemBuilder<Model> {
    let levels = model.levels.clone();
    Problem::new(loss, init)
        .of(model)
        .levels(levels)
        .segment_steps(if system.loss == Average::Population { 100_000 } else { 5_000 })
        .predictions(predictions::NAMES, Model::predictions)
        .outcomes(outcomes::NAMES.iter().copied(), outcomes::outcomes)
}

/// N-gram to induction head with all its settings, as far as theory depends on them.
pub(crate) struct Model {
    /// The six-parameter model.
    pub(crate) shape: Shape,
    /// Its parameters at the start.
    pub(crate) six: Vec<f64>,
    /// The size of the start, where it has one.
    pub(crate) scale: Option<f64>,
    /// The exact loss, where there is one, whatever the run itself sees.
    pub(crate) exact: Option<Population>,
    /// Where the induction head waits.
    pub(crate) plateau: Option<Plateau>,
    pub(crate) levels: Vec<f64>,
}

impl Model {
    fn new(shape: Shape, six: Vec<f64>, exact: Option<Population>, scale: Option<f64>) -> Self {
        // The plateau has the same height whatever the first layer is; its rate is that of the start.
        let plateau = match &exact {
            Some(exact) => Plateau::new(exact, shape.read(&six).p_tilde).ok(),
            None => Population::new(shape.first(First::Previous))
                .ok()
                .and_then(|exact| Plateau::new(&exact, None).ok()),
        };
        let plateau = plateau.filter(|_| shape.has_induction());
        let levels = exact.as_ref().map_or_else(Vec::new, |exact| levels(exact, &six, plateau));
        Self { shape, six, scale, exact, plateau, levels }
    }

    /// The exact loss and the plateau of Stage II.
    fn rests(&self) -> Option<(&Population, &Plateau)> {
        let rests = self.exact.as_ref().zip(self.plateau.as_ref());
        rests.filter(|_| !self.shape.is_first_trained())
    }

    /// The partial losses at a state: exact ones, or those of a data set.
    fn partial_losses(&self) -> Option<Arc<PartialLosses>> {
        if let Some(exact) = self.exact.clone() {
            return Some(Arc::new(move |state: &[f64]| exact.partial(state)));
        }
        // Where the induction head has no exact loss, the 4-gram's half has one.
        let shape = self.shape;
        let gram = Population::new(shape.parts(Parts::Gram)).ok().filter(|_| shape.has_gram());
        let head = Samples::stored(shape.parts(Parts::Induction), EVALUATION).ok()?;
        Some(Arc::new(move |state: &[f64]| {
            let theta = [&state[..shape.gram()], &state[shape.query()..]].concat();
            let mut gradient = vec![0.0; theta.len()];
            let induction =
                head.evaluate(&theta, Draw::default(), &mut head.work(), &mut gradient)?;
            let gram = gram.as_ref().map(|gram| gram.partial(&state[..shape.query()]));
            Ok(Partial { gram: gram.transpose()?.unwrap_or_default().gram, induction })
        }))
    }

    /// `w, h` of the induction head at the start, where query and key are equal and the same in each coordinate, as the
    /// law of the escape needs.
    fn even_start(&self) -> Option<(f64, f64)> {
        let (query, key, h) = self.shape.read(&self.six).induction?;
        let w = query[0];
        let even = w > 0.0 && query.iter().chain(key).all(|entry| *entry == w);
        (even && !self.shape.is_first_trained()).then_some((w, h))
    }

    /// The built-in ones and those of [`observables::with`].
    fn observables(&self, all: Observables) -> Observables {
        match self.partial_losses() {
            Some(losses) => observables::with(all, self.shape, &losses),
            None => all,
        }
    }

    fn predictions(&self, seen: RunData<'_>) -> Vec<Prediction> {
        let mut all = Vec::new();
        if !self.levels.is_empty() {
            all.push(Prediction::levels("plateaus", self.levels.clone()));
        }
        all.extend(predictions::targets(&self.shape));
        all.extend(self.plateau.iter().flat_map(predictions::plateau));
        all.extend(predictions::decay(&self.shape, seen));
        if let (Some(exact), Some((w, h))) = (&self.exact, self.even_start()) {
            all.extend(predictions::escape(exact, w, h, seen));
        }
        all
    }

    fn scalings(&self) -> Vec<Scaling> {
        let after = self.plateau.as_ref().filter(|_| !self.shape.is_first_trained());
        after.map_or_else(Vec::new, predictions::scalings)
    }

    /// 002, Lemma 3: `w_Q^2 - w_K^2`, for each coordinate.
    fn invariants(&self) -> Vec<Invariant> {
        let shape = self.shape;
        if !shape.has_induction() || shape.is_tied() {
            return Vec::new();
        }
        let d = shape.task.dimension;
        let name = |i: usize| if d == 1 { "balance".to_owned() } else { format!("balance.{i}") };
        let balance = |i: usize| {
            Invariant::new(name(i), move |state| {
                state[shape.query() + i].powi(2) - state[shape.key() + i].powi(2)
            })
        };
        (0..d).map(balance).collect()
    }

    /// The paper's variables, and one where `h` follows: for starts with equal query and key.
    fn theories(&self) -> Theories<'static> {
        let theories = Theories::none();
        if let Some((query, key, _)) = self.shape.read(&self.six).induction
            && query != key
        {
            let why = "it has one w for query and key, which stay equal only if they start so: give w_q = w_k";
            return NAMES.into_iter().fold(theories, |theories, name| theories.without(name, why));
        }
        theories
            .with_valid(NAMES[0], Law::balanced(self.shape))
            .with_valid(NAMES[1], Law::as_printed(self.shape))
            .with_valid(NAMES[2], Law::slaved(self.shape))
    }
}

/// The loss at the start, that of the induction head's plateau, and zero. With both parts the plateau is none of
/// the whole loss, which the 4-gram's tail `1/(4 t)` covers.
fn levels(exact: &Population, init: &[f64], plateau: Option<Plateau>) -> Vec<f64> {
    let Ok(first) = exact.partial(init) else { return Vec::new() };
    let mut levels = vec![first.gram + first.induction];
    if !exact.shape.has_gram() {
        let plateau = plateau.map(|plateau| plateau.loss);
        levels.extend(plateau.filter(|level| *level < levels[0]));
    }
    levels.push(0.0);
    levels
}

/// How many numbers a run holds at once.
fn numbers(system: &settings::System) -> f64 {
    let (length, dimension) = (system.length as f64, system.dimension as f64);
    let parameters = match system.model {
        Parametrisation::Matrices => 9.0 * (2.0 * dimension).powi(2) + 3.0,
        Parametrisation::Parameters => 2.0 * dimension + 4.0,
    };
    let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
    let trained = if system.first == First::Trained { 24.0 * length } else { 0.0 };
    let chunks = match system.loss {
        Average::Population => 0.0,
        Average::Empirical | Average::Online => 64.0 * 256.0 * length * dimension,
    };
    // Data sets are drawn again at each step, not kept.
    64.0 * parameters + solver + trained + chunks
}

fn initial(init: &Spanned<Init>, shape: &Shape, seed: u64) -> Result<Vec<f64>> {
    let (theta, name) = match &**init {
        Init::Equal(Scale { scale }) => (shape.equal_start(*scale), "scale"),
        Init::Random(Scale { scale }) => (shape.random_start(*scale, seed), "scale"),
        Init::StageOne(Scale { scale }) => (shape.stage_one_start(*scale), "scale"),
        Init::Given(given) => (shape.given_start(given), "h"),
    };
    theta.map_err(|error| init.blame(&error, name))
}

/// `Ok` where no noise is asked for: the six parameters have no matrices to disturb.
fn ensure_no_noise(init: &Spanned<Init>, noise: f64) -> Result<()> {
    if noise == 0.0 {
        return Ok(());
    }
    let message = format!(
        "is {noise}, but there are no matrices to disturb: set model = \"matrices\", or noise = 0"
    );
    Err(init.wrong("noise", message))
}
