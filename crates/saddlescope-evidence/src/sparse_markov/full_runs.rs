//! Small full transformers in training, for claims about it: 12 tokens, width 36, batches of 100 sequences.

use super::minimal_runs::{Look, adamw_at, once, trained};
use super::*;
use saddlescope_sparse_markov::{BatchSource, Full, SequenceModel as _};
use saddlescope_transformer::{Scales, Start};

/// Strength of the last feature: logits spread as at the paper's size.
const BASE: f64 = 4.9;
const RATIO: f64 = 1.7;
const TOKENS: usize = 12;
const LENGTH: usize = 8;
const BATCH: usize = 100;
const TESTS: usize = 400;

/// Groups of these lags, the most important first.
pub(super) fn chain(groups: &[&[usize]]) -> Outcome<Arc<Chain>> {
    let scales = [BASE * RATIO * RATIO, BASE * RATIO, BASE];
    let groups = groups.iter().map(|lags| Group::even(lags)).collect();
    let features = Chain::orthogonal_features(TOKENS, &scales, 0);
    Ok(Arc::new(Chain::new(groups, features, (LENGTH, None))?))
}

/// The chain that most runs learn.
pub(super) fn usual() -> Outcome<Arc<Chain>> {
    chain(&[&[1, 2], &[3, 4], &[5, 6]])
}

/// The parts of the paper's transformer at this size.
pub(super) fn parts() -> Architecture {
    Architecture { width: 36, heads: 3, dropout: 0.1, ..Architecture::small(TOKENS, 1) }
}

/// A transformer, what it is trained on, and how.
pub(super) struct FullTraining {
    pub(super) full: Full,
    pub(super) evaluation: Evaluation,
    /// Sequences of the data set; fresh ones where there is none.
    pub(super) data: Option<usize>,
    pub(super) seed: u64,
}

impl FullTraining {
    pub(super) fn new(chain: Arc<Chain>, of: Architecture) -> Outcome<Self> {
        let tests = chain.data_set(TESTS, (0, TEST));
        let evaluation = Evaluation::new(Arc::clone(&chain), tests, Fit::default())?;
        Ok(Self { full: Full::new(chain, of)?, evaluation, data: None, seed: 0 })
    }

    /// How it is trained.
    pub(super) fn steps(steps: u64) -> Steps {
        adamw_at(4e-3, steps, 0.01)
    }

    /// Which sequences of `full`'s chain a step sees.
    pub(super) fn seen(&self) -> BatchSource {
        let Some(count) = self.data else { return BatchSource::Fresh(BATCH) };
        let data: Arc<[u16]> = self.full.chain.data_set(count, (0, TRAINING)).into();
        if count <= BATCH { BatchSource::All(data) } else { BatchSource::Some(data, BATCH) }
    }

    /// Where it starts: as layers of PyTorch.
    pub(super) fn start() -> (Start, Scales) {
        (Start::Layers, Scales::default())
    }

    /// Trains, and looks at each of `stops`, of which the last is the end.
    pub(super) fn train(&self, stops: &[u64]) -> Outcome<Vec<Look>> {
        let landscape = self.full.landscape::<f32>(self.seen())?;
        let (start, scales) = Self::start();
        let theta = self.full.model.start(start, &scales, self.seed);
        let steps = Self::steps(stops.last().copied().unwrap_or(1));
        let look = |(step, state): (u64, Vec<f64>)| {
            let model = Model::new(&self.full, &state)?;
            Look::new(&self.evaluation, &model, (step, state.clone()))
        };
        trained(&landscape, steps, (&theta, self.seed), stops)?.into_iter().map(look).collect()
    }
}

/// Where the usual runs are looked at: around the first plateau, on the second, and at the end.
pub(super) const STOPS: [u64; 13] = [0, 30, 50, 70, 90, 110, 150, 200, 300, 400, 500, 700, 1200];

/// Seeds of the usual runs.
pub(super) const SEEDS: [u64; 2] = [0, 1];

/// The runs that several claims look at, one for each of [`SEEDS`].
pub(super) fn usual_runs() -> Outcome<&'static [Vec<Look>]> {
    static RUNS: OnceLock<Outcome<Vec<Vec<Look>>>> = OnceLock::new();
    let run = |seed| FullTraining { seed, ..FullTraining::new(usual()?, parts())? }.train(&STOPS);
    Ok(once(&RUNS, || SEEDS.into_iter().map(run).collect())?)
}
