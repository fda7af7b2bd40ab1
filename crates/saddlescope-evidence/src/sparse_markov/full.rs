//! Sections 2.2, 2.4, 2.5 and appendix B with the full transformer: what small runs show. They have 12 tokens, width 36 and
//! batches of 100 sequences.

use super::training::{Look, Training, adamw_at};
use super::*;
use saddlescope_sparse_markov::Estimate;
use saddlescope_sparse_markov::Full;
use saddlescope_sparse_markov::{Restricted, Schooling};
use saddlescope_transformer::Norm;
use saddlescope_transformer::{Scales, Start};

/// Strength of the last feature: logits spread as at the paper's size.
const BASE: f64 = 4.9;
const RATIO: f64 = 1.7;
const TOKENS: usize = 12;
const LENGTH: usize = 8;
const BATCH: usize = 100;

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

impl Training<Full> {
    pub(super) fn of_full(chain: Arc<Chain>, of: Architecture) -> Outcome<Self> {
        Self::on_batches(Full::new(chain, of)?, BATCH)
    }

    /// How it is trained.
    pub(super) fn steps(steps: u64) -> Steps {
        adamw_at(4e-3, steps, 0.01)
    }

    /// Where it starts: as layers of PyTorch.
    pub(super) fn start() -> (Start, Scales) {
        (Start::Layers, Scales::default())
    }

    /// Trains, and looks at each of `stops`, of which the last is the end.
    pub(super) fn train(&self, stops: &[u64]) -> Outcome<Vec<Look>> {
        let (start, scales) = Self::start();
        let theta = self.model.model.start(start, &scales, self.seed);
        self.train_from(&theta, Self::steps(stops.last().copied().unwrap_or(1)), stops)
    }
}

/// Where the usual runs are looked at: around the first plateau, on the second, and at the end.
pub(super) const STOPS: [u64; 13] = [0, 30, 50, 70, 90, 110, 150, 200, 300, 400, 500, 700, 1200];

/// Seeds of the usual runs.
pub(super) const SEEDS: [u64; 2] = [0, 1];

/// The runs that several claims look at, one for each of [`SEEDS`].
pub(super) fn usual_runs() -> Outcome<&'static [Vec<Look>]> {
    static RUNS: LazyLock<Outcome<Vec<Vec<Look>>>> = LazyLock::new(|| {
        let run = |seed| Training { seed, ..Training::of_full(usual()?, parts())? }.train(&STOPS);
        try_map(SEEDS, run)
    });
    RUNS.as_deref().map_err(Clone::clone)
}

/// The first step at which some head has more than half of its attention on group `j`.
fn taken(run: &[Look], j: usize) -> f64 {
    let look = run.iter().find(|look| look.best(j).1 > 0.5);
    look.map_or(f64::INFINITY, |look| look.step as f64)
}

/// Whether groups are taken in the order of their importance, as far as they are.
fn in_order(run: &[Look]) -> bool {
    let steps: Vec<f64> = (0..3).map(|j| taken(run, j)).collect();
    steps[0].is_finite() && steps[0] <= steps[1] && steps[1] <= steps[2]
}

/// The looks before a head has left for another group, of which the one with most on the first in every head.
fn competing(run: &[Look]) -> f64 {
    run.iter().map(|look| look.least(0)).fold(0.0, f64::max)
}

pub(super) fn fig_2(e: &mut Evidence, _: Trial) -> Outcome {
    let runs = usual_runs()?;
    for (run, seed) in runs.iter().zip(SEEDS) {
        let (start, end) = (&run[0], &run[STOPS.len() - 1]);
        // Queries see 6 to 13 columns, of which a group has two.
        let even = (6..14).map(|columns| 2.0 / f64::from(columns)).sum::<f64>() / 8.0;
        let most = (0..3).map(|j| start.best(j).1).fold(0.0, f64::max);
        let order: Vec<f64> = (0..3).map(|j| taken(run, j)).collect();
        e.of(format!("seed {seed}: most attention on a group at the start")).rel(even, most, 0.2);
        let what = format!("seed {seed}: least attention of a head on I(1), at its best");
        e.of(what).at_least(0.5, competing(run)).loosely(0.25);
        e.of(format!("seed {seed}: step at which I(2) has a head over that for I(1)"))
            .at_least(1.5, order[1] / order[0]);
        e.of(format!("seed {seed}: step at which I(3) has a head over that for I(2)"))
            .at_least(1.5, order[2] / order[1]);
        e.of(format!("seed {seed}: attention on I(3) of its head at the end"))
            .at_least(0.6, end.best(2).1);
        e.of(format!("seed {seed}: different heads of the three groups")).count(3, end.owners());
    }
    Ok(())
}

