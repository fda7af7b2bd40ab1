//! The sink that dynamics pushes into, and that may say stop.

pub mod observable;
pub mod recording;
pub mod sampling;

pub use observable::{Observable, Observables};
pub use recording::{Part, Recording, join};
pub use sampling::Sampling;

use crate::trajectory::Snapshot;

/// One instant of a run, as observables see it.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Time on the system's clock.
    pub time: f64,
    /// Step of the dynamics: steps of the solver, or of the optimiser.
    pub step: u64,
    /// Loss at `state`; NaN where the field has none.
    pub loss: f64,
    /// The state, in the order of its blocks.
    pub state: &'a [f64],
    /// Gradient of the loss at `state` (the rate itself where the field is no gradient flow).
    pub gradient: &'a [f64],
}

impl Moment<'_> {
    /// The parameters of this instant, to be kept.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { time: self.time, step: self.step, state: self.state.into() }
    }
}

/// What is known of every step, whether or not it is recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glimpse {
    /// Time on the system's clock.
    pub time: f64,
    pub loss: f64,
}

impl Glimpse {
    /// What is stored where there is no glimpse.
    pub(crate) const NONE: Self = Self { time: f64::NAN, loss: f64::NAN };

    /// The glimpse, unless it stands for none.
    pub(crate) fn known(self) -> Option<Self> {
        (!self.time.is_nan()).then_some(self)
    }
}

/// Whether dynamics goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Control {
    Continue,
    /// Stop here; the run ends as stopped, not as finished.
    Stop,
}

/// The sink that dynamics pushes into.
pub trait Recorder {
    /// Called after every step of the dynamics: adds the times in `(from, to]` that are wanted to
    /// `times`, in ascending order. A flow shows each of them; descent, which has no time between
    /// its steps, shows the end of the step when any was wanted. Unless it says otherwise, a recorder
    /// wants the end of every step.
    fn plan(&mut self, _from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        times.push(to.time);
        Control::Continue
    }

    /// Takes a wanted instant. The first and the last instant of a run are always shown.
    fn record(&mut self, moment: &Moment<'_>);
}

/// A recorder that wants nothing: for runs whose end alone matters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Recorder for Silent {
    fn plan(&mut self, _from: Glimpse, _to: Glimpse, _times: &mut Vec<f64>) -> Control {
        Control::Continue
    }

    fn record(&mut self, _moment: &Moment<'_>) {}
}
