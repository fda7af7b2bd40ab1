//! C.2 (Functions II and III), C.3 and C.3.1: the 4-gram's loss and its flow.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::literal::{Literal, Weights, gradient, over_normal, over_signs, slope_in};
use super::tools::{
    DIFFERENCES, GRAMS, ROUNDING, Setting, big_m, evenly, random, root, small_m, smallest, stream,
    when,
};

/// Lengths and slopes at which the closed forms are compared with sums.
const POINTS: [(usize, f64); 5] = [(6, 0.3), (40, 0.05), (40, 1.2), (200, 0.02), (200, 3.0)];

/// `1 - (L-2) e^{-p(L-3)} + (L-3) e^{-p(L-2)}`.
fn bracket(length: usize, p: f64) -> f64 {
    let l = length as f64;
    1.0 - (l - 2.0) * (-p * (l - 3.0)).exp() + (l - 3.0) * (-p * (l - 2.0)).exp()
}

/// `1 - e^{-p(L-2)}`.
fn gap(length: usize, p: f64) -> f64 {
    1.0 - (-p * (length as f64 - 2.0)).exp()
}

/// A closed form beside a sum, at all points.
fn beside(
    what: &str,
    closed: impl Fn(usize, f64) -> f64,
    sum: impl Fn(usize, f64) -> f64,
) -> Measurement {
    let off = |(length, p): (usize, f64)| (closed(length, p) / sum(length - 2, p) - 1.0).abs();
    let worst = POINTS.into_iter().max_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(POINTS[0]);
    let (length, p) = worst;
    let what = format!("{what}; of five points the worst: L = {length}, p = {p}");
    Measurement::relative(what, closed(length, p), sum(length - 2, p), 1e-11)
}

pub(super) const BIG_M: Claim = Claim::new(
    "ngram-to-induction/m-total",
    "C.2, Function II",
    Kind::Equation,
    "$M(p) = \\sum_{s=2}^{L-1} e^{-p(L-1-s)} = (1 - e^{-p(L-2)})/(1 - e^{-p})$.",
    |_| {
        let closed = |length, p: f64| gap(length, p) / (1.0 - (-p).exp());
        Ok(Evidence::new()
            .printed(beside("term by term", closed, big_m))
            .note("At $p \\to 0$ the closed form is 0/0; the sum is not."))
    },
);

pub(super) const SMALL_M: Claim = Claim::new(
    "ngram-to-induction/m-first",
    "C.2, Function II",
    Kind::Equation,
    "$m(p) = \\sum_s s e^{-ps} = (e^{-p} - (L - 2) e^{-p(L-2)} + (L - 3) e^{-p(L-1)})/(1 - e^{-p})^2$.",
    |_| {
        let closed = |length, p: f64| (-p).exp() * bracket(length, p) / (1.0 - (-p).exp()).powi(2);
        Ok(Evidence::new().printed(beside("term by term", closed, small_m)))
    },
);

pub(super) const M_SLOPE: Claim = Claim::new(
    "ngram-to-induction/m-slope",
    "C.2, Function II",
    Kind::Equation,
    "$m(p)$ is the derivative of $M(p)$.",
    |_| {
        let found = slope_in(&|p: &[f64]| big_m(8, p[0]), &[0.4], 0);
        // The seventh derivative leaves h^6 sum k^7 u^k/140, about 1e-8 of m here.
        let (what, m) = ("differences of M, L = 10, p = 0.4", small_m(8, 0.4));
        Ok(Evidence::new()
            .printed(Measurement::relative(what, m, found, 1e-7))
            .corrected(Measurement::relative(what, -m, found, 1e-7)))
    },
)
.corrected("$m(p) = -M'(p)$");

