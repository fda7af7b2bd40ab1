//! Phase diagrams: what runs came to over two varied settings, from the table of runs alone.

use super::Scale;
use crate::settings::{Settings, SettingsError};

/// Most cells along an axis: more could not be told apart on paper, and would make large files.
pub const MOST_BINS: usize = 118;

/// How the runs of one cell become one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduce {
    /// The median; of words, and of a few whole numbers, the most frequent one.
    Median,
    /// The mean.
    Mean,
    /// The least.
    Least,
    /// The greatest.
    Greatest,
    /// The part of the runs that have a value, or a certain one.
    Share,
}

/// A column of the table of runs over two others, as coloured cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// The column along the x axis.
    pub x: String,
    /// The column along the y axis.
    pub y: String,
    /// The column that colours show.
    pub value: String,
    /// How the runs of one cell become one value.
    pub reduce: Reduce,
    /// The value that is counted by [`Reduce::Share`]; any without it.
    pub of: Option<String>,
    /// How the x axis is divided.
    pub x_scale: Scale,
    /// How the y axis is divided.
    pub y_scale: Scale,
    /// How a ramp of colours is divided.
    pub colour_scale: Scale,
    /// The values of the first and of the last colour; those of the data without it.
    pub colour_range: Option<(f64, f64)>,
    /// What colours mean; the column's label without it.
    pub colour_label: Option<String>,
    /// Cells along either axis; from the runs themselves without it.
    pub bins: Option<(usize, usize)>,
    /// Lines are drawn between cells below and cells not below each of these values.
    pub boundary: Vec<f64>,
}

impl Phase {
    /// Medians of `value` over two columns, on linear axes.
    pub fn new(x: &str, y: &str, value: &str) -> Self {
        Self {
            x: x.to_owned(),
            y: y.to_owned(),
            value: value.to_owned(),
            reduce: Reduce::Median,
            of: None,
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            colour_scale: Scale::Linear,
            colour_range: None,
            colour_label: None,
            bins: None,
            boundary: Vec::new(),
        }
    }

    pub(super) fn from_settings(panel: &Settings) -> Result<Self, SettingsError> {
        let word = |name: &str| panel.word(name).to_owned();
        let optional = |name: &str| panel.optional_word(name).map(str::to_owned);
        let reduce = match panel.word("reduce") {
            "mean" => Reduce::Mean,
            "min" => Reduce::Least,
            "max" => Reduce::Greatest,
            "share" => Reduce::Share,
            _ => Reduce::Median,
        };
        let (x, y) = (word("x"), word("y"));
        if x == y {
            let message = format!("is `{y}` like x, but a phase diagram is over two columns");
            return Err(panel.wrong("y", message));
        }
        Ok(Self {
            x,
            y,
            value: word("value"),
            reduce,
            of: if reduce == Reduce::Share { optional("of") } else { None },
            x_scale: super::scale(panel, "x_scale"),
            y_scale: super::scale(panel, "y_scale"),
            colour_scale: super::scale(panel, "colour_scale"),
            colour_range: super::range(panel, "colour_range")?,
            colour_label: optional("colour_label"),
            bins: bins(panel)?,
            boundary: panel.optional_numbers("boundary").unwrap_or_default().to_vec(),
        })
    }
}

fn bins(panel: &Settings) -> Result<Option<(usize, usize)>, SettingsError> {
    let count = |number: f64| {
        let fits = number.fract() == 0.0 && (1.0..=MOST_BINS as f64).contains(&number);
        fits.then_some(number as usize)
    };
    match panel.optional_numbers("bins") {
        None => Ok(None),
        Some(&[x, y]) if count(x).is_some() && count(y).is_some() => Ok(count(x).zip(count(y))),
        Some(given) => {
            let message = format!(
                "is {given:?}, but must be two whole numbers from 1 to {MOST_BINS}: cells along x, and along y"
            );
            Err(panel.wrong("bins", message))
        }
    }
}
