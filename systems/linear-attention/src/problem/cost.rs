//! What a run costs, estimated from its settings before anything is built.

use crate::data::softmax::LANES;
use crate::data::{online, softmax};
use crate::matrices;
use crate::settings::{Attention, Average, Lengths, System};

/// How many numbers a run holds at once. Products of settings may be beyond any integer.
pub(crate) fn numbers(system: &System) -> f64 {
    let d = system.eigenvalues.len() as f64;
    let [heads, rank] = [system.heads, system.rank].map(|n| n as f64);
    let [sequences, batch] = [system.sequences, system.batch].map(|n| n as f64);
    let lanes = LANES as f64;
    let chunks = |items: f64, size: usize| (items / size as f64).ceil();
    let (context, problems) = match &system.lengths {
        Lengths::Fixed => (system.context as f64, 1.0),
        Lengths::Varying => (system.context as f64, system.context as f64),
        Lengths::Listed(list) => {
            (list.values.iter().copied().fold(1.0, f64::max), list.values.len() as f64)
        }
    };
    let sequence = (context + 1.0) * (d + 1.0) + d;
    let parameters = match system.attention {
        Attention::Full => heads * (d + 1.0 + rank * (2.0 * d + 1.0)),
        Attention::FullMerged => heads * (d + 1.0) * (d + 1.0),
        Attention::Merged | Attention::Cubic => heads * (1.0 + d * d),
        _ => heads * (1.0 + 2.0 * rank * d),
    };
    let matrices = 3.0 * d * d + 2.0 * d;
    // What is stored, what is evaluated side by side, and the scratch of each besides its gradient.
    let (data, chunks, scratch) = match (system.attention, system.loss) {
        (Attention::Softmax, _) => {
            let group = context + 1.0 + heads * (rank + 1.0 + d) + d + parameters;
            let groups = (sequences / lanes).ceil();
            (groups * lanes * sequence, chunks(sequences, softmax::CHUNK), lanes * group)
        }
        (Attention::Full | Attention::FullMerged, _) => {
            let features = (d + 1.0) * (d + 2.0) / 2.0 * d;
            let chunk = matrices::moments::CHUNK as f64 * problems * features;
            (features * features + chunk, 0.0, 0.0)
        }
        (_, Average::Empirical) => (66.0 * d.powi(4), 0.0, 0.0),
        (_, Average::Minibatch) => {
            let triples = sequences * problems * (2.0 * d + 1.0);
            (triples, chunks(batch, online::STORED_CHUNK), matrices + 3.0 * d + 2.0 + parameters)
        }
        (_, Average::Online) => {
            (0.0, chunks(batch, online::CHUNK), sequence + matrices + parameters)
        }
        (_, Average::Population) => (0.0, 0.0, 0.0),
    };
    // Data is drawn one sequence per thread.
    let drawn = if system.loss == Average::Population { 0.0 } else { 64.0 * sequence };
    // Matrices of the landscape, and a solver's Jacobian with its factors.
    let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
    let chunks = chunks * (scratch + parameters);
    data + chunks + drawn + 12.0 * d * d + 64.0 * parameters + solver
}
