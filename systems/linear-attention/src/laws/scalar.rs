//! One head that learns one eigenvector: the training of a stage as a law in one variable.

use saddlescope::Fault;

use crate::{Error, Task};

/// The law `tau dv/dt = lambda^2 v^2 - lambda a v^5` of a head with `k = q = v e`. 003, Eqs. (7), (42).
///
/// It claims to hold for `0 < v <= v*` while the heads before it sit at their optimum and those after it
/// are small; on the ansatz (6) it is exact.
#[derive(Debug, Clone)]
pub struct ScalarLaw {
    eigenvalue: f64,
    second: f64,
    tau: f64,
}

impl ScalarLaw {
    /// The law of one eigenvalue of a task with that trace and mean `E(1/N)`.
    pub fn new(eigenvalue: f64, trace: f64, inverse_mean: f64, tau: f64) -> Result<Self, Error> {
        Error::ensure_positive(eigenvalue, "eigenvalue")?;
        Error::ensure_positive(tau, "tau")?;
        Error::ensure_positive(trace, "trace")?;
        if !(0.0..=1.0).contains(&inverse_mean) {
            return Err(Error::value("E(1/N)", inverse_mean, "a number from 0 to 1"));
        }
        let second =
            (1.0 + inverse_mean) * eigenvalue * eigenvalue + inverse_mean * trace * eigenvalue;
        Ok(Self { eigenvalue, second, tau })
    }

    /// The law of the stage that learns eigenvector `d` of `task`.
    pub fn of_stage(task: &Task, d: usize, tau: f64) -> Result<Self, Error> {
        let Some(&eigenvalue) = task.eigenvalues.get(d) else {
            let expected = format!("below the dimension {}", task.dimension());
            return Err(Error::value("eigenvector", d, expected));
        };
        Self::new(eigenvalue, task.trace(), task.inverse_mean, tau)
    }

    /// `v* = (lambda/a)^(1/3)`, where the law rests.
    pub fn optimum(&self) -> f64 {
        (self.eigenvalue / self.second).cbrt()
    }

    /// The value at which half of the loss drop is done: `(1 - (v/v*)^3)^2 = 1/2`.
    pub fn half_drop(&self) -> f64 {
        self.optimum() * (1.0 - std::f64::consts::FRAC_1_SQRT_2).cbrt()
    }

    /// Whether the law claims to hold at `value`.
    pub fn holds(&self, value: f64) -> bool {
        value > 0.0 && value <= self.optimum()
    }

    /// What of the loss is left to learn at `value`: `lambda a (v^3 - v*^3)^2`.
    pub fn excess(&self, value: f64) -> f64 {
        let distance = value.powi(3) - self.eigenvalue / self.second;
        self.eigenvalue * self.second * distance * distance
    }

    /// `dv/dt`.
    pub fn speed(&self, value: f64) -> f64 {
        let (l, a) = (self.eigenvalue, self.second);
        l * value * value * (l - a * value.powi(3)) / self.tau
    }

    /// How `dv/dt` changes with `v`.
    pub fn speed_change(&self, value: f64) -> f64 {
        let (l, a) = (self.eigenvalue, self.second);
        l * value * (2.0 * l - 5.0 * a * value.powi(3)) / self.tau
    }

    /// The estimate `tau/(lambda^2 v0)` of how long the plateau lasts. 003, Eqs. (38), (43).
    pub fn plateau_estimate(&self, start: f64) -> f64 {
        self.tau / (self.eigenvalue * self.eigenvalue * start)
    }

    /// The time from `start` to `value`, both above zero and on the same side of `v*`. 003, Eq. (37).
    // The print has v^2 - (a/lambda) v^2 under the integral; it must be v^2 - (a/lambda) v^5. With
    // u = v/v* the integrand is 1/u^2 + u/(1 - u^3), whose second part is `bend`.
    pub fn time(&self, start: f64, value: f64) -> Result<f64, Fault> {
        let optimum = self.optimum();
        self.ensure_above_zero(start)?;
        self.ensure_above_zero(value)?;
        if start == value {
            return Ok(0.0);
        }
        if (start < optimum) != (value < optimum) || start == optimum || value == optimum {
            return Err(Fault::OutOfDomain(format!(
                "no time leads from v = {start} to v = {value}: expected both on one side of v* = {optimum}"
            )));
        }
        let linear = (value - start) / start * (optimum / value);
        let (u0, u1) = (start / optimum, value / optimum);
        let (gap0, gap1) = ((optimum - start) / optimum, (optimum - value) / optimum);
        Ok(self.unit() * (linear + bend(u1, gap1.abs()) - bend(u0, gap0.abs())))
    }

    /// Time unit: `tau/(lambda^2 v*)`.
    fn unit(&self) -> f64 {
        self.plateau_estimate(self.optimum())
    }

    fn ensure_above_zero(&self, value: f64) -> Result<(), Fault> {
        if value.is_finite() && value > 0.0 {
            return Ok(());
        }
        Err(Fault::OutOfDomain(format!("v = {value}: expected a finite number above 0")))
    }
}

/// `integral of s/(1 - s^3)`, from 0 to `u` for `u < 1`; `gap` is `|1 - u|`.
fn bend(u: f64, gap: f64) -> f64 {
    if u < 0.3 {
        // The closed form subtracts two terms of size u that leave u^2/2: sum the series instead.
        let cube = u * u * u;
        let mut term = u * u;
        let mut sum = 0.0;
        for j in 0..14 {
            sum += term / f64::from(3 * j + 2);
            term *= cube;
        }
        return sum;
    }
    let third = 3.0_f64.sqrt();
    // ln((u^2 + u + 1)/(1 - u)^2)/6, and the arc tangents of (37) less their value at 0 as one.
    (3.0 * u / (gap * gap)).ln_1p() / 6.0 - (third * u / (2.0 + u)).atan() / third
}

#[cfg(test)]
#[path = "scalar_tests.rs"]
mod tests;
