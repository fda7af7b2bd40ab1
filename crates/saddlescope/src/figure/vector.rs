//! Panels of vector-valued columns: drawn over their entries, or as an image over time.

use super::{ColourBy, Instants, Scale, SeedsAs, colour, instants, seeds};
use crate::settings::{Settings, SettingsError};

/// Which numbers of a vector-valued column are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entries {
    /// A row of a matrix, from 0; all rows, one after the other, without it.
    pub row: Option<usize>,
    /// The first of these entries and the one behind the last; all without it.
    pub range: Option<(usize, usize)>,
}

/// How a vector is drawn over its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileShape {
    /// A line, with markers where there are few entries.
    Line,
    /// A line that is level over each entry.
    Steps,
    /// A bar for each entry.
    Bars,
}

/// Vector-valued columns over their entries, at some instants.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Patterns of columns; single numbers that fit one pattern are the entries of one vector.
    pub y: Vec<String>,
    /// When they are shown.
    pub at: Instants,
    /// Which entries are shown.
    pub entries: Entries,
    /// Where each shown entry stands along the x axis; at its number when empty.
    pub x: Vec<f64>,
    /// How the x axis is divided.
    pub x_scale: Scale,
    /// How the y axis is divided.
    pub y_scale: Scale,
    /// What is drawn for each vector.
    pub shape: ProfileShape,
    /// What colours tell apart.
    pub colour: ColourBy,
    /// How several seeds are shown.
    pub seeds: SeedsAs,
}

/// A vector-valued column of the first run as an image: time from left to right, entries downwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Evolution {
    /// A pattern of columns, whose entries stand below each other.
    pub y: String,
    /// Which entries are shown.
    pub entries: Entries,
    /// What runs along the x axis: `time` or `step`.
    pub x: String,
    /// How the x axis is divided.
    pub x_scale: Scale,
    /// How the colours are divided.
    pub colour_scale: Scale,
    /// The values of the first and of the last colour; those of the data without it.
    pub colour_range: Option<(f64, f64)>,
    /// What colours mean; the column's label without it.
    pub colour_label: Option<String>,
    /// Words beside the shown entries, from the top; their numbers when empty.
    pub labels: Vec<String>,
}

impl Profile {
    /// The end of each run, as lines over the numbers of the entries.
    pub fn at_the_end(y: &[&str]) -> Self {
        Self {
            y: super::owned(y),
            at: Instants::End,
            entries: Entries::default(),
            x: Vec::new(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            shape: ProfileShape::Line,
            colour: ColourBy::Auto,
            seeds: SeedsAs::Each,
        }
    }

    pub(super) fn from_settings(panel: &Settings) -> Result<Self, SettingsError> {
        let x = panel.optional_numbers("x").unwrap_or_default().to_vec();
        Ok(Self {
            y: panel.texts("y").to_vec(),
            at: instants(panel),
            entries: entries(panel)?,
            x,
            x_scale: super::scale(panel, "x_scale"),
            y_scale: super::scale(panel, "y_scale"),
            shape: match panel.word("shape") {
                "steps" => ProfileShape::Steps,
                "bars" => ProfileShape::Bars,
                _ => ProfileShape::Line,
            },
            colour: colour(panel),
            seeds: seeds(panel),
        })
    }
}

impl Evolution {
    /// A column over logarithmic time.
    pub fn over_time(y: &str) -> Self {
        Self {
            y: y.to_owned(),
            entries: Entries::default(),
            x: "time".to_owned(),
            x_scale: Scale::Log,
            colour_scale: Scale::Linear,
            colour_range: None,
            colour_label: None,
            labels: Vec::new(),
        }
    }

    pub(super) fn from_settings(panel: &Settings) -> Result<Self, SettingsError> {
        Ok(Self {
            y: panel.word("y").to_owned(),
            entries: entries(panel)?,
            x: panel.word("x").to_owned(),
            x_scale: super::scale(panel, "x_scale"),
            colour_scale: super::scale(panel, "colour_scale"),
            colour_range: super::range(panel, "colour_range")?,
            colour_label: panel.optional_word("colour_label").map(str::to_owned),
            labels: panel.texts("labels").to_vec(),
        })
    }
}

fn entries(panel: &Settings) -> Result<Entries, SettingsError> {
    let whole = |number: f64| (number.fract() == 0.0).then_some(number as usize);
    let row = panel.optional_integer("row").and_then(|row| usize::try_from(row).ok());
    let range = match panel.optional_numbers("entries") {
        None => None,
        Some(given) => match given.iter().map(|&number| whole(number)).collect::<Vec<_>>()[..] {
            [Some(first), Some(behind)] if first < behind => Some((first, behind)),
            _ => {
                let message = format!(
                    "is {given:?}, but must be two whole numbers: the first entry, and the one behind the last"
                );
                return Err(panel.wrong("entries", message));
            }
        },
    };
    Ok(Entries { row, range })
}
