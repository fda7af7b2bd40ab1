//! Panels of vector-valued columns: drawn over their entries, or as an image over time.

use super::{ColourBy, Instants, Scale, SeedsAs};
use crate::settings::{Settings, SettingsError};
use crate::{choices, settings};

/// Which numbers of a vector-valued column are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entries {
    /// A row of a matrix, from 0; all rows, one after the other, without it.
    pub row: Option<usize>,
    /// The first of these entries and the one behind the last; all without it.
    pub range: Option<(usize, usize)>,
}

choices! {
    /// How a vector is drawn over its entries.
    pub enum ProfileShape {
        Line = "line", "a line, with markers where there are few entries";
        Steps = "steps", "a line that is level over each entry";
        Bars = "bars", "a bar for each entry";
    }
}

choices! {
    /// What runs along the x axis of an image.
    pub enum TimeAxis {
        Time = "time", "time on the flow's clock";
        Step = "step", "steps of the dynamics";
    }
}

settings! {
    /// Vector-valued columns over their entries, at some instants.
    pub struct Profile {
        y: Vec<String>, required ["head.0.key"],
            "columns with several entries; single numbers that fit one pattern, such as \"head.*.value\", are \
             entries of one vector";
        at: Instants = "end", "when the columns are shown", unit "time";
        at_steps: Option<Vec<f64>> [>= 0.0; 1..], example [0, 500, 1500],
            "the same in steps of training, in place of at", unit "steps";
        row: Option<usize> [0..], example 0,
            "the row of a matrix that is shown, from 0; all rows, one after the other, without it";
        entries: Option<(usize, usize)> [>= 0.0], example [10, 20],
            "the entries that are shown: the first one, and the one behind the last; all without it";
        x: Option<Vec<f64>> [; 1..], example [0.5, 1.0, 2.0],
            "where each shown entry stands along the x axis; at its number without it";
        x_scale: Scale = "linear", "how the x axis is divided";
        y_scale: Scale = "linear", "how the y axis is divided";
        shape: ProfileShape = "line", "what is drawn for each column";
        colour: ColourBy = "auto", "what colours tell apart; dashes tell the rest";
        seeds: SeedsAs = "each", "how several seeds are shown";
    }
}

settings! {
    /// A vector-valued column of the first run as an image: time from left to right, entries downwards.
    pub struct Evolution {
        y: String, required "head.0.key",
            "a column with several entries; of several that fit, the entries stand below each other";
        row: Option<usize> [0..], example 0,
            "the row of a matrix that is shown, from 0; all rows, one after the other, without it";
        entries: Option<(usize, usize)> [>= 0.0], example [10, 20],
            "the entries that are shown: the first one, and the one behind the last; all without it";
        x: TimeAxis = "time", "what runs along the x axis";
        x_scale: Scale = "log", "how the x axis is divided";
        colour_scale: Scale = "linear", "how the colours are divided";
        colour_range: Option<(f64, f64)>, example [0.0, 1.0],
            "values of the first and the last colour; the data's without it";
        colour_label: Option<String>, example "attention",
            "words for what colours show; the column's own without it";
        labels: Vec<String> = [],
            "words beside the shown entries, from the top; their numbers without it";
    }
}

impl Profile {
    pub fn entries(&self) -> Entries {
        Entries { row: self.row, range: self.entries }
    }
}

impl Evolution {
    /// A column over logarithmic time.
    pub fn over_time(y: &str) -> Self {
        Self { y: y.to_owned(), ..Self::defaults() }
    }

    pub fn entries(&self) -> Entries {
        Entries { row: self.row, range: self.entries }
    }
}

/// The first entry and the one behind the last, if they are given.
pub(super) fn check_entries(panel: &Settings) -> Result<(), SettingsError> {
    let Some(given) = panel.field::<Option<Vec<f64>>>("entries") else { return Ok(()) };
    let whole = |number: &f64| number.fract() == 0.0;
    if given.len() == 2 && given.iter().all(whole) && given[0] < given[1] {
        return Ok(());
    }
    let message = format!(
        "is {given:?}, but must be two whole numbers: the first entry, and the one behind the last"
    );
    Err(panel.wrong("entries", message))
}
