//! The saddle graph: known saddles certified, flows out of each, and the paths of many starts.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use saddlescope::GradientFlow;
use saddlescope::analysis::saddle::{
    Certificate, Escape, Kind, Law, Node, SaddleGraph, Search, certify,
};
use saddlescope::dynamics::Phase;
use saddlescope::event::{Condition, Event};
use saddlescope::flow::Flow;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::{Control, Glimpse, Moment, Recorder};
use saddlescope::surface::{AsLandscape, Surface};
use saddlescope_spec::figure::Graph;
use saddlescope_spec::problem::{KnownSaddle, Problem};

use super::{ensure_not_stopped, no_loss, no_surface};
use crate::error::{Checked, Error, Result};
use crate::experiment::Experiment;
use crate::phases::phase;

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
