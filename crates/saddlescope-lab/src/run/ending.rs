//! Why a stage of a run ended.

use saddlescope::dynamics::Stage;
use saddlescope::event::Condition;
use saddlescope::flow::Ended;

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
    pub(super) fn of(stage: &Stage, ended: Ended) -> Self {
        let event = match ended {
            Ended::AtTime => return Self::End,
            Ended::ByRecorder => return Self::Interrupted,
            Ended::ByEvent(index) => &stage.events[index],
        };
        match event.condition {
            Condition::Converged { .. } => Self::Converged,
            Condition::LossBelow(_) => Self::Stop("stop_below_loss"),
            Condition::GradientBelow(_) => Self::Stop("stop_below_gradient"),
            Condition::ParameterCrosses { .. } => Self::Stop("stop_parameter"),
        }
    }

    /// The ending that has that [`Ending::word`].
    pub fn from_word(word: &str) -> Option<Self> {
        let stops = ["stop_below_loss", "stop_below_gradient", "stop_parameter"].map(Self::Stop);
        let mut all = [Self::End, Self::Converged, Self::Interrupted].into_iter().chain(stops);
        all.find(|ending| ending.word() == word)
    }

    /// One word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Converged => "converged",
            Self::Stop(setting) => setting,
            Self::Interrupted => "interrupted",
        }
    }
}
