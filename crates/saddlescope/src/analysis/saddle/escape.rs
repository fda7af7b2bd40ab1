//! How the flow leaves a saddle: laws, and the times that they and the flow itself give.

use super::order::Reduced;
use super::spectrum::Modes;
use crate::GradientFlow;
use crate::prelude::*;

use super::frame::Frame;
use crate::surface::AsLandscape;

/// A measured escape is given up after so many times the predicted time.
const PATIENCE: f64 = 30.0;

/// How the distance from a saddle grows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Law {
    /// `ds/dt = rate * s`: negative curvature.
    Exponential {
        /// Growth per unit of the flow's time.
        rate: f64,
    },
    /// `ds/dt = order * coefficient * s^(order - 1)`, with `s` in the lengths of the flow: the loss falls
    /// as `-coefficient * s^order`.
    Algebraic {
        /// Order of the leading form, above 2.
        order: u32,
        /// Minus its least value on the unit sphere.
        coefficient: f64,
    },
}

impl Law {
    /// The time from distance `from` to distance `to`, both in the lengths of the flow.
    pub fn time(self, from: f64, to: f64) -> f64 {
        match self {
            Self::Exponential { rate } => (to / from).ln() / rate,
            Self::Algebraic { order, coefficient } => {
                let p = f64::from(order);
                (from.powf(2.0 - p) - to.powf(2.0 - p)) / (p * (p - 2.0) * coefficient)
            }
        }
    }
}

/// The way out of a saddle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Escape {
    /// Its law along the fastest direction.
    pub law: Law,
    /// The fastest direction, a unit vector of parameters.
    pub direction: Vec<f64>,
    /// Lengths of the flow per unit of parameters along it.
    #[serde(skip)]
    pub stretch: f64,
    /// All directions along which the flow can leave, orthonormal in the lengths of the flow, as
    /// directions of the parameters: those of negative curvature, or the flat ones.
    #[serde(skip)]
    pub span: Vec<Vec<f64>>,
    /// Flat directions that no symmetry explains, in the same way.
    #[serde(skip)]
    pub flat: Vec<Vec<f64>>,
}

impl Escape {
    /// The time that the law gives from distance `from` along the direction to distance `to`.
    pub fn time(&self, from: f64, to: f64) -> f64 {
        self.law.time(self.stretch * from, self.stretch * to)
    }
}

/// One escape, predicted and measured: how long the distance along the ways out takes to grow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Departure {
    /// Distance at the start, in the lengths of the flow.
    pub from: f64,
    pub to: f64,
    pub predicted: f64,
    /// The time that the flow takes; missing where it does not leave.
    pub measured: Option<f64>,
}

/// The time in which the leading law alone takes the displacement `start` to length `to`; `start` holds
/// components along the unstable directions.
pub(super) fn exponential_time(modes: &Modes, start: &[f64], to: f64) -> f64 {
    let length = |time: f64| {
        let grown = start.iter().zip(&modes.unstable).map(|(a, (rate, _))| a * (rate * time).exp());
        grown.map(|x| x * x).sum::<f64>().sqrt()
    };
    let Some(&(slowest, _)) = modes.unstable.last() else { return f64::NAN };
    let (mut low, mut high) = (0.0, (to / norm(start)).ln() / slowest);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if length(middle) < to { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The same for the leading form of `order`, whose slope is read off the reduced loss at `radius`:
/// Runge and Kutta's steps, each a small part of the distance.
pub(super) fn algebraic_time(
    reduced: &mut Reduced<'_, '_>,
    (order, radius): (u32, f64),
    start: &[f64],
    to: f64,
) -> Result<f64, Fault> {
    const PART: f64 = 0.05;
    let mut rate = |u: &[f64], out: &mut Vec<f64>| -> Result<bool, Fault> {
        let length = norm(u);
        let unit: Vec<f64> = u.iter().map(|x| radius * x / length).collect();
        let found = reduced.at(&unit, out)?;
        let factor = -(length / radius).powi(order as i32 - 1);
        out.iter_mut().for_each(|x| *x *= factor);
        Ok(found.is_some())
    };
    let (mut u, mut time) = (start.to_vec(), 0.0);
    let mut k = vec![vec![0.0; u.len()]; 4];
    for _ in 0..5000 {
        if norm(&u) >= to {
            return Ok(time);
        }
        if !rate(&u, &mut k[0])? {
            break;
        }
        let step = PART * norm(&u) / norm(&k[0]);
        for (stage, part) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            let there: Vec<f64> =
                u.iter().zip(&k[stage - 1]).map(|(u, k)| u + part * step * k).collect();
            if !rate(&there, &mut k[stage])? {
                return Ok(f64::NAN);
            }
        }
        let before = norm(&u);
        for (i, u) in u.iter_mut().enumerate() {
            *u += step / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
        let after = norm(&u);
        // The last step is cut where the distance is reached.
        let part = if after > to { (to - before) / (after - before) } else { 1.0 };
        time += part * step;
    }
    Ok(f64::NAN)
}

/// The time in which the flow from `start` takes its distance from `point` along `span` to `to`.
pub(super) fn measured(
    surface: &dyn Surface,
    frame: &Frame<'_>,
    (start, point): (&[f64], &[f64]),
    span: &[Vec<f64>],
    (to, predicted): (f64, f64),
) -> Option<f64> {
    let until = PATIENCE * predicted;
    if !(until.is_finite() && until > 0.0) {
        return None;
    }
    let mut watch = DepartureWatch { frame, point, span, to, last: None, reached: None };
    // A flow that rests, or that takes too many steps, has not left.
    let _ = Flow::default().until(until).run(
        &GradientFlow::new(&AsLandscape(surface)),
        0.0,
        start,
        &mut watch,
    );
    watch.reached
}

/// Watches how far along the ways out a flow is.
struct DepartureWatch<'a> {
    frame: &'a Frame<'a>,
    point: &'a [f64],
    span: &'a [Vec<f64>],
    to: f64,
    last: Option<(f64, f64)>,
    reached: Option<f64>,
}

impl Recorder for DepartureWatch<'_> {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        if self.reached.is_some() {
            return Control::Stop;
        }
        let part = |i: i32| from.time + (to.time - from.time) * f64::from(i) / 8.0;
        times.extend((1..8).map(part));
        times.push(to.time);
        Control::Continue
    }

    fn record(&mut self, moment: &Moment<'_>) {
        let aside: Vec<f64> = moment.state.iter().zip(self.point).map(|(a, b)| a - b).collect();
        let aside = self.frame.inward(&aside);
        let distance = self.span.iter().map(|v| dot(v, &aside).powi(2)).sum::<f64>().sqrt();
        if self.reached.is_none() && distance >= self.to {
            self.reached = Some(match self.last {
                Some((time, before)) if before > 0.0 => {
                    let part = (self.to / before).ln() / (distance / before).ln();
                    time + part * (moment.time - time)
                }
                _ => moment.time,
            });
        }
        self.last = Some((moment.time, distance));
    }
}
