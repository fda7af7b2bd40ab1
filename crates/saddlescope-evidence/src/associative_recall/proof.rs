//! Appendix B.1, line by line: gradients and rates while one head moves.

use super::*;

/// One head of the form `w = alpha e_1 + delta 1`, and the population gradient there.
struct Case {
    k: f64,
    responses: f64,
    /// `1 + gamma`.
    gain: f64,
    head: LagHead,
    /// `E Delta_11`, by enumeration or from the exact loss.
    slope: f64,
    /// Of `beta`, then of `w_1, ..., w_k`.
    gradient: Vec<f64>,
    what: &'static str,
}

const HEAD: LagHead = LagHead { alpha: 0.7, delta: -0.3, beta: 0.9 };

impl Case {
    /// Order 3 by enumeration and differences, order 4 by the exact loss.
    fn all() -> Outcome<[Self; 2]> {
        let gamma = 0.4;
        let (listed, inner, theta) = (&SMALL, Inner::used(gamma), formed(3, &[HEAD]));
        let by_listing = Self {
            k: 3.0,
            responses: 2.0,
            gain: 1.0 + gamma,
            head: HEAD,
            slope: listed.mean_delta(&theta, inner, 1, 1),
            gradient: listed.gradient(&theta, inner),
            what: "differences of the literal loss, k = 3, R = 2, gamma = 0.4",
        };
        let (model, theta) = (exact(4, 4, 1)?, formed(4, &[HEAD]));
        let by_model = Self {
            k: 4.0,
            responses: 4.0,
            gain: 1.0,
            head: HEAD,
            slope: model.score_slopes(&theta)[0],
            gradient: model.slopes(&theta)?,
            what: "the exact loss, k = 4, R = 4, gamma = 0",
        };
        Ok([by_listing, by_model])
    }

    /// `e^alpha + k - 1`.
    fn sum(&self) -> f64 {
        self.head.alpha.exp() + self.k - 1.0
    }

    /// `(e^alpha - 1)/(e^alpha + k - 1)`.
    fn lead(&self) -> f64 {
        lead(self.k as usize, self.head.alpha)
    }

    /// `(1 + gamma) beta^2`.
    fn strength(&self) -> f64 {
        self.gain * self.head.beta * self.head.beta
    }

    /// `Xi` of Eq. (4) without its factor 2.
    fn drive(&self) -> f64 {
        let raised = (self.strength() * self.lead()).exp();
        let below = (raised + self.k - 1.0).powi(2) * factorial(self.k as usize - 2);
        self.gain * raised * (self.responses - 1.0) / (below * self.responses)
    }

    /// `alpha'` and `beta'` of Theorem 3.1(c) with that `Xi`.
    fn law(&self, drive: f64) -> Vec<f64> {
        let beta = self.head.beta;
        let turn = beta * beta * self.head.alpha.exp() / self.sum().powi(2);
        vec![turn * self.k * self.k / (self.k - 1.0) * drive, 2.0 * beta * self.lead() * drive]
    }

    /// `alpha'` and `beta'` of the flow.
    fn rates(&self) -> Vec<f64> {
        vec![self.gradient[2] - self.gradient[1], -self.gradient[0]]
    }
}

const RATES: &str = "alpha', beta'";

pub(super) fn thm_3_1_c(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let printed = case.law(-case.gain * case.slope);
        e.case(case.what).of(RATES).each(&printed, &case.rates(), DIFFERENCES);
    }
    Ok(())
}

pub(super) fn eq_4(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let forms = [2.0, 1.0].map(|factor| case.law(factor * case.drive()));
        e.case(case.what).both(RATES).each(forms.each_ref(), &case.rates(), DIFFERENCES);
    }
    Ok(())
}

pub(super) fn line_422(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let forms = [2.0, 1.0].map(|factor| case.law(-factor * case.gain * case.slope));
        e.case(case.what).both(RATES).each(forms.each_ref(), &case.rates(), DIFFERENCES);
    }
    Ok(())
}

pub(super) fn eq_5(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let printed = 2.0 * case.head.beta * case.lead() * case.gain * case.slope;
        e.case(case.what).of("gradient of beta").abs(printed, case.gradient[0], DIFFERENCES);
    }
    Ok(())
}

