//! The model with embeddings and matrices as a world, read off through the `Y` and `Z` that it implies.

use std::sync::Arc;

use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Stage, StageError};
use saddlescope::figure::FigureSpec;
use saddlescope::landscape::erased::{AnyLandscape, Erased};
use saddlescope::outcome::Outcome;
use saddlescope::prediction::Seen;
use saddlescope::record::{Observable, Observables, Recorder};
use saddlescope::settings::{Settings, SettingsError};
use saddlescope::sketch::Sketch;
use saddlescope::system::{Invariant, World};
use saddlescope::theory::Theories;
use saddlescope::{Blocks, Surface};

use super::observables::{self, Implied};
use super::start::blame;
use super::world::{empirical, online};
use super::{Embedded, Embedding, Error, LateNorm, Population, Scales, Shape};
use super::{cost, figures, outcomes, predictions, sketch};

/// What is normalised, over which loss.
enum Loss {
    Weights(Embedded),
    Embedding(LateNorm),
}

impl Loss {
    fn new(system: &Settings, embedding: &Embedding, seed: u64) -> Result<Self, SettingsError> {
        let (shape, loss) = (embedding.shape(), system.word("loss"));
        if system.word("normalised") == "embedding" {
            if loss == "population" {
                return Ok(Self::Embedding(LateNorm::new(embedding.clone())));
            }
            let message = format!(
                "is \"{loss}\", but with normalised = \"embedding\" there is only \"population\"; take normalised = \"weights\""
            );
            return Err(system.wrong("loss", message));
        }
        let embedding = embedding.clone();
        let embedded = match loss {
            "online" => online(system, shape).and_then(|inner| Embedded::new(embedding, inner)),
            "empirical" => {
                empirical(system, shape, seed).and_then(|inner| Embedded::new(embedding, inner))
            }
            _ => return Self::population(&embedding).map_err(|error| blame(system, &error)),
        };
        embedded.map(Self::Weights).map_err(|error| blame(system, &error))
    }

    /// The loss of endless sequences where the weights are normalised.
    fn population(embedding: &Embedding) -> Result<Self, Error> {
        let inner = Population::new(embedding.shape().clone());
        Embedded::new(embedding.clone(), inner).map(Self::Weights)
    }
}

/// Scan and snap with embeddings.
pub(super) struct WithEmbedding {
    embedding: Arc<Embedding>,
    loss: Loss,
    /// The loss of what is implied, by whose views attention is read off.
    exact: Arc<Population>,
    start: Vec<f64>,
    operations: f64,
    /// Whether each step sees fresh sequences.
    draws: bool,
    /// Whether the loss is that of endless sequences.
    is_exact: bool,
}

impl WithEmbedding {
    /// The model of `shape` with embeddings, where `start` says.
    pub(super) fn new(
        system: &Settings,
        shape: Shape,
        start: &Settings,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let operations = cost::embedding_operations(system, &shape);
        let embedding = Embedding::new(shape.clone(), system.count("dimension"))
            .map_err(|error| blame(system, &error))?;
        let kind = start.kind().unwrap_or_default();
        if !matches!(kind, "random" | "orthogonal") {
            let message = format!(
                "is \"{kind}\", which sets Y and Z; expected \"random\" or \"orthogonal\" where model = \"embedding\""
            );
            return Err(start.wrong("kind", message));
        }
        let attention = start.number("scale");
        let value = start.optional_number("value_scale").unwrap_or(attention);
        let scales = Scales { value, attention };
        let theta = match kind {
            "orthogonal" => embedding.orthogonal_start(scales, seed),
            _ => embedding.random_start(scales, seed),
        };
        Ok(Self {
            start: theta.map_err(|error| start.wrong("kind", format!("does not fit: {error}")))?,
            loss: Loss::new(system, &embedding, seed)?,
            draws: system.word("loss") == "online",
            is_exact: system.word("loss") == "population",
            embedding: Arc::new(embedding),
            exact: Arc::new(Population::new(shape)),
            operations,
        })
    }

