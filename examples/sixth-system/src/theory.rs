//! What is known exactly: plateaus, and the logistic law of one mode.

/// One mode: the product `a` of the input and output weight of one singular value, from balanced weights.
///
/// Saxe et al., Eq. (6) with equal weights: `tau da/dt = 2 a (s - a)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// The singular value `s`.
    pub singular: f64,
    /// The time constant.
    pub tau: f64,
}

impl Mode {
    /// `da/dt`.
    pub fn speed(self, a: f64) -> f64 {
        2.0 * a * (self.singular - a) / self.tau
    }

    /// When `a`, from `start`, is `part` of `s`. Saxe et al., Eq. (7).
    pub fn time(self, start: f64, part: f64) -> f64 {
        let odds = part / (1.0 - part) * (self.singular - start) / start;
        self.tau / (2.0 * self.singular) * odds.ln()
    }

    /// `a` at a time. Saxe et al., Eq. (8).
    pub fn at(self, start: f64, time: f64) -> f64 {
        let s = self.singular;
        s / (1.0 + (s / start - 1.0) * (-2.0 * s * time / self.tau).exp())
    }
}

/// The losses of the plateaus: what is left when the `m` largest singular values are learned, for
/// `m = 0, ..., count`.
pub fn levels(singular: &[f64], count: usize) -> Vec<f64> {
    let mut sorted = singular.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    (0..=count).map(|m| 0.5 * sorted[m..].iter().map(|s| s * s).sum::<f64>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_its_solution_and_its_times_are_one() {
        let mode = Mode { singular: 1.7, tau: 2.0 };
        let (start, h) = (0.01, 1e-5);
        for part in [0.1, 0.5, 0.9] {
            let time = mode.time(start, part);
            let a = mode.at(start, time);
            assert!((a - part * 1.7).abs() < 1e-12);
            let slope = (mode.at(start, time + h) - mode.at(start, time - h)) / (2.0 * h);
            assert!((slope - mode.speed(a)).abs() < 1e-8);
        }
    }
}
