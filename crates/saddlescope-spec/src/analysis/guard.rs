//! A guard against escapes that rounding seeds: near a saddle, the last bits can decide when a run
//! leaves, and a time that they decide is no property of the model.
//!
//! The run is repeated from a start whose last bits are changed and, for flows, with tighter
//! tolerances. What moves then was seeded by rounding, or by the error of the solver.

use crate::problem::Problem;
use crate::words::worded;
use saddlescope::dynamics::{Motion, Phase, PhaseEnd, PhaseError};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::Silent;
use serde::Serialize;

/// How much tighter the tolerances of the second flow are.
const TIGHTER: f64 = 0.1;

/// A crossing that was looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GuardedCrossing {
    /// When it happened; `None` where it did not.
    pub time: Option<f64>,
    /// When it happens after a change of the start's last bits.
    #[serde(rename = "other_last_bits")]
    pub other_bits: Option<f64>,
    /// When it happens with tighter tolerances; the outer `None` where there is no flow, or none that ends.
    #[serde(rename = "tighter_tolerances")]
    pub tighter: Option<Option<f64>>,
    pub finding: Finding,
}

worded! {
    /// What a guard has found.
    pub enum Finding, words {
        /// The time stands.
        Stands = "stands",
        /// It moves with the last bits of the start.
        SeededByRounding = "seeded by rounding",
        /// It moves with the tolerances of the flow.
        SeededByTolerance = "seeded by the solver's error",
    }
}

impl GuardedCrossing {
    /// The larger relative change of the time; infinite where it appears or goes away.
    pub fn moved(&self) -> f64 {
        let tighter = self.tighter.map_or(0.0, |other| moved(self.time, other));
        moved(self.time, self.other_bits).max(tighter)
    }
}

fn moved(before: Option<f64>, after: Option<f64>) -> f64 {
    match (before, after) {
        (None, None) => 0.0,
        (Some(before), Some(after)) if before == after => 0.0,
        (Some(before), Some(after)) => (after - before).abs() / before.abs().max(after.abs()),
        _ => f64::INFINITY,
    }
}

/// Runs the phases again and compares when each of their first events, `times`, happened. A time that changes by more than
/// the `threshold`, a part of itself, has moved.
///
/// Event `i` of every phase is the same, as for levels of the loss; its first phase counts.
pub fn guard(
    problem: &Problem,
    phases: &[Phase],
    seed: u64,
    times: &[Option<f64>],
    threshold: f64,
) -> Result<Vec<GuardedCrossing>, PhaseError> {
    let again = |start: &[f64], phases: &[Phase]| -> Result<Vec<Option<f64>>, PhaseError> {
        let outcome = problem.run_from(start, phases, seed, &mut Silent)?;
        Ok((0..times.len()).map(|i| first(&outcome.phases, i)).collect())
    };
    let other_bits = again(&with_other_bits(&problem.init, seed), phases)?;
    let tighter: Option<Vec<Phase>> = phases.iter().map(tightened).collect();
    // Where the run itself is given up at a saddle, so is this one, and says nothing.
    let tighter = tighter.and_then(|phases| again(&problem.init, &phases).ok());
    let guarded = |(i, &time): (usize, &Option<f64>)| {
        let (bits, tight) = (other_bits[i], tighter.as_ref().map(|times| times[i]));
        let finding = if moved(time, bits) > threshold {
            Finding::SeededByRounding
        } else if tight.is_some_and(|tight| moved(time, tight) > threshold) {
            Finding::SeededByTolerance
        } else {
            Finding::Stands
        };
        GuardedCrossing { time, other_bits: bits, tighter: tight, finding }
    };
    Ok(times.iter().enumerate().map(guarded).collect())
}

fn first(ends: &[PhaseEnd], event: usize) -> Option<f64> {
    ends.iter().find_map(|end| end.crossings.get(event)?.map(|crossing| crossing.time))
}

/// The phase with tighter tolerances; `None` for descents, which have none.
fn tightened(phase: &Phase) -> Option<Phase> {
    let mut phase = phase.clone();
    match &mut phase.motion {
        Motion::Flow(flow) | Motion::Reduced { flow, .. } => {
            flow.rtol *= TIGHTER;
            flow.atol *= TIGHTER;
            // Errors of the last bits do not shrink with the tolerance.
            flow.rtol = flow.rtol.max(1e-13);
            Some(phase)
        }
        Motion::Descent(_) => None,
    }
}

/// Every number with its last bit changed at random, up or down; zeros by the rounding of the largest.
fn with_other_bits(start: &[f64], seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, Purpose::Perturbation, 0);
    let largest = start.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let change = |&x: &f64| {
        let up = stream.next_u64() & 1 == 1;
        match (x == 0.0, up) {
            (true, true) => 0.5 * f64::EPSILON * largest,
            (true, false) => -0.5 * f64::EPSILON * largest,
            (false, true) => x.next_up(),
            (false, false) => x.next_down(),
        }
    };
    start.iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_last_bits_change() {
        let start = [0.3, -2.0, 0.0, 1e-300];
        let other = with_other_bits(&start, 7);
        for (before, after) in start.iter().zip(&other) {
            assert_ne!(before, after);
            assert!((after - before).abs() <= f64::EPSILON * before.abs().max(2.0));
        }
        assert_eq!(other, with_other_bits(&start, 7));
    }

    #[test]
    fn a_time_that_appears_has_moved_without_bound() {
        assert_eq!(moved(None, Some(3.0)), f64::INFINITY);
        assert_eq!(moved(Some(3.0), None), f64::INFINITY);
        assert_eq!(moved(None, None), 0.0);
        assert!((moved(Some(3.0), Some(4.0)) - 0.25).abs() < 1e-15);
    }
}
