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
        let (listed, samples) = small();
        let theta = formed(3, &[HEAD]);
        let inner = Inner::used(gamma);
        let slope = |listed: &ListedTask| {
            listed.mean(&samples, |sample| {
                let shares = listed.forward(sample, &theta, inner).shares;
                listed.delta(sample, &shares, 1, 1)
            })
        };
        let listed_bench = Self {
            k: 3.0,
            responses: 2.0,
            gain: 1.0 + gamma,
            head: HEAD,
            slope: slope(&listed),
            gradient: literal_gradient(&listed, &samples, &theta, inner),
            what: "differences of the literal loss, k = 3, R = 2, gamma = 0.4",
        };
        let landscape = Population::new(Shape::new(Task::new(4, 4)?, 1, 1.0)?)?;
        let theta = formed(4, &[HEAD]);
        let exact = Self {
            k: 4.0,
            responses: 4.0,
            gain: 1.0,
            head: HEAD,
            slope: landscape.score_slopes(&theta)[0],
            gradient: evaluated(&landscape, &theta)?.1,
            what: "the exact loss, k = 4, R = 4, gamma = 0",
        };
        Ok([listed_bench, exact])
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

type Form = fn(&Case) -> Vec<f64>;

fn compare(
    e: &mut Evidence,
    label: &str,
    printed: Form,
    right: Option<Form>,
    found: Form,
) -> Outcome {
    for case in Case::all()? {
        let (found, what) = (found(&case), format!("{label}, {}", case.what));
        e.of(&what).each(&printed(&case), &found, DIFFERENCES);
        if let Some(right) = right {
            e.but(what).each(&right(&case), &found, DIFFERENCES);
        }
    }
    Ok(())
}

pub(super) fn thm_3_1_c(e: &mut Evidence, _: Trial) -> Outcome {
    compare(e, "alpha', beta'", |case| case.law(-case.gain * case.slope), None, Case::rates)
}

pub(super) fn eq_4(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |case: &Case| case.law(2.0 * case.drive());
    let right = |case: &Case| case.law(case.drive());
    compare(e, "alpha', beta'", printed, Some(right), Case::rates)
}

pub(super) fn line_422(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |case: &Case| case.law(-2.0 * case.gain * case.slope);
    let right = |case: &Case| case.law(-case.gain * case.slope);
    compare(e, "alpha', beta'", printed, Some(right), Case::rates)
}

pub(super) fn eq_5(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |case: &Case| vec![2.0 * case.head.beta * case.lead() * case.gain * case.slope];
    compare(e, "gradient of beta", printed, None, |case| vec![case.gradient[0]])
}

/// Eq. (6) for all lags, with `E Delta_1i = -E Delta_11/(k - 1)` of Lemma C.3.
fn by_eq_6(case: &Case) -> Vec<f64> {
    let slope = |i: usize| if i == 0 { case.slope } else { -case.slope / (case.k - 1.0) };
    let own = |i: usize| if i == 0 { case.head.alpha.exp() } else { 1.0 };
    (0..case.k as usize)
        .map(|i| case.strength() * own(i) / case.sum() * (slope(i) - case.lead() * case.slope))
        .collect()
}

pub(super) fn eq_6(e: &mut Evidence, _: Trial) -> Outcome {
    compare(e, "gradients of all w_i", by_eq_6, None, |case| case.gradient[1..].to_vec())
}

/// `(1 + gamma) beta^2 e^alpha/(e^alpha + k - 1) * factor/(e^alpha + k - 1) E Delta_11`.
fn own_gradient(case: &Case, factor: f64) -> f64 {
    let turn = case.strength() * case.head.alpha.exp() / case.sum();
    turn * factor / case.sum() * case.slope
}

pub(super) fn line_417(e: &mut Evidence, _: Trial) -> Outcome {
    compare(
        e,
        "gradient of w_1",
        |case| vec![own_gradient(case, case.k - 1.0)],
        Some(|case| vec![own_gradient(case, case.k)]),
        |case| vec![case.gradient[1]],
    )
}

pub(super) fn line_419_own(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |case: &Case| {
        let beta = -2.0 * case.head.beta * case.lead() * case.gain * case.slope;
        vec![-own_gradient(case, case.k), beta]
    };
    compare(e, "w_1', beta'", printed, None, |case| vec![-case.gradient[1], -case.gradient[0]])?;
    for case in Case::all()? {
        let least = -case.gradient[1].max(case.gradient[0]);
        e.of(format!("the smaller of the two, {}", case.what)).at_least(0.0, least);
    }
    Ok(())
}

/// The bracket of line 419 for `i != 1`, with its factor.
fn other_rate(case: &Case) -> f64 {
    let bracket = -case.slope / (case.k - 1.0) - case.lead() * case.slope;
    case.strength() / case.sum() * bracket
}

pub(super) fn line_419_others(e: &mut Evidence, _: Trial) -> Outcome {
    compare(
        e,
        "w_2'",
        |case| vec![other_rate(case)],
        Some(|case| vec![-other_rate(case)]),
        |case| vec![-case.gradient[2]],
    )
}

/// The `alpha'` of line 420 without its sign.
fn rate_of_line_420(case: &Case) -> f64 {
    let first = case.k * case.head.alpha.exp() / case.sum() * case.slope;
    let rest = case.slope / (case.k - 1.0) + case.lead() * case.slope;
    case.strength() / case.sum() * (first + rest)
}

pub(super) fn line_420(e: &mut Evidence, _: Trial) -> Outcome {
    compare(
        e,
        "alpha'",
        |case| vec![rate_of_line_420(case)],
        Some(|case| vec![-rate_of_line_420(case)]),
        |case| vec![case.rates()[0]],
    )
}

pub(super) fn line_421(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |case: &Case| {
        let (beta, k, drive) = (case.head.beta, case.k, -case.gain * case.slope);
        let turn = beta * beta * case.head.alpha.exp() / case.sum();
        vec![turn * turn * k * k / (k - 1.0) + drive, 2.0 * beta * case.lead() + drive]
    };
    compare(
        e,
        "alpha', beta'",
        printed,
        Some(|case| case.law(-case.gain * case.slope)),
        Case::rates,
    )
}

pub(super) fn line_424(e: &mut Evidence, _: Trial) -> Outcome {
    compare(
        e,
        "rate of beta^2/4",
        |case| vec![case.head.beta * case.head.beta * case.lead() * case.drive()],
        None,
        |case| vec![-0.5 * case.head.beta * case.gradient[0]],
    )
}

pub(super) fn line_415(e: &mut Evidence, _: Trial) {
    let (listed, samples) = small();
    let (mut own, mut other) = (f64::NEG_INFINITY, f64::INFINITY);
    for beta in [0.1, 0.9, 2.0, 4.0] {
        let theta = formed(3, &[LagHead { beta, ..HEAD }]);
        let mean = |lag: usize| {
            listed.mean(&samples, |sample| {
                let shares = listed.forward(sample, &theta, Inner::used(0.0)).shares;
                listed.delta(sample, &shares, 1, lag)
            })
        };
        own = own.max(mean(1));
        other = other.min(mean(2)).min(mean(3));
    }
    let how = "over every map and query at four strengths, k = 3, R = 2";
    e.of(format!("largest E Delta_11 {how}")).at_most(0.0, own);
    e.of(format!("least E Delta_1i {how}")).at_least(0.0, other);
}
