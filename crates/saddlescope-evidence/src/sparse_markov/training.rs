//! Sections 2.2 to 2.5 and appendix B with the minimal model: what small runs show. They have 16 tokens, three groups of two
//! lags and batches of 200 fresh sequences.

use super::*;
use saddlescope::descent::Plateau;
use saddlescope::dynamics;
use saddlescope::record::{Moment, Recorder};
use saddlescope_sparse_markov::Predictor;
use saddlescope_sparse_markov::evaluation::Attention;
use saddlescope_sparse_markov::evaluation::divergence;
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

/// Keeps the states at some steps.
struct StopRecorder<'a> {
    stops: &'a [u64],
    states: Vec<(u64, Vec<f64>)>,
}

impl Recorder for StopRecorder<'_> {
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
    static RUN: LazyLock<Outcome<Vec<Look>>> =
        LazyLock::new(|| usual_training()?.train(0.1, adamw(2000, 0.01), &STOPS));
    RUN.as_deref().map_err(Clone::clone)
}

pub(super) fn heads_compete(e: &mut Evidence, _: Trial) -> Outcome {
    let first = &usual_run()?[1];
    e.of(format!("least part of a head's attention on I(1) at step {}", first.step))
        .at_least(0.7, first.least(0));
    Ok(())
}

pub(super) fn heads_specialise(e: &mut Evidence, _: Trial) -> Outcome {
    let run = usual_run()?;
    let (middle, end) = (&run[3], &run[4]);
    e.of(format!("attention on I(2) of its head at step {}", middle.step))
        .at_least(0.7, middle.best(1).1);
    e.of(format!("attention on I(3) of its head at step {}", middle.step))
        .at_most(0.5, middle.best(2).1);
    e.of(format!("attention on I(3) of its head at step {}", end.step))
        .at_least(0.4, end.best(2).1);
    e.of("different heads of the three groups").count(3, end.owners());
    Ok(())
}

pub(super) fn last_head_keeps(e: &mut Evidence, _: Trial) -> Outcome {
    let end = &usual_run()?[4];
    let (head, share) = end.best(2);
    e.of("its attention on I(3)").at_least(0.9, share);
    e.but("what it keeps on I(1)").at_least(0.15, end.on(head, 0));
    e.but("excess loss all the same").at_most(0.06, end.excess);
    Ok(())
}

pub(super) fn ladder(e: &mut Evidence, _: Trial) -> Outcome {
    let run = usual_run()?;
    let nearest = |i: usize| {
        let places = 0..run.len();
        places.min_by(|&a, &b| run[a].rungs[i].total_cmp(&run[b].rungs[i])).unwrap_or(0)
    };
    let steps: Vec<f64> = (0..3).map(|i| run[nearest(i)].step as f64).collect();
    e.of("step nearest to the first rung").at_most(250.0, steps[0]);
    e.of("to the second").abs(900.0, steps[1], 0.0);
    e.of("to the third").abs(2000.0, steps[2], 0.0);
    Ok(())
}

pub(super) fn plateau_predictor_trained(e: &mut Evidence, _: Trial) -> Outcome {
    let first = &usual_run()?[2];
    let training = usual_training()?;
    let best = training.evaluation.fitted(1)?.ok_or_else(|| ClaimError::new("no fit"))?;
    let chain = &training.model.chain;
    let left = |of: &Predictor, data: &[u16]| divergence(chain, (&chain.law, of), data).mean;
    let excess = left(&chain.rung(1), &training.evaluation.data);
    // Other sequences than those of the fit, and than the test set.
    let unseen = left(best, &chain.data_set(3000, (0, 4)));
    e.of("divergence of the rung from the model").at_most(0.1, first.rungs[0]);
    e.of("excess loss, and that of the rung").rel(excess, first.excess, 0.1);
    let what = "excess loss, and that of the best predictor from the lags of I(1)";
    e.but(what).rel(unseen, first.excess, 0.15);
    Ok(())
}

pub(super) fn minimal_symmetric(e: &mut Evidence, _: Trial) -> Outcome {
    let run = usual_training()?.train(0.0, adamw(700, 0.01), &[300, 700])?;
    let each = run[1].state.len() / 3;
    let apart = gap(&run[1].state[..each], &run[1].state[each..2 * each]);
    let usual = &usual_run()?[3];
    e.of("largest difference between two heads").abs(0.0, apart, 0.0);
    e.of("attention on I(2) at step 700").at_most(0.2, run[1].best(1).1);
    e.of(format!("excess loss, in units of that from u = 0.1 at step {}", usual.step))
        .at_least(2.0, run[1].excess / usual.excess);
    Ok(())
}

