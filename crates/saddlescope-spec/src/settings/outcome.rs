//! What is read off a recorded column of each run, as columns of the table of runs.

use super::{Section, Settings, SettingsError, Spanned};
use crate::figure::TimeAxis;
use crate::{choices, kinds, settings};

choices! {
    /// Which way a column goes through a level.
    pub enum Way {
        Either = "either", "whichever side it starts on";
        Rises = "rises", "from below";
        Falls = "falls", "from above";
    }
}

choices! {
    /// Per what a rate is.
    pub enum Per {
        Time = "time", "unit of x";
        Log = "log", "unit of ln x";
    }
}

settings! {
    /// What every outcome has.
    pub struct Common {
        name: String, required "snap", "the column of the table of runs";
        column: String, required "loss",
            "the recorded column that it is read off: a single number, or an element such as attention[0,3]";
        x: TimeAxis = "time", "what says when: times are in its unit";
        after: f64 [>= 0.0] = 0.0, "rows before this are left out", unit "x";
        label: Option<String>, example "time of the snap", "how figures call it; its name without it";
    }
}

settings! {
    pub struct Crossing {
        level: Option<f64>, example 0.5, "the value that the column goes through";
        share: Option<f64> [>= 0.0, <= 1.0], example 0.5,
            "in place of level, part of the way from its first value to its last; 0.5 without either";
        way: Way = "either", "which way it goes through";
    }
}

settings! {
    pub struct Rate {
        per: Per = "time", "what the change is per unit of";
    }
}

kinds! {
    /// What is read off a column.
    pub enum Reading {
        Crossing(Crossing) = "crossing",
            "when it first goes through a level, between two rows by a line";
        Rate(Rate) = "rate",
            "when it changes fastest between two rows; the change per unit, with its sign, as NAME.rate";
        End = "end", "its value at the end";
        Least = "least", "its smallest value, and when it has it first, as NAME.time";
        Greatest = "greatest", "its largest value, and when it has it first, as NAME.time";
        Stages = "stages",
            "how many transitions it makes; NAME.1.time, ... are when each is half done, NAME.1.height, ... the heights of the plateaus";
    }
}

/// The settings in each `[[outcome]]`.
pub const OUTCOME: Section = Section::by_kind(
    "outcome",
    "A number of each run that is read off a recorded column: a column of the table of runs, for figures, fits and sweeps.",
    "crossing",
    Reading::KINDS,
    Common::PARAMETERS,
);

/// What an `[[outcome]]` asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Requested {
    pub common: Spanned<Common>,
    pub reading: Reading,
}

impl Requested {
    pub fn from_settings(settings: &Settings) -> Result<Self, SettingsError> {
        let reading: Reading = settings.read();
        if let Reading::Crossing(Crossing { level: Some(_), share: Some(_), .. }) = reading {
            let message = "does not go with level: a crossing is of one or of the other";
            return Err(settings.wrong("share", message));
        }
        Ok(Self { common: settings.read(), reading })
    }

    pub fn settings(&self) -> &Settings {
        &self.common.source
    }

    /// The columns that it makes, as far as they are known beforehand; a name that ends in a point stands for all that begin so.
    pub fn names(&self) -> Vec<String> {
        let name = &self.common.name;
        let more = match self.reading {
            Reading::Crossing(_) | Reading::End => None,
            Reading::Rate(_) => Some("rate"),
            Reading::Least | Reading::Greatest => Some("time"),
            Reading::Stages => Some(""),
        };
        std::iter::once(name.clone()).chain(more.map(|more| format!("{name}.{more}"))).collect()
    }
}
