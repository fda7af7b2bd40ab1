//! Phase diagrams: what runs came to over two varied settings, from the table of runs alone.

use super::Scale;
use crate::settings::{Result, Settings};
use crate::{choices, settings};

/// Most cells along an axis: more could not be told apart on paper, and would make large files.
pub const MOST_BINS: usize = 118;

choices! {
    /// How the runs of one cell become one value.
    pub enum Reduce {
        Median = "median",
            "the median; of words, and of up to 8 whole numbers, the most frequent one";
        Mean = "mean", "the mean";
        Least = "min", "the least";
        Greatest = "max", "the greatest";
        Share = "share", "the part of the runs that have a value, or the one that `of` names";
    }
}

settings! {
    /// A column of the table of runs over two others, as coloured cells.
    pub struct Phase {
        x: String, required "start.scale", "the column of the table of runs along the x axis";
        y: String, required "system.rank", "the column of the table of runs along the y axis";
        value: String, required "stages",
            "the column of the table of runs that colours show: words, up to 8 whole numbers, or numbers on a ramp";
        reduce: Reduce = "median",
            "what becomes of runs that share a cell: other seeds, and whatever else is varied";
        of: Option<String>, example "converged",
            "the value whose share is shown", when reduce is "share";
        x_scale: Scale = "linear", "how the x axis is divided";
        y_scale: Scale = "linear", "how the y axis is divided";
        colour_scale: Scale = "linear", "how the ramp of numbers is divided";
        colour_range: Option<(f64, f64)>, example [0.0, 1.0],
            "values of the first and the last colour; the data's without it";
        colour_label: Option<String>, example "number of stages",
            "words for what colours show; the column's own without it";
        bins: Option<(usize, usize)> [> 0.0], example [24, 24],
            "cells along x and along y; without it a cell for each combination of a grid, and of other designs as \
             many as the runs can fill, or a mark for each of a few runs";
        boundary: Option<Vec<f64>> [; 1..], example [1.5],
            "lines between cells below and cells not below each of these values";
    }
}

impl Phase {
    /// Medians of `value` over two columns, on linear axes.
    pub fn new(x: &str, y: &str, value: &str) -> Self {
        let [x, y, value] = [x, y, value].map(str::to_owned);
        Self { x, y, value, ..Self::defaults() }
    }

    /// Two columns, and whole numbers of cells.
    pub(super) fn check(&self, panel: &Settings) -> Result<()> {
        if self.x == self.y {
            let message =
                format!("is `{}` like x, but a phase diagram is over two columns", self.y);
            return Err(panel.wrong("y", message));
        }
        panel.check_range("colour_range")?;
        let given: Vec<f64> = panel.field::<Option<_>>("bins").unwrap_or_default();
        let fits = |n: &f64| n.fract() == 0.0 && (1.0..=MOST_BINS as f64).contains(n);
        if self.bins.is_some() && !(given.len() == 2 && given.iter().all(fits)) {
            let message = format!(
                "is {given:?}, but must be two whole numbers from 1 to {MOST_BINS}: cells along x, and along y"
            );
            return Err(panel.wrong("bins", message));
        }
        Ok(())
    }
}
