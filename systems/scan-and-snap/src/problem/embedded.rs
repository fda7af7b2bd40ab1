//! The model with embeddings and matrices as a problem, read off through the `Y` and `Z` that it implies.

use std::sync::Arc;

use saddlescope_spec::prelude::*;
use saddlescope_spec::settings::Choice as _;

use crate::matrices::Normalised;
use crate::problem::init::blame;
use crate::readings::observables::{self, Implied};
use crate::readings::{outcomes, predictions};
use crate::settings::{Average, Init, System};
use crate::{Embedded, Embedding, LateNorm, Population, Scales, Shape, data};

pub(crate) fn problem(
    system: &Spanned<System>,
    shape: Shape,
    start: &Spanned<Init>,
    seed: u64,
) -> Result<Problem> {
    let embedding =
        Embedding::new(shape.clone(), system.dimension).map_err(|error| blame(system, &error))?;
    let init = init(start, &embedding, seed)?;
    let late = system.normalised == Normalised::Embedding;
    let late = late.then(|| LateNorm::new(embedding.clone()));
    let loss = loss(system, &embedding, late.as_ref(), seed)?;
    let levels = vec![(shape.task.vocabulary as f64).ln(), 0.0];
    let least_loss = (system.loss == Average::Population).then_some(0.0);
    let exact = Arc::new(Population::new(shape));
    let model = Model { embedding: Arc::new(embedding), late, exact };
    Ok(Problem::new(loss, init.clone())
        .of(model)
        .levels(levels.clone())
        .least_loss(least_loss)
        .observables(|model, built_in| model.observables(built_in, &init))
        .predictions(predictions::NAMES, move |_, _| {
            vec![Prediction::levels("theory", levels.clone())]
        })
        .outcomes(outcomes::names(), Model::outcomes)
        .invariants(Model::invariants)
        .symmetry_directions(|model, state| {
            let directions = model.embedding.symmetry_directions(state, model.is_implied());
            directions.unwrap_or_default()
        })
        .build())
}

fn init(start: &Spanned<Init>, embedding: &Embedding, seed: u64) -> Result<Vec<f64>> {
    let (Init::Random(matrices) | Init::Orthogonal(matrices)) = &**start else {
        let message = format!(
            "is \"{}\", which sets Y and Z; expected \"random\" or \"orthogonal\" where model = \"embedding\"",
            start.word()
        );
        return Err(start.wrong("kind", message));
    };
    let attention = matrices.scale;
    let scales = Scales { value: matrices.value_scale.unwrap_or(attention), attention };
    let init = match **start {
        Init::Orthogonal(_) => embedding.orthogonal_start(scales, seed),
        _ => embedding.random_start(scales, seed),
    };
    init.map_err(|error| start.wrong("kind", format!("does not fit: {error}")))
}

/// The loss that was asked for, on sequences or of endless ones, which also take the place of either.
fn loss(
    system: &Spanned<System>,
    embedding: &Embedding,
    late: Option<&LateNorm>,
    seed: u64,
) -> Result<Loss> {
    if let Some(late) = late {
        if system.loss == Average::Population {
            return Ok(Loss::exact(late.clone()));
        }
        let message = format!(
            "is \"{}\", but with normalised = \"embedding\" there is only \"population\"; take normalised = \"weights\"",
            system.loss.word()
        );
        return Err(system.wrong("loss", message));
    }
    let endless = {
        let embedding = embedding.clone();
        move || {
            let inner = Population::new(embedding.shape.clone());
            Embedded::new(embedding.clone(), inner).map(Loss::exact)
        }
    };
    let (shape, length) = (embedding.shape.clone(), system.length);
    let embedding = embedding.clone();
    let built = match system.loss {
        Average::Online => data::online(shape, length, system.batch)
            .and_then(|inner| Embedded::new(embedding, inner))
            .map(|fresh| Loss::drawn(fresh).with_mean(move || endless().ok())),
        Average::Empirical => {
            let sequences = system.sequences;
            let on = move |seed| {
                data::empirical(shape.clone(), length, (sequences, seed))
                    .and_then(|inner| Embedded::new(embedding.clone(), inner))
                    .map(Loss::exact)
            };
            on(seed).map(|stored| {
                stored.with_population(move || endless().ok()).with_fresh(move |seed| on(seed).ok())
            })
        }
        Average::Population => endless(),
    };
    built.map_err(|error| blame(system, &error))
}

/// `Y` and `Z` that `state` stands for; of a state that is none, nothing.
fn implied(embedding: &Embedding, state: &[f64]) -> Vec<f64> {
    embedding.implied(state).unwrap_or_default()
}

