//! What dynamics watches for: losses, parameters and gradients that cross a value.

use crate::prelude::*;

/// A condition to watch for, and what to do when it first holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub condition: Condition,
    /// Whether the dynamics ends there; otherwise the time is noted.
    pub stops: bool,
}

/// What an event watches. Conditions that hold at the start happen there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// The loss is at or below a level.
    LossBelow(f64),
    /// A parameter crosses a value, from either side.
    ParameterCrosses { index: usize, value: f64 },
    /// The norm of the gradient is at or below a bound. Saddles have small gradients, too.
    GradientBelow(f64),
    /// The loss has come within `tolerance` of `floor`, its known minimum: no saddle does.
    Converged {
        floor: f64,
        /// Absolute distance that counts as converged.
        tolerance: f64,
    },
}

/// The first time that an event's condition held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    pub time: f64,
    pub loss: f64,
}

impl Crossing {
    /// Remembers which of several events have happened, and where; the number of events may be `unknown`.
    pub(crate) fn remember(
        crossings: &mut Vec<Option<Self>>,
        unknown: bool,
        memory: &mut Memory,
    ) -> Result<(), MemoryError> {
        let none = Self { time: f64::NAN, loss: f64::NAN };
        let known = crossings.iter().map(|crossing| crossing.unwrap_or(none));
        let (mut times, mut losses): (Vec<f64>, Vec<f64>) = known.map(|c| (c.time, c.loss)).unzip();
        if unknown {
            memory.any_list("crossing.time", &mut times)?;
            losses.resize(times.len(), f64::NAN);
        } else {
            memory.list("crossing.time", &mut times)?;
        }
        memory.list("crossing.loss", &mut losses)?;
        let crossing = |(time, loss): (f64, f64)| (!time.is_nan()).then_some(Self { time, loss });
        *crossings = times.into_iter().zip(losses).map(crossing).collect();
        Ok(())
    }
}

impl Event {
    pub fn note(condition: Condition) -> Self {
        Self { condition, stops: false }
    }

    pub fn stop(condition: Condition) -> Self {
        Self { condition, stops: true }
    }
}

impl Condition {
    /// A continuous function of the moment that is positive before the condition holds and not
    /// positive after it. For crossings, `side` is the sign of the distance at the start.
    pub(crate) fn margin(&self, loss: f64, state: &[f64], gradient_norm: f64, side: f64) -> f64 {
        match *self {
            Self::LossBelow(level) => loss - level,
            Self::Converged { floor, tolerance } => loss - floor - tolerance,
            Self::ParameterCrosses { index, value } => side * (state[index] - value),
            // On the logarithm the crossing is a root that the finder can see from afar.
            Self::GradientBelow(bound) => (gradient_norm / bound).max(f64::MIN_POSITIVE).ln(),
        }
    }

    /// On which side of its value a crossing starts: 0 when it starts on it.
    pub(crate) fn side(&self, state: &[f64]) -> f64 {
        match *self {
            Self::ParameterCrosses { index, value } if state[index] == value => 0.0,
            Self::ParameterCrosses { index, value } => (state[index] - value).signum(),
            _ => 1.0,
        }
    }

    /// Whether the margin needs loss or gradient, and not the state alone.
    pub(crate) fn needs_rate(&self) -> bool {
        !matches!(self, Self::ParameterCrosses { .. })
    }

    /// Whether the margin needs the gradient's norm.
    pub(crate) fn needs_gradient(&self) -> bool {
        matches!(self, Self::GradientBelow(_))
    }
}
