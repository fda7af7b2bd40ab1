//! Saddles of an experiment's problem: certificates along its run, and the graph that many starts walk.
//!
//! A run is certified at its start, at its slowest points and at its end; or given states are. All of it ends early, with
//! [`ErrorKind::Stopped`], once `stop` is set.

mod graph;
mod report;

use std::sync::atomic::{AtomicBool, Ordering};

use saddlescope::Fault;
use saddlescope::analysis::saddle::{Certificate, Search, certify};
use saddlescope::record::{Control, Glimpse, Moment, Recorder};
use saddlescope::surface::Surface;
use saddlescope_spec::problem::{Chart, KnownSaddle, Problem};

use crate::error::{Error, ErrorKind, Result};
use crate::run::Run;

pub use graph::graph;
pub use report::{GraphFacts, certificate_json, doubts, table};

/// By how much the speed must rise from its least value, or fall from its greatest, to count.
const PROMINENCE: f64 = 3.0;

/// Most parameters of a problem whose saddles are certified: a whole Hessian must be diagonalised.
const MOST_PARAMETERS: usize = 2000;

#[derive(Debug, Clone, PartialEq)]
pub struct CertifiedState {
    pub place: Place,
    /// The known saddle that computes what is nearest to it, and how far that is.
    pub near: Option<(String, f64)>,
    pub certificate: Certificate,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    Start,
    /// Where a run is slowest between two jumps, and when.
    Plateau(f64),
    /// Where a run ends, and when.
    End(f64),
    /// A stored state, and when.
    Snapshot(f64),
    Known(String),
}

/// Certifies the start, the slowest points and the end of a run.
pub fn certify_run(run: &Run, search: &Search, stop: &AtomicBool) -> Result<Vec<CertifiedState>> {
    let problem = &run.problem;
    surface(problem)?;
    let mut slow = Slowest { found: Vec::new(), least: None, greatest: 0.0, stop };
    let outcome = problem
        .run(&run.phases, run.seed, &mut slow)
        .map_err(|error| Error::new(ErrorKind::Computation, format!("the run failed: {error}")))?;
    ensure_not_stopped(stop)?;
    let mut states = vec![(Place::Start, problem.init.to_vec())];
    let first = slow.found.iter().position(|(time, _)| *time > 0.0).unwrap_or(slow.found.len());
    let slowest = slow.found.drain(first..);
    states.extend(slowest.map(|(time, state)| (Place::Plateau(time), state)));
    let end = outcome.phases.last().map_or(0.0, |stage| stage.time);
    states.push((Place::End(end), outcome.state));
    certify_states(problem, states, search, stop)
}

pub fn certify_known(
    problem: &Problem,
    search: &Search,
    stop: &AtomicBool,
) -> Result<Vec<CertifiedState>> {
    let state = |saddle: &KnownSaddle| (Place::Known(saddle.label.clone()), saddle.state.clone());
    let states = problem.saddles.iter().map(state).collect();
    certify_states(problem, states, search, stop)
}

pub fn certify_states(
    problem: &Problem,
    states: Vec<(Place, Vec<f64>)>,
    search: &Search,
    stop: &AtomicBool,
) -> Result<Vec<CertifiedState>> {
    let surface = surface(problem)?;
    let chart = problem.chart();
    let mut all = Vec::new();
    for (place, state) in states {
        ensure_not_stopped(stop)?;
        let found = match &chart {
            None => certify(surface, &|state| problem.symmetry_directions(state), &state, search),
            Some(chart) => in_chart(chart, &state, search),
        };
        let found = found.map_err(no_loss)?;
        let near = problem.nearest_saddle(&state).and_then(|(number, distance)| {
            Some((problem.saddles.get(number)?.label.clone(), distance))
        });
        all.push(CertifiedState { place, near, certificate: found });
    }
    Ok(all)
}

/// A certificate in other coordinates. The flow is no gradient flow in them, so it has nothing to say of escape.
fn in_chart(chart: &Chart, state: &[f64], search: &Search) -> Result<Certificate, Fault> {
    let (scale, reach) = (search.scale * chart.scale, search.reach * chart.scale);
    let search = Search { scale, reach, measure: false };
    let symmetry = |_: &[f64]| chart.symmetry_directions.clone();
    let mut found = certify(&*chart.surface, &symmetry, &(chart.place)(state), &search)?;
    found.escape = None;
    Ok(found)
}

fn surface(problem: &Problem) -> Result<&dyn Surface> {
    let parameters = problem.blocks().len();
    if parameters > MOST_PARAMETERS {
        return Err(Error::input(format!(
            "the problem has {parameters} parameters, but certificates take whole Hessians: at most {MOST_PARAMETERS}"
        )));
    }
    problem.surface().ok_or_else(no_surface)
}

/// Remembers the states at which the gradient is smallest between two rises.
struct Slowest<'a> {
    found: Vec<(f64, Vec<f64>)>,
    least: Option<(f64, f64, Vec<f64>)>,
    greatest: f64,
    stop: &'a AtomicBool,
}

impl Recorder for Slowest<'_> {
    fn plan(&mut self, _from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        times.push(to.time);
        if self.stop.load(Ordering::Relaxed) { Control::Stop } else { Control::Continue }
    }

    fn record(&mut self, moment: &Moment<'_>) {
        let speed = moment.gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
        match &mut self.least {
            None => {
                self.greatest = self.greatest.max(speed);
                if speed < self.greatest / PROMINENCE || self.found.is_empty() {
                    self.least = Some((speed, moment.time, moment.state.to_vec()));
                }
            }
            Some((least, time, state)) if speed < *least => {
                (*least, *time) = (speed, moment.time);
                state.copy_from_slice(moment.state);
            }
            Some((least, ..)) if speed > PROMINENCE * *least => {
                self.greatest = speed;
                self.found.extend(self.least.take().map(|(_, time, state)| (time, state)));
            }
            Some(_) => {}
        }
    }
}

/// The loss is no fixed function in double precision.
fn no_surface() -> Error {
    Error::input(
        "this problem has no exact loss to certify saddles of: its loss is drawn anew at each step, or is in single \
         precision; set system.loss or system.precision to an exact one",
    )
}

/// The loss has no value somewhere.
fn no_loss(fault: impl std::fmt::Display) -> Error {
    let words = format!("the loss cannot be evaluated near a saddle: {fault}");
    Error::new(ErrorKind::Computation, words)
}

fn ensure_not_stopped(stop: &AtomicBool) -> Result<()> {
    match stop.load(Ordering::Relaxed) {
        true => Err(Error::new(ErrorKind::Stopped, "stopped before all saddles were looked at")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_points_lie_between_rises() {
        let stop = AtomicBool::new(false);
        let mut slow = Slowest { found: Vec::new(), least: None, greatest: 0.0, stop: &stop };
        // Speeds with two valleys, a small dent between them, and a fall at the end.
        let speeds = [2.0, 1.0, 0.5, 1.0, 4.0, 3.0, 4.0, 1.0, 0.2, 0.3, 5.0, 1.0, 0.01];
        for (i, &speed) in speeds.iter().enumerate() {
            let (time, gradient) = (i as f64, [speed]);
            let moment = Moment { time, step: 0, loss: 0.0, state: &[time], gradient: &gradient };
            slow.record(&moment);
        }
        let times: Vec<f64> = slow.found.iter().map(|(time, _)| *time).collect();
        assert_eq!(times, [2.0, 8.0]);
    }
}