/// Entries of an invariant matrix that are listed one by one; where there are more, its length is.
const LISTED: usize = 64;

/// The entries on and above the diagonal of a symmetric matrix that flow keeps.
fn matrix(
    name: &str,
    d: usize,
    of: impl Fn(&[f64]) -> Vec<f64> + Clone + Send + Sync + 'static,
) -> Vec<Invariant> {
    if d * (d + 1) / 2 > LISTED {
        let length =
            move |state: &[f64]| of(state).iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        return vec![Invariant::new(name, length)];
    }
    let entries = (0..d).flat_map(|i| (i..d).map(move |j| (i, j)));
    let entry = |(i, j)| {
        let of = of.clone();
        let at = move |state: &[f64]| of(state).get(i * d + j).copied().unwrap_or(f64::NAN);
        Invariant::new(format!("{name}.{i}.{j}"), at)
    };
    entries.map(entry).collect()
}

/// Scan and snap with embeddings, as far as theory depends on it.
struct Model {
    embedding: Arc<Embedding>,
    /// The loss, where the embedded vector is normalised.
    late: Option<LateNorm>,
    /// The loss of what is implied, by whose views attention is read off.
    exact: Arc<Population>,
}

impl Model {
    /// Whether the decoder reads what `Y` says, so that logits of the implied model are its own.
    fn is_implied(&self) -> bool {
        self.late.is_none()
    }

    /// The built-in ones; those of [`observables::with`], of the implied `Y` and `Z` (without `lead` and `lead.class`
    /// where the embedded vector is normalised: the decoder then reads no `Y`); `stretch`, the mean over classes of
    /// `|U^T c|/|c|`, by which the two normalisations differ; and `coherence`, the root of the mean squared cosine of two
    /// embeddings.
    fn observables(&self, built_in: Observables, init: &[f64]) -> Observables {
        let embedding = Arc::clone(&self.embedding);
        let through: Arc<Implied> = Arc::new(move |state: &[f64]| implied(&embedding, state));
        let mut all = observables::with(built_in, &self.exact, init, &through);
        if !self.is_implied() {
            let kept = |name: &&str| !matches!(*name, "lead" | "lead.class");
            let names: Vec<String> =
                all.iter().map(|one| &*one.name).filter(kept).map(str::to_owned).collect();
            all = all.select(&names).unwrap_or_default();
        }
        let (embedding, exact) = (Arc::clone(&self.embedding), Arc::clone(&self.exact));
        all = all.with(Observable::scalar("stretch", move |moment| {
            embedding.stretch(&exact, moment.state).unwrap_or(f64::NAN)
        }));
        let embedding = Arc::clone(&self.embedding);
        all.with(Observable::scalar("coherence", move |moment| {
            embedding.coherence(moment.state).unwrap_or(f64::NAN)
        }))
    }

    /// Those of the implied model, where it is the model.
    fn outcomes(&self, seen: RunData<'_>) -> Vec<Outcome> {
        let state = implied(&self.embedding, seen.state);
        let mut all = outcomes::outcomes(&self.exact, &state);
        let Some(late) = &self.late else { return all };
        all.retain(|outcome| !matches!(outcome.name.as_str(), "lead" | "exact_loss"));
        if !state.is_empty() {
            let loss = late.losses(seen.state);
            let mean = loss.iter().sum::<f64>() / loss.len() as f64;
            all.push(Outcome::new("exact_loss", mean));
        }
        all
    }

    /// `balance.attention`: `W_Q^T W_Q - W_K^T W_K`, of each head where there are several; and where the weights are
    /// normalised, `balance.embedding`: `U^T U` less the squares of all matrices.
    fn invariants(&self) -> Vec<Invariant> {
        let (d, heads) = (self.embedding.dimension, self.exact.shape.heads);
        let mut all = Vec::new();
        for h in 0..heads {
            let name = if heads == 1 {
                "balance.attention".to_owned()
            } else {
                format!("balance.attention.{h}")
            };
            let embedding = Arc::clone(&self.embedding);
            all.extend(matrix(&name, d, move |state| {
                embedding.attention_balance(state, h).unwrap_or_default()
            }));
        }
        if self.is_implied() {
            let embedding = Arc::clone(&self.embedding);
            all.extend(matrix("balance.embedding", d, move |state| {
                embedding.embedding_balance(state).unwrap_or_default()
            }));
        }
        all
    }
}

#[cfg(test)]
#[path = "embedded_tests.rs"]
mod tests;
