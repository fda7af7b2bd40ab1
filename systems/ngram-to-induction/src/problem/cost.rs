//! What a run costs, estimated from its settings before anything is built.

use crate::First;
use crate::settings::{Average, Parametrisation, System};

/// How many numbers a run holds at once.
pub(crate) fn numbers(system: &System) -> f64 {
    let (length, dimension) = (system.length as f64, system.dimension as f64);
    let parameters = match system.model {
        Parametrisation::Matrices => 9.0 * (2.0 * dimension).powi(2) + 3.0,
        Parametrisation::Parameters => 2.0 * dimension + 4.0,
    };
    let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
    let trained = if system.first == First::Trained { 24.0 * length } else { 0.0 };
    let chunks = match system.loss {
        Average::Population => 0.0,
        Average::Empirical | Average::Online => 64.0 * 256.0 * length * dimension,
    };
    // Data sets are drawn again at each step, not kept.
    64.0 * parameters + solver + trained + chunks
}