pub(super) const FUNCTION_3: Claim = Claim::new(
    "ngram-to-induction/function-3",
    "C.2, Function III",
    Kind::Equation,
    "The weight $e^{-ps}/M(p)$ has the slope $(-s e^{-ps} M(p) + e^{-ps} m(p))/M(p)^2$.",
    |_| {
        let (n, p) = (10, 0.4);
        let (total, first) = (big_m(n, p), small_m(n, p));
        let (mut printed, mut found) = (Vec::new(), Vec::new());
        for s in 0..n {
            let power = |p: f64| (-p * s as f64).exp();
            printed.push(power(p) * (first - s as f64 * total) / (total * total));
            found.push(slope_in(&|p: &[f64]| power(p[0]) / big_m(n, p[0]), &[p], 0));
        }
        let what = "differences, all s, L = 12, p = 0.4";
        Ok(Evidence::new().printed(Measurement::each(what, &printed, &found, 1e-9)))
    },
);

/// The literal `L_G4` after Stage I over Gaussian tokens, L = 7, `alpha* = 1.5`.
fn literal_loss(p: f64, g: f64) -> f64 {
    let literal = Literal::new(1.5, 0.4, Weights::Exponential);
    over_normal(7, |x| [literal.errors(x, &[f64::INFINITY, p, g, 0.3, 0.3, 0.2])[0]])[0]
}

const SMALL: Setting = Setting::new(7, 1.5, 0.4, 0.01);

pub(super) const SQUARE: Claim = Claim::new(
    "ngram-to-induction/gram-square",
    "C.3, $L_{G_4}$",
    Kind::Equation,
    "$L_{G_4} = \\frac{1}{2} E[g^* x_{L-2} - g \\sum_s x_{s-1} \\pi_s]$.",
    |_| {
        let literal = Literal::new(1.5, 0.4, Weights::Exponential);
        let theta = [f64::INFINITY, 0.5, 0.4, 0.3, 0.3, 0.2];
        let error = |x: &[f64]| literal.target(x)[0] - literal.output(x, &theta)[0];
        let [plain, square] = over_normal(7, |x| [0.5 * error(x), 0.5 * error(x).powi(2)]);
        let what = "that mean over Gaussian tokens beside (7), L = 7";
        let wanted = SMALL.eq_7(0.5, 0.4);
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, wanted, plain, ROUNDING))
            .corrected(Measurement::absolute(what, wanted, square, ROUNDING)))
    },
)
.corrected("the bracket is squared; without the square the mean is 0");

pub(super) const EQ_7: Claim = Claim::new(
    "ngram-to-induction/eq-7",
    "Eq. (7)",
    Kind::Equation,
    "$L_{G_4} = \\frac{1}{2} g^{*2} + \\frac{1}{2} g^2 M(2p)/M(p)^2 - g^* g/M(p)$.",
    |trial| {
        let mut evidence = Evidence::new();
        let numbers = random(4, 1.0, &mut stream(trial, 0));
        for pair in numbers.chunks_exact(2) {
            let (p, g) = (0.6 + 0.4 * pair[0].tanh(), 0.5 + 0.3 * pair[1].tanh());
            let what =
                format!("the model written out, Gaussian tokens, L = 7, p = {p:.3}, g = {g:.3}");
            let (printed, found) = (SMALL.eq_7(p, g), literal_loss(p, g));
            evidence = evidence.printed(Measurement::relative(what, printed, found, ROUNDING));
        }
        let literal = Literal::new(1.0, 0.49, Weights::Softmax);
        let theta = [f64::INFINITY, 0.7, 0.4, 0.3, 0.3, 0.2];
        let [found] = over_signs(10, |x| [literal.errors(x, &theta)[0]]);
        let printed = Setting::new(10, 1.0, 0.49, 0.01).eq_7(0.7, 0.4);
        let what = "the same over all boolean sequences of L = 10: the loss is that of any tokens of variance 1";
        Ok(evidence.printed(Measurement::relative(what, printed, found, ROUNDING)))
    },
);

pub(super) const FLOW: Claim = Claim::new(
    "ngram-to-induction/gram-flow",
    "C.3.1, after Eq. (7)",
    Kind::Equation,
    "$\\dot p = (m(p) g/M(p)^2) (g^* - g M(2p)/M(p) + g m(2p)/m(p))$ and $\\dot g = (1/M(p)) (g^* - g M(2p)/M(p))$.",
    |trial| {
        let numbers = random(2, 1.0, &mut stream(trial, 0));
        let at = [0.6 + 0.4 * numbers[0].tanh(), 0.5 + 0.3 * numbers[1].tanh()];
        let found: Vec<f64> =
            gradient(|at| literal_loss(at[0], at[1]), &at).iter().map(|slope| -slope).collect();
        let what = "differences of the loss of the model written out, Gaussian tokens, L = 7";
        let printed = SMALL.gram_rate(at[0], at[1]);
        Ok(Evidence::new().printed(Measurement::each(what, &printed, &found, DIFFERENCES)))
    },
);

