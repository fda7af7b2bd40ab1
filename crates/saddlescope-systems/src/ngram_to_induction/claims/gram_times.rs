//! C.3.1, Part I: how long the 4-gram's head takes to `g*`.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};

use super::tools::{
    FIG_1, GRAMS, GramPoint, Outcome, Setting, evenly, largest, slope, smallest, when,
};

/// The monotone phase in its two halves: until `g = g*/2`, and from there to `g*`.
struct Halves {
    setting: Setting,
    first: Vec<GramPoint>,
    second: Vec<GramPoint>,
}

impl Halves {
    fn new(setting: Setting) -> Result<Self, ClaimError> {
        let end = when(setting.gram()?.t_1g()?)?;
        let path = setting.gram_path(&evenly(0.0, end, 400))?;
        let middle = path.iter().position(|point| point.g > 0.5 * setting.g_star()).unwrap_or(0);
        let (first, second) = path.split_at(middle);
        Ok(Self { setting, first: first.to_vec(), second: second.to_vec() })
    }

    /// `p(T_{1/2}^g)` and `p(T_1^g)`.
    fn slopes(&self) -> [f64; 2] {
        [self.second[0].p, self.second[self.second.len() - 1].p]
    }
}

/// The largest part that `dp/dg` is of a bound, for Fig. 1 and three long sequences.
fn against(
    evidence: Evidence,
    part: fn(&Halves) -> &[GramPoint],
    bounds: [fn(&Setting, &GramPoint) -> f64; 2],
) -> Outcome {
    let mut evidence = evidence;
    for setting in GRAMS {
        let halves = Halves::new(setting)?;
        let [printed, right] = bounds.map(|bound| {
            largest(part(&halves).iter().map(|point| point.dp / point.dg / bound(&setting, point)))
        });
        let what = format!("largest dp/dg over the bound, {}", setting.name());
        evidence = evidence
            .printed(Measurement::at_most(&*what, 1.0, printed))
            .corrected(Measurement::at_most(&*what, 1.0, right));
    }
    Ok(evidence)
}

pub(super) const FIRST_HALF: Claim = Claim::new(
    "ngram-to-induction/dp-dg-first",
    "C.3.1, Part I",
    Kind::Dynamics,
    "While $g < g^*/2$, $dp/dg \\le 2 (e^{-p} - e^{-2p}) g$.",
    |_| {
        let printed = |_: &Setting, point: &GramPoint| {
            let u = (-point.p).exp();
            2.0 * (u - u * u) * point.g
        };
        let right = |_: &Setting, point: &GramPoint| {
            let u = (-point.p).exp();
            2.0 * u / (1.0 - u) * point.g
        };
        against(Evidence::new(), |halves| &halves.first, [printed, right])
    },
)
.corrected("$dp/dg \\le 2 g \\, e^{-p}/(1 - e^{-p})$, after the prefactor of $\\dot g$");

pub(super) const BARELY: Claim = Claim::new(
    "ngram-to-induction/p-barely-increases",
    "C.3.1, Part I",
    Kind::Dynamics,
    "$p(T_{1/2}^g) \\le O(\\sqrt{p(0)})$: $p$ barely increases until $g = g^*/2$.",
    |_| {
        let mut evidence = Evidence::new();
        for alpha in [0.3, 1.0, 3.0] {
            let mut found = Vec::new();
            for sigma in [1e-2, 1e-4] {
                let setting = Setting::new((20.0 / sigma) as usize, alpha, 0.49, sigma);
                found.push(Halves::new(setting)?.slopes()[0]);
            }
            let what = format!(
                "p(T_1/2) at sigma = 1e-4 over that at 0.01, L = 20/sigma, alpha* = {alpha}"
            );
            let setting = Setting { alpha, ..FIG_1 };
            evidence = evidence
                .printed(Measurement::at_most(what, 0.2, found[1] / found[0]))
                .corrected(Measurement::relative(
                    format!("p(T_1/2) beside g*/2, sigma = 1e-4, alpha* = {alpha}"),
                    0.5 * setting.g_star(),
                    found[1],
                    0.06,
                ));
        }
        Ok(evidence
            .note("$dp/dg \\approx g/p$ for small $p$, so that $p \\approx g$ whatever $p(0)$ is."))
    },
)
.corrected("$p(T_{1/2}^g) \\approx g^*/2$ for $L \\gg 1/\\sigma_{init}$: $p$ grows with $g$");

pub(super) const LOWER: Claim = Claim::new(
    "ngram-to-induction/dg-lower",
    "C.3.1, Part I",
    Kind::Dynamics,
    "Until $T_{1/2}^g$, $\\dot g \\ge (g^* - g/(1 + e^{-p(0)}))/(1 - e^{-p(0)})$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in GRAMS {
            let halves = Halves::new(setting)?;
            let u = (-setting.sigma).exp();
            let least =
                |factor: f64| {
                    smallest(halves.first.iter().map(|point| {
                        point.dg / (factor * (setting.g_star() - point.g / (1.0 + u)))
                    }))
                };
            let what = format!("least rate of g over the bound, {}", setting.name());
            evidence = evidence
                .printed(Measurement::at_least(&*what, 1.0, least(1.0 / (1.0 - u))))
                .corrected(Measurement::at_least(&*what, 1.0, least(1.0 - u)));
        }
        Ok(evidence)
    },
)
.corrected("the prefactor is $1 - e^{-p(0)}$");

