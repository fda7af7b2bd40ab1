//! The certificate of a state, and how it comes about.

use serde::Serializer;

use super::escape::{self, Departure, Escape, Law};
use super::order::{Leading, Reduced, leading};
use super::spectrum::{Counts, Modes, combination, modes, spectrum};
use super::stationary::{self, Approach, SearchEnd};
use crate::prelude::*;

use super::frame::Frame;

/// How far apart, in parts of the scale, curvatures are looked at to learn what is a large one.
const NEIGHBOURHOOD: f64 = 0.1;
/// A state counts as the point itself when it is nearer along the ways out, in parts of the scale.
const AT_THE_POINT: f64 = 1e-6;
/// Distances between which the escape from the point itself is measured, in parts of the scale.
const PROBE: (f64, f64) = (0.01, 0.1);
/// Weights below this, in parts of the scale, are zero: where the gradient is the square of a distance,
/// its rounding leaves them at 1e-8, where it is the cube, at 1e-5.
const DUST: f64 = 1e-5;
/// By how much the distance of a state that is already on its way is to grow.
const GROWTH: f64 = 2.0;

/// Of what kind a stationary point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// A saddle that the loss leaves at second order: it has negative curvature.
    NonDegenerate,
    /// A saddle without negative curvature, which the loss leaves at a higher order.
    Degenerate {
        order: u32,
    },
    /// The loss falls in no direction that was looked at.
    Minimum {
        /// Flat directions that no symmetry explains.
        flat: usize,
    },
    AtInfinity,
    /// No stationary point is near.
    #[default]
    None,
    Inconclusive,
}

impl Kind {
    pub fn words(self) -> String {
        match self {
            Self::NonDegenerate => "non-degenerate".to_owned(),
            Self::Degenerate { order } => format!("degenerate of order {order}"),
            Self::Minimum { flat: 0 } => "minimum".to_owned(),
            Self::Minimum { flat } => format!("minimum, {flat} flat"),
            Self::AtInfinity => "at infinity".to_owned(),
            Self::None => "none".to_owned(),
            Self::Inconclusive => "inconclusive".to_owned(),
        }
    }
}

/// What is looked for, and how far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// A length that counts as one step in the parameters: the first steps of the search, radii and
    /// neighbourhoods are parts of it. Where stationary points form a manifold, another scale may lead to
    /// another point of it.
    pub scale: f64,
    /// A stationary point further away than this is not near.
    pub reach: f64,
    /// Whether an escape is also followed in the flow itself.
    pub measure: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self { scale: 1.0, reach: 1.0, measure: true }
    }
}

/// A stationary point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    pub state: Vec<f64>,
    pub loss: f64,
    /// Norm of the gradient that is left there.
    pub residual: f64,
    /// Distance from the state that was asked about, in parameters.
    pub distance: f64,
}

fn by_name<S: Serializer>(growth: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(growth.iter().map(|(name, rate)| (name, rate)))
}

/// What a plateau at infinity does, at the state that was asked about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Runaway {
    /// Relative growth of each block, `d ln|theta|/dt`.
    #[serde(serialize_with = "by_name")]
    pub growth: Vec<(String, f64)>,
    /// `d ln|gradient|/dt`, the gradient in the lengths of the flow.
    pub gradient: f64,
    /// `dL/dt`.
    pub loss: f64,
    /// Ratio of successive Newton steps: 1 where the loss decays exponentially, above 1 for a power.
    pub ratio: f64,
    /// Where the point runs to, a unit vector of parameters.
    pub direction: Vec<f64>,
}

/// What a state is near.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Certificate {
    pub kind: Kind,
    /// Why it is not known, where it is not.
    pub doubt: Option<String>,
    /// Loss at the state that was asked about.
    pub loss: f64,
    /// Norm of the gradient there.
    pub gradient: f64,
    /// The nearest stationary point, where the search came to one.
    pub point: Option<Point>,
    pub counts: Option<Counts>,
    /// Lowest and highest eigenvalue of the Hessian there, in the parameters.
    pub curvature: Option<(f64, f64)>,
    pub escape: Option<Escape>,
    pub departure: Option<Departure>,
    pub runaway: Option<Runaway>,
}

