//! Figs. 7 and 10: transformers on text, in a size that trains in seconds, on the corpus inside the program.

use super::*;
use crate::text_training::{TextTraining, column, count, number, word};

/// Steps from one look to the next.
const STRIDE: u64 = 50;

/// The authors' model: one head, norms behind attention and MLP, sines and cosines, streams of text, clipped slopes.
fn training(blocks: i64, (rate, steps): (f64, u64)) -> TextTraining {
    TextTraining {
        system: vec![
            count("vocabulary", 100),
            count("length", 20),
            count("batch", 10),
            count("blocks", blocks),
            count("heads", 1),
            count("width", 32),
            count("feedforward", 32),
            count("valid_sequences", 24),
            word("order", "streams"),
            word("activation", "relu"),
            word("norm", "after"),
            word("encoding", "sinusoidal"),
            word("embedding_factor", "root"),
        ],
        start: vec![word("kind", "layers"), number("tables", 0.1)],
        rate,
        clip: Some(0.5),
        steps,
    }
}

/// The entropy of attention in the first block, look by look.
fn entropies(blocks: i64, course: (f64, u64), trial: Trial) -> Outcome<Vec<f64>> {
    let run = training(blocks, course).train(&["entropy.0.0"], STRIDE, start_seed(trial, 0))?;
    Ok(column(&run, "entropy.0.0").to_vec())
}

const NOTE: &str = "The corpus inside the program with 100 words and width 32; the authors' runs have WikiText-2 \
     and width 200 (`reproduce scan-and-snap/fig7 --size paper`).";

pub(super) fn fig_7(e: &mut Evidence, trial: Trial) -> Outcome {
    for blocks in [1, 3] {
        let entropies = entropies(blocks, (1.0, 1200), trial)?;
        let quarter = entropies.len() / 4;
        let end = mean(&entropies[3 * quarter..]);
        let before = mean(&entropies[2 * quarter..3 * quarter]);
        let start = entropies[0];
        e.of(format!(
            "entropy of attention in the last quarter over the first one of all, layers: {blocks}"
        ))
        .at_most(0.9, end / start);
        e.of(format!(
            "change from the third quarter to the last over all of the fall, layers: {blocks}"
        ))
        .at_most(0.25, (end - before).abs() / (start - end));
    }
    e.note(NOTE);
    Ok(())
}

pub(super) fn fig_10(e: &mut Evidence, trial: Trial) -> Outcome {
    let rates = [0.3, 1.0, 3.0, 5.0];
    let mut ends = Vec::new();
    for rate in rates {
        let entropies = entropies(1, (rate, 400), trial)?;
        ends.push(entropies[entropies.len() - 1]);
    }
    for (pair, rates) in ends.windows(2).zip(rates.windows(2)) {
        e.of(format!("entropy at a rate of {} over that at {}", rates[1], rates[0]))
            .at_most(0.9, pair[1] / pair[0]);
    }
    e.note(NOTE);
    Ok(())
}