/// `sigma` with `L = 20/sigma`, and `ln(1/sigma)`.
const SCALES: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];

/// Times of the 4-gram's head for those scales.
fn times(
    alpha: f64,
    of: impl Fn(&Setting) -> Result<f64, ClaimError>,
) -> Result<Vec<f64>, ClaimError> {
    SCALES
        .iter()
        .map(|&sigma| of(&Setting::new((20.0 / sigma) as usize, alpha, 0.49, sigma)))
        .collect()
}

/// The growth of a time per `ln(1/sigma)`, over the three smaller scales.
fn per_logarithm(times: &[f64]) -> f64 {
    let logs: Vec<f64> = SCALES.iter().map(|sigma| -sigma.ln()).collect();
    slope(&logs[1..], &times[1..])
}

pub(super) const HALF_TIME: Claim = Claim::new(
    "ngram-to-induction/t-half-g",
    "C.3.1, Part I",
    Kind::Dynamics,
    "$T_{1/2}^g \\le (1 - e^{-2p(0)}) \\ln((g^* (1 + e^{-p(0)}) - g(0))/(g^* (1/2 + e^{-p(0)}))) = O(2 p(0))$.",
    |_| {
        let mut evidence = Evidence::new();
        for alpha in [1.0, 3.0] {
            let half = |setting: &Setting| Ok(Halves::new(*setting)?.second[0].t);
            let found = times(alpha, half)?;
            let (sigma, g_star) = (SCALES[1], alpha / (1.0 + alpha));
            let u = (-sigma).exp();
            let printed = (1.0 - u * u) * ((g_star * (1.0 + u) - sigma) / (g_star * (0.5 + u))).ln();
            let what = format!("T_1/2, sigma = 0.01, L = 2000, alpha* = {alpha}");
            evidence = evidence
                .printed(Measurement::at_most(what, printed, found[1]))
                .corrected(Measurement::relative(
                    format!("growth of T_1/2 per ln(1/sigma), sigma = 0.01 to 1e-4, alpha* = {alpha}"),
                    1.0 / g_star,
                    per_logarithm(&found),
                    0.03,
                ));
        }
        Ok(evidence)
    },
)
.corrected("$T_{1/2}^g$ grows like $\\ln(1/\\sigma_{init})/g^*$");

pub(super) const SECOND_HALF: Claim = Claim::new(
    "ngram-to-induction/dp-dg-second",
    "C.3.1, Part I",
    Kind::Dynamics,
    "From $T_{1/2}^g$ to $T_1^g$, $dp/dg \\le 1.01 e^{-p} (1 - e^{-p}) g (1 + (g/(1 + e^{-p}) - g/(1 + \
     e^{-p})^2)/(g^* - g/(1 + e^{-p})))$.",
    |_| {
        fn bracket(setting: &Setting, point: &GramPoint) -> f64 {
            let u = (-point.p).exp();
            let first = point.g / (1.0 + u);
            let rise = (first - first / (1.0 + u)) / (setting.g_star() - first);
            1.01 * u * point.g * (1.0 + rise)
        }
        let printed =
            |setting: &Setting, point: &GramPoint| bracket(setting, point) * (1.0 - (-point.p).exp());
        let right =
            |setting: &Setting, point: &GramPoint| bracket(setting, point) / (1.0 - (-point.p).exp());
        against(Evidence::new(), |halves| &halves.second, [printed, right])
    },
)
.corrected("$e^{-p}/(1 - e^{-p})$ in place of $e^{-p} (1 - e^{-p})$");

pub(super) const P_1: Claim = Claim::new(
    "ngram-to-induction/p-1",
    "C.3.1, Part I",
    Kind::Dynamics,
    "$p_1 - p(0) \\le (1.01/4) g^{*2} (1 + e^{p_1})$ for $p_1 = p(T_1^g)$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in &GRAMS[1..] {
            let p_1 = Halves::new(*setting)?.slopes()[1];
            let printed = 1.01 / 4.0 * setting.g_star().powi(2) * (1.0 + p_1.exp());
            evidence = evidence
                .printed(Measurement::at_most(
                    format!("p_1 - p(0), {}", setting.name()),
                    printed,
                    p_1 - setting.sigma,
                ))
                .corrected(Measurement::relative(
                    format!("p_1 beside g*, {}", setting.name()),
                    setting.g_star(),
                    p_1,
                    0.1,
                ));
        }
        Ok(evidence)
    },
)
.corrected("$p_1 \\approx g^*$ to ten per cent, for $L \\gg 1/\\sigma_{init}$");