/// Certifies what `state` is near. `tangents` gives the directions of continuous symmetries at a state.
pub fn certify(
    surface: &dyn Surface,
    tangents: &dyn Fn(&[f64]) -> Vec<Vec<f64>>,
    state: &[f64],
    search: &Search,
) -> Result<Certificate, Fault> {
    let mut frame = Frame::new(surface, state);
    let unit = search.scale / frame.stretch().max(f64::MIN_POSITIVE);
    let (here, mut gradient) = (vec![0.0; frame.len()], vec![0.0; frame.len()]);
    let loss = frame.evaluate(&here, &mut gradient)?;
    let gradient = norm(&frame.slope);
    let mut found = Certificate { loss, gradient, ..Certificate::default() };
    let reach = search.reach / frame.stretch().max(f64::MIN_POSITIVE);
    let usual = reference(&mut frame, &here, NEIGHBOURHOOD * unit)?;
    let approach = stationary::search(&mut frame, unit, reach, usual)?;
    match &approach.ended {
        SearchEnd::Runs { ratio, direction } => {
            found.kind = Kind::AtInfinity;
            found.runaway = Some(runaway(&mut frame, surface, (*ratio, direction))?);
            return Ok(found);
        }
        SearchEnd::Stalled => {
            found.doubt = Some(format!("the gradient stays at {:.1e}", approach.residual));
            return Ok(found);
        }
        SearchEnd::Found => {}
    }
    let point = point(&mut frame, &approach.z, state)?;
    if point.distance > search.reach {
        found.doubt = Some(format!("the nearest found is {:.2} away", point.distance));
        found.point = Some(point);
        return Ok(found);
    }
    let along: Vec<Vec<f64>> = tangents(&point.state).iter().map(|t| frame.inward(t)).collect();
    let reference = reference(&mut frame, &approach.z, NEIGHBOURHOOD * unit)?;
    let sorted = modes(&approach.spectrum, reference, &along, DUST * unit);
    found.curvature = Some(curvature(&mut frame, &approach)?);
    found.counts = Some(sorted.counts);
    found.point = Some(point);
    judge(&mut found, &mut frame, &approach.z, &sorted, unit)?;
    if let (true, Some(escape)) = (search.measure, &found.escape) {
        let span: Vec<Vec<f64>> = escape.span.iter().map(|v| frame.inward(v)).collect();
        let departure =
            departure(surface, &mut frame, &approach.z, &sorted, (escape, &span), unit)?;
        found.departure = Some(departure);
    }
    Ok(found)
}

fn point(frame: &mut Frame<'_>, z: &[f64], from: &[f64]) -> Result<Point, Fault> {
    let mut gradient = vec![0.0; z.len()];
    let loss = frame.evaluate(z, &mut gradient)?;
    let residual = norm(&frame.slope);
    let state = frame.state_at(z);
    let away: Vec<f64> = state.iter().zip(from).map(|(a, b)| a - b).collect();
    Ok(Point { distance: norm(&away), state, loss, residual })
}

/// The largest curvature at two keyed places at `distance` from the point.
fn reference(frame: &mut Frame<'_>, z: &[f64], distance: f64) -> Result<f64, Fault> {
    let mut largest = 0.0_f64;
    for index in 0..2 {
        let mut aside = vec![0.0; z.len()];
        Stream::new(1, Purpose::Perturbation, index).fill_normal(&mut aside);
        let length = norm(&aside);
        let there: Vec<f64> =
            z.iter().zip(&aside).map(|(z, a)| z + distance * a / length).collect();
        if let Ok(hessian) = frame.hessian(&there) {
            largest = largest.max(spectrum(&hessian)?.largest());
        }
    }
    Ok(largest)
}

/// Lowest and highest eigenvalue of the Hessian in the parameters.
fn curvature(frame: &mut Frame<'_>, approach: &Approach) -> Result<(f64, f64), Fault> {
    let hessian = frame.hessian(&approach.z)?;
    let roots = frame.outward(&vec![1.0; approach.z.len()]);
    let roots: Vec<f64> = roots.into_iter().filter(|&root| root > 0.0).collect();
    let n = roots.len();
    let plain = faer::Mat::from_fn(n, n, |i, j| hessian[(i, j)] / (roots[i] * roots[j]));
    let values = spectrum(&plain)?.values;
    Ok((values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0)))
}

