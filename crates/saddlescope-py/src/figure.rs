//! Figures as the laboratory draws them: shown by notebooks, written as SVG, PNG and PDF.

use pyo3::prelude::*;
use saddlescope_draw::Drawing;
use saddlescope_lab::campaign::Results;
use saddlescope_lab::keep::{Format, write_drawing};
use saddlescope_lab::plan::{Changes, Execution, Plan};

use crate::prelude::*;

/// A figure, drawn.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct Figure {
    drawing: Drawing,
}

impl Figure {
    /// The figure of all runs of a plan together.
    pub(crate) fn of(plan: &Plan, runs: &[Option<Run>]) -> PyResult<Self> {
        let member = |run: &Option<Run>| match run {
            Some(run) => Execution::Done((*run.result).clone()),
            None => Execution::NotBegun,
        };
        let results = Results::new(plan, runs.iter().map(member).collect());
        let figure = results.figure().map_err(errors::settings)?;
        Ok(Self { drawing: figure.draw() })
    }

    /// The figure of one run alone.
    pub(crate) fn of_run(run: &Run) -> PyResult<Self> {
        let text = run.member.experiment.to_toml();
        let name = &run.member.label;
        let plan = Plan::from_text(name, &text, &Changes::default(), &REGISTRY);
        Self::of(&plan.map_err(errors::settings)?, &[Some(run.clone())])
    }
}

#[pymethods]
impl Figure {
    /// The drawing as SVG.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.drawing.svg())
    }

    /// Writes it in the format that the ending of the path asks for.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let format = Format::of(&path).ok_or_else(|| {
            errors::settings(format!(
                "{}: a figure is written as .svg, .png or .pdf",
                path.display()
            ))
        })?;
        py.detach(|| write_drawing(&path, format, &self.drawing)).map_err(errors::store)
    }
}
