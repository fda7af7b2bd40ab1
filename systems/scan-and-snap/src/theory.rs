//! What is known: how fast the decoder learns, when attention snaps, how far it has come by then.
//!
//! All times are steps of batch size one. Everything is written in `M h`, the lead of the right logit over the others, so
//! that nothing overflows whatever the vocabulary.

mod overlaps;

pub use overlaps::Overlaps;
pub(crate) use overlaps::largest_product;

use saddlescope::numeric::root::bracketed_root;

use crate::Error;

/// `M h` after the time `s` of a class's own, for `eta s = steps`: the root of `e^x - 1 + (M - 1) x = M eta s`.
///
/// 004, Eq. (45). The left side is convex and grows, so Newton's method comes down from any upper bound.
pub fn lead(vocabulary: f64, steps: f64) -> f64 {
    if !(steps > 0.0 && steps.is_finite()) {
        return if steps > 0.0 { f64::INFINITY } else { 0.0 };
    }
    // e^x >= 1 + x, and (M - 1) x >= 0.
    let mut x = steps.min((vocabulary * steps).ln_1p());
    for _ in 0..100 {
        let off = x.exp_m1() + (vocabulary - 1.0) * x - vocabulary * steps;
        let next = x - off / (x.exp() + vocabulary - 1.0);
        if next >= x || next <= 0.0 {
            break;
        }
        x = next;
    }
    x
}

/// `M h*` after each of `0..=steps` steps of a class's own. 004, Eq. (33).
pub fn stepped_leads(vocabulary: f64, eta: f64, steps: usize) -> Vec<f64> {
    let mut leads = Vec::with_capacity(steps + 1);
    let mut x = 0.0_f64;
    leads.push(x);
    for _ in 0..steps {
        x += vocabulary * eta / (vocabulary - 1.0 + x.exp());
        leads.push(x);
    }
    leads
}

/// `eta s` at which the lead is `x`: the other way round of [`lead`].
pub fn steps_to(vocabulary: f64, x: f64) -> f64 {
    (x.exp_m1() + (vocabulary - 1.0) * x) / vocabulary
}

/// The loss of a class whose right logit leads by `x`.
pub fn loss_at(vocabulary: f64, x: f64) -> f64 {
    ((vocabulary - 1.0) * (-x).exp()).ln_1p()
}

/// `gamma` where the lead is `x`: `(M - 1)^2 h/(M - 1 + e^(M h))`. 004, Eq. (85), with continuous `t/K`.
pub fn gamma_at(vocabulary: f64, x: f64) -> f64 {
    let m = vocabulary;
    // Divided by e^x where that is large.
    let (numerator, denominator) = ((m - 1.0).powi(2) * x / m, m - 1.0);
    if x > 30.0 {
        numerator * (-x).exp() / (denominator * (-x).exp() + 1.0)
    } else {
        numerator / (denominator + x.exp())
    }
}

/// `omega_1 > 0`, where `M^omega = (1 + omega) ln M (M - 1)/M`. 004, Eq. (51).
///
/// In `x = (1 + omega) ln M` it is the larger root of `e^x = (M - 1) x`; none below a vocabulary of 4.
pub fn omega_1(vocabulary: f64) -> Option<f64> {
    let log = vocabulary.ln();
    larger_root(vocabulary).map(|x| x / log - 1.0)
}

/// `omega_0`, by which the smaller root of `e^x = (M - 1) x` is `x = M^(omega_0 - 1)`. 004, Eq. (50).
pub fn omega_0(vocabulary: f64) -> Option<f64> {
    let level = (vocabulary - 1.0).ln();
    // x - ln x falls up to x = 1.
    let found = root(0.5 / vocabulary, 1.0, |x| x - x.ln() - level)?;
    Some(1.0 + found.ln() / vocabulary.ln())
}

/// The larger root of `e^x = (M - 1) x`, from which on the exponential rules Eq. (45).
fn larger_root(vocabulary: f64) -> Option<f64> {
    let level = (vocabulary - 1.0).ln();
    root(1.0, 4.0 + 2.0 * vocabulary.ln(), |x| level - (x - x.ln()))
}

/// The lead at which `gamma` is largest: `M - 1 + e^x = x e^x`.
pub fn peak_lead(vocabulary: f64) -> Option<f64> {
    let level = (vocabulary - 1.0).ln();
    root(1.0 + 1e-12, 4.0 + vocabulary.ln(), |x| level - x - (x - 1.0).ln())
}

