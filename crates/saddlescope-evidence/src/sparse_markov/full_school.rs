//! Small full transformers in training, for claims about it: 12 tokens, width 36, batches of 100 sequences.

use super::school::{Look, Stopped, measure};
use super::*;
use saddlescope::dynamics;
use saddlescope_sparse_markov::chain::TRAINING;
use saddlescope_sparse_markov::full::{Full, Seen};
use saddlescope_transformer::{Scales, Start};

/// Strength of the last feature: logits spread as at the paper's size.
const BASE: f64 = 4.9;
const RATIO: f64 = 1.7;
const TOKENS: usize = 12;
const LENGTH: usize = 8;
const BATCH: usize = 100;
const TESTS: usize = 400;

/// Groups of these lags, the most important first.
pub(super) fn chain(groups: &[&[usize]]) -> Result<Arc<Chain>, ClaimError> {
    let scales = [BASE * RATIO * RATIO, BASE * RATIO, BASE];
    let groups = groups.iter().map(|lags| Group::even(lags)).collect();
    let features = Chain::orthogonal_features(TOKENS, &scales, 0);
    Ok(Arc::new(Chain::new(groups, features, (LENGTH, None))?))
}

/// The chain that most runs learn.
pub(super) fn usual() -> Result<Arc<Chain>, ClaimError> {
    chain(&[&[1, 2], &[3, 4], &[5, 6]])
}

/// The parts of the paper's transformer at this size.
pub(super) fn parts() -> Architecture {
    Architecture { width: 36, heads: 3, dropout: 0.1, ..Architecture::small(TOKENS, 1) }
}

/// A transformer, what it is trained on, and how.
pub(super) struct FullSchool {
    pub(super) full: Full,
    pub(super) evaluation: Evaluation,
    /// Sequences of the data set; fresh ones where there is none.
    pub(super) data: Option<usize>,
    pub(super) seed: u64,
}

impl FullSchool {
    pub(super) fn new(chain: Arc<Chain>, of: Architecture) -> Result<Self, ClaimError> {
        let tests = chain.data_set(TESTS, (0, TEST));
        let evaluation = Evaluation::new(Arc::clone(&chain), tests, Fit::default())?;
        Ok(Self { full: Full::new(chain, of)?, evaluation, data: None, seed: 0 })
    }

    /// How it is trained: AdamW with decay 0.01, gradients clipped at 1. 000, Table 2, without its schedule.
    pub(super) fn steps(steps: u64) -> Steps {
        let adam = AdamSettings::default();
        Steps {
            rule: Optimiser::AdamW(adam, 0.01),
            rate: 4e-3,
            steps,
            schedule: ScheduleKind::Constant,
            clip: Some(1.0),
        }
    }

    /// Which sequences of `full`'s chain a step sees.
    pub(super) fn seen(&self) -> Seen {
        let Some(count) = self.data else { return Seen::Fresh(BATCH) };
        let data: Arc<[u16]> = self.full.chain().data_set(count, (0, TRAINING)).into();
        if count <= BATCH { Seen::All(data) } else { Seen::Some(data, BATCH) }
    }

    /// Where it starts: as layers of PyTorch.
    pub(super) fn start() -> (Start, Scales) {
        (Start::Layers, Scales::default())
    }

    /// Trains, and looks at each of `stops`, of which the last is the end.
    pub(super) fn train(&self, stops: &[u64]) -> Result<Vec<Look>, ClaimError> {
        let landscape = self.full.training::<f32>(self.seen())?;
        let (start, scales) = Self::start();
        let theta = self.full.model().start(start, &scales, self.seed);
        let mut stopped = Stopped { stops, states: Vec::new() };
        let steps = Self::steps(stops.last().copied().unwrap_or(1));
        let stages = [Phase::new(Motion::Descent(steps))];
        dynamics::train(&landscape, &stages, &theta, self.seed, &mut stopped)
            .map_err(|error| ClaimError::Failed(error.to_string()))?;
        let look = |(step, state): (u64, Vec<f64>)| {
            let model = FullModel::new(&self.full, &state)?;
            let (excess, rungs, attention) = measure(&self.evaluation, &model)?;
            Ok(Look { step, state, excess, rungs, attention })
        };
        stopped.states.into_iter().map(look).collect()
    }
}

/// Where the usual runs are looked at: around the first plateau, on the second, and at the end.
pub(super) const STOPS: [u64; 13] = [0, 30, 50, 70, 90, 110, 150, 200, 300, 400, 500, 700, 1200];

/// Seeds of the usual runs.
pub(super) const SEEDS: [u64; 2] = [0, 1];

/// The runs that several claims look at, one for each of [`SEEDS`].
pub(super) fn usual_runs() -> Result<&'static [Vec<Look>], ClaimError> {
    static RUNS: OnceLock<Result<Vec<Vec<Look>>, String>> = OnceLock::new();
    let run = |seed| FullSchool { seed, ..FullSchool::new(usual()?, parts())? }.train(&STOPS);
    let runs = || SEEDS.into_iter().map(run).collect::<Result<_, ClaimError>>();
    match RUNS.get_or_init(|| runs().map_err(|error| error.to_string())) {
        Ok(runs) => Ok(runs),
        Err(error) => Err(ClaimError::Failed(error.clone())),
    }
}
