//! Saddles of an experiment's problem: certificates along its run, and the graph that many starts walk.
//!
//! A run is certified at its start, at its slowest points and at its end; or given states are. All of it ends early, with
//! [`ErrorKind::Stopped`], once `stop` is set.

mod report;

use rayon::prelude::*;
use saddlescope::analysis::saddle::{Certificate, Escape, Kind, Law, Node, Search, certify};
use saddlescope::event::{Condition, Event};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::surface::{AsLandscape, Surface};
use saddlescope::{Fault, GradientFlow};
use saddlescope_spec::figure::Graph;
use saddlescope_spec::problem::{Chart, KnownSaddle};

use crate::phases::phase;
use crate::prelude::*;

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

// The saddle graph: known saddles certified, flows out of each, and the paths of many starts.

/// How far from a saddle flows out of it begin.
const ASIDE: f64 = 0.03;
/// Random combinations of the ways out that are tried.
const COMBINATIONS: u64 = 16;
/// Flows out of saddles are given up after this time.
const UNTIL: f64 = 1e7;
/// How near the loss must come to its minimum to end such a flow.
const CONVERGED: f64 = 1e-8;

/// The saddle graph of the problem of `experiment`; its starts have the seeds from its own on.
pub fn graph(experiment: &Experiment, tour: &Graph, stop: &AtomicBool) -> Result<SaddleGraph> {
    let seed = experiment.seed();
    let problem = experiment.system.problem(&experiment.settings, &experiment.start, seed)?;
    let surface = problem.surface().ok_or_else(no_surface)?;
    let known: &[KnownSaddle] = &problem.saddles;
    if known.is_empty() {
        let words = "theory knows no saddles of this problem, so there is no graph of them to draw";
        return Err(Error::input(words));
    }
    let search = Search { measure: false, ..Search::default() };
    let symmetry = |state: &[f64]| problem.symmetry_directions(state);
    let certificates =
        known.par_iter().map(|saddle| certify(surface, &symmetry, &saddle.state, &search));
    let certificates = certificates.collect::<Result<Vec<Certificate>, _>>().map_err(no_loss)?;
    let nodes = known.iter().zip(&certificates).map(|(saddle, found)| node(saddle, found));
    let mut graph = SaddleGraph::new(nodes.collect());

    let mut departures: Vec<(usize, Vec<f64>)> = Vec::new();
    for (number, (saddle, found)) in known.iter().zip(&certificates).enumerate() {
        let beside = match &found.escape {
            Some(escape) => departures_of(saddle, escape, number as u64),
            None if found.kind == Kind::AtInfinity => anywhere(saddle, number as u64),
            None => Vec::new(),
        };
        departures.extend(beside.into_iter().map(|state| (number, state)));
    }
    let way = |(from, state): &(usize, Vec<f64>)| {
        let (near, leaves) = (tour.near, Some(*from));
        let walker = Walker { problem: &problem, near, walk: Vec::new(), leaves, stop };
        Some((*from, next(walker, surface, state)?))
    };
    let ways: Vec<(usize, usize)> = departures.par_iter().filter_map(way).collect();
    ways.into_iter().for_each(|(from, to)| graph.add_way(from, to, 1));
    let paths = (0..tour.starts as u64)
        .into_par_iter()
        .map(|index| path(experiment, seed.wrapping_add(index), tour.near, stop))
        .collect::<Checked<Vec<_>>>()?;
    ensure_not_stopped(stop)?;
    paths.into_iter().for_each(|path| graph.add_path(path, 1));
    Ok(graph)
}

fn node(saddle: &KnownSaddle, found: &Certificate) -> Node {
    Node {
        label: saddle.label.clone(),
        rank: saddle.rank,
        loss: found.loss,
        kind: found.kind.words(),
        order: match found.kind {
            Kind::NonDegenerate => Some(2),
            Kind::Degenerate { order } => Some(order),
            _ => None,
        },
        index: found.counts.map(|counts| counts.negative),
    }
}