pub(super) fn smaller_u(e: &mut Evidence, _: Trial) -> Outcome {
    let training = usual_training()?;
    let run = |u: f64| training.train(u, adamw(450, 0.01), &[450]);
    let (small, large) = (&run(0.001)?[0], &run(0.3)?[0]);
    e.of("excess loss from u = 0.001 less that from u = 0.3, at step 450")
        .at_least(0.03, small.excess - large.excess);
    Ok(())
}

pub(super) fn weight_decay(e: &mut Evidence, _: Trial) -> Outcome {
    let run = usual_training()?.train(0.1, adamw(900, 0.0), &[250, 900])?;
    let with = usual_run()?;
    e.of("excess loss at step 250").rel(with[2].excess, run[0].excess, 0.03);
    e.of("excess loss at step 900").rel(with[3].excess, run[1].excess, 0.1);
    Ok(())
}

pub(super) fn schedule(e: &mut Evidence, _: Trial) -> Outcome {
    let run = usual_training()?.train(0.1, scheduled(2000), &[2000])?;
    let without = &usual_run()?[4];
    e.of("excess loss after 2000 steps, read at every step").at_most(0.1, run[0].excess);
    e.but("the same in units of that without it").at_least(5.0, run[0].excess / without.excess);
    Ok(())
}

pub(super) fn uneven_weights(e: &mut Evidence, _: Trial) -> Outcome {
    let run = Training::of_minimal(chain([0.7, 0.3])?)?.train(0.1, adamw(1000, 0.01), &[1000])?;
    let attention = &run[0].attention;
    let ratio = |j: usize| {
        let head = attention.owner(0, j);
        attention.lag(0, head, 2 * j + 1) / attention.lag(0, head, 2 * j + 2)
    };
    e.of("first lag of I(1) over the second").at_least(1.3, ratio(0));
    e.of("first lag of I(2) over the second").at_least(1.3, ratio(1));
    Ok(())
}

pub(super) fn sgd(e: &mut Evidence, _: Trial) -> Outcome {
    let run = usual_training()?.train(0.1, momentum(1500), &[100, 1500])?;
    e.of("least attention on I(1) at step 100").at_least(0.4, run[0].least(0));
    e.of("most attention on I(2) at step 100").at_most(0.2, run[0].best(1).1);
    e.of("attention on I(2) of its head at step 1500").at_least(0.7, run[1].best(1).1);
    Ok(())
}

pub(super) fn data_set_size(e: &mut Evidence, _: Trial) -> Outcome {
    let stops = [100, 150, 200, 300, 400, 600, 800];
    let training = Training { data: Some(200), ..usual_training()? };
    let small = training.train(0.1, adamw(800, 0.01), &stops)?;
    let excess: Vec<f64> = small.iter().map(|look| look.excess).collect();
    let best = (0..excess.len()).min_by(|&a, &b| excess[a].total_cmp(&excess[b])).unwrap_or(0);
    let endless = &usual_run()?[3];
    e.of(format!("200 sequences: attention on I(2) at the best step, {}", small[best].step))
        .at_most(0.5, small[best].best(1).1);
    e.of("excess loss at the end over the best: learned by heart")
        .at_least(1.5, excess[excess.len() - 1] / excess[best]);
    e.of(format!("fresh sequences: attention on I(2) at step {}", endless.step))
        .at_least(0.7, endless.best(1).1);
    Ok(())
}

pub(super) fn fresh_data(e: &mut Evidence, _: Trial) -> Outcome {
    let training = Training { data: Some(3000), ..usual_training()? };
    let stored = training.train(0.1, adamw(900, 0.01), &[150, 900])?;
    let fresh = usual_run()?;
    e.of("3000 sequences: least attention on I(1) at step 150").at_least(0.7, stored[0].least(0));
    e.of("fresh ones").at_least(0.7, fresh[1].least(0));
    e.of("3000 sequences: attention on I(2) of its head at step 900")
        .at_least(0.7, stored[1].best(1).1);
    e.of("fresh ones").at_least(0.7, fresh[3].best(1).1);
    Ok(())
}
