//! The system: from settings to a problem that runs.

use std::sync::Arc;

use saddlescope::dynamics;
use saddlescope_spec::prelude::*;

use crate::data::matches::Matches;
use crate::laws::NAMES;
use crate::readings::observables::Turn;
use crate::readings::{curves, labels, observables, outcomes, predictions};
use crate::saddles::Saddles;
use crate::settings::{self, Average, Form, SCHEMA, Second, Window};
use crate::task::LARGEST_LISTED;
use crate::theory::{levels, potential};
use crate::{Corpus, Error, JumpLaw, Objective, Population, Shape, Simplified, Task, saddles};

mod cost;
mod starts;

#[derive(Debug, Clone, Copy)]
pub struct AssociativeRecall;

impl System for AssociativeRecall {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        let system: Spanned<settings::System> = system.read();
        // `problem` refuses what cannot be listed at all, with the reason.
        if cost::lists(&system) && system.order > LARGEST_LISTED {
            return 0;
        }
        let (order, responses, context) = (system.order, system.responses, system.context());
        let task = Task { order, responses, context };
        let (heads, simplified) = (system.heads, system.simplified());
        (8.0 * cost::numbers(&system, &Shape { task, heads, gain: 1.0, gamma: 0.0, simplified }))
            as u64
    }

    fn problem(&self, system: &Settings, start: &Settings, seed: u64) -> Result<Problem> {
        let system: Spanned<settings::System> = system.read();
        let (shape, objective) = (shape(&system)?, system.objective);
        let init = starts::initial(start, &shape, seed)?;
        let loss = loss(&system, shape, seed).map_err(|error| system.blame(&error, "loss"))?;
        let operations = cost::operations(&system, &shape);
        let message = format!(
            "is {}, where one gradient of this loss takes about {operations:.0e} operations, many seconds: take \
             a smaller order, or fewer sequences (loss = \"online\" with a small batch)",
            shape.task.order
        );
        system.ensure(operations <= MOST_OPERATIONS, "order", message)?;
        let is_population = system.loss == Average::Population;
        // It is never reached: heads must become infinitely strong.
        let least_loss =
            if is_population { levels(&shape, objective).last().copied() } else { None };
        let saddles = shape.is_analysed().then(|| Arc::new(Saddles::new(shape)));
        let model = Model { shape, objective, init: init.clone(), saddles, is_population };
        let levels = model.levels();
        Ok(Problem::new(loss, init)
            .of(model)
            .levels(levels)
            .least_loss(least_loss)
            .segment_steps(if is_population { 100_000 } else { dynamics::SEGMENT_STEPS })
            .observables(Model::observables)
            .predictions(predictions::NAMES, Model::predictions)
            .outcomes(outcomes::names(&shape), Model::outcomes)
            .scalings(Model::scalings)
            .invariants(Model::invariants)
            .theories(Model::theories)
            .symmetry(move |_| saddles::symmetry(&shape))
            .symmetry_directions(move |_, _| saddles::directions(&shape))
            .saddles(
                |model| model.places().map_or_else(Vec::new, Saddles::list),
                |model, state| model.places()?.nearest(state),
            )
            .build())
    }

    fn label(&self, system: &Settings, column: &str) -> Option<String> {
        let system: settings::System = system.read();
        let first = column.contains("attention") || system.window == Window::Order;
        labels::label(column, usize::from(first))
    }

    fn figure(&self, system: &Settings) -> FigureSpec {
        let system: settings::System = system.read();
        labels::standard(system.second == Second::Strengths)
    }

    fn sketch(&self, system: &Settings, _seed: u64) -> Sketch {
        task(&system.read()).map_or_else(|_| Sketch::default(), |task| labels::sketch(&task))
    }
}

/// Operations of one gradient beyond which nobody waits for a run.
const MOST_OPERATIONS: f64 = 1e10;

fn task(system: &Spanned<settings::System>) -> Result<Task> {
    Task::new(system.order, system.responses)
        .and_then(|task| task.with(system.context()))
        .map_err(|error| system.blame(&error, "order"))
}

fn shape(system: &Spanned<settings::System>) -> Result<Shape> {
    let shape = Shape::relaxed(task(system)?, system.heads, system.gamma, system.simplified())
        .map_err(|error| system.blame(&error, "heads"))?;
    Ok(if system.gamma_form == Form::Printed { shape.as_printed() } else { shape })
}

fn loss(system: &settings::System, shape: Shape, seed: u64) -> Result<Loss, Error> {
    let (objective, sequences, batch) = (system.objective, system.sequences, system.batch);
    let simplified = shape.is_analysed();
    let expected = move || population(shape, objective).ok();
    Ok(match system.loss {
        Average::Online => if simplified {
            Loss::drawn(Matches::fresh(shape, objective, batch)?)
        } else {
            Loss::drawn(Corpus::fresh(shape, objective, batch)?)
        }
        .with_mean(expected),
        Average::Empirical => {
            let on = move |seed| {
                let data = (sequences, seed);
                Ok::<_, Error>(if simplified {
                    Loss::exact(Matches::stored(shape, objective, data)?)
                } else {
                    Loss::exact(Corpus::stored(shape, objective, data)?)
                })
            };
            on(seed)?.with_population(expected).with_fresh(move |seed| on(seed).ok())
        }
        Average::Population => population(shape, objective)?,
    })
}

/// The exact expectation: in closed form for the simplified model, otherwise on sequences written out.
fn population(shape: Shape, objective: Objective) -> Result<Loss, Error> {
    Ok(if shape.is_analysed() && objective == Objective::DotProduct {
        Loss::exact_specialised(Population::new(shape)?)
    } else {
        Loss::exact(Corpus::exact(shape, objective)?)
    })
}

