//! A system: one paper's setting, declared once. It needs no built model; a [`Problem`] is the model.

use crate::claim::Paper;
use crate::figure::{FigureSpec, PanelSpec};
use crate::problem::Problem;
use crate::settings::{Result, Settings, SystemSchema};
use crate::sketch::Sketch;

/// One paper's setting. Only the schema and the problem are required.
pub trait System: Sync {
    /// What it is called, and what can be set.
    fn schema(&self) -> &'static SystemSchema;

    /// Builds the problem that `system` describes, with the initial parameters that `start` describes.
    fn problem(&self, system: &Settings, start: &Settings, seed: u64) -> Result<Problem>;

    fn name(&self) -> &'static str {
        self.schema().name
    }

    /// Estimates the memory, in bytes, that [`System::problem`] and the run will need.
    fn bytes(&self, system: &Settings) -> u64 {
        let _ = system;
        0
    }

    /// How figures label a column or a setting where its declaration does not say, or says it otherwise.
    fn label(&self, system: &Settings, column: &str) -> Option<String> {
        let _ = (system, column);
        None
    }

    /// The figure of a run whose file specifies none.
    fn figure(&self, system: &Settings) -> FigureSpec {
        let _ = system;
        FigureSpec::new(1, vec![PanelSpec::over_time(&["loss"]).beside(&["levels"])])
    }

    /// Its task as rows of tokens, for figures that explain it; empty where there is nothing to show.
    fn sketch(&self, system: &Settings, seed: u64) -> Sketch {
        let _ = (system, seed);
        Sketch::default()
    }
}

impl std::fmt::Debug for dyn System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("System").field(&self.name()).finish()
    }
}

impl PartialEq for dyn System {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// Systems with what their papers state, which a program registers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Addition {
    pub systems: &'static [&'static dyn System],
    /// What their papers state, with the evidence.
    pub papers: &'static [Paper],
}
