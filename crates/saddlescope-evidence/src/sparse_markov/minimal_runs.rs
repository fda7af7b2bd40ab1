//! Small minimal models in training, for claims about it: 16 tokens, three groups of two lags, batches of 200 fresh sequences.

use super::*;
use saddlescope::descent::Plateau;
use saddlescope::dynamics;
use saddlescope::record::{Control, Glimpse, Moment, Recorder};
use saddlescope_sparse_markov::evaluation::Attention;
use saddlescope_sparse_markov::{BatchSource, Minimal, SequenceModel};

/// Strength of the last feature: logits spread as at the paper's size.
const BASE: f64 = 5.6;
const RATIO: f64 = 1.7;
const TOKENS: usize = 16;
const LENGTH: usize = 12;
const BATCH: usize = 200;

/// A chain with the strengths `5.6 m^(3-k)`, `m = 1.7`, and weights `alpha` within each group.
pub(super) fn chain(alpha: [f64; 2]) -> Outcome<Arc<Chain>> {
    let scales = [BASE * RATIO * RATIO, BASE * RATIO, BASE];
    let mut groups = Group::contiguous(3, 2);
    groups.iter_mut().for_each(|group| group.weights = alpha.to_vec());
    let features = Chain::orthogonal_features(TOKENS, &scales, 0);
    Ok(Arc::new(Chain::new(groups, features, (LENGTH, None))?))
}

/// AdamW as the paper has it, at a rate for this size.
pub(super) fn adamw(steps: u64, decay: f64) -> Steps {
    adamw_at(1e-2, steps, decay)
}

/// AdamW with gradients clipped at 1. 000, Table 2, without its schedule.
pub(super) fn adamw_at(rate: f64, steps: u64, decay: f64) -> Steps {
    let rule = Optimiser::AdamW(AdamSettings::default(), decay);
    Steps { rule, rate, steps, schedule: ScheduleKind::Constant, clip: Some(1.0) }
}

/// The same with the schedule of Table 2, read at every step.
pub(super) fn scheduled(steps: u64) -> Steps {
    let plateau = Plateau { factor: 0.5, patience: 10, ..Plateau::default() };
    Steps { schedule: ScheduleKind::Plateau(plateau), ..adamw(steps, 0.01) }
}

/// Gradient descent with momentum.
pub(super) fn momentum(steps: u64) -> Steps {
    let rule = Optimiser::Momentum { momentum: 0.9, dampening: 0.0 };
    Steps { rule, rate: 2.0, steps, schedule: ScheduleKind::Constant, clip: None }
}

/// What is measured of a model at some step.
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

    /// The least that any head has on group `j`.
    pub(super) fn least(&self, j: usize) -> f64 {
        smallest((0..self.attention.heads().1).map(|k| self.on(k, j)))
    }

    /// How many different heads have most on the three groups.
    pub(super) fn owners(&self) -> usize {
        let mut owners = [0, 1, 2].map(|j| self.best(j).0);
        owners.sort_unstable();
        1 + owners.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// The head that has most on group `j`, and how much that is.
    pub(super) fn best(&self, j: usize) -> (usize, f64) {
        let owner = self.attention.owner(0, j);
        (owner, self.on(owner, j))
    }
}

/// A model, what it is trained on and what it is measured with.
pub(super) struct Training<M> {
    pub(super) model: M,
    pub(super) evaluation: Evaluation,
    pub(super) batch: usize,
    /// Sequences of the data set; fresh ones where there is none.
    pub(super) data: Option<usize>,
    pub(super) seed: u64,
}

impl<M: SequenceModel> Training<M> {
    /// On batches of so many fresh sequences.
    pub(super) fn on_batches(model: M, batch: usize) -> Outcome<Self> {
        let chain = Arc::clone(model.chain());
        let tests = chain.data_set(400, (0, TEST));
        let evaluation = Evaluation::new(chain, tests, Fit::default())?;
        Ok(Self { model, evaluation, batch, data: None, seed: 0 })
    }

    /// Which sequences of the model's chain a step sees.
    pub(super) fn seen(&self) -> BatchSource {
        let Some(count) = self.data else { return BatchSource::Fresh(self.batch) };
        let data: Arc<[u16]> = self.model.chain().data_set(count, (0, TRAINING)).into();
        if count <= self.batch {
            BatchSource::All(data)
        } else {
            BatchSource::Some(data, self.batch)
        }
    }

    /// Trains, and looks at each of `stops`.
    pub(super) fn train_from(
        &self,
        start: &[f64],
        steps: Steps,
        stops: &[u64],
    ) -> Outcome<Vec<Look>> {
        let landscape = self.model.landscape::<f32>(self.seen())?;
        let mut recorder = StopRecorder { stops, states: Vec::new() };
        let phases = [Phase::new(Motion::Descent(steps))];
        dynamics::train(&landscape, &phases, start, self.seed, &mut recorder)?;
        try_map(recorder.states, |(step, state)| self.look(step, state))
    }

    fn look(&self, step: u64, state: Vec<f64>) -> Outcome<Look> {
        let rungs = [1, 2, 3].map(Reference::Rung);
        let references = [Reference::Truth, rungs[0], rungs[1], rungs[2]];
        let want = Want { references: &references, attention: true, ..Want::default() };
        let found = self.evaluation.evaluate(&Model::new(&self.model, &state)?, &want)?;
        let means: Vec<f64> = found.references.iter().map(|estimate| estimate.mean).collect();
        let why = || ClaimError::new("no attention was measured");
        let attention = found.attention.ok_or_else(why)?;
        Ok(Look { step, state, excess: means[0], rungs: means[1..].to_vec(), attention })
    }
}

impl Training<Minimal> {
    pub(super) fn of_minimal(chain: Arc<Chain>) -> Outcome<Self> {
        Self::on_batches(Minimal::new(chain, 3)?, BATCH)
    }

    /// Trains from a uniform start of size `u`, and looks at each of `stops`.
    pub(super) fn train(&self, u: f64, steps: Steps, stops: &[u64]) -> Outcome<Vec<Look>> {
        self.train_from(&self.model.uniform_start(u, self.seed)?, steps, stops)
    }
}

/// Of the chain that most runs learn.
pub(super) fn usual_training() -> Outcome<Training<Minimal>> {
    Training::of_minimal(chain([0.5, 0.5])?)
}

/// What a run comes to, made once for all claims about it.
pub(super) fn once<T>(
    kept: &'static OnceLock<Outcome<T>>,
    run: impl FnOnce() -> Outcome<T>,
) -> Outcome<&'static T> {
    kept.get_or_init(run).as_ref().map_err(Clone::clone)
}

/// Keeps the states at some steps.
struct StopRecorder<'a> {
    stops: &'a [u64],
    states: Vec<(u64, Vec<f64>)>,
}

impl Recorder for StopRecorder<'_> {
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
pub(super) fn usual_run() -> Outcome<&'static [Look]> {
    static RUN: OnceLock<Outcome<Vec<Look>>> = OnceLock::new();
    let run = || usual_training()?.train(0.1, adamw(2000, 0.01), &STOPS);
    Ok(once(&RUN, run)?)
}