pub(super) fn fig_3(e: &mut Evidence, _: Trial) -> Outcome {
    let run = &usual_runs()?[0];
    let training = Training::of_full(usual()?, parts())?;
    let course = Schooling {
        seen: training.seen(),
        steps: Training::steps(600),
        start: Training::start(),
        seed: 0,
    };
    let restricted = Restricted::new(&training.model, &[2, 4, 6], course)?;
    let tests = training.evaluation.data.to_vec();
    let evaluation = Evaluation::new(Arc::clone(&training.model.chain), tests, Fit::default())?
        .with_restricted(Arc::new(restricted));
    let references = [2, 4, 6].map(Reference::Window);
    let want = Want { references: &references, ..Want::default() };
    let from = |look: &Look| -> Outcome<Vec<Estimate>> {
        let model = Model::new(&training.model, &look.state)?;
        Ok(evaluation.evaluate(&model, &want)?.references)
    };
    let windows = try_map(run, from)?;
    let nearest = |of: &dyn Fn(usize) -> f64| {
        let places = 0..run.len();
        let place = places.min_by(|&a, &b| of(a).total_cmp(&of(b))).unwrap_or(0);
        run[place].step as f64
    };
    let window = |i: usize| nearest(&|place| windows[place][i].mean);
    let rung = |i: usize| nearest(&|place| run[place].rungs[i]);
    for (what, first, second) in [
        ("nearest to c = 2, to c = 4", window(0), window(1)),
        ("nearest to c = 4, to c = 6", window(1), window(2)),
        ("nearest to the first rung, to the second", rung(0), rung(1)),
        ("nearest to the second rung, to the third", rung(1), rung(2)),
    ] {
        let what = format!("steps from the first to the second: {what}");
        e.of(what).at_least(10.0, second - first);
    }
    Ok(())
}

pub(super) fn components(e: &mut Evidence, _: Trial) -> Outcome {
    let without = [
        ("norms", Architecture { norm: Norm::None, ..parts() }),
        ("the MLP", Architecture { feedforward: 0, ..parts() }),
        ("both", Architecture { norm: Norm::None, feedforward: 0, ..parts() }),
    ];
    for (what, of) in without {
        let run = Training::of_full(usual()?, of)?.train(&STOPS)?;
        let end = &run[run.len() - 1];
        let order = usize::from(in_order(&run));
        e.of(format!("without {what}: groups taken in their order")).count(1, order);
        e.of(format!("without {what}: different heads of the groups at the end"))
            .count(3, end.owners());
        e.of(format!("without {what}: attention on I(3) of its head")).at_least(0.6, end.best(2).1);
    }
    Ok(())
}

pub(super) fn fig_5(e: &mut Evidence, _: Trial) -> Outcome {
    let mut least = Vec::new();
    for (count, learned) in [(200, 1), (500, 2), (10_000, 3)] {
        let training = Training { data: Some(count), ..Training::of_full(usual()?, parts())? };
        let run = training.train(&STOPS)?;
        let best = run.iter().min_by(|a, b| a.excess.total_cmp(&b.excess)).unwrap_or(&run[0]);
        let groups = (0..3).filter(|&j| best.best(j).1 > 0.5).count();
        least.push(best.excess);
        e.of(format!("{count} sequences: groups with a head at the best step, {}", best.step))
            .count(learned, groups);
    }
    e.of("least excess loss with 200 sequences over that with 500")
        .at_least(1.3, least[0] / least[1]);
    e.of("least excess loss with 500 sequences over that with 10000")
        .at_least(1.3, least[1] / least[2]);
    Ok(())
}

pub(super) fn fig_8(e: &mut Evidence, _: Trial) -> Outcome {
    let far = chain(&[&[5, 6], &[3, 4], &[1, 2]])?;
    let training = Training { seed: 1, ..Training::of_full(far, parts())? };
    let run = training.train(&[0, 50, 100, 200, 400, 600, 1000])?;
    let near = &usual_runs()?[1];
    let end = &run[run.len() - 1];
    e.of("least attention of a head on I(1), at its best").at_least(0.9, competing(&run));
    e.of("the same in units of that with the nearest the most important")
        .at_least(1.5, competing(&run) / competing(near));
    e.of("step at which I(2) has a head over that for I(1)")
        .at_least(3.0, taken(&run, 1) / taken(&run, 0));
    e.of("attention on I(2) of its head at step 1000").at_least(0.7, end.best(1).1);
    e.of("attention on I(3) of any head at step 1000").at_most(0.3, end.best(2).1);
    Ok(())
}

pub(super) fn fig_12(e: &mut Evidence, _: Trial) -> Outcome {
    let of = Architecture { blocks: 2, ..parts() };
    let run = Training::of_full(usual()?, of)?.train(&STOPS)?;
    let one = &usual_runs()?[0];
    let end = &run[run.len() - 1];
    // Lowest on the way to the first rung: how near the model comes to it.
    let near = |run: &[Look]| run.iter().map(|look| look.rungs[0]).fold(f64::INFINITY, f64::min);
    e.of("groups taken in their order in the first block").count(1, usize::from(in_order(&run)));
    e.of("different heads of the groups there at the end").count(3, end.owners());
    e.of("excess loss at the end").at_most(0.12, end.excess);
    let what = "least divergence from the first rung, over that of one block: less pronounced";
    e.of(what).at_least(1.1, near(&run) / near(one)).loosely(0.15);
    Ok(())
}

pub(super) fn fig_15(e: &mut Evidence, _: Trial) -> Outcome {
    for heads in [4, 3] {
        let overlapping = chain(&[&[4, 5, 6], &[2, 3, 4], &[1, 2]])?;
        let training = Training::of_full(overlapping, Architecture { heads, ..parts() })?;
        let run = training.train(&STOPS)?;
        let steps: Vec<f64> = (0..3).map(|j| taken(&run, j)).collect();
        let end = &run[run.len() - 1];
        e.of(format!("{heads} heads: step at which I(2) has a head over that for I(1)"))
            .at_least(1.2, steps[1] / steps[0]);
        e.of(format!("{heads} heads: step at which I(3) has a head over that for I(2)"))
            .at_least(3.0, steps[2] / steps[1]);
        e.of(format!("{heads} heads: excess loss at the end")).at_most(0.15, end.excess);
    }
    Ok(())
}
