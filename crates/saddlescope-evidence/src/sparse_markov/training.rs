//! Sections 2.2 to 2.5 and appendix B with the minimal model: what small runs show (16 tokens; see `minimal_runs`).

use super::minimal_runs::{Training, adamw, chain, momentum, scheduled, usual_run, usual_training};
use super::*;
use saddlescope_sparse_markov::Predictor;
use saddlescope_sparse_markov::evaluation::divergence;

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