/// Where a function that is positive at `low` and negative at `high` changes its sign.
fn root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    let after = f(high);
    if !(f(low) > 0.0 && after < 0.0) {
        return None;
    }
    match bracketed_root(low, high, after, |x| Ok::<f64, std::convert::Infallible>(f(x))) {
        Ok(found) => Some(found),
    }
}

/// The law of 004, Theorem 4: one query, one common token, and attention vectors whose lengths hardly change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Snap {
    classes: f64,
    vocabulary: f64,
    eta_y: f64,
    eta_z: f64,
    c0: f64,
}

impl Snap {
    /// The law for `K` classes over `M` tokens with rates `eta_Y`, `eta_Z` and the constant `C_0`.
    pub fn new(
        (classes, vocabulary): (usize, usize),
        (eta_y, eta_z): (f64, f64),
        c0: f64,
    ) -> Result<Self, Error> {
        Error::ensure_counts(classes, "K")?;
        Error::ensure(vocabulary >= 2, "M", vocabulary, "at least 2")?;
        Ok(Self {
            classes: classes as f64,
            vocabulary: vocabulary as f64,
            eta_y: Error::ensure_positive(eta_y, "eta_Y")?,
            eta_z: Error::ensure_positive(eta_z, "eta_Z")?,
            c0: Error::ensure_positive(c0, "C0")?,
        })
    }

    /// `M h(t/K)`.
    pub fn lead(&self, time: f64) -> f64 {
        lead(self.vocabulary, self.eta_y * time / self.classes)
    }

    pub fn time_to_lead(&self, x: f64) -> f64 {
        steps_to(self.vocabulary, x) * self.classes / self.eta_y
    }

    pub fn gamma(&self, time: f64) -> f64 {
        gamma_at(self.vocabulary, self.lead(time))
    }

    /// `Gamma(t)`, the integral of `eta_Z gamma`. 004, Eq. (128).
    pub fn total(&self, time: f64) -> f64 {
        let h = self.lead(time) / self.vocabulary;
        0.5 * self.eta_z / self.eta_y * self.classes * ((self.vocabulary - 1.0) * h).powi(2)
    }

    /// `B_n(t) = 1/4 ln(1 + 4 Gamma/C_0)`. 004, Eqs. (124) and (129), whose print leaves out the lower limit of the
    /// integral: it is this plus `1/4 ln C_0`, and not zero at the start.
    pub fn growth(&self, time: f64) -> f64 {
        0.25 * (4.0 * self.total(time) / self.c0).ln_1p()
    }

    /// `eta_Z xi_n` where the logit of the common token is `z`. 004, Eq. (119).
    pub fn pull(&self, z: f64, time: f64) -> f64 {
        self.eta_z * self.gamma(time) * (4.0 * z).exp() / self.c0
    }

    /// `B_n(t)` as Eq. (129) prints it.
    pub fn growth_as_printed(&self, time: f64) -> f64 {
        0.25 * (self.c0 + 4.0 * self.total(time)).ln()
    }

    /// Eq. (14), its branch before `t_0'` (`early`) or after `t_0`, with the `1` that the print lacks in place of `C_0`.
    pub fn branch(&self, time: f64, early: bool) -> f64 {
        let m = self.vocabulary;
        let steps = self.eta_y * time / self.classes;
        let lead = if early { steps } else { (m * steps).ln() };
        let total = 0.5 * self.eta_z / self.eta_y * self.classes * ((m - 1.0) / m * lead).powi(2);
        0.25 * (4.0 * total / self.c0).ln_1p()
    }

    /// `e^(2 B)`, which the growth factor of a dominant token never exceeds. 004, Eq. (12).
    pub fn factor(&self, time: f64) -> f64 {
        (2.0 * self.growth(time)).exp()
    }

    /// `t_0' = K ln M/eta_Y`: attention scans up to here.
    pub fn scanned(&self) -> f64 {
        self.classes * self.vocabulary.ln() / self.eta_y
    }

    /// `t_0 = 2 (1 + omega_1) K ln M/eta_Y`: it has snapped by now.
    pub fn snapped(&self) -> Option<f64> {
        Some(2.0 * (1.0 + omega_1(self.vocabulary)?) * self.scanned())
    }

    /// The time at which `gamma` is largest.
    pub fn peak(&self) -> Option<f64> {
        peak_lead(self.vocabulary).map(|x| self.time_to_lead(x))
    }
}

#[cfg(test)]
#[path = "theory_tests.rs"]
mod tests;
