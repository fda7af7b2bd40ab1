//! A ledger of conserved quantities: how far a run has carried them away, and what did.
//!
//! A step `u` changes an invariant `I` by `I(theta + u) - I(theta)`. Its odd part,
//! `(I(theta + u) - I(theta - u))/2 = dI . u + O(u^3)`, is there when `u` does not follow the
//! gradient, along which `I` does not change: momentum's memory, Adam's scaling, a loss that does not
//! share the symmetry. The even part, `u^T d2I u/2 + O(u^4)`, is there because the step has a length.

use crate::problem::{Invariant, Problem};
use saddlescope::dynamics::{Phase, PhaseEnd, PhaseError};
use saddlescope::record::{Moment, Recorder};

/// What a run did to one conserved quantity.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub name: String,
    pub start: f64,
    /// Its change from start to end.
    pub drift: f64,
    /// Its largest distance from the start on the way, by absolute value.
    pub most: f64,
    /// What broke it; `None` for flows, whose steps are the solver's own.
    pub parts: Option<Parts>,
}

/// A drift by its causes, which add up to it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    /// From steps that do not follow the gradient.
    pub direction: f64,
    /// From steps that have a length.
    pub length: f64,
}

/// What a run did to all conserved quantities.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The quantities, in the problem's order.
    pub entries: Vec<Entry>,
    pub end: PhaseEnd,
}

impl Account {
    /// The entry whose largest distance is largest.
    pub fn worst(&self) -> Option<&Entry> {
        self.entries.iter().max_by(|a, b| a.most.total_cmp(&b.most))
    }
}

/// Runs one `phase` of `problem` from its start and keeps the books of its invariants.
pub fn account(problem: &Problem, phase: &Phase, seed: u64) -> Result<Account, PhaseError> {
    let mut books = Bookkeeper::new(problem.invariants.to_vec(), phase.motion.flow().is_none());
    let phases = std::slice::from_ref(phase);
    let outcome = problem.run(phases, seed, &mut books)?;
    Ok(Account { entries: books.entries, end: outcome.phases[0].clone() })
}

/// A recorder that looks at every step and writes down what it does to each invariant.
pub struct Bookkeeper {
    invariants: Vec<Invariant>,
    entries: Vec<Entry>,
    /// Whether steps are those of a rule, so that causes can be told apart.
    steps: bool,
    values: Vec<f64>,
    state: Vec<f64>,
    reflected: Vec<f64>,
}

impl Bookkeeper {
    /// Books of `invariants`; by their causes where moments are the `steps` of a rule.
    pub fn new(invariants: Vec<Invariant>, steps: bool) -> Self {
        let (entries, values) = (Vec::new(), vec![0.0; invariants.len()]);
        Self { invariants, entries, steps, values, state: Vec::new(), reflected: Vec::new() }
    }

    fn open(&mut self, state: &[f64]) {
        for (value, invariant) in self.values.iter_mut().zip(&self.invariants) {
            *value = invariant.at(state);
            self.entries.push(Entry {
                name: invariant.name.clone(),
                start: *value,
                drift: 0.0,
                most: 0.0,
                parts: self.steps.then(Parts::default),
            });
        }
        (self.state, self.reflected) = (state.to_vec(), state.to_vec());
    }
}

impl Recorder for Bookkeeper {
    fn record(&mut self, moment: &Moment<'_>) {
        if self.state.is_empty() {
            return self.open(moment.state);
        }
        for ((back, before), now) in self.reflected.iter_mut().zip(&self.state).zip(moment.state) {
            *back = 2.0 * before - now;
        }
        let books = self.entries.iter_mut().zip(&mut self.values).zip(&self.invariants);
        for ((entry, value), invariant) in books {
            let now = invariant.at(moment.state);
            if let Some(parts) = &mut entry.parts {
                let odd = 0.5 * (now - invariant.at(&self.reflected));
                parts.direction += odd;
                parts.length += now - *value - odd;
            }
            *value = now;
            entry.drift = now - entry.start;
            entry.most = entry.most.max(entry.drift.abs());
        }
        self.state.copy_from_slice(moment.state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The books of `a^2 - b^2`, which the flow of `L = (1 - a b)^2/2` conserves, over a run on that loss.
    fn books(step: impl Fn([f64; 2], [f64; 2], u32) -> [f64; 2], count: u32) -> Entry {
        let balance = Invariant::new("balance", |x: &[f64]| x[0] * x[0] - x[1] * x[1]);
        let mut books = Bookkeeper::new(vec![balance], true);
        let mut state = [0.3, 0.1];
        for i in 0..=count {
            let miss = 1.0 - state[0] * state[1];
            let gradient = [-miss * state[1], -miss * state[0]];
            let (time, step_number) = (f64::from(i), u64::from(i));
            books.record(&Moment {
                time,
                step: step_number,
                loss: 0.5 * miss * miss,
                state: &state,
                gradient: &gradient,
            });
            state = step(state, gradient, i);
        }
        books.entries.remove(0)
    }

    /// One step of gradient descent multiplies `a^2 - b^2` by `1 - eta^2 miss^2`.
    #[test]
    fn gradient_descent_breaks_a_balance_by_the_length_of_its_steps() {
        let eta = 0.05;
        let entry = books(|x, g, _| [x[0] - eta * g[0], x[1] - eta * g[1]], 400);
        let mut state = [0.3_f64, 0.1];
        let mut balance = 0.09 - 0.01;
        for _ in 0..400 {
            let miss = 1.0 - state[0] * state[1];
            balance *= 1.0 - eta * eta * miss * miss;
            state = [state[0] + eta * miss * state[1], state[1] + eta * miss * state[0]];
        }
        // Several roundings of numbers around 0.1 in each of 400 steps.
        let rounding = 400.0 * 4.0 * 0.1 * f64::EPSILON;
        assert!((entry.drift - (balance - 0.08)).abs() < rounding);
        let parts = entry.parts.unwrap();
        assert!(parts.direction.abs() < rounding, "{parts:?}");
        assert!((parts.length - entry.drift).abs() < rounding, "{parts:?}");
        assert!(entry.drift < -1e-3, "it has drifted: {}", entry.drift);
        assert!(entry.most >= entry.drift.abs());
    }

    #[test]
    fn steps_by_the_sign_break_it_by_their_direction() {
        let eta = 1e-3;
        let entry = books(|x, g, _| [x[0] - eta * g[0].signum(), x[1] - eta * g[1].signum()], 500);
        let parts = entry.parts.unwrap();
        assert!((parts.direction + parts.length - entry.drift).abs() < 1e-14);
        // Steps of (eta, eta) have no even part of a^2 - b^2.
        assert!(parts.length.abs() < 1e-12 && parts.direction.abs() > 0.1, "{parts:?}");
    }

    #[test]
    fn a_drift_that_comes_back_is_still_seen() {
        let entry = books(|x, _, i| if i < 10 { [x[0] + 0.1, x[1]] } else { [0.3, 0.1] }, 20);
        assert!(entry.drift.abs() < 1e-15 && entry.most > 1.0);
    }
}
