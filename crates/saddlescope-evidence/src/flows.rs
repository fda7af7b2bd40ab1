//! Flows that evidence of several systems runs.

use crate::prelude::*;

/// The gradient flow from `start`, noting when its loss passes each of `levels`, until `until` or the last of them.
pub(crate) fn through<L: Landscape<Scalar = f64>>(
    landscape: &L,
    start: &[f64],
    levels: &[f64],
    until: f64,
) -> Outcome<FlowEnd> {
    let mut flow = Flow::default().until(until);
    for (m, &level) in levels.iter().enumerate() {
        let (condition, is_last) = (Condition::LossBelow(level), m + 1 == levels.len());
        flow = flow.event(if is_last { Event::stop(condition) } else { Event::note(condition) });
    }
    Ok(flow.run(&GradientFlow::new(landscape), 0.0, start, &mut Silent)?)
}