pub(super) const P_1_BOUND: Claim = Claim::new(
    "ngram-to-induction/p-1-bound",
    "C.3.1, Part I",
    Kind::Dynamics,
    "$p_1 \\le 1/(2 g^{*2} - 1)$, where $\\alpha^* > 1$ is taken.",
    |_| {
        let mut evidence = Evidence::new();
        for alpha in [1.5, 2.0, 2.6, 4.0] {
            let setting = Setting::new(2000, alpha, 0.49, 0.01);
            let bound = 1.0 / (2.0 * setting.g_star().powi(2) - 1.0);
            let p_1 = Halves::new(setting)?.slopes()[1];
            let what = format!("p_1, L = 2000, sigma = 0.01, alpha* = {alpha}");
            evidence = evidence.printed(Measurement::at_most(&*what, bound, p_1));
            if alpha > 1.0 + 2.0_f64.sqrt() {
                evidence = evidence.corrected(Measurement::at_most(what, bound, p_1));
            }
        }
        Ok(evidence.note("Fig. 1 has $\\alpha^* = 1$, where the bound is $-2$ and $p_1 = 0.52$."))
    },
)
.corrected("for $\\alpha^* > 1 + \\sqrt{2}$ only: below, the bound is negative");

pub(super) const DP_BOUNDS: Claim = Claim::new(
    "ngram-to-induction/dp-bounds",
    "C.3.1, Part I",
    Kind::Dynamics,
    "From $T_{1/2}^g$ to $T_1^g$, $\\frac{1}{2} e^{-p} g^* (g^* - g^*/(1 + e^{-p_1})) \\le \\dot p \\le 2 \
     e^{-p} g^* (g^* - g^*/8)$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in GRAMS {
            let halves = Halves::new(setting)?;
            let (g, p_1) = (setting.g_star(), halves.slopes()[1]);
            let least = 0.5 * g * (g - g / (1.0 + (-p_1).exp()));
            let parts = || halves.second.iter().map(|point| point.dp / (-point.p).exp());
            let name = setting.name();
            evidence = evidence
                .printed(Measurement::at_most(
                    format!("largest rate of p over the upper bound, {name}"),
                    1.0,
                    largest(parts()) / (2.0 * g * (g - g / 8.0)),
                ))
                .printed(Measurement::at_least(
                    format!("least rate of p over the lower bound, {name}"),
                    1.0,
                    smallest(parts()) / least,
                ));
        }
        Ok(evidence)
    },
);

pub(super) const SECOND_TIME: Claim = Claim::new(
    "ngram-to-induction/t-1g-second-part",
    "C.3.1, before Eq. (8)",
    Kind::Dynamics,
    "$T_1^g - T_{1/2}^g \\le O((e^{2 p_1} - 1)/g^{*2})$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in GRAMS {
            let halves = Halves::new(setting)?;
            let last = halves.second[halves.second.len() - 1].t;
            let scale = ((2.0 * halves.slopes()[1]).exp() - 1.0) / halves.setting.g_star().powi(2);
            let what = format!("the time over that, {}", setting.name());
            let found = (last - halves.second[0].t) / scale;
            evidence = evidence.printed(Measurement::at_most(what, 1.0, found));
        }
        Ok(evidence)
    },
);

pub(super) const EQ_8: Claim = Claim::new(
    "ngram-to-induction/eq-8",
    "Eq. (8)",
    Kind::Dynamics,
    "$T_1^g \\le O(\\sigma_{init} + (e^{2 p_1} - 1)/g^{*2}) = O(1)$: it does not grow as $\\sigma_{init} \\to 0$.",
    |_| {
        let mut evidence = Evidence::new();
        for alpha in [1.0, 3.0] {
            let found = times(alpha, |setting| when(setting.gram()?.t_1g()?))?;
            let what = format!("T_1^g at sigma = 1e-4 over that at 0.01, L = 20/sigma, alpha* = {alpha}");
            evidence = evidence.printed(Measurement::at_most(what, 1.05, found[3] / found[1])).corrected(
                Measurement::relative(
                    format!("growth of T_1^g per ln(1/sigma), sigma = 0.01 to 1e-4, alpha* = {alpha}"),
                    (1.0 + alpha) / alpha,
                    per_logarithm(&found),
                    0.03,
                ),
            );
            if alpha == 1.0 {
                // Values of an independent implementation.
                for ((sigma, known), found) in SCALES.iter().zip([5.38, 10.28, 14.91, 19.52]).zip(found) {
                    let what = format!("T_1^g at sigma = {sigma}, L = 20/sigma, alpha* = 1");
                    evidence = evidence.corrected(Measurement::absolute(what, known, found, 0.03));
                }
            }
        }
        let short = Setting { sigma: 1e-4, ..FIG_1 };
        Ok(evidence.note(format!(
            "At $L = 40$ it saturates, at {:.2} for $\\sigma_{{init}} = 10^{{-4}}$, once $\\sigma_{{init}} \\ll \
             1/L$.",
            when(short.gram()?.t_1g()?)?
        )))
    },
)
.corrected("$T_1^g$ grows like $\\ln(1/\\sigma_{init})/g^*$ for $L \\gg 1/\\sigma_{init}$");
