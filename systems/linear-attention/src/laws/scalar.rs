//! One head that learns one eigenvector: the training of a stage as a law in one variable.

use saddlescope::field::FieldEvaluator;
use saddlescope::theory::ReducedTheory;
use saddlescope::{Blocks, Fault, VectorField};

use crate::model::scaled;
use crate::theory::Theory;
use crate::{Error, Shape, Task};

/// The law `tau dv/dt = lambda^2 v^2 - lambda a v^5` of a head with `k = q = v e`. 003, Eqs. (7), (42).
///
/// It claims to hold for `0 < v <= v*` while the heads before it sit at their optimum and those after it
/// are small; on the ansatz (6) it is exact.
#[derive(Debug, Clone)]
pub struct ScalarLaw {
    blocks: Blocks,
    eigenvalue: f64,
    second: f64,
    tau: f64,
    /// Loss when the eigenvector is learned.
    floor: f64,
}

impl ScalarLaw {
    /// The law of one eigenvalue of a task with that trace and mean `E(1/N)`; the loss is counted from
    /// the level after the drop.
    pub fn new(eigenvalue: f64, trace: f64, inverse_mean: f64, tau: f64) -> Result<Self, Error> {
        Error::ensure_positive(eigenvalue, "eigenvalue")?;
        Error::ensure_positive(tau, "tau")?;
        Error::ensure_positive(trace, "trace")?;
        if !(0.0..=1.0).contains(&inverse_mean) {
            return Err(Error::value("E(1/N)", inverse_mean, "a number from 0 to 1"));
        }
        let second =
            (1.0 + inverse_mean) * eigenvalue * eigenvalue + inverse_mean * trace * eigenvalue;
        let blocks = Blocks::new().with("value", &[], 0.5 / tau);
        Ok(Self { blocks, eigenvalue, second, tau, floor: 0.0 })
    }