pub(super) const DECOUPLED: Claim = Claim::new(
    "ngram-to-induction/decoupled",
    "C.3: \"the dynamics of (p, g) and (w, h) are decoupled\"",
    Kind::Equation,
    "In Stage II the rates of $(p, g)$ do not depend on $(w, h)$, nor the other way round.",
    |trial| {
        let literal = Literal::new(1.0, 0.8, Weights::Softmax);
        let numbers = random(8, 0.3, &mut stream(trial, 0));
        let loss = |at: &[f64]| {
            let theta = [f64::INFINITY, at[0], at[1], at[2], at[2], at[3]];
            over_signs(6, |x| [literal.errors(x, &theta).iter().sum()])[0]
        };
        let at = |i: usize, j: usize| {
            let gram = &numbers[2 * i..2 * i + 2];
            let head = &numbers[4 + 2 * j..6 + 2 * j];
            gradient(loss, &[0.5 + gram[0], gram[1], 0.5 + head[0], head[1]])
        };
        let (same, other, moved) = (at(0, 0), at(0, 1), at(1, 0));
        let what = "slopes in p and g of the whole loss at two (w, h), boolean L = 6, softmax";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &same[..2], &other[..2], DIFFERENCES))
            .printed(Measurement::each(
                "slopes in w and h at two (p, g)",
                &same[2..],
                &moved[2..],
                DIFFERENCES,
            )))
    },
);

pub(super) const STARTS: Claim = Claim::new(
    "ngram-to-induction/gram-start",
    "C.3.1",
    Kind::Dynamics,
    "At the start $\\dot p > 0$ and $\\dot g > 0$, and both keep growing until $T_1^g$.",
    |_| {
        let mut evidence = Evidence::new();
        for setting in GRAMS {
            let end = when(setting.gram()?.t_1g()?)?;
            let path = setting.gram_path(&evenly(0.0, 0.999 * end, 100))?;
            let least = smallest(path.iter().map(|point| point.dp.min(point.dg)));
            let what = format!("least of the two rates until T_1^g, {}", setting.name());
            evidence = evidence.printed(Measurement::at_least(what, 1e-6, least));
        }
        Ok(evidence)
    },
);

pub(super) const RATIO_TOTAL: Claim = Claim::new(
    "ngram-to-induction/ratio-m-total",
    "C.3.1, Part I",
    Kind::Equation,
    "$M(2p)/M(p) = (1 + e^{-p(L-2)})/(1 + e^{-p})$.",
    |_| {
        let closed = |length, p: f64| (2.0 - gap(length, p)) / (1.0 + (-p).exp());
        let sum = |n, p| big_m(n, 2.0 * p) / big_m(n, p);
        Ok(Evidence::new().printed(beside("term by term", closed, sum)))
    },
);

pub(super) const RATIO_FIRST: Claim = Claim::new(
    "ngram-to-induction/ratio-m-first",
    "C.3.1, Part I",
    Kind::Equation,
    "$m(2p)/m(p) = e^{-p} (1 - (L - 2) e^{-2p(L-3)} + (L - 3) e^{-2p(L-2)})/((1 + e^{-p})^2 (1 - (L - 2) \
     e^{-p(L-3)} + (L - 3) \
     e^{-p(L-2)}))$.",
    |_| {
        let closed = |length, p: f64| {
            let u = (-p).exp();
            u * bracket(length, 2.0 * p) / ((1.0 + u).powi(2) * bracket(length, p))
        };
        let sum = |n, p| small_m(n, 2.0 * p) / small_m(n, p);
        Ok(Evidence::new().printed(beside("term by term", closed, sum)))
    },
);

