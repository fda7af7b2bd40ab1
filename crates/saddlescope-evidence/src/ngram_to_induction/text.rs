//! Fig. 2: a standard transformer on text, in a size that trains in seconds, on the corpus inside the program.

use super::*;
use crate::text_training::{TextTraining, column, count, number, word};
use saddlescope::trajectory::Trajectory;
use saddlescope_transformer::observables::half_way;
use std::sync::Mutex;

/// Steps from one look to the next.
const STRIDE: u64 = 10;

/// Two blocks of two heads with slopes of distance, started at 0.01 as in the paper: 002, appendix B.
fn training() -> TextTraining {
    TextTraining {
        system: vec![
            count("vocabulary", 300),
            count("length", 32),
            count("batch", 8),
            count("blocks", 2),
            count("heads", 2),
            count("width", 32),
            count("feedforward", 64),
            word("encoding", "alibi"),
        ],
        start: vec![word("kind", "normal"), number("scale", 0.01), number("slope", 0.01)],
        rate: 0.3,
        clip: None,
        steps: 1200,
    }
}

/// The run of a seed; it is made once for all claims about it.
fn trained(trial: Trial) -> Outcome<Trajectory> {
    static RUNS: Mutex<Vec<(u64, Trajectory)>> = Mutex::new(Vec::new());
    let mut runs = RUNS.lock().map_err(|_| ClaimError::Failed("a run has failed".to_owned()))?;
    let seed = start_seed(trial, 0);
    if let Some((_, run)) = runs.iter().find(|(of, _)| *of == seed) {
        return Ok(run.clone());
    }
    let run = training().train(&["norm.p", "growth.KQ"], STRIDE, seed)?;
    runs.push((seed, run.clone()));
    Ok(run)
}

fn never() -> ClaimError {
    ClaimError::Failed("a norm has not moved".to_owned())
}

pub(super) fn fig_2(e: &mut Evidence, trial: Trial) -> Outcome {
    let run = trained(trial)?;
    let slopes = half_way(&run, "norm.p").ok_or_else(never)?;
    let matrices = half_way(&run, "growth.KQ").ok_or_else(never)?;
    let p = column(&run, "norm.p");
    let ratio = p[p.len() - 1] / p[0];
    e.of("step at which ||p|| is half way to its end, over that of ||(W_K, W_Q)||^2")
        .at_most(1.0 / 3.0, slopes / matrices);
    e.of("||p|| at the end, over that at the start").at_least(5.0, ratio);
    e.note(NOTE);
    Ok(())
}

const NOTE: &str = "The corpus inside the program with 300 words, width 32, 1200 steps of SGD at a rate of 0.3; \
     the paper has WikiText-2, width 128 and some 490,000 steps at 0.1 (`reproduce \
     ngram-to-induction/fig2 --size paper`).";

pub(super) fn fig_2_take_off(e: &mut Evidence, trial: Trial) -> Outcome {
    let run = trained(trial)?;
    let growth = column(&run, "growth.KQ");
    let end = growth[growth.len() - 1];
    let slopes = half_way(&run, "norm.p").ok_or_else(never)?;
    let then = growth[(slopes / STRIDE as f64) as usize];
    // From 1 % to 25 % of what is gained in the end: the factor of each 100 steps.
    let rows = 100 / STRIDE as usize;
    let ready = |share: f64| growth.iter().position(|gain| *gain >= share * end);
    let (from, to) = (ready(0.01).ok_or_else(never)?, ready(0.25).ok_or_else(never)?);
    let factor = (growth[to] / growth[from]).powf(rows as f64 / (to - from).max(1) as f64);
    e.of("part of the growth of ||(W_K, W_Q)||^2 by the time ||p|| is half way")
        .at_most(0.02, then / end);
    e.of("factor of that growth in 100 steps, from 1 % to 25 % of it").at_least(1.7, factor);
    e.note(NOTE);
    Ok(())
}
