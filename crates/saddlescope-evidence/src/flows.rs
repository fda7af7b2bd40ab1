//! Exact losses and their flows, as evidence of several systems asks for them.

use crate::prelude::*;

/// An exact loss, and gradient flow on it.
pub(crate) trait ExactLoss: Landscape<Scalar = f64> + Sized {
    fn loss(&self, weights: &[f64]) -> Outcome<f64> {
        Ok(evaluated(self, weights)?.0)
    }

    fn slopes(&self, weights: &[f64]) -> Outcome<Vec<f64>> {
        Ok(evaluated(self, weights)?.1)
    }

    /// Where that flow comes to from `start`.
    fn flow(&self, flow: &Flow, start: &[f64]) -> Outcome<FlowEnd> {
        Ok(flow.run(&GradientFlow::new(self), 0.0, start, &mut Silent)?)
    }

    /// The states of the flow from `start` at each of `at`.
    fn states(&self, start: &[f64], at: &[f64]) -> Outcome<Vec<Snapshot>> {
        states(&GradientFlow::new(self), start, at)
    }

    fn state_at(&self, start: &[f64], time: f64) -> Outcome<Vec<f64>> {
        Ok(self.states(start, &[time])?.remove(0).state.to_vec())
    }

    /// The flow from `start`, noting when its loss passes each of `levels`, until `until` or the last of them.
    fn through(&self, start: &[f64], levels: &[f64], until: f64) -> Outcome<FlowEnd> {
        let mut flow = Flow::default().until(until);
        for (m, &level) in levels.iter().enumerate() {
            let (condition, is_last) = (Condition::LossBelow(level), m + 1 == levels.len());
            flow =
                flow.event(if is_last { Event::stop(condition) } else { Event::note(condition) });
        }
        self.flow(&flow, start)
    }
}

impl<L: Landscape<Scalar = f64>> ExactLoss for L {}

pub(crate) fn try_map<T, U>(
    cases: impl IntoIterator<Item = T>,
    of: impl FnMut(T) -> Outcome<U>,
) -> Outcome<Vec<U>> {
    cases.into_iter().map(of).collect()
}