/// Says of what kind the point is, and how the flow leaves it.
fn judge(
    found: &mut Certificate,
    frame: &mut Frame<'_>,
    z: &[f64],
    sorted: &Modes,
    unit: f64,
) -> Result<(), Fault> {
    if !sorted.counts.clear() {
        found.doubt = Some("no gap separates zero curvatures from the others".to_owned());
    }
    if let Some((rate, direction)) = sorted.unstable.first() {
        found.kind = Kind::NonDegenerate;
        let span = sorted.unstable.iter().map(|(_, v)| v.as_slice());
        let law = Law::Exponential { rate: *rate };
        found.escape = Some(way_out(frame, law, direction, (span, &sorted.flat)));
        return Ok(());
    }
    let mut reduced = Reduced::new(frame, z, sorted)?;
    match leading(&mut reduced, 0.25 * unit)? {
        Leading::Falls { order, coefficient, direction } => {
            found.kind = Kind::Degenerate { order };
            let direction = combination(&direction, &sorted.flat);
            let span = sorted.flat.iter().map(Vec::as_slice);
            let law = Law::Algebraic { order, coefficient };
            found.escape = Some(way_out(frame, law, &direction, (span, &sorted.flat)));
        }
        Leading::Unclear { slope } => {
            found.kind = Kind::Inconclusive;
            found.doubt = Some(format!("the loss falls, but at order {slope:.2}"));
        }
        Leading::Stays { flat } => {
            let flat = if flat { sorted.counts.unexplained() } else { 0 };
            found.kind = Kind::Minimum { flat };
        }
    }
    Ok(())
}

fn way_out<'v>(
    frame: &Frame<'_>,
    law: Law,
    direction: &[f64],
    (span, flat): (impl Iterator<Item = &'v [f64]>, &[Vec<f64>]),
) -> Escape {
    let outward = frame.outward(direction);
    let length = norm(&outward);
    Escape {
        law,
        direction: outward.iter().map(|x| x / length).collect(),
        stretch: norm(direction) / length,
        span: span.map(|v| frame.outward(v)).collect(),
        flat: flat.iter().map(|v| frame.outward(v)).collect(),
    }
}

/// One escape, predicted and measured: from where the state is, or from near the point.
fn departure(
    surface: &dyn Surface,
    frame: &mut Frame<'_>,
    z: &[f64],
    sorted: &Modes,
    (escape, span): (&Escape, &[Vec<f64>]),
    unit: f64,
) -> Result<Departure, Fault> {
    let parts: Vec<f64> = span.iter().map(|v| -dot(v, z)).collect();
    let (own, point) = (norm(&parts), frame.state_at(z));
    let (start, from, to, predicted) = if own <= AT_THE_POINT * unit {
        let (from, to) = (PROBE.0 * unit, PROBE.1 * unit);
        let step = from / escape.stretch;
        let start: Vec<f64> =
            point.iter().zip(&escape.direction).map(|(p, d)| p + step * d).collect();
        (start, from, to, escape.law.time(from, to))
    } else {
        let to = GROWTH * own;
        let predicted = match escape.law {
            Law::Exponential { .. } => escape::exponential_time(sorted, &parts, to),
            Law::Algebraic { order, .. } => {
                let mut reduced = Reduced::new(frame, z, sorted)?;
                let radius = 0.5 * PROBE.0 * unit;
                escape::algebraic_time(&mut reduced, (order, radius), &parts, to)?
            }
        };
        (frame.state_at(&vec![0.0; z.len()]), own, to, predicted)
    };
    let measured = escape::measured(surface, frame, (&start, &point), span, (to, predicted));
    Ok(Departure { from, to, predicted, measured })
}

/// What happens on a plateau at infinity, at the state itself.
fn runaway(
    frame: &mut Frame<'_>,
    surface: &dyn Surface,
    (ratio, direction): (f64, &[f64]),
) -> Result<Runaway, Fault> {
    let here = vec![0.0; frame.len()];
    let mut gradient = here.clone();
    frame.evaluate(&here, &mut gradient)?;
    let hessian = frame.hessian(&here)?;
    let square = dot(&gradient, &gradient);
    let product = |i: usize| (0..here.len()).map(|j| hessian[(i, j)] * gradient[j]).sum::<f64>();
    let bent: f64 = (0..here.len()).map(|i| gradient[i] * product(i)).sum();
    let (state, rate) = (frame.state_at(&here), frame.outward(&gradient));
    let growth = |block: &crate::Block| {
        let (at, rate) = (&state[block.range()], &rate[block.range()]);
        (block.name.clone(), -dot(at, rate) / dot(at, at))
    };
    let outward = frame.outward(direction);
    let length = norm(&outward);
    Ok(Runaway {
        growth: surface.layout().iter().map(growth).collect(),
        gradient: -bent / square,
        loss: -square,
        ratio,
        direction: outward.iter().map(|x| x / length).collect(),
    })
}