pub(super) const RATIO_ORDER: Claim = Claim::new(
    "ngram-to-induction/ratio-order",
    "C.3.1, Part II",
    Kind::Equation,
    "$M(2p)/M(p) > m(2p)/m(p)$, which keeps $\\dot p$ from reaching zero while $g$ falls.",
    |_| {
        let mut least = f64::INFINITY;
        for n in [2, 5, 38, 400] {
            for p in [1e-3, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0] {
                let totals = big_m(n, 2.0 * p) / big_m(n, p);
                least = least.min(totals * small_m(n, p) / small_m(n, 2.0 * p));
            }
        }
        let what = "least left side over the right, L = 4 to 402, p = 0.001 to 10";
        Ok(Evidence::new().printed(Measurement::at_least(what, 1.0, least)))
    },
);

pub(super) const M_OVER_SQUARE: Claim = Claim::new(
    "ngram-to-induction/m-over-square",
    "C.3.1, Part I",
    Kind::Equation,
    "$m(p)/M(p)^2 = e^{-p} (1 - (L - 2) e^{-p(L-3)} + (L - 3) e^{-p(L-2)})/(1 - e^{-p(L-2)})$.",
    |_| {
        let sum = |n, p| small_m(n, p) / big_m(n, p).powi(2);
        let closed = |power: i32| {
            move |length, p: f64| (-p).exp() * bracket(length, p) / gap(length, p).powi(power)
        };
        Ok(Evidence::new().printed(beside("term by term", closed(1), sum)).corrected(beside(
            "term by term",
            closed(2),
            sum,
        )))
    },
)
.corrected("the denominator is squared: $(1 - e^{-p(L-2)})^2$");

pub(super) const ONE_OVER: Claim = Claim::new(
    "ngram-to-induction/one-over-m",
    "C.3.1, Part I",
    Kind::Equation,
    "$1/M(p) = (1 - e^{-p(L-2)})/(1 - e^{-p})$, so that $\\dot g$ has the prefactor $1/(1 - e^{-p})$.",
    |_| {
        let sum = |n, p| 1.0 / big_m(n, p);
        let printed = |length, p: f64| gap(length, p) / (1.0 - (-p).exp());
        let right = |length, p: f64| (1.0 - (-p).exp()) / gap(length, p);
        Ok(Evidence::new()
            .printed(beside("term by term", printed, sum))
            .corrected(beside("term by term", right, sum))
            .note("All estimates of the time until $T_1^g$ and of $dv/dt$ inherit the inverted prefactor."))
    },
)
.corrected("$1/M(p) = (1 - e^{-p})/(1 - e^{-p(L-2)})$: the print is $M$ itself");

/// The least `L sigma` with `(L - 3) e^{-(L-3) sigma} < 0.0001`.
fn least_product(sigma: f64) -> f64 {
    let miss = |l: f64| 1e-4 - (l - 3.0) * (-(l - 3.0) * sigma).exp();
    sigma * root(miss, 2.0 / sigma, 1e3 / sigma)
}

pub(super) const LONG: Claim = Claim::new(
    "ngram-to-induction/length-needed",
    "C.3.1, Part I",
    Kind::Equation,
    "$L = \\Omega(1/\\sigma_{init})$ is enough for $(L - 3) e^{-(L-3)p} < 0.0001$ at all $p > \\sigma_{init}$.",
    |_| {
        let (wide, narrow) = (least_product(1e-2), least_product(1e-6));
        let what = "least L sigma at sigma = 1e-6 beside that at sigma = 0.01";
        Ok(Evidence::new()
            .printed(Measurement::relative(what, wide, narrow, 0.1))
            .corrected(Measurement::relative(
                "its growth over ln(10^4), the growth of ln(1/sigma)",
                1.0,
                (narrow - wide) / 1e4_f64.ln(),
                0.1,
            ))
            .note(format!(
                "At $\\sigma_{{init}} = 0.01$ it takes $L \\ge {:.0}$; Fig. 1 has $L = 40$, where the left side \
                 is {:.1}.",
                wide / 1e-2,
                37.0 * (-0.37_f64).exp()
            )))
    },
)
.corrected("$L = \\Omega(\\ln(1/\\sigma_{init})/\\sigma_{init})$");
