//! The laws as curves, and the curve of least squares through means.

use super::Law;
use super::cells::Sums;

/// Exponents that are looked at before the best is sought between two of them.
const EXPONENTS: (f64, f64, usize) = (-6.0, 6.0, 121);

/// How far, and how closely, an exponent is sought around a known one.
const NEAR: f64 = 1.0;
const PRECISION: f64 = 1e-9;

/// A law with its numbers, around the mean `m` of `ln x`, where they are least correlated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    pub(super) law: Law,
    /// `m`.
    centre: f64,
    /// Value at `m`: of `ln y` for a power law, otherwise of `y`.
    level: f64,
    /// Slope in `ln x` there.
    tilt: f64,
    /// The exponent, where there is an offset.
    exponent: f64,
}

impl Curve {
    /// The law where `ln x` is `log`.
    pub(super) fn at_log(&self, log: f64) -> f64 {
        let z = log - self.centre;
        match self.law {
            Law::Power => (self.level + self.tilt * z).exp(),
            Law::Log => self.level + self.tilt * z,
            Law::Offset => self.level + self.tilt * growth(self.exponent, z),
        }
    }

    /// `a`, or `b` of a logarithmic law.
    pub(super) fn slope(&self) -> f64 {
        if self.law == Law::Offset { self.exponent } else { self.tilt }
    }

    /// `C`.
    pub(super) fn prefactor(&self) -> f64 {
        match self.law {
            Law::Power => (self.level - self.tilt * self.centre).exp(),
            Law::Log => self.level - self.tilt * self.centre,
            Law::Offset => self.tilt / self.exponent * (-self.exponent * self.centre).exp(),
        }
    }

    /// `y0`.
    pub(super) fn offset(&self) -> f64 {
        self.level - self.tilt / self.exponent
    }
}

/// `(e^(a z) - 1)/a`, and `z` in the limit: a power with an offset turns into a logarithm at `a = 0`.
fn growth(exponent: f64, z: f64) -> f64 {
    let power = exponent * z;
    if power.abs() < 1e-9 { z } else { power.exp_m1() / exponent }
}

/// The curve of least squares; an exponent with an offset is sought near a known one, if there is one.
pub(super) fn fit(law: Law, sums: &Sums, near: Option<&Curve>) -> Curve {
    let centre = mean(&sums.logs, &sums.counts);
    let z: Vec<f64> = sums.logs.iter().map(|log| log - centre).collect();
    let straight = |y: &[f64]| line(&z, y, &sums.counts);
    let (level, tilt, exponent) = match law {
        Law::Power => {
            let (level, tilt, _) = straight(&sums.mean_logs);
            (level, tilt, 0.0)
        }
        Law::Log => {
            let (level, tilt, _) = straight(&sums.means);
            (level, tilt, 0.0)
        }
        Law::Offset => {
            let means: Vec<f64> = sums.mean_logs.iter().map(|log| log.exp()).collect();
            let weights = means.iter().zip(&sums.counts).map(|(y, n)| n / (y * y));
            let weights: Vec<f64> = weights.collect();
            let at = |exponent: f64| {
                let along: Vec<f64> = z.iter().map(|&z| growth(exponent, z)).collect();
                line(&along, &means, &weights)
            };
            let bracket = match near {
                Some(curve) => (curve.exponent - NEAR, curve.exponent + NEAR),
                None => coarse(&|exponent| at(exponent).2),
            };
            let exponent = least(&|exponent| at(exponent).2, bracket);
            let (level, tilt, _) = at(exponent);
            (level, tilt, exponent)
        }
    };
    Curve { law, centre, level, tilt, exponent }
}

/// Change of a parabola's slope over the range of `x`; for a logarithm, as a part of the slope.
pub(super) fn parabola(law: Law, sums: &Sums) -> f64 {
    let centre = mean(&sums.logs, &sums.counts);
    let z: Vec<f64> = sums.logs.iter().map(|log| log - centre).collect();
    let y = if law == Law::Log { &sums.means } else { &sums.mean_logs };
    // What a straight line leaves of z^2 and of y is all that the curvature is about.
    let counts = &sums.counts;
    let squares: Vec<f64> = z.iter().map(|z| z * z).collect();
    let rest = |y: &[f64]| -> Vec<f64> {
        let (level, tilt, _) = line(&z, y, counts);
        z.iter().zip(y).map(|(z, y)| y - level - tilt * z).collect()
    };
    let (bent, rest) = (rest(&squares), rest(y));
    let weighted = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).zip(counts).map(|((a, b), n)| n * a * b).sum()
    };
    let curvature = weighted(&bent, &rest) / weighted(&bent, &bent);
    let change = 2.0 * curvature * (z[z.len() - 1] - z[0]);
    if law == Law::Log { change / line(&z, y, counts).1.abs() } else { change }
}

fn mean(values: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    sum / weights.iter().sum::<f64>()
}

/// Level at 0 and slope of the line of weighted least squares, and the squares that are left.
fn line(x: &[f64], y: &[f64], weights: &[f64]) -> (f64, f64, f64) {
    let (mx, my) = (mean(x, weights), mean(y, weights));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for ((x, y), w) in x.iter().zip(y).zip(weights) {
        xx += w * (x - mx) * (x - mx);
        xy += w * (x - mx) * (y - my);
        yy += w * (y - my) * (y - my);
    }
    let slope = xy / xx;
    (my - slope * mx, slope, (yy - slope * xy).max(0.0))
}

/// Two exponents with the best one of a coarse list between them.
fn coarse(squares: &dyn Fn(f64) -> f64) -> (f64, f64) {
    let (from, to, count) = EXPONENTS;
    let step = (to - from) / (count - 1) as f64;
    let exponents = (0..count).map(|i| from + step * i as f64);
    let (mut best, mut least) = (from, f64::INFINITY);
    for exponent in exponents {
        let found = squares(exponent);
        if found < least {
            (best, least) = (exponent, found);
        }
    }
    (best - step, best + step)
}

/// Where a function of one valley is least, by the golden section.
fn least(of: &dyn Fn(f64) -> f64, (mut a, mut b): (f64, f64)) -> f64 {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut c, mut d) = (b - golden * (b - a), a + golden * (b - a));
    let (mut at_c, mut at_d) = (of(c), of(d));
    while b - a > PRECISION * (1.0 + a.abs()) {
        if at_c < at_d {
            (b, d, at_d) = (d, c, at_c);
            c = b - golden * (b - a);
            at_c = of(c);
        } else {
            (a, c, at_c) = (c, d, at_d);
            d = a + golden * (b - a);
            at_d = of(d);
        }
    }
    0.5 * (a + b)
}