    /// The law of the stage that learns eigenvector `d` of `task`, after all those before it.
    pub fn of_stage(task: &Task, d: usize, tau: f64) -> Result<Self, Error> {
        let Some(&eigenvalue) = task.eigenvalues().get(d) else {
            let expected = format!("below the dimension {}", task.dimension());
            return Err(Error::value("eigenvector", d, expected));
        };
        let mut law = Self::new(eigenvalue, task.trace(), task.context().inverse_mean(), tau)?;
        law.floor = Theory::new(task).levels()[d + 1];
        Ok(law)
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

    /// The loss at `value`: `L_{m+1} + lambda a (v^3 - v*^3)^2`.
    pub fn loss(&self, value: f64) -> f64 {
        self.floor + self.excess(value)
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

    /// The value that a head reaches at time `time` from `start`, where `0 < start <= v*`.
    pub fn value_at(&self, start: f64, time: f64) -> Result<f64, Fault> {
        let optimum = self.optimum();
        if !(self.holds(start) && time >= 0.0) {
            return Err(Fault::OutOfDomain(format!(
                "v = {start} at time {time}: expected 0 < v <= v* = {optimum} and a time of 0 or more"
            )));
        }
        if start == optimum || time == 0.0 {
            return Ok(start);
        }
        let (u0, gap0) = (start / optimum, (optimum - start) / optimum);
        let target = time / self.unit();
        let early_end =
            if u0 < 0.5 { 1.0 / u0 - 2.0 + bend(0.5, 0.5) - bend(u0, gap0) } else { -1.0 };
        let u = if target <= early_end { early(u0, gap0, target) } else { late(u0, gap0, target) };
        // Rounding must not move a head backwards or past its rest.
        Ok((u * optimum).clamp(start, optimum))
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

/// The scalar law as a theory of the whole model while it learns eigenvector `d`: heads before it at
/// their optimum, head `d` at `k = q = v e_d`, heads after it zero. 003, Eq. (6).
#[derive(Debug, Clone)]
pub struct StageLaw<'a> {
    /// The law in one variable.
    pub law: ScalarLaw,
    task: &'a Task,
    shape: Shape,
    stage: usize,
}

impl<'a> StageLaw<'a> {
    /// The theory of stage `stage` (from 0) of a model of that `shape` on `task`.
    pub fn new(task: &'a Task, shape: Shape, stage: usize, tau: f64) -> Result<Self, Error> {
        shape.ensure_fits(task)?;
        let room = shape.heads.min(shape.dimension);
        if stage >= room {
            let expected = format!("below {room}: one head per eigenvector");
            return Err(Error::value("stage", stage, expected));
        }
        Ok(Self { law: ScalarLaw::of_stage(task, stage, tau)?, task, shape, stage })
    }
}

impl ReducedTheory for StageLaw<'_> {
    fn variables(&self) -> &Blocks {
        &self.law.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        (&self.law).rate(0.0, state, rate)
    }

    fn law_product(&self, state: &[f64], direction: &[f64], product: &mut [f64]) -> bool {
        product[0] = self.law.speed_change(state[0]) * direction[0];
        true
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let mut values = Theory::new(self.task).optimal_values();
        values.truncate(self.stage);
        values.push(state[0]);
        let mut weights = vec![0.0; self.shape.parameters()];
        for (i, &v) in values.iter().enumerate() {
            self.shape.set_pair(&mut weights, i, 0, v, &scaled(self.task, i, v));
        }
        weights
    }

    /// `|v_i|` of the head that carries most of the eigenvector (heads `(v, k, q)` and `(-v, -k, q)` are
    /// the same), apart from the heads of the stages before it: while nothing is learned of the
    /// eigenvector, theirs would be as good as any.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let theory = Theory::new(self.task);
        let mut taken = Vec::with_capacity(self.stage + 1);
        for d in 0..=self.stage {
            taken.push(theory.dominant_head(self.shape, theta, d, &taken));
        }
        vec![theta[taken[self.stage] * self.shape.head_len()].abs()]
    }

    fn holds(&self, state: &[f64]) -> bool {
        self.law.holds(state[0])
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

/// `u <= 1/2` at scaled time `target`: Newton in `1/u`, in which time is almost a straight line.
fn early(u0: f64, gap0: f64, target: f64) -> f64 {
    let base = bend(u0, gap0);
    let time = |w: f64| 1.0 / u0 - w + bend(1.0 / w, 1.0 - 1.0 / w) - base;
    let slope = |w: f64| -1.0 / (1.0 - w.powi(-3));
    1.0 / newton(time, slope, target, (2.0, 1.0 / u0))
}

/// `u > 1/2` at scaled time `target`: Newton in `-ln(1 - u)`, in which time ends as a straight line of
/// slope 1/3.
fn late(u0: f64, gap0: f64, target: f64) -> f64 {
    let base = bend(u0, gap0);
    let value = |g: f64| -(-g).exp_m1();
    let time = |g: f64| {
        let u = value(g);
        (u - u0) / (u * u0) + bend(u, (-g).exp()) - base
    };
    let slope = |g: f64| {
        let u = value(g);
        1.0 / (u * u * (1.0 + u + u * u))
    };
    let from = -gap0.max(f64::MIN_POSITIVE).ln();
    let low = from.max(std::f64::consts::LN_2);
    // Past 40, 1 - u is below rounding.
    let high = (low + 3.0 * (target - time(low)).max(0.0) + 1.0).min(60.0);
    if time(high) <= target {
        return 1.0;
    }
    value(newton(time, slope, target, (low, high)))
}

/// Solves `time(x) = target` for a monotone function between two `ends`, falling back to halving.
fn newton(
    time: impl Fn(f64) -> f64,
    slope: impl Fn(f64) -> f64,
    target: f64,
    ends: (f64, f64),
) -> f64 {
    let (mut low, mut high) = ends;
    let rising = time(high) >= time(low);
    let mut x = 0.5 * (low + high);
    for _ in 0..200 {
        let error = time(x) - target;
        if error == 0.0 {
            break;
        }
        if (error < 0.0) == rising {
            low = x;
        } else {
            high = x;
        }
        let step = x - error / slope(x);
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        if (next - x).abs() <= f64::EPSILON * x.abs() {
            return next;
        }
        x = next;
    }
    x
}

impl VectorField for ScalarLaw {
    fn evaluator(&self) -> Box<dyn FieldEvaluator + '_> {
        Box::new(self)
    }
}

impl FieldEvaluator for &ScalarLaw {
    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn rate(&mut self, _time: f64, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        rate[0] = self.speed(state[0]);
        Fault::ensure_finite(self.loss(state[0]), "loss of the scalar law")
    }

    fn jacobian_product(
        &mut self,
        _time: f64,
        state: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        product[0] = self.speed_change(state[0]) * direction[0];
        Ok(true)
    }
}

#[cfg(test)]
#[path = "scalar_tests.rs"]
mod tests;