    /// The same world with the exact loss of endless sequences.
    fn endless(&self) -> Option<Box<dyn World + '_>> {
        Some(Box::new(Self {
            embedding: Arc::clone(&self.embedding),
            loss: Loss::population(&self.embedding).ok()?,
            exact: Arc::clone(&self.exact),
            start: self.start.clone(),
            operations: self.operations,
            draws: false,
            is_exact: true,
        }))
    }

    fn landscape(&self) -> &dyn AnyLandscape {
        match &self.loss {
            Loss::Weights(landscape) => landscape,
            Loss::Embedding(landscape) => landscape,
        }
    }

    fn shape(&self) -> &Shape {
        self.exact.shape()
    }

    /// Whether the decoder reads what `Y` says, so that logits of the implied model are its own.
    fn is_implied(&self) -> bool {
        matches!(self.loss, Loss::Weights(_))
    }
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

impl World for WithEmbedding {
    fn blocks(&self) -> &Blocks {
        self.embedding.blocks()
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones; those of [`observables::with`], of the implied `Y` and `Z` (without `lead` and `lead.class`
    /// where the embedded vector is normalised: the decoder then reads no `Y`); `stretch`, the mean over classes of
    /// `|U^T c|/|c|`, by which the two normalisations differ; and `coherence`, the root of the mean squared cosine of two
    /// embeddings.
    fn observables(&self) -> Observables {
        let embedding = Arc::clone(&self.embedding);
        let through: Arc<Implied> = Arc::new(move |state: &[f64]| implied(&embedding, state));
        let built_in = Observables::built_in(self.blocks());
        let mut all = observables::with(built_in, &self.exact, &self.start, &through);
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

    fn levels(&self) -> Vec<f64> {
        vec![(self.shape().task().vocabulary() as f64).ln(), 0.0]
    }

    /// Those of the implied model, where it is the model.
    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        let state = implied(&self.embedding, seen.state);
        let mut all = outcomes::outcomes(&self.exact, &state);
        let is_implied = self.is_implied();
        all.retain(|outcome| match outcome.name.as_str() {
            "lead" | "exact_loss" => is_implied,
            _ => true,
        });
        if let (Loss::Embedding(landscape), false) = (&self.loss, state.is_empty()) {
            let loss = landscape.losses(seen.state);
            let mean = loss.iter().sum::<f64>() / loss.len() as f64;
            all.push(Outcome::new("exact_loss", mean));
        }
        all
    }

    fn outcome_names(&self) -> Vec<String> {
        outcomes::names()
    }

    fn label(&self, observable: &str) -> Option<String> {
        match observable {
            "stretch" => Some("$|U^\\top c|/|c|$".to_owned()),
            "coherence" => Some("cosines of embeddings".to_owned()),
            _ => figures::label(observable),
        }
    }

    fn figure(&self) -> FigureSpec {
        figures::standard(self.shape())
    }

    fn prediction_names(&self) -> &'static [&'static str] {
        predictions::NAMES
    }

    fn sketch(&self) -> Sketch {
        sketch::sketch(self.shape().task())
    }

    fn least_loss(&self) -> Option<f64> {
        self.is_exact.then_some(0.0)
    }

    /// `balance.attention`: `W_Q^T W_Q - W_K^T W_K`, of each head where there are several; and where the weights are
    /// normalised, `balance.embedding`: `U^T U` less the squares of all matrices.
    fn invariants(&self) -> Vec<Invariant> {
        let (d, heads) = (self.embedding.dimension(), self.shape().head_count());
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

    fn surface(&self) -> Option<&dyn Surface> {
        match &self.loss {
            Loss::Weights(_) if self.draws => None,
            Loss::Weights(landscape) => Some(landscape),
            Loss::Embedding(landscape) => Some(landscape),
        }
    }

    fn symmetry_directions(&self, state: &[f64]) -> Vec<Vec<f64>> {
        self.embedding.symmetry_directions(state, self.is_implied()).unwrap_or_default()
    }

    fn has_flow(&self) -> bool {
        !self.draws
    }

    fn draws_batches(&self) -> bool {
        self.draws
    }

    fn without_noise(&self) -> Option<Box<dyn World + '_>> {
        if self.draws { self.endless() } else { None }
    }

    fn without_data(&self) -> Option<Box<dyn World + '_>> {
        if self.draws || self.is_exact { None } else { self.endless() }
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
        dynamics::run_leg(&Erased(self.landscape()), course, from, steps, recorder)
    }
}

#[cfg(test)]
#[path = "embedded_world_tests.rs"]
mod tests;
