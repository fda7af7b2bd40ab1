//! How a head grows long after its jump.

use crate::Task;
use crate::task::factorial;

/// `s' = b s e^(-kappa s)` for `s = e^alpha - 1`: 001, Eq. (3), with its constants.
///
/// On the conserved curve `beta^2 = kappa s/(1 + gamma)` to leading order, so that `s' = 4 s Xi` and
/// `Xi = (1 + gamma)(1 - 1/R)/(k - 2)! e^(-kappa s)`. Terms in `ln s` are left out: logarithms agree, constants do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LateLaw {
    /// `b = 4 (1 + gamma)(1 - 1/R)/(k - 2)!`.
    pub rate: f64,
    /// `kappa = 4 (1 + gamma)(k - 1)/k^2`.
    pub decay: f64,
}

impl LateLaw {
    pub fn new(task: &Task, gain: f64) -> Self {
        let k = task.order as f64;
        let rate = 4.0 * gain * task.guess() / factorial(task.order - 2);
        Self { rate, decay: 4.0 * gain * (k - 1.0) / (k * k) }
    }

    /// The same as it is printed, with `kappa = 1`; the print does not say what `b` is.
    pub fn printed(task: &Task, gain: f64) -> Self {
        Self { decay: 1.0, ..Self::new(task, gain) }
    }

    /// How long `s` takes from one value to another: `(Ei(kappa to) - Ei(kappa from))/b`.
    pub fn time(&self, from: f64, to: f64) -> f64 {
        let [from, to] = [from, to].map(|s| exponential_integral(self.decay * s));
        (to - from) / self.rate
    }
}

/// `Ei(x)` for `x > 0`, by its power series, whose terms are all positive.
pub fn exponential_integral(x: f64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let (mut term, mut sum, mut n) = (1.0, EULER + x.ln(), 1.0);
    loop {
        term *= x / n;
        let part = term / n;
        sum += part;
        if part <= 1e-17 * sum.abs() && n > x {
            return sum;
        }
        n += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::FirstJump;
    use saddlescope_spec::prelude::*;

    #[test]
    fn the_exponential_integral_is_that_of_the_tables() {
        let known = [
            (0.5, 0.454_219_904_863_173_6),
            (1.0, 1.895_117_816_355_936_8),
            (10.0, 2_492.228_976_241_877_5),
            (40.0, 6_039_718_263_611_242.0),
        ];
        for (x, expected) in known {
            let found = exponential_integral(x);
            assert!((found - expected).abs() < 1e-13 * expected, "{x}: {found}");
        }
    }

    /// Times are those of the law: their slopes in `s` are one over the speed.
    #[test]
    fn times_are_the_integral_of_one_over_the_speed() {
        for law in [LateLaw { rate: 1.5, decay: 0.75 }, LateLaw { rate: 0.3, decay: 1.0 }] {
            for s in [0.5, 4.0, 30.0] {
                let h = 1e-4;
                let slope = law.time(s - h, s + h) / (2.0 * h);
                let speed = law.rate * s * (-law.decay * s).exp();
                assert!((slope * speed - 1.0).abs() < 1e-6, "{s}: {slope}");
            }
        }
    }

    /// `s` of the whole law of the first jump is within 8 % of Eq. (3) with its constants, where the print is 13 % off and more.
    #[test]
    fn late_growth_comes_to_the_law() {
        for (order, gain) in [(4, 1.0), (3, 1.0)] {
            let task = Task::new(order, 4).unwrap();
            let (law, printed) = (LateLaw::new(&task, gain), LateLaw::printed(&task, gain));
            let first = FirstJump::new(&task, gain).unwrap();
            let (mut state, mut now) = (vec![0.0, 0.1], 0.0);
            for time in [1e6, 1e9, 1e12] {
                let flow = Flow::default().until(time);
                state = flow.run(&first, now, &state, &mut Silent).unwrap().state;
                now = time;
                let s = state[0].exp_m1();
                let at = |law: &LateLaw| {
                    let (mut low, mut high) = (1.0, 600.0);
                    for _ in 0..60 {
                        let middle = 0.5 * (low + high);
                        if law.time(1.0, middle) < time { low = middle } else { high = middle }
                    }
                    low
                };
                let [own, theirs] = [&law, &printed].map(|law| (at(law) / s - 1.0).abs());
                let words = format!("k = {order}, t = {time:e}: s = {s}, off by {own}, {theirs}");
                assert!(own < 0.08 && theirs > 0.13, "{words}");
            }
        }
    }
}