pub(super) fn eq_6(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        // E Delta_1i = -E Delta_11/(k - 1), by Lemma C.3.
        let slope = |i: usize| if i == 0 { case.slope } else { -case.slope / (case.k - 1.0) };
        let own = |i: usize| if i == 0 { case.head.alpha.exp() } else { 1.0 };
        let printed = |i: usize| {
            case.strength() * own(i) / case.sum() * (slope(i) - case.lead() * case.slope)
        };
        let pairs = (0..case.k as usize).map(|i| (printed(i), case.gradient[1 + i]));
        e.case(case.what).of("gradients of all w_i").pairs(pairs, DIFFERENCES);
    }
    Ok(())
}

/// `(1 + gamma) beta^2 e^alpha/(e^alpha + k - 1) * factor/(e^alpha + k - 1) E Delta_11`.
fn own_gradient(case: &Case, factor: f64) -> f64 {
    let turn = case.strength() * case.head.alpha.exp() / case.sum();
    turn * factor / case.sum() * case.slope
}

pub(super) fn line_417(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let forms = [case.k - 1.0, case.k].map(|factor| own_gradient(&case, factor));
        e.case(case.what).both("gradient of w_1").abs(forms, case.gradient[1], DIFFERENCES);
    }
    Ok(())
}

pub(super) fn line_419_own(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let beta = -2.0 * case.head.beta * case.lead() * case.gain * case.slope;
        let printed = [-own_gradient(&case, case.k), beta];
        let found = [-case.gradient[1], -case.gradient[0]];
        e.case(case.what).of("w_1', beta'").each(&printed, &found, DIFFERENCES);
    }
    for case in Case::all()? {
        let least = -case.gradient[1].max(case.gradient[0]);
        e.case(case.what).of("the smaller of the two").at_least(0.0, least);
    }
    Ok(())
}

pub(super) fn line_419_others(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        // The bracket for i != 1, with its factor.
        let bracket = -case.slope / (case.k - 1.0) - case.lead() * case.slope;
        let rate = case.strength() / case.sum() * bracket;
        e.case(case.what).both("w_2'").abs([rate, -rate], -case.gradient[2], DIFFERENCES);
    }
    Ok(())
}

pub(super) fn line_420(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let first = case.k * case.head.alpha.exp() / case.sum() * case.slope;
        let rest = case.slope / (case.k - 1.0) + case.lead() * case.slope;
        let rate = case.strength() / case.sum() * (first + rest);
        e.case(case.what).both("alpha'").abs([rate, -rate], case.rates()[0], DIFFERENCES);
    }
    Ok(())
}

pub(super) fn line_421(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let (beta, k, drive) = (case.head.beta, case.k, -case.gain * case.slope);
        let turn = beta * beta * case.head.alpha.exp() / case.sum();
        let printed =
            vec![turn * turn * k * k / (k - 1.0) + drive, 2.0 * beta * case.lead() + drive];
        let forms = [&printed, &case.law(drive)];
        e.case(case.what).both(RATES).each(forms, &case.rates(), DIFFERENCES);
    }
    Ok(())
}

pub(super) fn line_424(e: &mut Evidence, _: Trial) -> Outcome {
    for case in Case::all()? {
        let printed = case.head.beta * case.head.beta * case.lead() * case.drive();
        let found = -0.5 * case.head.beta * case.gradient[0];
        e.case(case.what).of("rate of beta^2/4").abs(printed, found, DIFFERENCES);
    }
    Ok(())
}

pub(super) fn line_415(e: &mut Evidence, _: Trial) {
    let (mut own, mut other) = (f64::NEG_INFINITY, f64::INFINITY);
    for beta in [0.1, 0.9, 2.0, 4.0] {
        let theta = formed(3, &[LagHead { beta, ..HEAD }]);
        let mean = |lag: usize| SMALL.mean_delta(&theta, PLAIN, 1, lag);
        own = own.max(mean(1));
        other = other.min(mean(2)).min(mean(3));
    }
    let how = "over every map and query at four strengths, k = 3, R = 2";
    e.of(format!("largest E Delta_11 {how}")).at_most(0.0, own);
    e.of(format!("least E Delta_1i {how}")).at_least(0.0, other);
}
