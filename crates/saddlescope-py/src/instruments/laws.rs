//! Scaling laws through anybody's numbers.

use pyo3::prelude::*;
use saddlescope::analysis::scaling::{Law, Options, Point, fit, fit_better};
use saddlescope_lab::fits::fit_json;

use crate::prelude::*;

/// Fits a law to points `(x, y, seed)`; as JSON, the better first where the law is `auto`.
#[pyfunction]
pub(crate) fn fit_scaling(
    py: Python<'_>,
    points: Vec<(f64, f64, u64)>,
    law: &str,
    resamples: usize,
    key: u64,
) -> PyResult<String> {
    let point = |(x, y, seed): (f64, f64, u64)| Point { x, y: y.is_finite().then_some(y), seed };
    let points: Vec<Point> = points.into_iter().map(point).collect();
    let options = Options { resamples, key };
    let laws = [Law::Power, Law::Offset, Law::Log];
    let fits = match laws.into_iter().find(|known| known.word() == law) {
        Some(law) => py.detach(|| fit(&points, law, options)).map(|fit| vec![fit]),
        None if law == "auto" => py.detach(|| fit_better(&points, options)).map(Vec::from),
        None => {
            return Err(errors::settings(format!(
                "law is `{law}`, expected power, offset, log or auto"
            )));
        }
    };
    let fits = fits.map_err(errors::settings)?;
    Ok(json!(fits.iter().map(fit_json).collect::<Vec<_>>()).to_string())
}