/// States beside a saddle from which flows leave it: along each unstable direction, both ways; along
/// keyed combinations of them; along keyed combinations of flat directions, which no curvature leads.
fn departures_of(saddle: &KnownSaddle, escape: &Escape, number: u64) -> Vec<Vec<f64>> {
    let mut directions: Vec<Vec<f64>> = vec![escape.direction.clone()];
    if matches!(escape.law, Law::Exponential { .. }) {
        for direction in &escape.span {
            directions.push(direction.clone());
            directions.push(direction.iter().map(|x| -x).collect());
        }
        directions.extend(combinations(&escape.span, 2 * number));
    }
    directions.extend(combinations(&escape.flat, 2 * number + 1));
    directions.iter().map(|direction| beside(saddle, direction)).collect()
}

/// States beside a place on a plateau at infinity, where no law says which way is out: keyed directions.
fn anywhere(saddle: &KnownSaddle, number: u64) -> Vec<Vec<f64>> {
    let direction = |index: u64| {
        let mut direction = vec![0.0; saddle.state.len()];
        Stream::new(3, Purpose::Perturbation, number).substream(index).fill_normal(&mut direction);
        beside(saddle, &direction)
    };
    (0..COMBINATIONS).map(direction).collect()
}

fn beside(saddle: &KnownSaddle, direction: &[f64]) -> Vec<f64> {
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    saddle.state.iter().zip(direction).map(|(s, d)| s + ASIDE * d / length).collect()
}

fn combinations(vectors: &[Vec<f64>], key: u64) -> Vec<Vec<f64>> {
    let Some(first) = vectors.first() else { return Vec::new() };
    let combination = |index: u64| {
        let mut weights = vec![0.0_f64; vectors.len()];
        Stream::new(2, Purpose::Perturbation, key).substream(index).fill_normal(&mut weights);
        let mut sum = vec![0.0; first.len()];
        for (weight, vector) in weights.iter().zip(vectors) {
            sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += weight * v);
        }
        sum
    };
    (0..COMBINATIONS).map(combination).collect()
}

/// The first saddle that the flow from `state` visits, other than the one that it leaves.
fn next(mut walker: Walker<'_>, surface: &dyn Surface, state: &[f64]) -> Option<usize> {
    let mut flow = Flow::default().until(UNTIL);
    if let Some(floor) = walker.problem.least_loss {
        let tolerance = CONVERGED * walker.problem.levels.first().map_or(1.0, |top| top - floor);
        flow = flow.event(Event::stop(Condition::Converged { floor, tolerance }));
    }
    // A flow that rests where it began leads nowhere.
    let _ = flow.run(&GradientFlow::new(&AsLandscape(surface)), 0.0, state, &mut walker);
    walker.walk.into_iter().find(|&node| Some(node) != walker.leaves)
}

fn path(experiment: &Experiment, seed: u64, near: f64, stop: &AtomicBool) -> Checked<Vec<usize>> {
    let problem = experiment.system.problem(&experiment.settings, &experiment.start, seed)?;
    let stages = experiment.dynamics.iter().map(|settings| phase(settings, &problem, &[]));
    let stages = stages.collect::<Result<Vec<Phase>, _>>()?;
    let mut walker = Walker { problem: &problem, near, walk: Vec::new(), leaves: None, stop };
    // A run that fails has walked as far as it came.
    let _ = problem.run(&stages, seed, &mut walker);
    Ok(walker.walk)
}

struct Walker<'a> {
    problem: &'a Problem,
    near: f64,
    walk: Vec<usize>,
    /// The walk is over at the first visit to another saddle than this.
    leaves: Option<usize>,
    stop: &'a AtomicBool,
}

impl Recorder for Walker<'_> {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        let arrived = |leaves: usize| self.walk.iter().any(|&node| node != leaves);
        if self.leaves.is_some_and(arrived) || self.stop.load(Ordering::Relaxed) {
            return Control::Stop;
        }
        times.push(0.5 * (from.time + to.time));
        times.push(to.time);
        Control::Continue
    }

    fn record(&mut self, moment: &Moment<'_>) {
        match self.problem.nearest_saddle(moment.state) {
            Some((node, distance)) if distance <= self.near && self.walk.last() != Some(&node) => {
                self.walk.push(node);
            }
            _ => {}
        }
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
