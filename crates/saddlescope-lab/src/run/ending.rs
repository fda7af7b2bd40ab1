//! Why a stage of a run ended.

use saddlescope::dynamics::Phase;
use saddlescope::event::Condition;
use saddlescope::flow::Termination;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a stage ended. The words that a program reads are names of settings where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Its time or its steps were over.
    End,
    /// The loss came to its known minimum.
    Converged,
    /// A setting that stops, by its name: `stop_below_loss`.
    Stop(&'static str),
    /// Somebody who watched said stop.
    Interrupted,
}

impl Ending {
    pub(super) fn of(stage: &Phase, ended: Termination) -> Self {
        let event = match ended {
            Termination::AtTime => return Self::End,
            Termination::ByRecorder => return Self::Interrupted,
            Termination::ByEvent(index) => &stage.events[index],
        };
        match event.condition {
            Condition::Converged { .. } => Self::Converged,
            Condition::LossBelow(_) => Self::Stop("stop_below_loss"),
            Condition::GradientBelow(_) => Self::Stop("stop_below_gradient"),
            Condition::ParameterCrosses { .. } => Self::Stop("stop_parameter"),
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Converged => "converged",
            Self::Stop(setting) => setting,
            Self::Interrupted => "interrupted",
        }
    }
}

impl Serialize for Ending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// The ending that has that [`Ending::word`].
impl<'de> Deserialize<'de> for Ending {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let stops = ["stop_below_loss", "stop_below_gradient", "stop_parameter"].map(Self::Stop);
        let mut all = [Self::End, Self::Converged, Self::Interrupted].into_iter().chain(stops);
        let found = all.find(|ending| ending.word() == word);
        found.ok_or_else(|| D::Error::custom(format!("`{word}` ends nothing")))
    }
}
