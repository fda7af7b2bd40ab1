//! Small minimal models in training, for claims about it: 16 tokens, three groups of two lags, batches of 200 fresh sequences.

use super::*;
use saddlescope::descent::Plateau;
use saddlescope::dynamics;
use saddlescope::record::{Control, Glimpse, Moment, Recorder};
use saddlescope_sparse_markov::evaluation::{Attention, Model, Predictions};
use saddlescope_sparse_markov::{Corpus, Minimal};

/// Strength of the last feature: logits spread as at the paper's size.
const BASE: f64 = 5.6;
const TOKENS: usize = 16;
const LENGTH: usize = 12;
const BATCH: usize = 200;
const TESTS: usize = 400;

/// A chain with the strengths `5.6 m^(3-k)` and weights `alpha` within each group.
pub(super) fn chain(ratio: f64, alpha: [f64; 2]) -> Result<Arc<Chain>, ClaimError> {
    let scales = [BASE * ratio * ratio, BASE * ratio, BASE];
    let mut groups = Group::contiguous(3, 2);
    groups.iter_mut().for_each(|group| group.weights = alpha.to_vec());
    let features = Chain::orthogonal_features(TOKENS, &scales, 0);
    Ok(Arc::new(Chain::new(groups, features, (LENGTH, None))?))
}

/// The chain that most runs learn.
pub(super) fn usual() -> Result<Arc<Chain>, ClaimError> {
    chain(1.7, [0.5, 0.5])
}

/// AdamW as the paper has it, at a rate for this size.
pub(super) fn adamw(steps: u64, decay: f64) -> Steps {
    let adam = AdamSettings::default();
    Steps {
        rule: Optimiser::AdamW(adam, decay),
        rate: 1e-2,
        steps,
        schedule: ScheduleKind::Constant,
        clip: Some(1.0),
    }
}

/// The same with the schedule of Table 2, read at every step.
pub(super) fn scheduled(steps: u64) -> Steps {
    let plateau = Plateau { factor: 0.5, patience: 10, ..Plateau::default() };
    Steps { schedule: ScheduleKind::Plateau(plateau), ..adamw(steps, 0.01) }
}

/// Gradient descent with momentum.
pub(super) fn momentum(steps: u64) -> Steps {
    Steps {
        rule: Optimiser::Momentum { momentum: 0.9, dampening: 0.0 },
        rate: 2.0,
        steps,
        schedule: ScheduleKind::Constant,
        clip: None,
    }
}

/// What is known of a model at some step.
#[derive(Debug, Clone)]
pub(super) struct Look {
    pub(super) step: u64,
    pub(super) state: Vec<f64>,
    pub(super) excess: f64,
    /// Divergences of the rungs from the model.
    pub(super) rungs: Vec<f64>,
    pub(super) attention: Attention,
}

impl Look {
    /// The part of the attention of head `k` on group `j`.
    pub(super) fn on(&self, k: usize, j: usize) -> f64 {
        self.attention.group(0, k, j).mean
    }

    /// The head that has most on group `j`, and how much that is.
    pub(super) fn best(&self, j: usize) -> (usize, f64) {
        let owner = self.attention.owner(0, j);
        (owner, self.on(owner, j))
    }
}

/// What a run is measured with.
pub(super) struct School {
    pub(super) minimal: Minimal,
    pub(super) evaluation: Evaluation,
}

impl School {
    pub(super) fn new(chain: Arc<Chain>) -> Result<Self, ClaimError> {
        let tests = chain.data_set(TESTS, (0, TEST));
        let evaluation = Evaluation::new(Arc::clone(&chain), tests, Fit::default())?;
        Ok(Self { minimal: Minimal::new(chain, 3)?, evaluation })
    }

    /// Trains from a uniform start of size `u` on fresh sequences, or on a data set, and looks at each of `stops`.
    pub(super) fn train(
        &self,
        (u, data): (f64, Option<usize>),
        steps: &Steps,
        stops: &[u64],
    ) -> Result<Vec<Look>, ClaimError> {
        let minimal = &self.minimal;
        let landscape = match data {
            None => Corpus::<f32>::fresh(minimal.clone(), BATCH)?,
            Some(count) => {
                let data: Arc<[u16]> = minimal
                    .chain()
                    .data_set(count, (0, saddlescope_sparse_markov::chain::TRAINING))
                    .into();
                if count <= BATCH {
                    Corpus::all(minimal.clone(), data)?
                } else {
                    Corpus::batches(minimal.clone(), data, BATCH)?
                }
            }
        };
        let start = minimal.uniform_start(u, 0)?;
        let mut stopped = Stopped { stops, states: Vec::new() };
        let stages = [Phase::new(Motion::Descent(steps.clone()))];
        dynamics::train(&landscape, &stages, &start, 0, &mut stopped)
            .map_err(|error| ClaimError::Failed(error.to_string()))?;
        stopped.states.into_iter().map(|(step, state)| self.look(step, state)).collect()
    }

    fn look(&self, step: u64, state: Vec<f64>) -> Result<Look, ClaimError> {
        let model = Model::new(&self.minimal, &state);
        let (excess, rungs, attention) = measure(&self.evaluation, &model)?;
        Ok(Look { step, state, excess, rungs, attention })
    }
}

/// Excess loss, divergences of the rungs, and where the heads look.
pub(super) fn measure(
    evaluation: &Evaluation,
    model: &dyn Predictions,
) -> Result<(f64, Vec<f64>, Attention), ClaimError> {
    let references = [Reference::Truth, Reference::Rung(1), Reference::Rung(2), Reference::Rung(3)];
    let want = Want { references: &references, attention: true, ..Want::default() };
    let found = evaluation.evaluate(model, &want)?;
    let means: Vec<f64> = found.references.iter().map(|estimate| estimate.mean).collect();
    let attention = found
        .attention
        .ok_or_else(|| ClaimError::Failed("no attention was measured".to_owned()))?;
    Ok((means[0], means[1..].to_vec(), attention))
}

/// Keeps the states at some steps.
pub(super) struct Stopped<'a> {
    pub(super) stops: &'a [u64],
    pub(super) states: Vec<(u64, Vec<f64>)>,
}

impl Recorder for Stopped<'_> {
    fn plan(&mut self, _from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        times.push(to.time);
        Control::Continue
    }

    fn record(&mut self, moment: &Moment<'_>) {
        if self.stops.contains(&moment.step) {
            self.states.push((moment.step, moment.state.to_vec()));
        }
    }
}

/// Where the usual run is looked at: on the first plateau, after the second jump, at the end.
pub(super) const STOPS: [u64; 5] = [0, 150, 250, 900, 2000];

/// The run that several claims look at: AdamW from `u = 0.1`.
pub(super) fn usual_run() -> Result<&'static [Look], ClaimError> {
    static RUN: OnceLock<Result<Vec<Look>, String>> = OnceLock::new();
    let run = || {
        let school = School::new(usual()?)?;
        school.train((0.1, None), &adamw(2000, 0.01), &STOPS)
    };
    match RUN.get_or_init(|| run().map_err(|error: ClaimError| error.to_string())) {
        Ok(looks) => Ok(looks),
        Err(error) => Err(ClaimError::Failed(error.clone())),
    }
}