/// Why relaxed models and cross entropy have no law of a jump.
const NOT_SIMPLIFIED: &str = "it is a law of the dot-product loss of the simplified model: keep \
     (A0) to (A3), complete contexts, and set objective = \"dot-product\"";

/// Associative recall with all its settings, as far as theory depends on them.
struct Model {
    shape: Shape,
    objective: Objective,
    init: Vec<f64>,
    /// The sets of matched tokens, for the simplified model.
    saddles: Option<Arc<Saddles>>,
    is_population: bool,
}

impl Model {
    /// The sets of matched tokens as places: of the expected loss they are.
    fn places(&self) -> Option<&Saddles> {
        self.saddles.as_deref().filter(|_| self.is_population)
    }

    /// Whether the model is the one that the paper analyses, with the loss that it analyses.
    fn is_analysed(&self) -> bool {
        self.shape.is_analysed() && self.objective == Objective::DotProduct
    }

    /// The head that moves alone, with equal weights on all lags but its own, if there is one.
    fn single_moving_head(&self) -> Option<usize> {
        let mut moving =
            self.shape.iter(&self.init).enumerate().filter(|(_, head)| head.beta != 0.0);
        let (h, head) = moving.next()?;
        let mut others = head.weights.iter().enumerate().filter(|&(lag, _)| lag != h);
        let (_, first) = others.next()?;
        (moving.next().is_none() && others.all(|(_, w)| w == first)).then_some(h)
    }

    fn observables(&self, built_in: Observables) -> Observables {
        observables::all(built_in, &self.shape, self.saddles.as_ref())
    }

    /// Whole matrices without (A3) first learn that answers are responses, and then come down the plateaus of the
    /// simplified model.
    fn levels(&self) -> Vec<f64> {
        let kept = self.shape.simplified;
        let all = levels(&self.shape, self.objective);
        if kept.strengths || kept.responses {
            return all;
        }
        let simplified = Shape { simplified: Simplified::ALL, ..self.shape };
        all.first().copied().into_iter().chain(levels(&simplified, self.objective)).collect()
    }

    fn predictions(&self, seen: RunData<'_>) -> Vec<Prediction> {
        let mut all = Vec::new();
        if !self.levels().is_empty() {
            all.push(Prediction::levels("$\\mathcal{L}_m$", self.levels()));
        }
        all.extend(predictions::solution(&self.shape));
        if self.is_analysed() {
            all.extend(predictions::times(&self.shape, &self.init));
            all.extend(predictions::jump_laws(&self.shape, &self.init, seen));
            all.extend(curves::tangents(&self.shape, &self.init));
            if let Some(head) = self.single_moving_head() {
                all.extend(curves::late(&self.shape, head, seen));
            }
        } else if self.is_population {
            all.extend(predictions::relaxed_escape(&self.shape, self.objective, &self.init));
        }
        if self.shape.is_analysed() {
            all.extend(curves::restricted(&self.shape, &self.init, seen));
        }
        all
    }

    fn scalings(&self) -> Vec<Scaling> {
        let jumps = self.levels().len().saturating_sub(1);
        if self.is_analysed() { predictions::scalings(jumps) } else { Vec::new() }
    }

    fn outcomes(&self, seen: RunData<'_>) -> Vec<Outcome> {
        let escape =
            if self.is_analysed() { predictions::escape(&self.shape, &self.init) } else { None };
        outcomes::outcomes(&self.shape, &self.init, escape, seen)
    }

    /// A softmax does not see constants, so the sum of a head's weights stays. 001, Theorem 3.1(d), while
    /// only one head moves. `Q Q^T - K K^T` stays as for every product of two matrices.
    fn invariants(&self) -> Vec<Invariant> {
        let shape = self.shape;
        let mut invariants = Vec::new();
        for h in 0..shape.heads {
            invariants.push(Invariant::new(format!("head.{h}.sum_w"), move |state| {
                shape.iter(state).nth(h).map_or(f64::NAN, |head| head.weights.iter().sum())
            }));
        }
        if self.is_analysed()
            && let Some(h) = self.single_moving_head()
        {
            let name = format!("head.{h}.f_minus_quarter_beta_squared");
            let kept = move |turn: Turn| turn.kept(potential(shape.task.order, turn.alpha));
            let kept = move |state: &[f64]| Turn::new(&shape, state, h).map_or(f64::NAN, kept);
            invariants.push(Invariant::new(name, kept));
        }
        if !shape.simplified.strengths {
            let squares = |matrix: &[f64]| matrix.iter().map(|x| x * x).sum::<f64>();
            invariants.push(Invariant::new("second.query_minus_key", move |state| {
                let matrices = &state[shape.heads * shape.head_len()..];
                let (query, key) = matrices.split_at(matrices.len() / 2);
                squares(query) - squares(key)
            }));
        }
        invariants
    }

    /// The law of each jump, in the order of the strengths at the start.
    fn theories(&self) -> Theories<'static> {
        let mut theories = Theories::none();
        let mut order: Vec<usize> = (0..self.shape.heads).collect();
        let beta: Vec<f64> = self.shape.iter(&self.init).map(|head| head.beta.abs()).collect();
        order.sort_by(|&a, &b| beta[b].total_cmp(&beta[a]));
        for (m, name) in NAMES.iter().enumerate().take(order.len()) {
            if !self.is_analysed() {
                theories = theories.without(name, NOT_SIMPLIFIED);
                continue;
            }
            theories = theories.with_valid(name, JumpLaw::new(self.shape, order[m], &order[..m]));
        }
        theories
    }
}
