//! Appendix B.1, line by line: gradients and rates while one head moves.

use super::*;

/// One head of the form `w = alpha e_1 + delta 1`, and the population gradient there.
struct Bench {
    k: f64,
    responses: f64,
    /// `1 + gamma`.
    gain: f64,
    head: Formed,
    /// `E Delta_11`, by enumeration or from the exact loss.
    slope: f64,
    /// Of `beta`, then of `w_1, ..., w_k`.
    gradient: Vec<f64>,
    what: &'static str,
}

const HEAD: Formed = Formed { alpha: 0.7, delta: -0.3, beta: 0.9 };

impl Bench {
    /// Order 3 by enumeration and differences, order 4 by the exact loss.
    fn all() -> Result<[Self; 2], ClaimError> {
        let gamma = 0.4;
        let (listed, samples) = small();
        let theta = formed(3, &[HEAD]);
        let inner = Inner::used(gamma);
        let slope = |listed: &Listed| {
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

type Form = fn(&Bench) -> Vec<f64>;

fn compare(
    e: &mut Evidence,
    label: &str,
    printed: Form,
    right: Option<Form>,
    found: Form,
) -> Outcome {
    for bench in Bench::all()? {
        let found = found(&bench);
        let line = |numbers: Vec<f64>| {
            Measurement::each(format!("{label}, {}", bench.what), &numbers, &found, DIFFERENCES)
        };
        e.printed(line(printed(&bench)));

        if let Some(right) = right {
            e.corrected(line(right(&bench)));
        }
    }
    Ok(())
}

pub(super) fn thm_3_1_c(e: &mut Evidence, _: Trial) -> Outcome {
    compare(e, "alpha', beta'", |bench| bench.law(-bench.gain * bench.slope), None, Bench::rates)
}

pub(super) fn eq_4(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| bench.law(2.0 * bench.drive());
    let right = |bench: &Bench| bench.law(bench.drive());
    compare(e, "alpha', beta'", printed, Some(right), Bench::rates)?;
    Ok(())
}

pub(super) fn line_422(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| bench.law(-2.0 * bench.gain * bench.slope);
    let right = |bench: &Bench| bench.law(-bench.gain * bench.slope);
    compare(e, "alpha', beta'", printed, Some(right), Bench::rates)
}

pub(super) fn eq_5(e: &mut Evidence, _: Trial) -> Outcome {
    let printed =
        |bench: &Bench| vec![2.0 * bench.head.beta * bench.lead() * bench.gain * bench.slope];
    compare(e, "gradient of beta", printed, None, |bench| vec![bench.gradient[0]])
}

/// Eq. (6) for all lags, with `E Delta_1i = -E Delta_11/(k - 1)` of Lemma C.3.
fn by_eq_6(bench: &Bench) -> Vec<f64> {
    let slope = |i: usize| if i == 0 { bench.slope } else { -bench.slope / (bench.k - 1.0) };
    let own = |i: usize| if i == 0 { bench.head.alpha.exp() } else { 1.0 };
    (0..bench.k as usize)
        .map(|i| bench.strength() * own(i) / bench.sum() * (slope(i) - bench.lead() * bench.slope))
        .collect()
}

pub(super) fn eq_6(e: &mut Evidence, _: Trial) -> Outcome {
    compare(e, "gradients of all w_i", by_eq_6, None, |bench| bench.gradient[1..].to_vec())
}

/// `(1 + gamma) beta^2 e^alpha/(e^alpha + k - 1) * factor/(e^alpha + k - 1) E Delta_11`.
fn own_gradient(bench: &Bench, factor: f64) -> f64 {
    let turn = bench.strength() * bench.head.alpha.exp() / bench.sum();
    turn * factor / bench.sum() * bench.slope
}

pub(super) fn line_417(e: &mut Evidence, _: Trial) -> Outcome {
    compare(
        e,
        "gradient of w_1",
        |bench| vec![own_gradient(bench, bench.k - 1.0)],
        Some(|bench| vec![own_gradient(bench, bench.k)]),
        |bench| vec![bench.gradient[1]],
    )
}

pub(super) fn line_419_own(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| {
        let beta = -2.0 * bench.head.beta * bench.lead() * bench.gain * bench.slope;
        vec![-own_gradient(bench, bench.k), beta]
    };
    compare(e, "w_1', beta'", printed, None, |bench| vec![-bench.gradient[1], -bench.gradient[0]])?;
    for bench in Bench::all()? {
        let least = -bench.gradient[1].max(bench.gradient[0]);
        let what = format!("the smaller of the two, {}", bench.what);
        e.at_least(what, 0.0, least);
    }
    Ok(())
}

/// The bracket of line 419 for `i != 1`, with its factor.
fn other_rate(bench: &Bench) -> f64 {
    let bracket = -bench.slope / (bench.k - 1.0) - bench.lead() * bench.slope;
    bench.strength() / bench.sum() * bracket
}

pub(super) fn line_419_others(e: &mut Evidence, _: Trial) -> Outcome {
    compare(
        e,
        "w_2'",
        |bench| vec![other_rate(bench)],
        Some(|bench| vec![-other_rate(bench)]),
        |bench| vec![-bench.gradient[2]],
    )
}

/// The `alpha'` of line 420 without its sign.
fn rate_of_line_420(bench: &Bench) -> f64 {
    let first = bench.k * bench.head.alpha.exp() / bench.sum() * bench.slope;
    let rest = bench.slope / (bench.k - 1.0) + bench.lead() * bench.slope;
    bench.strength() / bench.sum() * (first + rest)
}

pub(super) fn line_420(e: &mut Evidence, _: Trial) -> Outcome {
    compare(
        e,
        "alpha'",
        |bench| vec![rate_of_line_420(bench)],
        Some(|bench| vec![-rate_of_line_420(bench)]),
        |bench| vec![bench.rates()[0]],
    )
}

pub(super) fn line_421(e: &mut Evidence, _: Trial) -> Outcome {
    let printed = |bench: &Bench| {
        let (beta, k, drive) = (bench.head.beta, bench.k, -bench.gain * bench.slope);
        let turn = beta * beta * bench.head.alpha.exp() / bench.sum();
        vec![turn * turn * k * k / (k - 1.0) + drive, 2.0 * beta * bench.lead() + drive]
    };
    compare(
        e,
        "alpha', beta'",
        printed,
        Some(|bench| bench.law(-bench.gain * bench.slope)),
        Bench::rates,
    )
}

pub(super) fn line_424(e: &mut Evidence, _: Trial) -> Outcome {
    compare(
        e,
        "rate of beta^2/4",
        |bench| vec![bench.head.beta * bench.head.beta * bench.lead() * bench.drive()],
        None,
        |bench| vec![-0.5 * bench.head.beta * bench.gradient[0]],
    )
}

pub(super) fn line_415(e: &mut Evidence, _: Trial) {
    let (listed, samples) = small();
    let (mut own, mut other) = (f64::NEG_INFINITY, f64::INFINITY);
    for beta in [0.1, 0.9, 2.0, 4.0] {
        let theta = formed(3, &[Formed { beta, ..HEAD }]);
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
    e.at_most(format!("largest E Delta_11 {how}"), 0.0, own);
    e.at_least(format!("least E Delta_1i {how}"), 0.0, other);
}
